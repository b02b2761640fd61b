package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing/automation"
	"github.com/molar-billing/molar/core/intake"
)

// getAutomation handles GET /automation.
func (a *api) getAutomation(x *exchange) (*reply, error) {
	s, err := a.remittances.Automation(x.ctx, x.call.Scope)
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: automationShape(s)}, nil
}

// putAutomation handles PUT /automation.
func (a *api) putAutomation(x *exchange) (*reply, error) {
	in := readBody[intake.AutomationRequest](x)
	return kept(a.remittances.PutAutomation(x.ctx, replying(x, http.StatusOK, automationShape), in))
}

type automationJSON struct {
	Object    string                `json:"object"`
	Level     automation.Level      `json:"level"`
	Payers    []automationPayerJSON `json:"payers"`
	UpdatedAt *string               `json:"updated_at"`
	UpdatedBy *string               `json:"updated_by"`
}

type automationPayerJSON struct {
	Payer payerJSON        `json:"payer"`
	Level automation.Level `json:"level"`
}

func automationShape(s *automation.Settings) automationJSON {
	return automationJSON{
		"automation", s.Level, mapped(s.Payers, func(p automation.PayerLevel) automationPayerJSON {
			return automationPayerJSON{payerJSON(p.Payer), p.Level}
		}), timeOrNull(s.UpdatedAt), orNull(s.UpdatedBy),
	}
}
