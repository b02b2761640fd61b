package claim_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
)

func advised(r *claim.Record) []advice.Advice {
	open, _ := r.Advice()
	return open
}

// TestAdvice advises about a claim in each state, until a document fits.
func TestAdvice(t *testing.T) {
	t.Parallel()
	r := &claim.Record{Claim: &claim.Claim{Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal}}
	r.Lines = []claim.Line{{ProcedureCode: "d2740"}}
	r.Rules = []*advice.Rule{
		{When: advice.Always, Needs: []advice.Need{advice.XRay, advice.Narrative}},
		{When: advice.Rejected, Needs: []advice.Need{advice.Photo}},
		{When: advice.Secondary, Needs: []advice.Need{advice.PrimaryDecision}},
	}
	want := map[claim.State]int{claim.Draft: 2, claim.Validated: 2, claim.NeedsAttention: 2, claim.Queued: 2, claim.Rejected: 3}
	for _, state := range claim.States() {
		r.State = state
		if n := len(advised(r)); n != want[state] {
			t.Errorf("%s: %d advices, want %d", state, n, want[state])
		}
	}
	r.State, r.BatchID = claim.Queued, billing.FileID{1}
	if n := len(advised(r)); n != 0 {
		t.Errorf("in a batch: %d advices", n)
	}
	r.Lines[0].Fee, r.Standing = 100_00, &claim.Standing{OpenReason: claim.OpenRefused}
	for state, want := range map[claim.State]int{claim.Denied: 2, claim.Paid: 2, claim.Reconciled: 0, claim.AcceptedPayer: 0} {
		if r.State = state; len(advised(r)) != want {
			t.Errorf("%s, with a part that the payer refuses: %+v", state, advised(r))
		}
	}
	r.State, r.Standing.Contractual = claim.Denied, 100_00
	if n := len(advised(r)); n != 0 {
		t.Errorf("denied, and nothing is open: %d advices", n)
	}
	r.State, r.BatchID, r.Standing = claim.Validated, billing.FileID{}, nil

	by := caller.Principal{ID: "usr_1"}
	r.IgnoreAdvice(map[advice.Code]string{"xray_missing": "Sent by mail.", "photo_missing": "None."}, by, noon)
	r.IgnoreAdvice(map[advice.Code]string{"xray_missing": "Sent by portal."}, by, evening)
	if _, all := r.Advice(); len(all) != 1 || all[0] != (advice.Ignored{Code: "xray_missing", Reason: "Sent by portal.", By: "usr_1", At: evening}) {
		t.Errorf("ignored %+v", all)
	}
	if n := len(r.History); n != 2 || r.History[0].Cause != "advice_ignored" || r.History[0].Note != "Sent by mail." || r.State != claim.Validated {
		t.Errorf("the history is %+v", r.History)
	}

	r.Attachments = []*attachment.Attachment{{Kind: attachment.Solicited, Narrative: "x", Documents: []*attachment.Document{{Type: "11"}}}}
	if n := len(advised(r)); n != 2 {
		t.Errorf("with the answer to a request: %d advices", n)
	}
	r.Attachments = append(r.Attachments, &attachment.Attachment{Kind: attachment.Unsolicited, Documents: []*attachment.Document{{Type: "11"}}})
	if all := advised(r); len(all) != 1 || all[0].Code != "narrative_missing" {
		t.Errorf("with an X-ray: %+v", all)
	}
	r.Note = "Tooth 14 is fractured."
	if n := len(advised(r)); n != 0 {
		t.Errorf("with a note: %d advices", n)
	}
	r.Coverage = billing.SequenceSecondary
	if all := advised(r); len(all) != 1 || all[0].Code != "primary_decision_missing" {
		t.Errorf("to the secondary payer: %+v", all)
	}
	r.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequencePrimary, Adjudication: &claim.CoverageAdjudication{Lines: []claim.CoverageLine{{}}}}}
	if n := len(advised(r)); n != 0 {
		t.Errorf("with the decision: %d advices", n)
	}
	r.Coverage, r.Note, r.Frequency = billing.SequencePrimary, "", claim.FrequencyVoid
	if n := len(advised(r)); n != 0 {
		t.Errorf("a void: %d advices", n)
	}
}
