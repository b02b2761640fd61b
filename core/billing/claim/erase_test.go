package claim_test

import (
	"encoding/json"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

// TestEraseLeavesFigures erases a claim in which every field has a value: what is left of the content
// is named here, and a new field goes until it is.
func TestEraseLeavesFigures(t *testing.T) {
	t.Parallel()
	c := filledClaim(t, claim.KindClaim)
	was := *c.Claim
	if _, voided, err := c.Erase(caller.Principal{Type: caller.PrincipalOperator, ID: "ann"}, evening); err != nil || voided {
		t.Fatalf("voided %v, %v", voided, err)
	}
	wantDiffering(t, "claim", *c.Claim, was, "Edits", "Content", "Progress")
	wantDiffering(t, "content", c.Content, claim.Content{}, "OfficeID", "Payer", "ProviderID", "Coverage", "OtherCoverage", "PlaceOfService", "Lines", "Details")
	wantDiffering(t, "details", c.Details, claim.Details{}, "PatientPaid", "PaysPatient", "NotAccepted")
	wantDiffering(t, "other coverage", c.OtherCoverage[0], was.OtherCoverage[0], "Subscriber")
	wantDiffering(t, "line", c.Lines[0], was.Lines[0], "DiagnosisPointers")
	wantDiffering(t, "progress", c.Progress, was.Progress, "Findings", "Accepted", "Decisions", "Held", "Appealing", "Shown", "SubmitWhenReady", "History", "UpdatedAt", "ErasedAt")
	last := c.History[len(c.History)-1]
	if last.Cause != claim.TriggerErase || last.By != "ann" || last.State != was.State || c.Charge() != was.Charge() || c.Open() != was.Open() {
		t.Errorf("%+v, charge %s", last, c.Charge())
	}
	for _, m := range c.History {
		if m.Note != "" {
			t.Errorf("the note %q is left", m.Note)
		}
	}
	before, _ := json.Marshal(c.Claim) //nolint:musttag // as stored
	if _, _, err := c.Erase(caller.Principal{}, evening.Add(1)); err != nil {
		t.Error(err)
	}
	if after, _ := json.Marshal(c.Claim); string(after) != string(before) { //nolint:musttag // as stored
		t.Error("erasing it again changes it")
	}
	for what, refused := range map[string]error{
		"submit":  func() error { _, err := c.Submit(evening); return err }(),
		"replace": func() error { _, err := c.Replace(was.Content, evening); return err }(),
		"void": func() error {
			_, _, err := c.Void(billing.ClaimID{15: 9}, "V", billing.RequestID{}, evening)
			return err
		}(),
		"bill secondary": func() error {
			_, err := c.BillSecondary(billing.ClaimID{15: 9}, "S", claim.SecondPlan{}, true, billing.RequestID{}, evening)
			return err
		}(),
	} {
		if billing.CodeOf(refused) != billing.CodeConflict {
			t.Errorf("%s: %v", what, refused)
		}
	}
}

// TestErasedClaimIsPaid reviews and warns of a payment to an erased claim, which names the patient, as
// of one that does not.
func TestErasedClaimIsPaid(t *testing.T) {
	t.Parallel()
	c := newClaim()
	c.State, c.SentAt = claim.AcceptedPayer, evening
	if _, _, err := record(c).Erase(caller.Principal{}, evening); err != nil {
		t.Fatal(err)
	}
	b := books{Claim: c}
	entry := b.entry(remit.Claim{StatusCode: "1", Charge: 70_00, Paid: 30_00, Balanced: true, PatientFirstName: "ANN", PatientLastName: "LEE", MemberID: "W1"})
	l := c.Ledger(nil)
	if review := l.Review(entry, remit.MatchedByControlNumber); review != "" {
		t.Errorf("it needs review: %s", review)
	}
	if e, changed := c.Settle(l.With(entry), entry, claim.Cause{At: evening}); !changed || c.State != claim.Paid {
		t.Errorf("%s, %+v", c.State, e)
	}
}
