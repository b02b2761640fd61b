package billing_test

import (
	"regexp"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// claim is one with a dependent and two services.
func claim() *billing.Claim {
	return &billing.Claim{
		ID: billing.ClaimID{15: 12}, PatientControlNumber: "PCN-1",
		ClaimContent: billing.ClaimContent{
			OfficeID: billing.OfficeID{15: 3},
			Subscriber: billing.ClaimSubscriber{
				FirstName: "Jane", LastName: "Roe", DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12}, MemberID: "W1",
			},
			Patient: &billing.ClaimPatient{
				FirstName: "Kim", LastName: "Poe", DateOfBirth: billing.Date{Year: 2016, Month: 5, Day: 6}, Relationship: billing.RelationChild,
			},
			Lines: []billing.ClaimLine{
				{ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 9}, Fee: 12_50, Quantity: 2},
				{ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 2}, Fee: 100_00, Quantity: 1},
			},
		},
	}
}

func record(c *billing.Claim) *billing.ClaimRecord { return &billing.ClaimRecord{Claim: c} }

func TestTheSubjectOfAClaim(t *testing.T) {
	t.Parallel()
	c := claim()
	want := billing.AttachmentSubject{
		Patient:    billing.AttachmentPatient{FirstName: "Kim", LastName: "Poe", DateOfBirth: billing.Date{Year: 2016, Month: 5, Day: 6}},
		Subscriber: billing.AttachmentSubscriber{FirstName: "Jane", LastName: "Roe", MemberID: "W1", Relationship: billing.RelationChild},
		ServiceDates: billing.DateSpan{
			From: billing.Date{Year: 2026, Month: 3, Day: 2}, To: billing.Date{Year: 2026, Month: 3, Day: 9},
		},
	}
	if got := c.Subject(); got != want {
		t.Errorf("subject %+v, want %+v", got, want)
	}
	c.Patient = nil
	want.Patient = billing.AttachmentPatient{FirstName: "Jane", LastName: "Roe", DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12}}
	want.Subscriber.Relationship = billing.RelationSelf
	if got := c.Subject(); got != want {
		t.Errorf("subject %+v, want %+v", got, want)
	}
}

func TestTheDatesAndTheChargeOfAClaim(t *testing.T) {
	t.Parallel()
	d := func(day int) billing.ClaimLine {
		return billing.ClaimLine{ServiceDate: billing.Date{Year: 2026, Month: 3, Day: day}, Fee: 33_33}
	}
	undated := billing.ClaimLine{Fee: 1}
	span := func(from, to int) billing.DateSpan {
		return billing.DateSpan{From: d(from).ServiceDate, To: d(to).ServiceDate}
	}
	for name, c := range map[string]struct {
		lines  []billing.ClaimLine
		span   billing.DateSpan
		charge billing.Money
	}{
		"no line":             {nil, billing.DateSpan{}, 0},
		"a predetermination":  {[]billing.ClaimLine{undated, undated}, billing.DateSpan{}, 2},
		"one day":             {[]billing.ClaimLine{d(5)}, span(5, 5), 33_33},
		"up":                  {[]billing.ClaimLine{d(5), d(7), d(9)}, span(5, 9), 99_99},
		"down, and the same":  {[]billing.ClaimLine{d(9), d(5), d(5)}, span(5, 9), 99_99},
		"some without a date": {[]billing.ClaimLine{undated, d(9), undated, d(5), undated}, span(5, 9), 66_69},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := billing.Claim{ClaimContent: billing.ClaimContent{Lines: c.lines}}
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
		n := billing.NewControlNumber(billing.NewID[billing.ClaimID](noon)) // all within a millisecond
		if !form.MatchString(n) || seen[n] {
			t.Fatalf("control number %q", n)
		}
		seen[n] = true
	}
}
