package pgstore_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
)

// TestThroughPgBouncer migrates a database, admits the service and makes checks through
// PgBouncer in session mode. The second store gets server connections that the first
// one used. The store's settings hold on each, and a check takes no more round trips.
func TestThroughPgBouncer(t *testing.T) {
	t.Parallel()
	direct := testservers.Database(t)
	through := testservers.StartPgBouncer(t, direct, pgtest.Service(t, direct))
	owner, service := through[0], through[1]
	if err := pgstore.Migrate(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	if err := pgstore.Admit(t.Context(), owner, service); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s := openCounted(t, service)
		if got := s.ofCheck(t); got["round trips"] != 7 {
			t.Errorf("a fresh check takes %v, want 7 round trips", got)
		}
		for setting, want := range map[string]string{
			"statement_timeout": "15s", "idle_in_transaction_session_timeout": "15s", "plan_cache_mode": "force_generic_plan", "TimeZone": "UTC",
		} {
			if got, err := s.Setting(t.Context(), setting); err != nil || got != want {
				t.Errorf("%s is %q, %v; want %q", setting, got, err, want)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSettingsOfTheURL keeps the settings that the operator chose, and says which one
// there is not.
func TestSettingsOfTheURL(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := pgtest.OpenAt(t, url+"&statement_timeout=7s&work_mem=5MB")
	for setting, want := range map[string]string{"statement_timeout": "7s", "work_mem": "5MB", "lock_timeout": "5s"} {
		if got, err := s.Setting(t.Context(), setting); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", setting, got, err, want)
		}
	}
	_, err := pgstore.Open(t.Context(), pgstore.Options{URL: url + "&statement_timout=7s"})
	if err == nil || !strings.Contains(err.Error(), `unrecognized configuration parameter "statement_timout"`) {
		t.Errorf("a setting that there is not: %v", err)
	}
}
