package batches

import (
	"context"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
)

// reported are the claims that a file reports on. Every lookup returns the same
// value for a claim, so that no change is lost.
type reported struct {
	byID      map[billing.ClaimID]*claim.Claim
	byControl map[string]*claim.Claim // upper case
	byPayer   map[string]*claim.Claim // without voids
	byBatch   map[billing.FileID][]*claim.Claim
	offices   map[billing.OfficeID]*directory.Office // of the claims in byBatch
}

// lockReported locks the claims that the part reports on: those that it names,
// and all claims of a batch that it reports on as a whole.
func lockReported(ctx context.Context, tx ports.Tx, p *part) (*reported, error) {
	var control, payer []string
	t := reported{
		byID: map[billing.ClaimID]*claim.Claim{}, byControl: map[string]*claim.Claim{}, byPayer: map[string]*claim.Claim{},
		byBatch: map[billing.FileID][]*claim.Claim{}, offices: map[billing.OfficeID]*directory.Office{},
	}
	for _, r := range p.reports {
		switch {
		case r.ControlNumber != "":
			control = append(control, r.ControlNumber)
		case r.PayerClaimNumber != "":
			payer = append(payer, r.PayerClaimNumber)
		case !r.batch.IsZero():
			t.byBatch[r.batch] = nil
		}
	}
	claims, err := tx.Clearing.Match(ctx, control, payer)
	if err != nil {
		return nil, err
	}
	for _, c := range claims {
		t.add(c)
	}
	for id := range t.byBatch {
		whole, err := tx.Clearing.OfBatch(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, c := range whole {
			c = t.add(c)
			t.byBatch[id] = append(t.byBatch[id], c)
			if t.offices[c.OfficeID] == nil {
				if t.offices[c.OfficeID], err = tx.Offices.Get(ctx, c.OfficeID); err != nil {
					return nil, err
				}
			}
		}
	}
	return &t, nil
}

// add adds a locked claim, and returns the value that represents it.
func (t *reported) add(c *claim.Claim) *claim.Claim {
	if have := t.byID[c.ID]; have != nil {
		return have
	}
	t.byID[c.ID] = c
	for _, n := range c.Numbers() {
		t.byControl[strings.ToUpper(n)] = c
	}
	if c.Frequency != claim.FrequencyVoid && c.PayerClaimNumber != "" {
		t.byPayer[c.PayerClaimNumber] = c
	}
	return c
}

// claim returns the claim with the ID, locked.
func (t *reported) claim(ctx context.Context, tx ports.Tx, id billing.ClaimID) (*claim.Claim, error) {
	if c := t.byID[id]; c != nil {
		return c, nil
	}
	c, err := tx.Claims.Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	return t.add(c.Claim), nil
}

// about returns the claims of a report. A report on an earlier file is not
// about a claim that has gone out again since.
func (t *reported) about(r report) []*claim.Claim {
	var c *claim.Claim
	switch {
	case r.ControlNumber != "":
		c = t.byControl[strings.ToUpper(r.ControlNumber)]
	case r.PayerClaimNumber != "":
		c = t.byPayer[r.PayerClaimNumber]
	default:
		return t.level(r)
	}
	if c == nil || !r.batch.IsZero() && c.BatchID != r.batch {
		return nil
	}
	return []*claim.Claim{c}
}

// level returns the claims of a batch; those of one provider when the report
// names one.
func (t *reported) level(r report) (all []*claim.Claim) {
	for _, c := range t.byBatch[r.batch] {
		if names(r.ClaimReport, t.offices[c.OfficeID]) {
			all = append(all, c)
		}
	}
	return all
}

// names reports whether a report on a whole level is about the claims of the
// office.
func names(r *clearing.ClaimReport, o *directory.Office) bool {
	switch {
	case r.ProviderNPI != "" && o.NPI != "":
		return r.ProviderNPI == o.NPI
	case r.ProviderTaxID != "":
		return digits(r.ProviderTaxID) == digits(o.TaxID)
	default:
		return true
	}
}

func digits(s string) string {
	return string(slices.DeleteFunc([]byte(s), func(b byte) bool { return b < '0' || b > '9' }))
}
