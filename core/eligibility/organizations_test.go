package eligibility_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestOrganizationsAtOnce answers checks of five organizations at the same time, so that they share transactions. All are
// about people of the same name and date of birth.
func TestOrganizationsAtOnce(t *testing.T) {
	t.Parallel()
	b, _ := newFixture(t, eligibility.DefaultTimes())
	const organizations, checks = 5, 6
	for n := range organizations {
		if n > 0 {
			b.scope = porttest.Organization(t, b.store, billing.ModeTest)
			b.office = porttest.Office(t, b.store, b.scope)
		}
		for i := range checks {
			in := b.request("-ACTIVE-FULL")
			in.Subscriber.MemberID = fmt.Sprintf("M%d%d-ACTIVE-FULL", n, i)
			key := fmt.Sprint("key ", i) // the same in each organization
			if _, _, err := b.impatient.Check(t.Context(), calling(b.scope, call(key)), in); billing.CodeOf(err) != billing.CodeTimeout {
				t.Fatalf("%v, want a pending check", err)
			}
		}
	}
	all := porttest.Due(t, b.store, 0)
	if len(all) != organizations*checks {
		t.Fatalf("%d jobs, want %d", len(all), organizations*checks)
	}
	for range 2 { // the second time, all are answered
		var answers sync.WaitGroup
		for _, j := range all {
			answers.Go(func() {
				if err := b.service.Answer(t.Context(), j); err != nil {
					t.Error(err)
				}
			})
		}
		answers.Wait()
	}
	patients := map[billing.PatientID]billing.Scope{}
	for _, j := range all {
		b.scope = j.Scope
		c := b.get(j)
		if c.State != coverage.CheckCompleted || c.Outcome != coverage.OutcomeAnswered || c.Scope != j.Scope || b.pending(j) {
			t.Errorf("%+v, its job is pending: %t", c, b.pending(j))
		}
		if events := b.events(c.ID); len(events) != 1 {
			t.Errorf("%d events, want one", len(events))
		}
		if of, seen := patients[c.PatientID]; seen && of != c.Scope {
			t.Errorf("%v and %v have one patient", of, c.Scope)
		}
		patients[c.PatientID] = c.Scope
		if sent := b.sent(j); len(sent) == 0 {
			t.Error("no messages")
		}
	}
	if len(patients) != organizations {
		t.Errorf("%d patients, want one in each organization", len(patients))
	}
}
