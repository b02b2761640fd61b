package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestShowPatient prints a patient of whom nothing else is known, and names one that is not there.
func TestShowPatient(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeTest)
	made := time.Now()
	born := billing.Date{Year: 1984, Month: 2, Day: 29}
	person, ok := directory.NewPerson(scope, "Sam", "Example", born, billing.RealAt(made), made)
	if !ok {
		t.Fatal("no person")
	}
	porttest.In(t, store, scope, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Patients.Find(ctx, []directory.Person{person})
		return err
	})
	s := claims.New(audit.Operated{Store: store}, routing.New(), porttest.Payers(t))
	show := func(id billing.PatientID) (string, error) {
		c := New(Backend{Claims: func(context.Context) (*claims.Service, func() error, error) {
			return s, func() error { return nil }, nil
		}})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetErr(&out)
		c.SetArgs([]string{"patients", "show", id.String(), "--org", scope.Org.String(), "--mode", "test", "--as", "ann"})
		err := c.ExecuteContext(t.Context())
		return out.String(), err
	}
	out, err := show(person.ID)
	if want := "Sam Example, born 1984-02-29, owes 0.00\n\nNo plan is known.\n\nNo checks.\n\nNo estimates.\n\nNo claims.\n"; err != nil || out != want {
		t.Errorf("%v: %q, want %q", err, out, want)
	}
	absent := billing.PatientID{1}
	if _, err := show(absent); err == nil || !strings.Contains(err.Error(), "has no patient "+absent.String()+" in test mode") {
		t.Errorf("an absent patient: %v", err)
	}
}
