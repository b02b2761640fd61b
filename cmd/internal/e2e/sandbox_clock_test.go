package e2e_test

import (
	"testing"
)

// idTime is the SQL for the time in an ID.
const idTime = "to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)"

// TestAnOrganizationAhead makes checks, and claims of every ending, in an organization
// whose clock is half a year ahead, beside one that never touched its clock. All of the
// first ends as it should, at its own time and with IDs of real time; the other has real
// time.
func TestAnOrganizationAhead(t *testing.T) {
	t.Parallel()
	s := startGuest(t, 2, 2, "MOLAR_BATCH_INTERVAL=500ms", "MOLAR_SANDBOX_ERA_DELAY=1s")
	s.eras = s.spawn("eraworker", 1)
	s.provide()
	here := tenant{s.office, s.key}
	ahead := s.tenant("Ahead Dental", "1679576722")
	if _, err := s.db.Exec("INSERT INTO sandbox_clocks (org_id, ahead) SELECT id, '200 days' FROM organizations WHERE name = 'Ahead Dental'"); err != nil {
		t.Fatal(err)
	}
	s.office, s.key = ahead.office, ahead.key
	s.provide()
	var made []madeClaim
	for n := range claimFates {
		m, ok := s.makeClaim(t.Context(), n)
		if !ok {
			t.Fatalf("claim %d was not made", n)
		}
		made = append(made, m)
	}
	for n := range 3 {
		if _, ok := s.answered(t.Context(), n); !ok {
			t.Fatalf("check %d was not answered", n)
		}
	}
	s.verifyClaims(made)
	s.office, s.key = here.office, here.key
	if _, ok := s.answered(t.Context(), 1); !ok {
		t.Fatal("the check of the other organization was not answered")
	}
	if _, ok := s.makeClaim(t.Context(), 0); !ok {
		t.Fatal("the claim of the other organization was not made")
	}
	await(t, "the end of all work", func() bool { return s.count(claimWork) == 0 })
	for _, table := range []string{"claims", "(SELECT * FROM events WHERE type NOT LIKE 'api_key.%')", "eligibility_checks", "batches", "eras", "payer_requests", "patients", "acknowledgements"} {
		at := "created_at"
		if table == "eras" || table == "acknowledgements" {
			at = "received_at"
		}
		rows := "SELECT count(*) FROM " + table + " v JOIN organizations o ON o.id = v.org_id AND o.name "
		if n := s.count(rows + "= 'Ahead Dental'"); n == 0 {
			t.Errorf("%s: the organization that is ahead has none", table)
		}
		if n := s.count(rows + "= 'Ahead Dental' WHERE v." + at + " NOT BETWEEN now() + '199 days' AND now() + '201 days'"); n != 0 {
			t.Errorf("%s: %d rows do not have the time of the organization that is ahead", table, n)
		}
		if n := s.count(rows + "<> 'Ahead Dental' WHERE v." + at + " > now()"); n != 0 {
			t.Errorf("%s: %d rows of the other organization are ahead", table, n)
		}
		if n := s.count("SELECT count(*) FROM (SELECT " + idTime + " AS at FROM " + table + " t) v WHERE at NOT BETWEEN now() - interval '1 hour' AND now() + interval '1 minute'"); n != 0 {
			t.Errorf("%s: %d IDs do not have real time", table, n)
		}
	}
	s.none(map[string]string{
		"uses of keys that do not have real time": "SELECT count(*) FROM idempotency_keys WHERE created_at > now()",
		"requests that do not have real time":     "SELECT count(*) FROM requests WHERE created_at > now()",
		"audit entries without real time":         "SELECT count(*) FROM audit_entries WHERE created_at > now()",
	})
}
