package billing_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/billingtest"

	"github.com/molar-billing/molar/core/billing"
)

// A next step is one sentence for a biller, without methods, states or fields of
// the API. It never asks for a change of a void, which cannot be changed.
func TestNextStepsAreOneSentence(t *testing.T) {
	t.Parallel()
	sentence := regexp.MustCompile(`^[A-Z]([^.!?]|\d\.\d\d){20,150}\.$`)
	technical := regexp.MustCompile(`[A-Z]{3}|_`)
	for _, s := range billing.ClaimStates() {
		for _, kind := range []billing.ClaimKind{billing.KindClaim, billing.KindPredetermination} {
			for _, frequency := range []billing.ClaimFrequency{billing.FrequencyOriginal, billing.FrequencyReplacement, billing.FrequencyVoid} {
				for _, mode := range []billing.Mode{billing.ModeTest, billing.ModeLive} {
					for _, next := range []billing.ClaimID{{}, {15: 98}} {
						c := billing.Claim{Kind: kind, Frequency: frequency, Scope: billing.Scope{Mode: mode}, ClaimProgress: billing.ClaimProgress{State: s, ConvertedTo: next}}
						if step := c.NextStep(); !sentence.MatchString(step) || technical.MatchString(step) {
							t.Errorf("%s %s %s %s: %q", s, kind, frequency, mode, step)
						}
					}
				}
			}
		}
	}
	owed := &billing.ClaimStanding{PatientResponsibility: 1}
	for _, progress := range []billing.ClaimProgress{
		{State: billing.ClaimQueued, BatchID: billing.FileID{1}},
		{State: billing.ClaimAcceptedPayer, SettledAt: noon},
		{State: billing.ClaimDenied, Standing: owed},
		{State: billing.ClaimReconciled, Standing: owed, SettledAt: evening, ReconciledAt: noon},
		{State: billing.ClaimReconciled, SettledAt: noon, ReconciledAt: evening},
	} {
		plain := billing.Claim{ClaimProgress: billing.ClaimProgress{State: progress.State}}
		c := billing.Claim{ClaimProgress: progress}
		if step := c.NextStep(); !sentence.MatchString(step) || technical.MatchString(step) || step == plain.NextStep() {
			t.Errorf("%+v: %q", progress, step)
		}
	}
	for b, state := range map[*billing.Batch]billing.ClaimState{
		{State: billing.BatchPending, UnknownSince: noon}:                                                            billing.ClaimQueued,
		{State: billing.BatchPending, DelayedSince: noon}:                                                            billing.ClaimQueued,
		{State: billing.BatchSent, SentAt: noon, Overdue: []billing.AcknowledgementKind{billing.Acknowledgement999}}: billing.ClaimSubmitted,
	} {
		c := &billing.Claim{ClaimProgress: billing.ClaimProgress{State: state, BatchID: billing.FileID{1}}}
		late, known := billing.ClaimRecord{Claim: c, Batch: b}, billing.ClaimRecord{Claim: c, Batch: &billing.Batch{State: billing.BatchSent, SentAt: noon}}
		if step := late.NextStep(); !sentence.MatchString(step) || technical.MatchString(step) || !strings.Contains(step, noon.Format("January 2, 2006")) || strings.Contains(step, "No action") {
			t.Errorf("%s, late: %q", state, step)
		}
		if step := known.NextStep(); step != c.NextStep() {
			t.Errorf("%s, in time: %q", state, step)
		}
	}
	for _, s := range []billing.ClaimState{billing.ClaimRejected, billing.ClaimNeedsAttention} {
		void := billing.Claim{Frequency: billing.FrequencyVoid, ClaimProgress: billing.ClaimProgress{State: s}}
		if step := void.NextStep(); regexp.MustCompile("(?i)correct|submit").MatchString(step) {
			t.Errorf("a void that is %s cannot be changed: %q", s, step)
		}
	}
}

func TestARefusalSaysWhyAndWhatNext(t *testing.T) {
	t.Parallel()
	c := claim()
	c.Kind, c.State = billing.KindClaim, billing.ClaimDraft
	_, err := record(c).Submit(evening)
	want := "CONFLICT: A claim can be submitted once it is validated. The state of this claim is draft. " + c.NextStep()
	if err == nil || billing.CodeOf(err) != billing.CodeConflict || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	c.Kind, c.State, c.ConvertedTo = billing.KindPredetermination, billing.ClaimReturned, billing.ClaimID{15: 98}
	if _, err := record(c).Convert(billing.ClaimID{15: 97}, "N", nil, billing.RequestID{}, evening); billing.CodeOf(err) != billing.CodeConflict {
		t.Errorf("converted twice: %v", err)
	}
}

// What a claim's life looks like to who follows its events.
func TestTheEventsOfAClaimsLife(t *testing.T) {
	t.Parallel()
	c := claimInState("")
	c.Kind, c.Frequency, c.RequestID, c.BatchID = billing.KindClaim, billing.FrequencyOriginal, billing.RequestID{15: 9}, billing.FileID{}
	batch := billing.Batch{ID: billing.FileID{15: 4}, File: billing.FileRef{
		Name: "20260320120000000.837", ControlNumbers: billing.ControlNumbers{Interchange: "000000042", Group: "000000042", Transaction: "000000042"},
	}}
	var life []billing.Event
	at := evening
	tick := func(file string) billing.ClaimCause {
		at = at.Add(time.Minute)
		if file == "" {
			return billing.ClaimCause{At: at}
		}
		return billing.ClaimCause{At: at, File: &billing.FileRef{Name: file, ControlNumbers: billing.ControlNumbers{Interchange: "000000007"}}}
	}
	keep := func(e billing.Event, ok bool) {
		t.Helper()
		if !ok {
			t.Fatalf("the claim is %s after %d events", c.State, len(life))
		}
		life = append(life, e)
	}
	judged := func(found []billing.Finding) {
		events, err := record(c).Judged(found, false, tick("").At)
		keep(append(events, billing.Event{})[0], err == nil && len(events) == 1)
	}
	reported := func(side billing.Side, outcome billing.ReportOutcome, category, number string) {
		r := billing.ClaimReport{Side: side, Outcome: outcome, Status: billing.ClaimStatus{Category: category, Code: "20"}, PayerClaimNumber: number}
		keep(c.Reported(&r, tick("clearing.277")))
	}
	books := books{Claim: c}
	remitted := func(r billing.RemittanceClaim) { keep(books.post(r, tick("payment.835"))) }

	judged([]billing.Finding{{Code: "required"}})
	judged(nil)
	keep(asked(record(c).Submit(tick("").At)))
	c.BatchID = batch.ID
	keep(c.Sent(&batch, tick("").At))
	keep(c.FileRejected(&batch, nil, tick("refused.997")))
	c.BatchID = batch.ID
	keep(c.Sent(&batch, tick("").At))
	reported(billing.SideClearinghouse, billing.ReportAccepted, "A1", "")
	reported(billing.SidePayer, billing.ReportAccepted, "A2", "PAYER-1")
	reported(billing.SidePayer, billing.ReportPending, "P1", "")
	remitted(billing.RemittanceClaim{StatusCode: "1", Charge: 112_50, Paid: 80_00, Allowed: money(100_00), PayerClaimNumber: "PAYER-2", Adjustments: []billing.Adjustment{
		cas("PR", "2", 20_00), cas("CO", "45", 12_50),
	}})
	remitted(billing.RemittanceClaim{StatusCode: "22", Charge: -112_50, Paid: -80_00, PayerClaimNumber: "PAYER-2"})
	remitted(billing.RemittanceClaim{StatusCode: "4", Charge: 112_50, Adjustments: []billing.Adjustment{cas("PR", "96", 112_50)}})
	keep(asked(record(c).Replace(claimInState("").ClaimContent, tick("").At)))

	if c.PayerClaimNumber != "PAYER-2" || c.Frequency != billing.FrequencyReplacement || !c.BatchID.IsZero() {
		t.Errorf("the claim is %+v", c)
	}
	type entry struct {
		Type billing.EventType `json:"type"`
		Data json.RawMessage   `json:"data"`
	}
	var entries []entry
	for _, e := range life {
		entries = append(entries, entry{e.Type, e.Data})
	}
	got, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	billingtest.Golden(t, "testdata/claims/life.json", append(got, '\n'))
	var history bytes.Buffer
	for _, m := range c.History {
		fmt.Fprintf(&history, "%s %s by %s of %q\n", m.At.Format(time.DateTime), m.State, m.Cause, m.File)
	}
	billingtest.Golden(t, "testdata/claims/history.txt", history.Bytes())
}
