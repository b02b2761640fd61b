package intake_test

import (
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/intake"
)

// TestServiceBeforeBirth asks about a service of a patient who was not born yet.
func TestServiceBeforeBirth(t *testing.T) {
	t.Parallel()
	today := billing.Date{Year: 2026, Month: 3, Day: 20}
	for name, c := range map[string]struct {
		subscriber, patient, service string
		want                         []string
	}{
		"the subscriber":       {"2026-03-10", "", "2026-03-09", []string{"service_date range"}},
		"on the first day":     {"2026-03-10", "", "2026-03-10", nil},
		"a dependent":          {"1990-01-01", "2026-03-10", "2026-03-09", []string{"service_date range"}},
		"before a young guard": {"2026-03-10", "2020-03-10", "2026-03-09", nil},
	} {
		r := intake.EligibilityRequest{
			OfficeID: billing.OfficeID{1}.String(), PayerID: "CHTEST", ServiceDate: &c.service,
			Subscriber: intake.SubscriberInput{FirstName: "Sam", LastName: "Example", MemberID: "M1", DateOfBirth: c.subscriber},
		}
		if c.patient != "" {
			r.Patient = &intake.PatientInput{FirstName: "Kim", LastName: "Example", DateOfBirth: c.patient, Relationship: "child"}
		}
		if _, _, _, f := r.Inquiry(today); !slices.Equal(found(f), c.want) {
			t.Errorf("%s: faults %v, want %v", name, found(f), c.want)
		}
	}
}
