package billing_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports/storetest"
)

// filledClaim is a claim of which every field has a value. The claim and its
// predetermination have the same fields.
func filledClaim(t *testing.T, kind billing.ClaimKind) *billing.ClaimRecord {
	t.Helper()
	c := storetest.Filled[billing.Claim](t)
	c.Kind, c.State, c.Frequency = kind, billing.ClaimAcceptedPayer, billing.FrequencyOriginal
	return &billing.ClaimRecord{
		Claim: &c, OfficeName: "Main Street", Provider: billing.ProviderSummary{ID: c.ProviderID, FirstName: "Ann", LastName: "Lee", NPI: "1234567893"},
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
	c, content := filledClaim(t, billing.KindClaim), storetest.Filled[billing.ClaimContent](t)
	before := *c.Claim
	if _, err := c.Replace(content, evening); err != nil {
		t.Fatal(err)
	}
	wantDiffering(t, "content", c.ClaimContent, content)
	wantDiffering(t, "progress", c.ClaimProgress, before.ClaimProgress, "State", "Findings", "BatchID", "History", "UpdatedAt")
	wantDiffering(t, "claim", *c.Claim, before, "Frequency", "ClaimContent", "ClaimProgress")
}

// A void repeats the content of its claim, and makes a progress of its own.
func TestAVoidRepeatsAllOfTheContent(t *testing.T) {
	t.Parallel()
	c := filledClaim(t, billing.KindClaim)
	v, _, err := c.Void(billing.ClaimID{15: 9}, "VOID-1", billing.RequestID{15: 8}, evening)
	if err != nil {
		t.Fatal(err)
	}
	wantDiffering(t, "content", v.ClaimContent, c.ClaimContent)
	wantDiffering(t, "progress", v.ClaimProgress, billing.ClaimProgress{}, "State", "PayerClaimNumber", "History", "UpdatedAt")
	wantDiffering(t, "claim", *v.Claim, *c.Claim,
		"ID", "Frequency", "ParentID", "ConvertedFrom", "SecondaryTo", "PatientControlNumber", "RequestID", "CreatedAt", "ClaimProgress")
	wantDiffering(t, "record", *v, *c, "Claim")
}

// A conversion takes the content with the lines that are done, and starts
// without any progress.
func TestAConversionTakesAllOfTheContent(t *testing.T) {
	t.Parallel()
	c := filledClaim(t, billing.KindPredetermination)
	c.ConvertedTo = billing.ClaimID{}
	days := map[int]billing.Date{2: {Year: 2026, Month: time.March, Day: 2}}
	next, err := c.Convert(billing.ClaimID{15: 9}, "N", days, billing.RequestID{15: 8}, evening)
	if err != nil {
		t.Fatal(err)
	}
	wantDiffering(t, "content", next.ClaimContent, c.ClaimContent, "Lines", "ClaimDetails")
	wantDiffering(t, "details", next.ClaimDetails, c.ClaimDetails, "PredeterminationNumber")
	if next.PredeterminationNumber != c.PayerClaimNumber {
		t.Errorf("the number of the predetermination is %q, want %q", next.PredeterminationNumber, c.PayerClaimNumber)
	}
	wantDiffering(t, "the line that is done", next.Lines[0], c.Lines[1], "ServiceDate")
	wantDiffering(t, "progress", next.ClaimProgress, billing.ClaimProgress{}, "UpdatedAt")
	wantDiffering(t, "claim", *next, *c.Claim,
		"ID", "Kind", "ParentID", "ConvertedFrom", "SecondaryTo", "PatientControlNumber", "RequestID", "CreatedAt", "ClaimContent", "ClaimProgress")
}
