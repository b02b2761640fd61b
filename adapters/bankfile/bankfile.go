// Package bankfile reads what banks say about the money on an account: NACHA files with CCD+
// entries, BAI2 files, and CSV files with mapped columns. Banks cut these files, so a wrong count,
// hash or total, or a missing trailer, is a warning, and the entries are read. Of an account
// number only the last four digits leave this package.
package bankfile

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Reader reads the files of banks.
type Reader struct{}

// Read reads a file. Faults are why nothing of it was read.
func (Reader) Read(content []byte, how deposit.Reading) (f deposit.File, faults billing.Faults) {
	text := decoded(content)
	if how.Format == "" {
		how.Format = looksLike(text)
	}
	f.Format = how.Format
	switch how.Format {
	case deposit.NACHA:
		readNACHA(&f, text)
	case deposit.BAI2:
		readBAI2(&f, text)
	case deposit.CSV:
		readCSV(&f, text, how, &faults)
	}
	f.Entries = slices.DeleteFunc(f.Entries, func(e deposit.Entry) bool { return e.Account == "" && how.Account == "" })
	for i := range f.Entries {
		if f.Entries[i].Account == "" { // the file has no digits of it
			f.Entries[i].Account = how.Account
		}
	}
	switch {
	case len(faults) > 0:
	case len(f.Entries) > deposit.MaxEntries:
		faults.Add("file", billing.FaultTooMany, "The file has more than 5,000 entries. Ask the bank for shorter periods, or split it.")
	case len(f.Entries) == 0:
		faults.Add("file", billing.FaultFormat, "The file has no entries of a bank account that can be read. Send a NACHA, BAI2 or CSV file, and say which with format.")
	}
	return f, faults
}

// looksLike returns the format that the first record has.
func looksLike(text string) deposit.Format {
	switch text = strings.TrimLeft(text, " \r\n"); {
	case strings.HasPrefix(text, "01,"), strings.HasPrefix(text, "02,"), strings.HasPrefix(text, "03,"):
		return deposit.BAI2
	case strings.HasPrefix(text, "101 "), strings.HasPrefix(text, "5") && len(text) > recordLength && !strings.Contains(text[:50], ","):
		return deposit.NACHA
	default:
		return deposit.CSV
	}
}

// decoded returns the text of a file in UTF-8 or Windows-1252.
func decoded(b []byte) string {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	if utf8.Valid(b) {
		return strings.ReplaceAll(string(b), "\x00", " ")
	}
	var text strings.Builder
	for _, c := range b { // names in other letters only matter to people
		if c == 0 {
			c = ' '
		}
		text.WriteRune(rune(c))
	}
	return text.String()
}

const maxText = 500 // runes of a text that are kept

// words returns a text with single spaces, and without the whole number of its account.
func words(text, account string) string {
	if full := strings.TrimSpace(account); len(full) > 4 {
		text = strings.ReplaceAll(text, full, "*"+remit.LastFour(full))
	}
	return clip(strings.Join(strings.Fields(text), " "), maxText)
}

func clip(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}

// claimPayment is what payers call the payment of claims (CAQH CORE 370).
const claimPayment = "HCCLAIMPMT"

// finish completes an entry from its words.
func finish(e deposit.Entry, account string) deposit.Entry {
	e.Account = remit.LastFour(account)
	trace := traceNumber(e.Text)
	if trace != "" {
		e.Trace = trace
	}
	e.Claims = e.Claims || trace != "" || strings.Contains(strings.ToUpper(e.Text), claimPayment)
	e.Text, e.Company = words(e.Text, account), clip(words(e.Company, account), maxName)
	e.Trace, e.Reference = clip(e.Trace, maxName), clip(strings.TrimSpace(e.Reference), maxName)
	if strings.Trim(e.Reference, "0") == "" { // zeros say that there is none
		e.Reference = ""
	}
	return e
}

const maxName = 80 // runes of a name or a number that are kept

// traceNumber returns TRN02 of the TRN segment in a text; the empty string without one.
func traceNumber(text string) string {
	_, trn, found := strings.Cut(strings.ToUpper(text), "TRN*1*")
	if !found {
		return ""
	}
	if i := strings.IndexAny(trn, "*\\~ ,;"); i >= 0 {
		trn = trn[:i]
	}
	return clip(trn, 50)
}

// cents reads an amount without a decimal point.
func cents(text string) (billing.Money, bool) {
	digits := strings.TrimLeft(strings.TrimSpace(text), "+-0")
	if len(digits) > 15 || !billing.AllDigits(digits) {
		return 0, false
	}
	var m billing.Money
	for _, c := range digits {
		m = m*10 + billing.Money(c-'0')
	}
	if strings.HasPrefix(strings.TrimSpace(text), "-") {
		m = -m
	}
	return m, true
}

// shortDay reads YYMMDD.
func shortDay(text string) (billing.Date, bool) {
	d, err := billing.ParseX12Date("20" + text)
	return d, err == nil
}
