package e2e_test

import (
	"fmt"
	"testing"
	"time"
)

// manyPaid gives the only remittance so many claims that posting it takes six steps. Each is a copy of
// its only claim.
const manyPaid = `
DO $$
DECLARE
	target text;
	columns text;
BEGIN
	FOREACH target IN ARRAY ARRAY['claims', 'era_claims'] LOOP
		SELECT string_agg(quote_ident(attname), ', ') INTO columns
		FROM pg_attribute
		WHERE attrelid = target::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
		EXECUTE format('INSERT INTO %1$I (%2$s) SELECT %2$s FROM (
			SELECT (json_populate_record(c, CASE %1$L
				WHEN ''claims'' THEN json_build_object(''id'', md5(n::text)::uuid, ''patient_control_number'', ''COPY'' || n)
				ELSE json_build_object(''ordinal'', n + 1, ''claim_id'', md5(n::text)::uuid) END)).*
			FROM %1$I c CROSS JOIN generate_series(1, 1500) n
		) copies', target, columns);
	END LOOP;
	UPDATE eras SET claim_count = 1501, matched_count = 1501, applied_count = 1501;
END
$$`

// TestPostingThroughKills kills the processes that reconcile the claims of a posted remittance between
// their steps, and those that reopen them after it is unposted. Every claim is reconciled and
// reopened once for each posting, and none is left.
func TestPostingThroughKills(t *testing.T) {
	t.Parallel()
	const claims = 1501
	s := startBrokered(t, 2, 1, "MOLAR_BATCH_INTERVAL=500ms", "MOLAR_SANDBOX_ERA_DELAY=1s")
	s.eras = s.spawn("eraworker", 2)
	s.provide()
	ending := claimEnding{"CHTEST", "claim", "-PAID-ERA", "paid", "", "64.00"}
	r, ok := s.insist(t.Context(), "claim", "/claims", "application/json", claimBody(s.office, ending, 1))
	if !ok {
		t.Fatal("no claim was made")
	}
	control, _ := r.body["patient_control_number"].(string)
	if _, ok := s.awaitRemittance(madeClaim{ending, idOf(r), control}, "applied"); !ok {
		t.Fatal("no remittance came")
	}
	if _, err := s.db.ExecContext(t.Context(), manyPaid); err != nil {
		t.Fatal(err)
	}
	era := "/eras/" + s.read("/eras")["data"].([]any)[0].(map[string]any)["id"].(string)
	kill, between := 0, 0
	through := func(round int, does, body, state, is string) {
		t.Helper()
		if _, ok := s.insist(t.Context(), fmt.Sprint(does, round), era+"/"+does, "application/json", []byte(body)); !ok {
			t.Fatalf("%s: no reply", does)
		}
		for begun := time.Now(); s.count("SELECT count(*) FROM jobs WHERE kind = 'posting'") > 0; {
			if time.Since(begun) > patience {
				t.Fatalf("%s: its job does not end", does)
			}
			if kill < 4*(round+1) {
				if n := s.count(fmt.Sprintf("SELECT count(*) FROM claims WHERE state = '%s'", is)); n > 0 && n < claims {
					between++
				}
				kills(s.eras...).die(150 * time.Millisecond)
				kill++
			}
			pause(100 * time.Millisecond)
		}
		if got := s.read(era); got["state"] != state {
			t.Errorf("%s: the remittance is %v", does, got["state"])
		}
		s.none(map[string]string{
			"claims that are not " + is: fmt.Sprintf("SELECT count(*) FROM claims WHERE state <> '%s'", is),
			"claims whose postings are not in their history once": fmt.Sprintf(`SELECT count(*) FROM claims
				WHERE (SELECT count(*) FROM json_array_elements(history) h WHERE h ->> 'Cause' = 'reconcile') <> %d`, round+1),
		})
	}
	for round := range rounds(t, 6) {
		through(round, "post", `{"reconcile":true}`, "posted", "reconciled")
		if got := s.read(era); got["reconcile_state"] != "done" || got["reconciled"] != float64(claims) || got["left_out_count"] != float64(0) {
			t.Errorf("the remittance shows %v %v %v", got["reconcile_state"], got["reconciled"], got["left_out_count"])
		}
		through(round, "unpost", `{}`, "needs_review", "paid")
	}
	if between == 0 {
		t.Error("no process was killed between two steps")
	}
	t.Logf("%d kills, %d of them between two steps", kill, between)
}
