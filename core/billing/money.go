package billing

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Money is an amount of dollars in cents.
type Money int64

// ErrMalformedMoney is the error of ParseMoney.
var ErrMalformedMoney = errors.New("malformed amount")

// ParseMoney reads an amount in the form of the API: an optional minus sign,
// digits, a point and exactly two decimals.
func ParseMoney(s string) (Money, error) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, cents, ok := strings.Cut(digits, ".")
	if !ok || whole == "" || len(cents) != 2 || !AllDigits(whole) || !AllDigits(cents) {
		return 0, ErrMalformedMoney
	}
	return moneyFromDigits(whole, cents, negative)
}

// ParseX12Money reads an X12 decimal (type R): an optional minus sign, and digits
// with or without a point. It accepts commas between thousands, which some payers
// send. A comma elsewhere is an error: a file that wrote 150,00 for 150.00
// throughout would still balance. More than two decimals are rounded half away
// from zero.
func ParseX12Money(s string) (Money, error) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, frac, _ := strings.Cut(digits, ".")
	if strings.Contains(whole, ",") {
		groups := strings.Split(whole, ",")
		for i, group := range groups {
			if len(group) != 3 && (i > 0 || group == "" || len(group) > 3) {
				return 0, ErrMalformedMoney
			}
		}
		whole = strings.Join(groups, "")
	}
	if whole == "" && frac == "" || !AllDigits(whole) || !AllDigits(frac) {
		return 0, ErrMalformedMoney
	}
	up := len(frac) > 2 && frac[2] >= '5'
	frac = (frac + "00")[:2]
	m, err := moneyFromDigits(whole, frac, false)
	if err != nil {
		return 0, err
	}
	if up {
		m++
	}
	if negative {
		m = -m
	}
	return m, nil
}

func moneyFromDigits(whole, cents string, negative bool) (Money, error) {
	whole = strings.TrimLeft(whole, "0")
	if len(whole) > 15 {
		return 0, ErrMalformedMoney
	}
	n, err := strconv.ParseInt(whole+cents, 10, 64)
	if err != nil || n > math.MaxInt64/100 {
		return 0, ErrMalformedMoney
	}
	if negative {
		n = -n
	}
	return Money(n), nil
}

// AllDigits reports whether the text has digits only; an empty one does.
func AllDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// String returns the form of the API, such as "-12.50".
func (m Money) String() string {
	sign, n := "", m
	if m < 0 {
		sign, n = "-", -m
	}
	s := strconv.FormatInt(int64(n), 10)
	if len(s) < 3 {
		s = strings.Repeat("0", 3-len(s)) + s
	}
	return sign + s[:len(s)-2] + "." + s[len(s)-2:]
}

// Dollars returns the form of sentences, such as "-$1,212.50".
func (m Money) Dollars() string {
	s := m.Abs().String()
	for i := len(s) - len(".00") - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if m < 0 {
		return "-$" + s
	}
	return "$" + s
}

// Abs returns the amount without its sign.
func (m Money) Abs() Money { return max(m, -m) }
