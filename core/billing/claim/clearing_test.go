package billing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// A batch is named by its millisecond, and its numbers fit X12's nine digits
// whatever the serial number is.
func TestABatchFromItsMakingToItsResponse(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 20, 13, 4, 5, 67_999_999, time.FixedZone("", 3600))
	b := billing.NewBatch(billing.Scope{Mode: billing.ModeTest}, "sandbox", 12_000_000_042, 3, at)
	n := b.File.ControlNumbers
	if b.File.Name != "20260320120405067.837" || n != (billing.ControlNumbers{Interchange: "000000042", Group: "000000042", Transaction: "000000042"}) ||
		b.State != billing.BatchPending || b.ClaimCount != 3 || b.ID.IsZero() || !b.CreatedAt.Equal(at) {
		t.Errorf("%+v", b)
	}
	b.File.Name = billing.BatchTime(at.Add(time.Millisecond)) + ".837"
	if b.File.Name != "20260320120405068.837" {
		t.Error(b.File.Name)
	}
	if !b.Sent(evening) || b.Sent(evening.Add(1)) || b.State != billing.BatchSent || !b.SentAt.Equal(evening) {
		t.Errorf("%+v", b)
	}
	if !b.Acknowledge(billing.BatchRejected, "first.997", evening) || b.Acknowledge(billing.BatchAccepted, "late.997", evening.Add(1)) || b.Sent(evening) {
		t.Error("the first answer does not stand")
	}
	if b.State != billing.BatchAcknowledged || b.Result != billing.BatchRejected || b.Acknowledgement != "first.997" || !b.AcknowledgedAt.Equal(evening) {
		t.Errorf("%+v", b)
	}
}

// Only the file that carries the claim now speaks for it.
func TestAnotherFileDoesNotMoveAClaim(t *testing.T) {
	t.Parallel()
	c := claim()
	c.Kind, c.State, c.BatchID = billing.KindClaim, billing.ClaimQueued, billing.FileID{15: 4}
	other := &billing.Batch{ID: billing.FileID{15: 5}}
	if _, ok := c.Sent(other, evening); ok || c.State != billing.ClaimQueued || !c.SentAt.IsZero() {
		t.Error("sent with another file")
	}
	if _, ok := c.Sent(fileOf(c), evening); !ok || !c.SentAt.Equal(evening) {
		t.Error("not sent with its own")
	}
	if _, ok := c.FileRejected(other, nil, billing.ClaimCause{At: evening}); ok || c.State != billing.ClaimSubmitted {
		t.Error("queued again for another file")
	}
	if _, ok := c.FileRejected(fileOf(c), nil, billing.ClaimCause{At: evening}); !ok || !c.BatchID.IsZero() {
		t.Error("not queued again")
	}
	c.BatchID = other.ID
	if _, ok := c.Sent(other, evening.Add(time.Hour)); !ok || !c.SentAt.Equal(evening) {
		t.Errorf("first sent at %s", c.SentAt)
	}
}

// The finding that a user sees when a claim comes back, and which of the payer's
// numbers is kept.
func TestWhatA277LeavesOnAClaim(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		report  billing.ClaimReport
		finding string // codes, fields and messages
		number  string
	}{
		"the payer rejects": {billing.ClaimReport{
			Side: billing.SidePayer, Outcome: billing.ReportRejected, Status: billing.ClaimStatus{Category: "A7", Code: "562"}, PayerClaimNumber: "P1",
		}, "status_rejected: The payer rejected the claim with status A7:562.", "P1"},
		"the clearinghouse rejects, in words": {billing.ClaimReport{
			Side: billing.SideClearinghouse, Outcome: billing.ReportRejected, PayerClaimNumber: "P1",
			Reasons: []billing.ReportReason{{Status: billing.ClaimStatus{Category: "A3"}, Words: "Bad ZIP."}},
		}, "status_rejected: The clearinghouse rejected the claim with status A3. Its message: Bad ZIP.", "P0"},
		"for several reasons": {billing.ClaimReport{
			Side: billing.SideClearinghouse, Outcome: billing.ReportRejected, Reasons: []billing.ReportReason{
				{Status: billing.ClaimStatus{Category: "A6", Code: "128"}, Party: billing.PartyOffice, Words: "No tax ID."},
				{Status: billing.ClaimStatus{Category: "A7", Code: "500"}, Party: billing.PartyPatient},
				{Status: billing.ClaimStatus{Category: "A6", Code: "201"}, Party: billing.PartyOffice, Line: 2},
				{Status: billing.ClaimStatus{Category: "A6", Code: "21"}, Line: 3},
			},
		}, "status_rejected office_id: The clearinghouse rejected the claim with status A6:128. Its message: No tax ID." +
			"; status_rejected patient: The clearinghouse rejected the claim with status A7:500." +
			"; status_rejected lines.1: The clearinghouse rejected the claim with status A6:201." +
			"; status_rejected: The clearinghouse rejected the claim with status A6:21.", "P0"},
		"not found": {billing.ClaimReport{
			Side: billing.SidePayer, Outcome: billing.ReportNotFound, Status: billing.ClaimStatus{Category: "A4", Code: "35"},
		}, "status_not_found: The payer has no record of the claim (status A4:35).", "P0"},
		"accepted": {billing.ClaimReport{Side: billing.SidePayer, Outcome: billing.ReportAccepted, PayerClaimNumber: "P2"}, "", "P2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := claim()
			c.State, c.PayerClaimNumber = billing.ClaimSubmitted, "P0"
			if _, ok := c.Reported(&x.report, billing.ClaimCause{At: evening}); !ok || c.PayerClaimNumber != x.number {
				t.Errorf("applied %v, number %s", ok, c.PayerClaimNumber)
			}
			var findings []string
			for _, f := range c.Findings {
				findings = append(findings, strings.TrimSuffix(f.Code+" "+f.Field, " ")+": "+f.Message)
				if !strings.HasSuffix(f.Fix, ".") {
					t.Errorf("%+v", f)
				}
			}
			if got := strings.Join(findings, "; "); got != x.finding {
				t.Errorf("%q, want %q", got, x.finding)
			}
		})
	}
	c := claim()
	c.State = billing.ClaimAcceptedPayer
	for _, r := range []billing.ClaimReport{{Side: billing.SideClearinghouse, Outcome: billing.ReportPending}, {Side: billing.SidePayer}} {
		if _, ok := c.Reported(&r, billing.ClaimCause{At: evening}); ok {
			t.Errorf("%+v is news", r)
		}
	}
}

// TestThePlaceOfARejection checks the field for each party of a claim.
func TestThePlaceOfARejection(t *testing.T) {
	t.Parallel()
	for party, want := range map[billing.ClaimParty][2]string{ // with a patient, and without
		billing.PartyOffice: {"office_id", "office_id"}, billing.PartyRendering: {"rendering_provider_id", "rendering_provider_id"},
		billing.PartySubscriber: {"subscriber", "subscriber"}, billing.PartyPatient: {"patient", "subscriber"},
		billing.PartyPayer: {"payer_id", "payer_id"}, "": {"", ""},
	} {
		for i, field := range want {
			c := claim()
			if c.State = billing.ClaimSubmitted; i == 1 {
				c.Patient = nil
			}
			c.Reported(&billing.ClaimReport{
				Side: billing.SidePayer, Outcome: billing.ReportRejected, Reasons: []billing.ReportReason{{Party: party}},
			}, billing.ClaimCause{At: evening})
			if len(c.Findings) != 1 || c.Findings[0].Field != field {
				t.Errorf("%q: %+v, want %q", party, c.Findings, field)
			}
		}
	}
}

// TestThePlaceOfAnotherPayer checks the field for the payers of a secondary claim.
func TestThePlaceOfAnotherPayer(t *testing.T) {
	t.Parallel()
	for why, want := range map[billing.ReportReason]string{
		{Party: billing.PartyPayer, Payer: billing.SequenceTertiary}:         "other_coverage.0",
		{Party: billing.PartyPayer, Payer: billing.SequencePrimary}:          "other_coverage.1",
		{Party: billing.PartyPayer, Payer: billing.SequencePrimary, Line: 2}: "other_coverage.1.adjudication.lines.0",
		{Party: billing.PartyPayer, Payer: billing.SequencePrimary, Line: 1}: "other_coverage.1",
		{Party: billing.PartyPayer, Payer: billing.SequenceSecondary}:        "payer_id",
		{Party: billing.PartyPayer, Line: 1}:                                 "lines.0",
	} {
		c := claim()
		c.State, c.Coverage = billing.ClaimSubmitted, billing.SequenceSecondary
		c.OtherCoverage = []billing.OtherCoverage{
			{Sequence: billing.SequenceTertiary},
			{Sequence: billing.SequencePrimary, Adjudication: &billing.CoverageAdjudication{Lines: []billing.CoverageLine{{LineNumber: 2}}}},
		}
		c.Reported(&billing.ClaimReport{
			Side: billing.SideClearinghouse, Outcome: billing.ReportRejected, Reasons: []billing.ReportReason{why},
		}, billing.ClaimCause{At: evening})
		if len(c.Findings) != 1 || c.Findings[0].Field != want {
			t.Errorf("%+v: %+v, want %q", why, c.Findings, want)
		}
	}
}

// TestClaimsThatHaveRemittances: every claim that was sent, and no void.
func TestClaimsThatHaveRemittances(t *testing.T) {
	t.Parallel()
	payment, estimate := &billing.RemittanceClaim{StatusCode: "1", Paid: 1}, &billing.RemittanceClaim{StatusCode: "25"}
	for _, s := range billing.ClaimStates() {
		one := func(kind billing.ClaimKind, f billing.ClaimFrequency, sent time.Time) *billing.ClaimRecord {
			return record(&billing.Claim{Kind: kind, Frequency: f, ClaimProgress: billing.ClaimProgress{State: s, SentAt: sent}})
		}
		bill, question := one(billing.KindClaim, "", evening), one(billing.KindPredetermination, "", evening)
		void, unsent := one(billing.KindClaim, billing.FrequencyVoid, evening), one(billing.KindClaim, "", time.Time{})
		if err := errors.Join(bill.CanHave(payment), question.CanHave(estimate)); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		for _, err := range []error{bill.CanHave(estimate), question.CanHave(payment), void.CanHave(payment), unsent.CanHave(payment)} {
			if billing.CodeOf(err) != billing.CodeConflict {
				t.Errorf("%s: %v", s, err)
			}
		}
	}
}

func TestARemittanceIsReadAndPostedOnce(t *testing.T) {
	t.Parallel()
	e := billing.ERA{State: billing.ERANeedsReview, Stage: billing.ERAReading}
	if !e.Read(3, evening) || e.Read(3, evening.Add(1)) || !e.ReceivedAt.Equal(evening) || e.ClaimCount != 3 || e.Stage != billing.ERAApplying {
		t.Errorf("%+v", e)
	}
	rows := make([]billing.RemittanceClaim, 3)
	e.Move(&rows[0], billing.RemittanceClaimProgress{Status: billing.RemitApplied, ClaimID: billing.ClaimID{15: 1}})
	e.Move(&rows[1], billing.RemittanceClaimProgress{Status: billing.RemitUnmatched})
	if e.Unfinished() != 1 || e.MatchedCount != 1 {
		t.Errorf("%+v", e)
	}
	e.Stage = billing.ERADone // without the third
	if e.Unfinished() != 2 || !e.NeedsAttention() {
		t.Errorf("%+v", e.Counted())
	}
	if changed, err := e.Post(false, evening); changed || billing.CodeOf(err) != billing.CodeConflict || !strings.Contains(err.Error(), "2 unfinished claims") {
		t.Errorf("%v, %v", changed, err)
	}
	e.Move(&rows[1], billing.RemittanceClaimProgress{Status: billing.RemitIgnored})
	e.Move(&rows[2], billing.RemittanceClaimProgress{Status: billing.RemitForwarded, ClaimID: billing.ClaimID{15: 1}})
	for n, want := range []bool{true, false} {
		if changed, err := e.Post(false, evening.Add(time.Duration(n))); changed != want || err != nil || e.State != billing.ERAPosted || !e.PostedAt.Equal(evening) {
			t.Errorf("%v, %v, %+v", changed, err, e)
		}
	}
	if !e.Unpost() || e.Unpost() || e.State != billing.ERANeedsReview || !e.PostedAt.IsZero() {
		t.Errorf("%+v", e)
	}
}

// TestTheSecondRejectedFile sends a claim in three files. In live mode the second
// rejection in a row ends it; a caller who submits the claim starts anew.
func TestTheSecondRejectedFile(t *testing.T) {
	t.Parallel()
	why := []string{"one", "two", "three", "four", "five", "six"}
	for name, x := range map[string]struct {
		mode      billing.Mode
		frequency billing.ClaimFrequency
		between   billing.ClaimTrigger
		want      billing.ClaimState
		event     billing.EventType
	}{
		"test mode":        {billing.ModeTest, billing.FrequencyOriginal, "", billing.ClaimQueued, billing.EventClaimQueued},
		"live mode":        {billing.ModeLive, billing.FrequencyOriginal, "", billing.ClaimNeedsAttention, billing.EventClaimNeedsAttention},
		"a replacement":    {billing.ModeLive, billing.FrequencyReplacement, "", billing.ClaimNeedsAttention, billing.EventClaimNeedsAttention},
		"a void":           {billing.ModeLive, billing.FrequencyVoid, "", billing.ClaimRejected, billing.EventClaimRejected},
		"submitted since":  {billing.ModeLive, billing.FrequencyOriginal, billing.TriggerSubmit, billing.ClaimQueued, billing.EventClaimQueued},
		"replaced since":   {billing.ModeLive, billing.FrequencyReplacement, billing.TriggerReplace, billing.ClaimQueued, billing.EventClaimQueued},
		"only sent since":  {billing.ModeLive, billing.FrequencyOriginal, billing.TriggerSend, billing.ClaimNeedsAttention, billing.EventClaimNeedsAttention},
		"a void made anew": {billing.ModeLive, billing.FrequencyVoid, billing.TriggerAskVoid, billing.ClaimQueued, billing.EventClaimQueued},
	} {
		c := claim()
		c.Kind, c.Scope.Mode, c.Frequency, c.State = billing.KindClaim, x.mode, x.frequency, billing.ClaimQueued
		file := func() *billing.Batch {
			c.BatchID = billing.FileID{15: byte(len(c.History) + 1)}
			b := fileOf(c)
			if _, ok := c.Sent(b, evening); !ok {
				t.Fatalf("%s: not sent", name)
			}
			return b
		}
		if e, ok := c.FileRejected(file(), why, billing.ClaimCause{At: evening}); !ok || e.Type != billing.EventClaimQueued || len(c.Findings) != 0 {
			t.Errorf("%s: after the first, %v, %s with %v", name, ok, e.Type, c.Findings)
		}
		if x.between != "" {
			c.History = append(c.History, billing.ClaimMove{State: billing.ClaimQueued, Cause: x.between})
		}
		b := file()
		e, ok := c.FileRejected(b, why, billing.ClaimCause{At: evening})
		if !ok || c.State != x.want || e.Type != x.event {
			t.Errorf("%s: after the second, %v, %s, %s", name, ok, c.State, e.Type)
		}
		if x.want == billing.ClaimQueued {
			continue
		}
		if len(c.Findings) != 1 || c.Findings[0].Code != "file_rejected" || !strings.HasSuffix(c.Findings[0].Message, ": one; two; three; four; five.") || c.BatchID != b.ID {
			t.Errorf("%s: %+v of %s", name, c.Findings, c.BatchID)
		}
	}
}
