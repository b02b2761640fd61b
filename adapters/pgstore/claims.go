package pgstore

import (
	"context"
	"slices"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/task"
)

type claims struct{ *tx }

// claimFields returns every column that stores a field. The column that lists do not
// need comes last. A field that is added here is written, read and compared.
func claimFields(c *claim.Claim) []field {
	return scoped(&c.ID, &c.Scope, []field{
		{"kind", &c.Kind},
		{"parent_id", &c.ParentID},
		{"created_at", instant{&c.CreatedAt}},
		// Save writes all fields from here on.
		{"frequency", &c.Frequency},
		{"converted_from", &c.ConvertedFrom},
		{"secondary_to", &c.SecondaryTo},
		{"patient_control_number", &c.PatientControlNumber},
		{"request_id", &c.RequestID},

		{"office_id", &c.OfficeID},
		{"payer_id", &c.Payer.ID},
		{"payer_code", &c.Payer.PayerID},
		{"payer_name", &c.Payer.Name},
		{"provider_id", &c.ProviderID},
		{"subscriber", document{&c.Subscriber, ""}},
		{"patient", document{&c.Patient, "null"}},
		{"coverage", &c.Coverage},
		{"other_coverage", document{&c.OtherCoverage, "[]"}},
		{"patient_id", &c.PatientID},
		{"place_of_service", &c.PlaceOfService},
		{"prior_authorization", &c.PriorAuthorization},
		{"accident", document{&c.Accident, "null"}},
		{"note", &c.Note},
		{"lines", document{&c.Lines, "[]"}},
		{"tenant_reference", &c.TenantReference},
		{"estimate_id", &c.EstimateID},
		{"details", document{&c.Details, "{}"}},

		{"state", &c.State},
		{"batch_id", &c.BatchID},
		{"sent_at", instant{&c.SentAt}},
		{"submitted_number", &c.SubmittedNumber},
		{"payer_claim_number", &c.PayerClaimNumber},
		{"standing", document{&c.Standing, "null"}},
		{"settled_at", instant{&c.SettledAt}},
		{"reconciled_at", instant{&c.ReconciledAt}},
		{"reconciled_with", &c.ReconciledWith},
		{"accepted", document{&c.Accepted, "[]"}},
		{"decisions", document{&c.Decisions, "[]"}},
		{"held", maybe{&c.Held}},
		{"asked", maybe{&c.Asked}},
		{"appealing", maybe{&c.Appealing}},
		{"elsewhere", &c.Elsewhere},
		{"contract", document{&c.Contract, "{}"}},
		{"estimate", document{&c.Estimate, "null"}},
		{"converted_to", &c.ConvertedTo},
		{"secondary_id", &c.SecondaryID},
		{"shown_plan", maybe{&c.Shown}},
		{"submit_when_ready", &c.SubmitWhenReady},
		{"updated_at", instant{&c.UpdatedAt}},
		{"erased_at", instant{&c.ErasedAt}},
		{"edits", document{&c.Edits, "{}"}},
		{"findings", document{&c.Findings, "[]"}},
		{"history", document{&c.History, "[]"}},
	})
}

const (
	fixed = 6 // the first columns: Save does not change them
	long  = 1 // the last columns: lists do not read them
)

// extent is the part of a claim that a statement reads.
type extent int

const (
	bare   extent = iota // the claim without the long columns, and nothing that other tables add
	listed               // without the long columns
	whole
	alone // and whether a void exists, and the rules about what goes with it: two lookups more
)

// hasVoid is a column that reports whether a claim has a void that was not rejected.
// Insert refuses a second one.
const hasVoid = `EXISTS (
	SELECT FROM claims v WHERE v.org_id = c.org_id AND v.mode = c.mode AND v.parent_id = c.id AND v.frequency = 'void' AND v.state <> 'rejected'
) AS has_void`

// reviewERA is a column with the first remittance that needs review for a claim. IDs are
// in the order of time.
const reviewERA = `(
	SELECT r.era_id FROM era_claims r WHERE r.claim_id = c.id AND r.status = 'needs_review' ORDER BY r.era_id LIMIT 1
) AS review_era`

// forwardedTo is a column with the payer that a claim was sent on to, while no remittance
// has decided the claim; empty for none.
const forwardedTo = `coalesce(CASE WHEN c.settled_at IS NULL AND c.sent_at IS NOT NULL AND c.state IN ('submitted', 'accepted_clearinghouse', 'accepted_payer') THEN (
	SELECT coalesce(nullif(r.detail -> 'CrossoverPayer' ->> 'Name', ''), 'another payer')
	FROM era_claims r WHERE r.claim_id = c.id AND r.status = 'forwarded' ORDER BY r.era_id DESC LIMIT 1
) END, '') AS forwarded_to`

// openRequest is a column with the payer request about a claim that is to be answered first, and the
// day on which it is due. One that a person decided not to answer is left out.
const openRequest = `(
	SELECT ARRAY[q.id::text, coalesce(q.due_date::text, '')]
	FROM payer_requests q
	WHERE q.claim_id = c.id AND q.state = 'open' AND NOT q.decisions::jsonb @> '[{"As": "will_not_send"}]'
	ORDER BY q.due_date, q.created_at, q.id LIMIT 1
) AS requested`

// openTasks is a column with the tasks of a claim that are not put off until it changes, in the order of
// lists of tasks. Who reads them knows the time, and so which of them have come.
const openTasks = `coalesce((
	SELECT json_agg(json_build_object('Reason', t.reason, 'From', greatest(t.since, t.snoozed_until)) ORDER BY t.place_day, t.place_amount, t.since, t.id)
	FROM tasks t
	WHERE t.claim_id = c.id AND t.ended_at IS NULL AND NOT t.until_change
), '[]') AS open_tasks`

// fields returns the columns that a statement of the extent selects, with their
// destinations. The statement looks up the names of office and provider for each
// row. A join could read more rows than the page, in another order.
func (e extent) fields(row *claimRow) []field {
	all, r := claimFields(&row.Claim), &row.record
	end := len(all) - long
	if e == bare {
		return all[:end]
	}
	all = slices.Insert(all, end,
		field{"coalesce((SELECT o.name FROM offices o WHERE o.id = c.office_id), '') AS office_name", &r.OfficeName},
		field{"(SELECT ARRAY[p.first_name, p.last_name, p.npi] FROM providers p WHERE p.id = c.provider_id) AS provider", provider{&r.Provider}})
	others := []field{{reviewERA, &r.ReviewERA}, {forwardedTo, &r.ForwardedTo}, {openRequest, request{&r.Requested}}, {openTasks, document{&r.Tasks, ""}}}
	switch e {
	case listed:
		return append(all[:len(all)-long], others...)
	case alone:
		return append(append(all, others...), field{hasVoid, &r.HasVoid}, field{claimRules, rulesColumn{&r.Rules}})
	case bare, whole:
	}
	return all
}

// columns returns the columns that a statement of the extent selects.
func (e extent) columns() string { return columnsOf(e.fields(&claimRow{})) }

// claimRow is a claim with what other tables add.
type claimRow struct {
	claim.Claim
	record claim.Record
}

// provider reads the names of a provider.
type provider struct{ to *claim.ProviderSummary }

// Scan reads an array of three names, or NULL for no provider.
func (p provider) Scan(src any) error {
	var names pq.StringArray
	if err := names.Scan(src); err != nil || len(names) != 3 {
		return err
	}
	p.to.FirstName, p.to.LastName, p.to.NPI = names[0], names[1], names[2]
	return nil
}

// request reads an ID and a day, or NULL for no payer request.
type request struct{ to **claim.OpenRequest }

// Scan reads an array of both.
func (r request) Scan(src any) (err error) {
	var both pq.StringArray
	if err = both.Scan(src); err != nil || len(both) != 2 {
		return err
	}
	q := &claim.OpenRequest{}
	if err = q.ID.Scan(both[0]); err == nil && both[1] != "" {
		q.Due, err = billing.ParseDate(both[1])
	}
	*r.to = q
	return err
}

// read reads claims of the extent. What says in errors what it does.
func (r claims) read(ctx context.Context, what string, e extent, text string, args []any) ([]*claim.Record, error) {
	rows, err := read(ctx, r.tx, what, e.fields, text, args...)
	all := make([]*claim.Record, len(rows))
	if len(rows) == 0 {
		return all, err
	}
	at := r.clockOf(ctx, r.scope).Now() // after a statement it costs nothing
	for i, row := range rows {
		row.record.Claim, row.record.Provider.ID, row.record.ReadAt = &row.Claim, row.ProviderID, at
		all[i] = &row.record
	}
	return all, err
}

// claimsOf returns the claims of the records, without what other tables add.
func claimsOf(records []*claim.Record, err error) ([]*claim.Claim, error) {
	all := make([]*claim.Claim, len(records))
	for i, r := range records {
		all[i] = r.Claim
	}
	return all, err
}

// row returns a claim in its stored form. It adds the span of the claim's services and
// the sum of the accepted amounts, for searches, and since when it waits to be asked about.
func (r claims) row(c *claim.Claim) (row, error) {
	days := c.ServiceDates()
	out, err := rowOf(claimFields(c))
	if err != nil {
		return nil, err
	}
	out["first_service_date"], out["last_service_date"], out["accepted_sum"] = days.From, days.To, c.AcceptedSum()
	turn, from := claimstatus.Next(c)
	out["ask_turn"], out["ask_from"] = int(turn), optional(from)
	out["org_id"], out["mode"] = r.scope.Org, r.scope.Mode
	return out, nil
}

// Insert stores a new claim.
func (r claims) Insert(ctx context.Context, c *claim.Claim) error {
	r.evidence = rowEvidence("claims", c.ID)
	if err := r.write(ctx, c, insertClaims); err != nil {
		return err
	}
	if err := r.keepFigures(ctx, c, true); err != nil {
		return err
	}
	return r.keepTasks(ctx, task.Resource{Kind: task.OfClaim, ID: c.ID}, true, task.OfAClaim(c), c.Decisions)
}

func (r claims) write(ctx context.Context, c *claim.Claim, b bulk) error {
	columns, err := r.row(c)
	if err != nil {
		return err
	}
	return b.queue(ctx, r.tx, c.ID, columns)
}

//nolint:gochecknoglobals // constants, built from the columns
var (
	claimColumnsSaved = columnsOf(claimFields(&claim.Claim{})[fixed:]) + derived
	claimColumns      = columnsOf(claimFields(&claim.Claim{})) + derived
	insertClaims      = insertion("claims", claimColumns, "")
	saveClaims        = insertion("claims", claimColumns, "\nON CONFLICT (id) DO UPDATE\nSET ("+claimColumnsSaved+") = ("+qualified("excluded", claimColumnsSaved)+")")
)

const derived = ", first_service_date, last_service_date, accepted_sum, ask_turn, ask_from"

// Save stores all fields of a claim that can change. It inserts the row and updates it
// on the conflict of the primary key, which needs no statistics. An UPDATE with a
// join read the whole table for each row while the table had no statistics.
func (r claims) Save(ctx context.Context, c *claim.Claim) error {
	if err := r.write(ctx, c, saveClaims); err != nil {
		return err
	}
	if err := r.keepFigures(ctx, c, false); err != nil {
		return err
	}
	return r.keepTasks(ctx, task.Resource{Kind: task.OfClaim, ID: c.ID}, false, task.OfAClaim(c), c.Decisions)
}

// Get reads a claim.
func (r claims) Get(ctx context.Context, id billing.ClaimID) (*claim.Record, error) {
	return r.one(ctx, id, "")
}

// Lock reads a claim and keeps other transactions from writing it.
func (r claims) Lock(ctx context.Context, id billing.ClaimID) (*claim.Record, error) {
	return r.one(ctx, id, forUpdate)
}

func (r claims) single(id billing.ClaimID, end string) (string, []any) {
	q := r.query(alone.columns(), "claims c")
	q.where("id = %", id)
	return q.text(end), q.args
}

func (r claims) one(ctx context.Context, id billing.ClaimID, end string) (*claim.Record, error) {
	text, args := r.single(id, end)
	found, err := r.read(ctx, "get claim "+id.String(), alone, text, args)
	if err == nil && len(found) == 0 {
		err = billing.NotFound("claim", "")
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

const maxSimilar = 100

func (r claims) similar(patient billing.PatientID, span billing.DateSpan) (string, []any) {
	q := r.query(bare.columns(), "claims c")
	q.where("kind = 'claim' AND patient_id = % AND patient_id IS NOT NULL", patient)
	q.where("first_service_date <= % AND last_service_date >= %", span.To, span.From)
	q.where("state NOT IN ('draft', 'voided', 'rejected') AND frequency <> 'void'")
	return q.text("ORDER BY first_service_date DESC, id DESC\nLIMIT %", maxSimilar), q.args
}

func (r claims) since(member string, payer billing.PayerID, since time.Time) (string, []any) {
	q := r.query(listed.columns(), "claims c")
	q.where(`member_key COLLATE "C" = upper(left(%, 100)) AND member_key IS NOT NULL`, member)
	q.where("kind = 'claim' AND payer_id = % AND sent_at IS NOT NULL AND frequency <> 'void'", payer)
	q.where("(settled_at >= % OR sent_at >= % AND state IN ('submitted', 'accepted_clearinghouse', 'accepted_payer'))", micro(since), micro(since))
	return q.text("ORDER BY sent_at, id\nLIMIT %", maxSimilar), q.args
}

// Since reads claims of everyone with the member ID that were sent or decided since a time.
func (r claims) Since(ctx context.Context, member string, payer billing.PayerID, since time.Time) ([]*claim.Claim, error) {
	text, args := r.since(member, payer, since)
	return claimsOf(r.read(ctx, "find claims since a check", listed, text, args))
}

// Similar reads claims with services in the span.
func (r claims) Similar(ctx context.Context, patient billing.PatientID, span billing.DateSpan) ([]*claim.Claim, error) {
	text, args := r.similar(patient, span)
	all, err := claimsOf(r.read(ctx, "find similar claims", bare, text, args))
	slices.Reverse(all)
	return all, err
}
