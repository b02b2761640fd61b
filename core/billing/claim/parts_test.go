package claim_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/contract"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/ports/filltest"
)

// filledClaim is a claim of which every field has a value. The claim and its
// predetermination have the same fields.
func filledClaim(t *testing.T, kind claim.Kind) *claim.Record {
	t.Helper()
	c := filltest.Filled[claim.Claim](t)
	c.Kind, c.State, c.Frequency = kind, claim.AcceptedPayer, claim.FrequencyOriginal
	c.ErasedAt = time.Time{}
	return &claim.Record{
		Claim: &c, OfficeName: "Main Street", Provider: claim.ProviderSummary{ID: c.ProviderID, FirstName: "Ann", LastName: "Lee", NPI: "1234567893"},
	}
}

// differing names the fields that two values of a struct do not share.
func differing(a, b any) (names []string) {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			names = append(names, x.Type().Field(i).Name)
		}
	}
	return names
}

func wantDiffering(t *testing.T, what string, got, want any, names ...string) {
	t.Helper()
	if fields := differing(got, want); !slices.Equal(fields, names) {
		t.Errorf("%s: %v differ, want %v", what, fields, names)
	}
}

// A replacement has another content. What the payer and its files know of the
// claim stays.
func TestAReplacementTakesAllOfTheContent(t *testing.T) {
	t.Parallel()
	c, content := filledClaim(t, claim.KindClaim), filltest.Filled[claim.Content](t)
	before := *c.Claim
	if _, err := c.Replace(content, evening); err != nil {
		t.Fatal(err)
	}
	wantDiffering(t, "content", c.Content, content)
	wantDiffering(t, "progress", c.Progress, before.Progress, "State", "Findings", "BatchID", "Shown", "History", "UpdatedAt")
	wantDiffering(t, "claim", *c.Claim, before, "Frequency", "Content", "Progress")
}

// A void repeats the content of its claim, and makes a progress of its own.
func TestAVoidRepeatsAllOfTheContent(t *testing.T) {
	t.Parallel()
	c := filledClaim(t, claim.KindClaim)
	v, _, err := c.Void(billing.ClaimID{15: 9}, "VOID-1", billing.RequestID{15: 8}, evening)
	if err != nil {
		t.Fatal(err)
	}
	wantDiffering(t, "content", v.Content, c.Content)
	wantDiffering(t, "progress", v.Progress, claim.Progress{}, "State", "PayerClaimNumber", "Contract", "History", "UpdatedAt")
	if zone := c.Contract.Limits.Zone; zone == "" || !reflect.DeepEqual(v.Contract, contract.Contract{Limits: limit.Set{Zone: zone}}) {
		t.Errorf("the void has the contract %+v, want the zone %q", v.Contract, zone)
	}
	wantDiffering(t, "claim", *v.Claim, *c.Claim,
		"ID", "Frequency", "ParentID", "ConvertedFrom", "SecondaryTo", "PatientControlNumber", "RequestID", "CreatedAt", "Edits", "Progress")
	wantDiffering(t, "record", *v, *c, "Claim")
}

// A conversion takes the content with the lines that are done, and starts
// without any progress.
func TestAConversionTakesAllOfTheContent(t *testing.T) {
	t.Parallel()
	c := filledClaim(t, claim.KindPredetermination)
	c.ConvertedTo = billing.ClaimID{}
	days := map[int]billing.Date{2: {Year: 2026, Month: time.March, Day: 2}}
	next, err := c.Convert(billing.ClaimID{15: 9}, "N", days, billing.RequestID{15: 8}, evening)
	if err != nil {
		t.Fatal(err)
	}
	wantDiffering(t, "content", next.Content, c.Content, "Lines", "Details")
	wantDiffering(t, "details", next.Details, c.Details, "PredeterminationNumber")
	if next.PredeterminationNumber != c.PayerClaimNumber {
		t.Errorf("the number of the predetermination is %q, want %q", next.PredeterminationNumber, c.PayerClaimNumber)
	}
	wantDiffering(t, "the line that is done", next.Lines[0], c.Lines[1], "ServiceDate")
	wantDiffering(t, "progress", next.Progress, claim.Progress{}, "UpdatedAt")
	wantDiffering(t, "claim", *next, *c.Claim,
		"ID", "Kind", "ParentID", "ConvertedFrom", "SecondaryTo", "PatientControlNumber", "RequestID", "CreatedAt", "Edits", "Content", "Progress")
}
