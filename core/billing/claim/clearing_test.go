package claim_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// A batch is named by its millisecond, and its numbers fit X12's nine digits
// whatever the serial number is.
func TestABatchFromItsMakingToItsResponse(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 20, 13, 4, 5, 67_999_999, time.FixedZone("", 3600))
	b := clearing.NewBatch(billing.Scope{Mode: billing.ModeTest}, "sandbox", 12_000_000_042, 3, billing.RealAt(at), at)
	n := b.File.ControlNumbers
	if b.File.Name != "20260320120405067.837" || n != (clearing.ControlNumbers{Interchange: "000000042", Group: "000000042", Transaction: "000000042"}) ||
		b.State != clearing.BatchPending || b.ClaimCount != 3 || b.ID.IsZero() || !b.CreatedAt.Equal(at) {
		t.Errorf("%+v", b)
	}
	b.File.Name = clearing.BatchTime(at.Add(time.Millisecond)) + ".837"
	if b.File.Name != "20260320120405068.837" {
		t.Error(b.File.Name)
	}
	if !b.Sent(evening) || b.Sent(evening.Add(1)) || b.State != clearing.BatchSent || !b.SentAt.Equal(evening) {
		t.Errorf("%+v", b)
	}
	if !b.Acknowledge(clearing.BatchRejected, "first.997", evening) || b.Acknowledge(clearing.BatchAccepted, "late.997", evening.Add(1)) || b.Sent(evening) {
		t.Error("the first answer does not stand")
	}
	if b.State != clearing.BatchAcknowledged || b.Result != clearing.BatchRejected || b.Acknowledgement != "first.997" || !b.AcknowledgedAt.Equal(evening) {
		t.Errorf("%+v", b)
	}
}

// Only the file that carries the claim now speaks for it.
func TestAnotherFileDoesNotMoveAClaim(t *testing.T) {
	t.Parallel()
	c := newClaim()
	c.Kind, c.State, c.BatchID = claim.KindClaim, claim.Queued, billing.FileID{15: 4}
	other := &clearing.Batch{ID: billing.FileID{15: 5}}
	if _, ok := c.Sent(other, evening); ok || c.State != claim.Queued || !c.SentAt.IsZero() {
		t.Error("sent with another file")
	}
	if _, ok := c.Sent(fileOf(c), evening); !ok || !c.SentAt.Equal(evening) {
		t.Error("not sent with its own")
	}
	if _, ok := c.FileRejected(other, nil, claim.Cause{At: evening}); ok || c.State != claim.Submitted {
		t.Error("queued again for another file")
	}
	if _, ok := c.FileRejected(fileOf(c), nil, claim.Cause{At: evening}); !ok || !c.BatchID.IsZero() {
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
		report  clearing.ClaimReport
		finding string // codes, fields and messages
		number  string
	}{
		"the payer rejects": {clearing.ClaimReport{
			Side: clearing.SidePayer, Outcome: clearing.ReportRejected, Status: clearing.ClaimStatus{Category: "A7", Code: "562"}, PayerClaimNumber: "P1",
		}, "status_rejected: The payer rejected the claim: invalid NPI (status A7:562).", "P1"},
		"the clearinghouse rejects, in words": {clearing.ClaimReport{
			Side: clearing.SideClearinghouse, Outcome: clearing.ReportRejected, PayerClaimNumber: "P1",
			Reasons: []clearing.ReportReason{{Status: clearing.ClaimStatus{Category: "A3"}, Words: "Bad ZIP."}},
		}, "status_rejected: The clearinghouse rejected the claim (status A3). Its message: Bad ZIP.", "P0"},
		"for several reasons": {clearing.ClaimReport{
			Side: clearing.SideClearinghouse, Outcome: clearing.ReportRejected, Reasons: []clearing.ReportReason{
				{Status: clearing.ClaimStatus{Category: "A6", Code: "128"}, Party: clearing.PartyOffice, Words: "No tax ID"},
				{Status: clearing.ClaimStatus{Category: "A7", Code: "500"}, Party: clearing.PartyPatient},
				{Status: clearing.ClaimStatus{Category: "A6", Code: "201"}, Party: clearing.PartyOffice, Line: 2},
				{Status: clearing.ClaimStatus{Category: "A6", Code: "21"}, Line: 3},
			},
		}, "status_rejected office_id: The clearinghouse rejected the claim: missing tax ID (status A6:128). Its message: No tax ID." +
			"; status_rejected patient: The clearinghouse rejected the claim: invalid ZIP code (status A7:500)." +
			"; status_rejected lines.1: The clearinghouse rejected the claim: missing date of the prior placement (status A6:201)." +
			"; status_rejected: The clearinghouse rejected the claim: missing or invalid information (status A6:21).", "P0"},
		"not found": {clearing.ClaimReport{
			Side: clearing.SidePayer, Outcome: clearing.ReportNotFound, Status: clearing.ClaimStatus{Category: "A4", Code: "35"},
		}, "status_not_found: The payer has no record of the claim (status A4:35).", "P0"},
		"accepted": {clearing.ClaimReport{Side: clearing.SidePayer, Outcome: clearing.ReportAccepted, PayerClaimNumber: "P2"}, "", "P2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClaim()
			c.State, c.PayerClaimNumber = claim.Submitted, "P0"
			if _, ok := c.Reported(&x.report, claim.Cause{At: evening}); !ok || c.PayerClaimNumber != x.number {
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
	c := newClaim()
	c.State = claim.AcceptedPayer
	for _, r := range []clearing.ClaimReport{{Side: clearing.SideClearinghouse, Outcome: clearing.ReportPending}, {Side: clearing.SidePayer}} {
		if _, ok := c.Reported(&r, claim.Cause{At: evening}); ok {
			t.Errorf("%+v is news", r)
		}
	}
}

// TestThePlaceOfARejection checks the field for each party of a claim.
func TestThePlaceOfARejection(t *testing.T) {
	t.Parallel()
	for party, want := range map[clearing.ClaimParty][2]string{ // with a patient, and without
		clearing.PartyOffice: {"office_id", "office_id"}, clearing.PartyRendering: {"rendering_provider_id", "rendering_provider_id"},
		clearing.PartySubscriber: {"subscriber", "subscriber"}, clearing.PartyPatient: {"patient", "subscriber"},
		clearing.PartyPayer: {"payer_id", "payer_id"}, "": {"", ""},
	} {
		for i, field := range want {
			c := newClaim()
			if c.State = claim.Submitted; i == 1 {
				c.Patient = nil
			}
			c.Reported(&clearing.ClaimReport{
				Side: clearing.SidePayer, Outcome: clearing.ReportRejected, Reasons: []clearing.ReportReason{{Party: party}},
			}, claim.Cause{At: evening})
			if len(c.Findings) != 1 || c.Findings[0].Field != field {
				t.Errorf("%q: %+v, want %q", party, c.Findings, field)
			}
		}
	}
}

// TestThePlaceOfAnotherPayer checks the field for the payers of a secondary claim.
func TestThePlaceOfAnotherPayer(t *testing.T) {
	t.Parallel()
	for why, want := range map[clearing.ReportReason]string{
		{Party: clearing.PartyPayer, Payer: billing.SequenceTertiary}:         "other_coverage.0",
		{Party: clearing.PartyPayer, Payer: billing.SequencePrimary}:          "other_coverage.1",
		{Party: clearing.PartyPayer, Payer: billing.SequencePrimary, Line: 2}: "other_coverage.1.adjudication.lines.0",
		{Party: clearing.PartyPayer, Payer: billing.SequencePrimary, Line: 1}: "other_coverage.1",
		{Party: clearing.PartyPayer, Payer: billing.SequenceSecondary}:        "payer_id",
		{Party: clearing.PartyPayer, Line: 1}:                                 "lines.0",
	} {
		c := newClaim()
		c.State, c.Coverage = claim.Submitted, billing.SequenceSecondary
		c.OtherCoverage = []claim.OtherCoverage{
			{Sequence: billing.SequenceTertiary},
			{Sequence: billing.SequencePrimary, Adjudication: &claim.CoverageAdjudication{Lines: []claim.CoverageLine{{LineNumber: 2}}}},
		}
		c.Reported(&clearing.ClaimReport{
			Side: clearing.SideClearinghouse, Outcome: clearing.ReportRejected, Reasons: []clearing.ReportReason{why},
		}, claim.Cause{At: evening})
		if len(c.Findings) != 1 || c.Findings[0].Field != want {
			t.Errorf("%+v: %+v, want %q", why, c.Findings, want)
		}
	}
}

// TestClaimsThatHaveRemittances: every claim that was sent, and no void.
func TestClaimsThatHaveRemittances(t *testing.T) {
	t.Parallel()
	payment, estimate := &remit.Claim{StatusCode: "1", Paid: 1}, &remit.Claim{StatusCode: "25"}
	for _, s := range claim.States() {
		one := func(kind claim.Kind, f claim.Frequency, sent time.Time) *claim.Record {
			return record(&claim.Claim{Kind: kind, Frequency: f, Progress: claim.Progress{State: s, SentAt: sent}})
		}
		bill, question := one(claim.KindClaim, "", evening), one(claim.KindPredetermination, "", evening)
		void, unsent := one(claim.KindClaim, claim.FrequencyVoid, evening), one(claim.KindClaim, "", time.Time{})
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
	e := remit.ERA{State: remit.NeedsReview, Stage: remit.Reading}
	if !e.Read(3, evening) || e.Read(3, evening.Add(1)) || !e.ReceivedAt.Equal(evening) || e.ClaimCount != 3 || e.Stage != remit.Applying {
		t.Errorf("%+v", e)
	}
	rows := make([]remit.Claim, 3)
	e.Move(&rows[0], remit.ClaimProgress{Status: remit.StatusApplied, ClaimID: billing.ClaimID{15: 1}})
	e.Move(&rows[1], remit.ClaimProgress{Status: remit.StatusUnmatched})
	if e.Unfinished() != 1 || e.MatchedCount != 1 {
		t.Errorf("%+v", e)
	}
	e.Stage = remit.Done // without the third
	if e.Unfinished() != 2 || !e.NeedsAttention() {
		t.Errorf("%+v", e.Counted())
	}
	if changed, err := e.Post(false, evening); changed || billing.CodeOf(err) != billing.CodeConflict || !strings.Contains(err.Error(), "2 unfinished claims") {
		t.Errorf("%v, %v", changed, err)
	}
	e.Move(&rows[1], remit.ClaimProgress{Status: remit.StatusIgnored})
	e.Move(&rows[2], remit.ClaimProgress{Status: remit.StatusForwarded, ClaimID: billing.ClaimID{15: 1}})
	for n, want := range []bool{true, false} {
		if changed, err := e.Post(false, evening.Add(time.Duration(n))); changed != want || err != nil || e.State != remit.Posted || !e.PostedAt.Equal(evening) {
			t.Errorf("%v, %v, %+v", changed, err, e)
		}
	}
	if !e.Unpost("usr") || e.Unpost("usr") || e.State != remit.NeedsReview || !e.PostedAt.IsZero() {
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
		frequency claim.Frequency
		between   claim.Trigger
		want      claim.State
		event     event.Type
	}{
		"test mode":        {billing.ModeTest, claim.FrequencyOriginal, "", claim.Queued, event.ClaimQueued},
		"live mode":        {billing.ModeLive, claim.FrequencyOriginal, "", claim.NeedsAttention, event.ClaimNeedsAttention},
		"a replacement":    {billing.ModeLive, claim.FrequencyReplacement, "", claim.NeedsAttention, event.ClaimNeedsAttention},
		"a void":           {billing.ModeLive, claim.FrequencyVoid, "", claim.Rejected, event.ClaimRejected},
		"submitted since":  {billing.ModeLive, claim.FrequencyOriginal, claim.TriggerSubmit, claim.Queued, event.ClaimQueued},
		"replaced since":   {billing.ModeLive, claim.FrequencyReplacement, claim.TriggerReplace, claim.Queued, event.ClaimQueued},
		"only sent since":  {billing.ModeLive, claim.FrequencyOriginal, claim.TriggerSend, claim.NeedsAttention, event.ClaimNeedsAttention},
		"a void made anew": {billing.ModeLive, claim.FrequencyVoid, claim.TriggerAskVoid, claim.Queued, event.ClaimQueued},
	} {
		c := newClaim()
		c.Kind, c.Scope.Mode, c.Frequency, c.State = claim.KindClaim, x.mode, x.frequency, claim.Queued
		file := func() *clearing.Batch {
			c.BatchID = billing.FileID{15: byte(len(c.History) + 1)}
			b := fileOf(c)
			if _, ok := c.Sent(b, evening); !ok {
				t.Fatalf("%s: not sent", name)
			}
			return b
		}
		if e, ok := c.FileRejected(file(), why, claim.Cause{At: evening}); !ok || e.Type != event.ClaimQueued || len(c.Findings) != 0 {
			t.Errorf("%s: after the first, %v, %s with %v", name, ok, e.Type, c.Findings)
		}
		if x.between != "" {
			c.History = append(c.History, claim.Move{State: claim.Queued, Cause: x.between})
		}
		b := file()
		e, ok := c.FileRejected(b, why, claim.Cause{At: evening})
		if !ok || c.State != x.want || e.Type != x.event {
			t.Errorf("%s: after the second, %v, %s, %s", name, ok, c.State, e.Type)
		}
		if x.want == claim.Queued {
			continue
		}
		if len(c.Findings) != 1 || c.Findings[0].Code != "file_rejected" || !strings.HasSuffix(c.Findings[0].Message, ": one; two; three; four; five.") || c.BatchID != b.ID {
			t.Errorf("%s: %+v of %s", name, c.Findings, c.BatchID)
		}
	}
}
