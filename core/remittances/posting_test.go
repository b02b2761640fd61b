package remittances_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/automation"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// byAnn is a call of the user Ann.
func byAnn(b *fixture) idempotency.Write[*remit.Record] {
	w := write(b.scope, call(""), render)
	w.Principal = caller.Principal{Type: caller.PrincipalUser, ID: "usr_ann"}
	return w
}

// seven receives a remittance of seven claims, of which five are settled, one was denied and one has
// an open balance. Each run has claims of its own.
func (b *fixture) seven(n int) ([]billing.ClaimID, []saying) {
	var ids []billing.ClaimID
	var says []saying
	for i := range 7 {
		number := fmt.Sprintf("N%d-%d", n, i)
		ids = append(ids, b.claim(number))
		said := paid(number, "P"+number, 2500)
		if i == 2 {
			said = denied(number, "P"+number)
		}
		if i == 4 { // 20.00 are refused
			said.Services[0].Adjustments = append(said.Services[0].Adjustments, remittance.Adjustment{Group: "CO", Reason: "16", Amount: 2000})
		}
		says = append(says, said)
	}
	return ids, says
}

func (b *fixture) states(ids []billing.ClaimID) string {
	var all []string
	for _, id := range ids {
		all = append(all, string(b.get(id).State))
	}
	return strings.Join(all, " ")
}

// posting says what the posting of a remittance has come to.
func (b *fixture) posting(id billing.ERAID) string {
	b.t.Helper()
	e := porttest.Read(b.t, b.store, b.scope, func(ctx context.Context, tx ports.Tx) (*remit.ERA, error) { return tx.ERAs.Get(ctx, id) })
	p := e.Posting
	if p == nil {
		return string(e.State)
	}
	text := fmt.Sprintf("%s %s %d/%d", e.State, e.ReconcileStage(), p.Reconciled, p.Left)
	for _, l := range p.LeftOut {
		text += " " + string(l.Reason)
	}
	return text
}

// follow does the jobs of postings until none is left.
func (b *fixture) follow(s *remittances.Service) {
	b.t.Helper()
	for due := b.due(); len(due) > 0; due = b.due() {
		for _, j := range due {
			do := s.FollowPosting
			if j.Kind == jobs.KindERA {
				do = s.Apply
			}
			if err := do(b.t.Context(), j); err != nil {
				b.t.Fatalf("%s: %v", j.Kind, err)
			}
		}
	}
}

const (
	allPaid       = "paid paid denied paid paid paid paid"
	allReconciled = "reconciled reconciled denied reconciled paid reconciled reconciled"
)

// TestPostReconciles posts a remittance in steps of three. The first one is in the commit of the
// request, and the reply counts it; the job takes the others.
func TestPostReconciles(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.service.InPieces(3)
	ids, says := b.seven(0)
	r := b.remit(says...)
	b.follow(b.service)
	post := func(in intake.PostRequest) {
		t.Helper()
		if _, err := b.service.Post(t.Context(), byAnn(b), r.ID, in); err != nil {
			t.Fatal(err)
		}
	}
	post(intake.PostRequest{})
	if got := b.posting(r.ID) + ": " + b.states(ids); got != "posted: "+allPaid {
		t.Errorf("without reconcile: %s", got)
	}
	post(intake.PostRequest{Reconcile: true})
	if got := b.posting(r.ID) + ": " + b.states(ids); got != "posted reconciling 2/1 open_amount: reconciled reconciled denied paid paid paid paid" {
		t.Errorf("after the request: %s", got)
	}
	b.follow(b.service)
	want := "posted done 5/2 open_amount open_amount: " + allReconciled
	if got := b.posting(r.ID) + ": " + b.states(ids); got != want {
		t.Errorf("after the job: %s, want %s", got, want)
	}
	post(intake.PostRequest{Reconcile: true})
	b.follow(b.service)
	if got := b.posting(r.ID) + ": " + b.states(ids); got != want {
		t.Errorf("posted again: %s", got)
	}
	c := b.get(ids[0])
	if last := c.History[len(c.History)-1]; last.By != "usr_ann" || last.Cause != claim.TriggerReconcile || last.File == "" || c.ReconciledWith != r.ID {
		t.Errorf("%+v, reconciled with %s", last, c.ReconciledWith)
	}
}

// TestUnpostReopens reopens what the posting reconciled, but not what a person changed since then.
func TestUnpostReopens(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.service.InPieces(2)
	ids, says := b.seven(0)
	r := b.remit(says...)
	if _, err := b.service.Post(t.Context(), byAnn(b), r.ID, intake.PostRequest{Reconcile: true}); err != nil {
		t.Fatal(err)
	}
	b.follow(b.service)
	person := caller.Principal{Type: caller.PrincipalUser, ID: "usr_ben"}
	b.reconcileAgain(ids[1])
	b.change(ids[3], func(c *claim.Claim) { c.Noted(claim.TriggerSettle, claim.Cause{At: b.clock.Now()}, person, "") })
	unpost := func() error {
		_, err := b.service.Unpost(t.Context(), byAnn(b), r.ID, intake.NoteRequest{})
		return err
	}
	if err := unpost(); err != nil {
		t.Fatal(err)
	}
	if got := b.posting(r.ID); got != "needs_review reopening 5/2 open_amount open_amount" {
		t.Errorf("after the request: %s", got)
	}
	if _, err := b.service.Post(t.Context(), byAnn(b), r.ID, intake.PostRequest{}); codeOf(err) != billing.CodeConflict {
		t.Errorf("posted while it reopens: %v", err)
	}
	b.follow(b.service)
	want := "needs_review: paid reconciled denied reconciled paid paid paid"
	if got := b.posting(r.ID) + ": " + b.states(ids); got != want {
		t.Errorf("unposted: %s, want %s", got, want)
	}
	if err := unpost(); err != nil {
		t.Error(err)
	}
	if _, err := b.service.Post(t.Context(), byAnn(b), r.ID, intake.PostRequest{Reconcile: true}); err != nil {
		t.Fatal(err)
	}
	b.follow(b.service)
	if got := b.posting(r.ID) + ": " + b.states(ids); got != "posted done 3/2 open_amount open_amount: "+allReconciled {
		t.Errorf("posted again: %s", got)
	}
}

// reconcileAgain reopens a claim and reconciles it, as a person does.
func (b *fixture) reconcileAgain(id billing.ClaimID) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, id)
		if err == nil {
			err = c.Reopen("usr_ben", tx.Clock.Now())
		}
		if err == nil {
			err = c.Reconcile(nil, "usr_ben", tx.Clock.Now())
		}
		if err != nil {
			return err
		}
		return tx.Claims.Save(ctx, c.Claim)
	})
}

// TestPostingDiesAnywhere ends the process at each of its transactions, while it reconciles and while
// it reopens. Another one continues: nothing is left out, and nothing is done twice.
func TestPostingDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.service.InPieces(2)
	n := 0
	porttest.EveryEnding(t, 3, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		n++
		ids, says := b.seven(n)
		r := b.remit(says...)
		if _, err := b.service.Post(t.Context(), byAnn(b), r.ID, intake.PostRequest{Reconcile: true}); err != nil {
			t.Fatal(err)
		}
		dies := b.process(f).InPieces(2)
		die := func() {
			for _, j := range b.due() {
				porttest.Dies(func() { _ = dies.FollowPosting(t.Context(), j) })
			}
			b.follow(b.service)
		}
		die()
		if got := b.posting(r.ID) + ": " + b.states(ids); got != "posted done 5/2 open_amount open_amount: "+allReconciled {
			t.Errorf("posted: %s", got)
		}
		for _, id := range ids {
			if n := b.causes(id, claim.TriggerReconcile); n > 1 {
				t.Errorf("a claim was reconciled %d times", n)
			}
		}
		if _, err := b.service.Unpost(t.Context(), byAnn(b), r.ID, intake.NoteRequest{}); err != nil {
			t.Fatal(err)
		}
		die()
		if got := b.posting(r.ID) + ": " + b.states(ids); got != "needs_review: "+allPaid {
			t.Errorf("unposted: %s", got)
		}
		for _, id := range ids {
			if was, is := b.causes(id, claim.TriggerReconcile), b.causes(id, claim.TriggerReopen); was != is {
				t.Errorf("a claim was reconciled %d times and reopened %d times", was, is)
			}
		}
	})
}

func (b *fixture) causes(id billing.ClaimID, by claim.Trigger) (n int) {
	for _, m := range b.get(id).History {
		if m.Cause == by {
			n++
		}
	}
	return n
}

// automate sets the level of the organization, and of payers.
func (b *fixture) automate(level automation.Level, payers ...intake.AutomationPayer) {
	b.t.Helper()
	w := write(b.scope, call(""), func(*automation.Settings, error) caller.Reply { return caller.Reply{Status: 200} })
	if _, err := b.service.PutAutomation(b.t.Context(), w, intake.AutomationRequest{Level: string(level), Payers: payers}); err != nil {
		b.t.Fatal(err)
	}
}

// ruled returns what rules did, by the audit.
func (b *fixture) ruled() (did []string) {
	b.t.Helper()
	for _, e := range porttest.Read(b.t, b.store, b.scope, func(ctx context.Context, tx ports.Tx) ([]*caller.AuditEntry, error) {
		return tx.Audit.List(ctx, caller.AuditFilter{Actor: caller.ActorRule}, billing.Page{Limit: 100})
	}) {
		did = append(did, e.Rule+" "+e.Operation)
	}
	return did
}

// TestExceptions posts a plain remittance by itself, and leaves every other one to a person.
func TestExceptions(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	said := func(number string) saying {
		b.claim(number)
		return paid(number, "P"+number, 2500)
	}
	plain := func() *remit.Record {
		n := fmt.Sprintf("S%d", b.traces)
		refused := said(n + "D")
		no := denied(n+"D", refused.PayerControlNumber)
		return b.remit(said(n), no)
	}
	arrives := func(what, want string, r *remit.Record) {
		t.Helper()
		b.follow(b.service)
		if got := b.posting(r.ID); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	const posted, left = "posted not_asked 0/0", "needs_review"
	arrives("no automation", left, plain())
	b.automate(automation.Exceptions)
	arrives("a denial and a payment", posted, plain())
	if got := b.ruled(); len(got) != 1 || got[0] != "exceptions POST /eras/{id}/post" {
		t.Errorf("the audit has %q", got)
	}
	b.automate(automation.Exceptions, intake.AutomationPayer{PayerID: "CHTEST", Level: "review"})
	arrives("the payer is reviewed", left, plain())
	b.automate(automation.Review, intake.AutomationPayer{PayerID: "CHTEST", Level: "exceptions"})
	arrives("the payer's level", posted, plain())

	arrives("an unmatched claim", left, b.remit(said("U1"), paid("LOST", "P1", 0)))
	off := b.payment(said("U2"))
	off.Claims[0].Paid++
	arrives("an amount that does not add up", left, b.apply(b.receiveFile(b.file(off))))
	code := said("U3")
	code.Services[0].Procedure.Code = "D9999"
	arrives("a warning", left, b.remit(code))
	withheld := b.payment(said("U4"))
	withheld.Adjustments = append(withheld.Adjustments, adjustment("WO", "R", 100))
	withheld.Settle()
	arrives("a provider adjustment", left, b.apply(b.receiveFile(b.file(withheld))))
	first := said("U5")
	arrives("what comes before a reversal", posted, b.remit(first))
	arrives("a reversal", left, b.remit(reversed(first), paid("U5", "PU5", 0)))
	b.claim("U6")
	again := b.remit(paid("LOST6", "P6", 0))
	arrives("a claim that is not found", left, again)
	b.decided(decision{does: claim.TriggerMatch, era: again.ID, ordinal: 1, claim: b.claim("U7")})
	b.follow(b.service)
	arrives("a claim that a person matched", left, again)
}

// TestWhatAPersonUnposted is not posted by a rule again.
func TestWhatAPersonUnposted(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.automate(automation.Exceptions)
	b.claim("A-1")
	j := b.receive(paid("A-1", "P1", 0))
	r := b.apply(j)
	b.follow(b.service)
	if got := b.posting(r.ID); got != "posted not_asked 0/0" {
		t.Fatalf("it is %s", got)
	}
	if _, err := b.service.Unpost(t.Context(), byAnn(b), r.ID, intake.NoteRequest{}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the job comes again, as after a kill, and the remittance is looked at again
		if err := b.service.FollowPosting(t.Context(), jobs.ForPosting(b.scope, r.ID)); err != nil {
			t.Fatal(err)
		}
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Stage(ctx, jobs.ForERA(b.scope, r.ID)) })
		b.follow(b.service)
	}
	if got := b.posting(r.ID); got != "needs_review" {
		t.Errorf("it is %s", got)
	}
}

// TestAutomatic reconciles by itself once no money is awaited, and leaves alone what a person
// reopened. Deposits are in the tests of the API.
func TestAutomatic(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.automate(automation.Automatic)
	awaited, reopened, settled := b.claim("A-1"), b.claim("A-2"), b.claim("A-3")
	r := b.remit(paid("A-1", "P1", 0))
	b.follow(b.service)
	if got := b.posting(r.ID) + ": " + b.states([]billing.ClaimID{awaited}); got != "posted awaits_deposit 0/0: paid" {
		t.Errorf("it is %s", got)
	}
	b.change(reopened, func(c *claim.Claim) {
		c.History = append(c.History, claim.Move{State: claim.AcceptedPayer, At: b.clock.Now(), Cause: claim.TriggerReopen, By: "usr_ann"})
	})
	free := b.payment(paid("A-2", "P2", fee-5000), paid("A-3", "P3", fee-5000))
	free.Method = "NON"
	r = b.apply(b.receiveFile(b.file(free)))
	b.follow(b.service)
	if got := b.posting(r.ID) + ": " + b.states([]billing.ClaimID{reopened, settled}); got != "posted done 1/1 reopened: paid reconciled" {
		t.Errorf("nothing is awaited: %s", got)
	}
	if c := b.get(settled); c.History[len(c.History)-1].By != "" || c.ReconciledWith != r.ID {
		t.Errorf("%+v", c.History)
	}
	if got := strings.Join(b.ruled(), ", "); got != "automatic POST /claims/{id}/reconcile, automatic POST /eras/{id}/post, automatic POST /eras/{id}/post" {
		t.Errorf("the audit has %s", got)
	}
}
