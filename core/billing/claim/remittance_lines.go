package claim

import (
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// LineNumbers returns the numbers of the claim's lines that were matched to those of
// the remittance. It matches them again when that was not done, or when they do not
// fit: a replacement has other lines. What a person matched stays while the claim has
// the lines.
func (c *Claim) LineNumbers(r *remit.Claim) []int {
	if len(r.LineNumbers) != len(r.Lines) {
		return c.MatchLines(r)
	}
	for i, n := range r.LineNumbers {
		if n > len(c.Lines) || n > 0 && r.MatchedBy != remit.MatchedByUser && !c.Lines[n-1].resembles(&r.Lines[i]) {
			return c.MatchLines(r)
		}
	}
	return r.LineNumbers
}

// resembles reports whether procedure or charge agree with the line of the remittance.
// They do whenever MatchLines matches the two.
func (l *Line) resembles(r *remit.Line) bool {
	return strings.EqualFold(r.Billed(), l.ProcedureCode) || r.Charge.Abs() == l.Fee
}

// MatchLines returns, for each line of the remittance, the number of the claim's
// line that it pays, from 1, or 0 when none is certain. Lines are matched by their
// content. Their position in the file says nothing, because payers sort them.
func (c *Claim) MatchLines(r *remit.Claim) []int {
	m := lineMatcher{claim: c.Lines, lines: r.Lines, numbers: make([]int, len(r.Lines)), taken: make([]billing.Money, len(c.Lines))}
	m.byControlNumber()
	for m.round() {
	}
	m.last()
	return m.numbers
}

type lineMatcher struct {
	claim   []Line
	lines   []remit.Line
	numbers []int           // the result
	taken   []billing.Money // by line of the claim: the charges of the lines that match it, plus one cent when it is matched
}

// byControlNumber matches the lines that repeat the control number of a billed
// line (REF 6R), if procedure or charge agree. Payers split lines: several match one
// line while their charges add up to at most its fee.
func (m *lineMatcher) byControlNumber() {
	for i := range m.lines {
		l := &m.lines[i]
		n := billedNumber(l)
		if n == 0 || n > len(m.claim) {
			continue
		}
		of := &m.claim[n-1]
		charge := l.Charge.Abs()
		if !of.resembles(l) {
			continue
		}
		if m.free(n) || m.taken[n-1]-1+charge <= of.Fee {
			m.match(i, n, charge)
		}
	}
}

// billedNumber reads the control number of the billed line, which is its place on
// the claim; 0 when the payer states none of ours.
func billedNumber(l *remit.Line) (n int) {
	for _, d := range strings.TrimSpace(l.ControlNumber) {
		if d < '0' || d > '9' || n > 99 {
			return 0
		}
		n = 10*n + int(d-'0')
	}
	return n
}

func (m *lineMatcher) free(n int) bool { return m.taken[n-1] == 0 }

func (m *lineMatcher) match(i, n int, charge billing.Money) {
	if m.free(n) {
		m.taken[n-1] = 1
	}
	m.numbers[i], m.taken[n-1] = n, m.taken[n-1]+charge
}

// round matches lines by procedure, date and charge, the strictest rule first. It
// reports whether a rule matched any, since that can make another line certain.
func (m *lineMatcher) round() bool {
	date := func(l *remit.Line, c *Line) bool { return !l.ServiceDate.IsZero() && l.ServiceDate == c.ServiceDate }
	for _, agree := range []func(*remit.Line, *Line) bool{
		func(l *remit.Line, c *Line) bool { return date(l, c) && l.Charge.Abs() == c.Fee },
		func(l *remit.Line, c *Line) bool { return l.Charge.Abs() == c.Fee },
		date,
		func(*remit.Line, *Line) bool { return true },
	} {
		if m.unique(agree) {
			return true
		}
	}
	return false
}

// unique matches each line that agrees with exactly one free line, if no other line
// agrees with that one.
func (m *lineMatcher) unique(agree func(*remit.Line, *Line) bool) (matched bool) {
	only := make([]int, len(m.lines))     // by line: the number that it agrees with; 0 for none or several
	wanted := make([]int, len(m.claim)+1) // by number: how many lines agree with it
	for i := range m.lines {
		if m.numbers[i] != 0 {
			continue
		}
		fits := 0
		for n := 1; n <= len(m.claim); n++ {
			c := &m.claim[n-1]
			if m.free(n) && strings.EqualFold(m.lines[i].Billed(), c.ProcedureCode) && agree(&m.lines[i], c) {
				only[i], fits = n, fits+1
				wanted[n]++
			}
		}
		if fits != 1 {
			only[i] = 0
		}
	}
	for i, n := range only {
		if n != 0 && wanted[n] == 1 {
			m.match(i, n, m.lines[i].Charge.Abs())
			matched = true
		}
	}
	return matched
}

// last matches the line that is left on both sides, if the charges agree.
func (m *lineMatcher) last() {
	line, number := -1, 0
	for i := range m.lines {
		if m.numbers[i] == 0 {
			if line >= 0 {
				return
			}
			line = i
		}
	}
	for n := 1; n <= len(m.claim); n++ {
		if m.free(n) {
			if number > 0 {
				return
			}
			number = n
		}
	}
	if line >= 0 && number > 0 && m.lines[line].Charge.Abs() == m.claim[number-1].Fee {
		m.match(line, number, m.lines[line].Charge.Abs())
	}
}
