package pgstore

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/report"
)

// reports reads only the figures of claims, and the names of what its rows are about.
type reports struct{ *tx }

// subject returns the column by which a report has rows.
func subject(g report.Group) string {
	switch g {
	case report.ByOffice:
		return "f.office_id"
	case report.ByProvider:
		return "coalesce(f.provider_id, '00000000-0000-0000-0000-000000000000')"
	case report.ByPayer:
	}
	return "f.payer_id"
}

// nameOf returns the name of a subject g.id. A payer is called as its newest claim calls it.
func nameOf(g report.Group) string {
	switch g {
	case report.ByOffice:
		return "coalesce((SELECT o.name FROM offices o WHERE o.id = g.id), '')"
	case report.ByProvider:
		return "coalesce((SELECT p.first_name || ' ' || p.last_name FROM providers p WHERE p.id = g.id), '')"
	case report.ByPayer:
	}
	return `coalesce((SELECT c.payer_name FROM claims c WHERE c.kind = 'claim' AND c.org_id = $1 AND c.mode = $2 AND c.payer_id = g.id
	ORDER BY c.created_at DESC, c.id DESC LIMIT 1), '')`
}

// of begins a statement on the claims of a report.
func (r reports) of(f claim.Filter, columns string) *query {
	q := &query{}
	q.add(columns+"\nFROM claim_figures f\nWHERE f.org_id = % AND f.mode = %", r.scope.Org, r.scope.Mode)
	q.ofFigures(f)
	return q
}

// agesOf has the number of the column of report.Ages for a value of the column f.day: a day, or for the submission
// the time.
func agesOf(f report.Filter, today billing.Date) (text string, bounds []any) {
	text = "CASE"
	for i, age := range report.Ages(today) {
		if age.From.IsZero() {
			return text + " ELSE " + strconv.Itoa(i) + " END", bounds
		}
		from := any(age.From)
		if f.By == report.BySubmission {
			from, _ = f.Instants(age)
		}
		text, bounds = text+" WHEN f.day >= % THEN "+strconv.Itoa(i), append(bounds, from)
	}
	return text, bounds
}

func (r reports) aging(f report.Filter, today billing.Date) (string, []any) {
	day := "f.sent_at"
	if f.By == report.ByService {
		day = "f.served_on"
	}
	age, bounds := agesOf(f, today)
	all := f.Claims()
	all.Sent = nil // those that were not sent have a column
	inner := r.of(all, "SELECT "+subject(f.Group)+" AS id, f.sent_at IS NULL AS unsent, "+day+` AS day, f.open, f.owed, f.open <> 0 AND `+lastOfChain+" AS counts")
	inner.where("(f.open <> 0 OR f.owed <> 0)")
	q := &query{args: inner.args}
	q.add("SELECT g.id, "+nameOf(f.Group)+` AS name, g.age, g.open, g.claims, g.owed, g.owing
FROM (
	SELECT f.id, CASE WHEN f.unsent THEN -1 ELSE `+age+` END AS age,
		coalesce(sum(f.open) FILTER (WHERE f.counts), 0)::bigint AS open, count(*) FILTER (WHERE f.counts) AS claims,
		coalesce(sum(f.owed) FILTER (WHERE NOT f.unsent), 0)::bigint AS owed, count(*) FILTER (WHERE f.owed <> 0 AND NOT f.unsent) AS owing
	FROM (`, bounds...)
	return q.text(inner.built.String() + ") f\n\tGROUP BY 1, 2\n) g\nORDER BY name, g.id"), q.args
}

// Aging adds up what is open by its age.
func (r reports) Aging(ctx context.Context, f report.Filter, today billing.Date) (all []*report.AgingRow, err error) {
	var of report.Subject
	var id billing.JobID
	var age int
	var open, owed report.Figure
	text, args := r.aging(f, today)
	err = r.each(ctx, "report by age", []any{&id, &of.Name, &age, &open.Amount, &open.Claims, &owed.Amount, &owed.Claims}, func() {
		if of.ID = id; len(all) == 0 || all[len(all)-1].Of.ID != of.ID {
			all = append(all, &report.AgingRow{Of: of})
		}
		if row := all[len(all)-1]; age < 0 {
			row.Unsent.Add(open)
		} else {
			row.Insurance[age].Add(open)
			row.Patient[age].Add(owed)
		}
	}, text, args...)
	return slices.DeleteFunc(all, func(r *report.AgingRow) bool {
		insurance, patient := r.Total()
		return insurance.Claims+patient.Claims+r.Unsent.Claims == 0
	}), err
}

func (r reports) collections(f report.Filter) (string, []any) {
	columns := "SELECT " + subject(f.Group) + " AS id, count(*) AS claims"
	for _, name := range report.Collected() {
		c := figureColumns[name]
		columns += ",\n\tsum(f." + c + ")::bigint AS " + c + ", count(*) FILTER (WHERE f." + c + " <> 0) AS with_" + c
	}
	inner := r.of(f.Claims(), columns)
	q := &query{args: inner.args}
	names := make([]string, 0, len(report.Collected()))
	for _, name := range report.Collected() {
		c := figureColumns[name]
		names = append(names, "g."+c+", g.with_"+c)
	}
	q.add("SELECT g.id, " + nameOf(f.Group) + " AS name, g.claims, " + strings.Join(names, ", ") + "\nFROM (\n" + inner.built.String() + "\nGROUP BY 1\n) g")
	return q.text("ORDER BY name, g.id"), q.args
}

// Collections adds up what was collected and written off.
func (r reports) Collections(ctx context.Context, f report.Filter) (all []*report.CollectionsRow, err error) {
	var row report.CollectionsRow
	var id billing.JobID
	to := []any{&id, &row.Of.Name, &row.Claims}
	for i := range row.Sums {
		to = append(to, &row.Sums[i].Amount, &row.Sums[i].Claims)
	}
	text, args := r.collections(f)
	err = r.each(ctx, "report collections", to, func() {
		row.Of.ID = id
		all = append(all, new(row))
	}, text, args...)
	return all, err
}

func (r reports) denials(f report.Filter) (string, []any) {
	inner := r.of(f.Claims(), "SELECT f.refused")
	inner.where("f.refused IS NOT NULL")
	q := &query{args: inner.args}
	q.add(`WITH f AS MATERIALIZED (
` + inner.built.String() + `
)
SELECT d."Group", d."Reason", d."Act", sum(d."Amount")::bigint, count(*), (SELECT count(*) FROM f)
FROM f
CROSS JOIN LATERAL jsonb_to_recordset(f.refused) AS d ("Group" text, "Reason" text, "Act" text, "Amount" bigint)
GROUP BY 1, 2, 3`)
	return q.text("ORDER BY 4 DESC, 1, 2, 3"), q.args
}

// Denials adds up what payers refuse.
func (r reports) Denials(ctx context.Context, f report.Filter) (all []*report.DenialsRow, err error) {
	var refused remit.Refusal
	var claims int
	var total report.DenialsRow
	text, args := r.denials(f)
	err = r.each(ctx, "report denials", []any{&refused.Group, &refused.Reason, &refused.Act, &refused.Amount, &claims, &total.Claims}, func() {
		all = append(all, &report.DenialsRow{Refusal: refused, Claims: claims})
		total.Refusal.Amount += refused.Amount
	}, text, args...)
	if len(all) > 0 {
		all = append(all, &total)
	}
	return all, err
}

func (r reports) payers(f report.Filter) (string, []any) {
	const days = "greatest(0, f.decided_on - (f.sent_at AT TIME ZONE 'UTC')::date)"
	decided := r.of(f.Claims(), "SELECT f.payer_id AS id, count(*) AS decided, count(*) FILTER (WHERE f.first_pass) AS passed,\n\tround(avg("+days+`), 1)::float8 AS mean,
	coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY `+days+"), 0) AS median")
	decided.where("f.decided_on IS NOT NULL")
	decided.add("\nGROUP BY GROUPING SETS ((f.payer_id), ())\nHAVING count(*) > 0")
	off := &query{args: decided.args}
	off.add(`
	SELECT DISTINCT ON (e.id) f.payer_id, greatest(0, least(l.least, l.most) - l.owed, l.owed - greatest(l.least, l.most)) AS off
	FROM claims c
	JOIN claim_figures f ON f.claim_id = c.id
	JOIN estimates e ON e.org_id = c.org_id AND e.mode = c.mode AND e.id = c.estimate_id AND e.payer_id = c.payer_id
	CROSS JOIN LATERAL (SELECT
		(e.content #>> '{Estimate,Least,PatientPays}')::bigint AS least,
		(e.content #>> '{Estimate,Most,PatientPays}')::bigint AS most,
		(c.standing ->> 'PatientResponsibility')::bigint AS owed) l
	WHERE c.org_id = $1 AND c.mode = $2 AND c.estimate_id IS NOT NULL AND c.secondary_to IS NULL AND f.decided_on IS NOT NULL
		AND ` + allDecided)
	off.ofFigures(f.Claims())
	q := &query{args: off.args}
	q.add(`SELECT coalesce(g.id, '00000000-0000-0000-0000-000000000000'), CASE WHEN g.id IS NULL THEN '' ELSE ` + nameOf(report.ByPayer) + ` END AS name,
	g.decided, g.passed, coalesce(g.mean, 0), g.median, e.estimates, e.within, e.off
FROM (
` + decided.built.String() + `
) g
CROSS JOIN LATERAL (
	SELECT count(*) AS estimates, count(*) FILTER (WHERE o.off = 0) AS within, coalesce(round(avg(o.off)), 0)::bigint AS off
	FROM compared o WHERE g.id IS NULL OR o.payer_id = g.id
) e`)
	return "WITH compared AS MATERIALIZED (" + off.built.String() + "\n\tORDER BY e.id, c.created_at DESC, c.id DESC\n)\n" + q.text("ORDER BY g.id IS NULL, name, g.id"), q.args
}

// Payers compares how payers decide.
func (r reports) Payers(ctx context.Context, f report.Filter) (all []*report.PayerRow, err error) {
	var row report.PayerRow
	var id billing.JobID
	text, args := r.payers(f)
	to := []any{&id, &row.Of.Name, &row.Decided, &row.FirstPass, &row.MeanDays, &row.MedianDays, &row.Estimates, &row.Within, &row.MeanError}
	err = r.each(ctx, "report payers", to, func() {
		row.Of.ID, row.Of.All = id, id == billing.JobID{}
		all = append(all, new(row))
	}, text, args...)
	return all, err
}

// unappliedIn adds up what is on no claim of the remittances of one kind, which a partial index has.
func (r reports) unappliedIn(f remit.Filter, with remit.With) (string, []any) {
	f.With = with
	of := r.query("id", "eras").ofERAs(f)
	q := &query{args: of.args}
	q.add("SELECT " + unappliedSums + "\nFROM (\n" + of.built.String() + "\n) e\nJOIN era_claims c ON c.era_id = e.id AND " + onNoClaim)
	return q.text(""), q.args
}

// payable is what the bank must receive for a remittance that stands, as remit.ERA.Payable says: a part that
// states the whole payment has its own share.
const payable = `CASE WHEN e.detail -> 'Payment' ->> 'Method' = 'NON' THEN 0 ELSE greatest(0, coalesce(
		CASE WHEN e.later -> 'Together' ->> 'Failed' = '0' THEN (
			SELECT CASE WHEN NOT (f ->> 'Unread')::boolean THEN f ->> 'Expected' END
			FROM json_array_elements(CASE json_typeof(e.detail -> 'Balance' -> 'Findings') WHEN 'array' THEN e.detail -> 'Balance' -> 'Findings' END) f
			WHERE f ->> 'Level' = 'payment'
			LIMIT 1
		) END,
		e.detail -> 'Payment' ->> 'Total')::bigint) END`

// paid adds up the payments of remittances that stand, in the first row, and their provider adjustments by reason.
func (r reports) paid(f remit.Filter) (string, []any) {
	of := r.query("id, "+payable+" AS payable, detail -> 'ProviderAdjustments' AS adjusted", "eras e").ofERAs(f)
	of.where(stands)
	q := &query{args: of.args}
	q.add("WITH paid AS MATERIALIZED (\n" + of.built.String() + `
)
SELECT reason, amount, remittances
FROM (
	SELECT 1 AS part, '' AS reason, coalesce(sum(payable), 0)::bigint AS amount, count(*) AS remittances FROM paid
	UNION ALL
	SELECT 2, a ->> 'Reason', sum((a ->> 'Amount')::bigint)::bigint, count(DISTINCT id)
	FROM paid CROSS JOIN LATERAL json_array_elements(CASE json_typeof(adjusted) WHEN 'array' THEN adjusted END) a
	GROUP BY a ->> 'Reason'
) p`)
	return q.text("ORDER BY part, reason"), q.args
}

// Payments adds up what remittances pay.
func (r reports) Payments(ctx context.Context, f remit.Filter) (all report.Payments, err error) {
	var row report.Adjusted
	text, args := r.paid(f)
	first := true
	err = r.each(ctx, "report payments", []any{&row.Reason, &row.Amount, &row.Remittances}, func() {
		if first {
			all.Total, all.Remittances, first = row.Amount, row.Remittances, false
		} else {
			all.Adjusted = append(all.Adjusted, row)
		}
	}, text, args...)
	if err == nil {
		all.Unapplied, err = r.onNoClaim(ctx, f)
	}
	return all, err
}

// onNoClaim adds up the money of remittances that is on no claim.
func (r reports) onNoClaim(ctx context.Context, f remit.Filter) (sum remit.Unapplied, err error) {
	text, args := r.unappliedIn(f, remit.WithIgnored)
	ignored, err := r.unapplied(ctx, "report what is ignored", text, args)
	if err != nil {
		return sum, err
	}
	text, args = r.unappliedIn(f, remit.WithUnfinished)
	unfinished, err := r.unapplied(ctx, "report what is not finished", text, args)
	return remit.Unapplied{Ignored: ignored.Ignored, Unfinished: unfinished.Unfinished}, err
}

func (r reports) unappliedOf(era billing.ERAID) (string, []any) {
	q := &query{}
	q.add("SELECT "+unappliedSums+"\nFROM era_claims c\nWHERE c.org_id = % AND c.mode = % AND c.era_id = % AND "+onNoClaim, r.scope.Org, r.scope.Mode, era)
	return q.text(""), q.args
}

// UnappliedOf adds up what claims of a remittance pay that are not applied.
func (r reports) UnappliedOf(ctx context.Context, era billing.ERAID) (remit.Unapplied, error) {
	text, args := r.unappliedOf(era)
	return r.unapplied(ctx, "add up what is not applied of remittance "+era.String(), text, args)
}
