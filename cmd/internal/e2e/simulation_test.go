package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestSimulationsAreTheSame runs random claims, checks, payer requests and advances in two
// organizations whose clocks stand, from the same seed. Meanwhile the receivers of the second
// are slow, and its processes are suspended for moments. Each resource has the same events
// in both, in the same order and at the same times, and so has each delivery its attempts.
// An organization beside them, and live mode, keep real time. In the end people work through the
// tasks of both, at random, and the tasks are those that the rules say.
func TestSimulationsAreTheSame(t *testing.T) {
	t.Parallel()
	r := startWebhookReceiver(t)
	d := startDevelopers(startGuest(t, 0, 0, "MOLAR_BATCH_INTERVAL=10s", "MOLAR_SANDBOX_ERA_DELAY=336h"), r, 2)
	seeds := 1
	if !testing.Short() {
		seeds = 5
	}
	for seed := range uint64(seeds) {
		var runs [2][]string
		for i := range runs {
			s := *d.system
			org := s.tenant(fmt.Sprintf("Run %d of %d", i, seed), "1234567893")
			s.office, s.key = org.office, org.key
			s.provide()
			up, down := fmt.Sprintf("/up-%d-%d", seed, i), fmt.Sprintf("/down-%d-%d", seed, i)
			slow := i == 1
			var calls atomic.Int64
			answer := func(code int) func() int {
				return func() int {
					if slow {
						pause(time.Duration(calls.Add(7)%40) * time.Millisecond)
					}
					return code
				}
			}
			r.mu.Lock()
			r.answer[up], r.answer[down] = answer(http.StatusOK), answer(http.StatusInternalServerError)
			r.mu.Unlock()
			s.stand(time.Date(2027, 3, 1, 15, 0, 3, 500_000_000, time.UTC))
			r.register(s.urls[0], s.key, up)
			r.register(s.urls[0], s.key, down)
			stop := func() {}
			if slow {
				stop = d.suspend()
			}
			beside := make(chan struct{})
			go func() {
				defer close(beside)
				d.make(10, 1, 100*time.Millisecond)
			}()
			made := s.simulate(seed)
			<-beside
			stop()
			runs[i] = append(s.stories(made), s.attempts()...)
			if done := s.workThrough(2*seed + uint64(i)); done < 10 {
				t.Errorf("seed %d: people did only %d things", seed, done)
			}
		}
		const others = " v WHERE (v.mode = 'live' OR NOT EXISTS (SELECT FROM sandbox_clocks c WHERE c.org_id = v.org_id))"
		if d.count("SELECT count(*) FROM eligibility_checks"+others) == 0 {
			t.Error("no check was made beside them")
		}
		for _, table := range []string{"events", "eligibility_checks", "patients", "claims", "offices", "webhook_endpoints"} {
			d.none(map[string]string{table + " beside them without real time": "SELECT count(*) FROM " + table + others + " AND v.created_at > now()"})
		}
		if len(runs[0]) < 30 {
			t.Errorf("seed %d: only %d stories", seed, len(runs[0]))
		}
		for i := range max(len(runs[0]), len(runs[1])) {
			if i >= len(runs[0]) || i >= len(runs[1]) || runs[0][i] != runs[1][i] {
				t.Fatalf("seed %d: of %d and %d stories these differ first:\n%s\n%s", seed, len(runs[0]), len(runs[1]), at(runs[0], i), at(runs[1], i))
			}
		}
	}
}

func at(all []string, i int) string {
	if i < len(all) {
		return all[i]
	}
	return "none"
}

// suspend suspends one process at a time for a moment, until it is stopped.
func (d *developers) suspend() (stop func()) {
	end, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for n := 0; ; n++ {
			p := d.procs[n%len(d.procs)].cmd.Process
			_ = p.Signal(syscall.SIGSTOP)
			pause(rand.N(100 * time.Millisecond))
			_ = p.Signal(syscall.SIGCONT)
			select {
			case <-end:
				return
			case <-time.After(rand.N(200 * time.Millisecond)):
			}
		}
	}()
	return func() { close(end); <-over }
}

// simulate does what the seed says, and returns the IDs of what it made, in order.
func (s *system) simulate(seed uint64) (made []string) {
	s.tb.Helper()
	r := rand.New(rand.NewPCG(seed, 27))
	endings := sandboxEndings()
	now := instant(s.tb, s.clock(http.MethodGet, "", "")["now"])
	advance := func(body string) { now = instant(s.tb, s.clock(http.MethodPost, "/advance", body)["now"]) }
	for n := range 25 {
		switch r.IntN(8) {
		case 0, 1, 2:
			made = append(made, s.claimAt(now, n, endings[r.IntN(len(endings))]))
		case 3:
			c, ok := s.insist(s.tb.Context(), unique("check"), "/eligibility", "application/json", []byte(checkBody(s.office, "-ACTIVE-FULL", r.IntN(3))))
			if !ok {
				s.tb.Fatal("the check was not answered")
			}
			made = append(made, idOf(c))
		case 4:
			c, ok := s.insist(s.tb.Context(), unique("asked"), "/payer_requests", "application/json",
				fmt.Appendf(nil, `{"payer_id":"CHTEST","reference_number":"R%d","requested":"X-rays"}`, n))
			if !ok {
				s.tb.Fatal("the payer request was not recorded")
			}
			made = append(made, idOf(c))
		case 5:
			advance(`{"until":"next"}`)
		case 6:
			advance(fmt.Sprintf(`{"by":"PT%dS"}`, 1+r.IntN(20)))
		default:
			advance(fmt.Sprintf(`{"by":"PT%dH"}`, 1+r.IntN(400)))
		}
	}
	advance(`{"until":"idle"}`)
	return made
}

// stories lists the events of each resource of the organization. What was made has its
// place instead of its ID; of anything else only the kind counts.
func (s *system) stories(made []string) []string {
	s.tb.Helper()
	names := map[string]string{}
	for i, id := range made {
		names[id] = fmt.Sprintf("%02d", i)
	}
	return s.lines(`
SELECT v.data::jsonb->>'id', string_agg(v.type || ' ' || to_char(v.created_at, 'YYYY-MM-DD HH24:MI:SS.US'), ', ' ORDER BY v.sequence)
FROM events v
JOIN offices o ON o.id = $1 AND o.org_id = v.org_id
WHERE v.mode = 'test' AND v.type NOT LIKE 'api_key.%'
GROUP BY v.resource_id, 1`, func(id string) string { return names[id] })
}

// attempts lists the deliveries of the organization with their attempts. At the instant at
// which an endpoint is disabled, it does not matter which of its deliveries came first: that
// instant is left out.
func (s *system) attempts() []string {
	s.tb.Helper()
	return s.lines(`
SELECT regexp_replace(e.url, '-[0-9]+-[0-9]+$', ''), d.event_type || ' ' || to_char(v.created_at, 'YYYY-MM-DD HH24:MI:SS.US') || ' ' ||
	CASE ended.at WHEN 'infinity' THEN d.state ELSE 'before the end' END || ' ' || coalesce((
		SELECT string_agg((a->>'at') || ' ' || coalesce(a->>'status', '-'), ', ' ORDER BY n)
		FROM unnest(d.attempts) WITH ORDINALITY t (a, n)
		WHERE (a->>'at')::timestamptz < ended.at
	), '')
FROM webhook_endpoints e
CROSS JOIN LATERAL (
	SELECT CASE e.status WHEN 'enabled' THEN 'infinity' ELSE max((a->>'at')::timestamptz) END AS at
	FROM webhook_deliveries d, unnest(d.attempts) a
	WHERE d.endpoint_id = e.id
) ended
JOIN webhook_deliveries d ON d.endpoint_id = e.id
JOIN events v ON v.id = d.event_id AND v.created_at < ended.at
JOIN offices o ON o.id = $1 AND o.org_id = e.org_id`, func(url string) string { return url })
}

// lines reads a name and a text from each row, and sorts them.
func (s *system) lines(query string, named func(string) string) (all []string) {
	s.tb.Helper()
	rows, err := s.db.Query(query, s.officeID())
	if err != nil {
		s.tb.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			s.tb.Fatal(err)
		}
		all = append(all, strings.TrimSpace(named(name)+" "+text))
	}
	if err := rows.Err(); err != nil {
		s.tb.Fatal(err)
	}
	slices.Sort(all)
	return all
}
