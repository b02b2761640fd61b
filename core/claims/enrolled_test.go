package claims_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/enrollments"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports/porttest"
)

// enrolling returns the fixture of a practice in live mode whose office waits for its
// enrollment with the payer of good claims.
func enrolling(t *testing.T) *fixture {
	t.Helper()
	b := newFixture(t).of(billing.ModeLive)
	b.awaitEnrollment()
	return b
}

func (b *fixture) awaitEnrollment() {
	b.t.Helper()
	payer, _ := b.payers.Find("CHTEST")
	b.connect(payer.ID)
	b.verify()
	b.record(directory.EnrollmentSubmitted)
}

// record records the state of the enrollment as a person does, and returns the job that
// this stages; nil for none.
func (b *fixture) record(state directory.EnrollmentState) *jobs.Job {
	b.t.Helper()
	show := func(e *network.Enrollment) string { return string(e.State) }
	in := intake.EnrollmentRequest{OfficeID: b.office.ID.String(), PayerID: "CHTEST", Transaction: "claims", State: string(state)}
	s := enrollments.New(b.store, b.payers)
	if _, err := s.Put(b.t.Context(), idempotency.Administration(b.scope, "root", show), in); err != nil {
		b.t.Fatal(err)
	}
	for _, j := range porttest.Due(b.t, b.store, 0) {
		if j.Kind == jobs.KindEnrollment && j.Scope == b.scope {
			return &j
		}
	}
	return nil
}

// waiting makes a claim that waits for the enrollment, and more as change says. Each is
// of a plan of its own, so that none is a duplicate.
func (b *fixture) waiting(change func(in *intake.ClaimRequest)) *claim.Record {
	b.t.Helper()
	in := b.good()
	b.keys++
	in.Subscriber.MemberID = "PLAN-" + strconv.Itoa(b.keys)
	change(&in)
	c := b.does(b.make(in))
	if !strings.Contains(found(c), "enrollment_not_active") && c.State != claim.Draft {
		b.t.Errorf("%s with %q", c.State, found(c))
	}
	return c
}

func submitted(in *intake.ClaimRequest)  { in.Submit = true }
func checked(*intake.ClaimRequest)       {}
func incomplete(in *intake.ClaimRequest) { in.Submit, in.Lines[0].Tooth = true, nil }

// TestAnEnrollmentThatBecomesActive checks the claims again that waited for it. Those
// that were submitted are queued; a claim with another finding keeps that.
func TestAnEnrollmentThatBecomesActive(t *testing.T) {
	t.Parallel()
	b := enrolling(t)
	other, _ := b.payers.Find("60054")
	payer, _ := b.payers.Find("CHTEST")
	b.connect(payer.ID, other.ID)
	b.enroll(other.PayerSummary, network.Claims, directory.EnrollmentNeeded)
	sent, kept, wrong := b.waiting(submitted), b.waiting(checked), b.waiting(incomplete)
	asked := b.waiting(func(in *intake.ClaimRequest) { *in = b.asking(); in.Submit = true })
	drafted := b.waiting(func(in *intake.ClaimRequest) { in.Draft = true })
	elsewhere := b.waiting(func(in *intake.ClaimRequest) { in.PayerID, in.Submit = new("60054"), true })
	for id, want := range map[billing.ClaimID]bool{sent.ID: true, kept.ID: false, wrong.ID: true, asked.ID: true, drafted.ID: false} {
		if got := b.get(id).SubmitWhenReady; got != want {
			t.Errorf("%s is to be submitted when ready: %t", id, got)
		}
	}
	if b.record(directory.EnrollmentRejected) != nil {
		t.Error("a rejected enrollment has a job")
	}
	j := b.record(directory.EnrollmentActive)
	if j == nil {
		t.Fatal("the active enrollment has no job")
	}
	for range 2 { // a job may run twice
		if err := b.service.Enrolled(t.Context(), *j); err != nil {
			t.Fatal(err)
		}
	}
	if porttest.Pending(t, b.store, *j) {
		t.Error("the job is not done")
	}
	const story = "findings>needs_attention, enrollment>validated"
	const events = "claim.needs_attention none>needs_attention, claim.validated needs_attention>validated"
	const queued, queuedEvent = ", submit>queued", ", claim.queued validated>queued"
	for _, x := range []struct {
		of                     *claim.Record
		state                  claim.State
		found, history, events string
		flag                   bool
	}{
		{sent, claim.Queued, "", story + queued, events + queuedEvent, false},
		{asked, claim.Queued, "", story + queued, events + queuedEvent, false},
		{kept, claim.Validated, "", story, events, false},
		{wrong, claim.NeedsAttention, "lines.0.tooth tooth_required", "findings>needs_attention", "claim.needs_attention none>needs_attention", true},
		{drafted, claim.Draft, "payer_id enrollment_not_active", "draft>draft", "", false},
		{elsewhere, claim.NeedsAttention, "payer_id enrollment_not_active", "findings>needs_attention", "claim.needs_attention none>needs_attention", true},
	} {
		c := b.get(x.of.ID)
		if c.State != x.state || found(c) != x.found || history(c) != x.history || b.events(c.ID) != x.events || c.SubmitWhenReady != x.flag {
			t.Errorf("%s with %q by %q, events %q, %t", c.State, found(c), history(c), b.events(c.ID), c.SubmitWhenReady)
		}
	}
}

// TestEnrolledDiesAnywhere ends the process at each commit of the job. The next process
// goes on, and each claim is queued once.
func TestEnrolledDiesAnywhere(t *testing.T) {
	t.Parallel()
	all := newFixture(t)
	porttest.EveryEnding(t, 3, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		b := all.of(billing.ModeLive).with(t)
		b.awaitEnrollment()
		var made []*claim.Record
		for range 5 {
			made = append(made, b.waiting(submitted))
		}
		j := b.record(directory.EnrollmentActive)
		payer, _ := b.payers.Find("CHTEST")
		dying := claims.New(porttest.Store{Store: b.store, Fault: f}, liveNetwork(payer.ID), b.payers)
		porttest.Dies(func() { _ = dying.InPieces(2).Enrolled(t.Context(), *j) })
		if err := b.service.Enrolled(t.Context(), *j); err != nil {
			t.Fatal(err)
		}
		for _, c := range made {
			want := "claim.needs_attention none>needs_attention, claim.validated needs_attention>validated, claim.queued validated>queued"
			if c = b.get(c.ID); c.State != claim.Queued || b.events(c.ID) != want {
				t.Errorf("%s with events %q", c.State, b.events(c.ID))
			}
		}
		if porttest.Pending(t, b.store, *j) {
			t.Error("the job is not done")
		}
	})
}

// TestAClaimThatIsMadeWhileItsEnrollmentBecomesActive is checked by the job of the
// record, which waits for the claim.
func TestAClaimThatIsMadeWhileItsEnrollmentBecomesActive(t *testing.T) {
	t.Parallel()
	b := enrolling(t)
	in := b.good()
	in.Submit = true
	checked := make(chan error, 1)
	var made billing.ClaimID
	_, err := b.service.Make(t.Context(), b.write(b.request(), func(r *claim.Record, err error) caller.Reply {
		made = r.ID
		go func() { checked <- b.service.Enrolled(t.Context(), *b.record(directory.EnrollmentActive)) }()
		for range 30 { // the claim is judged, and not committed
			select {
			case <-checked:
				t.Error("the record does not wait")
			case <-time.After(time.Millisecond):
			}
		}
		return render(r, err)
	}), in)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-checked; err != nil {
		t.Fatal(err)
	}
	if c := b.get(made); c.State != claim.Queued {
		t.Errorf("%s with %q", c.State, found(c))
	}
}

// TestSubmitWhenReady asks for the submission of a claim that waits for its enrollment,
// and takes that back.
func TestSubmitWhenReady(t *testing.T) {
	t.Parallel()
	b := enrolling(t)
	c := b.waiting(checked)
	req := b.request()
	submit := func(r rendering) (caller.Reply, error) {
		return b.service.Submit(t.Context(), b.write(req, r), c.ID, intake.SubmitRequest{})
	}
	_, err := submit(render)
	if billing.CodeOf(err) != billing.CodeConflict || !strings.Contains(err.Error(), "submits it by itself") {
		t.Errorf("submitted: %v", err)
	}
	if now := b.get(c.ID); !now.SubmitWhenReady || now.State != claim.NeedsAttention || !strings.Contains(now.NextStep(), "submits it by itself") ||
		b.events(c.ID) != b.events(b.waiting(checked).ID) {
		t.Errorf("%s, %q", text(t, now.Claim), now.NextStep())
	}
	page, _, err := b.service.List(t.Context(), b.scope, claim.Filter{Kind: claim.KindClaim}, billing.Page{Limit: 10})
	if err != nil || len(page) != 2 || page[1].NextStep() != b.get(c.ID).NextStep() || page[0].NextStep() == page[1].NextStep() {
		t.Errorf("the list has other words: %v", err)
	}
	c = b.does(b.change(c.ID, given(intake.ClaimRequest{Note: new("see chart"), Submit: true}, "note")))
	if !c.SubmitWhenReady || history(c) != "findings>needs_attention, edit>needs_attention" {
		t.Errorf("changed with submit: %t, %q", c.SubmitWhenReady, history(c))
	}
	c = b.does(b.change(c.ID, given(intake.ClaimRequest{})))
	if c.SubmitWhenReady || history(c) != "findings>needs_attention, edit>needs_attention, submit_withdrawn>needs_attention" || !strings.Contains(c.NextStep(), "then submit the claim") {
		t.Errorf("changed without submit: %t, %q, %q", c.SubmitWhenReady, history(c), c.NextStep())
	}
	wrong := b.waiting(func(in *intake.ClaimRequest) { in.Lines[0].Tooth = nil })
	if got := b.refused(b.submit(wrong.ID)); got != "CONFLICT" || b.get(wrong.ID).SubmitWhenReady {
		t.Errorf("a claim with another finding is submitted: %q, %t", got, b.get(wrong.ID).SubmitWhenReady)
	}
	j := b.record(directory.EnrollmentNotNeeded)
	if err := b.service.Enrolled(t.Context(), *j); err != nil {
		t.Fatal(err)
	}
	if now := b.get(c.ID); now.State != claim.Validated {
		t.Errorf("%s", now.State)
	}
	if reply, err := submit(render); err != nil || reply.Replayed || b.get(c.ID).State != claim.Queued { // with the same key
		t.Errorf("submitted again: %v", err)
	}
}

// TestEnrolledOfAnEnrollmentThatIsGone ends without an effect: it has been recorded as
// rejected since.
func TestEnrolledThatIsLate(t *testing.T) {
	t.Parallel()
	b := enrolling(t)
	c := b.waiting(submitted)
	j := b.record(directory.EnrollmentActive)
	b.record(directory.EnrollmentRejected)
	if err := b.service.Enrolled(t.Context(), *j); err != nil || porttest.Pending(t, b.store, *j) {
		t.Fatal(err)
	}
	if now := b.get(c.ID); now.State != claim.NeedsAttention || now.UpdatedAt.After(c.UpdatedAt) {
		t.Errorf("%s with %q", now.State, found(now))
	}
}

// TestFailEnrolled gives up a job: the claims wait as before, and another record of the
// enrollment checks them.
func TestFailEnrolled(t *testing.T) {
	t.Parallel()
	b := enrolling(t)
	b.waiting(submitted)
	j := b.record(directory.EnrollmentActive)
	if err := b.service.FailEnrolled(t.Context(), *j); err != nil || porttest.Pending(t, b.store, *j) {
		t.Error(err)
	}
	if again := b.record(directory.EnrollmentActive); again == nil {
		t.Error("another record has no job")
	}
}
