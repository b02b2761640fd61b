package eligibility

import (
	"bytes"
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
)

// limits are far above a reply about one patient: the longest public dental one
// has about 500 segments.
//
//nolint:gochecknoglobals // a constant; Go has none of struct type
var limits = x12.Limits{Bytes: 4 << 20, Segments: 20_000}

const (
	maxSegment = 64 << 10 // bytes
	// manyBenefits is the initial capacity for EBs, enough for nearly every reply. An
	// EB is half a kilobyte, and a list that grows is copied.
	manyBenefits = 64
)

// DecodeInquiry reads a 270 about one patient. The error is an *x12.Error.
func DecodeInquiry(b []byte) (*Inquiry, error) {
	d, err := decode(b, "270")
	if err != nil {
		return nil, err
	}
	r := &d.reply
	if r.Subscriber == nil {
		return nil, d.missing("the inquiry names no subscriber")
	}
	q := &Inquiry{
		Interchange: r.Interchange, Group: r.Group, Reference: r.Reference, CreatedAt: r.CreatedAt,
		Payer: *orEmpty(r.Source), Provider: *orEmpty(r.Receiver), Subscriber: r.Subscriber.Party, Queries: d.queries,
	}
	if r.Dependent != nil {
		q.Dependent = &r.Dependent.Party
	}
	return q, nil
}

func orEmpty(p *Party) *Party {
	if p == nil {
		return &Party{}
	}
	return p
}

// Decode reads a 271 about one patient. It fails only if the input is not an
// interchange, has no 271, or covers more than one patient. The error is an
// *x12.Error.
func Decode(b []byte) (*Reply, error) {
	d, err := decode(b, "271")
	if err != nil {
		return nil, err
	}
	r := &d.reply
	if r.Source == nil && r.Receiver == nil && r.Subscriber == nil && r.Dependent == nil {
		return nil, d.missing("the transaction set is empty")
	}
	return r, nil
}

// decoder reads the segments of one transaction set. The 270 and 271 have the same
// loops. The pointers mark the current position: the party of the loop, the
// party's latest EB, and the latest NM1 under that EB.
type decoder struct {
	reply   Reply
	queries []Query

	start   x12.Segment // the ST; zero before it
	at      string      // HL03 of the loop; empty before the first
	party   *Party
	member  *Member // the party, if it is a subscriber or a dependent
	benefit *Benefit
	related *Party
	levels  bool // an HL was seen
	listing bool // between LS and LE
	fields  x12.Fields
}

func decode(b []byte, set string) (*decoder, error) {
	d := &decoder{}
	within := limits
	within.SegmentBytes = min(len(b)+1, maxSegment) // sizes the reader's buffer; most messages are small
	r := x12.NewReader(bytes.NewReader(b), within)
	err := r.Each(func(s *x12.Segment) error {
		switch {
		case r.Set().ID != set: // such as an acknowledgement beside the reply
		case s.ID == "ST" && d.start.Ordinal != 0:
			return s.Fault("there is a second transaction set " + set)
		case s.ID == "ST":
			d.begin(r, s)
		case x12.IsEnvelope(s.ID):
		default:
			return d.segment(s)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if d.start.Ordinal == 0 {
		return nil, &x12.Error{Segment: 1, Reason: "there is no transaction set " + set}
	}
	d.reply.Warnings = append(d.reply.Warnings, r.Warnings()...)
	return d, nil
}

func (d *decoder) begin(r *x12.Reader, s *x12.Segment) {
	d.start = *s
	d.reply.Interchange, d.reply.Group = r.Interchange(), r.Group()
	if d.reply.Version = r.Set().Version; d.reply.Version == "" {
		d.reply.Version = r.Group().Version
	}
}

func (d *decoder) missing(reason string) error { return d.start.Fault(reason) }

func (d *decoder) segment(s *x12.Segment) error {
	switch f := d.fields.Read(s); s.ID {
	case "BHT":
		d.reply.header(f)
	case "HL":
		return d.hl(s)
	case "NM1":
		return d.nm1(s)
	case "EQ":
		x12.List(f, "EQ", &d.queries, (*Query).fields)
	case "EB":
		d.eb(s)
	case "LS", "LE":
		d.related, d.listing = nil, s.ID == "LS"
	case "AAA":
		d.aaa(s)
	default:
		d.detail(s)
	}
	return nil
}

// hl enters the loop that HL03 names. It treats an unknown code as the next loop,
// because some public samples have masked codes.
func (d *decoder) hl(s *x12.Segment) error {
	level := s.Element(3)
	switch level {
	case levelSource, levelReceiver, levelSubscriber, levelDependent:
	default:
		switch d.at {
		case "":
			level = levelSource
		case levelSource:
			level = levelReceiver
		case levelReceiver:
			level = levelSubscriber
		default:
			level = levelDependent
		}
	}
	d.levels = true
	if d.taken(level) {
		return s.Fault("there is more than one payer, provider, subscriber or dependent")
	}
	d.enter(level)
	return nil
}

func (d *decoder) taken(level string) bool {
	switch level {
	case levelSource:
		return d.reply.Source != nil
	case levelReceiver:
		return d.reply.Receiver != nil
	case levelSubscriber:
		return d.reply.Subscriber != nil
	default:
		return d.reply.Dependent != nil
	}
}

// enter creates the loop.
func (d *decoder) enter(level string) {
	d.at, d.member, d.benefit, d.related, d.listing = level, nil, nil, nil, false
	switch level {
	case levelSource:
		d.party = &Party{}
		d.reply.Source = d.party
	case levelReceiver:
		d.party = &Party{}
		d.reply.Receiver = d.party
	case levelSubscriber:
		d.member = &Member{}
		d.party, d.reply.Subscriber = &d.member.Party, d.member
	default:
		d.member = &Member{}
		d.party, d.reply.Dependent = &d.member.Party, d.member
	}
}

// enterMember enters the subscriber's loop unless the decoder is in a member's loop.
func (d *decoder) enterMember() {
	if d.member != nil {
		return
	}
	if d.reply.Subscriber == nil {
		d.enter(levelSubscriber)
		return
	}
	d.at, d.member, d.party = levelSubscriber, d.reply.Subscriber, &d.reply.Subscriber.Party
	d.benefit, d.related, d.listing = nil, nil, false
}

// nm1 reads the name of the loop's party, or of a party that a benefit refers to. In
// a reply without HL segments, the entity code determines the loop.
func (d *decoder) nm1(s *x12.Segment) error {
	var name Name
	name.Fields(&d.fields)
	level := levelOfEntity(name.Entity)
	switch {
	case d.benefit == nil && d.party != nil && d.party.Segment == 0 && (d.levels || level == d.at):
	case (d.benefit == nil || !d.levels && !d.listing) && level != "" && !d.taken(level):
		d.enter(level)
	case d.benefit != nil:
		d.benefit.Related = append(d.benefit.Related, Party{Segment: s.Ordinal, Name: name})
		d.related = &d.benefit.Related[len(d.benefit.Related)-1]
		return nil
	case level == levelSubscriber || level == levelDependent:
		return s.Fault("there is more than one subscriber or dependent")
	default:
		d.related = &Party{} // discarded with the name and its segments
		d.warn(s, "a name that belongs to no loop was left out")
		return nil
	}
	d.party.Segment, d.party.Name, d.related = s.Ordinal, name, nil
	return nil
}

// levelOfEntity returns the loop that NM101 belongs to. It returns an empty string
// if the code occurs in several loops.
func levelOfEntity(entity string) string {
	switch entity {
	case "PR", "2B", "36", "GP", "P5":
		return levelSource
	case "1P", "FA", "80":
		return levelReceiver
	case "IL":
		return levelSubscriber
	case "03":
		return levelDependent
	default:
		return ""
	}
}

func (d *decoder) eb(s *x12.Segment) {
	d.enterMember()
	if d.member.Benefits == nil {
		d.member.Benefits = make([]Benefit, 0, manyBenefits)
	}
	d.member.Benefits = append(d.member.Benefits, Benefit{Segment: s.Ordinal})
	d.benefit, d.related, d.listing = &d.member.Benefits[len(d.member.Benefits)-1], nil, false
	d.benefit.fields(&d.fields)
	d.benefit.ServiceTypes = serviceTypes(d.benefit.ServiceTypes)
}

// serviceTypes returns EB03. Some payers repeat it with "^", although ISA11 names no
// repetition separator.
func serviceTypes(all []string) []string {
	if len(all) == 1 && strings.Contains(all[0], "^") {
		all = strings.Split(all[0], "^")
		for i := range all {
			all[i] = strings.TrimSpace(all[i])
		}
	}
	if all = slices.DeleteFunc(all, func(t string) bool { return t == "" }); len(all) == 0 {
		return nil
	}
	return all
}

// aaa adds a rejection to its loop. An AAA before the first loop belongs to the
// payer.
func (d *decoder) aaa(s *x12.Segment) {
	if d.party == nil {
		d.enter(levelSource)
	}
	a := Rejection{Segment: s.Ordinal}
	a.fields(&d.fields)
	letter := map[string]string{levelSource: "A", levelReceiver: "B", levelSubscriber: "C", levelDependent: "D"}[d.at]
	if d.benefit != nil {
		a.Loop = "2110" + letter
		d.benefit.Rejections = append(d.benefit.Rejections, a)
		return
	}
	a.Loop = "2100" + letter
	if d.at == levelSource && d.party.Name == (Name{}) {
		a.Loop = loopSource
	}
	d.party.Rejections = append(d.party.Rejections, a)
}

// detail reads a segment of the party, of its latest benefit, or of the party that the
// benefit refers to. It ignores segments that have no field.
func (d *decoder) detail(s *x12.Segment) {
	if d.party == nil {
		d.enterMember()
	}
	f := &d.fields
	if d.related != nil {
		d.related.whereabouts(f)
		d.related.specialty(f)
	}
	if d.benefit != nil {
		d.benefit.loop(f)
	}
	if !f.Taken() && (d.related == nil || s.ID == "DTP" || s.ID == "MSG") {
		d.party.loop(f)
	}
}

func (d *decoder) warn(s *x12.Segment, reason string) {
	d.reply.Warnings = append(d.reply.Warnings, x12.Warning{Segment: s.Ordinal, Offset: s.Offset, Reason: reason})
}
