package httpapi

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/event"
)

// listAttachmentRules handles GET /attachment_rules.
func (a *api) listAttachmentRules(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("attachment_rules", x.call.Scope, "limit", "cursor")
	return listed(a, x, q, l, q.payer(a.payers), a.rules.List, attachmentRuleShape)
}

type attachmentRuleJSON struct {
	ID             billing.AttachmentRuleID `json:"id"`
	Object         string                   `json:"object"`
	Version        int                      `json:"version"`
	Payer          *payerJSON               `json:"payer"`
	ProcedureCodes []string                 `json:"procedure_codes"`
	Needs          []advice.Need            `json:"needs"`
	When           advice.When              `json:"when"`
	Note           *string                  `json:"note"`
	CreatedAt      string                   `json:"created_at"`
	UpdatedAt      string                   `json:"updated_at"`
}

func attachmentRuleShape(r *advice.Rule) attachmentRuleJSON {
	out := attachmentRuleJSON{
		ID: r.ID, Object: "attachment_rule", Version: r.Edits.Version(), ProcedureCodes: append([]string{}, r.Codes...), Needs: append([]advice.Need{}, r.Needs...),
		When: r.When, Note: orNull(r.Note), CreatedAt: event.Timestamp(r.CreatedAt), UpdatedAt: event.Timestamp(r.UpdatedAt),
	}
	if !r.Payer.ID.IsZero() {
		out.Payer = new(payerJSON(r.Payer))
	}
	return out
}

// adviceJSON is what a payer wants to see with a claim.
type adviceJSON struct {
	Code    advice.Code    `json:"code"`
	Message string         `json:"message"`
	Fix     string         `json:"fix"`
	Rule    adviceRuleJSON `json:"rule"`
}

// adviceRuleJSON is the rule that gave an advice.
type adviceRuleJSON struct {
	Origin advice.Origin             `json:"origin"`
	ID     *billing.AttachmentRuleID `json:"id"`
	Source *string                   `json:"source"`
	ReadOn *billing.Date             `json:"read_on"`
}

func adviceShape(a advice.Advice) adviceJSON {
	return adviceJSON{a.Code, a.Message, a.Fix, adviceRuleJSON{a.Rule.Origin, orNull(a.Rule.ID), orNull(a.Rule.Page), orNull(a.Rule.ReadOn)}}
}

// ignoredJSON is advice that a person sent the claim without.
type ignoredJSON struct {
	Code   advice.Code `json:"code"`
	Reason *string     `json:"reason"`
	By     string      `json:"by"`
	At     string      `json:"at"`
}

func ignoredShape(i advice.Ignored) ignoredJSON {
	return ignoredJSON{i.Code, orNull(i.Reason), i.By, event.Timestamp(i.At)}
}
