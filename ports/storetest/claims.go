package storetest

import (
	"context"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// unicode is text with characters of several scripts, as callers may send it.
const unicode = "Zoë \"Q\" \\ <b>&amp; $1 %s '; -- \t\n\u007f\u0301\u2028\u202e\ufffd \U0001F9B7 歯科 \U0010FFFF"

// claim returns a claim with every part that a claim can have, n microseconds
// after the start of the test.
func (b *scoped) claim(n int) *billing.Claim {
	day := billing.Date{Year: 2026, Month: 5, Day: 4}
	at := b.now.Add(time.Duration(n) * time.Microsecond)
	control := id[billing.ClaimID]().String()
	return &billing.Claim{
		ID: id[billing.ClaimID](), Scope: b.scope, Kind: billing.KindClaim,
		Frequency: billing.FrequencyReplacement, PatientControlNumber: control[len(control)-20:],
		RequestID: id[billing.RequestID](), CreatedAt: at,
		ClaimContent: billing.ClaimContent{
			OfficeID: id[billing.OfficeID](), Payer: b.payer(), ProviderID: id[billing.ProviderID](),
			PatientID: id[billing.PatientID](),
			Subscriber: billing.ClaimSubscriber{
				FirstName: unicode, LastName: "B", DateOfBirth: billing.Date{Year: 1980, Month: 2, Day: 29}, MemberID: "M", GroupNumber: "G",
				Gender:  billing.GenderFemale,
				Address: billing.Address{Line1: "1 Main St", Line2: "#2", City: "Austin", State: "TX", ZIP: "787010001"},
			},
			Patient: &billing.ClaimPatient{
				FirstName: "C", LastName: unicode, DateOfBirth: billing.Date{Year: 2015, Month: 1, Day: 2}, Relationship: billing.RelationChild,
				Gender: billing.GenderUnknown,
			},
			PlaceOfService: "11", PriorAuthorization: "PA-1", Note: unicode,
			Accident: &billing.Accident{Type: "auto", Date: day.AddDays(-9), State: "TX"},
			Lines: []billing.ClaimLine{
				{
					ProcedureCode: "D2740", ServiceDate: day, Fee: 123456, Quantity: 2, Tooth: "3", Surfaces: []string{"M", "O"},
					OralCavity: []string{"10", "20"}, PriorPlacementDate: day.AddMonths(-60),
				},
				{
					ProcedureCode: "D0120", ServiceDate: day.AddDays(-2), Fee: -5, Quantity: 1, Teeth: []string{"1", "A"}, Modifiers: []string{"22"},
					DiagnosisPointers: []int{1, 2}, Prosthesis: billing.ProsthesisInitial, PlaceOfService: "31", ProviderID: id[billing.ProviderID](),
				},
			},
			TenantReference: new(unicode),
			Coverage:        billing.SequenceSecondary,
			OtherCoverage: []billing.OtherCoverage{{
				Sequence: billing.SequencePrimary, Payer: b.payer(), Relationship: billing.RelationSpouse, FilingIndicator: "12",
				Subscriber: billing.ClaimSubscriber{
					FirstName: "A", MiddleName: "B", LastName: "C", Suffix: "JR", MemberID: "M2", GroupNumber: "G2", GroupName: unicode,
					Address: billing.Address{Line1: "2 Main St", City: "Austin", State: "TX", ZIP: "78701"},
				},
				Adjudication: &billing.CoverageAdjudication{
					PaymentDate: day, PayerClaimNumber: "P-1", Paid: 64_00, Adjustments: []billing.Adjustment{{Group: "OA", Reason: "23", Amount: 1}},
					Lines: []billing.CoverageLine{{
						LineNumber: 1, ProcedureCode: "D2750", Paid: 64_00, Units: 1,
						Adjustments: []billing.Adjustment{{Group: "PR", Reason: "2", Amount: 16_00, Quantity: "2"}},
					}},
				},
			}},
			ClaimDetails: billing.ClaimDetails{
				PredeterminationNumber: "PRE-1", ReferralNumber: "R-1", MissingTeeth: []string{"1", "16"}, TeethToExtract: []string{"17"},
				ReferringProvider: &billing.ReferringProvider{FirstName: "A", LastName: unicode, NPI: "1234567893"},
				Facility:          &billing.Facility{Name: unicode, NPI: "1234567893", Address: billing.Address{Line1: "3 Main St"}},
				Orthodontics:      &billing.Orthodontics{TotalMonths: 24, MonthsRemaining: 18, ApplianceDate: day},
				DiagnosisCodes:    []string{"K021"}, PatientPaid: 50_00, PaysPatient: true, NotAccepted: true, Release: billing.ReleaseInformed,
			},
		},
		ClaimProgress: billing.ClaimProgress{State: billing.ClaimValidated, UpdatedAt: at.Add(time.Hour)},
	}
}

func (b *scoped) payer() billing.PayerSummary {
	return billing.PayerSummary{ID: id[billing.PayerID](), PayerID: "CHTEST", Name: "Molar Test Payer"}
}

func (b *scoped) insertClaim(c *billing.Claim) error {
	return b.try(c.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, c) })
}

// testClaims stores a claim with every field, and a draft with few.
func testClaims(b *scoped) {
	t := b.t
	draft := b.claim(2)
	*draft = billing.Claim{
		ID: draft.ID, Scope: b.scope, Kind: billing.KindClaim, Frequency: billing.FrequencyOriginal,
		PatientControlNumber: draft.PatientControlNumber, CreatedAt: draft.CreatedAt,
		ClaimContent:  billing.ClaimContent{OfficeID: draft.OfficeID, Payer: draft.Payer},
		ClaimProgress: billing.ClaimProgress{State: billing.ClaimDraft, UpdatedAt: draft.UpdatedAt},
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
