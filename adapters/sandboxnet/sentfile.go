package sandboxnet

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/claims"
)

// claimsSet is the transaction set that the clearinghouse accepts, in groups of the
// versions that begin with claimsVersion: the 837D, with any errata.
const (
	claimsSet     = "837"
	claimsVersion = "005010X224"
)

// The codes of functional acknowledgements that the clearinghouse sends.
const (
	verdictAccepted = "A"
	verdictPartly   = "P"
	verdictRejected = "R"

	setUnsupported    = "1" // AK502: the type is not supported
	setWithoutTrailer = "2" // AK502
	setCount          = "4" // AK502: SE01 is not the number of its segments
	setFaulty         = "5" // AK502: it has faulty segments
	groupVersion      = "2" // AK905: its version is not supported
	groupUnfinished   = "3" // AK905: its trailer is missing
	segmentFaulty     = "8" // AK304

	noteAccepted       = "000" // TA105: no error
	interchangeNesting = "022" // TA105: envelopes are not nested correctly
	interchangeContent = "024" // TA105: invalid content
)

// sentFile is a file of claims as the clearinghouse reads it.
type sentFile struct {
	interchange x12.Interchange // of the first interchange
	group       x12.Group       // of the first group
	damage      string          // TA105, if the fault is in no group
	ended       bool            // its envelopes are complete
	groups      []acknowledgements.GroupVerdict
	sets        []sentSet
}

// sentSet is a transaction set with its position, and its claims if any.
type sentSet struct {
	group, verdict int // the indexes of the group, and of the set in it
	start          int // the ordinal of the ST
	batch          *claims.Batch
}

// readSent reads a file and checks its structure. It fails if the file has no usable
// interchange, because then there is no sender to reply to. It records all other
// faults in the verdicts. If there are any, no set has claims.
func readSent(content []byte) (*sentFile, error) {
	batches, _, err := claims.Decode(bytes.NewReader(content))
	fault, isFault := errors.AsType[*x12.Error](err)
	if err != nil && !isFault {
		return nil, err
	}
	var f sentFile
	whole, segment := f.scan(content, fault)
	if f.interchange == (x12.Interchange{}) {
		return nil, err
	}
	f.ended = whole
	if whole && fault != nil {
		f.reject(fault.Segment, segment)
	}
	for i := range f.groups {
		if g := &f.groups[i]; !strings.HasPrefix(g.Version, claimsVersion) {
			g.Faults = append(g.Faults, groupVersion)
		}
	}
	for i := range f.sets {
		s := &f.sets[i]
		v := f.verdict(s)
		if v.ID == claimsSet && err == nil {
			s.batch, batches = &batches[0], batches[1:]
		}
		switch {
		case v.ID != claimsSet, slices.Contains(f.groups[s.group].Faults, groupVersion):
			v.Code, v.Faults, v.Segments, s.batch = verdictRejected, []string{setUnsupported}, nil, nil
		case err != nil, len(v.Faults) > 0:
			v.Code, s.batch = verdictRejected, nil
		default:
			shareContact(s.batch)
		}
	}
	if len(f.groups) == 0 && f.damage == "" {
		f.damage = interchangeContent
	}
	return &f, nil
}

// shareContact gives the submitter's contact to each billing provider that states none,
// as the guide says.
func shareContact(b *claims.Batch) {
	for i := range b.Claims {
		if p := &b.Claims[i].Billing; p.Phone == "" {
			p.Contact, p.Phone = b.Submitter.Contact, b.Submitter.Phone
		}
	}
}

// scan finds the envelopes, and the ID of the faulty segment, if any. It
// reports whether the envelopes are complete, and records the fault if not.
func (f *sentFile) scan(content []byte, fault *x12.Error) (whole bool, faulty string) {
	r := x12.NewReader(bytes.NewReader(content), x12.Limits{})
	last := "" // the last segment read
	for {
		s, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return true, faulty
		case err != nil:
			f.broken(last)
			return false, ""
		case fault != nil && s.Ordinal == fault.Segment:
			faulty = s.ID
		}
		switch s.ID {
		case "ISA":
			if s.Ordinal == 1 {
				f.interchange = r.Interchange()
			}
		case "GS":
			g := r.Group()
			if len(f.groups) == 0 {
				f.group = g
			}
			f.groups = append(f.groups, acknowledgements.GroupVerdict{FunctionalID: g.FunctionalID, Control: strconv.Itoa(g.Control), Version: g.Version})
		case "ST":
			at := len(f.groups) - 1
			g, set := &f.groups[at], r.Set()
			f.sets = append(f.sets, sentSet{group: at, verdict: len(g.Sets), start: s.Ordinal})
			g.Sets = append(g.Sets, acknowledgements.SetVerdict{ID: set.ID, Control: set.Control, Version: set.Version, Code: verdictAccepted})
		case "SE":
			if r.Miscounted() {
				f.verdict(&f.sets[len(f.sets)-1]).Faults = []string{setCount}
			}
		case "GE", "IEA":
		default:
			continue
		}
		last = s.ID
	}
}

// broken records that the envelopes are incomplete after the segment.
func (f *sentFile) broken(last string) {
	switch last {
	case "ST":
		f.verdict(&f.sets[len(f.sets)-1]).Faults = []string{setWithoutTrailer}
	case "GS", "SE":
		g := &f.groups[len(f.groups)-1]
		g.Faults = []string{groupUnfinished}
	default:
		f.damage = interchangeNesting
	}
}

func (f *sentFile) verdict(s *sentSet) *acknowledgements.SetVerdict {
	return &f.groups[s.group].Sets[s.verdict]
}

// reject rejects the set that has the segment with the ordinal, if any.
func (f *sentFile) reject(ordinal int, id string) {
	for i := len(f.sets) - 1; i >= 0; i-- {
		s := &f.sets[i]
		if s.start > ordinal {
			continue
		}
		v := f.verdict(s)
		v.Code, v.Faults = verdictRejected, []string{setFaulty}
		v.Segments = append(v.Segments, acknowledgements.SegmentFault{ID: id, Position: ordinal - s.start + 1, Code: segmentFaulty})
		s.batch = nil
		return
	}
}

// rejectOnce rejects each set that has a claim with -BATCH-REJECTED, unless the claim
// has already caused a rejection. It remembers all such claims of the file, so that
// the file is accepted when it is sent again.
func (f *sentFile) rejectOnce(name string, remember memory) error {
	var notes []Note
	var segments []int
	for _, b := range f.accepted() {
		for i := range b.Claims {
			if c := &b.Claims[i]; scenarioOfClaim(c).rejectsFile {
				key := digestOf("batch rejected", c.Billing.NPI, strings.ToUpper(c.PatientControlNumber))
				notes, segments = append(notes, Note{Key: key, By: name, Content: []byte(name)}), append(segments, c.Segment)
			}
		}
	}
	before, err := remember(notes)
	if err != nil {
		return err
	}
	for i, segment := range segments {
		if len(before[i]) == 0 {
			f.reject(segment, "CLM")
		}
	}
	return nil
}

// accepted returns the claims of the sets that are not rejected.
func (f *sentFile) accepted() (all []*claims.Batch) {
	for i := range f.sets {
		if b := f.sets[i].batch; b != nil {
			all = append(all, b)
		}
	}
	return all
}

// refused returns the note for which the clearinghouse refuses the envelope, if any.
func (f *sentFile) refused(refuse func(x12.Interchange, x12.Group) string) string {
	if refuse == nil {
		return ""
	}
	return refuse(f.interchange, f.group)
}

// acknowledged writes the acknowledgement of the file.
func (o *outbox) acknowledged(f *sentFile) {
	if o.TA1 && f.damage == "" && f.ended {
		o.interchange(f, verdictAccepted, noteAccepted)
	}
	standard := cmp.Or(o.Standard, acknowledgements.Standard997)
	l := o.named(o.base+"."+string(standard), untilRead)
	i, g := o.envelope(l, f.interchange, f.group)
	o.put(l, acknowledgements.EncodeFunctional(f.verdicts(i, g, standard)))
}

// interchange writes a TA1 alone.
func (o *outbox) interchange(f *sentFile, code, note string) {
	l := o.named(o.base+".ta1", untilReceived)
	i, _ := o.envelope(l, f.interchange, f.group)
	o.put(l, acknowledgements.EncodeFunctional(&acknowledgements.Functional{
		Interchange: i, Interchanges: []acknowledgements.InterchangeVerdict{f.onInterchange(code, note)},
	}))
}

// verdicts returns the acknowledgement of every group, with a TA1 if the interchange
// is damaged.
func (f *sentFile) verdicts(i x12.Interchange, g x12.Group, standard acknowledgements.Standard) *acknowledgements.Functional {
	all := acknowledgements.Functional{Interchange: i, Group: g, Standard: standard, Groups: f.groups}
	if f.damage != "" {
		all.Interchanges = []acknowledgements.InterchangeVerdict{f.onInterchange(verdictRejected, f.damage)}
	}
	for n := range f.groups {
		conclude(&f.groups[n], f.damage != "")
	}
	return &all
}

func (f *sentFile) onInterchange(code, note string) acknowledgements.InterchangeVerdict {
	return acknowledgements.InterchangeVerdict{
		Control: fmt.Sprintf("%09d", f.interchange.Control), At: f.interchange.Created, Code: code, Note: note,
	}
}

// conclude counts the sets of a group.
func conclude(g *acknowledgements.GroupVerdict, damaged bool) {
	g.Included, g.Received = len(g.Sets), len(g.Sets)
	for i := range g.Sets {
		if g.Sets[i].Code == verdictAccepted {
			g.Accepted++
		}
	}
	switch {
	case damaged || g.Accepted == 0:
		g.Code = verdictRejected
	case g.Accepted < g.Received:
		g.Code = verdictPartly
	default:
		g.Code = verdictAccepted
	}
}
