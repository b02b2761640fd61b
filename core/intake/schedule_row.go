package intake

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// scheduleRow reads one row.
type scheduleRow struct {
	*Schedule
	payers  *directory.PayerDirectory
	named   map[string]*directory.Payer // by the words of the names that the mapping has
	offices map[billing.OfficeID]*directory.Office
	now     time.Time
	cells   []cell
	faults  []CellFault
	today   billing.Date // of the office
}

// cell returns the row's cell of a field, whose column is 0 if the file has none.
func (r *scheduleRow) cell(field string) cell {
	if column, ok := r.found[field]; ok {
		c := in(r.cells, column)
		c.text = unwrapped(c.text, strings.HasSuffix(field, "name"))
		return c
	}
	return cell{"", r.cells[0].line, 0}
}

func (r *scheduleRow) text(field string) string { return r.cell(field).text }

// optional returns the text of a field, nil for none.
func (r *scheduleRow) optional(field string) *string {
	if text := r.text(field); text != "" {
		return &text
	}
	return nil
}

// unwrapped returns a text without what keeps a spreadsheet from changing it: ="0123" or '0123. A name may begin with an
// apostrophe of its own, as 't Hooft does, so that one counts as a guard only before what begins a formula.
func unwrapped(text string, name bool) string {
	if inner, ok := strings.CutPrefix(text, `="`); ok && strings.HasSuffix(inner, `"`) {
		return strings.TrimSuffix(inner, `"`)
	}
	inner, ok := strings.CutPrefix(text, "'")
	if ok && name && Guarded(inner) == inner {
		return text
	}
	return inner
}

// fault notes what is wrong with the cell of a column's field. It keeps the first of a field
// and of a cell.
func (r *scheduleRow) fault(column, field string, code billing.FaultCode, message string) *CellFault {
	c := r.cell(column)
	known := func(f CellFault) bool { return f.Field == field || c.column > 0 && f.Column == c.column }
	if i := slices.IndexFunc(r.faults, known); i >= 0 {
		return &r.faults[i]
	}
	r.faults = append(r.faults, CellFault{Line: c.line, Column: c.column, Field: field, Code: code, Message: message})
	return &r.faults[len(r.faults)-1]
}

// into reads the row. The rules of a check judge what was read, and their faults stand at the
// cells that it came from.
func (r *scheduleRow) into(i *ScheduleRow) {
	i.ItemID, i.AppointmentID = r.text("item_id"), r.text("appointment_id")
	if i.ItemID == "" {
		i.ItemID = "line-" + strconv.Itoa(i.Line)
	}
	r.shown("item_id", i.ItemID)
	r.shown("appointment_id", i.AppointmentID)
	r.lost("item_id", "item_id")
	r.lost("appointment_id", "appointment_id")
	q := &i.Request
	office := r.office(q)
	r.today = office.Today(r.now)
	q.PayerID = r.payer()
	q.Subscriber.MemberID, q.Subscriber.GroupNumber = r.text("member_id"), r.optional("group_number")
	if scientific.MatchString(q.Subscriber.MemberID) {
		r.fault("member_id", "subscriber.member_id", billing.FaultFormat, "A spreadsheet has shortened this number. Format the column as text, and export the file again; or write the whole member ID.")
	}
	r.lost("member_id", "subscriber.member_id")
	r.lost("group_number", "subscriber.group_number")
	comes := r.appointment()
	i.AppointmentAt = comes.at(directory.Zone(office.TimeZone))
	if on := r.date("service_date", "service_date"); !on.IsZero() {
		q.ServiceDate = new(on.String())
	} else if !comes.on.IsZero() {
		q.ServiceDate = new(comes.on.String())
	}
	q.ProcedureCodes = strings.FieldsFunc(strings.ToUpper(r.text("procedure_codes")), func(c rune) bool { return strings.ContainsRune(" ,;|+/", c) })
	from := r.people(q)
	_, _, _, faults := q.Inquiry(r.today) // the rules' faults are what counts here
	for _, f := range faults {
		field, _, _ := strings.Cut(f.Field, ".")
		column, ok := from[f.Field]
		switch {
		case ok:
		case strings.HasPrefix(f.Field, "subscriber."):
			column = strings.TrimPrefix(f.Field, "subscriber.")
		case field == "payer_id":
			column = "payer"
		case field == "service_date" && r.text("service_date") == "":
			column = r.appointmentColumn()
		default:
			column = field
		}
		r.fault(column, f.Field, f.Code, f.Message)
	}
}

// office finds the row's office. For one that is not there it returns one without a time zone.
func (r *scheduleRow) office(q *EligibilityRequest) *directory.Office {
	if q.OfficeID = r.text("office_id"); q.OfficeID == "" {
		q.OfficeID = r.officeID
	}
	id, err := billing.ParseID[billing.OfficeID](q.OfficeID)
	if o := r.offices[id]; o != nil {
		return o
	}
	if err == nil {
		r.fault("office_id", "office_id", billing.FaultNotAllowed, "There is no such office. Write the ID of an office.")
	}
	return &directory.Office{}
}

// shown judges an ID of the practice's own.
func (r *scheduleRow) shown(field, id string) {
	var f billing.Faults
	f.Optional(field, &id, maxItemID)
	f.Shown(field, id)
	for _, f := range f {
		r.fault(field, f.Field, f.Code, f.Message)
	}
}

// scientific is a number of a spreadsheet whose digits are lost: 1.23457E+11, or 1E+11.
var scientific = regexp.MustCompile(`^[0-9]{1,3}([.,][0-9]+)?[Ee]\+[0-9]+$`)

// sheetError is what a spreadsheet shows in place of a value that it could not compute.
var sheetError = regexp.MustCompile(`^#(N/A|REF!|VALUE!|NAME\?|NULL!|NUM!|DIV/0!|SPILL!|CALC!)$`)

// lost notes a spreadsheet's error in the cell of a column, and reports whether there is one.
func (r *scheduleRow) lost(column, field string) bool {
	is := sheetError.MatchString(strings.ToUpper(r.text(column)))
	if is {
		r.fault(column, field, billing.FaultFormat, "A spreadsheet has lost this value: the cell has an error. Write the value, or correct the spreadsheet and export the file again.")
	}
	return is
}

// people reads the patient and the subscriber, and returns the column that each field of the
// request came from. Without a relationship and a subscriber of another name, the patient is
// the subscriber.
func (r *scheduleRow) people(q *EligibilityRequest) (from map[string]string) {
	from = map[string]string{}
	relationship, known := relationshipOf(r.text("relationship"))
	if !known {
		r.fault("relationship", "patient.relationship", billing.FaultNotAllowed, "The relationship must be self, spouse, child or other.")
	}
	first, last := r.name("", "patient.", from)
	born := r.date("date_of_birth", "patient.date_of_birth")
	holderFirst, holderLast := r.name("subscriber_", "subscriber.", from)
	holderBorn := r.date("subscriber_date_of_birth", "subscriber.date_of_birth")
	same := holderLast == "" && holderFirst == "" || words(holderFirst+" "+holderLast) == words(first+" "+last)
	nameless := r.text("name")+r.text("first_name")+r.text("last_name") == "" // the file has subscribers only
	if nameless || relationship == "self" || relationship == "" && known && same {
		from = map[string]string{"subscriber.date_of_birth": "date_of_birth", "subscriber.gender": "gender"}
		q.Subscriber.Gender = r.gender("gender")
		if !nameless {
			r.move("patient.", "subscriber.")
			first, last = r.name("", "subscriber.", from)
		} else {
			first, last = r.name("subscriber_", "subscriber.", from)
		}
		if r.text("date_of_birth") == "" && r.text("subscriber_date_of_birth") != "" {
			born, from["subscriber.date_of_birth"] = holderBorn, "subscriber_date_of_birth"
		}
		q.Subscriber.FirstName, q.Subscriber.LastName, q.Subscriber.DateOfBirth = first, last, born.String()
		if born.IsZero() {
			q.Subscriber.DateOfBirth = ""
		}
		return from
	}
	from["subscriber.date_of_birth"], from["subscriber.gender"] = "subscriber_date_of_birth", "subscriber_gender"
	from["patient.date_of_birth"], from["patient.gender"], from["patient.relationship"] = "date_of_birth", "gender", "relationship"
	q.Subscriber.FirstName, q.Subscriber.LastName, q.Subscriber.Gender = holderFirst, holderLast, r.gender("subscriber_gender")
	q.Patient = &PatientInput{FirstName: first, LastName: last, Relationship: relationship, Gender: r.gender("gender")}
	if !holderBorn.IsZero() {
		q.Subscriber.DateOfBirth = holderBorn.String()
	}
	if !born.IsZero() {
		q.Patient.DateOfBirth = born.String()
	}
	return from
}

// move names the faults of a person as those of another: of a patient who is the subscriber.
func (r *scheduleRow) move(from, to string) {
	for i, f := range r.faults {
		if rest, ok := strings.CutPrefix(f.Field, from); ok {
			r.faults[i].Field = to + rest
		}
	}
}

// relationshipOf reads the words of other programs, and the codes of X12 (data element 1069).
func relationshipOf(text string) (relationship string, known bool) {
	switch words(text) {
	case "":
		return "", true
	case "self", "subscriber", "insured", "18":
		return "self", true
	case "spouse", "husband", "wife", "01", "1":
		return "spouse", true
	case "child", "son", "daughter", "dependent child", "19":
		return "child", true
	case "other", "dependent", "domestic partner", "life partner", "g8", "53":
		return "other", true
	}
	return "", false
}

// gender reads a gender, nil for none and for what is not one.
func (r *scheduleRow) gender(field string) *string {
	switch strings.ToLower(r.text(field)) {
	case "f", "female":
		return new("female")
	case "m", "male":
		return new("male")
	}
	return nil
}

// appointment is when a patient comes, on the clocks of the office.
type appointment struct {
	on     billing.Date // zero for not known
	minute int          // of the day; -1 if only the day is known
}

// at returns the moment of the appointment, zero if the time is not known.
func (a appointment) at(office *time.Location) time.Time {
	if a.on.IsZero() || a.minute < 0 {
		return time.Time{}
	}
	return time.Date(a.on.Year, a.on.Month, a.on.Day, a.minute/60, a.minute%60, 0, 0, office)
}

// appointmentColumn returns the column with the day of the appointment.
func (r *scheduleRow) appointmentColumn() string {
	if r.text("appointment_at") != "" {
		return "appointment_at"
	}
	return "appointment_date"
}

// appointment reads the day and the time, from one column or from two. Midnight beside a day is what programs write for a
// day without a time; it counts only in a column of times.
func (r *scheduleRow) appointment() appointment {
	a := appointment{minute: -1}
	at := r.appointmentColumn()
	day, clock, _ := strings.Cut(strings.Replace(r.text(at), "T", " ", 1), " ")
	a.on = r.dateOf(at, "appointment_at", day)
	minute, ok := minuteOf(clock)
	other, known := minuteOf(r.text("appointment_time"))
	switch {
	case ok && minute > 0 && known && other != minute:
		r.fault("appointment_time", "appointment_at", billing.FaultConflict, "The day beside it has another time. Correct one of the two.")
	case ok && minute > 0:
		a.minute = minute
	case !ok && strings.TrimSpace(clock) != "":
		r.fault(at, "appointment_at", billing.FaultFormat, badTime)
	case known:
		a.minute = other
	case r.text("appointment_time") != "":
		r.fault("appointment_time", "appointment_at", billing.FaultFormat, badTime)
	}
	return a
}

const badTime = "The time must be like 8:30 AM or 14:30."

// minuteOf reads a time of the day.
func minuteOf(clock string) (int, bool) {
	clock = strings.ToUpper(strings.ReplaceAll(strings.ReplaceAll(clock, ".", ""), " ", ""))
	if strings.HasSuffix(clock, "A") || strings.HasSuffix(clock, "P") {
		clock += "M"
	}
	for _, layout := range []string{"15:04", "15:04:05", "3:04PM", "3:04:05PM", "3PM"} {
		if t, err := time.Parse(layout, clock); err == nil {
			return t.Hour()*60 + t.Minute(), true
		}
	}
	return 0, false
}

// date reads the date in a column. It is zero for none and for a fault.
func (r *scheduleRow) date(column, field string) billing.Date {
	day, _, _ := strings.Cut(r.text(column), " ") // some programs add 12:00:00 AM
	return r.dateOf(column, field, day)
}

// dateOf reads M/D/YYYY, M-D-YYYY or YYYY-MM-DD.
func (r *scheduleRow) dateOf(column, field, day string) billing.Date {
	if day == "" {
		return billing.Date{}
	}
	if shortYear.MatchString(day) {
		f := r.fault(column, field, billing.FaultFormat, "Which century? Write the year with four digits.")
		f.Candidates = r.centuries(column, field, day)
		return billing.Date{}
	}
	if on, ok := parseDay(day); ok {
		return on
	}
	message := "The date must be like 4/30/1980 or 1980-04-30."
	if wholeDay.MatchString(day) {
		message = "The calendar has no such day. The date must be like 4/30/1980, with the month first."
	}
	r.fault(column, field, billing.FaultFormat, message)
	return billing.Date{}
}

// wholeDay is a date in one of the forms that are read, whether or not the calendar has it.
var wholeDay = regexp.MustCompile(`^([0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{4}|[0-9]{4}[/-][0-9]{1,2}[/-][0-9]{1,2})$`)

func parseDay(day string) (billing.Date, bool) {
	for _, layout := range []string{time.DateOnly, "1/2/2006", "1-2-2006", "2006/1/2"} {
		if t, err := time.Parse(layout, day); err == nil && t.Year() > 0 {
			return billing.DateOf(t), true
		}
	}
	return billing.Date{}, false
}

// centuries returns the cell with the year of a day in each century that a check accepts: a
// birth is not in the future, and an appointment is within 12 months.
func (r *scheduleRow) centuries(column, field, day string) (all []Candidate) {
	for _, century := range []string{"19", "20"} {
		whole := day[:len(day)-2] + century + day[len(day)-2:]
		on, ok := parseDay(whole)
		if strings.HasSuffix(field, "date_of_birth") {
			ok = ok && !r.today.Before(on)
		} else {
			ok = ok && !on.Before(r.today.AddMonths(-maxServiceMonths)) && !r.today.AddMonths(maxServiceMonths).Before(on)
		}
		if ok {
			text := strings.Replace(r.text(column), day, whole, 1)
			all = append(all, Candidate{text, text})
		}
	}
	return all
}

// shortYear is a date whose year has two digits.
var shortYear = regexp.MustCompile(`^[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{2}$`)
