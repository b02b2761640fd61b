package eligibility_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
)

func TestCheckIsAnswered(t *testing.T) {
	t.Parallel()
	b, _ := newFixture(t, eligibility.DefaultTimes())
	b.work()
	c := b.check("k", b.request("-ACTIVE-FULL"))
	if c.Outcome != coverage.OutcomeAnswered || c.Status != coverage.Active || c.Network != "sandbox" || c.LatencyMS == nil || c.PatientID.IsZero() {
		t.Errorf("%+v", c)
	}
	if e := b.events(c.ID); len(e) != 1 || e[0].Type != event.EligibilityCompleted {
		t.Errorf("events %+v, want one eligibility.completed", e)
	}
	again := b.check("k2", b.request("-NOT-FOUND"))
	if again.Outcome != coverage.OutcomeRejected || again.PatientID != c.PatientID {
		t.Errorf("the same person is %s, then %s", c.PatientID, again.PatientID)
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	b.work()
	first := b.check("k", b.request("-NOT-FOUND"))
	c, replayed, err := b.service.Check(t.Context(), calling(b.scope, call("k")), b.request("-NOT-FOUND"))
	if err != nil || !replayed || c.ID != first.ID || sandbox.asked() != 1 {
		t.Errorf("replay: %v, replayed %t, %v, payer asked %d times", c, replayed, err, sandbox.asked())
	}
	// The key of another scope is another key.
	strange := billing.Scope{Org: billing.NewID[billing.OrgID](billing.RealAt(time.Now())), Mode: billing.ModeTest}
	if _, _, err := b.service.Check(t.Context(), calling(strange, call("k")), b.request("-NOT-FOUND")); billing.CodeOf(err) != billing.CodeNotFound {
		t.Errorf("the key in another organization: %v, want its office not found", err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	b.work()
	with := func(change func(*intake.EligibilityRequest)) intake.EligibilityRequest {
		r := b.request("-ACTIVE-FULL")
		change(&r)
		return r
	}
	answered := b.check("answered", b.request("-ACTIVE-FULL"))
	rejected := b.check("rejected", b.request("-NOT-FOUND"))
	someID := billing.NewID[billing.CheckID](billing.RealAt(time.Now())).String()
	before := sandbox.asked()
	b.refused("5", with(func(r *intake.EligibilityRequest) { r.ParentID = new(answered.ID.String()) }), billing.CodeInvalidRequest, "parent_id not_allowed")
	// Faults of the body are reported before what it names.
	b.refused("6", with(func(r *intake.EligibilityRequest) { r.OfficeID, r.Subscriber.LastName = "off_"+someID[4:], "" }), billing.CodeInvalidRequest, "subscriber.last_name required")
	if sandbox.asked() != before {
		t.Error("a refused check was sent to the payer")
	}
	child := b.check("child", with(func(r *intake.EligibilityRequest) { r.ParentID = new(rejected.ID.String()) }))
	if child.ParentID != rejected.ID {
		t.Errorf("parent %s, want %s", child.ParentID, rejected.ID)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	b.work()
	source := b.check("1", b.request("-ACTIVE-FULL"))
	same := b.request("-active-full") // IDs are compared without case
	same.Subscriber.FirstName = " ADA "
	hit := b.check("2", same)
	if hit.CacheSource != source.ID || hit.LatencyMS != nil || hit.CompletedAt.Before(hit.CreatedAt) || hit.PatientID != source.PatientID || hit.Status != coverage.Active {
		t.Errorf("hit %+v of %s", hit, source.ID)
	}
	if hit.Inquiry.Subscriber.FirstName != " ADA " {
		t.Errorf("the echo is %q, want what was sent", hit.Inquiry.Subscriber.FirstName)
	}
	if e := b.events(hit.ID); len(e) != 1 {
		t.Errorf("%d events of the hit, want its own", len(e))
	}
	fresh := b.request("-ACTIVE-FULL")
	fresh.NoCache = true
	newer := b.check("3", fresh)
	if !newer.CacheSource.IsZero() || sandbox.asked() != 2 {
		t.Errorf("no-cache: source %s, payer asked %d times", newer.CacheSource, sandbox.asked())
	}
	if c := b.check("4", b.request("-ACTIVE-FULL")); c.CacheSource != newer.ID {
		t.Errorf("source %s, want the newest fresh answer %s", c.CacheSource, newer.ID)
	}
	// After rejections and failures the payer is asked again.
	b.check("5", b.request("-NOT-FOUND"))
	if c := b.check("6", b.request("-NOT-FOUND")); !c.CacheSource.IsZero() {
		t.Error("a rejection answered a check")
	}
	// So is a payer that did not know the status.
	if c := b.check("5u", b.request("-UNKNOWN")); c.Benefits == nil || c.Status != coverage.Unknown {
		t.Fatalf("not unknown: %+v", c)
	}
	if c := b.check("6u", b.request("-UNKNOWN")); !c.CacheSource.IsZero() {
		t.Error("a check with the status unknown answered a check")
	}
	b.clock.Advance(24*time.Hour + time.Minute)
	if c := b.check("7", b.request("-ACTIVE-FULL")); !c.CacheSource.IsZero() {
		t.Error("an answer of yesterday answered a check")
	}
}

func TestCallerDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	times := eligibility.DefaultTimes()
	times.Wait = 50 * time.Millisecond
	b, _ := newFixture(t, times) // and no worker
	_, _, err := b.service.Check(t.Context(), calling(b.scope, call("k")), b.request("-ACTIVE-FULL"))
	if billing.CodeOf(err) != billing.CodeTimeout {
		t.Fatalf("%v, want a timeout", err)
	}
	if _, _, err := b.service.Check(t.Context(), calling(b.scope, call("k")), b.request("-ACTIVE-FULL")); billing.CodeOf(err) != billing.CodeIdempotencyKeyInUse {
		t.Errorf("while the work runs: %v, want the key in use", err)
	}
	j := b.job()
	if err := b.service.Answer(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	c, replayed, err := b.service.Check(t.Context(), calling(b.scope, call("k")), b.request("-ACTIVE-FULL"))
	if err != nil || !replayed || c.Outcome != coverage.OutcomeAnswered {
		t.Errorf("after the work: %+v, replayed %t, %v", c, replayed, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := b.service.Check(gone, calling(b.scope, call("k2")), b.request("-ACTIVE-FULL")); billing.CodeOf(err) != billing.CodeTimeout {
		t.Errorf("a request that is over: %v, want a timeout", err)
	}
}

func TestAnswerHappensOnce(t *testing.T) {
	t.Parallel()
	b, _ := newFixture(t, eligibility.DefaultTimes())
	j := b.begin(b.request("-ACTIVE-FULL"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := b.service.Answer(t.Context(), j); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if e := b.events(billing.CheckID(j.Subject)); len(e) != 1 {
		t.Errorf("%d events, want one", len(e))
	}
	if b.pending(j) {
		t.Error("the job is still there")
	}
}

func TestSlowPayer(t *testing.T) {
	t.Parallel()
	b, _ := newFixture(t, eligibility.DefaultTimes())
	j := b.begin(b.request("-SLOW-5"))
	if err := b.service.Answer(t.Context(), j); err != nil || b.get(j).State != coverage.CheckPending || !b.pending(j) {
		t.Fatalf("before the payer's time: %v, %+v", err, b.get(j))
	}
	b.clock.Advance(5 * time.Second)
	if err := b.service.Answer(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if c := b.get(j); c.Outcome != coverage.OutcomeAnswered || *c.LatencyMS < 5000 {
		t.Errorf("%s after %d ms", c.Outcome, *c.LatencyMS)
	}
}

func TestSilentPayer(t *testing.T) {
	t.Parallel()
	b, _ := newFixture(t, eligibility.DefaultTimes())
	j := b.begin(b.request("-SLOW-90"))
	if err := b.service.Answer(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(60 * time.Second)
	if err := b.service.Answer(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	c := b.get(j)
	if c.Outcome != coverage.OutcomePayerUnavailable || c.Rejection.Kind != coverage.RejectionPayerUnavailable || c.Rejection.Reasons[0].Code != coverage.ReasonPayerNotAnswering || b.pending(j) {
		t.Errorf("after a minute of silence: %+v", c)
	}
}

// TestLateAsking asks the payer even when the job waited long: the payer's time
// begins with the request.
func TestLateAsking(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	j := b.begin(b.request("-ACTIVE-FULL"))
	b.clock.Advance(10 * time.Minute)
	if err := b.service.Answer(t.Context(), j); err != nil || b.get(j).Outcome != coverage.OutcomeAnswered || sandbox.asked() != 1 {
		t.Errorf("%v, %s, payer asked %d times", err, b.get(j).Outcome, sandbox.asked())
	}
}

func TestNetworkFails(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	sandbox.fail = errors.New("connection refused")
	j := b.begin(b.request("-ACTIVE-FULL"))
	err := b.service.Answer(t.Context(), j)
	if _, done := errors.AsType[*jobs.DoneError](err); !done || !errors.Is(err, sandbox.fail) {
		t.Fatalf("%v, want the network's error, for the log", err)
	}
	c := b.get(j)
	if billing.CodeOf(c.Failure()) != billing.CodeNetworkError || c.Rejection.PayerCode != "" || c.Rejection.Reasons[0].About != coverage.AboutClearinghouse {
		t.Errorf("%+v", c)
	}
}

// TestFailuresOfANetwork ends checks by the reason: only silence is the payer's.
func TestFailuresOfANetwork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failure error
		want    billing.Code
	}{
		{&network.Error{Reason: network.ReasonTimeout, Err: fmt.Errorf("no reply: %w", context.DeadlineExceeded)}, billing.CodePayerUnavailable},
		{&network.Error{Reason: network.ReasonTLS, Err: errors.New("no handshake in time")}, billing.CodeNetworkError},
		{&network.Error{Reason: network.ReasonRejected, Err: errors.New("999 R")}, billing.CodeNetworkError},
		{&network.Error{Reason: network.ReasonMismatch, Err: errors.New("BHT03")}, billing.CodeNetworkError},
		{&network.Error{Reason: network.ReasonUnauthorized, Err: network.ErrUnauthorized}, billing.CodeNetworkError},
	} {
		t.Run(c.failure.Error(), func(t *testing.T) {
			t.Parallel()
			b, sandbox := newFixture(t, eligibility.DefaultTimes())
			sandbox.fail = c.failure
			j := b.begin(b.request("-ACTIVE-FULL"))
			err := b.service.Answer(t.Context(), j)
			if _, done := errors.AsType[*jobs.DoneError](err); done != (c.want == billing.CodeNetworkError) {
				t.Errorf("%v", err)
			}
			if got := b.get(j); billing.CodeOf(got.Failure()) != c.want || got.Usage().Charged || sandbox.asked() != 1 || b.pending(j) {
				t.Errorf("%v, asked %d times", got.Failure(), sandbox.asked())
			}
		})
	}
}

func TestEnhancedAsksAgain(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	b.work()
	in := b.request("-ACTIVE-FULL")
	in.ProcedureCodes, in.DetailLevel = []string{"D1110", "D2740"}, new("enhanced")
	c := b.check("k", in)
	if sandbox.asked() != 3 {
		t.Errorf("the payer was asked %d times, want once and once for each procedure", sandbox.asked())
	}
	listed := map[string]bool{}
	var benefits struct {
		Procedures []struct {
			Code string `json:"code"`
		} `json:"procedures"`
	}
	if err := json.Unmarshal(c.Benefits, &benefits); err != nil {
		t.Fatal(err)
	}
	for _, p := range benefits.Procedures {
		listed[p.Code] = true
	}
	if !listed["D1110"] || !listed["D2740"] {
		t.Errorf("procedures %v", listed)
	}
}

// TestAttemptsHaveTheirOwnNumbers asks a slow payer twice. The stored exchange is the
// attempt that was answered.
func TestAttemptsHaveTheirOwnNumbers(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	j := b.begin(b.request("-SLOW-5"))
	for range 2 {
		if err := b.service.Answer(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		b.clock.Advance(5 * time.Second)
	}
	if sandbox.asked() != 2 || b.get(j).Outcome != coverage.OutcomeAnswered {
		t.Fatalf("asked %d times: %s", sandbox.asked(), b.get(j).Outcome)
	}
	var numbers [2][]string
	for i, request := range sandbox.requests {
		for _, segment := range strings.Split(string(request), "~") {
			switch e := strings.Split(segment, "*"); e[0] {
			case "ISA":
				numbers[i] = append(numbers[i], "ISA13 "+e[13])
			case "BHT":
				numbers[i] = append(numbers[i], "BHT03 "+e[3])
			case "TRN":
				numbers[i] = append(numbers[i], "TRN02 "+e[2])
			}
		}
	}
	for i, number := range numbers[0] {
		if number == numbers[1][i] {
			t.Errorf("both attempts have %s", number)
		}
	}
	if m := b.sent(j); len(numbers[0]) != 3 || len(m) != 1 || !bytes.Equal(m[0].Request, sandbox.requests[1]) || len(m[0].Reply) == 0 {
		t.Errorf("%v; the stored exchange of %d messages is not the second attempt", numbers, len(m))
	}
}

// TestExchangeHasAllThatWasSent fails one of the 270s of an enhanced check.
func TestExchangeHasAllThatWasSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail   error
		failAt int
		sent   int
		want   coverage.Outcome
	}{
		"the check itself": {errors.New("connection refused"), 1, 1, coverage.OutcomeError},
		"a procedure":      {errors.New("connection refused"), 2, 3, coverage.OutcomeAnswered},
		"the sign-in":      {fmt.Errorf("%w: error code", network.ErrUnauthorized), 2, 2, coverage.OutcomeAnswered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, sandbox := newFixture(t, eligibility.DefaultTimes())
			sandbox.fail, sandbox.failAt = c.fail, c.failAt
			in := b.request("-ACTIVE-FULL")
			in.ProcedureCodes, in.DetailLevel = []string{"D1110", "D2740"}, new("enhanced")
			j := b.begin(in)
			err := b.service.Answer(t.Context(), j)
			if _, done := errors.AsType[*jobs.DoneError](err); !done || !errors.Is(err, c.fail) {
				t.Errorf("%v, want the network's error, for the log", err)
			}
			if got := b.get(j); got.Outcome != c.want {
				t.Errorf("outcome %s, want %s", got.Outcome, c.want)
			}
			m := b.sent(j)
			if len(m) != c.sent || sandbox.asked() != c.sent {
				t.Fatalf("%d messages, %d sent, want %d", len(m), sandbox.asked(), c.sent)
			}
			for i := range m {
				if failed := i == c.failAt-1; !bytes.Equal(m[i].Request, sandbox.requests[i]) || (string(m[i].Reply) == "TA1") != failed {
					t.Errorf("message %d is not what was sent, or not what came", i)
				}
			}
		})
	}
}

// TestGivenUp ends a check whose job cannot be done; the key may be used again,
// for a new check.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	b, _ := newFixture(t, eligibility.DefaultTimes())
	_, _, _ = b.impatient.Check(t.Context(), calling(b.scope, call("k")), b.request("-ACTIVE-FULL"))
	j := b.job()
	for range 2 {
		if err := b.service.Fail(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	c := b.get(j)
	if billing.CodeOf(c.Failure()) != billing.CodeInternal || c.Usage().Charged || b.pending(j) || len(b.events(c.ID)) != 1 {
		t.Errorf("%+v", c)
	}
	b.work()
	other := call("k")
	other.Fingerprint = [32]byte{9}
	if c, replayed, err := b.service.Check(t.Context(), calling(b.scope, other), b.request("-ACTIVE-BASIC")); err != nil || replayed || c.Outcome != coverage.OutcomeAnswered {
		t.Errorf("the key with another request: %+v, replayed %t, %v", c, replayed, err)
	}
	other.Fingerprint = [32]byte{1}
	if _, _, err := b.service.Check(t.Context(), calling(b.scope, other), b.request("-ACTIVE-FULL")); billing.CodeOf(err) != billing.CodeIdempotencyKeyReused {
		t.Errorf("the first request again: %v, want the key reused by now", err)
	}
	if again := b.check("k4", b.request("-ACTIVE-FULL")); again.ID == c.ID || again.Outcome != coverage.OutcomeAnswered {
		t.Errorf("the key again: %+v", again)
	}
}

// TestLostCheck loses a pending check, as a crash of the database may, while its
// caller waits. A worker that has the job of a lost check finds no check.
func TestLostCheck(t *testing.T) {
	t.Parallel()
	b, sandbox := newFixture(t, eligibility.DefaultTimes())
	made := make(chan *coverage.Check, 1)
	go func() {
		c, _, err := b.service.Check(t.Context(), calling(b.scope, call("k")), b.request("-ACTIVE-FULL"))
		if err != nil {
			t.Error(err)
		}
		made <- c
	}()
	db, err := sql.Open("postgres", b.admin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for n := 0; n == 0; {
		if err := db.QueryRow("SELECT count(*) FROM jobs").Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	absent := b.job()
	absent.ID, absent.Subject = billing.NewID[billing.JobID](billing.RealAt(time.Now())), billing.NewID[billing.CheckID](billing.RealAt(time.Now()))
	if err := b.service.Answer(t.Context(), absent); err != nil || sandbox.asked() != 0 {
		t.Errorf("the job of an absent check: %v, payer asked %d times", err, sandbox.asked())
	}
	// All at once, as in a crash: the caller may make the check again at any time.
	if _, err := db.Exec("DELETE FROM eligibility_checks; DELETE FROM idempotency_keys; DELETE FROM jobs"); err != nil {
		t.Fatal(err)
	}
	b.work()
	c := <-made
	if c == nil || c.Outcome != coverage.OutcomeAnswered || sandbox.asked() != 1 {
		t.Fatalf("%+v, payer asked %d times", c, sandbox.asked())
	}
	again, replayed, err := b.service.Check(t.Context(), calling(b.scope, call("k")), b.request("-ACTIVE-FULL"))
	if err != nil || !replayed || again.ID != c.ID {
		t.Errorf("the same request again: %+v, replayed %t, %v", again, replayed, err)
	}
}
