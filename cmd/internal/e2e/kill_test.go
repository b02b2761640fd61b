package e2e_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestKills kills each kind of process, the broker and the database, 20 times
// each with kill -9 while checks are made, and twice deletes everything that
// the broker has. Then it compares every reply with the database: no
// acknowledged check is lost, no key is stuck or did its work twice, no check
// stays pending, no event is missing or doubled. Before the first kill, many
// requests with one key come at once.
func TestKills(t *testing.T) {
	t.Parallel()
	const clients = 8
	rounds := rounds(t, 20)
	s := startSystem(t, 2, 2)
	t.Run("one key at once", s.sameKeyAtOnce)
	load := startLoad(s, clients)

	var slowest time.Duration
	for round := range rounds {
		for _, victim := range []struct {
			name          string
			kill, restart func()
		}{
			{"api", s.apis[round%2].kill, func() { s.apis[round%2].start(io.Discard) }},
			{"payerworker", s.workers[round%2].kill, func() { s.workers[round%2].start(io.Discard) }},
			{"both payerworkers", func() { s.workers[0].kill(); s.workers[1].kill() }, func() { s.workers[0].start(io.Discard); s.workers[1].start(io.Discard) }},
			{"postgres", s.postgres.Kill, s.postgres.Restart},
			{"rabbitmq", s.rabbit.Kill, s.rabbit.Restart},
		} {
			pause(time.Duration(rand.IntN(300)) * time.Millisecond)
			victim.kill()
			pause(time.Duration(rand.IntN(100)) * time.Millisecond)
			victim.restart()
			held := s.pending()
			back := time.Now()
			await(t, "the end of work that "+victim.name+" held", func() bool { return s.stillPending(held) == 0 })
			slowest = max(slowest, time.Since(back))
		}
		if round%10 == 0 {
			s.rabbit.Wipe()
		}
	}
	answers := load.stop()
	t.Logf("%d checks answered through %d kills; work held by what was killed was done %s after its restart at the latest",
		len(answers), rounds*5, slowest.Round(time.Millisecond))
	s.verify(answers)
}

func pause(d time.Duration) { <-time.After(d) }

// pending lists checks that wait for an answer.
func (s *system) pending() (ids []string) {
	rows, err := s.db.Query("SELECT id::text FROM eligibility_checks WHERE state = 'pending'")
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
	for _, id := range ids {
		n += s.count("SELECT count(*) FROM eligibility_checks WHERE id = $1::uuid AND state = 'pending'", id)
	}
	return n
}

// load makes checks, each until it is answered, whatever happens on the way.
type load struct {
	s       *system
	cancel  context.CancelFunc
	done    sync.WaitGroup
	n       atomic.Int64
	mu      sync.Mutex
	answers map[string]string // idempotency key -> check ID
}

func startLoad(s *system, clients int) *load {
	ctx, cancel := context.WithCancel(s.tb.Context())
	l := &load{s: s, cancel: cancel, answers: map[string]string{}}
	for range clients {
		l.done.Go(func() {
			for ctx.Err() == nil {
				l.one(context.WithoutCancel(ctx), int(l.n.Add(1))) // what was begun comes to its end
			}
		})
	}
	return l
}

// one makes a check and sends it again with the same key until there is an
// answer, and then once more, for the replay.
func (l *load) one(ctx context.Context, n int) {
	endings := []string{"-ACTIVE-FULL", "-NOT-FOUND", "-ACTIVE-BASIC", "-PAYER-DOWN", "-SLOW-1"}
	key := fmt.Sprintf("load-%d", n)
	body := checkBody(l.s.office, endings[n%len(endings)], n-n%3) // some answers are saved ones
	client := &http.Client{Timeout: 20 * time.Second}
	defer client.CloseIdleConnections()
	first := ""
	deadline := time.Now().Add(patience)
	for {
		r, err := check(ctx, client, l.s.urls[rand.IntN(len(l.s.urls))], l.s.key, key, body)
		switch {
		case time.Now().After(deadline):
			l.s.tb.Errorf("key %s is stuck: status %d, %v, %v", key, r.status, r.body["error"], err)
			return
		case err != nil, r.status == http.StatusConflict, r.status == http.StatusGatewayTimeout, r.status == http.StatusInternalServerError:
			pause(20 * time.Millisecond)
			continue
		case r.status == http.StatusOK, r.status == http.StatusUnprocessableEntity, r.status == http.StatusBadGateway:
		default:
			l.s.tb.Errorf("key %s: status %d: %v", key, r.status, r.body["error"])
			return
		}
		id := idOf(r)
		if first == "" {
			first = id
			continue
		}
		if id != first || !r.replayed {
			l.s.tb.Errorf("key %s made %s, and later %s (replayed %t)", key, first, id, r.replayed)
		}
		l.mu.Lock()
		l.answers[key] = id
		l.mu.Unlock()
		return
	}
}

func idOf(r reply) string {
	body := r.body
	if c, ok := body["check"].(map[string]any); ok {
		body = c
	}
	id, _ := body["id"].(string)
	return id
}

func (l *load) stop() map[string]string {
	l.cancel()
	l.done.Wait()
	return l.answers
}

// verify holds the answers against the database once the work is done.
func (s *system) verify(answers map[string]string) {
	s.tb.Helper()
	if len(answers) == 0 {
		s.tb.Error("no check was answered")
	}
	await(s.tb, "the end of all work", func() bool {
		return s.count("SELECT count(*) FROM jobs")+s.count("SELECT count(*) FROM eligibility_checks WHERE state = 'pending'") == 0
	})
	zero := func(what, query string) {
		if n := s.count(query); n != 0 {
			s.tb.Errorf("%d %s", n, what)
		}
	}
	zero("keys made more than one check", `SELECT count(*) FROM (SELECT idempotency_key FROM eligibility_checks GROUP BY 1 HAVING count(*) > 1) AS twice`)
	zero("checks without exactly one event", `SELECT count(*) FROM eligibility_checks c WHERE (SELECT count(*) FROM events e WHERE e.resource_id = c.id AND e.sequence = 1 AND e.type = 'eligibility.completed') <> 1`)
	zero("events out of sequence", `SELECT count(*) FROM events WHERE resource_id IN (SELECT id FROM eligibility_checks) AND sequence <> 1`)
	zero("checks without their key", `SELECT count(*) FROM eligibility_checks c WHERE NOT EXISTS (SELECT FROM idempotency_keys k WHERE k.check_id = c.id)`)
	zero("checks that failed inside", `SELECT count(*) FROM eligibility_checks WHERE outcome = 'error'`)
	if made := s.count("SELECT count(*) FROM eligibility_checks"); made < len(answers) {
		s.tb.Errorf("%d checks were answered, and %d exist", len(answers), made)
	}
	for key, id := range answers {
		if n := s.count("SELECT count(*) FROM eligibility_checks WHERE idempotency_key = $1", key); n != 1 {
			s.tb.Errorf("key %s, answered with %s, has %d checks", key, id, n)
		}
	}
}
