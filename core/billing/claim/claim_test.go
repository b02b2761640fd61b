package claim_test

import (
	"regexp"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// claim is one with a dependent and two services.
func newClaim() *claim.Claim {
	return &claim.Claim{
		ID: billing.ClaimID{15: 12}, PatientControlNumber: "PCN-1",
		Content: claim.Content{
			OfficeID: billing.OfficeID{15: 3},
			Subscriber: claim.Subscriber{
				FirstName: "Jane", LastName: "Roe", DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12}, MemberID: "W1",
			},
			Patient: &claim.Patient{
				FirstName: "Kim", LastName: "Poe", DateOfBirth: billing.Date{Year: 2016, Month: 5, Day: 6}, Relationship: coverage.RelationChild,
			},
			Lines: []claim.Line{
				{ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 9}, Fee: 12_50, Quantity: 2},
				{ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 2}, Fee: 100_00, Quantity: 1},
			},
		},
	}
}

func record(c *claim.Claim) *claim.Record { return &claim.Record{Claim: c} }

func TestTheSubjectOfAClaim(t *testing.T) {
	t.Parallel()
	c := newClaim()
	want := attachment.Subject{
		Patient:    attachment.Patient{FirstName: "Kim", LastName: "Poe", DateOfBirth: billing.Date{Year: 2016, Month: 5, Day: 6}},
		Subscriber: attachment.Subscriber{FirstName: "Jane", LastName: "Roe", MemberID: "W1", Relationship: coverage.RelationChild},
		ServiceDates: billing.DateSpan{
			From: billing.Date{Year: 2026, Month: 3, Day: 2}, To: billing.Date{Year: 2026, Month: 3, Day: 9},
		},
	}
	if got := c.Subject(); got != want {
		t.Errorf("subject %+v, want %+v", got, want)
	}
	c.Patient = nil
	want.Patient = attachment.Patient{FirstName: "Jane", LastName: "Roe", DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12}}
	want.Subscriber.Relationship = coverage.RelationSelf
	if got := c.Subject(); got != want {
		t.Errorf("subject %+v, want %+v", got, want)
	}
}

func TestTheDatesAndTheChargeOfAClaim(t *testing.T) {
	t.Parallel()
	d := func(day int) claim.Line {
		return claim.Line{ServiceDate: billing.Date{Year: 2026, Month: 3, Day: day}, Fee: 33_33}
	}
	undated := claim.Line{Fee: 1}
	span := func(from, to int) billing.DateSpan {
		return billing.DateSpan{From: d(from).ServiceDate, To: d(to).ServiceDate}
	}
	for name, c := range map[string]struct {
		lines  []claim.Line
		span   billing.DateSpan
		charge billing.Money
	}{
		"no line":             {nil, billing.DateSpan{}, 0},
		"a predetermination":  {[]claim.Line{undated, undated}, billing.DateSpan{}, 2},
		"one day":             {[]claim.Line{d(5)}, span(5, 5), 33_33},
		"up":                  {[]claim.Line{d(5), d(7), d(9)}, span(5, 9), 99_99},
		"down, and the same":  {[]claim.Line{d(9), d(5), d(5)}, span(5, 9), 99_99},
		"some without a date": {[]claim.Line{undated, d(9), undated, d(5), undated}, span(5, 9), 66_69},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := claim.Claim{Content: claim.Content{Lines: c.lines}}
			if got.ServiceDates() != c.span || got.Charge() != c.charge {
				t.Errorf("%+v and %d, want %+v and %d", got.ServiceDates(), got.Charge(), c.span, c.charge)
			}
		})
	}
}

func TestControlNumbersAreUnlikeEachOther(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-9A-Z]{20}$`)
	seen := map[string]bool{}
	for range 10_000 {
		n := claim.NewControlNumber(billing.NewID[billing.ClaimID](billing.RealAt(noon))) // all within a millisecond
		if !form.MatchString(n) || seen[n] {
			t.Fatalf("control number %q", n)
		}
		seen[n] = true
	}
}
