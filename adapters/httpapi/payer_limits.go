package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/intake"
)

// putPayerLimits handles PUT /payer_limits/{payer_id}.
func (a *api) putPayerLimits(x *exchange) (*reply, error) {
	in := readBody[intake.PayerLimitsRequest](x)
	return kept(a.fees.PutLimits(x.ctx, replying(x, http.StatusOK, payerLimitsShape), pathText(x, "payer_id"), in))
}

// deletePayerLimits handles DELETE /payer_limits/{payer_id}.
func (a *api) deletePayerLimits(x *exchange) (*reply, error) {
	return kept(a.fees.DeleteLimits(x.ctx, removing[*limit.OfPayer](x), pathText(x, "payer_id")))
}

// limitsJSON are the limits of a contract or of a payer.
type limitsJSON struct {
	FilingDays            *int    `json:"filing_days"`
	FilingSource          *string `json:"filing_source"`
	SecondaryFilingDays   *int    `json:"secondary_filing_days"`
	SecondaryFilingSource *string `json:"secondary_filing_source"`
	AppealDays            *int    `json:"appeal_days"`
	AppealSource          *string `json:"appeal_source"`
}

func limitsShape(t limit.Terms) limitsJSON {
	return limitsJSON{
		orNull(t.Filing.Days), orNull(t.Filing.Stated), orNull(t.Secondary.Days), orNull(t.Secondary.Stated), orNull(t.Appeal.Days), orNull(t.Appeal.Stated),
	}
}

type payerLimitsJSON struct {
	Object string    `json:"object"`
	Payer  payerJSON `json:"payer"`
	limitsJSON
	CreatedAt string `json:"created_at"`
	UpdatedAt string `json:"updated_at"`
}

func payerLimitsShape(l *limit.OfPayer) payerLimitsJSON {
	return payerLimitsJSON{"payer_limits", payerJSON(l.Payer), limitsShape(l.Terms), event.Timestamp(l.CreatedAt), event.Timestamp(l.UpdatedAt)}
}

// claimDeadlinesJSON says until when a payer accepts a claim, and an appeal of it.
type claimDeadlinesJSON struct {
	Filing deadlineJSON `json:"filing"`
	Appeal deadlineJSON `json:"appeal"`
}

// claimDeadlinesShape returns null for what no payer accepts only for a time: a predetermination,
// and a void.
func claimDeadlinesShape(c *claim.Claim) *claimDeadlinesJSON {
	d := c.Deadlines()
	if d == nil {
		return nil
	}
	return &claimDeadlinesJSON{deadlineShape(d.Filing), deadlineShape(d.Appeal)}
}

// appealing returns the ID of the claim's appeal that is not decided; null for none.
func appealing(c *claim.Claim) *billing.AppealID {
	if c.Appealing == nil {
		return nil
	}
	return &c.Appealing.ID
}
