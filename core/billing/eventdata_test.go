package billing_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

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
			eventGolden(t, name, e, billing.ClaimID{15: 12}, evening)
			for _, secret := range []string{"Jane", "Roe", "Kim", "Poe", "W1", "1985", "2016", "PCN-1"} {
				if bytes.Contains(e.Data, []byte(secret)) {
					t.Errorf("the event names the patient: %s", e.Data)
				}
			}
		})
	}
}

func TestBatchAndERAEventBodies(t *testing.T) {
	t.Parallel()
	of := claimInState(billing.ClaimSubmitted)
	batch := billing.Batch{
		ID: billing.FileID{15: 15}, Scope: of.Scope, ClaimCount: 3, Result: billing.BatchAccepted, Acknowledgement: "20260320175959000.997",
		File:      billing.FileRef{Name: "20260320120000000.837", ControlNumbers: billing.ControlNumbers{Interchange: "000000042", Group: "42", Transaction: "0001"}},
		CreatedAt: noon, AcknowledgedAt: evening,
	}
	refused := batch
	refused.Result, refused.File.ControlNumbers = billing.BatchRejected, billing.ControlNumbers{Interchange: "000000042"}
	era := billing.ERA{
		ID: billing.ERAID{15: 14}, Scope: of.Scope, State: billing.ERANeedsReview, Payer: of.Payer, Balanced: true, ClaimCount: 3, MatchedCount: 2,
		Payment: billing.ERAPayment{Method: "ACH", TraceNumber: "TRACE1", Date: billing.Date{Year: 2026, Month: 3, Day: 21}, Total: 1_234_50}, ReceivedAt: evening,
	}
	unknown := era
	unknown.Payer, unknown.Balanced, unknown.MatchedCount = billing.PayerSummary{}, false, 0
	unknown.Payment = billing.ERAPayment{Method: "NON", Total: -1}
	for name, c := range map[string]struct {
		event    billing.Event
		resource [16]byte
	}{
		"batch.acknowledged":          {batch.AcknowledgedEvent(), batch.ID},
		"batch.acknowledged.rejected": {refused.AcknowledgedEvent(), batch.ID},
		"era.received":                {era.ReceivedEvent(), era.ID},
		"era.received.unknown_payer":  {unknown.ReceivedEvent(), era.ID},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eventGolden(t, name, c.event, c.resource, evening)
		})
	}
}

// eventGolden compares the data of an event with a file that is named after
// the type of the event.
func eventGolden(t *testing.T, name string, e billing.Event, resource [16]byte, at time.Time) {
	t.Helper()
	scope := billing.Scope{Org: billing.OrgID{15: 1}, Mode: billing.ModeTest}
	if eventTypeOf(name) != string(e.Type) || e.Scope != scope || e.Resource != resource || !e.CreatedAt.Equal(at) || e.ID.IsZero() {
		t.Errorf("event %+v", e)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, e.Data, "", "  "); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/events/"+name+".json", append(b.Bytes(), '\n'))
}

// eventTypeOf is the type that a golden file is named after: its first two
// parts.
func eventTypeOf(name string) string {
	parts := strings.SplitN(name, ".", 3)
	return strings.Join(parts[:2], ".")
}

// Every type has a golden body, and every golden body has a type.
func TestEventCatalogue(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir("testdata/events")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, eventTypeOf(strings.TrimSuffix(f.Name(), ".json")))
	}
	slices.Sort(got)
	var want []string
	for _, known := range billing.EventTypes() {
		want = append(want, string(known))
	}
	slices.Sort(want)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("golden bodies of\n%v\nwant\n%v", got, want)
	}
}

// What is read and posted has the data as it was written, byte for byte.
func TestTheObjectOfAnEvent(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"compact":          `{"id":"x"}`,
		"characters":       `{"name":"<Roe> & \"Sons\"","accents":"caf` + "\u00e9\u2028" + `"}`,
		"escaped":          `{"name":"\u003cRoe\u003e \u0026 Sons"}`,
		"spelled as it is": `{ "b": 1.0, "a": [ ] }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := billing.Event{
				ID: billing.EventID{15: 9}, Type: billing.EventClaimPaid, Sequence: 12, Data: []byte(data),
				CreatedAt: time.Date(2026, 1, 1, 22, 4, 5, 6789, time.FixedZone("", -5*3600)),
			}
			got, want := string(e.JSON()), `{"id":"evt_00000000000000000000000009","object":"event","type":"claim.paid","sequence":12,`+
				`"created_at":"2026-01-02T03:04:05.000006+00:00","data":`+data+`}`
			if got != want || !json.Valid([]byte(got)) {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestEventDataHasNoEscapesThatItDoesNotNeed(t *testing.T) {
	t.Parallel()
	r := billing.PayerRequest{ID: billing.PayerRequestID{15: 11}, ReferenceNumber: `<1> & "2"`}
	if e := r.ReceivedEvent(); !bytes.Contains(e.Data, []byte(`"reference_number":"<1> & \"2\""`)) || e.Data[len(e.Data)-1] != '}' {
		t.Errorf("data %s", e.Data)
	}
}
