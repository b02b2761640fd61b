package intake

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// payer returns the ID of the row's payer: by its ID, or by its name if the row has no ID. A name beside an ID
// must not mean another payer.
func (r *scheduleRow) payer() string {
	id, name := r.text("payer_id"), r.text("payer")
	byName, candidates := r.meant(name)
	if id == "" {
		switch {
		case name == "":
			return ""
		case byName == nil:
			return r.choice("payer", billing.FaultNotAllowed, "This is not the name of one payer. Choose the payer that it means.", candidates...)
		}
		return r.checked("payer", byName)
	}
	byID, ok := r.payers.Find(id)
	var likely []*directory.Payer
	if !ok {
		byID, likely = r.meant(id)
	}
	if byID == nil {
		switch {
		case byName != nil:
			likely = []*directory.Payer{byName}
		case name != "":
			likely = candidates
		}
		return r.choice("payer_id", billing.FaultNotAllowed, "No payer has this ID. Choose the payer that it means.", likely...)
	}
	if byName != nil && byName.ID != byID.ID {
		return r.choice("payer_id", billing.FaultConflict, "The ID and the name beside it mean different payers. Choose the payer that is right.", byID, byName)
	}
	return r.checked("payer_id", byID)
}

// meant returns the payer that a text was mapped to, or that has it as its name. Without one it returns those that
// it may mean.
func (r *scheduleRow) meant(text string) (*directory.Payer, []*directory.Payer) {
	if p := r.named[words(text)]; p != nil && text != "" {
		return p, nil
	}
	return r.payers.Named(text)
}

// choice notes a fault with the payers that the cell may mean, and returns no ID.
func (r *scheduleRow) choice(column string, code billing.FaultCode, message string, of ...*directory.Payer) string {
	f := r.fault(column, "payer_id", code, message)
	for _, p := range of {
		f.Candidates = append(f.Candidates, Candidate{p.PayerID, p.Name})
	}
	return ""
}

// checked returns the ID of a payer, which must support checks.
func (r *scheduleRow) checked(column string, p *directory.Payer) string {
	if !p.Capabilities.Eligibility {
		r.fault(column, "payer_id", billing.FaultNotAllowed, "The payer does not support eligibility checks. Leave the row out, or correct the payer.")
	}
	return p.ID.String()
}
