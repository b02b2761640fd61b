package claim_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
)

// An enrollment stops messages in the states that have a refusal, which says what is
// wrong and what to do.
func TestEnrollmentsThatStopMessages(t *testing.T) {
	t.Parallel()
	stops := []directory.EnrollmentState{directory.EnrollmentNeeded, directory.EnrollmentSubmitted, directory.EnrollmentRejected}
	verified := &directory.Office{VerifiedAt: noon}
	messages := map[string]bool{}
	for _, s := range directory.EnrollmentStates() {
		message, fix := s.Refusal()
		if want := slices.Contains(stops, s); s.Blocks() != want || (message != "") != want || (fix != "") != want || (claim.Held(verified, s) == claim.HoldEnrollment) != want {
			t.Errorf("%s: blocks %v, %q, %q, held %q", s, s.Blocks(), message, fix, claim.Held(verified, s))
		}
		messages[message] = true
	}
	if len(messages) != len(stops)+1 {
		t.Errorf("the messages are %v", messages)
	}
	if message, fix := directory.EnrollmentState("").Refusal(); message+fix != "" || claim.Held(verified, "") != "" {
		t.Errorf("without a record: %q, %q", message, fix)
	}
	if h := claim.Held(&directory.Office{}, ""); h != claim.HoldOffice {
		t.Errorf("an office that is not verified: %q", h)
	}
}

// What a queued claim of live mode waits for is its next step, until it leaves the queue.
func TestNextStepOfAClaimThatWaits(t *testing.T) {
	t.Parallel()
	sentence := regexp.MustCompile(`^[A-Z][^.!?]{20,150}\.$`)
	steps := map[string]bool{}
	for _, h := range []claim.Hold{"", claim.HoldNoClearinghouse, claim.HoldNoRoute, claim.HoldPaused, claim.HoldOffice, claim.HoldEnrollment, claim.HoldRestore} {
		r := record(newClaim())
		r.Scope.Mode, r.Hold, r.State = billing.ModeLive, h, claim.Queued
		step := r.NextStep()
		if steps[step] = true; !sentence.MatchString(step) || (h == "") != strings.HasPrefix(step, "No action is needed") {
			t.Errorf("%q: %q", h, step)
		}
		if r.State = claim.Submitted; r.NextStep() != r.Claim.NextStep() {
			t.Errorf("%q: a submitted claim waits: %q", h, r.NextStep())
		}
	}
	if len(steps) != 7 {
		t.Errorf("the steps are %v", steps)
	}
}
