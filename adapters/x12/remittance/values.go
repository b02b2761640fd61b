package remittance

import (
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// parseMoney parses an amount. For speed, it parses digits with at most two decimals
// in one pass: a file has a dozen amounts for each claim. Package billing parses
// all other forms.
func parseMoney(e string) (billing.Money, error) {
	digits, negative := strings.CutPrefix(e, "-")
	var n billing.Money
	decimals := -1 // no point yet
	if digits == "" || len(digits) > 14 {
		return billing.ParseX12Money(e)
	}
	for i := range len(digits) {
		switch c := digits[i]; {
		case '0' <= c && c <= '9' && decimals < 2:
			n = n*10 + billing.Money(c-'0')
			if decimals >= 0 {
				decimals++
			}
		case c == '.' && decimals < 0 && len(digits) > 1:
			decimals = 0
		default:
			return billing.ParseX12Money(e)
		}
	}
	switch decimals {
	case -1, 0:
		n *= 100
	case 1:
		n *= 10
	}
	if negative {
		n = -n
	}
	return n, nil
}

// code returns an element of a code list, in upper case.
func code(s *x12.Segment, n int) string { return strings.ToUpper(s.Element(n)) }

// day reads a date. It returns zero if the element is not one.
func day(s *x12.Segment, n int) billing.Date { return parseDay(s.Element(n)) }

// parseDay parses a date. For speed, it parses days up to the 28th without a layout.
// Package billing parses all others.
func parseDay(e string) billing.Date {
	if len(e) == 8 {
		year, month, of := number(e[:4]), number(e[4:6]), number(e[6:])
		if year >= 1 && month >= 1 && month <= 12 && of >= 1 && of <= 28 {
			return billing.Date{Year: year, Month: time.Month(month), Day: of}
		}
	}
	d, _ := billing.ParseX12Date(e)
	return d
}

// number parses a whole number. It returns -1 if e contains anything but digits.
func number(e string) int {
	n := 0
	for i := range len(e) {
		if e[i] < '0' || e[i] > '9' {
			return -1
		}
		n = 10*n + int(e[i]-'0')
	}
	return n
}
