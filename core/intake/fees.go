package intake

import (
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/fee"
)

// FeeScheduleRequest is a fee schedule as a caller wrote it; nothing is parsed yet. Nil is a
// value that was left out or null.
type FeeScheduleRequest struct {
	Name, Kind           string
	OfficeID             *string
	PayerID              *string // any ID or alias of the payer
	Network              *string
	EffectiveFrom        string
	WriteOffBeyondLimits *bool
	Replaces             *string
	Rows                 []FeeRowInput
	CSV                  []byte         `body:"-"` // the rows as a file, in place of Rows; nil for none
	Faults               billing.Faults // found when the body was decoded

	LimitsInput
}

// FeeRowInput is a row as a caller wrote it.
type FeeRowInput struct {
	ProcedureCode string
	Amount        string
}

// Schedule validates the request and returns the requested schedule, without ID, scope, payer
// and times.
func (r FeeScheduleRequest) Schedule() (fee.Schedule, billing.Faults) {
	f := slices.Clone(r.Faults)
	s := fee.Schedule{
		Name: r.Name, Kind: fee.Kind(r.Kind), EffectiveFrom: day(&f, "effective_from", r.EffectiveFrom),
		OfficeID: optionalID[billing.OfficeID](&f, "office_id", r.OfficeID, "office"),
		Replaces: optionalID[billing.FeeScheduleID](&f, "replaces", r.Replaces, "fee schedule"),
	}
	if r.PayerID != nil {
		f.Required("payer_id", *r.PayerID, 0)
	}
	if r.Network != nil && f.Required("network", *r.Network, 0) {
		s.Network = fee.Network(*r.Network)
	}
	s.Limits = r.terms(&f)
	s.WriteOffBeyondLimits = s.Kind == fee.Allowed && (r.WriteOffBeyondLimits == nil || *r.WriteOffBeyondLimits)
	if r.WriteOffBeyondLimits != nil && s.Kind == fee.OfficeFees {
		f.Add("write_off_beyond_limits", billing.FaultNotAllowed, "Only a schedule of the kind allowed has write_off_beyond_limits. Leave it out.")
	}
	at := func(row int, part string) (string, string) { return "rows." + strconv.Itoa(row) + "." + part, "" }
	if r.CSV != nil {
		at = r.readCSV(&s, &f)
	} else {
		r.readRows(&s, &f)
	}
	s.Judge(&f, at)
	s.Normalize()
	inLines(f)
	return s, f
}

// inLines puts the faults of a file last, in the order of its lines.
func inLines(f billing.Faults) {
	line := func(f billing.FieldFault) (n [2]int) {
		if at, ok := strings.CutPrefix(f.Field, "csv."); ok {
			line, column, _ := strings.Cut(at, ".")
			n[0], _ = strconv.Atoi(line)
			n[1], _ = strconv.Atoi(column)
		}
		return n
	}
	slices.SortStableFunc(f, func(a, b billing.FieldFault) int {
		at, before := line(a), line(b)
		return slices.Compare(at[:], before[:])
	})
}

func (r FeeScheduleRequest) readRows(s *fee.Schedule, f *billing.Faults) {
	s.Rows = make([]fee.Row, len(r.Rows))
	for i, in := range r.Rows {
		if f.Full() {
			return
		}
		at := "rows." + strconv.Itoa(i) + "."
		f.Required(at+"procedure_code", in.ProcedureCode, 0)
		s.Rows[i].ProcedureCode = in.ProcedureCode
		if !f.Required(at+"amount", in.Amount, 0) {
			continue
		}
		var err error
		if s.Rows[i].Amount, err = billing.ParseMoney(in.Amount); err != nil {
			f.Add(at+"amount", billing.FaultFormat, "The amount must have digits, a point and two decimals, such as 125.00.")
		}
	}
}

// readCSV reads the rows of a file. A file without a header has the codes in its first
// column, and the amounts in the second. It returns where parts of its rows are.
func (r FeeScheduleRequest) readCSV(s *fee.Schedule, f *billing.Faults) func(int, string) (string, string) {
	all := readSheet(r.CSV, fee.MaxRows, f)
	before := len(*f)
	code := all.best(f, "the procedure code", []string{"procedure code", "proc code", "ada code", "cdt code", "cdt"}, []string{"code"}, []string{"procedure", "proc"})
	amount := all.best(f, "the amount", amountNames(s.Kind)...)
	twice := len(*f) > before
	switch {
	case len(all.header) == 0 && len(*f) == 0:
		f.Add("body", billing.FaultRequired, "The file is empty. Its first line names the columns procedure_code and amount.")
	case len(all.header) > 1 && coverage.ValidProcedureCode(procedureCode(all.header[0].text)):
		code, amount, all.rows = 0, 1, slices.Insert(all.rows, 0, all.header)
	case len(all.header) > 0 && !twice && (code < 0 || amount < 0):
		f.Add(place(all.header[0].line, 1), billing.FaultRequired, "The first line must name the columns: procedure_code and amount. Other columns are left out.")
	}
	at := func(row int, part string) (string, string) {
		column := amount
		if part == "procedure_code" {
			column = code
		}
		return in(all.rows[row], column).at()
	}
	if code < 0 || amount < 0 {
		f.Add("rows", billing.FaultRequired, "The rows cannot be read before the file is corrected.")
		return at
	}
	s.Rows = make([]fee.Row, len(all.rows))
	for i, row := range all.rows {
		s.Rows[i] = feeRow(in(row, code), in(row, amount), f)
	}
	return at
}

// amountNames returns the names of columns with amounts: those that mean the kind of the fee schedule, those that mean no kind,
// and those that mean the other one. With one column of amounts in a file, the kind that the caller names says what they are.
func amountNames(kind fee.Kind) [][]string {
	office := []string{"office fee", "office fees", "ucr", "ucr fee", "standard fee", "usual fee", "full fee", "billed", "billed amount"}
	allowed := []string{
		"allowed", "allowed amount", "allowed fee", "allowable", "allowable amount", "maximum allowed", "max allowed", "contract fee", "contracted fee",
		"negotiated fee", "ppo fee", "ppo", "network fee", "plan fee", "insurance fee", "carrier fee",
	}
	neutral := []string{"amount", "fee", "price"}
	if kind == fee.Allowed {
		return [][]string{allowed, neutral, office}
	}
	return [][]string{office, neutral, allowed}
}

// feeRow reads a row of a file.
func feeRow(code, amount cell, f *billing.Faults) (r fee.Row) {
	if f.Full() {
		return r
	}
	if r.ProcedureCode = procedureCode(code.text); r.ProcedureCode == "" {
		field, begin := code.at()
		f.Add(field, billing.FaultRequired, begin+"The procedure code is missing.")
	}
	field, begin := amount.at()
	m, err := sheetMoney(amount.text)
	switch {
	case amount.text == "":
		f.Add(field, billing.FaultRequired, begin+"The amount is missing. Write 0.00 for what is free, or remove the row.")
	case err != nil:
		f.Add(field, billing.FaultFormat, begin+"The amount must be dollars and cents, such as 1250.00 or $1,250.00.")
	}
	r.Amount = m
	return r
}

func procedureCode(text string) string { return strings.ToUpper(text) }

// sheetMoney reads an amount as a spreadsheet shows it: with or without a dollar sign, commas
// between thousands, and cents. It never rounds. A comma in place of the point is an error.
func sheetMoney(text string) (billing.Money, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "$"))
	whole, cents, _ := strings.Cut(text, ".")
	if len(cents) > 2 {
		if strings.Trim(cents[2:], "0") != "" {
			return 0, billing.ErrMalformedMoney
		}
		cents = cents[:2]
	}
	if groups := strings.Split(whole, ","); len(groups) > 1 {
		for i, g := range groups {
			if len(g) != 3 && (i > 0 || len(g) > 3 || g == "") {
				return 0, billing.ErrMalformedMoney
			}
		}
		whole = strings.Join(groups, "")
	}
	return billing.ParseMoney(whole + "." + (cents + "00")[:2])
}
