package billing_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// An enrollment stops messages in the states that have a refusal, which says what is
// wrong and what to do.
func TestEnrollmentsThatStopMessages(t *testing.T) {
	t.Parallel()
	stops := []billing.EnrollmentState{billing.EnrollmentNeeded, billing.EnrollmentSubmitted, billing.EnrollmentRejected}
	verified := &billing.Office{VerifiedAt: noon}
	messages := map[string]bool{}
	for _, s := range billing.EnrollmentStates() {
		e := &billing.Enrollment{State: s}
		message, fix := e.Refusal()
		if want := slices.Contains(stops, s); s.Blocks() != want || (message != "") != want || (fix != "") != want || (billing.Held(verified, e) == billing.HoldEnrollment) != want {
			t.Errorf("%s: blocks %v, %q, %q, held %q", s, s.Blocks(), message, fix, billing.Held(verified, e))
		}
		messages[message] = true
	}
	if len(messages) != len(stops)+1 {
		t.Errorf("the messages are %v", messages)
	}
	if message, fix := (*billing.Enrollment)(nil).Refusal(); message+fix != "" || billing.Held(verified, nil) != "" {
		t.Errorf("without a record: %q, %q", message, fix)
	}
	if h := billing.Held(&billing.Office{}, nil); h != billing.HoldOffice {
		t.Errorf("an office that is not verified: %q", h)
	}
}

func TestFaultsOfAnEnrollment(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		e    billing.Enrollment
		want string
	}{
		"good":    {billing.Enrollment{Transaction: "claims", State: "active", Note: strings.Repeat("é", 400), NetworkMessage: strings.Repeat("é", 2000)}, ""},
		"nothing": {billing.Enrollment{}, "transaction required, state required"},
		"unknown": {billing.Enrollment{Transaction: "attachments", State: "live"}, "transaction not_allowed, state not_allowed"},
		"long":    {billing.Enrollment{Transaction: "eligibility", State: "needed", Note: strings.Repeat("x", 401), NetworkMessage: strings.Repeat("x", 2001)}, "note too_long, network_message too_long"},
	} {
		var f billing.Faults
		x.e.Judge(&f)
		var got []string
		for _, one := range f {
			got = append(got, one.Field+" "+string(one.Code))
		}
		if strings.Join(got, ", ") != x.want {
			t.Errorf("%s: %v, want %s", name, got, x.want)
		}
	}
}

// What a queued claim of live mode waits for is its next step, until it leaves the queue.
func TestNextStepOfAClaimThatWaits(t *testing.T) {
	t.Parallel()
	sentence := regexp.MustCompile(`^[A-Z][^.!?]{20,150}\.$`)
	steps := map[string]bool{}
	for _, h := range []billing.Hold{"", billing.HoldNoClearinghouse, billing.HoldNoRoute, billing.HoldPaused, billing.HoldOffice, billing.HoldEnrollment} {
		r := record(claim())
		r.Scope.Mode, r.Hold, r.State = billing.ModeLive, h, billing.ClaimQueued
		step := r.NextStep()
		if steps[step] = true; !sentence.MatchString(step) || (h == "") != strings.HasPrefix(step, "No action is needed") {
			t.Errorf("%q: %q", h, step)
		}
		if r.State = billing.ClaimSubmitted; r.NextStep() != r.Claim.NextStep() {
			t.Errorf("%q: a submitted claim waits: %q", h, r.NextStep())
		}
	}
	if len(steps) != 6 {
		t.Errorf("the steps are %v", steps)
	}
}
