package acknowledgements

import (
	"log/slog"
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
)

// Standard is the transaction set of a functional acknowledgement.
type Standard string

// The standards. They name segments differently, and the 999 has more detail.
const (
	Standard999 Standard = "999"
	Standard997 Standard = "997"
)

// Functional is a file of 999s, 997s and TA1s.
type Functional struct {
	Interchange  x12.Interchange // of the first one; the version is the encoder's
	Group        x12.Group       // of the first one; functional ID and version are the encoder's
	Standard     Standard        // of the first one; empty means 999
	Interchanges []InterchangeVerdict
	Groups       []GroupVerdict
}

// InterchangeVerdict is a TA1 segment.
type InterchangeVerdict struct {
	Control string    // TA101: ISA13 of the acknowledged file
	At      time.Time // TA102 and TA103, of that file
	Code    string    // TA104: A accepted, E with errors, R rejected
	Note    string    // TA105
}

// GroupVerdict is the verdict of one 999 or 997 on a functional group.
type GroupVerdict struct {
	FunctionalID string // AK101, HC for claims
	Control      string // AK102: GS06 of the acknowledged group
	Version      string // AK103; empty in a 997
	Sets         []SetVerdict
	Code         string   // AK901: A, E, P or R, ...; empty without an AK9
	Included     int      // AK902: the number of sets that the group states
	Received     int      // AK903
	Accepted     int      // AK904
	Faults       []string // AK905 to AK909
}

// SetVerdict is the verdict on one transaction set.
type SetVerdict struct {
	ID       string // AK201, 837 for claims
	Control  string // AK202: ST02 of the acknowledged set
	Version  string // AK203; empty in a 997
	Segments []SegmentFault
	Code     string   // IK501 or AK501: A, E, R, ...
	Faults   []string // IK502 to IK506, or AK502 to AK506
}

// SegmentFault is an IK3 or AK3: a fault of a segment.
type SegmentFault struct {
	ID       string // such as CLM
	Position int    // the ordinal in the set, from 1 for the ST
	Loop     string
	Code     string
	Contexts []Context
	Elements []ElementFault
}

// Context is a CTX segment of a 999: what the fault is about, such as
// CLM01 with the patient control number of the claim.
type Context struct {
	Name  string
	Value string
}

// ElementFault is an IK4 or AK4: a fault of an element.
type ElementFault struct {
	Position   int    // of the element
	Component  int    // 0 for the whole element
	Repetition int    // 0 for the only one
	Reference  string // the number of the data element
	Code       string
	Value      string // as sent; may be patient data
}

// Verdict is the decision of a functional acknowledgement.
type Verdict string

// The verdicts. The zero Verdict means that none could be read.
const (
	VerdictAccepted Verdict = "accepted"
	VerdictRejected Verdict = "rejected"
	VerdictPartial  Verdict = "partial" // only of groups: some sets were accepted, others rejected
)

func verdictOf(code string) Verdict {
	switch code {
	case "A", "E": // E: errors were noted
		return VerdictAccepted
	case "R", "M", "W", "X": // M, W, X: authentication, assurance, decryption failed
		return VerdictRejected
	case "P":
		return VerdictPartial
	default:
		return ""
	}
}

// Verdict reads TA104.
func (i *InterchangeVerdict) Verdict() Verdict { return verdictOf(i.Code) }

// Verdict reads AK901. Without it, the verdicts of the sets decide.
func (g *GroupVerdict) Verdict() Verdict {
	if v := verdictOf(g.Code); v != "" || len(g.Sets) == 0 {
		return v
	}
	all := g.Sets[0].Verdict()
	for i := range g.Sets {
		if g.Sets[i].Verdict() != all {
			return VerdictPartial
		}
	}
	return all
}

// Verdict reads IK501 or AK501. A set is never accepted in part.
func (s *SetVerdict) Verdict() Verdict {
	if v := verdictOf(s.Code); v != VerdictPartial {
		return v
	}
	return ""
}

// Set returns the verdict on one transaction set of the group, and why. A rejected
// group rejects all of its sets, even those with another verdict. If an accepted
// group does not mention the set, the set is accepted.
func (g *GroupVerdict) Set(control string) (v Verdict, why []string) {
	v, why = g.Verdict(), g.words()
	for i := range g.Sets {
		s := &g.Sets[i]
		if !sameNumber(s.Control, control) {
			continue
		}
		why = append(why, s.Words()...)
		if own := s.Verdict(); own != "" && v != VerdictRejected {
			return own, why
		}
		break
	}
	if v == VerdictPartial {
		v = ""
	}
	return v, why
}

// sameNumber reports whether two control numbers are equal, ignoring leading zeros.
// Only some senders write them.
func sameNumber(a, b string) bool {
	return strings.EqualFold(strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0"))
}

// LogValue keeps patient data out of logs.
func (f Functional) LogValue() slog.Value { return slog.StringValue("functional acknowledgement") }

// LogValue keeps patient data out of logs.
func (e ElementFault) LogValue() slog.Value { return slog.StringValue("fault of an element") }

// LogValue keeps patient data out of logs.
func (c Context) LogValue() slog.Value { return slog.StringValue("context of a fault") }
