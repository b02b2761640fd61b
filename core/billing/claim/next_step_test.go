package claim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/billingtest"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// A claim that waits by itself names what its payer asks for; one that a person must act on names that.
func TestNextStepsNameWhatThePayerAsksFor(t *testing.T) {
	t.Parallel()
	dated := &claim.OpenRequest{ID: billing.PayerRequestID{15: 1}, Due: billing.Date{Year: 2026, Month: 3, Day: 4}}
	for state, want := range map[claim.State]string{
		claim.AcceptedPayer: "The payer asks for more by March 4, 2026: answer its request " + dated.ID.String() + ".",
		claim.Paid:          "Post the payment in the practice's books unless it is there already, then reconcile the claim.",
	} {
		if step := (&claim.Record{Claim: &claim.Claim{Progress: claim.Progress{State: state}}, Requested: dated}).NextStep(); step != want {
			t.Errorf("%s: %q", state, step)
		}
	}
	erased := claim.Progress{State: claim.AcceptedPayer, ErasedAt: noon}
	undated := &claim.OpenRequest{ID: dated.ID}
	for p, begins := range map[*claim.Progress]string{
		{State: claim.Submitted}: "The payer asks for more: answer its request prq_", &erased: "No action is needed: the patient was erased.",
	} {
		if step := (&claim.Record{Claim: &claim.Claim{Progress: *p}, Requested: undated}).NextStep(); !strings.HasPrefix(step, begins) {
			t.Errorf("%s: %q", p.State, step)
		}
	}
}

// A next step is one sentence for a biller, without methods, states or fields of
// the API. It never asks for a change of a void, which cannot be changed.
func TestNextStepsAreOneSentence(t *testing.T) {
	t.Parallel()
	sentence := regexp.MustCompile(`^[A-Z]([^.!?]|\d\.\d\d){20,150}\.$`)
	technical := regexp.MustCompile(`[A-Z]{3}|_`)
	for _, s := range claim.States() {
		for _, kind := range []claim.Kind{claim.KindClaim, claim.KindPredetermination} {
			for _, frequency := range []claim.Frequency{claim.FrequencyOriginal, claim.FrequencyReplacement, claim.FrequencyVoid} {
				for _, mode := range []billing.Mode{billing.ModeTest, billing.ModeLive} {
					for _, next := range []billing.ClaimID{{}, {15: 98}} {
						c := claim.Claim{Kind: kind, Frequency: frequency, Scope: billing.Scope{Mode: mode}, Progress: claim.Progress{State: s, ConvertedTo: next}}
						if step := c.NextStep(); !sentence.MatchString(step) || technical.MatchString(step) {
							t.Errorf("%s %s %s %s: %q", s, kind, frequency, mode, step)
						}
					}
				}
			}
		}
	}
	owed := &claim.Standing{PatientResponsibility: 1}
	for _, progress := range []claim.Progress{
		{State: claim.Queued, BatchID: billing.FileID{1}},
		{State: claim.AcceptedPayer, SettledAt: noon},
		{State: claim.Denied, Standing: owed},
		{State: claim.Denied, Standing: &claim.Standing{PatientResponsibility: 1, Late: true}},
		{State: claim.Reconciled, Standing: owed, SettledAt: evening, ReconciledAt: noon},
		{State: claim.Reconciled, SettledAt: noon, ReconciledAt: evening},
	} {
		plain := claim.Claim{Progress: claim.Progress{State: progress.State}}
		c := claim.Claim{Progress: progress}
		if step := c.NextStep(); !sentence.MatchString(step) || technical.MatchString(step) || step == plain.NextStep() {
			t.Errorf("%+v: %q", progress, step)
		}
	}
	for b, state := range map[*clearing.Batch]claim.State{
		{State: clearing.BatchPending, UnknownSince: noon}:                                                              claim.Queued,
		{State: clearing.BatchPending, DelayedSince: noon}:                                                              claim.Queued,
		{State: clearing.BatchSent, SentAt: noon, Overdue: []clearing.AcknowledgementKind{clearing.Acknowledgement999}}: claim.Submitted,
	} {
		c := &claim.Claim{Progress: claim.Progress{State: state, BatchID: billing.FileID{1}}}
		late, known := claim.Record{Claim: c, Batch: b}, claim.Record{Claim: c, Batch: &clearing.Batch{State: clearing.BatchSent, SentAt: noon}}
		if step := late.NextStep(); !sentence.MatchString(step) || technical.MatchString(step) || !strings.Contains(step, noon.Format("January 2, 2006")) || strings.Contains(step, "No action") {
			t.Errorf("%s, late: %q", state, step)
		}
		if step := known.NextStep(); step != c.NextStep() {
			t.Errorf("%s, in time: %q", state, step)
		}
	}
	for _, s := range []claim.State{claim.Rejected, claim.NeedsAttention} {
		void := claim.Claim{Frequency: claim.FrequencyVoid, Progress: claim.Progress{State: s}}
		if step := void.NextStep(); regexp.MustCompile("(?i)correct|submit").MatchString(step) {
			t.Errorf("a void that is %s cannot be changed: %q", s, step)
		}
	}
}

func TestARefusalSaysWhyAndWhatNext(t *testing.T) {
	t.Parallel()
	c := newClaim()
	c.Kind, c.State = claim.KindClaim, claim.Draft
	_, err := record(c).Submit(evening)
	want := "CONFLICT: A claim can be submitted once it is validated. The state of this claim is draft. " + c.NextStep()
	if err == nil || billing.CodeOf(err) != billing.CodeConflict || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	c.Kind, c.State, c.ConvertedTo = claim.KindPredetermination, claim.Returned, billing.ClaimID{15: 98}
	if _, err := record(c).Convert(billing.ClaimID{15: 97}, "N", nil, billing.RequestID{}, evening); billing.CodeOf(err) != billing.CodeConflict {
		t.Errorf("converted twice: %v", err)
	}
}

// What a claim's life looks like to who follows its events.
func TestTheEventsOfAClaimsLife(t *testing.T) {
	t.Parallel()
	c := claimInState("")
	c.Kind, c.Frequency, c.RequestID, c.BatchID = claim.KindClaim, claim.FrequencyOriginal, billing.RequestID{15: 9}, billing.FileID{}
	batch := clearing.Batch{ID: billing.FileID{15: 4}, File: clearing.FileRef{
		Name: "20260320120000000.837", ControlNumbers: clearing.ControlNumbers{Interchange: "000000042", Group: "000000042", Transaction: "000000042"},
	}}
	var life []event.Event
	at := evening
	tick := func(file string) claim.Cause {
		at = at.Add(time.Minute)
		if file == "" {
			return claim.Cause{At: at}
		}
		return claim.Cause{At: at, File: &clearing.FileRef{Name: file, ControlNumbers: clearing.ControlNumbers{Interchange: "000000007"}}}
	}
	keep := func(e event.Event, ok bool) {
		t.Helper()
		if !ok {
			t.Fatalf("the claim is %s after %d events", c.State, len(life))
		}
		life = append(life, e)
	}
	judged := func(found []claim.Finding) {
		events, err := record(c).Judged(found, false, tick("").At)
		keep(append(events, event.Event{})[0], err == nil && len(events) == 1)
	}
	reported := func(side clearing.Side, outcome clearing.ReportOutcome, category, number string) {
		r := clearing.ClaimReport{Side: side, Outcome: outcome, Status: clearing.ClaimStatus{Category: category, Code: "20"}, PayerClaimNumber: number}
		keep(c.Reported(&r, tick("clearing.277")))
	}
	books := books{Claim: c}
	remitted := func(r remit.Claim) { keep(books.post(r, tick("payment.835"))) }

	judged([]claim.Finding{{Code: "required"}})
	judged(nil)
	keep(asked(record(c).Submit(tick("").At)))
	c.BatchID = batch.ID
	keep(c.Sent(&batch, tick("").At))
	keep(c.FileRejected(&batch, nil, tick("refused.997")))
	c.BatchID = batch.ID
	keep(c.Sent(&batch, tick("").At))
	reported(clearing.SideClearinghouse, clearing.ReportAccepted, "A1", "")
	reported(clearing.SidePayer, clearing.ReportAccepted, "A2", "PAYER-1")
	reported(clearing.SidePayer, clearing.ReportPending, "P1", "")
	remitted(remit.Claim{StatusCode: "1", Charge: 112_50, Paid: 80_00, Allowed: money(100_00), PayerClaimNumber: "PAYER-2", Adjustments: []remit.Adjustment{
		cas("PR", "2", 20_00), cas("CO", "45", 12_50),
	}})
	remitted(remit.Claim{StatusCode: "22", Charge: -112_50, Paid: -80_00, PayerClaimNumber: "PAYER-2"})
	remitted(remit.Claim{StatusCode: "4", Charge: 112_50, Adjustments: []remit.Adjustment{cas("PR", "96", 112_50)}})
	keep(asked(record(c).Replace(claimInState("").Content, tick("").At)))

	if c.PayerClaimNumber != "PAYER-2" || c.Frequency != claim.FrequencyReplacement || !c.BatchID.IsZero() {
		t.Errorf("the claim is %+v", c)
	}
	type entry struct {
		Type event.Type      `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	var entries []entry
	for _, e := range life {
		entries = append(entries, entry{e.Type, e.Data})
	}
	got, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	billingtest.Golden(t, "testdata/life.json", append(got, '\n'))
	var history bytes.Buffer
	for _, m := range c.History {
		fmt.Fprintf(&history, "%s %s by %s of %q\n", m.At.Format(time.DateTime), m.State, m.Cause, m.File)
	}
	billingtest.Golden(t, "testdata/history.txt", history.Bytes())
}
