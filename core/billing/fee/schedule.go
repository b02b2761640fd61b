package fee

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/limit"
)

// Schedule is a list of procedures with an amount for each. It never changes: another one
// replaces it from a date on, and until then it still counts.
type Schedule struct {
	ID                   billing.FeeScheduleID
	Scope                billing.Scope
	CreatedAt            time.Time
	Name                 string
	Kind                 Kind
	OfficeID             billing.OfficeID       // zero for all offices
	Payer                directory.PayerSummary // zero for all payers
	Network              Network                // empty for in and out of network
	EffectiveFrom        billing.Date           // the first service date that it counts on
	WriteOffBeyondLimits bool                   // of an Allowed one: beyond a maximum, a frequency or an age, the office charges no more than the amount
	Limits               limit.Terms            // of an Allowed one: until when the payer accepts claims and appeals
	Replaces             billing.FeeScheduleID  // zero for none
	Count                int                    // of all rows

	Rows []Row // ordered by the code; a list has none, and Question.Prices needs those of its lines only

	// What replaces it, and from when on; zero for nothing. A store fills it in.
	ReplacedBy   billing.FeeScheduleID
	ReplacedFrom billing.Date
}

// Position returns the place in a list, by the time and the ID.
func (s *Schedule) Position() billing.Position { return billing.Position{Time: s.CreatedAt, ID: s.ID} }

// Row is the amount of one procedure.
type Row struct {
	ProcedureCode string // CDT: D and four digits
	Amount        billing.Money
}

// Kind says what the amounts of a schedule are.
type Kind string

// The kinds.
const (
	OfficeFees Kind = "office_fees" // what the office charges
	Allowed    Kind = "allowed"     // the most that a payer counts, by contract
)

// Kinds returns every kind.
func Kinds() []Kind { return []Kind{OfficeFees, Allowed} }

// Network is the standing of an office with a patient's plan.
type Network string

// The standings.
const (
	In  Network = "in"
	Out Network = "out"
)

// Networks returns every standing.
func Networks() []Network { return []Network{In, Out} }

// The limits of a schedule.
const (
	MaxRows = 5_000

	maxAmount billing.Money = 99_999_999 // of a line of a claim
)

// Normalize sorts the rows by their codes.
func (s *Schedule) Normalize() {
	slices.SortStableFunc(s.Rows, func(a, b Row) int {
		switch {
		case a.ProcedureCode < b.ProcedureCode:
			return -1
		case a.ProcedureCode > b.ProcedureCode:
			return 1
		}
		return 0
	})
	s.Count = len(s.Rows)
}

// Judge adds the faults of a schedule. At returns the field of a row's part, by the row's
// number, and what a message about it begins with.
func (s *Schedule) Judge(f *billing.Faults, at func(row int, part string) (field, begin string)) {
	f.Name("name", s.Name)
	if f.Required("kind", string(s.Kind), 0) && !slices.Contains(Kinds(), s.Kind) {
		f.Add("kind", billing.FaultNotAllowed, "The value must be one of office_fees, allowed.")
	}
	if s.Network != "" && !slices.Contains(Networks(), s.Network) {
		f.Add("network", billing.FaultNotAllowed, "The value must be one of in, out. Leave it out for both.")
	}
	if s.Kind != Allowed && !s.Limits.IsZero() {
		f.Add("kind", billing.FaultNotAllowed, "Only a schedule of the kind allowed has limits: leave out filing_days, secondary_filing_days and appeal_days.")
	}
	s.Limits.Judge(f)
	s.judgeRows(f, at)
}

func (s *Schedule) judgeRows(f *billing.Faults, at func(row int, part string) (field, begin string)) {
	switch n := len(s.Rows); {
	case n == 0:
		f.Add("rows", billing.FaultTooFew, "A fee schedule must have at least one row, with a procedure code and an amount.")
	case n > MaxRows:
		f.Add("rows", billing.FaultTooMany, "A fee schedule may have at most 5000 rows. Make several, such as one for each office.")
		return
	}
	first := make(map[string]int, len(s.Rows))
	for i, r := range s.Rows {
		if f.Full() {
			return
		}
		code, begin := at(i, "procedure_code")
		switch before, twice := first[r.ProcedureCode]; {
		case r.ProcedureCode == "": // the form had a fault
		case !coverage.ValidProcedureCode(r.ProcedureCode):
			f.Add(code, billing.FaultFormat, begin+"A procedure code must be D and four digits.")
		case twice:
			_, where := at(before, "procedure_code")
			f.Add(code, billing.FaultConflict, begin+r.ProcedureCode+" has a row already"+earlier(where, before)+". Keep one of them.")
		default:
			first[r.ProcedureCode] = i
		}
		if r.Amount < 0 || r.Amount > maxAmount {
			field, begin := at(i, "amount")
			f.Add(field, billing.FaultRange, begin+"The amount must be from 0.00 to "+maxAmount.String()+".")
		}
	}
}

// earlier says where the first row with a code is, in the words of a message about it.
func earlier(where string, row int) string {
	if where == "" {
		return " (rows." + strconv.Itoa(row) + ")"
	}
	return " (" + strings.ToLower(strings.TrimSuffix(where, ": ")) + ")"
}

// Admit checks a new schedule against those beside it: the one that it replaces, and those
// for the same offices, payers and networks from the same date.
//
// Errors: CodeNotFound for the one that it replaces, and CodeInvalidRequest.
func (s *Schedule) Admit(beside []*Schedule) error {
	var f billing.Faults
	found := s.Replaces.IsZero()
	for _, o := range beside {
		switch {
		case o.ID == s.Replaces:
			found = true
			if !o.ReplacedBy.IsZero() {
				f.Add("replaces", billing.FaultConflict, fmt.Sprintf("%s has replaced this fee schedule already. Replace that one.", o.ReplacedBy))
			}
		case o.aims() == s.aims() && o.EffectiveFrom == s.EffectiveFrom && !o.replacedOn(s.EffectiveFrom):
			f.Add("effective_from", billing.FaultConflict, fmt.Sprintf(
				"%s (%s) counts for the same offices, payers and networks from the same date. Send its ID as replaces, or choose another date.", o.ID, o.Name))
		}
	}
	if !found {
		return billing.NotFound("fee schedule", "replaces")
	}
	return f.Err()
}

// aim is what a schedule is for. Schedules with the same are versions of each other.
type aim struct {
	kind    Kind
	office  billing.OfficeID
	payer   billing.PayerID
	network Network
}

func (s *Schedule) aims() aim { return aim{s.Kind, s.OfficeID, s.Payer.ID, s.Network} }

// replacedOn reports whether another one counts in its place on a day.
func (s *Schedule) replacedOn(day billing.Date) bool {
	return !s.ReplacedBy.IsZero() && !day.Before(s.ReplacedFrom)
}

// CSV returns the rows as a file that becomes a schedule again. Codes and amounts need no
// quotation marks.
func (s *Schedule) CSV() []byte {
	file := []byte("procedure_code,amount\r\n")
	for _, r := range s.Rows {
		file = append(file, r.ProcedureCode+","+r.Amount.String()+"\r\n"...)
	}
	return file
}

// Filter narrows a list of schedules. Zero fields match all.
type Filter struct {
	OfficeID billing.OfficeID
	PayerID  billing.PayerID
	Kind     Kind
	Current  *bool        // whether it is the version that counts on the day
	Day      billing.Date // for Current
}
