package billing_test

import (
	"bytes"
	"testing"

	"github.com/molar-billing/molar/core/billing/billingtest"

	"github.com/molar-billing/molar/core/billing"
)

func claimInState(state billing.ClaimState, change ...func(*billing.Claim)) *billing.Claim {
	c := claim()
	c.Scope = billing.Scope{Org: billing.OrgID{15: 1}, Mode: billing.ModeTest}
	c.Payer = billing.PayerSummary{ID: billing.PayerID{15: 4}, PayerID: "CHTEST", Name: "Molar Test Payer"}
	c.Kind, c.State, c.Frequency, c.RequestID, c.CreatedAt = billing.KindClaim, state, billing.FrequencyOriginal, billing.RequestID{15: 5}, noon
	for _, f := range change {
		f(c)
	}
	return c
}

func predetermination(c *billing.Claim) {
	c.Kind, c.RequestID = billing.KindPredetermination, billing.RequestID{}
}

func voids(c *billing.Claim) {
	c.Frequency, c.ParentID = billing.FrequencyVoid, billing.ClaimID{15: 13}
}

func replaces(c *billing.Claim) { c.Frequency = billing.FrequencyReplacement }

func money(cents int) *billing.Money { return new(billing.Money(cents)) }

// claimEvents is an event of each type of the claim family, and its variants.
func claimEvents() map[string]billing.Event {
	const (
		validated, attention, queued = billing.ClaimValidated, billing.ClaimNeedsAttention, billing.ClaimQueued
		submitted, cleared, accepted = billing.ClaimSubmitted, billing.ClaimAcceptedClearinghouse, billing.ClaimAcceptedPayer
		rejected, paid, denied       = billing.ClaimRejected, billing.ClaimPaid, billing.ClaimDenied
	)
	file := func(kind string) *billing.FileRef {
		return &billing.FileRef{
			Name: "20260320180000000." + kind, ControlNumbers: billing.ControlNumbers{Interchange: "000000042", Group: "42", Transaction: "0001"},
		}
	}
	anonymous := &billing.FileRef{Name: "20260320180500000.277"}
	status := func(category, code string) *billing.ClaimStatus {
		return &billing.ClaimStatus{Category: category, Code: code}
	}
	from := func(previous billing.ClaimState, f *billing.FileRef, s *billing.ClaimStatus) billing.ClaimCause {
		return billing.ClaimCause{Previous: previous, File: f, Status: s, At: evening}
	}
	era := billing.ERAID{15: 14}
	first := billing.ClaimPayment{ERAID: era, StatusCode: "1", Paid: 80_00, Allowed: money(100_00), PatientResponsibility: 20_00}
	reversal := billing.ClaimPayment{ERAID: era, StatusCode: "22", Paid: -80_00, PatientResponsibility: -20_00}
	none := billing.ClaimPayment{ERAID: era, StatusCode: "4", Allowed: money(0), PatientResponsibility: 112_50}
	return map[string]billing.Event{
		"claim.validated":                 claimInState(validated).Event(billing.EventClaimValidated, from("", nil, nil)),
		"claim.validated.corrected":       claimInState(validated).Event(billing.EventClaimValidated, from(attention, nil, nil)),
		"claim.needs_attention":           claimInState(attention).Event(billing.EventClaimNeedsAttention, from("", nil, nil)),
		"claim.needs_attention.not_found": claimInState(attention).Event(billing.EventClaimNeedsAttention, from(cleared, file("277"), status("A4", "35"))),
		"claim.queued":                    claimInState(queued).Event(billing.EventClaimQueued, from(validated, nil, nil)),
		"claim.queued.batch_rejected":     claimInState(queued).Event(billing.EventClaimQueued, from(submitted, file("997"), nil)),
		"claim.queued.replacement":        claimInState(queued, replaces).Event(billing.EventClaimQueued, from(rejected, nil, nil)),
		"claim.submitted":                 claimInState(submitted).Event(billing.EventClaimSubmitted, from(queued, file("837"), nil)),
		"claim.accepted":                  claimInState(cleared).Event(billing.EventClaimAccepted, from(submitted, file("277"), status("A1", "19"))),
		"claim.accepted.void":             claimInState(accepted, voids).Event(billing.EventClaimAccepted, from(cleared, file("277"), status("A2", "20"))),
		"claim.rejected":                  claimInState(rejected).Event(billing.EventClaimRejected, from(submitted, file("277"), status("A3", "21"))),
		"claim.status_updated":            claimInState(accepted).Event(billing.EventClaimStatusUpdated, from(accepted, anonymous, status("P1", ""))),
		"claim.voided":                    claimInState(billing.ClaimVoided).Event(billing.EventClaimVoided, from(paid, file("277"), status("A2", "20"))),
		"claim.paid": claimInState(paid).PaymentEvent(billing.EventClaimPaid, from(accepted, file("835"), nil), first,
			&billing.ClaimStanding{Outcome: billing.OutcomePaid, Paid: 80_00, Allowed: money(100_00), PatientResponsibility: 20_00}),
		"claim.paid.reconciled": claimInState(billing.ClaimReconciled).PaymentEvent(billing.EventClaimPaid, from(billing.ClaimReconciled, file("835"), nil),
			billing.ClaimPayment{ERAID: era, StatusCode: "2", Paid: 5, PatientResponsibility: 0},
			&billing.ClaimStanding{Outcome: billing.OutcomePaid, Paid: 80_05, PatientResponsibility: 20_00}),
		"claim.denied": claimInState(denied).PaymentEvent(billing.EventClaimDenied, from(accepted, file("835"), nil), none,
			&billing.ClaimStanding{Outcome: billing.OutcomeDenied, Allowed: money(0), PatientResponsibility: 112_50}),
		"claim.payment_reversed": claimInState(accepted).PaymentEvent(billing.EventClaimPaymentReversed, from(paid, file("835"), nil), reversal, nil),
		"claim.payment_reversed.denial_stands": claimInState(denied).PaymentEvent(billing.EventClaimPaymentReversed, from(paid, file("835"), nil), reversal,
			&billing.ClaimStanding{Outcome: billing.OutcomeDenied, PatientResponsibility: 112_50}),
		"predetermination.returned": claimInState(billing.ClaimReturned, predetermination).ReturnedEvent(from(accepted, file("835"), nil),
			billing.ClaimEstimate{ERAID: era, Allowed: money(1_100_00), Pay: 550_00, Patient: 550_00}),
		"predetermination.returned.not_allowed": claimInState(billing.ClaimReturned, predetermination).ReturnedEvent(from(accepted, file("835"), nil),
			billing.ClaimEstimate{ERAID: era, Patient: 1_100_00}),
	}
}

func TestClaimEventBodies(t *testing.T) {
	t.Parallel()
	for name, e := range claimEvents() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			billingtest.Event(t, name, e, billing.ClaimID{15: 12}, evening)
			for _, secret := range []string{"Jane", "Roe", "Kim", "Poe", "W1", "1985", "2016", "PCN-1"} {
				if bytes.Contains(e.Data, []byte(secret)) {
					t.Errorf("the event names the patient: %s", e.Data)
				}
			}
		})
	}
}
