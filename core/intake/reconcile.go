package intake

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
)

// ReconcileRequest asks to reconcile a claim, as a caller wrote it; nothing is parsed
// yet.
type ReconcileRequest struct {
	AcceptOpen *AcceptOpenInput // nil when it was left out or null
	Faults     billing.Faults   // found when the body was decoded
}

// AcceptOpenInput is what a caller accepts of the open amount.
type AcceptOpenInput struct {
	As    string
	Lines []AcceptLineInput
	Note  *string // nil when it was left out or null
}

// AcceptLineInput is an accepted amount of a line.
type AcceptLineInput struct {
	LineNumber *int // nil for an amount of no line
	Amount     string
}

// Accepted validates the request and returns what it accepts, or nil for nothing. Reconcile
// compares it with what is open.
func (r ReconcileRequest) Accepted() (*claim.AcceptedOpen, billing.Faults) {
	f := slices.Clone(r.Faults)
	in := r.AcceptOpen
	if in == nil {
		return nil, f
	}
	p := claimParser{f: &f, whole: true}
	a := &claim.AcceptedOpen{As: oneOf(&p, "accept_open.as", p.text("accept_open.as", in.As, 0), claim.AcceptWriteOff, claim.AcceptBillPatient, claim.AcceptOther)}
	if in.Note != nil && f.Optional("accept_open.note", in.Note, maxRemittanceNote) {
		a.Note = strings.TrimSpace(*in.Note)
	}
	if a.As == claim.AcceptOther && a.Note == "" {
		f.Add("accept_open.note", billing.FaultRequired, "Say in the note what becomes of the amount.")
	}
	if p.there("accept_open.lines", len(in.Lines) > 0); p.tooMany("accept_open.lines", len(in.Lines), maxClaimLines+1) {
		return a, f
	}
	named := map[int]bool{}
	for i, l := range in.Lines {
		at := item("accept_open.lines", i)
		line := claim.LineAmount{Amount: p.amount(at+".amount", l.Amount, minAmount, maxAmount)}
		if l.LineNumber != nil {
			line.Number = p.number(at+".line_number", l.LineNumber, 1, maxClaimLines, 0)
		}
		if named[line.Number] {
			f.Add(at+".line_number", billing.FaultConflict, "Duplicate line. Name each line once.")
		}
		named[line.Number] = true
		a.Lines = append(a.Lines, line)
	}
	return a, f
}
