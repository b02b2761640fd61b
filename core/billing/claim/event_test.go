package claim_test

import (
	"bytes"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/billingtest"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

func claimInState(state claim.State, change ...func(*claim.Claim)) *claim.Claim {
	c := newClaim()
	c.Scope = billing.Scope{Org: billing.OrgID{15: 1}, Mode: billing.ModeTest}
	c.Payer = directory.PayerSummary{ID: billing.PayerID{15: 4}, PayerID: "CHTEST", Name: "Molar Test Payer"}
	c.Kind, c.State, c.Frequency, c.RequestID, c.CreatedAt = claim.KindClaim, state, claim.FrequencyOriginal, billing.RequestID{15: 5}, noon
	for _, f := range change {
		f(c)
	}
	return c
}

func predetermination(c *claim.Claim) {
	c.Kind, c.RequestID = claim.KindPredetermination, billing.RequestID{}
}

func voids(c *claim.Claim) {
	c.Frequency, c.ParentID = claim.FrequencyVoid, billing.ClaimID{15: 13}
}

func replaces(c *claim.Claim) { c.Frequency = claim.FrequencyReplacement }

func money(cents int) *billing.Money { return new(billing.Money(cents)) }

// claimEvents is an event of each type of the claim family, and its variants.
func claimEvents() map[string]event.Event {
	const (
		validated, attention, queued = claim.Validated, claim.NeedsAttention, claim.Queued
		submitted, cleared, accepted = claim.Submitted, claim.AcceptedClearinghouse, claim.AcceptedPayer
		rejected, paid, denied       = claim.Rejected, claim.Paid, claim.Denied
	)
	file := func(kind string) *clearing.FileRef {
		return &clearing.FileRef{
			Name: "20260320180000000." + kind, ControlNumbers: clearing.ControlNumbers{Interchange: "000000042", Group: "42", Transaction: "0001"},
		}
	}
	anonymous := &clearing.FileRef{Name: "20260320180500000.277"}
	status := func(category, code string) *clearing.ClaimStatus {
		return &clearing.ClaimStatus{Category: category, Code: code}
	}
	from := func(previous claim.State, f *clearing.FileRef, s *clearing.ClaimStatus) claim.Cause {
		return claim.Cause{Previous: previous, File: f, Status: s, At: evening}
	}
	era := billing.ERAID{15: 14}
	first := remit.ClaimPayment{ERAID: era, StatusCode: "1", Paid: 80_00, Allowed: money(100_00), PatientResponsibility: 20_00}
	reversal := remit.ClaimPayment{ERAID: era, StatusCode: "22", Paid: -80_00, PatientResponsibility: -20_00}
	none := remit.ClaimPayment{ERAID: era, StatusCode: "4", Allowed: money(0), PatientResponsibility: 112_50}
	return map[string]event.Event{
		"claim.validated":                 claimInState(validated).Event(event.ClaimValidated, from("", nil, nil)),
		"claim.validated.corrected":       claimInState(validated).Event(event.ClaimValidated, from(attention, nil, nil)),
		"claim.needs_attention":           claimInState(attention).Event(event.ClaimNeedsAttention, from("", nil, nil)),
		"claim.needs_attention.not_found": claimInState(attention).Event(event.ClaimNeedsAttention, from(cleared, file("277"), status("A4", "35"))),
		"claim.queued":                    claimInState(queued).Event(event.ClaimQueued, from(validated, nil, nil)),
		"claim.queued.batch_rejected":     claimInState(queued).Event(event.ClaimQueued, from(submitted, file("997"), nil)),
		"claim.queued.replacement":        claimInState(queued, replaces).Event(event.ClaimQueued, from(rejected, nil, nil)),
		"claim.submitted":                 claimInState(submitted).Event(event.ClaimSubmitted, from(queued, file("837"), nil)),
		"claim.accepted":                  claimInState(cleared).Event(event.ClaimAccepted, from(submitted, file("277"), status("A1", "19"))),
		"claim.accepted.void":             claimInState(accepted, voids).Event(event.ClaimAccepted, from(cleared, file("277"), status("A2", "20"))),
		"claim.rejected":                  claimInState(rejected).Event(event.ClaimRejected, from(submitted, file("277"), status("A3", "21"))),
		"claim.status_updated":            claimInState(accepted).Event(event.ClaimStatusUpdated, from(accepted, anonymous, status("P1", ""))),
		"claim.voided":                    claimInState(claim.Voided).Event(event.ClaimVoided, from(paid, file("277"), status("A2", "20"))),
		"claim.paid": claimInState(paid).PaymentEvent(event.ClaimPaid, from(accepted, file("835"), nil), first,
			&claim.Standing{Outcome: remit.OutcomePaid, Paid: 80_00, Allowed: money(100_00), PatientResponsibility: 20_00}),
		"claim.paid.reconciled": claimInState(claim.Reconciled).PaymentEvent(event.ClaimPaid, from(claim.Reconciled, file("835"), nil),
			remit.ClaimPayment{ERAID: era, StatusCode: "2", Paid: 5, PatientResponsibility: 0},
			&claim.Standing{Outcome: remit.OutcomePaid, Paid: 80_05, PatientResponsibility: 20_00}),
		"claim.denied": claimInState(denied).PaymentEvent(event.ClaimDenied, from(accepted, file("835"), nil), none,
			&claim.Standing{Outcome: remit.OutcomeDenied, Allowed: money(0), PatientResponsibility: 112_50}),
		"claim.payment_reversed": claimInState(accepted).PaymentEvent(event.ClaimPaymentReversed, from(paid, file("835"), nil), reversal, nil),
		"claim.payment_reversed.denial_stands": claimInState(denied).PaymentEvent(event.ClaimPaymentReversed, from(paid, file("835"), nil), reversal,
			&claim.Standing{Outcome: remit.OutcomeDenied, PatientResponsibility: 112_50}),
		"predetermination.returned": claimInState(claim.Returned, predetermination).ReturnedEvent(from(accepted, file("835"), nil),
			remit.ClaimEstimate{ERAID: era, Allowed: money(1_100_00), Pay: 550_00, Patient: 550_00}),
		"predetermination.returned.not_allowed": claimInState(claim.Returned, predetermination).ReturnedEvent(from(accepted, file("835"), nil),
			remit.ClaimEstimate{ERAID: era, Patient: 1_100_00}),
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
