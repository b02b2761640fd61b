package wire

import (
	"database/sql"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/testservers"
)

// TestAgeOfWhatHasNotLeft shows how long the oldest live claim and the oldest live batch wait.
func TestAgeOfWhatHasNotLeft(t *testing.T) {
	t.Parallel()
	database := testservers.Database(t)
	if err := pgstore.Migrate(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	begin(t, database, 1)
	s := startService(t, database, 1, RoleAPI)
	ages := func() (claims, batches int) {
		t.Helper()
		_, metrics := status(t, s.ops+"/metrics")
		for kind, age := range map[string]*int{"claim": &claims, "batch": &batches} {
			m := regexp.MustCompile(fmt.Sprintf(`molar_unsent_oldest_seconds\{what="%s"\} (\S+)`, kind)).FindStringSubmatch(metrics)
			if m == nil {
				t.Fatalf("no age of a %s in %s", kind, metrics)
			}
			f, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			*age = int(f)
		}
		return claims, batches
	}
	if claims, batches := ages(); claims != 0 || batches != 0 {
		t.Errorf("without claims the ages are %d and %d", claims, batches)
	}
	db, err := sql.Open("postgres", database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), `
INSERT INTO batches (id, org_id, mode, state, name, interchange_number, group_number, transaction_number, number, claim_count, result, acknowledgement, created_at, content)
VALUES (gen_random_uuid(), gen_random_uuid(), 'live', 'pending', 'b', '1', '1', '1', '1', 1, '', '', now() - interval '2 hours', '')`); err != nil {
		t.Fatal(err)
	}
	if claims, batches := ages(); claims != 0 || batches < 2*60*60 {
		t.Errorf("the oldest batch was cut two hours ago: the ages are %d and %d", claims, batches)
	}
}
