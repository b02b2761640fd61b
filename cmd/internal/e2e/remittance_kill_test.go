package e2e_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// finish is what people do with the remittance of a claim with the ending, from
// the status that the workers give it. In its story * stands for the number of cycles.
type finish struct {
	claimEnding

	status string
	cycle  string // the operations, in order, again and again
	last   string // the operation after the last cycle; empty for none
}

var finishes = []finish{
	{claimEnding{"CHTEST", "claim", "-UNBALANCED", "paid", `( accepted){0,2}( paid payment_reversed)* paid`, "65.00"}, "needs_review", "apply unapply", "apply"},
	{claimEnding{"CHTEST", "claim", "-CUT-NUMBER", "paid", `( accepted){0,2}( paid payment_reversed)* paid`, "64.00"}, "unmatched", "match unapply", "match"},
	{claimEnding{"60054", "claim", "-PAID-TWICE", "paid", `( accepted){0,2} paid( paid payment_reversed)*`, "64.00"}, "needs_review", "ignore match unapply", "ignore"},
	{claimEnding{"CHTEST", "claim", "-WRONG-PATIENT", "accepted_payer", `( accepted){0,2}( paid payment_reversed)*`, ""}, "needs_review", "ignore apply unapply", "ignore"},
	{claimEnding{"60054", "claim", "-PAID-ERA", "paid", `( accepted){0,2} paid( payment_reversed paid)*`, "64.00"}, "applied", "unapply match", ""},
}

// TestFinishingThroughKills kills the processes that people and remittances go
// through, and wipes the broker, while people match, apply, ignore and unapply.
// Each operation has a key, and is repeated until it has a reply. In the end each
// took effect once, and every figure is the sum of what is applied.
func TestFinishingThroughKills(t *testing.T) {
	t.Parallel()
	s := startBrokered(t, 2, 1, "MOLAR_BATCH_INTERVAL=500ms", "MOLAR_SANDBOX_ERA_DELAY=1s")
	s.eras = s.spawn("eraworker", 2)
	s.provide()
	working, over := make(chan struct{}, 1), make(chan struct{})
	load := startLoad(s, 2*len(finishes), func(ctx context.Context, n int) (finishedClaim, bool) { return s.finishOne(ctx, n, working, over) })
	<-working
	count := 0
	rounds := rounds(t, 8)
	for round := range rounds {
		for _, victims := range [][]*process{{s.apis[round%2]}, {s.eras[round%2]}, s.apis, {s.apis[round%2], s.eras[1-round%2]}} {
			kills(victims...).die(400 * time.Millisecond)
			count += len(victims)
		}
		if round == rounds/2 {
			s.rabbit.Wipe()
		}
	}
	close(over)
	made := load.stop()
	operations := 0
	for _, f := range made {
		operations += len(strings.Fields(f.did))
	}
	t.Logf("%d operations on the remittances of %d claims came through %d kills and a wiped broker", operations, len(made), count)
	s.verifyFinished(made)
}

// finishedClaim is a claim whose remittance people have finished.
type finishedClaim struct {
	madeClaim

	did string // the operations
}

// finishOne creates a claim, waits for its remittance, and finishes that, again and
// again until the kills are over.
func (s *system) finishOne(ctx context.Context, n int, working chan<- struct{}, over <-chan struct{}) (made finishedClaim, ok bool) {
	f := finishes[n%len(finishes)]
	r, ok := s.insist(ctx, fmt.Sprintf("claim-%d", n), "/claims", "application/json", claimBody(s.office, f.claimEnding, n))
	if !ok {
		return made, false
	}
	control, _ := r.body["patient_control_number"].(string)
	made.madeClaim = madeClaim{f.claimEnding, idOf(r), control}
	at, ok := s.awaitRemittance(made.madeClaim, f.status)
	do := func(all string) {
		for does := range strings.FieldsSeq(all) {
			body := `{"note":"The payer confirmed it."}`
			if does == "match" {
				body = fmt.Sprintf(`{"claim_id":%q}`, made.id)
			}
			if ok {
				_, ok = s.insist(ctx, fmt.Sprintf("finish-%d-%d", n, len(made.did)), at+"/"+does, "application/json", []byte(body))
			}
			made.did += " " + does
		}
	}
	cycles := 0
	for more := true; more && ok; cycles++ {
		select {
		case working <- struct{}{}:
		case <-over:
			more = false
		default:
		}
		do(f.cycle)
	}
	do(f.last)
	made.story = strings.ReplaceAll(f.story, "*", fmt.Sprintf("{%d}", cycles))
	return made, ok
}

// awaitRemittance waits until the claim has a remittance with the status, and
// returns its path. The APIs may be down, so it reads the database.
func (s *system) awaitRemittance(m madeClaim, status string) (path string, ok bool) {
	id, err := billing.ParseID[billing.ClaimID](m.id)
	for deadline := time.Now().Add(patience); err == nil && time.Now().Before(deadline); pause(20 * time.Millisecond) {
		var era billing.ERAID
		var ordinal int
		err = s.db.QueryRow(`
			SELECT era_id, ordinal
			FROM era_claims r
			JOIN eras e ON e.id = r.era_id
			WHERE e.stage = 'done' AND r.status = $1 AND (r.claim_id = $2 OR r.control_key IN (upper($3), upper(left($3, 17))))`,
			status, id.UUID(), m.control).Scan(&era, &ordinal)
		if err == nil {
			return fmt.Sprintf("/eras/%s/claims/%d", era, ordinal), true
		}
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
	}
	s.tb.Errorf("%s %s has no remittance that is %s: %v", m.id, m.ending, status, err)
	return "", false
}

// wrongProgress counts remittances whose counts differ from their claims.
const wrongProgress = `
SELECT count(*)
FROM eras e
WHERE (claim_count, matched_count, applied_count, needs_review_count, unmatched_count, ignored_count, forwarded_count) <> (
	SELECT count(*), count(claim_id), count(*) FILTER (WHERE status = 'applied'), count(*) FILTER (WHERE status = 'needs_review'),
		count(*) FILTER (WHERE status = 'unmatched'), count(*) FILTER (WHERE status = 'ignored'), count(*) FILTER (WHERE status = 'forwarded')
	FROM era_claims r
	WHERE r.era_id = e.id
)`

// verifyFinished waits for the end of all work, and then checks that each
// operation took effect once.
func (s *system) verifyFinished(all []finishedClaim) {
	s.tb.Helper()
	if len(all) < len(finishes) {
		s.tb.Errorf("%d remittances were finished", len(all))
	}
	made := make([]madeClaim, len(all))
	for i, f := range all {
		made[i] = f.madeClaim
	}
	s.awaitClaims(made)
	s.none(map[string]string{
		"claims besides those of the replies":         fmt.Sprintf(`SELECT count(*) - %d FROM claims`, len(all)),
		"remittances that are not done":               `SELECT count(*) FROM eras WHERE stage <> 'done'`,
		"remittances whose counts are not their rows": wrongProgress,
		"remittances that people still have to see":   `SELECT count(*) FROM eras WHERE needs_attention`,
		"resources whose events do not count up":      `SELECT count(*) FROM (SELECT FROM events GROUP BY resource_id HAVING max(sequence) <> count(*) OR min(sequence) <> 1) gaps`,
	})
	for _, f := range all {
		s.verifyClaim(f.madeClaim)
		did := map[any]int{}
		history, _ := s.read("/claims/" + f.id)["history"].([]any)
		for _, m := range history {
			did[m.(map[string]any)["cause"]]++
		}
		for _, does := range []string{"match", "apply", "ignore", "unapply"} {
			if want := strings.Count(f.did+" ", " "+does+" "); did[does] != want {
				s.tb.Errorf("%s %s: %s is %d times in its history, want %d", f.id, f.ending, does, did[does], want)
			}
		}
	}
	s.verifyMoney(made)
}
