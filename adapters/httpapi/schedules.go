package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/intake"
)

// readSchedule handles POST /eligibility/batches/schedule. Of a file, the query has the office.
func (a *api) readSchedule(x *exchange) (*reply, error) {
	var in intake.ScheduleFile
	if x.sendsTable() {
		q := x.query()
		in.CSV = string(x.body)
		if office, given := q.text("office_id"); given {
			in.OfficeID = &office
		}
		in.Faults = q.end()
	} else {
		in = readBody[intake.ScheduleFile](x)
	}
	s, err := a.schedules.Read(x.ctx, x.call.Scope, in)
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: scheduleShape(s)}, nil
}

// getImportMapping handles GET /import_mappings/{kind}.
func (a *api) getImportMapping(x *exchange) (*reply, error) {
	m, err := a.schedules.Mapping(x.ctx, x.call.Scope, importKind(x))
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: importMappingShape(m)}, nil
}

// putImportMapping handles PUT /import_mappings/{kind}.
func (a *api) putImportMapping(x *exchange) (*reply, error) {
	in := readBody[intake.MappingRequest](x)
	return kept(a.schedules.Keep(x.ctx, replying(x, http.StatusOK, importMappingShape), importKind(x), in))
}

func importKind(x *exchange) directory.ImportKind {
	return directory.ImportKind(x.params.Params("kind"))
}

type importMappingJSON struct {
	Object    string               `json:"object"`
	Kind      directory.ImportKind `json:"kind"`
	Columns   []mappedColumnJSON   `json:"columns"`
	Payers    []mappedPayerJSON    `json:"payers"`
	UpdatedAt *string              `json:"updated_at"`
}

type mappedColumnJSON struct {
	Name  string  `json:"name"`
	Field *string `json:"field"`
}

type mappedPayerJSON struct {
	Name  string    `json:"name"`
	Payer payerJSON `json:"payer"`
}

func importMappingShape(m *directory.ImportMapping) importMappingJSON {
	return importMappingJSON{
		"import_mapping", m.Kind,
		mapped(m.Columns, func(c directory.MappedColumn) mappedColumnJSON { return mappedColumnJSON{c.Name, orNull(c.Field)} }),
		mapped(m.Payers, func(p directory.MappedPayer) mappedPayerJSON { return mappedPayerJSON{p.Name, payerJSON(p.Payer)} }),
		timeOrNull(m.UpdatedAt),
	}
}

type scheduleJSON struct {
	Object  string               `json:"object"`
	Columns []scheduleColumnJSON `json:"columns"`
	Faults  []cellFaultJSON      `json:"faults"`
	Rows    []scheduleRowJSON    `json:"rows"`
}

type scheduleColumnJSON struct {
	Name  string  `json:"name"`
	Field *string `json:"field"`
	Known bool    `json:"known"`
}

type scheduleRowJSON struct {
	Line     int               `json:"line"`
	Cells    []string          `json:"cells"`
	Item     *scheduleItemJSON `json:"item"`
	Restored bool              `json:"member_id_restored"`
	Faults   []cellFaultJSON   `json:"faults"`
}

// scheduleItemJSON is an item as POST /eligibility/batches accepts it.
type scheduleItemJSON struct {
	ItemID         string                 `json:"item_id"`
	AppointmentAt  *string                `json:"appointment_at"`
	AppointmentID  *string                `json:"appointment_id"`
	OfficeID       string                 `json:"office_id"`
	PayerID        string                 `json:"payer_id"`
	Subscriber     scheduleSubscriberJSON `json:"subscriber"`
	Patient        *schedulePatientJSON   `json:"patient"`
	ServiceDate    *string                `json:"service_date"`
	ProcedureCodes []string               `json:"procedure_codes"`
}

type scheduleSubscriberJSON struct {
	FirstName   string  `json:"first_name"`
	LastName    string  `json:"last_name"`
	DateOfBirth string  `json:"date_of_birth"`
	MemberID    string  `json:"member_id"`
	GroupNumber *string `json:"group_number"`
	Gender      *string `json:"gender"`
}

type schedulePatientJSON struct {
	FirstName    string  `json:"first_name"`
	LastName     string  `json:"last_name"`
	DateOfBirth  string  `json:"date_of_birth"`
	Relationship string  `json:"relationship"`
	Gender       *string `json:"gender"`
}

type cellFaultJSON struct {
	Column     *int              `json:"column"`
	Field      string            `json:"field"`
	Code       billing.FaultCode `json:"code"`
	Message    string            `json:"message"`
	Candidates []candidateJSON   `json:"candidates"`
}

type candidateJSON struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

func scheduleShape(s *intake.Schedule) scheduleJSON {
	byLine := map[int][]cellFaultJSON{}
	for _, f := range s.Faults {
		byLine[f.Line] = append(byLine[f.Line], cellFaultJSON{
			orNull(f.Column), f.Field, f.Code, f.Message, mapped(f.Candidates, func(c intake.Candidate) candidateJSON { return candidateJSON(c) }),
		})
	}
	return scheduleJSON{
		"schedule",
		mapped(s.Columns, func(c intake.ScheduleColumn) scheduleColumnJSON {
			return scheduleColumnJSON{c.Name, orNull(c.Field), c.Known}
		}),
		listOf(byLine[s.Line]),
		mapped(s.Rows, func(r intake.ScheduleRow) scheduleRowJSON {
			row := scheduleRowJSON{r.Line, r.Cells, nil, r.Restored, listOf(byLine[r.Line])}
			if !r.Faulty {
				row.Item = new(scheduleItemShape(&r))
			}
			return row
		}),
	}
}

func scheduleItemShape(r *intake.ScheduleRow) scheduleItemJSON {
	q := &r.Request
	item := scheduleItemJSON{
		ItemID: r.ItemID, AppointmentAt: timeOrNull(r.AppointmentAt), AppointmentID: orNull(r.AppointmentID), OfficeID: q.OfficeID, PayerID: q.PayerID,
		Subscriber: scheduleSubscriberJSON(q.Subscriber), ServiceDate: q.ServiceDate, ProcedureCodes: listOf(q.ProcedureCodes),
	}
	if q.Patient != nil {
		item.Patient = new(schedulePatientJSON(*q.Patient))
	}
	return item
}
