package pgstore

import (
	"context"
	"encoding/json"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/report"
)

// figuresKey identifies the figures of a claim among queued writes.
type figuresKey billing.ClaimID

// keepFigures queues the figures of a claim that was written. Those of a claim that reports no
// longer count are removed.
func (t *tx) keepFigures(ctx context.Context, c *claim.Claim, isNew bool) error {
	f := report.FiguresOf(c)
	if c.Kind != claim.KindClaim || c.Frequency == claim.FrequencyVoid || isNew && f == nil {
		return nil
	}
	if f == nil {
		return removeFigures.queue(ctx, t, figuresKey(c.ID), row{"claim_id": c.ID})
	}
	save := saveFigures
	if isNew {
		save = insertFigures
	}
	return save.queue(ctx, t, figuresKey(c.ID), row{
		"claim_id": c.ID, "org_id": t.scope.Org, "mode": t.scope.Mode,
		"office_id": c.OfficeID, "payer_id": c.Payer.ID, "provider_id": c.ProviderID, "secondary_id": c.SecondaryID,
		"state": c.State, "created_at": micro(c.CreatedAt), "sent_at": optional(c.SentAt), "served_on": c.ServiceDates().From, "decided_on": f.DecidedOn,
		"first_pass": f.FirstPass, "open": int64(f.Open), "owed": int64(f.Owed), "paid": int64(f.Paid), "contractual": int64(f.Contractual),
		"write_off": int64(f.WriteOff), "billed": int64(f.Billed), "other": int64(f.Other), "refused": maybe{&f.Refused},
	})
}

const (
	figuresThatChange = "office_id, payer_id, provider_id, secondary_id, state, sent_at, served_on, decided_on, first_pass, open, owed, paid, contractual, " +
		"write_off, billed, other, refused"
	figuresOfAll = "claim_id, org_id, mode, created_at, " + figuresThatChange
)

//nolint:gochecknoglobals // constants, built from the columns
var (
	insertFigures = insertion("claim_figures", figuresOfAll, "")
	saveFigures   = insertion("claim_figures", figuresOfAll, `
ON CONFLICT (claim_id) DO UPDATE
SET (`+figuresThatChange+`) = (`+qualified("excluded", figuresThatChange)+`)
WHERE (`+qualified("claim_figures", figuresThatChange)+`) IS DISTINCT FROM (`+qualified("excluded", figuresThatChange)+`)`)
	removeFigures = bulk{[]string{"claim_id"}, `
DELETE FROM claim_figures WHERE claim_id = $1`, `
DELETE FROM claim_figures WHERE claim_id = ANY (ARRAY(SELECT claim_id FROM json_to_recordset($1) AS r (claim_id uuid)))`}
)

// figureColumns has the column of each figure.
//
//nolint:gochecknoglobals // a constant table
var figureColumns = map[report.Column]string{
	report.Open: "open", report.Owed: "owed", report.Paid: "paid", report.Contractual: "contractual",
	report.WriteOff: "write_off", report.Billed: "billed", report.Other: "other",
}

// ofFigures adds the conditions of a filter on the figures of claims, which are f.
func (q *query) ofFigures(f claim.Filter) {
	if len(f.States) > 0 {
		q.where("f.state = ANY (%::text[])", texts(f.States))
	}
	whereSet(q, "f.office_id = %", f.OfficeID)
	whereSet(q, "f.payer_id = %", f.PayerID)
	whereSet(q, "f.provider_id = %", f.ProviderID)
	if f.NoProvider {
		q.where("f.provider_id IS NULL")
	}
	q.span("f.created_at", f.CreatedAfter, f.CreatedBefore)
	q.span("f.sent_at", f.SentFrom, f.SentTo)
	whereSet(q, "f.served_on >= %", f.ServiceFrom)
	whereSet(q, "f.served_on <= %", f.ServiceTo)
	whereSet(q, "f.decided_on >= %", f.DecidedFrom)
	whereSet(q, "f.decided_on <= %", f.DecidedTo)
	q.given("f.sent_at", f.Sent)
	q.given("f.decided_on", f.Decided)
	if f.FirstPass != nil {
		q.where("f.decided_on IS NOT NULL AND f.first_pass = %", *f.FirstPass)
	}
	if f.Open {
		q.where("f.open <> 0")
	}
	if f.Last {
		q.where(lastOfChain)
	}
	if column := report.Column(f.Figure); column == report.Refused {
		q.where("f.refused IS NOT NULL")
	} else if column != "" {
		q.where("f." + figureColumns[column] + " <> 0")
	}
	if f.Refused != (remit.Refusal{}) {
		q.where("f.refused IS NOT NULL AND f.refused @> %::jsonb", refusedLike(f.Refused))
	}
}

// lastOfChain holds for a claim for whose services no later payer has a claim that counts.
const lastOfChain = "(f.secondary_id IS NULL OR NOT EXISTS (SELECT FROM claim_figures n WHERE n.claim_id = f.secondary_id))"

// given adds a condition on whether a column has a value.
func (q *query) given(column string, is *bool) {
	switch {
	case is == nil:
	case *is:
		q.where(column + " IS NOT NULL")
	default:
		q.where(column + " IS NULL")
	}
}

// refusedLike returns a JSON list that one of refusals contains which has the fields that are set.
func refusedLike(r remit.Refusal) string {
	fields := map[string]string{}
	for name, value := range map[string]string{"Group": r.Group, "Reason": r.Reason, "Act": string(r.Act)} {
		if value != "" {
			fields[name] = value
		}
	}
	b, _ := json.Marshal([]any{fields}) // texts
	return string(b)
}

// figured selects claims by their figures, and by what only the claims themselves have.
func (q *query) figured(f claim.Filter) {
	if f.Kind != "" && f.Kind != claim.KindClaim {
		q.where("false") // the others have no figures
	}
	q.ofFigures(f)
	rest := claim.Filter{
		PatientID: f.PatientID, BatchID: f.BatchID, RequestID: f.RequestID, EstimateID: f.EstimateID, ControlNumber: f.ControlNumber,
		Overpaid: f.Overpaid, Changed: f.Changed,
	}
	if rest.Single() || rest.Overpaid || rest.Changed {
		q.add("\n\tAND EXISTS (SELECT FROM claims c WHERE c.org_id = $1 AND c.mode = $2 AND c.id = f.claim_id")
		q.claims(rest)
		whereSet(q, "batch_id = %", f.BatchID)
		q.add(")")
	}
}

// ofReports reads a page of the claims that a filter selects by their figures.
func (r claims) ofReports(f claim.Filter, p billing.Page) (string, []any) {
	return r.chosen(p, func(q *query) {
		q.add("SELECT f.claim_id AS id, f.created_at FROM claim_figures f WHERE f.org_id = $1 AND f.mode = $2")
		q.figured(f)
		if p.After != nil {
			q.where("(f.created_at, f.claim_id) "+beyond(p)+" (%, %)", micro(p.After.Time), billing.JobID(p.After.ID))
		}
	})
}

// countOfReports counts the claims that a filter selects by their figures.
func (r claims) countOfReports(f claim.Filter) (string, []any) {
	q := &query{}
	q.add("SELECT state, count(*) FROM (\n\tSELECT f.state FROM claim_figures f WHERE f.org_id = % AND f.mode = %", r.scope.Org, r.scope.Mode)
	q.figured(f)
	return q.text("LIMIT %\n) counted\nGROUP BY state", maxCounted+1), q.args
}
