package fee

import (
	"cmp"
	"slices"

	"github.com/molar-billing/molar/core/billing"
)

// Question is what a fee is for.
type Question struct {
	OfficeID billing.OfficeID // zero if unknown: what is for one office does not count
	PayerID  billing.PayerID  // zero if unknown or none
	Network  Network          // empty if unknown
}

// Line is a procedure on a service date.
type Line struct {
	ProcedureCode string
	On            billing.Date
}

// Price is what the schedules say about a line.
type Price struct {
	OfficeFee *Amount // nil if no schedule has one
	Allowed   *Amount // nil if no schedule has one
}

// Amount is the amount of the row that counts, with its schedule.
type Amount struct {
	Amount               billing.Money
	ScheduleID           billing.FeeScheduleID
	ScheduleName         string
	EffectiveFrom        billing.Date
	WriteOffBeyondLimits bool // of an Allowed one
}

// Match is a schedule with what it says about a line.
type Match struct {
	Schedule *Schedule
	Amount   *billing.Money // nil if it has no row for the procedure
	Counts   bool
	Because  string // why it counts, or why it does not, as a sentence
}

// Prices returns the price of each line. The schedules are all that can count for the
// question, with their rows for the lines.
func (q Question) Prices(among []*Schedule, lines []Line) []Price {
	prices := make([]Price, len(lines))
	for i, l := range lines {
		for _, m := range q.Matches(among, l) {
			if !m.Counts {
				continue
			}
			s := m.Schedule
			a := &Amount{*m.Amount, s.ID, s.Name, s.EffectiveFrom, s.WriteOffBeyondLimits}
			if s.Kind == OfficeFees {
				prices[i].OfficeFee = a
			} else {
				prices[i].Allowed = a
			}
		}
	}
	return prices
}

// Matches returns what each schedule says about a line: the office fees first, and of each
// kind the one that counts, then those that are as narrow as it, and so on.
//
// Of the versions of one schedule, the latest that has begun counts. Of different ones with
// a row for the procedure, the narrowest counts: one for an office and a payer, then for a
// payer, for an office, for all. Of two that are equal so far, the one that names the network
// counts.
func (q Question) Matches(among []*Schedule, l Line) []Match {
	latest := map[aim]*Schedule{}
	for _, s := range among {
		if s.begun(l.On) && later(s, latest[s.aims()]) {
			latest[s.aims()] = s
		}
	}
	best := map[Kind]*Schedule{}
	for _, s := range latest {
		if q.whyNot(s, l, s) != "" {
			continue
		}
		if b := best[s.Kind]; b == nil || s.rank() < b.rank() {
			best[s.Kind] = s
		}
	}
	names := map[billing.FeeScheduleID]string{}
	for _, s := range among {
		names[s.ID] = s.Name
	}
	all := make([]Match, len(among))
	for i, s := range among {
		m := Match{Schedule: s, Because: q.whyNot(s, l, latest[s.aims()])}
		if m.Because == replacedSince {
			m.Because = cmp.Or(names[s.ReplacedBy], s.ReplacedBy.String()) + " has replaced it since " + s.ReplacedFrom.String() + "."
		}
		if r, ok := s.row(l.ProcedureCode); ok {
			m.Amount = &r.Amount
		}
		switch b := best[s.Kind]; {
		case m.Because != "":
		case s == b:
			m.Counts, m.Because = true, "It counts: it is "+s.purpose()+", and is the version in force."
		default:
			m.Because = "It is " + s.purpose() + ". " + b.Name + ", which is " + b.purpose() + ", comes first."
		}
		all[i] = m
	}
	slices.SortStableFunc(all, func(a, b Match) int {
		return cmp.Or(-cmp.Compare(a.Schedule.Kind, b.Schedule.Kind), // office_fees first
			cmp.Compare(second(a.Counts), second(b.Counts)), cmp.Compare(a.Schedule.rank(), b.Schedule.rank()),
			-a.Schedule.EffectiveFrom.Time().Compare(b.Schedule.EffectiveFrom.Time()), slices.Compare(b.Schedule.ID[:], a.Schedule.ID[:]))
	})
	return all
}

// second returns 0 for what comes first, else 1.
func second(first bool) int {
	if first {
		return 0
	}
	return 1
}

// begun reports whether the schedule has begun to count on a day, and none replaces it.
func (s *Schedule) begun(day billing.Date) bool {
	return !day.Before(s.EffectiveFrom) && !s.replacedOn(day)
}

// later reports whether a version is a later one than another, which may be nil.
func later(s, than *Schedule) bool {
	if than == nil || than.EffectiveFrom.Before(s.EffectiveFrom) {
		return true
	}
	return than.EffectiveFrom == s.EffectiveFrom && slices.Compare(than.ID[:], s.ID[:]) < 0
}

// rank returns the place among schedules that fit: the narrowest first.
func (s *Schedule) rank() int {
	rank := 0
	if s.Payer.ID.IsZero() {
		rank += 4
	}
	if s.OfficeID.IsZero() {
		rank += 2
	}
	if s.Network == "" {
		rank++
	}
	return rank
}

// row returns the row of a procedure.
func (s *Schedule) row(code string) (Row, bool) {
	i, ok := slices.BinarySearchFunc(s.Rows, code, func(r Row, code string) int { return cmp.Compare(r.ProcedureCode, code) })
	if !ok {
		return Row{}, false
	}
	return s.Rows[i], true
}

// replacedSince stands for the sentence about a replaced schedule, which has the name of the
// other one.
const replacedSince = "It is replaced."

// whyNot returns why a schedule cannot count for a line, whatever others say; empty if it can.
// Latest is the version of it that has begun, or nil.
func (q Question) whyNot(s *Schedule, l Line, latest *Schedule) string {
	switch {
	case !s.OfficeID.IsZero() && q.OfficeID.IsZero():
		return "It is for one office, and none is given."
	case !s.OfficeID.IsZero() && s.OfficeID != q.OfficeID:
		return "It is for another office."
	case !s.Payer.ID.IsZero() && q.PayerID.IsZero():
		return "It is for " + s.Payer.Name + ", and no payer is given."
	case !s.Payer.ID.IsZero() && s.Payer.ID != q.PayerID:
		return "It is for another payer, " + s.Payer.Name + "."
	case s.Network != "" && q.Network == "":
		return "It is for offices " + s.Network.words() + ", and no network is given."
	case s.Network != q.Network && s.Network != "":
		return "It is for offices " + s.Network.words() + "."
	case l.On.Before(s.EffectiveFrom):
		return "It does not count before " + s.EffectiveFrom.String() + "."
	case s.replacedOn(l.On):
		return replacedSince
	case latest != s:
		return "A later version, " + latest.Name + ", counts from " + latest.EffectiveFrom.String() + "."
	}
	if _, ok := s.row(l.ProcedureCode); !ok {
		return "It has no row for " + l.ProcedureCode + "."
	}
	return ""
}

// words returns the standing in words, to follow "offices".
func (n Network) words() string {
	if n == In {
		return "in the network"
	}
	return "out of the network"
}

// purpose returns in words what the schedule is for, to follow "it is".
func (s *Schedule) purpose() string {
	words := "for all offices and payers"
	switch office, payer := !s.OfficeID.IsZero(), !s.Payer.ID.IsZero(); {
	case office && payer:
		words = "for the office and " + s.Payer.Name
	case payer:
		words = "for " + s.Payer.Name
	case office:
		words = "for the office"
	}
	if s.Network != "" {
		words += " " + s.Network.words()
	}
	return words
}
