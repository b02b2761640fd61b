package e2e_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestKills kills each kind of process, the broker and the database 20 times
// each with kill -9 while checks are made, and wipes the broker twice. Then it
// compares every reply with the database. No acknowledged check is lost, no key
// is stuck or did its work twice, no check stays pending, and no event is
// missing or doubled. Each item of a batch of checks, which is asked meanwhile, has one check
// with an outcome. Before the first kill, many requests with one key come at
// once.
func TestKills(t *testing.T) {
	t.Parallel()
	const clients = 8
	rounds := rounds(t, 20)
	s := startSystem(t, 2, 2)
	t.Run("one key at once", s.sameKeyAtOnce)
	batches, down := s.checkBatches(rounds)
	load := startLoad(s, clients, s.answered)

	var slowest time.Duration
	for round := range rounds {
		for name, v := range map[string]victim{
			"api": kills(s.apis[round%2]), "payerworker": kills(s.workers[round%2]), "both payerworkers": kills(s.workers...),
			"postgres": {s.postgres.Kill, s.postgres.Restart}, "rabbitmq": {s.rabbit.Kill, s.rabbit.Restart},
		} {
			v.die(300 * time.Millisecond)
			held := s.pending()
			back := time.Now()
			await(t, "the end of work that "+name+" held", func() bool { return s.stillPending(held) == 0 })
			slowest = max(slowest, time.Since(back))
		}
		if round%10 == 0 {
			s.rabbit.Wipe()
		}
	}
	answers := load.stop()
	awaitFor(t, patience+mostAsked, "the end of the batches", func() bool {
		return s.count("SELECT count(*) FROM check_batch_items WHERE next_at IS NOT NULL OR asking IS NOT NULL") == 0
	})
	s.verify(answers)
	lanes := batches.stop()
	t.Logf("%d checks and %d items answered through %d kills; work held by what was killed was done %s after its restart at the latest; "+
		"%d looks at the lanes saw at most %d checks of batches at once", len(answers), s.count("SELECT count(*) FROM check_batch_items"),
		rounds*5, slowest.Round(time.Millisecond), len(lanes), slices.Max(lanes))
	if n := s.count("SELECT count(*) FROM check_batch_items WHERE outcome NOT IN ('answered', 'rejected')"); n != down {
		t.Errorf("%d items have no answer; %d are of payers that are down", n, down)
	}
	if most := slices.Max(lanes); most > coverage.LaneChecks {
		t.Errorf("a payer was asked %d checks of batches at once", most)
	}
}

// mostAsked is how long payers that are down are asked for the items of many rounds. The other
// items have their answers long before, also on a slow machine.
const mostAsked = 15 * time.Minute

// checkBatches asks for batches of checks, 80 in one round and 10,000 in many, over 40 payers of
// which 5 are slow and, in many rounds, 3 are down. It looks at the lanes until it is stopped: at
// how many checks of batches wait for one payer's answer.
func (s *system) checkBatches(rounds int) (looks *load[int], unanswered int) {
	s.tb.Helper()
	items, size, down, asks := 80, 80, 0, time.Hour
	if rounds > 1 {
		items, size, down, asks = 10_000, 1_000, 3, mostAsked
	}
	payers := payerIDs(s.tb)[:40]
	for first := 0; first < items; first += size {
		all := make([]string, size)
		for i := range all {
			n, ending := first+i, "-ACTIVE-FULL"
			switch p := n % len(payers); {
			case p < down:
				ending = "-PAYER-DOWN"
			case p < down+5:
				ending = "-SLOW-1"
			case n%3 == 0:
				ending = "-NOT-FOUND"
			}
			body := strings.Replace(checkBody(s.office, ending, 1_000_000+n), `"CHTEST"`, `"`+payers[n%len(payers)]+`"`, 1)
			all[i] = fmt.Sprintf(`{"item_id":"%d",%s`, n, strings.TrimPrefix(body, "{"))
		}
		until := time.Now().Add(asks).UTC().Format(time.RFC3339)
		body := `{"name":"Tomorrow","not_after":"` + until + `","items":[` + strings.Join(all, ",") + "]}"
		if _, ok := s.insist(s.tb.Context(), fmt.Sprint("batch-", first), "/eligibility/batches", "application/json", []byte(body)); !ok {
			s.tb.Fatal("no batch was made")
		}
	}
	return startLoad(s, 1, func(context.Context, int) (int, bool) {
		pause(100 * time.Millisecond)
		var most int
		err := s.db.QueryRow(`SELECT coalesce(max(n), 0) FROM (
			SELECT count(*) AS n FROM jobs j JOIN eligibility_checks c ON c.id = j.subject WHERE j.kind = 'batch_eligibility' GROUP BY c.network, c.payer_id) lanes`).Scan(&most)
		return most, err == nil // the database may be away
	}), items * down / len(payers)
}

// payerIDs returns the IDs of the payers that answer checks.
func payerIDs(tb testing.TB) (ids []string) {
	tb.Helper()
	for _, p := range porttest.Payers(tb).All() {
		if p.Capabilities.Eligibility {
			ids = append(ids, p.PayerID)
		}
	}
	return ids
}

func pause(d time.Duration) { <-time.After(d) }

// asked are the checks that a job asks the payer of. A check of a batch whose payer is down waits
// without one.
const asked = "FROM eligibility_checks c WHERE state = 'pending' AND EXISTS (SELECT FROM jobs j WHERE j.subject = c.id)"

// pending returns the IDs of the checks that are asked.
func (s *system) pending() (ids []string) {
	rows, err := s.db.Query("SELECT id::text " + asked)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			s.tb.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		s.tb.Fatal(err)
	}
	return ids
}

func (s *system) stillPending(ids []string) (n int) {
	return s.count("SELECT count(*) "+asked+" AND id = ANY($1::uuid[])", "{"+strings.Join(ids, ",")+"}")
}

// victim is a server or process that a test kills, and how it comes back.
type victim struct{ kill, restart func() }

// kills kills the processes at once.
func kills(all ...*process) victim {
	each := func(do func(*process)) func() {
		return func() {
			for _, p := range all {
				do(p)
			}
		}
	}
	return victim{each((*process).kill), each(func(p *process) { p.start(io.Discard) })}
}

// die kills within some time, and restarts soon after.
func (v victim) die(within time.Duration) {
	pause(rand.N(within))
	v.kill()
	pause(rand.N(100 * time.Millisecond))
	v.restart()
}

// load makes things, each step until it is answered, whatever happens on the
// way.
type load[T any] struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	n      atomic.Int64
	mu     sync.Mutex
	made   []T
}

// startLoad has clients make things, each with a number of its own.
func startLoad[T any](s *system, clients int, one func(ctx context.Context, n int) (T, bool)) *load[T] {
	ctx, cancel := context.WithCancel(s.tb.Context())
	l := &load[T]{cancel: cancel}
	for range clients {
		l.done.Go(func() {
			for ctx.Err() == nil {
				if thing, ok := one(context.WithoutCancel(ctx), int(l.n.Add(1))); ok { // what was begun comes to its end
					l.mu.Lock()
					l.made = append(l.made, thing)
					l.mu.Unlock()
				}
			}
		})
	}
	return l
}

func (l *load[T]) stop() []T {
	l.cancel()
	l.done.Wait()
	return l.made
}

// insist sends a request with its key until there is an answer, and then once
// more: the replay is the same.
func (s *system) insist(ctx context.Context, key, path, contentType string, body []byte) (reply, bool) {
	client := &http.Client{Timeout: 40 * time.Second}
	defer client.CloseIdleConnections()
	var first *reply
	deadline := time.Now().Add(patience)
	for {
		r, err := post(ctx, client, s.urls[rand.IntN(len(s.urls))]+path, s.key, key, contentType, body)
		switch {
		case time.Now().After(deadline):
			s.tb.Errorf("key %s is stuck: status %d, %v %v, %v", key, r.status, r.body["error"], r.body["message"], err)
			return r, false
		case err != nil, r.status == http.StatusConflict && r.body["error"] == "IDEMPOTENCY_KEY_IN_USE",
			r.status == http.StatusGatewayTimeout, r.status == http.StatusInternalServerError,
			r.body["error"] == "UNAVAILABLE", // while the database is away for longer than the API waits
			path != "/eligibility" && (r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable):
			pause(20 * time.Millisecond)
			continue
		case r.status == http.StatusOK, r.status == http.StatusCreated, r.status == http.StatusBadGateway, r.body["check"] != nil:
		default:
			s.tb.Errorf("key %s: status %d: %v", key, r.status, r.body)
			return r, false
		}
		if first == nil {
			first = &r
			continue
		}
		if first.text != r.text || !r.replayed {
			s.tb.Errorf("key %s was answered\n%s\nand later (replayed %t)\n%s", key, first.text, r.replayed, r.text)
		}
		return r, true
	}
}

// answeredCheck is a check that the API has replied to.
type answeredCheck struct{ key, id string }

// answered makes a check.
func (s *system) answered(ctx context.Context, n int) (answeredCheck, bool) {
	endings := []string{"-ACTIVE-FULL", "-NOT-FOUND", "-ACTIVE-BASIC", "-PAYER-DOWN", "-SLOW-1"}
	key := fmt.Sprintf("load-%d", n)
	body := checkBody(s.office, endings[n%len(endings)], n-n%3) // some answers are saved ones
	r, ok := s.insist(ctx, key, "/eligibility", "application/json", []byte(body))
	return answeredCheck{key, idOf(r)}, ok
}

// none checks that each query counts nothing.
func (s *system) none(queries map[string]string) {
	s.tb.Helper()
	for what, query := range queries {
		if n := s.count(query); n != 0 {
			s.tb.Errorf("%d %s", n, what)
		}
	}
}

// verify compares the replies with the database once the work is done.
func (s *system) verify(answers []answeredCheck) {
	s.tb.Helper()
	if len(answers) == 0 {
		s.tb.Error("no check was answered")
	}
	await(s.tb, "the end of all work", func() bool {
		return s.count("SELECT count(*) FROM jobs")+s.count("SELECT count(*) FROM eligibility_checks WHERE state = 'pending'") == 0
	})
	s.none(map[string]string{
		"keys made more than one check":    `SELECT count(*) FROM (SELECT idempotency_key FROM eligibility_checks WHERE batch_id IS NULL GROUP BY 1 HAVING count(*) > 1) AS twice`,
		"checks without exactly one event": `SELECT count(*) FROM eligibility_checks c WHERE (SELECT count(*) FROM events e WHERE e.resource_id = c.id AND e.sequence = 1 AND e.type = 'eligibility.completed') <> 1`,
		"events out of sequence":           `SELECT count(*) FROM events WHERE resource_id IN (SELECT id FROM eligibility_checks) AND sequence <> 1`,
		"checks without their key":         `SELECT count(*) FROM eligibility_checks c WHERE batch_id IS NULL AND NOT EXISTS (SELECT FROM idempotency_keys k WHERE k.check_id = c.id)`,
		"items without an outcome":         `SELECT count(*) FROM check_batch_items i WHERE outcome IS NULL OR outcome IN ('answered', 'rejected') AND (attempts <> 1 OR NOT EXISTS (SELECT FROM eligibility_checks c WHERE c.id = i.check_id AND c.outcome = i.outcome))`,
		"checks of batches without item":   `SELECT count(*) FROM eligibility_checks c WHERE batch_id IS NOT NULL AND NOT EXISTS (SELECT FROM check_batch_items i WHERE i.check_id = c.id)`,
		"checks that failed inside":        `SELECT count(*) FROM eligibility_checks WHERE outcome = 'error'`,
	})
	if made := s.count("SELECT count(*) FROM eligibility_checks"); made < len(answers) {
		s.tb.Errorf("%d checks were answered, and %d exist", len(answers), made)
	}
	for _, a := range answers {
		if n := s.count("SELECT count(*) FROM eligibility_checks WHERE idempotency_key = $1", a.key); n != 1 {
			s.tb.Errorf("key %s, answered with %s, has %d checks", a.key, a.id, n)
		}
	}
}
