package report_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/report"
)

// TestOwed says what a patient owes of a claim of 100.00.
func TestOwed(t *testing.T) {
	t.Parallel()
	billed := []claim.AcceptedOpen{{As: claim.AcceptBillPatient, Lines: []claim.LineAmount{{Number: 1, Amount: 50_00}}}}
	for name, test := range map[string]struct {
		change func(*claim.Claim)
		owed   billing.Money
	}{
		"what the payer leaves":                  {func(*claim.Claim) {}, 20_00},
		"less what is paid":                      {func(c *claim.Claim) { c.PatientPaid = 5_00 }, 15_00},
		"never below nothing":                    {func(c *claim.Claim) { c.PatientPaid = 90_00 }, 0},
		"with what was billed":                   {func(c *claim.Claim) { c.Accepted = billed }, 70_00},
		"less what was paid after it was billed": {func(c *claim.Claim) { c.Accepted, c.Standing.Paid = billed, 60_00 }, 40_00},
		"once for two payers":                    {func(c *claim.Claim) { c.SecondaryTo = billing.ClaimID{15: 1} }, 0},
		"nothing while it is replaced":           {func(c *claim.Claim) { c.State = claim.Submitted }, 0},
	} {
		c := &claim.Claim{Kind: claim.KindClaim, Content: claim.Content{Lines: []claim.Line{{Fee: 100_00}}}}
		c.State, c.Standing = claim.Reconciled, &claim.Standing{Paid: 30_00, PatientResponsibility: 20_00}
		test.change(c)
		if f := report.FiguresOf(c); f.Owed != test.owed {
			t.Errorf("%s: %s, want %s", name, f.Owed, test.owed)
		}
	}
	if f := report.FiguresOf(&claim.Claim{Kind: claim.KindPredetermination}); f != nil {
		t.Errorf("a predetermination has %+v", f)
	}
}

// TestAges wants each day in one age.
func TestAges(t *testing.T) {
	t.Parallel()
	today := billing.Date{Year: 2026, Month: time.March, Day: 1}
	for days, want := range map[int]int{-1: 0, 0: 0, 30: 0, 31: 1, 60: 1, 61: 2, 91: 3, 120: 3, 121: 4, 900: 4} {
		day := today.AddDays(-days)
		for i, age := range report.Ages(today) {
			in := (age.From.IsZero() || !day.Before(age.From)) && (age.To.IsZero() || !age.To.Before(day))
			if in != (i == want) {
				t.Errorf("%d days are in age %d: %t", days, i, in)
			}
		}
	}
}

// TestZone has a month whose days have other lengths in Los Angeles than in UTC.
func TestZone(t *testing.T) {
	t.Parallel()
	november := billing.DateSpan{From: billing.Date{Year: 2026, Month: time.November, Day: 1}, To: billing.Date{Year: 2026, Month: time.November, Day: 30}}
	at := time.Date(2026, 12, 1, 7, 59, 59, 0, time.UTC)
	for zone, want := range map[string]string{
		"":                    "2026-11-01T00:00:00Z 2026-12-01T00:00:00Z 2026-12-01",
		"America/Los_Angeles": "2026-11-01T07:00:00Z 2026-12-01T08:00:00Z 2026-11-30", // summer time ends on the first
		"Pacific/Guam":        "2026-10-31T14:00:00Z 2026-11-30T14:00:00Z 2026-12-01",
	} {
		f := report.Filter{By: report.BySubmission, Span: november, Zone: zone}
		c := f.Claims()
		if got := c.SentFrom.UTC().Format(time.RFC3339) + " " + c.SentTo.UTC().Format(time.RFC3339) + " " + f.Today(at).String(); got != want {
			t.Errorf("%q: %s, want %s", zone, got, want)
		}
	}
}
