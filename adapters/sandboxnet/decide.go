package sandboxnet

import (
	"bytes"
	"fmt"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// decide computes the payers' decisions on the claims that came in a file on
// the day. It remembers the payments by the payers' numbers. A claim that
// replaces a paid one gets the reversal of that payment.
func decide(file string, batches []*batch, came billing.Date, remember memory) error {
	var decided []*received
	var notes []Note
	for _, b := range batches {
		for _, r := range b.claims {
			if r.scenario.decision == nil {
				continue
			}
			r.decided = decision(r, came)
			if r.Predetermination {
				continue // nothing is paid
			}
			decided = append(decided, r)
			notes = append(notes, Note{
				Key: digestOf("decided", r.Payer.PayerID, r.payerNumber), By: fmt.Sprintf("%s %d", file, r.Segment), Content: r.standing(),
			})
		}
	}
	before, err := remember(notes)
	if err != nil {
		return err
	}
	for i, r := range decided {
		if r.Frequency != claims.FrequencyReplacement || len(before[i]) == 0 {
			continue
		}
		if r.takeBack, err = reversal(before[i], namesOf(r)); err != nil {
			return fmt.Errorf("read the decision on a claim: %w", err)
		}
	}
	return nil
}

// standing returns the decision that a replacement of the claim would reverse, as an
// 835 without names. It is empty if the decision pays nothing, or if the payment is
// reversed anyway or cannot be posted.
func (r *received) standing() []byte {
	if r.scenario.reversed || r.scenario.unbalanced {
		return nil
	}
	c := *r.decided
	c.Names = nil
	alone := remittance.Remittance{Claims: []remittance.Claim{c}}
	alone.Settle()
	if alone.Total == 0 {
		return nil
	}
	var file bytes.Buffer
	_ = remittance.Encode(&file, x12.Interchange{}, x12.Group{}, []remittance.Remittance{alone}) // a bytes.Buffer never fails
	return file.Bytes()
}

// reversal returns the claim that reverses the payment in standing.
func reversal(standing []byte, names []remittance.Name) (*remittance.Claim, error) {
	d := remittance.NewDecoder(bytes.NewReader(standing))
	_, err := d.Next()
	if err != nil {
		return nil, err
	}
	c, err := d.NextClaim()
	if err != nil {
		return nil, err
	}
	back := c.Reversed()
	back.Names = names
	return back, nil
}
