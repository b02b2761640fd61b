package intake

import (
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

// The limits of the bodies about remittance claims.
const (
	maxRemittanceNote = 400 // characters
	maxMatchedLines   = 999 // the most lines that a claim of an 835 can have
)

// MatchRequest names the claim that a remittance claim is about, as a
// caller wrote it; nothing is parsed yet.
type MatchRequest struct {
	ClaimID *string // nil when it was left out or null
	Lines   []MatchLineInput
	Faults  billing.Faults // found when the body was decoded
}

// MatchLineInput is the match of a line as a caller wrote it.
type MatchLineInput struct {
	ERALine    int  `body:"era_line"`
	LineNumber *int // nil when it was left out or null
}

// RemittanceMatch is a match that a person makes between a remittance claim
// and one of ours.
type RemittanceMatch struct {
	ClaimID billing.ClaimID
	Lines   []LineMatch
}

// LineMatch is the match of a line of the remittance.
type LineMatch struct {
	ERALine    int // its ordinal, from 1
	LineNumber int // of the claim's line, from 1; 0 when it pays none of them
}

// Match validates the request and returns the requested match. Numbers reports
// the faults that depend on the claims.
func (r MatchRequest) Match() (*RemittanceMatch, billing.Faults) {
	f := slices.Clone(r.Faults)
	m := &RemittanceMatch{ClaimID: optionalID[billing.ClaimID](&f, "claim_id", r.ClaimID, "claim")}
	if r.ClaimID == nil {
		f.Add("claim_id", billing.FaultRequired, "Name the claim that this remittance claim is about.")
	}
	if len(r.Lines) > maxMatchedLines {
		f.Add("lines", billing.FaultTooMany, "A remittance claim has at most 999 lines.")
		return m, f
	}
	named := map[int]bool{}
	for i, l := range r.Lines {
		at := matchedLine(i)
		switch {
		case l.ERALine < 1:
			f.Add(at+"era_line", billing.FaultRange, "The lines of the remittance are numbered from 1.")
		case named[l.ERALine]:
			f.Add(at+"era_line", billing.FaultConflict, "Duplicate line. Name each line of the remittance once.")
		}
		named[l.ERALine] = true
		match := LineMatch{ERALine: l.ERALine}
		if l.LineNumber != nil {
			match.LineNumber = *l.LineNumber
		}
		if match.LineNumber < 0 {
			f.Add(at+"line_number", billing.FaultRange, "The lines of the claim are numbered from 1; null stands for none.")
		}
		m.Lines = append(m.Lines, match)
	}
	return m, f
}

func matchedLine(i int) string { return "lines." + strconv.Itoa(i) + "." }

// Numbers returns the number of the claim's line for each line of the remittance. It
// is the one that the match states, or else the one that the content determines.
func (m *RemittanceMatch) Numbers(c *claim.Claim, r *remit.Claim) ([]int, billing.Faults) {
	var f billing.Faults
	numbers := c.MatchLines(r)
	for i, l := range m.Lines {
		switch at := matchedLine(i); {
		case l.ERALine > len(r.Lines):
			f.Add(at+"era_line", billing.FaultRange, "The remittance claim has no line with this number. The first line is 1.")
		case l.LineNumber > len(c.Lines):
			f.Add(at+"line_number", billing.FaultRange, "The claim has no line with this number. The first line is 1.")
		default:
			numbers[l.ERALine-1] = l.LineNumber
		}
	}
	return numbers, f
}

// NoteRequest is the note of a person on what they do with a remittance, as a
// caller wrote it; nothing is parsed yet.
type NoteRequest struct {
	Note   *string        // nil when it was left out or null
	Faults billing.Faults // found when the body was decoded
}

// Text validates the request and returns the note, or the empty string when it
// has none.
func (r NoteRequest) Text() (string, billing.Faults) {
	f := slices.Clone(r.Faults)
	if r.Note == nil || !f.Optional("note", r.Note, maxRemittanceNote) {
		return "", f
	}
	return strings.TrimSpace(*r.Note), f
}

// Required is Text for a note that must say something. Fix says what.
func (r NoteRequest) Required(fix string) (string, billing.Faults) {
	note, f := r.Text()
	if note == "" && len(f) == 0 {
		f.Add("note", billing.FaultRequired, fix)
	}
	return note, f
}

// AssignRequest names the office that a quarantined remittance is for, as a caller wrote
// it; nothing is parsed yet.
type AssignRequest struct {
	OfficeID string
	Faults   billing.Faults // found when the body was decoded
}

// Office validates the request and returns the office.
func (r AssignRequest) Office() (billing.OfficeID, billing.Faults) {
	f := slices.Clone(r.Faults)
	id := optionalID[billing.OfficeID](&f, "office_id", &r.OfficeID, "office")
	return id, f
}
