package deposit

import "github.com/molar-billing/molar/core/billing"

// Reading says how a bank's file is read.
type Reading struct {
	Format  Format            // empty for what the file looks like
	Account string            // the last four digits, for a file that does not say; empty for none
	Columns map[Column]string // of a CSV file: the names in its header; those that are absent are guessed
}

// Column is what a column of a CSV file has, under the name of the part of a form that names it.
type Column string

// The columns.
const (
	ColumnDate      Column = "date_column"
	ColumnAmount    Column = "amount_column" // signed
	ColumnCredit    Column = "credit_column" // in place of an amount
	ColumnDebit     Column = "debit_column"
	ColumnText      Column = "text_column"
	ColumnCompany   Column = "company_column"
	ColumnReference Column = "reference_column"
	ColumnCheck     Column = "check_number_column"
	ColumnAccount   Column = "account_column"
	ColumnMethod    Column = "method_column"
)

// Columns lists every column.
func Columns() []Column {
	return []Column{
		ColumnDate, ColumnAmount, ColumnCredit, ColumnDebit, ColumnText, ColumnCompany, ColumnReference, ColumnCheck, ColumnAccount, ColumnMethod,
	}
}

// MaxEntries is how many entries a file has at most.
const MaxEntries = 5000

// File is what a bank's file says.
type File struct {
	Format   Format
	Entries  []Entry
	Warnings []Warning // the first MaxWarnings
}

// MaxWarnings is how many warnings are kept.
const MaxWarnings = 100

// WarningCode says what is wrong with a file that was read nevertheless.
type WarningCode string

// The codes.
const (
	ControlDiffers WarningCode = "control_differs" // a count, a hash or a total is not what the entries give
	TrailerMissing WarningCode = "trailer_missing" // the file ends early
	LineUnread     WarningCode = "line_unread"     // a line was left out
)

// WarningCodes lists every code.
func WarningCodes() []WarningCode { return []WarningCode{ControlDiffers, TrailerMissing, LineUnread} }

// Warning is something wrong with a file.
type Warning struct {
	Line    int // from 1; 0 for the whole file
	Code    WarningCode
	Message string // without what the file says
}

// Warn adds a warning.
func (f *File) Warn(line int, code WarningCode, message string) {
	if len(f.Warnings) < MaxWarnings {
		f.Warnings = append(f.Warnings, Warning{line, code, message})
	}
}

// Accounts returns the accounts of the entries, with their first and last days, in the order of
// the file.
func (f *File) Accounts() (all []*Account) {
	by := map[string]*Account{}
	for i := range f.Entries {
		e := &f.Entries[i]
		a := by[e.Account]
		if a == nil {
			a = &Account{Number: e.Account, From: e.Date, To: e.Date}
			by[e.Account], all = a, append(all, a)
		}
		span := billing.DateSpan{From: a.From, To: a.To}.Including(e.Date)
		a.From, a.To = span.From, span.To
	}
	return all
}
