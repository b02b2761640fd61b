package sandboxnet

import (
	"encoding/json"
	"fmt"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// decide works out what the payers say of the claims that came in a file on the
// day, and remembers that by the payers' numbers: who replaces a claim has what
// was paid for it taken back.
func decide(file string, batches []*batch, came billing.Date, remember memory) error {
	var decided []*received
	var notes []billing.SandboxNote
	for _, b := range batches {
		for _, r := range b.claims {
			if r.scenario.decision == nil {
				continue
			}
			r.decided = decision(r, came)
			if r.Kind == billing.KindPredetermination {
				continue // nothing is paid
			}
			standing, err := r.standing()
			if err != nil {
				return err
			}
			decided = append(decided, r)
			notes = append(notes, billing.SandboxNote{
				Key: digestOf("decided", r.Payer.PayerID, r.payerNumber), By: fmt.Sprintf("%s %d", file, r.Segment), Content: standing,
			})
		}
	}
	before, err := remember(notes)
	if err != nil {
		return err
	}
	for i, r := range decided {
		if r.Frequency != billing.FrequencyReplacement || len(before[i]) == 0 {
			continue
		}
		var paid remittance.Claim
		if err := json.Unmarshal(before[i], &paid); err != nil {
			return fmt.Errorf("what was decided of a claim: %w", err)
		}
		paid.Names = namesOf(r)
		r.takeBack = paid.Reversed()
	}
	return nil
}

// standing is what stays of the decision until the claim is replaced, without
// names: nothing, when it pays nothing, or nothing that anybody keeps.
func (r *received) standing() ([]byte, error) {
	c := *r.decided
	var charge billing.Money
	for i := range c.Services {
		charge += c.Services[i].Charge
	}
	if r.scenario.reversed || r.scenario.unbalanced || charge == c.Adjusted("", "") {
		return nil, nil
	}
	c.Names = nil
	return json.Marshal(c)
}
