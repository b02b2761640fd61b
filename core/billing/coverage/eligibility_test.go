package coverage_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/billingtest"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
)

func TestUsage(t *testing.T) {
	t.Parallel()
	fix := &coverage.Rejection{Kind: coverage.RejectionFixAndResend}
	no := &coverage.Rejection{Kind: coverage.RejectionRejected}
	for _, c := range []struct {
		mode      billing.Mode
		outcome   coverage.Outcome
		rejection *coverage.Rejection
		source    billing.CheckID
		want      coverage.UsageReason
		charged   bool
	}{
		{billing.ModeTest, coverage.OutcomeAnswered, nil, billing.CheckID{}, coverage.BilledTestMode, false},
		{billing.ModeTest, coverage.OutcomeAnswered, nil, billing.CheckID{1}, coverage.BilledTestMode, false},
		{billing.ModeLive, coverage.OutcomeAnswered, nil, billing.CheckID{}, coverage.BilledAnswered, true},
		{billing.ModeLive, coverage.OutcomeAnswered, nil, billing.CheckID{1}, coverage.BilledCacheHit, false},
		{billing.ModeLive, coverage.OutcomeRejected, fix, billing.CheckID{}, coverage.BilledPayerRejected, true},
		{billing.ModeLive, coverage.OutcomeRejected, no, billing.CheckID{}, coverage.BilledPayerSideRejection, false},
		{billing.ModeLive, coverage.OutcomePayerUnavailable, no, billing.CheckID{}, coverage.BilledPayerUnavailable, false},
		{billing.ModeLive, coverage.OutcomeError, no, billing.CheckID{}, coverage.BilledNetworkError, false},
		{billing.ModeLive, coverage.OutcomeError, nil, billing.CheckID{}, coverage.BilledInternalError, false},
	} {
		check := coverage.Check{
			Scope: billing.Scope{Mode: c.mode}, State: coverage.CheckCompleted, Outcome: c.outcome, Rejection: c.rejection, CacheSource: c.source,
		}
		u := check.Usage()
		if u.Reason != c.want || u.Charged != c.charged || u.Charged != (u.State == coverage.Billable) || u.Label == "" {
			t.Errorf("usage of %+v = %+v, want %s, charged %t", c, u, c.want, c.charged)
		}
	}
	if u := (&coverage.Check{State: coverage.CheckPending}).Usage(); u != nil {
		t.Errorf("usage of a pending check = %+v, want none", u)
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	r := &coverage.Rejection{}
	for _, c := range []struct {
		outcome   coverage.Outcome
		rejection *coverage.Rejection
		want      billing.Code
	}{
		{coverage.OutcomeRejected, r, billing.CodePayerRejected},
		{coverage.OutcomePayerUnavailable, r, billing.CodePayerUnavailable},
		{coverage.OutcomeError, r, billing.CodeNetworkError},
		{coverage.OutcomeError, nil, billing.CodeInternal},
	} {
		check := coverage.Check{State: coverage.CheckCompleted, Outcome: c.outcome, Rejection: c.rejection}
		if got := billing.CodeOf(check.Failure()); got != c.want {
			t.Errorf("failure of %s = %s, want %s", c.outcome, got, c.want)
		}
		e, _ := errors.AsType[*billing.Error](check.Failure())
		kept := strings.Contains(e.Message, "This Idempotency-Key returns this reply again") && strings.Contains(e.Message, "a new attempt needs a new key")
		if kept == check.Forgotten() || strings.Contains(e.Message, "parent_id") != (c.want == billing.CodePayerRejected) {
			t.Errorf("the message of %s is %q", c.want, e.Message)
		}
		if check.Forgotten() != (c.want == billing.CodeInternal) {
			t.Errorf("Forgotten() of %s with %v = %t", c.outcome, c.rejection, check.Forgotten())
		}
	}
	if err := (&coverage.Check{Outcome: coverage.OutcomeAnswered}).Failure(); err != nil {
		t.Errorf("failure of an answered check = %v", err)
	}
}

func TestCheckCompletesOnce(t *testing.T) {
	t.Parallel()
	c := coverage.Check{State: coverage.CheckPending}
	first := coverage.CheckResponse{Outcome: coverage.OutcomeAnswered, Benefits: &coverage.Benefits{}}
	if err := c.Complete(first, coverage.Background{Patient: billing.PatientID{1}}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := c.Complete(coverage.Unanswered(coverage.OutcomeError, coverage.AboutClearinghouse, "n", 1), coverage.Background{}, time.Now()); billing.CodeOf(err) != billing.CodeConflict || c.Outcome != coverage.OutcomeAnswered {
		t.Errorf("second completion: %v, outcome %s; want a conflict and no change", err, c.Outcome)
	}
}

func TestDerive(t *testing.T) {
	t.Parallel()
	m := func(cents int) *billing.Money { return new(billing.Money(cents)) }
	for _, c := range []struct{ in, want [3]*billing.Money }{
		{[3]*billing.Money{m(200), m(50), nil}, [3]*billing.Money{m(200), m(50), m(150)}},
		{[3]*billing.Money{m(200), nil, m(150)}, [3]*billing.Money{m(200), m(50), m(150)}},
		{[3]*billing.Money{nil, m(50), m(150)}, [3]*billing.Money{m(200), m(50), m(150)}},
		{[3]*billing.Money{m(200), nil, nil}, [3]*billing.Money{m(200), nil, nil}},
		{[3]*billing.Money{m(200), m(250), nil}, [3]*billing.Money{m(200), m(250), nil}},
		{[3]*billing.Money{m(200), nil, m(250)}, [3]*billing.Money{m(200), nil, m(250)}},
		{[3]*billing.Money{m(9), m(1), m(1)}, [3]*billing.Money{m(9), m(1), m(1)}},
	} {
		b := coverage.BenefitAmount{Amount: c.in[0], Used: c.in[1], Remaining: c.in[2]}
		b.Derive()
		for i, got := range []*billing.Money{b.Amount, b.Used, b.Remaining} {
			if (got == nil) != (c.want[i] == nil) || got != nil && *got != *c.want[i] {
				t.Errorf("Derive(%v)[%d] = %v, want %v", c.in, i, got, c.want[i])
			}
		}
	}
}

func TestEventBodies(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	scope := billing.Scope{Org: billing.OrgID{15: 1}, Mode: billing.ModeTest}
	check := &coverage.Check{
		ID: billing.CheckID{15: 2}, Scope: scope, OfficeID: billing.OfficeID{15: 3},
		Payer: directory.PayerSummary{ID: billing.PayerID{15: 4}, PayerID: "CHTEST", Name: "Molar Test Payer"},
		State: coverage.CheckCompleted, Outcome: coverage.OutcomeAnswered, RequestID: billing.RequestID{15: 5},
		TenantReference: new("ref"), CreatedAt: at, CompletedAt: at.Add(time.Second), Status: coverage.Active,
	}
	rejected := *check
	rejected.Outcome, rejected.Status, rejected.TenantReference = coverage.OutcomeRejected, "", nil
	rejected.Rejection, rejected.ParentID = &coverage.Rejection{}, billing.CheckID{15: 6}
	hit := *check
	hit.CacheSource = billing.CheckID{15: 7}
	key := &caller.APIKey{
		ID: billing.KeyID{15: 8}, Scope: scope, Name: "front desk", CreatedAt: at, RevokedAt: at,
		Permissions: []billing.Permission{billing.PermissionRead, billing.PermissionSubmit},
	}
	org := &caller.Organization{ID: scope.Org, Name: "Demo Dental"}
	for name, c := range map[string]struct {
		event    event.Event
		resource [16]byte
		at       time.Time
	}{
		"eligibility.completed":          {check.CompletedEvent(), check.ID, check.CompletedAt},
		"eligibility.completed.rejected": {rejected.CompletedEvent(), check.ID, check.CompletedAt},
		"eligibility.completed.hit":      {hit.CompletedEvent(), check.ID, check.CompletedAt},
		"api_key.created":                {key.CreatedEvent(org), key.ID, key.CreatedAt},
		"api_key.revoked":                {key.RevokedEvent(org), key.ID, key.RevokedAt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			billingtest.Event(t, name, c.event, c.resource, c.at)
		})
	}
}
