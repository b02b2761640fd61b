package sandboxnet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// decide computes the payers' decisions on the claims that came in a file on
// the day. It remembers the payments by the payers' numbers. A claim that
// replaces a paid one gets the reversal of that payment, as does a void that takes
// the payment back.
func decide(file string, batches []*batch, came billing.Date, remember memory) error {
	var decided []*received
	var notes []Note
	for _, b := range batches {
		for _, r := range b.forwarded {
			if r.scenario.decision != nil {
				r.decide(came)
			}
			if r.scenario.decision == nil && !r.scenario.takesBack || r.Predetermination { // of these, nothing is paid
				continue
			}
			decided = append(decided, r)
			notes = append(notes, Note{
				Key: r.subject(), By: fmt.Sprintf("%s %d", file, r.Segment), Content: r.standing(),
			})
		}
	}
	before, err := remember(notes)
	if err != nil {
		return err
	}
	for i, r := range decided {
		if r.Frequency == claims.FrequencyOriginal || len(before[i]) == 0 {
			continue
		}
		if err := r.reverse(before[i]); err != nil {
			return fmt.Errorf("read the decision on a claim: %w", err)
		}
	}
	return nil
}

// decide computes the claims of the remittances.
func (r *received) decide(came billing.Date) {
	decided := decision(r, r.scenario.decision, came)
	r.stated = whole(decided)
	if r.scenario.stated != nil {
		r.stated = r.scenario.stated(decided)
	}
	if r.scenario.later != nil {
		again := decided
		if t := r.scenario.revised; t != nil {
			again = decision(r, t, came)
		}
		r.later = r.scenario.later(again)
	}
	if decided.Status == statusCrossed {
		r.secondaryStated = []remittance.Claim{*bySecondary(decided)}
	}
}

// standing returns the payments that a replacement of the claim would reverse, as an
// 835 without names: the payer's, then those of the secondary payer. It is empty if
// nothing is paid, or if the payment is reversed anyway or cannot be posted.
func (r *received) standing() []byte {
	if r.scenario.unbalanced {
		return nil
	}
	all := []remittance.Remittance{
		{Claims: standing(r.payerNumber, slices.Concat(r.stated, r.later))},
		{Claims: standing(secondaryNumber(r.payerNumber), r.secondaryStated)},
	}
	paid := false
	for i := range all {
		all[i].Settle()
		paid = paid || all[i].Total > 0
		for k := range all[i].Claims {
			all[i].Claims[k].Names = nil
		}
	}
	if !paid {
		return nil
	}
	var file bytes.Buffer
	_ = remittance.Encode(&file, x12.Interchange{}, x12.Group{}, all) // a bytes.Buffer never fails
	return file.Bytes()
}

// reverse adds the reversals of the payments that stand.
func (r *received) reverse(standing []byte) error {
	d := remittance.NewDecoder(bytes.NewReader(standing))
	for _, to := range []*[]remittance.Claim{&r.takeBack, &r.secondaryTakeBack} {
		if _, err := d.Next(); err != nil {
			return err
		}
		for {
			c, err := d.NextClaim()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			if c.Paid == 0 {
				continue
			}
			back := c.Reversed()
			back.Names = namesOf(r)
			*to = append(*to, *back)
		}
	}
	return nil
}
