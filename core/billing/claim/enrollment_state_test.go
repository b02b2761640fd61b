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
		message, fix := s.Refusal()
		if want := slices.Contains(stops, s); s.Blocks() != want || (message != "") != want || (fix != "") != want || (billing.Held(verified, s) == billing.HoldEnrollment) != want {
			t.Errorf("%s: blocks %v, %q, %q, held %q", s, s.Blocks(), message, fix, billing.Held(verified, s))
		}
		messages[message] = true
	}
	if len(messages) != len(stops)+1 {
		t.Errorf("the messages are %v", messages)
	}
	if message, fix := billing.EnrollmentState("").Refusal(); message+fix != "" || billing.Held(verified, "") != "" {
		t.Errorf("without a record: %q, %q", message, fix)
	}
	if h := billing.Held(&billing.Office{}, ""); h != billing.HoldOffice {
		t.Errorf("an office that is not verified: %q", h)
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
