package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/fee"
)

type feeSchedules struct{ *tx }

func feeScheduleFields(s *fee.Schedule) []field {
	return scoped(&s.ID, &s.Scope, []field{
		{"created_at", instant{&s.CreatedAt}},
		{"name", &s.Name},
		{"kind", &s.Kind},
		{"office_id", &s.OfficeID},
		{"payer_id", &s.Payer.ID},
		{"payer_code", &s.Payer.PayerID},
		{"payer_name", &s.Payer.Name},
		{"network", &s.Network},
		{"effective_from", &s.EffectiveFrom},
		{"write_off_beyond_limits", &s.WriteOffBeyondLimits},
		{"limits", document{&s.Limits, "{}"}},
		{"replaces", &s.Replaces},
		{"row_count", &s.Count},
	})
}

// replacement selects the schedule that replaces one.
const replacement = "\nLEFT JOIN LATERAL (SELECT n.id AS by_id, n.effective_from AS by_from FROM fee_schedules n WHERE n.replaces = s.id) n ON true"

// readFields are the columns of a schedule that is read, with its rows if the statement has
// them.
func readFields(s *fee.Schedule) []field {
	return append(feeScheduleFields(s), field{"by_id", &s.ReplacedBy}, field{"by_from", &s.ReplacedFrom}, field{"rows", document{&s.Rows, "[]"}})
}

// Which rows r a SELECT reads of a schedule s. Each of some codes is looked up by itself: without
// statistics, a plan for an array of codes reads all rows of the schedule.
const (
	noRows   = ""
	allRows  = "FROM fee_schedule_rows r\n\tWHERE r.org_id = s.org_id AND r.mode = s.mode AND r.schedule_id = s.id"
	someRows = "FROM unnest(%::text[]) w (code) CROSS JOIN LATERAL (\n\t\tSELECT r.procedure_code, r.amount " + allRows +
		" AND r.procedure_code = w.code OFFSET 0\n\t) r"
)

// of builds a SELECT of schedules in the transaction's scope, with rows of them.
func (r feeSchedules) of(rows string, args ...any) *query {
	q := &query{}
	q.add("SELECT " + qualified("s", feeScheduleTable.columns) + ", by_id, by_from, ")
	if rows == noRows {
		q.add("'[]'::json AS rows")
	} else {
		q.add(`(
	SELECT coalesce(json_agg(json_build_object('ProcedureCode', r.procedure_code, 'Amount', r.amount) ORDER BY r.procedure_code COLLATE "C"), '[]')
	`+rows+`
) AS rows`, args...)
	}
	q.add("\nFROM fee_schedules s"+replacement+"\nWHERE s.org_id = % AND s.mode = %", r.scope.Org, r.scope.Mode)
	return q
}

func (r feeSchedules) read(ctx context.Context, what, text string, args []any) ([]*fee.Schedule, error) {
	return read(ctx, r.tx, what, readFields, text, args...)
}

// Beside reads what a new schedule is checked against, after other inserts of the organization.
func (r feeSchedules) Beside(ctx context.Context, s *fee.Schedule) ([]*fee.Schedule, error) {
	var locked sql.NullString
	if err := r.get(ctx, &locked, "SELECT pg_advisory_xact_lock(hashtextextended(format('fee schedules %s %s', $1::uuid, $2::text), 0))",
		r.scope.Org, r.scope.Mode); err != nil {
		return nil, fmt.Errorf("wait for other fee schedules: %w", err)
	}
	text, args := r.beside(s)
	return r.read(ctx, "find fee schedules beside one", text, args)
}

func (r feeSchedules) beside(s *fee.Schedule) (string, []any) {
	q := r.of(noRows)
	q.where("(s.id = % OR s.kind = % AND s.network = % AND s.effective_from = % AND s.office_id IS NOT DISTINCT FROM %::uuid AND s.payer_id IS NOT DISTINCT FROM %::uuid)",
		s.Replaces, s.Kind, s.Network, s.EffectiveFrom, s.OfficeID, s.Payer.ID)
	return q.text("ORDER BY s.created_at, s.id"), q.args
}

// Insert stores a new schedule with its rows.
func (r feeSchedules) Insert(ctx context.Context, s *fee.Schedule) error {
	if err := feeScheduleTable.insert(ctx, r.tx, s); err != nil {
		return err
	}
	codes, amounts := make(pq.StringArray, len(s.Rows)), make(pq.Int64Array, len(s.Rows))
	for i, row := range s.Rows {
		codes[i], amounts[i] = row.ProcedureCode, int64(row.Amount)
	}
	_, err := r.do(ctx, "insert the rows of a fee schedule", `
INSERT INTO fee_schedule_rows (schedule_id, org_id, mode, procedure_code, amount)
SELECT $1::uuid, $2::uuid, $3::text, code, amount
FROM unnest($4::text[], $5::bigint[]) w (code, amount)`, s.ID, r.scope.Org, r.scope.Mode, codes, amounts)
	return err
}

// Get reads a schedule with its rows.
func (r feeSchedules) Get(ctx context.Context, id billing.FeeScheduleID) (*fee.Schedule, error) {
	q := r.of(allRows)
	q.where("s.id = %", id)
	found, err := r.read(ctx, "get a fee schedule", q.text(""), q.args)
	if err == nil && len(found) == 0 {
		err = billing.NotFound("fee schedule", "")
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// List reads a page of schedules, newest first.
func (r feeSchedules) List(ctx context.Context, f fee.Filter, p billing.Page) ([]*fee.Schedule, error) {
	text, args := r.page(f, p)
	return r.read(ctx, "list fee schedules", text, args)
}

func (r feeSchedules) page(f fee.Filter, p billing.Page) (string, []any) {
	q := r.of(noRows)
	whereSet(q, "s.office_id = %", f.OfficeID)
	whereSet(q, "s.payer_id = %", f.PayerID)
	whereSet(q, "s.kind = %", f.Kind)
	if f.Current != nil {
		not := ""
		if !*f.Current {
			not = "NOT "
		}
		q.where(not+`(s.effective_from <= % AND (by_from IS NULL OR by_from > %) AND NOT EXISTS (
		SELECT FROM fee_schedules o
		WHERE o.org_id = s.org_id AND o.mode = s.mode AND o.payer_id IS NOT DISTINCT FROM s.payer_id AND o.office_id IS NOT DISTINCT FROM s.office_id
			AND o.kind = s.kind AND o.network = s.network AND o.effective_from > s.effective_from AND o.effective_from <= %
			AND NOT EXISTS (SELECT FROM fee_schedules n WHERE n.replaces = o.id AND n.effective_from <= %)))`,
			f.Day, f.Day, f.Day, f.Day)
	}
	if p.After != nil {
		q.where("(s.created_at, s.id) < (%, %)", micro(p.After.Time), billing.FeeScheduleID(p.After.ID))
	}
	return q.text("ORDER BY s.created_at DESC, s.id DESC\nLIMIT %", p.Limit+1), q.args
}

// fits has the schedules that can count for a question on a day or before it.
const fits = `(s.office_id IS NULL OR s.office_id = %) AND (s.payer_id IS NULL OR s.payer_id = %) AND s.network IN ('', %) AND s.effective_from <= %`

// Pricing reads every schedule that can count for a line, with the rows for the lines.
func (r feeSchedules) Pricing(ctx context.Context, question fee.Question, lines []fee.Line) ([]*fee.Schedule, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	text, args := r.pricing(question, lines)
	return r.read(ctx, "find fee schedules", text, args)
}

func (r feeSchedules) pricing(question fee.Question, lines []fee.Line) (string, []any) {
	codes := make(pq.StringArray, len(lines))
	first, last := lines[0].On, lines[0].On
	for i, l := range lines {
		codes[i] = l.ProcedureCode
		if l.On.Before(first) {
			first = l.On
		}
		if last.Before(l.On) {
			last = l.On
		}
	}
	slices.Sort(codes)
	q := r.of(someRows, slices.Compact(codes))
	q.where(fits, question.OfficeID, question.PayerID, question.Network, last)
	q.where("(by_from IS NULL OR by_from > %)", first)
	return q.text("ORDER BY s.created_at, s.id"), q.args
}

// Considered reads schedules with the row for a line, those that can count first.
func (r feeSchedules) Considered(ctx context.Context, question fee.Question, l fee.Line, limit int) ([]*fee.Schedule, error) {
	text, args := r.considered(question, l, limit)
	return r.read(ctx, "consider fee schedules", text, args)
}

func (r feeSchedules) considered(question fee.Question, l fee.Line, limit int) (string, []any) {
	q := r.of(allRows+" AND r.procedure_code = %", l.ProcedureCode)
	q.add("\nORDER BY coalesce("+fits+" AND (by_from IS NULL OR by_from > %), false) DESC,", question.OfficeID, question.PayerID, question.Network, l.On, l.On)
	q.add("\n\tEXISTS (SELECT FROM fee_schedule_rows r WHERE r.org_id = s.org_id AND r.mode = s.mode AND r.schedule_id = s.id AND r.procedure_code = %) DESC,", l.ProcedureCode)
	return q.text("\ts.effective_from DESC, s.id DESC\nLIMIT %", limit), q.args
}
