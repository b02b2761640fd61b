package storetest

import (
	"context"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/filltest"
)

// unicode is text with characters of several scripts, as callers may send it.
const unicode = filltest.Unicode

// claim returns a claim with every part that a claim can have, n microseconds
// after the start of the test.
func (b *scoped) claim(n int) *claim.Claim {
	day := billing.Date{Year: 2026, Month: 5, Day: 4}
	at := b.now.Add(time.Duration(n) * time.Microsecond)
	control := id[billing.ClaimID]().String()
	return &claim.Claim{
		ID: id[billing.ClaimID](), Scope: b.scope, Kind: claim.KindClaim,
		Frequency: claim.FrequencyReplacement, PatientControlNumber: control[len(control)-20:],
		RequestID: id[billing.RequestID](), CreatedAt: at,
		Content: claim.Content{
			OfficeID: id[billing.OfficeID](), Payer: b.payer(), ProviderID: id[billing.ProviderID](),
			PatientID: id[billing.PatientID](),
			Subscriber: claim.Subscriber{
				FirstName: unicode, LastName: "B", DateOfBirth: billing.Date{Year: 1980, Month: 2, Day: 29}, MemberID: "M", GroupNumber: "G",
				Gender:  claim.GenderFemale,
				Address: directory.Address{Line1: "1 Main St", Line2: "#2", City: "Austin", State: "TX", ZIP: "787010001"},
			},
			Patient: &claim.Patient{
				FirstName: "C", LastName: unicode, DateOfBirth: billing.Date{Year: 2015, Month: 1, Day: 2}, Relationship: coverage.RelationChild,
				Gender: claim.GenderUnknown,
			},
			PlaceOfService: "11", PriorAuthorization: "PA-1", Note: unicode,
			Accident: &claim.Accident{Type: "auto", Date: day.AddDays(-9), State: "TX"},
			Lines: []claim.Line{
				{
					ProcedureCode: "D2740", ServiceDate: day, Fee: 123456, Quantity: 2, Tooth: "3", Surfaces: []string{"M", "O"},
					OralCavity: []string{"10", "20"}, PriorPlacementDate: day.AddMonths(-60),
				},
				{
					ProcedureCode: "D0120", ServiceDate: day.AddDays(-2), Fee: -5, Quantity: 1, Teeth: []string{"1", "A"}, Modifiers: []string{"22"},
					DiagnosisPointers: []int{1, 2}, Prosthesis: claim.ProsthesisInitial, PlaceOfService: "31", ProviderID: id[billing.ProviderID](),
				},
			},
			TenantReference: new(unicode), EstimateID: id[billing.EstimateID](),
			Coverage: billing.SequenceSecondary,
			OtherCoverage: []claim.OtherCoverage{{
				Sequence: billing.SequencePrimary, Payer: b.payer(), Relationship: coverage.RelationSpouse, FilingIndicator: "12",
				Subscriber: claim.Subscriber{
					FirstName: "A", MiddleName: "B", LastName: "C", Suffix: "JR", MemberID: "M2", GroupNumber: "G2", GroupName: unicode,
					Address: directory.Address{Line1: "2 Main St", City: "Austin", State: "TX", ZIP: "78701"},
				},
				Adjudication: &claim.CoverageAdjudication{
					PaymentDate: day, PayerClaimNumber: "P-1", Paid: 64_00, Adjustments: []remit.Adjustment{{Group: "OA", Reason: "23", Amount: 1}},
					Lines: []claim.CoverageLine{{
						LineNumber: 1, ProcedureCode: "D2750", Paid: 64_00, Units: 1,
						Adjustments: []remit.Adjustment{{Group: "PR", Reason: "2", Amount: 16_00, Quantity: "2"}},
					}},
				},
			}},
			Details: claim.Details{
				PredeterminationNumber: "PRE-1", ReferralNumber: "R-1", MissingTeeth: []string{"1", "16"}, TeethToExtract: []string{"17"},
				ReferringProvider: &claim.ReferringProvider{FirstName: "A", LastName: unicode, NPI: "1234567893"},
				Facility:          &claim.Facility{Name: unicode, NPI: "1234567893", Address: directory.Address{Line1: "3 Main St"}},
				Orthodontics:      &claim.Orthodontics{TotalMonths: 24, MonthsRemaining: 18, ApplianceDate: day},
				DiagnosisCodes:    []string{"K021"}, PatientPaid: 50_00, PaysPatient: true, NotAccepted: true, Release: claim.ReleaseInformed,
			},
		},
		Progress: claim.Progress{State: claim.Validated, UpdatedAt: at.Add(time.Hour)},
	}
}

func (b *scoped) payer() directory.PayerSummary {
	return directory.PayerSummary{ID: id[billing.PayerID](), PayerID: "CHTEST", Name: "Molar Test Payer"}
}

func (b *scoped) insertClaim(c *claim.Claim) error {
	return b.try(c.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, c) })
}

// testClaims stores a claim with every field, and a draft with few.
func testClaims(b *scoped) {
	t := b.t
	draft := b.claim(2)
	*draft = claim.Claim{
		ID: draft.ID, Scope: b.scope, Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal,
		PatientControlNumber: draft.PatientControlNumber, CreatedAt: draft.CreatedAt,
		Content:  claim.Content{OfficeID: draft.OfficeID, Payer: draft.Payer},
		Progress: claim.Progress{State: claim.Draft, UpdatedAt: draft.UpdatedAt},
	}
	for _, c := range append(b.filledClaims(), b.claim(0), draft) {
		if err := b.insertClaim(c); err != nil {
			t.Fatal(err)
		}
		got := b.getClaim(c.ID)
		equal(t, "claim", got.Claim, c)
		equal(t, "the names of absent rows", got.OfficeName+got.Provider.LastName, "")
	}
	b.absent("an absent claim", func(ctx context.Context, tx ports.Tx) (any, error) { return tx.Claims.Get(ctx, id[billing.ClaimID]()) })
}

// testControlNumbers uses one control number again, in another case and in
// other scopes.
func testControlNumbers(b *scoped) {
	t := b.t
	c := b.claim(0)
	c.PatientControlNumber = "Abc-1"
	if err := b.insertClaim(c); err != nil {
		t.Fatal(err)
	}
	again := b.claim(1)
	again.PatientControlNumber = strings.ToLower(c.PatientControlNumber)
	wantCode(t, "the same number", b.insertClaim(again), billing.CodeConflict)
	for _, other := range b.others() {
		again.Scope = other
		if err := b.insertClaim(again); err != nil {
			t.Errorf("the number in another scope: %v", err)
		}
		again.ID = id[billing.ClaimID]()
	}
}
