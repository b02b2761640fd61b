package intake

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// The limits of a schedule's file.
const (
	MaxScheduleRows    = 5_000
	maxScheduleOffices = 100
)

// ScheduleFile is the schedule of a practice as another program exported it: a CSV file with
// one appointment in each row. How a file is encoded and separated is in readSheet.
type ScheduleFile struct {
	CSV      string
	OfficeID *string        // of rows that name no office; nil if the file has a column for it
	Faults   billing.Faults // found when the request was decoded
}

// Schedule is a file whose columns are known, and then what was read of its rows.
type Schedule struct {
	Line    int // of the columns' names
	Columns []ScheduleColumn
	Rows    []ScheduleRow // in the file's order
	Faults  []CellFault   // in the order of the file's lines and columns

	officeID string
	mapped   *directory.ImportMapping
	found    map[string]int // the column of each field
	cells    [][]cell
}

// ScheduleColumn is a column of the file. Field is empty for one that is left out: because the
// mapping says so, or because nobody knows what it means.
type ScheduleColumn struct {
	Name, Field string
	Known       bool
}

// ScheduleRow is a row of the file. It is a request for a check if no fault stands in it.
type ScheduleRow struct {
	Line   int // of the file, from 1
	Cells  []string
	Faulty bool // a fault stands in it, or in the line with the columns' names

	ItemID        string    // of the file, or line-N
	AppointmentID string    // empty for none
	AppointmentAt time.Time // zero if the time is not known
	Request       EligibilityRequest
	Restored      bool // the member ID has leading zeros again that the file had lost
}

// CellFault is what is wrong with a cell. Its message says no value, so that it may be logged;
// the candidates are for the person who corrects it.
type CellFault struct {
	Line, Column int    // from 1; the column is 0 if the file has none for the field
	Field        string // of the item, such as subscriber.date_of_birth
	Code         billing.FaultCode
	Message      string
	Candidates   []Candidate // what the cell may mean; patient data
}

// Candidate is what a cell may say in place of what it says, and its name for people.
type Candidate struct{ Value, Label string }

// Open reads the file and finds what its columns mean. What makes the whole file unreadable is in the faults
// of the request; a column that is missing, or there twice, is in those of the schedule.
func (r ScheduleFile) Open(mapped *directory.ImportMapping) (*Schedule, billing.Faults) {
	faults := slices.Clone(r.Faults)
	s := &Schedule{mapped: mapped, found: map[string]int{}}
	if r.OfficeID != nil {
		s.officeID = *r.OfficeID
		optionalID[billing.OfficeID](&faults, "office_id", r.OfficeID, "office")
	}
	all := readSheet([]byte(r.CSV), MaxScheduleRows, &faults)
	if len(all.header) == 0 && len(faults) == 0 {
		faults.Add("csv", billing.FaultRequired, "The file is empty. Its first line names the columns, such as patient_name, date_of_birth, payer and member_id.")
	}
	if len(faults) > 0 {
		return s, faults
	}
	s.Line, s.cells = all.header[0].line, all.rows
	for _, row := range all.rows {
		texts := make([]string, len(row))
		for i, c := range row {
			texts[i] = c.text
		}
		s.Rows = append(s.Rows, ScheduleRow{Line: row[0].line, Cells: texts, Faulty: true})
	}
	s.columns(all.header)
	if _, named := s.found["office_id"]; !named && r.OfficeID == nil {
		faults.Add("office_id", billing.FaultRequired, "Send the ID of the office that the file is of.")
	}
	if len(s.OfficeIDs()) > maxScheduleOffices {
		faults.Add("csv", billing.FaultTooMany, "The file names more than 100 offices. Split it.")
	}
	return s, faults
}

// columns finds the column of each field: by the mapping, or by its synonyms.
func (s *Schedule) columns(header []cell) {
	mapped, known := map[string]string{}, synonyms()
	for _, c := range s.mapped.Columns {
		mapped[words(c.Name)] = c.Field
	}
	fault := func(at cell, field string, code billing.FaultCode, message string) {
		s.Faults = append(s.Faults, CellFault{Line: at.line, Column: at.column, Field: field, Code: code, Message: message})
	}
	for i, c := range header {
		field, ok := mapped[words(c.text)]
		if !ok {
			field, ok = known[words(c.text)]
		}
		s.Columns = append(s.Columns, ScheduleColumn{c.text, field, ok})
		if field == "" {
			continue
		}
		if first, twice := s.found[field]; twice {
			fault(c, field, billing.FaultConflict, "Column "+strconv.Itoa(first+1)+" is "+field+" already. Map one of the two to another field, or leave it out.")
			continue
		}
		s.found[field] = i
	}
	has := func(field string) bool { _, ok := s.found[field]; return ok }
	for _, need := range [][]string{{"member_id"}, {"payer", "payer_id"}, {"date_of_birth", "subscriber_date_of_birth"}, {"name", "last_name", "subscriber_name", "subscriber_last_name"}} {
		if !slices.ContainsFunc(need, has) {
			fault(cell{line: s.Line}, need[0], billing.FaultRequired, "No column of the file is "+strings.Join(need, " or ")+". Map a column to it.")
		}
	}
}

// OfficeIDs returns the offices that the file is of, each once.
func (s *Schedule) OfficeIDs() (all []billing.OfficeID) {
	texts := []string{s.officeID}
	if column, ok := s.found["office_id"]; ok {
		for _, row := range s.cells {
			texts = append(texts, in(row, column).text)
		}
	}
	for _, text := range texts {
		if id, err := billing.ParseID[billing.OfficeID](text); err == nil && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// Read reads the rows. What is wrong with one is in its faults; the others are read all the
// same. A file whose columns have faults is not read.
func (s *Schedule) Read(payers *directory.PayerDirectory, offices map[billing.OfficeID]*directory.Office, now time.Time) {
	if len(s.Faults) > 0 {
		return
	}
	named := map[string]*directory.Payer{}
	for _, m := range s.mapped.Payers {
		if p, ok := payers.Find(m.Payer.ID.String()); ok {
			named[words(m.Name)] = p
		}
	}
	ids := map[string]int{} // the line of each item ID
	for i := range s.Rows {
		row := &s.Rows[i]
		read := scheduleRow{Schedule: s, payers: payers, named: named, offices: offices, now: now, cells: s.cells[i]}
		read.into(row)
		if line, twice := ids[row.ItemID]; twice {
			read.fault("item_id", "item_id", billing.FaultConflict, "Line "+strconv.Itoa(line)+" has the same item ID. Each row needs its own.")
		}
		ids[row.ItemID] = row.Line
		row.Faulty = len(read.faults) > 0
		slices.SortStableFunc(read.faults, func(a, b CellFault) int { return cmp.Compare(a.Column, b.Column) })
		s.Faults = append(s.Faults, read.faults...)
	}
	restoreZeros(s.Rows)
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
func restoreZeros(items []ScheduleRow) {
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
