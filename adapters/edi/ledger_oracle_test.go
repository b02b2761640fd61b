package edi_test

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

// The oracle is a second bookkeeper. It reads the segments of the 835s itself, and
// computes the figures of a claim with rules of its own: it shares only the claim's
// content with the program.

// cents reads the plain decimals that the property test writes.
func cents(s string) int64 {
	s, negative := strings.CutPrefix(s, "-")
	whole, frac, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole+(frac + "00")[:2], 10, 64)
	if err != nil {
		panic(err)
	}
	if negative {
		return -n
	}
	return n
}

// cas is one adjustment.
type cas struct {
	group, reason string
	amount        int64
}

func (a cas) contractual() bool {
	return (a.group == "CO" || a.group == "PI") && slices.Contains([]string{"24", "45", "59", "131", "253"}, a.reason)
}

func (a cas) notPaid() bool {
	return (a.group == "CO" || a.group == "PI" || a.group == "OA") && !a.contractual() && (a.group != "OA" || a.reason != "23")
}

func (a cas) ofPatient() bool { return a.group == "PR" }

func (a cas) reducesAllowed() bool { return a.contractual() && a.reason != "253" }

// explains reports whether the plan explains a payment of zero with it.
func (a cas) explains() bool {
	return a.amount != 0 && (a.group == "PR" && slices.Contains([]string{"1", "2", "3"}, a.reason) || a.group == "CO" && a.reason == "24")
}

func total(all []cas, fits func(cas) bool) (sum int64) {
	for _, a := range all {
		if fits(a) {
			sum += a.amount
		}
	}
	return sum
}

// clp is a claim of an 835: what its segments state, and its place in the books.
type clp struct {
	payer, trace, date  string
	arrival, ordinal    int
	control, status     string
	number, original    string // CLP07, REF F8
	charge, paid        int64
	patient             string // CLP05
	allowed             string // AMT AU or B6
	last, first, member string
	level               []cas
	lines               []svc

	numbers       []int // of the claim's lines, by line; 0 for none
	sequence      int
	takes         []*clp // by a reversal: what it takes back
	reversal      *clp   // the one that takes back the last of it
	taken         []bool // by line: a reversal takes it back
	replaced      []bool // by line: a later entry replaces it
	levelTaken    bool
	levelReplaced bool
}

// svc is a service of a claim.
type svc struct {
	code, submitted, date, reference, b6 string
	charge, paid                         int64
	adjustments                          []cas
}

func (s *svc) billed() string { return strings.ToUpper(cmp.Or(s.submitted, s.code)) }

func (s *svc) denied() bool { return s.paid == 0 && !slices.ContainsFunc(s.adjustments, cas.explains) }

func (s *svc) allowed() int64 {
	switch {
	case s.denied():
		return 0
	case s.b6 != "":
		return cents(s.b6)
	default:
		return s.charge - total(s.adjustments, cas.reducesAllowed)
	}
}

// parse reads the claims of one file.
func parse(file string, arrival int) (all []*clp) {
	var head clp
	for _, segment := range strings.Split(file, "~") {
		e := append(strings.Split(strings.TrimSpace(segment), "*"), make([]string, 20)...)
		var c *clp
		var s *svc
		if len(all) > 0 {
			c = all[len(all)-1]
			if len(c.lines) > 0 {
				s = &c.lines[len(c.lines)-1]
			}
		}
		switch {
		case e[0] == "BPR":
			head.date = e[16]
		case e[0] == "TRN":
			head.trace = e[2]
		case e[0] == "N1" && e[1] == "PR":
			head.payer = e[4]
		case e[0] == "CLP":
			next := head
			next.arrival, next.ordinal = arrival, len(all)+1
			next.control, next.status, next.charge, next.paid, next.patient, next.number = e[1], e[2], cents(e[3]), cents(e[4]), e[5], e[7]
			all = append(all, &next)
		case e[0] == "NM1" && e[1] == "QC":
			c.last, c.first, c.member = e[3], e[4], e[9]
		case e[0] == "REF" && e[1] == "F8":
			c.original = e[2]
		case e[0] == "AMT" && (e[1] == "AU" || s == nil && e[1] == "B6"):
			c.allowed = e[2]
		case e[0] == "SVC":
			_, code, _ := strings.Cut(e[1], ":")
			_, submitted, _ := strings.Cut(e[6], ":")
			c.lines = append(c.lines, svc{code: code, submitted: submitted, charge: cents(e[2]), paid: cents(e[3])})
		case e[0] == "DTM" && e[1] == "472":
			s.date = e[2]
		case e[0] == "REF" && e[1] == "6R":
			s.reference = e[2]
		case e[0] == "AMT" && e[1] == "B6":
			s.b6 = e[2]
		case e[0] == "CAS":
			to := &c.level
			if s != nil {
				to = &s.adjustments
			}
			for i := 2; i <= 17; i += 3 { // six slots, any of them empty
				if e[i] != "" {
					*to = append(*to, cas{e[1], e[i], cents(e[i+1])})
				}
			}
		}
	}
	return all
}

func (c *clp) reverses() bool { return c.status == "22" }

func (c *clp) adjustments() []cas {
	all := slices.Clone(c.level)
	for i := range c.lines {
		all = append(all, c.lines[i].adjustments...)
	}
	return all
}

func (c *clp) balances() bool {
	every := func(cas) bool { return true }
	for i := range c.lines {
		if s := &c.lines[i]; s.charge-total(s.adjustments, every) != s.paid {
			return false
		}
	}
	return c.charge-total(c.adjustments(), every) == c.paid
}

// later reports whether c is a later payment than o, or one received later.
func (c *clp) later(o *clp) bool {
	return cmp.Or(cmp.Compare(c.date, o.date), cmp.Compare(c.arrival, o.arrival)) > 0
}

// same reports whether line i of c and line j of o are about one service: they
// match the same line of the claim, or, where that is unknown, have one procedure.
func (c *clp) same(i int, o *clp, j int) bool {
	if c.numbers[i] > 0 && o.numbers[j] > 0 {
		return c.numbers[i] == o.numbers[j]
	}
	return c.lines[i].billed() == o.lines[j].billed()
}

// books are the payments of a claim.
type books struct {
	claim   *claim.Claim
	payer   string // of the claim
	entries []*clp // oldest payment first

	elsewhere []*clp // what others than the entries say about the services, folded
}

// newBooks books the claims anew.
func newBooks(cl *claim.Claim, payer string, applied []*clp) *books {
	b := &books{claim: cl, payer: payer}
	for _, c := range applied {
		e := *c
		e.numbers, e.taken, e.replaced = b.match(c), make([]bool, len(c.lines)), make([]bool, len(c.lines))
		e.reversal, e.takes, e.levelTaken, e.levelReplaced, e.sequence = nil, nil, false, false, 0
		b.entries = append(b.entries, &e)
	}
	slices.SortFunc(b.entries, func(x, y *clp) int {
		return cmp.Or(cmp.Compare(x.date, y.date), cmp.Compare(x.arrival, y.arrival), cmp.Compare(btoi(y.reverses()), btoi(x.reverses())), cmp.Compare(x.ordinal, y.ordinal))
	})
	b.sequences()
	for i, r := range b.entries {
		if !r.reverses() {
			continue
		}
		if b.takeBack(r); len(r.takes) > 0 {
			r.sequence = r.takes[0].sequence
		} else {
			r.sequence = b.unstated(r, b.entries[:i])
		}
	}
	for i, e := range b.entries {
		for _, earlier := range b.entries[:i] {
			b.replace(e, earlier)
		}
	}
	return b
}

// match returns the claim's line number for each line.
func (b *books) match(c *clp) []int {
	numbers, rest := make([]int, len(c.lines)), make([]int64, len(b.claim.Lines))
	free := make([]bool, len(b.claim.Lines))
	for n, l := range b.claim.Lines {
		rest[n], free[n] = int64(l.Fee), true
	}
	for i := range c.lines {
		s := &c.lines[i]
		n, err := strconv.Atoi(s.reference)
		if err != nil || n < 1 || n > len(free) {
			continue
		}
		l := &b.claim.Lines[n-1]
		agrees := s.billed() == l.ProcedureCode || abs(s.charge) == int64(l.Fee)
		if agrees && (free[n-1] || abs(s.charge) <= rest[n-1]) {
			numbers[i], free[n-1], rest[n-1] = n, false, rest[n-1]-abs(s.charge)
		}
	}
	tiers := []func(s *svc, l *claim.Line) bool{
		func(s *svc, l *claim.Line) bool {
			return s.billed() == l.ProcedureCode && s.date == l.ServiceDate.X12() && abs(s.charge) == int64(l.Fee)
		},
		func(s *svc, l *claim.Line) bool {
			return s.billed() == l.ProcedureCode && abs(s.charge) == int64(l.Fee)
		},
		func(s *svc, l *claim.Line) bool {
			return s.billed() == l.ProcedureCode && s.date == l.ServiceDate.X12()
		},
		func(s *svc, l *claim.Line) bool { return s.billed() == l.ProcedureCode },
	}
	for tier := 0; tier < len(tiers); {
		pairs := onlyPairs(c, b.claim, numbers, free, tiers[tier])
		for i, n := range pairs {
			numbers[i], free[n-1] = n, false
		}
		if tier++; len(pairs) > 0 {
			tier = 0
		}
	}
	everything := func(*svc, *claim.Line) bool { return true }
	for i, n := range onlyPairs(c, b.claim, numbers, free, everything) {
		if abs(c.lines[i].charge) == int64(b.claim.Lines[n-1].Fee) {
			numbers[i] = n
		}
	}
	return numbers
}

// onlyPairs returns the unmatched lines, each with the number of the free one that it
// agrees with. Of a pair, each agrees with no third.
func onlyPairs(c *clp, cl *claim.Claim, numbers []int, free []bool, agree func(*svc, *claim.Line) bool) map[int]int {
	pairs := map[int]int{}
	for i := range c.lines {
		var agreeing []int
		for n := range free {
			if numbers[i] == 0 && free[n] && agree(&c.lines[i], &cl.Lines[n]) {
				agreeing = append(agreeing, n)
			}
		}
		if len(agreeing) != 1 {
			continue
		}
		rivals := 0
		for j := range c.lines {
			if numbers[j] == 0 && agree(&c.lines[j], &cl.Lines[agreeing[0]]) {
				rivals++
			}
		}
		if rivals == 1 {
			pairs[i] = agreeing[0] + 1
		}
	}
	return pairs
}

func abs(n int64) int64 { return max(n, -n) }

// sequences sets the sequence of each entry that is no reversal.
func (b *books) sequences() {
	for i, e := range b.entries {
		switch e.sequence = stated(e.status); {
		case e.reverses():
		case e.sequence == 1 && b.claimsToBeFirst(e):
			e.sequence = b.behind(e, b.entries[:i])
		case e.sequence == 0:
			e.sequence = b.unstated(e, b.entries[:i])
		}
	}
}

// claimsToBeFirst reports whether a payer says that it is the primary one and is not.
func (b *books) claimsToBeFirst(e *clp) bool {
	turn := 1 + slices.Index(billing.Sequences(), b.claim.Turn())
	settled := func(a cas) bool { return a.group == "OA" && a.reason == "23" && a.amount != 0 }
	fromOurs := func(o *clp) bool { return !o.reverses() && o.payer == b.payer }
	if slices.ContainsFunc(e.adjustments(), settled) {
		return true
	}
	if e.payer == b.payer {
		return turn > 1
	}
	return turn == 1 && slices.ContainsFunc(b.entries, fromOurs)
}

// behind returns the sequence of a payer that is not the primary one.
func (b *books) behind(e *clp, earlier []*clp) int {
	highest := 1
	for _, o := range slices.Backward(earlier) {
		switch {
		case o.reverses():
		case o.payer == e.payer && o.sequence > 1:
			return o.sequence
		default:
			highest = max(highest, o.sequence)
		}
	}
	if turn := 1 + slices.Index(billing.Sequences(), b.claim.Turn()); e.payer == b.payer && turn > 1 {
		return turn
	}
	return min(highest+1, 3)
}

func stated(status string) int {
	return map[string]int{"1": 1, "19": 1, "2": 2, "20": 2, "3": 3, "21": 3}[status]
}

// unstated returns the sequence of a claim whose status does not say it.
func (b *books) unstated(e *clp, earlier []*clp) int {
	highest := 0
	for _, o := range slices.Backward(earlier) {
		if o.reverses() {
			continue
		}
		if o.payer == e.payer {
			return o.sequence
		}
		highest = max(highest, o.sequence)
	}
	if e.payer == b.payer {
		return 1 + slices.Index(billing.Sequences(), b.claim.Turn())
	}
	return min(highest+1, 3)
}

// takeBack finds what a reversal takes back: of the payments with the payer's
// number, or else of all payments of the payer. Of its own file it takes back only
// what it mirrors in every adjustment.
func (b *books) takeBack(r *clp) {
	var named, others, own []*clp
	for _, e := range b.nearest(r) {
		switch {
		case e.reverses() || e.payer != r.payer || e.date > r.date || e.reversal != nil:
		case e.arrival == r.arrival:
			own = append(own, e)
		case e.number != "" && (e.number == r.number || e.number == r.original):
			named = append(named, e)
		default:
			others = append(others, e)
		}
	}
	either := append(slices.Clone(named), others...)
	_ = r.takeOne(named) || r.takeAll(named) || r.takeLines(named) || r.takeAmount(named) ||
		r.takeOne(others) || r.takeAll(either) || r.takeLines(either) || r.takeOwn(own)
}

// nearest returns the entries before the reversal from the latest on, and then
// those after it.
func (b *books) nearest(r *clp) (all []*clp) {
	for _, e := range slices.Backward(b.entries) {
		if r.later(e) {
			all = append(all, e)
		}
	}
	for _, e := range b.entries {
		if !r.later(e) {
			all = append(all, e)
		}
	}
	return all
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sameLines reports whether the reversal states exactly the lines that are left of
// the entry.
func (c *clp) sameLines(e *clp) bool {
	var places []int
	for i := range c.lines {
		j := slices.IndexFunc(indexes(e.lines), func(j int) bool { return c.fits(i, e, j) && !slices.Contains(places, j) })
		if j < 0 {
			return false
		}
		places = append(places, j)
	}
	return len(places) == len(e.lines)
}

func (c *clp) take(e *clp) {
	e.reversal, e.levelTaken, c.takes = c, true, append(c.takes, e)
	for j := range e.taken {
		e.taken[j] = true
	}
}

// takeOne takes back one entry with the amount and the charge: rather one with the
// same lines.
func (c *clp) takeOne(pool []*clp) bool {
	for _, exact := range []bool{true, false} {
		for _, e := range pool {
			if abs(e.charge) == abs(c.charge) && e.netPaid() == -c.paid && (!exact || c.sameLines(e)) {
				c.take(e)
				return true
			}
		}
	}
	return false
}

// takeAmount takes back one entry with the amount.
func (c *clp) takeAmount(pool []*clp) bool {
	for _, e := range pool {
		if c.paid != 0 && e.netPaid() == -c.paid {
			c.take(e)
			return true
		}
	}
	return false
}

// takeAll takes back all entries, such as the parts of a split claim.
func (c *clp) takeAll(pool []*clp) bool {
	var charge, paid int64
	for _, e := range pool {
		charge, paid = charge+abs(e.charge), paid+e.netPaid()
	}
	if len(pool) < 2 || charge != abs(c.charge) || paid != -c.paid {
		return false
	}
	for _, e := range pool {
		c.take(e)
	}
	return true
}

// takeLines takes back single lines, each from the latest entry that has it.
func (c *clp) takeLines(pool []*clp) bool {
	type place struct {
		e *clp
		j int
	}
	var found []place
	for i := range c.lines {
		before := len(found)
		for _, e := range pool {
			j := slices.IndexFunc(indexes(e.lines), func(j int) bool { return c.fits(i, e, j) && !slices.Contains(found, place{e, j}) })
			if j >= 0 {
				found = append(found, place{e, j})
				break
			}
		}
		if len(found) == before {
			return false
		}
	}
	for _, p := range found {
		p.e.taken[p.j], c.takes = true, append(c.takes, p.e)
		if !slices.Contains(p.e.taken, false) {
			c.take(p.e)
		}
	}
	return len(found) > 0
}

// takeOwn takes back a payment of the same file that it mirrors in all details.
func (c *clp) takeOwn(pool []*clp) bool {
	opposite := func(x, y cas) bool { return x.group == y.group && x.reason == y.reason && x.amount == -y.amount }
	for _, e := range pool {
		if e.charge == -c.charge && e.paid == -c.paid && slices.EqualFunc(e.level, c.level, opposite) &&
			slices.EqualFunc(e.lines, c.lines, func(x, y svc) bool {
				return x.billed() == y.billed() && x.charge == -y.charge && x.paid == -y.paid && slices.EqualFunc(x.adjustments, y.adjustments, opposite)
			}) {
			c.take(e)
			return true
		}
	}
	return false
}

func (c *clp) fits(i int, e *clp, j int) bool {
	return !e.taken[j] && c.same(i, e, j) && abs(e.lines[j].charge) == abs(c.lines[i].charge) && e.lines[j].paid == -c.lines[i].paid
}

func indexes[T any](all []T) []int {
	n := make([]int, len(all))
	for i := range n {
		n[i] = i
	}
	return n
}

// replace lets e replace what it states of an earlier entry.
func (b *books) replace(e, earlier *clp) {
	if e.reverses() || earlier.reverses() || e.reversal != nil || e.payer != earlier.payer || e.sequence != earlier.sequence {
		return
	}
	all := e.charge == int64(b.claim.Charge())
	again := all && earlier.charge == e.charge && e.date == earlier.date && e.arrival == earlier.arrival && e.ordinal > earlier.ordinal
	if !e.later(earlier) && !again { // the whole claim twice in one file: the last one stands
		return
	}
	sameNumber := e.number == earlier.number
	for j := range earlier.lines {
		stated := slices.ContainsFunc(indexes(e.lines), func(i int) bool { return !e.taken[i] && e.same(i, earlier, j) })
		if all || stated || len(e.lines) == 0 && sameNumber {
			earlier.replaced[j] = true
		}
	}
	if all || sameNumber && (len(e.level) > 0 || len(e.lines) == 0 || len(earlier.lines) == 0) {
		earlier.levelReplaced = true
	}
}

func (c *clp) lineStands(i int) bool { return !c.reverses() && !c.taken[i] && !c.replaced[i] }

// levelStands reports whether the claim level stands. It falls with the last line.
func (c *clp) levelStands() bool {
	return !c.reverses() && !c.levelTaken && !c.levelReplaced && (len(c.lines) == 0 || slices.ContainsFunc(indexes(c.lines), c.lineStands))
}

// stands reports whether anything of the entry stands.
func (c *clp) stands() bool {
	return c.levelStands() || slices.ContainsFunc(indexes(c.lines), c.lineStands)
}

// netPaid is the payment less what reversals take back.
func (c *clp) netPaid() int64 {
	if c.reversal != nil {
		return 0
	}
	sum := c.paid
	for i := range c.lines {
		if c.taken[i] {
			sum -= c.lines[i].paid
		}
	}
	return sum
}

// left returns the adjustments that stand.
func (c *clp) left() (all []cas) {
	if c.levelStands() {
		all = append(all, c.level...)
	}
	for i := range c.lines {
		if c.lineStands(i) {
			all = append(all, c.lines[i].adjustments...)
		}
	}
	return all
}

// verdict is what the books say about the claim.
type verdict struct {
	outcome                             string
	date                                string
	paid, patient, contractual, notPaid int64
	allowed                             int64
	allowedKnown                        bool
	capped, exceeds                     bool
}

// judge returns the figures, and false when nothing stands.
func (b *books) judge() (v verdict, stands bool) {
	var decisive *clp
	rank := func(c *clp) int {
		switch {
		case c.netPaid() > 0:
			return 2
		case slices.ContainsFunc(c.left(), cas.explains):
			return 1
		default:
			return 0
		}
	}
	for _, e := range b.entries {
		v.paid += e.paid
		if e.stands() && (decisive == nil || rank(e) >= rank(decisive)) {
			decisive = e
		}
	}
	if decisive == nil {
		return verdict{}, false
	}
	v.date, v.outcome = decisive.date, "denied"
	if rank(decisive) > 0 {
		v.outcome = "paid"
	}
	b.primary(&v)
	rest := int64(b.claim.Charge()) - v.paid - v.contractual
	for _, e := range b.elsewhere {
		rest -= e.paid
	}
	v.exceeds = rest < 0
	v.patient = b.patient()
	if limit := max(rest, 0); v.patient > limit {
		v.patient, v.capped = limit, true
	}
	return v, true
}

// ofSequence returns the standing entries of the latest payer of a sequence.
func (b *books) ofSequence(sequence int) (all []*clp) {
	every := append(slices.Clone(b.entries), b.elsewhere...)
	slices.SortStableFunc(every, func(x, y *clp) int { return cmp.Or(cmp.Compare(x.date, y.date), cmp.Compare(x.arrival, y.arrival)) })
	for _, e := range slices.Backward(every) {
		if e.stands() && e.sequence == sequence && (len(all) == 0 || e.payer == all[0].payer) {
			all = append(all, e)
		}
	}
	return all
}

// primary adds up what the primary payer says.
func (b *books) primary(v *verdict) {
	of := b.ofSequence(1)
	v.allowedKnown = len(of) > 0
	for _, e := range of {
		v.contractual += total(e.left(), cas.contractual)
		v.notPaid += total(e.left(), cas.notPaid)
		if len(e.lines) == 0 {
			switch {
			case e.paid == 0 && !slices.ContainsFunc(e.level, cas.explains):
			case e.allowed != "":
				v.allowed += cents(e.allowed)
			default:
				v.allowedKnown = false
			}
			continue
		}
		b6 := false
		for i := range e.lines {
			if e.lineStands(i) {
				v.allowed += e.lines[i].allowed()
				b6 = b6 || e.lines[i].b6 != ""
			}
		}
		if e.levelStands() && !b6 {
			v.allowed -= total(e.level, cas.reducesAllowed)
		}
	}
	if !v.allowedKnown {
		v.allowed = 0
	}
}

// patient adds up what the last payers leave to the patient, line by line.
func (b *books) patient() (sum int64) {
	b.eachOwed(
		func(e *clp, i int) { sum += total(e.lines[i].adjustments, cas.ofPatient) },
		func(e *clp) { sum += total(e.level, cas.ofPatient) },
	)
	return sum
}

// eachOwed calls line for each line, and level for each claim, whose payer is the last
// that says what the patient owes for it.
func (b *books) eachOwed(line func(e *clp, i int), level func(e *clp)) {
	var later []*clp // the entries of later payers
	for sequence := 3; sequence > 0; sequence-- {
		of := slices.DeleteFunc(b.ofSequence(sequence), func(e *clp) bool {
			refused := slices.DeleteFunc(slices.Clone(e.adjustments()), cas.settledBefore)
			return e.paid == 0 && (len(refused) > 0 || len(e.adjustments()) == 0) && !slices.ContainsFunc(refused, func(a cas) bool { return !a.notPaid() })
		})
		for _, e := range of {
			if len(later) == 0 && e.levelStands() {
				level(e)
			}
			for i := range e.lines {
				if e.lineStands(i) && !slices.ContainsFunc(later, func(o *clp) bool { return o.hides(e, i) }) {
					line(e, i)
				}
			}
		}
		later = append(later, of...)
	}
}

// open returns what is left of the charge, and of each line. What several payers say
// counts as what it is: payments, the primary's write-off, and the patient's last part.
func (b *books) open() (whole int64, lines []int64) {
	v := verdict{}
	b.primary(&v)
	for _, e := range slices.Concat(b.entries, b.elsewhere) {
		v.paid += e.paid
	}
	rest := int64(b.claim.Charge()) - v.paid - v.contractual
	whole = rest - min(b.patient(), max(rest, 0))
	for n := range b.claim.Lines {
		lines = append(lines, b.openLine(n+1))
	}
	for _, e := range b.firstDeciders() {
		whole -= total(e.left(), cas.settledBefore)
		for i := range e.lines {
			if n := e.numbers[i]; n > 0 && e.lineStands(i) {
				lines[n-1] -= total(e.lines[i].adjustments, cas.settledBefore)
			}
		}
	}
	if len(lines) == 1 {
		lines[0] = whole
	}
	return whole, lines
}

// openLine returns what payments, write-off and patient leave of a line.
func (b *books) openLine(n int) int64 {
	rest, owed := int64(b.claim.Lines[n-1].Fee), int64(0)
	for _, e := range slices.Concat(b.entries, b.elsewhere) {
		for i := range e.lines {
			if e.numbers[i] == n && !e.taken[i] && (!e.reverses() || len(e.takes) == 0) {
				rest -= e.lines[i].paid
			}
		}
	}
	for _, e := range b.ofSequence(1) {
		for i := range e.lines {
			if e.numbers[i] == n && e.lineStands(i) {
				rest -= total(e.lines[i].adjustments, cas.contractual)
			}
		}
	}
	b.eachOwed(func(e *clp, i int) {
		if e.numbers[i] == n {
			owed += total(e.lines[i].adjustments, cas.ofPatient)
		}
	}, func(*clp) {})
	return rest - min(owed, max(rest, 0))
}

func (a cas) settledBefore() bool { return a.group == "OA" && a.reason == "23" }

// firstDeciders returns the standing entries of the first payer in sequence that has
// decided anything. What earlier payers did is known only from them.
func (b *books) firstDeciders() []*clp {
	for sequence := 1; sequence <= 3; sequence++ {
		for _, e := range slices.Concat(b.entries, b.elsewhere) {
			if e.sequence == sequence && !e.reverses() {
				return b.ofSequence(sequence)
			}
		}
	}
	return nil
}

// hides reports whether the entry of a later payer states line i of e.
func (c *clp) hides(e *clp, i int) bool {
	return len(c.lines) == 0 || slices.ContainsFunc(indexes(c.lines), func(j int) bool { return c.lineStands(j) && c.same(j, e, i) })
}

// review returns why a person must decide about the claim, which is not booked.
func (b *books) review(c *clp) remit.ReviewCode {
	after := newBooks(b.claim, b.payer, append(slices.Clone(b.entries), c))
	of := after.find(c)
	named := slices.ContainsFunc(b.entries, func(e *clp) bool {
		return !e.reverses() && e.reversal == nil && e.payer == c.payer && e.arrival != c.arrival && e.date <= c.date && e.number != "" && (e.number == c.number || e.number == c.original)
	})
	switch {
	case !c.balances():
		return remit.ReviewUnbalanced
	case c.reverses() && len(of.takes) == 0 && named:
		return remit.ReviewReversalDiffers
	case c.reverses() && len(of.takes) == 0:
		return remit.ReviewNoPayment
	case b.patientDiffers(c) && after.chargeDiffers(of):
		return remit.ReviewPatientAndCharge
	case !c.reverses() && b.repeats(c):
		return remit.ReviewPaymentRepeated
	case after.overpays(of):
		return remit.ReviewExceedsCharge
	default:
		return ""
	}
}

// overpays reports whether the payment comes beside one of the payer under another
// number, and all payments are more than the charge.
func (b *books) overpays(c *clp) bool {
	var sum int64
	beside := false
	for _, e := range b.entries {
		sum += e.paid
		beside = beside || e != c && e.netPaid() > 0 && e.payer == c.payer && e.sequence == c.sequence && e.number != c.number
	}
	return !c.reverses() && c.paid > 0 && beside && sum > int64(b.claim.Charge())
}

func (b *books) find(c *clp) *clp {
	return b.entries[slices.IndexFunc(b.entries, func(e *clp) bool { return e.arrival == c.arrival && e.ordinal == c.ordinal })]
}

// repeats reports whether a standing payment of the payer has the same number and
// the same amounts under another trace.
func (b *books) repeats(c *clp) bool {
	numbers := b.match(c)
	return slices.ContainsFunc(b.entries, func(e *clp) bool {
		if e.reverses() || e.reversal != nil || e.paid <= 0 || e.payer != c.payer || e.number != c.number || e.trace == c.trace || e.paid != c.paid {
			return false
		}
		if !e.stands() {
			return false
		}
		o := *c
		o.numbers = numbers
		return o.paysLike(e) && e.paysLike(&o)
	})
}

// paysLike reports whether o pays the same as c for each line of c.
func (c *clp) paysLike(o *clp) bool {
	for i := range c.lines {
		var sum int64
		for j := range c.lines {
			if c.same(i, c, j) {
				sum += c.lines[j].paid
			}
		}
		for j := range o.lines {
			if c.same(i, o, j) {
				sum -= o.lines[j].paid
			}
		}
		if sum != 0 {
			return false
		}
	}
	return true
}

func (b *books) patientDiffers(c *clp) bool {
	first, last := b.claim.Subscriber.FirstName, b.claim.Subscriber.LastName
	if p := b.claim.Patient; p != nil {
		first, last = p.FirstName, p.LastName
	}
	name := !strings.EqualFold(c.first, first) || !strings.EqualFold(c.last, last)
	return name && !strings.EqualFold(c.member, b.claim.Subscriber.MemberID)
}

// chargeDiffers reports whether the charge is neither the claim's nor that of the
// lines that it pays.
func (b *books) chargeDiffers(e *clp) bool {
	var fees int64
	for n, l := range b.claim.Lines {
		if slices.Contains(e.numbers, n+1) {
			fees += int64(l.Fee)
		}
	}
	return abs(e.charge) != int64(b.claim.Charge()) && (fees == 0 || abs(e.charge) != fees)
}

// warnings returns the codes that must stand beside an entry of the books.
func (b *books) warnings(e *clp) (all []remit.WarningCode) {
	add := func(wanted bool, code remit.WarningCode) {
		if wanted {
			all = append(all, code)
		}
	}
	unknown := func(s svc) bool {
		return !slices.ContainsFunc(b.claim.Lines, func(l claim.Line) bool { return l.ProcedureCode == s.billed() })
	}
	v, _ := b.judge()
	add(b.patientDiffers(e), remit.WarnPatientDiffers)
	add(b.chargeDiffers(e), remit.WarnChargeDiffers)
	add(slices.ContainsFunc(e.lines, unknown), remit.WarnProcedureUnknown)
	add(slices.Contains(e.numbers, 0), remit.WarnLineUnmatched)
	add(v.exceeds, remit.WarnExceedsCharge)
	add(!e.reverses() && e.patient != "" && cents(e.patient) != total(e.adjustments(), cas.ofPatient), remit.WarnPatientAmountDiffers)
	add(v.capped, remit.WarnPatientAmountCapped)
	slices.Sort(all)
	return all
}
