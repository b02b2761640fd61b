package remittances_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports/porttest"
)

// again returns the payment with other claims, under the same trace number.
func (b *fixture) again(p remittance.Remittance, claims ...remittance.Claim) remittance.Remittance {
	b.t.Helper()
	next := b.payment(claims...)
	next.Trace = p.Trace
	return next
}

// imports imports the payment, and applies it.
func (b *fixture) imports(p remittance.Remittance) *remit.Record {
	b.t.Helper()
	return b.apply(b.receiveFile(b.file(p)))
}

func (b *fixture) shown(id billing.ERAID) *remit.Record {
	b.t.Helper()
	r, err := b.service.Get(b.t.Context(), b.scope, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.waits(r)
}

// verdict is a person's decision about a whole remittance.
type verdict func(context.Context, idempotency.Write[*remit.Record], billing.ERAID, intake.NoteRequest) (caller.Reply, error)

// judge makes the decision with a key.
func (b *fixture) judge(v verdict, key string, id billing.ERAID) (string, error) {
	b.t.Helper()
	w := write(b.scope, call(key), func(r *remit.Record, _ error) caller.Reply {
		return caller.Reply{Status: 200, Body: fmt.Appendf(nil, "%s %s", r.State, counts(r))}
	})
	w.Principal.ID = "usr_1"
	reply, err := v(b.t.Context(), w, id, intake.NoteRequest{Note: new("The payer called.")})
	return string(reply.Body), err
}

// judged makes a decision that must go well.
func (b *fixture) judged(v verdict, id billing.ERAID) string {
	b.t.Helper()
	reply, err := b.judge(v, "", id)
	if err != nil {
		b.t.Fatal(err)
	}
	return reply
}

func (b *fixture) refuses(v verdict, id billing.ERAID, why string) {
	b.t.Helper()
	if reply, err := b.judge(v, "", id); codeOf(err) != billing.CodeConflict || !strings.Contains(err.Error(), why) {
		b.t.Errorf("%s, %v; want a conflict: %s", reply, err, why)
	}
}

// stated returns a remittance's state, counts and whether a person must look at it.
func stated(r *remit.Record) string {
	attention := ""
	if r.NeedsAttention() {
		attention = ", needs attention"
	}
	return fmt.Sprintf("%s %s%s", r.State, counts(r), attention)
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestCorrection imports a payment again with other figures. It waits for a person, who
// replaces the first one with it. What it does not change stays as a person decided.
func TestCorrection(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	same, changed, gone, added, mine := b.claim("SAME"), b.claim("CHANGED"), b.claim("GONE"), b.claim("ADDED"), b.claim("MINE")
	p := b.payment(paid("SAME", "P1", 0), paid("CHANGED", "P2", 0), paid("GONE", "P3", 0), paid("LOST", "P5", 0), paid("OTHER", "P6", 0))
	first := b.imports(p)
	equal(t, "the first", stated(first), "needs_review 3/5 aaa-- done, needs attention")
	b.decided(decision{does: claim.TriggerMatch, era: first.ID, ordinal: 4, claim: mine})
	b.decided(decision{does: claim.TriggerIgnore, era: first.ID, ordinal: 5})
	b.change(same, func(c *claim.Claim) { c.State, c.ReconciledAt = claim.Reconciled, c.SettledAt })

	second := b.imports(b.again(p, paid("OTHER", "P6", 0), paid("ADDED", "P4", 0), paid("CHANGED", "P2", 2500), paid("LOST", "P5", 0), paid("SAME", "P1", 0)))
	equal(t, "the correction", stated(second), "needs_review 4/5 rrrrr done, needs attention")
	equal(t, "the reason", second.Claims[2].Review, remit.ReviewCorrection)
	equal(t, "the claim waits", b.stands(changed), "paid paid 150.00")
	equal(t, "the first shows it", slices.Equal(b.shown(first.ID).Corrections, []billing.ERAID{second.ID}), true)
	d := second.Difference
	if d == nil || d.Changed != 1 || d.Added != 1 || d.Removed != 1 || len(d.Claims) != 3 || d.Total != 75000 {
		t.Fatalf("the difference is %+v", d)
	}
	if c := d.Claims[1]; c.ControlNumber != "CHANGED" || c.Was.Paid != 15000 || c.Is.Paid != 12500 || len(c.Lines) != 1 ||
		c.Lines[0].Was.Paid != 15000 || c.Lines[0].Is.Paid != 12500 || c.Lines[0].ProcedureCode != "D2740" {
		t.Errorf("the changed claim is %+v", c)
	}
	if added, gone := d.Claims[0], d.Claims[2]; added.ControlNumber != "ADDED" || added.Was != nil || gone.ControlNumber != "GONE" || gone.Is != nil {
		t.Errorf("the others are %+v and %+v", added, gone)
	}
	if _, err := b.decide(b.service, "", decision{does: claim.TriggerApply, era: second.ID, ordinal: 3}); codeOf(err) != billing.CodeConflict {
		t.Errorf("a claim of it is applied: %v", err)
	}

	b.service.InPieces(300)
	equal(t, "the reply", b.judged(b.service.Replace, second.ID), "needs_review 4/5 iaaaa done")
	now := b.shown(first.ID)
	equal(t, "the first afterwards", stated(now), "replaced 4/5 iiiii done")
	equal(t, "what replaced it", now.ReplacedBy, second.ID)
	if n := b.shown(second.ID).Decided; n == nil || n.By != "usr_1" || n.Note != "The payer called." {
		t.Errorf("the decision is %+v", n)
	}
	for id, want := range map[billing.ClaimID]string{
		same:    "reconciled paid 150.00: claim.paid",
		changed: "paid paid 125.00: claim.paid claim.payment_reversed claim.paid",
		gone:    "accepted_payer: claim.paid claim.payment_reversed",
		added:   "paid paid 150.00: claim.paid",
		mine:    "paid paid 150.00: claim.paid",
	} {
		equal(t, b.get(id).PatientControlNumber, b.stands(id)+": "+b.events(id), want)
		if l := b.ledger(id); id != gone && (len(l) != 1 || l[0].ERA.ID != second.ID) || b.get(id).Unposted() {
			t.Errorf("%s: %d entries, unposted %t", b.get(id).PatientControlNumber, len(l), b.get(id).Unposted())
		}
	}
	equal(t, "notes", b.entries(changed, claim.TriggerCorrect)+b.entries(gone, claim.TriggerCorrect), 2)
	equal(t, "other notes", b.entries(same, claim.TriggerCorrect)+b.entries(mine, claim.TriggerCorrect), 0)
	equal(t, "again", b.judged(b.service.Replace, second.ID), "needs_review 4/5 iaaaa done")
	b.refuses(b.service.Keep, second.ID, "It has replaced the other remittance.")
	b.refuses(b.service.Keep, first.ID, "It was replaced by "+second.ID.String())
	b.refuses(b.service.Acknowledge, first.ID, "It was replaced by "+second.ID.String())

	equal(t, "undone", b.judged(b.service.Replace, first.ID), "needs_review 4/5 aaaai done")
	equal(t, "the correction afterwards", stated(b.shown(second.ID)), "replaced 4/5 iiiii done")
	equal(t, "the claim as before", b.stands(changed), "paid paid 150.00")
}

// TestCorrectionIsDiscarded keeps the first remittance. The correction can still be used.
func TestCorrectionIsDiscarded(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("A")
	p := b.payment(paid("A", "P1", 0))
	first := b.imports(p)
	second := b.imports(b.again(p, paid("A", "P1", 2500)))
	b.refuses(b.service.Replace, first.ID, "It corrects no other remittance.")
	b.refuses(b.service.Keep, first.ID, "It corrects no other remittance.")
	for range 2 {
		equal(t, "kept", b.judged(b.service.Keep, second.ID), "discarded 1/1 i done")
	}
	equal(t, "the first", stated(b.shown(first.ID)), "needs_review 1/1 a done")
	equal(t, "corrections that wait", len(b.shown(first.ID).Corrections), 0)
	equal(t, "the claim", b.stands(id)+": "+b.events(id), "paid paid 150.00: claim.paid")
	if _, err := b.decide(b.service, "", decision{does: claim.TriggerMatch, era: second.ID, ordinal: 1, claim: id}); codeOf(err) != billing.CodeConflict {
		t.Errorf("a claim of it is matched: %v", err)
	}
	post := func(id billing.ERAID) error {
		_, err := b.service.Post(t.Context(), write(b.scope, call(""), render), id, intake.PostRequest{AcceptUnfinished: true})
		return err
	}
	if err := post(second.ID); codeOf(err) != billing.CodeConflict {
		t.Errorf("it is posted: %v", err)
	}
	if err := post(first.ID); err != nil {
		t.Fatal(err)
	}
	b.refuses(b.service.Replace, second.ID, "is posted: "+first.ID.String())
	if _, err := b.service.Unpost(t.Context(), write(b.scope, call(""), render), first.ID, intake.NoteRequest{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "after all", b.judged(b.service.Replace, second.ID), "needs_review 1/1 a done")
	equal(t, "the claim", b.stands(id), "paid paid 125.00")
}

// TestUntouched replaces a remittance of which nothing was made by itself.
func TestUntouched(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.payment(paid("A", "P1", 0), paid("LOST", "P9", 0))
	first := b.imports(p)
	id := b.claim("A")
	second := b.imports(b.again(p, paid("A", "P1", 2500), paid("LOST", "P9", 0)))
	equal(t, "the correction", stated(second), "needs_review 1/2 a- done, needs attention")
	equal(t, "the first", stated(b.shown(first.ID)), "replaced 0/2 ii done")
	equal(t, "the claim", b.stands(id)+": "+b.events(id), "paid paid 125.00: claim.paid")
	if n := second.Decided; n == nil || n.By != "" {
		t.Errorf("the decision is %+v", n)
	}
}

// TestVersions imports a payment again: with other names, references and order, and with
// figures that are the same. A third version supersedes a second one that waits.
func TestVersions(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("A")
	p := b.payment(paid("A", "P1", 0), paid("B", "P2", 0))
	first := b.imports(p)
	other := b.again(p, paid("B", "P2", 0), paid("a", "P1", 0))
	other.Claims[0].Names[0].Last, other.Claims[1].Services[0].References, other.Payer.Name = "OTHER", nil, "Molar Test Payer, Inc."
	report, err := b.service.Import(t.Context(), b.scope, "again.835", b.file(other).Content)
	if err != nil || len(report) != 1 || report[0].New || report[0].ID != first.ID {
		t.Errorf("imported again: %+v, %v", report, err)
	}
	second := b.imports(b.again(p, paid("A", "P1", 1000), paid("B", "P2", 0)))
	third := b.imports(b.again(p, paid("A", "P1", 2000), paid("B", "P2", 0)))
	equal(t, "the second", stated(b.shown(second.ID)), "replaced 1/2 ii done")
	equal(t, "the first shows the third", slices.Equal(b.shown(first.ID).Corrections, []billing.ERAID{third.ID}), true)
	b.refuses(b.service.Keep, second.ID, "It was replaced by "+third.ID.String())
	b.judged(b.service.Replace, third.ID)
	equal(t, "the claim", b.stands(id), "paid paid 130.00")
	fourth := b.imports(b.again(p, paid("A", "P1", 3000)))
	equal(t, "the fourth corrects the third", slices.Equal(fourth.Corrects, []billing.ERAID{third.ID}), true)
	for _, old := range []remittance.Remittance{p, b.again(p, paid("A", "P1", 1000), paid("B", "P2", 0))} {
		if report, err = b.service.Import(t.Context(), b.scope, "old.835", b.file(old).Content); err != nil || report[0].New {
			t.Errorf("an old version is new: %+v, %v", report, err)
		}
	}
	b.judged(b.service.Replace, fourth.ID)
	equal(t, "the claim", b.stands(id), "paid paid 120.00")
	equal(t, "the third", b.shown(third.ID).State, remit.Replaced)
}

// TestParts imports a payment that the payer split by office. Both parts stand, and the
// payment is balanced on their sum, whichever total they state. Later, one correction
// replaces both.
func TestParts(t *testing.T) {
	t.Parallel()
	for name, each := range map[string]func(p *remittance.Remittance){
		"each states the whole": func(p *remittance.Remittance) { p.Total = 30000 },
		"one states too much": func(p *remittance.Remittance) {
			p.Total = map[string]billing.Money{"A": 20000, "B": 10000}[p.Claims[0].ControlNumber]
		},
		"each states its own": func(*remittance.Remittance) {},
		"the other has an adjustment": func(p *remittance.Remittance) {
			if p.Total = 30000; p.Claims[0].ControlNumber == "B" {
				p.Total = 0
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			one, two := b.claim("A"), b.claim("B")
			p := b.payment(paid("A", "P1", 0))
			q := b.again(p, paid("B", "P2", 0))
			each(&p)
			each(&q)
			first := b.imports(p)
			equal(t, "the first alone", first.NeedsAttention(), name != "each states its own")
			second := b.imports(q)
			first = b.shown(first.ID)
			for _, r := range []*remit.Record{first, second} {
				equal(t, "a part", stated(r), "needs_review 1/1 a done")
				if !r.Balanced || r.PaymentBalance().Failed > 0 || len(r.PaymentFindings()) > 0 || len(r.Parts) != 1 {
					t.Errorf("%s is balanced %t, with %v: %+v, %+v", r.ID, r.Balanced, r.Parts, r.PaymentBalance(), r.PaymentFindings())
				}
			}
			equal(t, "the claims", b.stands(one)+", "+b.stands(two), "paid paid 150.00, paid paid 150.00")
			whole := b.imports(b.again(p, paid("A", "P1", 0), paid("B", "P2", 2500)))
			equal(t, "it corrects both", slices.Equal(whole.Corrects, []billing.ERAID{first.ID, second.ID}), true)
			equal(t, "replaced", b.judged(b.service.Replace, whole.ID), "needs_review 2/2 aa done")
			equal(t, "the claims", b.stands(one)+", "+b.stands(two), "paid paid 150.00, paid paid 125.00")
			equal(t, "the parts", stated(b.shown(first.ID))+", "+stated(b.shown(second.ID)), "replaced 1/1 i done, replaced 1/1 i done")
			equal(t, "what is left", len(b.shown(whole.ID).Parts), 0)
		})
	}
}

// TestAcknowledge acknowledges a payment that does not add up.
func TestAcknowledge(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.claim("A")
	p := b.payment(paid("A", "P1", 0))
	p.Total += 500
	r := b.imports(p)
	equal(t, "before", stated(r), "needs_review 1/1 a done, needs attention")
	if _, err := b.service.Acknowledge(t.Context(), write(b.scope, call(""), render), r.ID, intake.NoteRequest{}); codeOf(err) != billing.CodeInvalidRequest {
		t.Errorf("without a note: %v", err)
	}
	for range 2 {
		equal(t, "acknowledged", b.judged(b.service.Acknowledge, r.ID), "needs_review 1/1 a done")
	}
	r = b.shown(r.ID)
	equal(t, "afterwards", stated(r), "needs_review 1/1 a done")
	if n := r.Acknowledged; r.Balanced || n == nil || n.By != "usr_1" || n.Note != "The payer called." || n.At.IsZero() {
		t.Errorf("balanced %t, acknowledged %+v", r.Balanced, n)
	}
	b.refuses(b.service.Acknowledge, b.remit(paid("A", "P7", 0)).ID, "The payment adds up.")
}

// TestBothVersionsAtOnce imports two versions of a payment in many processes at once, and
// then each of them again. One stands, and the other one corrects it.
func TestBothVersionsAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("A")
	p := b.payment(paid("A", "P1", 0))
	files := []clearing.IncomingFile{b.file(p), b.file(b.again(p, paid("A", "P1", 2500)))}
	var all sync.WaitGroup
	for n := range 16 {
		s := b.process(nil)
		all.Go(func() {
			b.takes(s, files[n%2])
			for _, j := range b.due() {
				b.work(s, j)
			}
		})
	}
	all.Wait()
	b.settle()
	eras := b.eras(b.scope)
	if len(eras) != 2 {
		t.Fatalf("%d remittances", len(eras))
	}
	waits := slices.IndexFunc(eras, (*remit.ERA).Undecided)
	if waits < 0 || len(b.ledger(id)) != 1 {
		t.Fatalf("no correction waits, %d payments", len(b.ledger(id)))
	}
	stood := b.stands(id)
	for n := range 4 {
		s := b.process(nil)
		all.Go(func() {
			if reply, err := b.judge(s.Replace, fmt.Sprint("k", n), eras[waits].ID); err != nil || reply != "needs_review 1/1 a done" {
				t.Errorf("replaced: %s, %v", reply, err)
			}
		})
	}
	all.Wait()
	if l := b.ledger(id); len(l) != 1 || l[0].ERA.ID != eras[waits].ID || b.stands(id) == stood {
		t.Errorf("%d payments, %s", len(l), b.stands(id))
	}
}

// TestReplacingDiesAnywhere ends the process at each transaction of a replacement, in one
// commit and in several. After each commit every claim has one of both payments.
func TestReplacingDiesAnywhere(t *testing.T) {
	t.Parallel()
	for _, pieces := range []int{1, 300} {
		t.Run(fmt.Sprintf("pieces of %d", pieces), func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			b.service.InPieces(pieces)
			n := 0
			porttest.EveryEnding(t, map[int]int{1: 9, 300: 1}[pieces], func(t *testing.T, f *porttest.Fault) {
				t.Helper()
				n++
				var ids []billing.ClaimID
				var was, is []saying
				for i := range 12 {
					number := fmt.Sprintf("A%d-%d", n, i)
					ids = append(ids, b.claim(number))
					was = append(was, paid(number, "P"+number, 0))
					is = append(is, paid(number, "P"+number, billing.Money(i%3*1000)))
				}
				p := b.payment(was...)
				first := b.imports(p)
				second := b.imports(b.again(p, is...))
				s := b.process(f).InPieces(pieces)
				porttest.Dies(func() {
					_, _ = b.judge(s.Replace, fmt.Sprint("k", n), second.ID)
					for _, j := range b.due() {
						_ = s.Apply(t.Context(), j)
					}
				})
				for i, id := range ids {
					if l := b.ledger(id); len(l) != 1 {
						t.Errorf("claim %d has %d payments in between", i, len(l))
					}
				}
				if _, err := b.judge(b.service.Replace, fmt.Sprint("k", n), second.ID); err != nil {
					t.Fatal(err)
				}
				b.settle()
				equal(t, "the correction", stated(b.shown(second.ID)), "needs_review 12/12 aaaaaaaaaaaa done")
				equal(t, "the first", stated(b.shown(first.ID)), "replaced 12/12 iiiiiiiiiiii done")
				for i, id := range ids {
					want := fmt.Sprintf("paid paid %s: claim.paid", billing.Money(15000-i%3*1000))
					if i%3 > 0 {
						want += " claim.payment_reversed claim.paid"
					}
					equal(t, "a claim", b.stands(id)+": "+b.events(id), want)
				}
			})
		})
	}
}

// TestReceivingCorrectionsDiesAnywhere ends the process that imports a correction of a
// correction that waits.
func TestReceivingCorrectionsDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	n := 0
	porttest.EveryEnding(t, 1, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		n++
		number := fmt.Sprint("A-", n)
		id := b.claim(number)
		p := b.payment(paid(number, "P", 0))
		first := b.imports(p)
		second := b.imports(b.again(p, paid(number, "P", 1000)))
		file := b.file(b.again(p, paid(number, "P", 2000)))
		porttest.Dies(func() { _, _ = b.process(f).Receive(t.Context(), &network.Route{Mode: b.scope.Mode}, file) })
		if _, err := b.service.Receive(t.Context(), &network.Route{Mode: b.scope.Mode}, file); err != nil {
			t.Fatal(err)
		}
		b.settle()
		equal(t, "the second", stated(b.shown(second.ID)), "replaced 1/1 i done")
		waiting := b.shown(first.ID).Corrections
		if len(waiting) != 1 || stated(b.shown(waiting[0])) != "needs_review 1/1 r done, needs attention" {
			t.Errorf("%d corrections wait", len(waiting))
		}
		equal(t, "the claim", b.stands(id), "paid paid 150.00")
	})
}
