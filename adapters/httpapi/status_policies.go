package httpapi

import (
	"fmt"
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/intake"
)

// putStatusPolicy handles PUT /status_policies/{payer_id}.
func (a *api) putStatusPolicy(x *exchange) (*reply, error) {
	in := readBody[intake.StatusPolicyRequest](x)
	return kept(a.claimStatus.PutPolicy(x.ctx, replying(x, http.StatusOK, statusPolicyShape), pathText(x, "payer_id"), in))
}

// deleteStatusPolicy handles DELETE /status_policies/{payer_id}.
func (a *api) deleteStatusPolicy(x *exchange) (*reply, error) {
	return kept(a.claimStatus.DeletePolicy(x.ctx, removing[*claimstatus.Policy](x), pathText(x, "payer_id")))
}

type statusPolicyJSON struct {
	ID          billing.StatusPolicyID `json:"id"`
	Object      string                 `json:"object"`
	Payer       payerJSON              `json:"payer"`
	StatusAfter string                 `json:"status_after"`
	StatusEvery string                 `json:"status_every"`
	CreatedAt   string                 `json:"created_at"`
	UpdatedAt   string                 `json:"updated_at"`
}

func statusPolicyShape(p *claimstatus.Policy) statusPolicyJSON {
	return statusPolicyJSON{
		p.ID, "status_policy", payerJSON(p.Payer), fmt.Sprintf("P%dD", p.After), fmt.Sprintf("P%dD", p.Every),
		event.Timestamp(p.CreatedAt), event.Timestamp(p.UpdatedAt),
	}
}
