package httpapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/fees"
	"github.com/molar-billing/molar/core/intake"
)

// createFeeSchedule handles POST /fee_schedules. Of a file with the rows, the query has the
// other fields.
func (a *api) createFeeSchedule(x *exchange) (*reply, error) {
	var in intake.FeeScheduleRequest
	if x.sendsTable() {
		in = feeScheduleOfFile(x)
	} else {
		in = readBody[intake.FeeScheduleRequest](x)
	}
	return kept(a.fees.Create(x.ctx, replying(x, http.StatusCreated, feeScheduleShape), in))
}

func feeScheduleOfFile(x *exchange) intake.FeeScheduleRequest {
	q := x.query()
	optional := func(name string) *string {
		if s, given := q.text(name); given {
			return &s
		}
		return nil
	}
	in := intake.FeeScheduleRequest{
		OfficeID: optional("office_id"), PayerID: optional("payer_id"), Network: optional("network"), Replaces: optional("replaces"),
		WriteOffBeyondLimits: q.flag("write_off_beyond_limits"), CSV: x.body,
		LimitsInput: intake.LimitsInput{
			FilingDays: q.days("filing_days"), FilingSource: optional("filing_source"),
			SecondaryFilingDays: q.days("secondary_filing_days"), SecondaryFilingSource: optional("secondary_filing_source"),
			AppealDays: q.days("appeal_days"), AppealSource: optional("appeal_source"),
		},
	}
	in.Name, _ = q.text("name")
	in.Kind, _ = q.text("kind")
	in.EffectiveFrom, _ = q.text("effective_from")
	if in.CSV == nil {
		in.CSV = []byte{}
	}
	in.Faults = q.end()
	return in
}

// listFeeSchedules handles GET /fee_schedules.
func (a *api) listFeeSchedules(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("fee_schedules", x.call.Scope, "limit", "cursor")
	f := fee.Filter{
		OfficeID: id[billing.OfficeID](q, "office_id"), PayerID: q.payer(a.payers), Kind: oneOf(q, "kind", fee.Kinds()...), Current: q.flag("current"),
	}
	return listed(a, x, q, l, f, a.fees.List, feeScheduleShape)
}

// getFeeSchedule handles GET /fee_schedules/{id}, whose reply is a CSV file if the client
// prefers one.
func (a *api) getFeeSchedule(x *exchange) (*reply, error) {
	if !x.prefersTable() {
		return read(x, a.fees.Get, pathID[billing.FeeScheduleID](x, "id"), feeScheduleRowsShape)
	}
	if err := x.query().end().Err(); err != nil {
		return nil, err
	}
	s, err := a.fees.Get(x.ctx, x.call.Scope, pathID[billing.FeeScheduleID](x, "id"))
	if err != nil {
		return nil, err
	}
	x.resource = s.ID.String()
	return &reply{status: http.StatusOK, raw: s.CSV(), mime: "text/csv; charset=utf-8", fileName: s.ID.String() + ".csv"}, nil
}

// matchFee handles GET /fee_schedules/match.
func (a *api) matchFee(x *exchange) (*reply, error) {
	q := x.query()
	l := fee.Line{ProcedureCode: q.procedure("procedure_code"), On: q.date("date")}
	question := fee.Question{OfficeID: id[billing.OfficeID](q, "office_id"), PayerID: q.payer(a.payers), Network: oneOf(q, "network", fee.Networks()...)}
	for _, name := range []string{"procedure_code", "date"} {
		if len(q.all[name]) == 0 {
			q.faults.Add(name, billing.FaultRequired, "A value is required.")
		}
	}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	m, err := a.fees.Match(x.ctx, x.call.Scope, question, l)
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: feeMatchShape(m)}, nil
}

// sendsTable reports whether the body is a CSV file.
func (x *exchange) sendsTable() bool {
	lines := x.req.Values("Content-Type")
	if x.route.body != tableBody || len(lines) != 1 {
		return false
	}
	kind, _, err := mime.ParseMediaType(lines[0])
	return err == nil && kind == csvType
}

// prefersTable reports whether the client names a CSV file, and does not prefer JSON to it. Of two with
// the same quality the first counts. That it takes anything else, too, is no preference.
func (x *exchange) prefersTable() bool {
	var table, other float64
	for _, kind := range strings.Split(strings.Join(x.req.Values("Accept"), ","), ",") {
		kind, params, _ := strings.Cut(kind, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case csvType:
			if q := quality(params); q > other {
				table = max(table, q)
			}
		case "application/*", "application/json":
			if q := quality(params); q > table {
				table, other = 0, max(other, q)
			}
		}
	}
	return table > 0
}

// quality returns the weight of a media type (RFC 9110, 12.4.2). One that cannot be read counts as
// none was sent.
func quality(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if q, err := strconv.ParseFloat(value, 64); strings.EqualFold(name, "q") && err == nil && q >= 0 && q <= 1 {
			return q
		}
	}
	return 1
}

const csvType = "text/csv"

type feeScheduleJSON struct {
	ID                   billing.FeeScheduleID `json:"id"`
	Object               string                `json:"object"`
	Name                 string                `json:"name"`
	Kind                 fee.Kind              `json:"kind"`
	OfficeID             *billing.OfficeID     `json:"office_id"`
	Payer                *payerJSON            `json:"payer"`
	Network              *fee.Network          `json:"network"`
	EffectiveFrom        billing.Date          `json:"effective_from"`
	WriteOffBeyondLimits *bool                 `json:"write_off_beyond_limits"`
	limitsJSON
	Replaces     *string       `json:"replaces"`
	ReplacedBy   *string       `json:"replaced_by"`
	ReplacedFrom *billing.Date `json:"replaced_from"`
	RowCount     int           `json:"row_count"`
	CreatedAt    string        `json:"created_at"`
}

func feeScheduleShape(s *fee.Schedule) feeScheduleJSON {
	shape := feeScheduleJSON{
		ID: s.ID, Object: "fee_schedule", Name: s.Name, Kind: s.Kind, OfficeID: orNull(s.OfficeID), Network: orNull(s.Network), EffectiveFrom: s.EffectiveFrom,
		limitsJSON: limitsShape(s.Limits), Replaces: orNull(s.Replaces.String()), ReplacedBy: orNull(s.ReplacedBy.String()), ReplacedFrom: orNull(s.ReplacedFrom),
		RowCount: s.Count, CreatedAt: event.Timestamp(s.CreatedAt),
	}
	if !s.Payer.ID.IsZero() {
		shape.Payer = new(payerJSON(s.Payer))
	}
	if s.Kind == fee.Allowed {
		shape.WriteOffBeyondLimits = &s.WriteOffBeyondLimits
	}
	return shape
}

type feeScheduleRowsJSON struct {
	feeScheduleJSON
	Rows []feeRowJSON `json:"rows"`
}

type feeRowJSON struct {
	ProcedureCode string `json:"procedure_code"`
	Amount        string `json:"amount"`
}

func feeScheduleRowsShape(s *fee.Schedule) feeScheduleRowsJSON {
	return feeScheduleRowsJSON{feeScheduleShape(s), mapped(s.Rows, func(r fee.Row) feeRowJSON { return feeRowJSON{r.ProcedureCode, r.Amount.String()} })}
}

type feeMatchJSON struct {
	Object        string               `json:"object"`
	ProcedureCode string               `json:"procedure_code"`
	Date          billing.Date         `json:"date"`
	OfficeID      *billing.OfficeID    `json:"office_id"`
	PayerID       *billing.PayerID     `json:"payer_id"`
	Network       *fee.Network         `json:"network"`
	OfficeFee     *feeAmountJSON       `json:"office_fee"`
	Allowed       *feeAmountJSON       `json:"allowed"`
	Schedules     []feeConsideringJSON `json:"schedules"`
	Truncated     bool                 `json:"truncated"`
}

type feeAmountJSON struct {
	Amount               string                `json:"amount"`
	ScheduleID           billing.FeeScheduleID `json:"schedule_id"`
	ScheduleName         string                `json:"schedule_name"`
	EffectiveFrom        billing.Date          `json:"effective_from"`
	WriteOffBeyondLimits *bool                 `json:"write_off_beyond_limits"`
}

type feeConsideringJSON struct {
	ScheduleID    billing.FeeScheduleID `json:"schedule_id"`
	ScheduleName  string                `json:"schedule_name"`
	Kind          fee.Kind              `json:"kind"`
	EffectiveFrom billing.Date          `json:"effective_from"`
	Amount        *string               `json:"amount"`
	Counts        bool                  `json:"counts"`
	Because       string                `json:"because"`
}

func feeMatchShape(m *fees.Matched) feeMatchJSON {
	return feeMatchJSON{
		Object: "fee_match", ProcedureCode: m.Line.ProcedureCode, Date: m.Line.On,
		OfficeID: orNull(m.Question.OfficeID), PayerID: orNull(m.Question.PayerID), Network: orNull(m.Question.Network),
		OfficeFee: feeAmountShape(m.Price.OfficeFee, fee.OfficeFees), Allowed: feeAmountShape(m.Price.Allowed, fee.Allowed),
		Schedules: mapped(m.Schedules, func(m fee.Match) feeConsideringJSON {
			shape := feeConsideringJSON{m.Schedule.ID, m.Schedule.Name, m.Schedule.Kind, m.Schedule.EffectiveFrom, nil, m.Counts, m.Because}
			if m.Amount != nil {
				shape.Amount = new(m.Amount.String())
			}
			return shape
		}),
		Truncated: m.Truncated,
	}
}

func feeAmountShape(a *fee.Amount, of fee.Kind) *feeAmountJSON {
	if a == nil {
		return nil
	}
	shape := &feeAmountJSON{a.Amount.String(), a.ScheduleID, a.ScheduleName, a.EffectiveFrom, nil}
	if of == fee.Allowed {
		shape.WriteOffBeyondLimits = &a.WriteOffBeyondLimits
	}
	return shape
}
