package intake

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// MaxScheduleRows is the most rows of a schedule's file.
const MaxScheduleRows = 5_000

// ScheduleFile is the schedule of a practice as another program exported it: a CSV file with
// one appointment in each row. How a file is encoded and separated is in readSheet.
type ScheduleFile struct {
	CSV      []byte
	OfficeID string            // of rows that name no office
	Columns  map[string]string // a column's name to its field of ScheduleFields, or to "" to leave it out; it goes before the synonyms
	Payers   map[string]string // a payer's name in the file to any ID or alias of the payer
	Today    billing.Date      // in the office's time zone
}

// Schedule is what was read of a file.
type Schedule struct {
	Columns []ScheduleColumn
	Items   []ScheduleItem // one for each row, in the file's order
	Faults  []CellFault    // in the order of the file's lines and columns
}

// ScheduleColumn is a column of the file. Field is empty for one that is left out.
type ScheduleColumn struct {
	Name, Field string
}

// ScheduleItem is a row as a request for a check. It is complete unless a fault names its line.
type ScheduleItem struct {
	Line          int    // of the file, from 1
	ItemID        string // of the file, or line-N
	AppointmentID string // empty for none
	Appointment   Appointment
	Request       EligibilityRequest
	Restored      bool // the member ID has leading zeros again that the file had lost
}

// CellFault is what is wrong with a cell. Its message says no value, so that it may be logged;
// the value is for the person who corrects it.
type CellFault struct {
	Line, Column int    // from 1; the column is 0 if the file has none for the field
	Field        string // of the item, such as subscriber.date_of_birth
	Code         billing.FaultCode
	Message      string
	Value        string             // of the cell; patient data
	Candidates   []*directory.Payer // for a payer's name that is not one payer's
}

// Read reads the file. What makes the whole file unreadable is in the faults of the request;
// what is wrong with a row is in the schedule, whose other rows are read all the same.
func (r ScheduleFile) Read(payers *directory.PayerDirectory) (s Schedule, faults billing.Faults) {
	all := readSheet(r.CSV, MaxScheduleRows, &faults)
	if len(all.header) == 0 && len(faults) == 0 {
		faults.Add("body", billing.FaultRequired, "The file is empty. Its first line names the columns, such as patient_name, date_of_birth, payer and member_id.")
	}
	columns := r.columns(&all, &s, &faults)
	if len(faults) > 0 {
		return s, faults
	}
	ids := map[string]int{} // the line of each item ID
	for _, row := range all.rows {
		read := scheduleRow{file: r, payers: payers, columns: columns, cells: row}
		item := read.item()
		if line, twice := ids[item.ItemID]; twice {
			read.fault("item_id", "item_id", billing.FaultConflict, "Line "+strconv.Itoa(line)+" has the same item ID. Each row needs its own.")
		}
		ids[item.ItemID] = item.Line
		s.Items, s.Faults = append(s.Items, item), append(s.Faults, read.faults...)
	}
	restoreZeros(s.Items)
	slices.SortStableFunc(s.Faults, func(a, b CellFault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return s, nil
}

// columns finds the column of each field: by the caller's mapping, or by its synonyms.
func (r ScheduleFile) columns(all *sheet, s *Schedule, faults *billing.Faults) map[string]int {
	mapped := map[string]string{}
	for name, field := range r.Columns {
		mapped[words(name)] = field
	}
	found, known := map[string]int{}, synonyms()
	for i, c := range all.header {
		field, ok := mapped[words(c.text)]
		if !ok {
			field = known[words(c.text)]
		}
		s.Columns = append(s.Columns, ScheduleColumn{c.text, field})
		if field == "" {
			continue
		}
		if first, twice := found[field]; twice {
			at, begin := c.at()
			faults.Add(at, billing.FaultConflict, begin+"column "+strconv.Itoa(first+1)+" is "+field+" already. Map one of the two to another field, or leave it out.")
			continue
		}
		found[field] = i
	}
	has := func(fields ...string) bool {
		return slices.ContainsFunc(fields, func(f string) bool { _, ok := found[f]; return ok })
	}
	for _, need := range [][]string{{"member_id"}, {"payer", "payer_id"}, {"date_of_birth", "subscriber_date_of_birth"}, {"name", "last_name", "subscriber_name", "subscriber_last_name"}} {
		if len(all.header) > 0 && !has(need...) {
			faults.Add("columns."+need[0], billing.FaultRequired, "No column of the file is "+strings.Join(need, " or ")+". Map a column to it.")
		}
	}
	return found
}

// ScheduleFields returns the fields that a column can be, in alphabetical order.
func ScheduleFields() []string { return slices.Sorted(maps.Keys(fieldNames())) }

// fieldNames has for each field what programs call its column, in lower case and without signs:
// the names of Open Dental's and Dentrix's reports, and those of Eaglesoft and Curve. A field's
// own name is one, too.
func fieldNames() map[string][]string {
	return map[string][]string{
		"item_id":                  nil,
		"appointment_id":           {"appt id", "apt id", "aptnum", "apt num", "appt num", "appt number", "appointment number", "appointment no"},
		"appointment_at":           {"appointment", "appt", "aptdatetime", "apt date time", "appt date time", "appointment date time", "appointment datetime", "appt datetime", "date time", "datetime", "start"},
		"appointment_date":         {"date", "appt date", "apt date", "date of appointment", "visit date", "scheduled date"},
		"appointment_time":         {"time", "appt time", "apt time", "start time", "scheduled time"},
		"service_date":             {"date of service", "dos"},
		"office_id":                nil,
		"payer_id":                 {"payor id", "electid", "elect id", "electronic id", "electronic payer id", "carrier id", "ins payer id"},
		"payer":                    {"payer name", "payor", "payor name", "carrier", "carrier name", "carriername", "insurance", "insurance company", "insurance co", "insurance name", "insurance carrier", "ins co", "ins company", "ins carrier", "primary insurance", "primary carrier", "primary insurance company", "prim carrier", "prim ins", "pri ins"},
		"member_id":                {"member number", "member no", "subscriber id", "subscriberid", "subscriber number", "sub id", "policy id", "policy number", "policy no", "insurance id", "ins id", "insured id", "primary subscriber id", "primary member id", "primary id", "prim subscriber id"},
		"group_number":             {"group", "group no", "group num", "groupnum", "group id", "grp", "grp no", "primary group number", "plan group number"},
		"name":                     {"patient", "patient name", "pt name", "pt", "patname", "full name", "patient full name"},
		"first_name":               {"first", "fname", "patient first name", "patient first", "pt first name", "patfname"},
		"last_name":                {"last", "lname", "patient last name", "patient last", "pt last name", "patlname", "surname"},
		"date_of_birth":            {"dob", "birth date", "birthdate", "birthday", "patient dob", "patient date of birth", "patient birth date", "patient birthdate", "pt dob"},
		"gender":                   {"sex", "patient gender", "patient sex"},
		"relationship":             {"rel", "relation", "relationship to subscriber", "relation to subscriber", "relationship to insured", "rel to sub", "rel to insured", "patient relationship", "patrel"},
		"subscriber_name":          {"subscriber", "insured", "insured name", "policy holder", "policyholder", "policy holder name", "policyholder name", "primary subscriber", "guarantor insured"},
		"subscriber_first_name":    {"subscriber first", "insured first name", "policy holder first name", "policyholder first name", "subfname"},
		"subscriber_last_name":     {"subscriber last", "insured last name", "policy holder last name", "policyholder last name", "sublname"},
		"subscriber_date_of_birth": {"subscriber dob", "subscriber birth date", "subscriber birthdate", "insured dob", "insured birth date", "insured date of birth", "policy holder dob", "policyholder dob"},
		"subscriber_gender":        {"subscriber sex", "insured gender", "insured sex"},
		"procedure_codes":          {"procedure code", "procedures", "procedure", "codes", "proc codes", "proc code", "procs", "ada codes", "ada code", "cdt codes"},
	}
}

// synonyms has the field of each name.
func synonyms() map[string]string {
	all := map[string]string{}
	for field, names := range fieldNames() {
		all[words(field)] = field
		for _, name := range names {
			all[name] = field
		}
	}
	return all
}

// The rule of restoreZeros.
const (
	minPeers = 3 // IDs of the usual length
	maxLost  = 3 // zeros
)

// restoreZeros gives member IDs the leading zeros back that a spreadsheet took. The file tells
// where all IDs of a payer are digits and at least three have the greatest length. An ID that
// is up to three digits shorter then begins with zeros.
func restoreZeros(items []ScheduleItem) {
	type peers struct {
		longest, count int
		mixed          bool
	}
	of := map[string]*peers{}
	for _, i := range items {
		id := i.Request.Subscriber.MemberID
		p := of[i.Request.PayerID]
		if p == nil {
			p = &peers{}
			of[i.Request.PayerID] = p
		}
		switch {
		case id == "":
		case !digits(id):
			p.mixed = true
		case len(id) > p.longest:
			p.longest, p.count = len(id), 1
		case len(id) == p.longest:
			p.count++
		}
	}
	for n := range items {
		i := &items[n]
		id, p := i.Request.Subscriber.MemberID, of[i.Request.PayerID]
		if lost := p.longest - len(id); id != "" && i.Request.PayerID != "" && !p.mixed && p.count >= minPeers && lost > 0 && lost <= maxLost {
			i.Request.Subscriber.MemberID, i.Restored = strings.Repeat("0", lost)+id, true
		}
	}
}

// digits reports whether the text is digits and nothing else.
func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
