package edi_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/remit"
)

// stated returns the standing decision of the primary payer in the form in which the
// claim to the next payer states it: one entry with one line for each line of the
// claim. It returns nil when nothing stands.
func (b *books) stated() (s *clp) {
	var others svc // lines that no line of the claim matches
	lines := map[int]*svc{}
	for _, e := range slices.Backward(b.ofSequence(1)) {
		if s == nil {
			s = &clp{sequence: 1, payer: e.payer}
		}
		s.date, s.number = e.date, e.number
		if e.levelStands() {
			s.level = append(s.level, e.level...)
		}
		if len(e.lines) == 0 {
			s.paid += e.netPaid()
			continue
		}
		if e.levelStands() {
			s.paid -= total(e.level, func(cas) bool { return true })
		}
		for i := range e.lines {
			n := e.numbers[i]
			if !e.lineStands(i) {
				continue
			}
			if n == 0 {
				others.paid, others.adjustments = others.paid+e.lines[i].paid, append(others.adjustments, e.lines[i].adjustments...)
				continue
			}
			if lines[n] == nil {
				lines[n] = &svc{reference: fmt.Sprint(n)}
			}
			l := lines[n]
			l.code, l.submitted = e.lines[i].code, b.claim.Lines[n-1].ProcedureCode
			l.charge, l.paid = l.charge+e.lines[i].charge, l.paid+e.lines[i].paid
			l.adjustments = append(l.adjustments, e.lines[i].adjustments...)
			s.paid += e.lines[i].paid
		}
	}
	if len(lines) == 0 && s != nil {
		s.paid, s.level = s.paid+others.paid, append(s.level, others.adjustments...)
	}
	for n := range b.claim.Lines {
		if l := lines[n+1]; l != nil {
			s.lines, s.numbers = append(s.lines, *l), append(s.numbers, n+1)
			s.taken, s.replaced = append(s.taken, false), append(s.replaced, false)
		}
	}
	return s
}

// summed returns the adjustments in words: one amount for each group and reason.
func summed(all []cas) string {
	sums := map[string]int64{}
	for _, a := range all {
		sums[a.group+" "+a.reason] += a.amount
	}
	var words []string
	for of, sum := range sums {
		if sum != 0 {
			words = append(words, of+" "+amount(sum))
		}
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// words returns the decision as the claim to the next payer has to state it.
func (c *clp) words() string {
	if c == nil {
		return "nothing"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: %s [%s]", c.number, c.date, amount(c.paid), summed(c.level))
	for i := range c.lines {
		l := &c.lines[i]
		fmt.Fprintf(&b, "; %d %s: %s [%s]", c.numbers[i], l.code, amount(l.paid), summed(l.adjustments))
	}
	return b.String()
}

func casOf(all []remit.Adjustment) (out []cas) {
	for _, a := range all {
		out = append(out, cas{a.Group, a.Reason, int64(a.Amount)})
	}
	return out
}

// asClp returns what the claim states, read back.
func asClp(a *claim.CoverageAdjudication) *clp {
	if a == nil {
		return nil
	}
	c := &clp{number: a.PayerClaimNumber, date: a.PaymentDate.X12(), paid: int64(a.Paid), level: casOf(a.Adjustments)}
	for _, l := range a.Lines {
		c.lines = append(c.lines, svc{code: l.ProcedureCode, paid: int64(l.Paid), adjustments: casOf(l.Adjustments)})
		c.numbers = append(c.numbers, l.LineNumber)
	}
	return c
}

// coordination is a claim to a primary payer, and then the claim to the secondary
// payer for the same services, with the remittances to both.
type coordination struct {
	*rand.Rand
	first, second *clerk
	rest          []string // files of the primary payer that come after the second claim was made
	arrival       int
	billed        *clp // what the second claim states; nil for nothing
	seen          map[string]int
}

// coordinate writes the history of the primary payer, applies a part of it, and bills
// the secondary payer.
func coordinate(seed uint64, seen map[string]int) (*coordination, error) {
	h := &historian{Rand: rand.New(rand.NewPCG(seed, 837)), alone: &seat{payer: 0, place: 0}}
	h.claim, h.reference = randomClaim(h), h.IntN(4)
	c := &coordination{Rand: h.Rand, first: newClerk(h.write(), seen), seen: seen}
	files := c.first.h.files
	before := h.IntN(len(files) + 1)
	c.rest = files[before:]
	for _, file := range files[:before] {
		if err := c.receive(c.first, file); err != nil {
			return c, err
		}
	}
	return c, c.bill()
}

func (c *coordination) receive(k *clerk, file string) error {
	c.arrival++
	return k.receive(file, c.arrival)
}

// bill makes the second claim and the history of its payer, which may be the same
// insurer.
func (c *coordination) bill() error {
	first, payer := &claim.Record{Claim: c.first.h.claim, Ledger: c.first.ledger}, c.IntN(2)
	made, err := first.BillSecondary(billing.ClaimID{15: 2}, "PCN-2", claim.SecondPlan{
		Payer: payerSummary(payer), Subscriber: claim.Subscriber{FirstName: "JANE", LastName: "ROE", MemberID: "W1"},
		Relationship: coverage.RelationSelf,
	}, false, billing.RequestID{}, time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return err
	}
	if len(made.OtherCoverage) != 1 || made.OtherCoverage[0].Sequence != billing.SequencePrimary {
		return fmt.Errorf("the other coverage is %+v", made.OtherCoverage)
	}
	c.billed = c.first.books.stated()
	a := made.OtherCoverage[0].Adjudication
	if got, want := asClp(a).words(), c.billed.words(); got != want {
		return fmt.Errorf("the claim to the secondary payer states\n     %s\nwant %s", got, want)
	}
	if err := c.addsUp(a); err != nil {
		return err
	}
	if err := c.judged(made); err != nil {
		return err
	}
	if err := c.carried(made); err != nil {
		return err
	}
	h := &historian{Rand: c.Rand, claim: made, reference: c.IntN(4), traces: 1000, alone: &seat{payer: payer, place: 1}}
	c.second = newClerk(h.write(), c.seen)
	if c.billed != nil {
		c.second.elsewhere = []*clp{c.billed}
	}
	c.second.book()
	return nil
}

// addsUp checks that the decision that the claim states balances: each line with the
// charges that the primary payer stated for it, and the claim with its lines.
func (c *coordination) addsUp(a *claim.CoverageAdjudication) error {
	if a == nil {
		c.seen["nothing decided"]++
		return nil
	}
	every := func(cas) bool { return true }
	var paid int64
	for i := range a.Lines {
		l := &a.Lines[i]
		paid += int64(l.Paid)
		if got, want := int64(l.Paid)+total(casOf(l.Adjustments), every), c.billed.lines[i].charge; got != want || l.Units != 1 {
			return fmt.Errorf("line %d: payment and adjustments are %s for %d units, of %s", l.LineNumber, amount(got), l.Units, amount(want))
		}
		if int64(l.Total()) == int64(c.first.h.claim.Lines[l.LineNumber-1].Fee) {
			c.seen["line that balances"]++
		} else {
			c.seen["line that does not balance"]++
		}
	}
	mixed := slices.ContainsFunc(c.first.books.ofSequence(1), func(e *clp) bool { return len(e.lines) == 0 })
	if len(a.Lines) > 0 && !mixed {
		c.seen["lines"]++
		if paid-total(casOf(a.Adjustments), every) != int64(a.Paid) {
			return fmt.Errorf("lines of %s less %s are not %s", amount(paid), summed(casOf(a.Adjustments)), a.Paid)
		}
	}
	if len(a.Lines) > 0 && len(a.Adjustments) > 0 {
		c.seen["both levels"]++
	}
	if len(a.Lines) == 0 {
		c.seen["no lines"]++
	}
	return nil
}

// judged checks that the findings name exactly what does not add up: the decision that
// is missing, the lines whose payment and adjustments are not the charge, the lines
// without a decision, and the payment of the whole.
func (c *coordination) judged(made *claim.Claim) error {
	every := func(cas) bool { return true }
	var want []string
	if s := c.billed; s == nil {
		want = append(want, "other_coverage.0.adjudication not_adjudicated")
	} else {
		whole, decided := int64(made.Charge()), int64(0)
		for i := range s.lines {
			l := &s.lines[i]
			if decided += l.paid; l.paid+total(l.adjustments, every) != int64(made.Lines[s.numbers[i]-1].Fee) {
				want = append(want, fmt.Sprintf("other_coverage.0.adjudication.lines.%d.paid line_unbalanced", i))
			}
		}
		if len(s.lines) > 0 {
			whole = decided
		}
		if s.paid+total(s.level, every) != whole {
			want = append(want, "other_coverage.0.adjudication.paid payment_unbalanced")
		}
		if n := len(s.lines); n > 0 && n < len(made.Lines) {
			want = append(want, "other_coverage.0.adjudication.lines line_not_adjudicated")
		}
	}
	var got []string
	for _, f := range made.Judge(claim.RuleContext{Today: on(2026, 6, 1)}) {
		if strings.HasPrefix(f.Field, "other_coverage.0.adjudication") {
			got = append(got, f.Field+" "+f.Code)
			c.seen["finding "+f.Code]++
		}
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		return fmt.Errorf("findings %q, want %q", got, want)
	}
	return nil
}

// carried checks that the file with the claim has the decision.
func (c *coordination) carried(made *claim.Claim) error {
	out := claimOf(2, newOffice(1, "BRIGHT SMILES", "1234567893"), "PCN-2")
	content := made.Content
	content.OfficeID, content.PlaceOfService = out.Office.ID, "11"
	out.Claim.Content = content
	out.Claim.OtherCoverage[0].Subscriber.DateOfBirth = on(1985, 4, 12)
	file, err := edi.New().File(network.ClaimsFile{Batch: newBatch(), Envelope: envelope("CLEARINGHOUSE"), Claims: []claim.OutgoingClaim{out}})
	if err != nil {
		return err
	}
	batches, warnings, err := claims.Decode(bytes.NewReader(file))
	if err != nil || len(warnings) > 0 || len(batches) != 1 || len(batches[0].Claims) != 1 {
		return fmt.Errorf("%d files, %v, %w", len(batches), warnings, err)
	}
	read := &batches[0].Claims[0]
	if len(read.OtherPayers) != 1 || read.Coverage != claims.CoverageSecondary || read.OtherPayers[0].Coverage != claims.CoveragePrimary {
		return fmt.Errorf("the file has %d other payers of a claim with coverage %s", len(read.OtherPayers), read.Coverage)
	}
	decided, err := c.readBack(read)
	if err != nil {
		return fmt.Errorf("%w in\n%s", err, file)
	}
	if got, want := decided.words(), c.billed.words(); got != want {
		return fmt.Errorf("the file states\n     %s\nwant %s in\n%s", got, want, file)
	}
	return nil
}

// readBack returns the decision that a claim of a file states, and checks the
// balances that payers check (005010X224A2, 1.4.4): SV302 is SVD02 and the CAS of the
// line, AMT D is the SVD02 less the CAS of the claim.
func (c *coordination) readBack(read *claims.Claim) (*clp, error) {
	o := &read.OtherPayers[0]
	if (o.Paid == nil) != (c.billed == nil) {
		return nil, fmt.Errorf("is anything paid? %v", o.Paid)
	}
	if o.Paid == nil {
		return nil, nil // nothing is decided
	}
	every := func(cas) bool { return true }
	adjusted := func(all []claims.Adjustment) (out []cas) {
		for _, a := range all {
			out = append(out, cas{a.Group, a.Reason, int64(a.Amount)})
		}
		return out
	}
	d := &clp{number: o.PayerClaimNumber, date: o.PaymentDate.X12(), paid: int64(*o.Paid), level: adjusted(o.Adjustments)}
	left, paid, lines := total(d.level, cas.ofPatient), int64(0), 0
	for n := range read.Lines {
		for _, a := range read.Lines[n].Adjudications {
			l := svc{code: a.Procedure, paid: int64(a.Paid), adjustments: adjusted(a.Adjustments)}
			d.lines, d.numbers = append(d.lines, l), append(d.numbers, n+1)
			left, paid, lines = left+total(l.adjustments, cas.ofPatient), paid+l.paid, lines+1
			d.date = a.PaymentDate.X12()
			want := c.billed.lines[lines-1].charge
			if a.PayerID != o.Payer.PayerID || l.paid+total(l.adjustments, every) != want {
				return nil, fmt.Errorf("line %d: SVD02 %s and CAS %s, of %s", n+1, a.Paid, summed(l.adjustments), amount(want))
			}
		}
	}
	mixed := slices.ContainsFunc(c.first.books.ofSequence(1), func(e *clp) bool { return len(e.lines) == 0 })
	if lines > 0 && !mixed && paid-total(d.level, every) != d.paid {
		return nil, fmt.Errorf("SVD02 of %s and CAS %s, but AMT D %s", amount(paid), summed(d.level), amount(d.paid))
	}
	if o.Remaining == nil || int64(*o.Remaining) != left {
		return nil, fmt.Errorf("AMT EAF %v, of %s", o.Remaining, amount(left))
	}
	return d, nil
}

// work applies the remittances to both claims in a random order. Each payer's are in
// the order in which it sent them, or shuffled.
func (c *coordination) work() error {
	if err := c.agree("the bill"); err != nil {
		return err
	}
	second := c.second.h.files
	for len(c.rest)+len(second) > 0 {
		if len(second) == 0 || len(c.rest) > 0 && c.IntN(2) == 0 {
			if err := c.receive(c.first, c.rest[0]); err != nil {
				return fmt.Errorf("first claim: %w", err)
			}
			c.rest = c.rest[1:]
		} else {
			if err := c.receive(c.second, second[0]); err != nil {
				return fmt.Errorf("second claim: %w", err)
			}
			second = second[1:]
		}
		if err := c.agree(fmt.Sprintf("file %d", c.arrival)); err != nil {
			return err
		}
	}
	if err := c.second.finish(); err != nil {
		return fmt.Errorf("second claim: %w", err)
	}
	if err := c.agree("the second claim's end"); err != nil {
		return err
	}
	if err := c.first.finish(); err != nil {
		return fmt.Errorf("first claim: %w", err)
	}
	return c.agree("the first claim's end")
}

// agree sets what each claim has of the other, compares both with their books, and
// compares what they say that the patient owes. The second claim states the primary
// payer's decision as it was when it was made; the entries of the first claim count
// instead as soon as there are any.
func (c *coordination) agree(after string) error {
	one, two := c.first, c.second
	one.elsewhere, two.elsewhere = two.books.entries, one.books.entries
	if len(one.books.entries) == 0 && c.billed != nil {
		two.elsewhere = []*clp{c.billed}
	}
	one.beside, two.beside = two.ledger, one.ledger
	of, to := one.ledger.Beside(two.ledger), two.ledger.Beside(one.ledger)
	one.book()
	two.book()
	one.ledger, two.ledger = of, to
	if err := one.compare(after + " (both claims)"); err != nil {
		return fmt.Errorf("first claim: %w", err)
	}
	if err := two.compare(after + " (both claims)"); err != nil {
		return fmt.Errorf("second claim: %w", err)
	}
	if now := one.books.stated(); now.words() != c.billed.words() {
		c.seen["the primary payer has changed its decision"]++
	}
	first, second := of.Standing(), to.Standing()
	if first == nil || second == nil {
		c.seen["one claim decided"]++
		return nil
	}
	c.seen["agree"]++
	if first.Capped {
		c.seen["agree on the cap"]++
	}
	if first.PatientResponsibility != second.PatientResponsibility || first.Contractual != second.Contractual || first.NotPaid != second.NotPaid ||
		first.Capped != second.Capped || first.Exceeds != second.Exceeds {
		return fmt.Errorf("after %s the claims differ:\nfirst  %+v\nsecond %+v", after, first, second)
	}
	return nil
}

// TestSecondaryClaimEqualsTheOracle bills the secondary payer after random histories
// of the primary one, applies the rest of these and those of the secondary payer in
// any order, and compares every figure of both claims with the oracle's.
func TestSecondaryClaimEqualsTheOracle(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(2000) {
		c, err := coordinate(seed, seen)
		if err == nil {
			err = c.work()
		}
		if err != nil {
			fail(t, seed, c.history(), err)
		}
	}
	for _, s := range []string{
		"nothing decided", "lines", "no lines", "both levels", "line that balances", "line that does not balance", "agree", "agree on the cap",
		"the primary payer has changed its decision", "opposite order", "finding not_adjudicated", "finding line_unbalanced", "finding payment_unbalanced", "finding line_not_adjudicated",
	} {
		if seen[s] < 20 {
			t.Errorf("%s: %d times in all histories, too few to prove anything", s, seen[s])
		}
	}
}

// history returns all files of both claims, the first claim's at the front.
func (c *coordination) history() history {
	h := c.first.h
	if c.second != nil {
		h.files = append(slices.Clone(h.files), c.second.h.files...)
	}
	return h
}
