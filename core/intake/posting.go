package intake

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/automation"
	"github.com/molar-billing/molar/core/billing/directory"
)

// PostRequest asks to post a remittance.
type PostRequest struct {
	AcceptUnfinished bool
	Reconcile        bool
	Faults           billing.Faults // found when the body was decoded
}

// AutomationRequest is the automation of an organization as a caller wrote it.
type AutomationRequest struct {
	Level  string
	Payers []AutomationPayer
	Faults billing.Faults // found when the body was decoded
}

// AutomationPayer is the level of a payer as a caller wrote it.
type AutomationPayer struct {
	PayerID string
	Level   string
}

// Settings validates the request and returns the settings. Find finds a payer of the directory.
// Absent has the payers that it does not find.
func (r AutomationRequest) Settings(find func(id string) (*directory.Payer, bool)) (s automation.Settings, f billing.Faults, absent billing.Absent) {
	f = slices.Clone(r.Faults)
	p := claimParser{f: &f, whole: true}
	level := func(field, text string) automation.Level {
		return oneOf(&p, field, p.text(field, text, 0), automation.Levels()...)
	}
	s.Level = level("level", r.Level)
	if p.tooMany("payers", len(r.Payers), automation.MaxPayers) {
		return s, f, absent
	}
	named := map[billing.PayerID]bool{}
	for i, in := range r.Payers {
		at := item("payers", i)
		own := automation.PayerLevel{Level: level(at+".level", in.Level)}
		text := p.text(at+".payer_id", in.PayerID, 0)
		switch of, ok := find(text); {
		case text == "":
		case !ok:
			absent.Add("payer", at+".payer_id")
		case named[of.ID]:
			f.Add(at+".payer_id", billing.FaultConflict, "Duplicate payer. Name each payer once.")
		default:
			named[of.ID], own.Payer = true, of.PayerSummary
			s.Payers = append(s.Payers, own)
		}
	}
	return s, f, absent
}
