package fee

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

func day(text string) billing.Date {
	d, err := billing.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return d
}

var (
	here, there = billing.OfficeID{1}, billing.OfficeID{2}
	delta       = directory.PayerSummary{ID: billing.PayerID{1}, PayerID: "DELTA", Name: "Delta Dental"}
	cigna       = directory.PayerSummary{ID: billing.PayerID{2}, PayerID: "CIGNA", Name: "Cigna"}
)

// a returns an office's schedule for all from 2026 on, with D0120 at an amount.
func a(n byte, amount billing.Money, change func(*Schedule)) *Schedule {
	s := &Schedule{
		ID: billing.FeeScheduleID{n}, Name: "Schedule " + strconv.Itoa(int(n)), Kind: OfficeFees, EffectiveFrom: day("2026-01-01"),
		Rows: []Row{{"D0120", amount}},
	}
	change(s)
	return s
}

func office(s *Schedule) { s.OfficeID = here }
func payer(s *Schedule)  { s.Payer = delta }
func in(s *Schedule)     { s.Network = In }
func both(s *Schedule)   { s.OfficeID, s.Payer = here, delta }
func plain(*Schedule)    {}

func id(n byte) string { return billing.FeeScheduleID{n}.String() }

// TestMatches has the reason of each schedule that does not count.
func TestMatches(t *testing.T) {
	t.Parallel()
	known := Question{OfficeID: here, PayerID: delta.ID, Network: In}
	on := Line{"D0120", day("2026-06-01")}
	replaced := a(1, 100, func(s *Schedule) { s.ReplacedBy, s.ReplacedFrom = billing.FeeScheduleID{2}, day("2026-06-01") })
	for name, x := range map[string]struct {
		among []*Schedule
		q     Question
		l     Line
		want  []string // "ID: reason", in the order of the result
	}{
		"one for all": {[]*Schedule{a(1, 100, plain)}, Question{}, on, []string{"1+: It counts: it is for all offices and payers, and is the version in force."}},
		"the narrowest": {[]*Schedule{a(1, 100, plain), a(2, 200, office), a(3, 300, payer), a(4, 400, both)}, known, on, []string{
			"4+: It counts: it is for the office and Delta Dental, and is the version in force.",
			"3-: It is for Delta Dental. Schedule 4, which is for the office and Delta Dental, comes first.",
			"2-: It is for the office. Schedule 4, which is for the office and Delta Dental, comes first.",
			"1-: It is for all offices and payers. Schedule 4, which is for the office and Delta Dental, comes first.",
		}},
		"a payer before an office": {[]*Schedule{a(2, 200, office), a(3, 300, payer)}, known, on, []string{
			"3+: It counts: it is for Delta Dental, and is the version in force.",
			"2-: It is for the office. Schedule 3, which is for Delta Dental, comes first.",
		}},
		"a payer before an office in the network": {[]*Schedule{a(2, 200, func(s *Schedule) { office(s); in(s) }), a(3, 300, payer)}, known, on, []string{
			"3+: It counts: it is for Delta Dental, and is the version in force.",
			"2-: It is for the office in the network. Schedule 3, which is for Delta Dental, comes first.",
		}},
		"the network": {[]*Schedule{a(1, 100, payer), a(2, 200, func(s *Schedule) { payer(s); in(s) })}, known, on, []string{
			"2+: It counts: it is for Delta Dental in the network, and is the version in force.",
			"1-: It is for Delta Dental. Schedule 2, which is for Delta Dental in the network, comes first.",
		}},
		"each kind": {[]*Schedule{a(1, 100, func(s *Schedule) { s.Kind = Allowed }), a(2, 200, plain)}, known, on, []string{
			"2+: It counts: it is for all offices and payers, and is the version in force.",
			"1+: It counts: it is for all offices and payers, and is the version in force.",
		}},
		"without the procedure, the next counts": {[]*Schedule{a(1, 100, plain), a(2, 200, func(s *Schedule) { both(s); s.Rows[0].ProcedureCode = "D0140" })}, known, on, []string{
			"1+: It counts: it is for all offices and payers, and is the version in force.", "2-: It has no row for D0120.",
		}},
		"the latest version": {[]*Schedule{a(1, 100, plain), a(2, 200, func(s *Schedule) { s.EffectiveFrom = day("2026-06-01") }), a(3, 300, func(s *Schedule) { s.EffectiveFrom = day("2026-06-02") })}, known, on, []string{
			"2+: It counts: it is for all offices and payers, and is the version in force.",
			"3-: It does not count before 2026-06-02.", "1-: A later version, Schedule 2, counts from 2026-06-01.",
		}},
		"a version without the procedure": {[]*Schedule{a(1, 100, plain), a(2, 200, func(s *Schedule) { s.EffectiveFrom, s.Rows = day("2026-06-01"), nil })}, known, on, []string{
			"2-: It has no row for D0120.", "1-: A later version, Schedule 2, counts from 2026-06-01.",
		}},
		"replaced on the day": {[]*Schedule{replaced}, known, on, []string{"1-: " + id(2) + " has replaced it since 2026-06-01."}},
		"not yet replaced":    {[]*Schedule{replaced}, known, Line{"D0120", day("2026-05-31")}, []string{"1+: It counts: it is for all offices and payers, and is the version in force."}},
		"a replaced version leaves the one before": {[]*Schedule{a(2, 100, plain), a(1, 200, func(s *Schedule) {
			s.EffectiveFrom, s.ReplacedBy, s.ReplacedFrom = day("2026-02-01"), billing.FeeScheduleID{3}, day("2026-03-01")
		})}, known, on, []string{"2+: It counts: it is for all offices and payers, and is the version in force.", "1-: " + id(3) + " has replaced it since 2026-03-01."}},
		"replaced by one that is known": {[]*Schedule{replaced, a(2, 100, func(s *Schedule) { office(s); s.EffectiveFrom, s.Replaces = day("2026-06-01"), replaced.ID })}, Question{}, on, []string{
			"2-: It is for one office, and none is given.", "1-: Schedule 2 has replaced it since 2026-06-01.",
		}},
		"of others": {[]*Schedule{
			a(1, 100, func(s *Schedule) { s.OfficeID = there }), a(2, 200, func(s *Schedule) { s.Payer = cigna }), a(3, 300, func(s *Schedule) { s.Network = Out }),
		}, known, on, []string{"2-: It is for another payer, Cigna.", "1-: It is for another office.", "3-: It is for offices out of the network."}},
		"of what is not given": {[]*Schedule{a(1, 100, office), a(2, 200, payer), a(3, 300, in)}, Question{}, on, []string{
			"2-: It is for Delta Dental, and no payer is given.", "1-: It is for one office, and none is given.",
			"3-: It is for offices in the network, and no network is given.",
		}},
	} {
		got := x.q.Matches(x.among, x.l)
		var said []string
		for _, m := range got {
			sign := "-"
			if m.Counts {
				sign = "+"
			}
			said = append(said, strconv.Itoa(int(m.Schedule.ID[0]))+sign+": "+m.Because)
		}
		if !slices.Equal(said, x.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, said, x.want)
		}
	}
}

// TestPrices compares prices with an oracle that goes through the ranks one by one.
func TestPrices(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(n int) int { return random.IntN(n) }
	found := 0
	for range 5000 {
		var among []*Schedule
		taken := map[aim]map[billing.Date]bool{}
		for n := range pick(12) {
			s := a(byte(n+1), billing.Money(n+1), plain)
			s.Kind, s.OfficeID, s.Network = Kinds()[pick(2)], []billing.OfficeID{{}, here, there}[pick(3)], []Network{"", In, Out}[pick(3)]
			s.Payer = []directory.PayerSummary{{}, delta, cigna}[pick(3)]
			s.EffectiveFrom = day("2026-01-01").AddMonths(pick(4))
			s.Rows[0].ProcedureCode = []string{"D0120", "D0140"}[pick(2)]
			if pick(4) == 0 {
				s.ReplacedBy, s.ReplacedFrom = billing.FeeScheduleID{99}, s.EffectiveFrom.AddMonths(pick(3))
			}
			if taken[s.aims()][s.EffectiveFrom] {
				continue
			}
			if taken[s.aims()] == nil {
				taken[s.aims()] = map[billing.Date]bool{}
			}
			taken[s.aims()][s.EffectiveFrom] = true
			among = append(among, s)
		}
		q := Question{OfficeID: []billing.OfficeID{{}, here}[pick(2)], PayerID: []billing.PayerID{{}, delta.ID}[pick(2)], Network: []Network{"", In}[pick(2)]}
		l := Line{"D0120", day("2026-01-15").AddMonths(pick(4))}
		for _, kind := range Kinds() {
			want := oracle(among, q, l, kind)
			p := q.Prices(among, []Line{{"D9999", l.On}, l})
			got := p[1].OfficeFee
			if kind == Allowed {
				got = p[1].Allowed
			}
			if (got == nil) != (want == nil) || got != nil && (got.ScheduleID != want.ID || got.Amount != want.Rows[0].Amount || got.ScheduleName != want.Name) {
				t.Fatalf("%s: %+v, want %+v", kind, got, want)
			}
			if p[0] != (Price{}) {
				t.Fatalf("a procedure that no schedule has: %+v", p[0])
			}
			if want != nil {
				found++
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d prices", found)
	}
}

// oracle returns the schedule that counts, by the words of the contract: the version valid on
// the date; an office and payer before a payer before an office before all.
func oracle(among []*Schedule, q Question, l Line, kind Kind) *Schedule {
	valid := func(office billing.OfficeID, payer billing.PayerID, network Network) (v *Schedule) {
		for _, s := range among {
			if s.Kind != kind || s.OfficeID != office || s.Payer.ID != payer || s.Network != network || l.On.Before(s.EffectiveFrom) {
				continue
			}
			if !s.ReplacedBy.IsZero() && !l.On.Before(s.ReplacedFrom) {
				continue
			}
			if v == nil || v.EffectiveFrom.Before(s.EffectiveFrom) {
				v = s
			}
		}
		if v != nil && v.Rows[0].ProcedureCode != l.ProcedureCode {
			return nil
		}
		return v
	}
	for _, of := range []struct {
		office billing.OfficeID
		payer  billing.PayerID
	}{{q.OfficeID, q.PayerID}, {billing.OfficeID{}, q.PayerID}, {q.OfficeID, billing.PayerID{}}, {}} {
		for _, network := range []Network{q.Network, ""} {
			if s := valid(of.office, of.payer, network); s != nil {
				return s
			}
		}
	}
	return nil
}

// TestAdmit checks new schedules against those beside them.
func TestAdmit(t *testing.T) {
	t.Parallel()
	old := a(1, 100, plain)
	dead := a(2, 100, func(s *Schedule) { s.ReplacedBy, s.ReplacedFrom = billing.FeeScheduleID{1}, s.EffectiveFrom })
	ends := a(3, 100, func(s *Schedule) { s.ReplacedBy, s.ReplacedFrom = billing.FeeScheduleID{4}, day("2026-02-01") })
	replacing := func(o *Schedule) func(*Schedule) { return func(s *Schedule) { s.Replaces = o.ID } }
	for name, x := range map[string]struct {
		s      *Schedule
		beside []*Schedule
		code   billing.Code
		field  string
	}{
		"alone":                      {a(9, 1, plain), nil, "", ""},
		"two from one date":          {a(9, 1, plain), []*Schedule{old}, billing.CodeInvalidRequest, "effective_from"},
		"one that ends later":        {a(9, 1, plain), []*Schedule{ends}, billing.CodeInvalidRequest, "effective_from"},
		"one that never counts":      {a(9, 1, plain), []*Schedule{dead}, "", ""},
		"it replaces it":             {a(9, 1, replacing(old)), []*Schedule{old}, "", ""},
		"it replaces one of two":     {a(9, 1, replacing(dead)), []*Schedule{dead, old}, billing.CodeInvalidRequest, "replaces"},
		"it replaces another":        {a(9, 1, func(s *Schedule) { s.Replaces = billing.FeeScheduleID{7} }), []*Schedule{a(7, 1, office), old}, billing.CodeInvalidRequest, "effective_from"},
		"it replaces nothing":        {a(9, 1, replacing(old)), nil, billing.CodeNotFound, "replaces"},
		"it replaces a replaced one": {a(9, 1, replacing(ends)), []*Schedule{ends}, billing.CodeInvalidRequest, "replaces"},
		"other office":               {a(9, 1, office), []*Schedule{old}, "", ""},
	} {
		err := x.s.Admit(x.beside)
		if x.code == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if billing.CodeOf(err) != x.code {
			t.Errorf("%s: %v, want %s", name, err, x.code)
			continue
		}
		if e := err.(*billing.Error); len(e.Faults) == 0 || e.Faults[0].Field != x.field { //nolint:errorlint // CodeOf found it
			t.Errorf("%s: %+v, want a fault of %s", name, e.Faults, x.field)
		}
	}
}

func BenchmarkPrices(b *testing.B) {
	var among []*Schedule
	for n := range 16 {
		among = append(among, a(byte(n), 100, func(s *Schedule) {
			s.Kind, s.OfficeID, s.EffectiveFrom, s.Rows = Kinds()[n%2], []billing.OfficeID{{}, here}[n/2%2], day("2026-01-01").AddMonths(n/4), nil
			for c := range 20 {
				s.Rows = append(s.Rows, Row{"D01" + strconv.Itoa(10+c), 100})
			}
		}))
	}
	var lines []Line
	for _, r := range among[0].Rows {
		lines = append(lines, Line{r.ProcedureCode, day("2026-06-01")})
	}
	for b.Loop() {
		Question{OfficeID: here}.Prices(among, lines)
	}
}
