package pgstore

import (
	"context"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
)

type attachmentRules struct{ *tx }

func attachmentRuleFields(r *advice.Rule) []field {
	return scoped(&r.ID, &r.Scope, []field{
		{"created_at", instant{&r.CreatedAt}},
		{"payer_id", &r.Payer.ID},
		{"payer_code", &r.Payer.PayerID},
		{"payer_name", &r.Payer.Name},
		{"procedure_codes", textArray[string]{of: &r.Codes}},
		{"needs", textArray[advice.Need]{of: &r.Needs}},
		{"asked", &r.When},
		{"note", &r.Note},
		{"updated_at", instant{&r.UpdatedAt}},
		{"edits", document{&r.Edits, "{}"}},
	})
}

// Write stores a new rule, or the fields of one that can change.
func (r attachmentRules) Write(ctx context.Context, rule *advice.Rule) error {
	id, args, err := attachmentRuleTable.values(r.tx, rule)
	if err != nil {
		return err
	}
	r.evidence = rowEvidence(attachmentRuleTable.name, id)
	return r.later(ctx, id, attachmentRuleTable.inserting+`
ON CONFLICT (id) DO UPDATE
SET (payer_id, payer_code, payer_name, procedure_codes, needs, asked, note, updated_at, edits) =
	(excluded.payer_id, excluded.payer_code, excluded.payer_name, excluded.procedure_codes, excluded.needs, excluded.asked, excluded.note, excluded.updated_at, excluded.edits)`, args...)
}

// Lock reads a rule and keeps other transactions from writing it.
func (r attachmentRules) Lock(ctx context.Context, id billing.AttachmentRuleID) (*advice.Rule, error) {
	return attachmentRuleTable.get(ctx, r.tx, id, forUpdate)
}

// Get reads a rule.
func (r attachmentRules) Get(ctx context.Context, id billing.AttachmentRuleID) (*advice.Rule, error) {
	return attachmentRuleTable.get(ctx, r.tx, id, "")
}

// List reads a page of the rules for a payer, or of all, newest first.
func (r attachmentRules) List(ctx context.Context, payer billing.PayerID, p billing.Page) ([]*advice.Rule, error) {
	text, args := r.page(payer, p)
	return attachmentRuleTable.many(ctx, r.tx, "list attachment rules", text, args...)
}

func (r attachmentRules) page(payer billing.PayerID, p billing.Page) (string, []any) {
	q := attachmentRuleTable.of(r.tx)
	whereSet(q, "payer_id = %", payer)
	return q.page(p), q.args
}

// Delete removes a rule.
func (r attachmentRules) Delete(ctx context.Context, id billing.AttachmentRuleID) error {
	n, err := r.do(ctx, "delete an attachment rule", "DELETE FROM attachment_rules WHERE org_id = $1 AND mode = $2 AND id = $3", r.scope.Org, r.scope.Mode, id)
	if err == nil && n == 0 {
		return billing.NotFound("attachment rule", "")
	}
	return err
}

// rulesBeside returns a column with the rules of the scope of a row, by the row's alias. Reading
// them with the row costs no round trip, and an organization without rules the look at an index.
func rulesBeside(alias, also string) string {
	return `(
	SELECT json_agg(json_build_object('id', r.id, 'payer', r.payer_id, 'codes', r.procedure_codes, 'needs', r.needs, 'when', r.asked, 'note', r.note) ORDER BY r.created_at, r.id)
	FROM attachment_rules r
	WHERE r.org_id = ` + alias + `.org_id AND r.mode = ` + alias + `.mode` + also + `
)`
}

// ofAdvised begins claimRules, a column with the rules for the payer of a claim that may be in no file yet, or that
// may be replaced because of them; see claim.Record.Advice.
const ofAdvised = "CASE WHEN c.state IN ('draft', 'validated', 'needs_attention', 'queued', 'rejected', 'paid', 'denied') THEN "

//nolint:gochecknoglobals // constants, built from the columns
var (
	claimRules     = ofAdvised + rulesBeside("c", " AND (r.payer_id IS NULL OR r.payer_id = c.payer_id)") + " END AS rules"
	officeFollowed = "SELECT " + qualified("o", officeTable.columns) + ", " + rulesBeside("o", "") + ` AS rules,
	(SELECT l.terms FROM payer_limits l WHERE l.org_id = o.org_id AND l.mode = o.mode AND l.payer_id = $4) AS terms,
	EXISTS (SELECT FROM fee_schedules s WHERE s.org_id = o.org_id AND s.mode = o.mode) AS schedules
FROM offices o
WHERE o.org_id = $1 AND o.mode = $2 AND o.id = $3`
)

// rulesColumn reads the column of rulesBeside.
type rulesColumn struct{ to *[]*advice.Rule }

// Scan reads an array of rules, or NULL for none.
func (c rulesColumn) Scan(src any) error {
	var all []struct {
		ID    string
		Payer *string
		Codes []string
		Needs []advice.Need
		When  advice.When
		Note  string
	}
	if err := (document{&all, "null"}).Scan(src); err != nil || src == nil {
		return err
	}
	for _, row := range all {
		r := &advice.Rule{Codes: row.Codes, Needs: row.Needs, When: row.When, Note: row.Note}
		err := r.ID.Scan(row.ID)
		if err == nil && row.Payer != nil {
			err = r.Payer.ID.Scan(*row.Payer)
		}
		if err != nil {
			return err
		}
		*c.to = append(*c.to, r)
	}
	return nil
}

// WithOffice reads an office with what its claims to a payer follow.
func (r attachmentRules) WithOffice(ctx context.Context, id billing.OfficeID, payer billing.PayerID) (*ports.Followed, error) {
	found, err := read(ctx, r.tx, "get office", func(w *ports.Followed) []field {
		w.Office = &directory.Office{}
		return append(officeFields(w.Office), field{"rules", rulesColumn{&w.Rules}}, field{"terms", document{&w.Limits, "{}"}}, field{"schedules", &w.Schedules})
	}, officeFollowed, r.scope.Org, r.scope.Mode, id, payer)
	if err != nil {
		return nil, fmt.Errorf("with what claims follow: %w", err)
	}
	if len(found) == 0 {
		return nil, billing.NotFound("office", "")
	}
	return found[0], nil
}
