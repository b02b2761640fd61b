package billing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/billingtest"

	"github.com/molar-billing/molar/core/billing"
)

func TestUsage(t *testing.T) {
	t.Parallel()
	fix := &billing.Rejection{Kind: billing.RejectionFixAndResend}
	no := &billing.Rejection{Kind: billing.RejectionRejected}
	for _, c := range []struct {
		mode      billing.Mode
		outcome   billing.Outcome
		rejection *billing.Rejection
		source    billing.CheckID
		want      billing.UsageReason
		charged   bool
	}{
		{billing.ModeTest, billing.OutcomeAnswered, nil, billing.CheckID{}, billing.BilledTestMode, false},
		{billing.ModeTest, billing.OutcomeAnswered, nil, billing.CheckID{1}, billing.BilledTestMode, false},
		{billing.ModeLive, billing.OutcomeAnswered, nil, billing.CheckID{}, billing.BilledAnswered, true},
		{billing.ModeLive, billing.OutcomeAnswered, nil, billing.CheckID{1}, billing.BilledCacheHit, false},
		{billing.ModeLive, billing.OutcomeRejected, fix, billing.CheckID{}, billing.BilledPayerRejected, true},
		{billing.ModeLive, billing.OutcomeRejected, no, billing.CheckID{}, billing.BilledPayerSideRejection, false},
		{billing.ModeLive, billing.OutcomePayerUnavailable, no, billing.CheckID{}, billing.BilledPayerUnavailable, false},
		{billing.ModeLive, billing.OutcomeError, no, billing.CheckID{}, billing.BilledNetworkError, false},
		{billing.ModeLive, billing.OutcomeError, nil, billing.CheckID{}, billing.BilledInternalError, false},
	} {
		check := billing.EligibilityCheck{
			Scope: billing.Scope{Mode: c.mode}, State: billing.CheckCompleted, Outcome: c.outcome, Rejection: c.rejection, CacheSource: c.source,
		}
		u := check.Usage()
		if u.Reason != c.want || u.Charged != c.charged || u.Charged != (u.State == billing.Billable) || u.Label == "" {
			t.Errorf("usage of %+v = %+v, want %s, charged %t", c, u, c.want, c.charged)
		}
	}
	if u := (&billing.EligibilityCheck{State: billing.CheckPending}).Usage(); u != nil {
		t.Errorf("usage of a pending check = %+v, want none", u)
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	r := &billing.Rejection{}
	for _, c := range []struct {
		outcome   billing.Outcome
		rejection *billing.Rejection
		want      billing.Code
	}{
		{billing.OutcomeRejected, r, billing.CodePayerRejected},
		{billing.OutcomePayerUnavailable, r, billing.CodePayerUnavailable},
		{billing.OutcomeError, r, billing.CodeNetworkError},
		{billing.OutcomeError, nil, billing.CodeInternal},
	} {
		check := billing.EligibilityCheck{State: billing.CheckCompleted, Outcome: c.outcome, Rejection: c.rejection}
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
	if err := (&billing.EligibilityCheck{Outcome: billing.OutcomeAnswered}).Failure(); err != nil {
		t.Errorf("failure of an answered check = %v", err)
	}
}

func TestCheckCompletesOnce(t *testing.T) {
	t.Parallel()
	c := billing.EligibilityCheck{State: billing.CheckPending}
	first := billing.CheckResponse{Outcome: billing.OutcomeAnswered, Benefits: &billing.Benefits{}}
	if err := c.Complete(first, billing.PatientID{1}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := c.Complete(billing.Unanswered(billing.OutcomeError, billing.AboutClearinghouse, "n", 1), billing.PatientID{}, time.Now()); billing.CodeOf(err) != billing.CodeConflict || c.Outcome != billing.OutcomeAnswered {
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
		b := billing.BenefitAmount{Amount: c.in[0], Used: c.in[1], Remaining: c.in[2]}
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
	check := &billing.EligibilityCheck{
		ID: billing.CheckID{15: 2}, Scope: scope, OfficeID: billing.OfficeID{15: 3},
		Payer: billing.PayerSummary{ID: billing.PayerID{15: 4}, PayerID: "CHTEST", Name: "Molar Test Payer"},
		State: billing.CheckCompleted, Outcome: billing.OutcomeAnswered, RequestID: billing.RequestID{15: 5},
		TenantReference: new("ref"), CreatedAt: at, CompletedAt: at.Add(time.Second), Status: billing.CoverageActive,
	}
	rejected := *check
	rejected.Outcome, rejected.Status, rejected.TenantReference = billing.OutcomeRejected, "", nil
	rejected.Rejection, rejected.ParentID = &billing.Rejection{}, billing.CheckID{15: 6}
	hit := *check
	hit.CacheSource = billing.CheckID{15: 7}
	key := &billing.APIKey{
		ID: billing.KeyID{15: 8}, Scope: scope, Name: "front desk", CreatedAt: at, RevokedAt: at,
		Permissions: []billing.Permission{billing.PermissionRead, billing.PermissionSubmit},
	}
	org := &billing.Organization{ID: scope.Org, Name: "Demo Dental"}
	for name, c := range map[string]struct {
		event    billing.Event
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
