package bankfile

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/remit"
)

// columnNames has what banks call the columns. The first that the header has counts.
//
//nolint:gochecknoglobals // a constant table
var columnNames = map[deposit.Column][]string{
	deposit.ColumnDate:      {"date", "posting date", "posted date", "post date", "transaction date", "as of date", "effective date"},
	deposit.ColumnAmount:    {"amount", "transaction amount", "amount usd"},
	deposit.ColumnCredit:    {"credit", "credits", "credit amount", "deposit", "deposits", "money in"},
	deposit.ColumnDebit:     {"debit", "debits", "debit amount", "withdrawal", "withdrawals", "money out"},
	deposit.ColumnText:      {"description", "details", "memo", "text", "transaction description", "narrative", "addenda"},
	deposit.ColumnCompany:   {"company", "company name", "originator", "payer", "payee", "name"},
	deposit.ColumnReference: {"reference", "bank reference", "reference number", "transaction id", "fit id", "trace number"},
	deposit.ColumnCheck:     {"check number", "check", "check no", "serial number"},
	deposit.ColumnAccount:   {"account", "account number", "account no"},
	deposit.ColumnMethod:    {"type", "transaction type", "method"},
}

// sheet is where the columns of a CSV file are.
type sheet struct {
	at map[deposit.Column]int
}

// mostAbove is how many rows a bank may write above the header.
const mostAbove = 100

func readCSV(to *deposit.File, text string, how deposit.Reading, faults *billing.Faults) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace = -1, true, true
	r.Comma = separator(text)
	var s *sheet
	names := map[string]bool{}
	for rows := 0; ; rows++ {
		row, err := r.Read()
		switch {
		case errors.Is(err, io.EOF), s == nil && rows == mostAbove:
			if s == nil && !absent(how.Columns, names, faults) {
				faults.Add("file", billing.FaultFormat, "The file has no header with a date and an amount. Name the columns: date_column and amount_column, or credit_column and debit_column.")
			}
			return
		case err != nil:
			line := 0
			if at, ok := errors.AsType[*csv.ParseError](err); ok {
				line = at.Line
			}
			to.Warn(line, deposit.LineUnread, "The line cannot be read as CSV. It was left out, with what follows.")
			return
		case s == nil: // banks write other lines above the header
			s = header(row, how.Columns)
			for _, name := range row {
				names[plainName(name)] = true
			}
			if s != nil && absent(how.Columns, names, faults) {
				return
			}
			if s != nil && how.Account == "" && !s.has(deposit.ColumnAccount) {
				faults.Add("account", billing.FaultRequired, "The file does not say which account it is of. Send the last four digits of its number.")
				return
			}
		default:
			line, _ := r.FieldPos(0)
			s.row(to, line, row, how.Account)
			if len(to.Entries) > deposit.MaxEntries {
				return
			}
		}
	}
}

// absent adds a fault for each column that was named and that the file does not have, and reports
// whether there is one.
func absent(named map[deposit.Column]string, names map[string]bool, faults *billing.Faults) (is bool) {
	for _, c := range deposit.Columns() {
		if own, given := named[c]; given && !names[plainName(own)] {
			faults.Add(string(c), billing.FaultNotAllowed, "The file has no column with this name. Correct the name, or leave it out if the bank calls the column by a usual one.")
			is = true
		}
	}
	return is
}

// separator returns what the file has most of: commas, semicolons or tabs.
func separator(text string) rune {
	head := text[:min(len(text), 2000)]
	best, most := ',', 0
	for _, r := range []rune{',', ';', '\t'} {
		if n := strings.Count(head, string(r)); n > most {
			best, most = r, n
		}
	}
	return best
}

// header returns where the columns are; nil for a row that is no header.
func header(row []string, named map[deposit.Column]string) *sheet {
	s := &sheet{map[deposit.Column]int{}}
	plain := make([]string, len(row))
	for i, name := range row {
		plain[i] = plainName(name)
	}
	for _, c := range deposit.Columns() {
		names := columnNames[c]
		if own, given := named[c]; given {
			names = []string{plainName(own)}
		}
		for _, name := range names {
			if i := slices.Index(plain, name); i >= 0 {
				s.at[c] = i
				break
			}
		}
	}
	if !s.has(deposit.ColumnDate) || !s.has(deposit.ColumnAmount) && !s.has(deposit.ColumnCredit) {
		return nil
	}
	return s
}

func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-#.()$/", r) {
			return ' '
		}
		return r
	}, strings.ToLower(name))
	return strings.Join(strings.Fields(name), " ")
}

func (s *sheet) has(c deposit.Column) bool {
	_, ok := s.at[c]
	return ok
}

func (s *sheet) cell(row []string, c deposit.Column) string {
	if i, ok := s.at[c]; ok && i < len(row) {
		return strings.TrimSpace(row[i])
	}
	return ""
}

func (s *sheet) row(to *deposit.File, line int, row []string, account string) {
	if !slices.ContainsFunc(row, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
		return
	}
	day, dated := dayOf(s.cell(row, deposit.ColumnDate))
	amount, priced := s.amount(row)
	kind := s.cell(row, deposit.ColumnMethod)
	if amount > 0 && s.cell(row, deposit.ColumnAmount) != "" && leaves(kind) {
		amount = -amount
	}
	if own := s.cell(row, deposit.ColumnAccount); remit.LastFour(own) != "" {
		account = own
	}
	if !dated || !priced || remit.LastFour(account) == "" {
		to.Warn(line, deposit.LineUnread, "The line has no date, amount or account that can be read. It was left out.")
		return
	}
	if amount == 0 {
		return
	}
	e := deposit.Entry{
		Date: day, Amount: amount, Company: s.cell(row, deposit.ColumnCompany), Text: s.cell(row, deposit.ColumnText), Reference: s.cell(row, deposit.ColumnReference),
	}
	e.Method = csvMethod(kind + " " + e.Text)
	if number := strings.TrimLeft(s.cell(row, deposit.ColumnCheck), "0#"); number != "" && billing.AllDigits(number) {
		e.Method, e.Trace = deposit.Check, number
	}
	if kind != "" {
		e.Text = kind + " " + e.Text
	}
	to.Entries = append(to.Entries, finish(e, account))
}

// leaves reports whether the type of an entry says that the money left the account. Some banks write
// it in place of the sign.
func leaves(kind string) bool {
	kind = strings.TrimPrefix(plainName(kind), "ach ")
	return kind == "debit" || kind == "dr" || kind == "withdrawal"
}

// amount returns the amount of a row: signed, or from a column for money in or out.
func (s *sheet) amount(row []string) (billing.Money, bool) {
	if text := s.cell(row, deposit.ColumnAmount); text != "" || !s.has(deposit.ColumnCredit) {
		return amountOf(text)
	}
	if text := s.cell(row, deposit.ColumnCredit); text != "" {
		if m, ok := amountOf(text); !ok || m != 0 {
			return m, ok // a negative credit takes money out
		}
	}
	m, ok := amountOf(s.cell(row, deposit.ColumnDebit))
	return -m.Abs(), ok
}

// amountOf reads an amount such as $1,234.50, (12.00), 12.00- or 12.
func amountOf(text string) (billing.Money, bool) {
	text = strings.NewReplacer("$", "", " ", "", "+", "").Replace(text)
	negative := false
	if inner, ok := strings.CutPrefix(text, "("); ok {
		text, negative = strings.TrimSuffix(inner, ")"), true
	}
	if before, ok := strings.CutSuffix(text, "-"); ok {
		text, negative = before, true
	}
	m, err := billing.ParseX12Money(text)
	if negative {
		m = -m
	}
	return m, err == nil
}

// dayOf reads a date as American banks write it, with a time or without one.
func dayOf(text string) (billing.Date, bool) {
	day, _, _ := strings.Cut(text, " ")
	day, _, _ = strings.Cut(day, "T")
	for _, try := range []struct {
		text    string
		layouts []string
	}{
		{day, []string{time.DateOnly, "1/2/2006", "1/2/06", "20060102", "1-2-2006"}},
		{text, []string{"Jan 2, 2006", "January 2, 2006", "2-Jan-2006", "2-Jan-06", "2 Jan 2006"}},
	} {
		for _, layout := range try.layouts {
			if t, err := time.Parse(layout, try.text); err == nil && t.Year() > 1990 {
				return billing.DateOf(t), true
			}
		}
	}
	return billing.Date{}, false
}

// csvMethod guesses how money came from what the bank calls it.
func csvMethod(text string) deposit.Method {
	text = strings.ToUpper(text)
	switch {
	case strings.Contains(text, "ACH"), strings.Contains(text, claimPayment):
		return deposit.ACH
	case strings.Contains(text, "MERCHANT"), strings.Contains(text, "BANKCARD"), strings.Contains(text, "CARD"):
		return deposit.VirtualCard
	case strings.Contains(text, "CHECK"):
		return deposit.Check
	default:
		return deposit.Other
	}
}
