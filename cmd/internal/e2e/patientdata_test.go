package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lib/pq"
	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/molar-billing/molar/adapters/testservers"
)

// lockedBuffer is a buffer that a process writes and a test reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestPatientDataStaysIn sends sentinel patient data through every path,
// successful or not. Then it searches for the data in everything that leaves
// the database and the reply: debug logs, metrics, queue messages, events and
// error messages. Its parts share a system and follow each other, each with its
// own organization. Claims come first: they wait for the end of all work, and
// the other parts leave some.
func TestPatientDataStaysIn(t *testing.T) {
	t.Parallel()
	w := &watchedSystem{images: testservers.StartS3(t), temp: t.TempDir(), uploads: t.TempDir()}
	w.system = startClustered(t, 1, 1, "MOLAR_LOG_LEVEL=debug", "MOLAR_BLOB_URL="+s3(w.images, "canary"), "TMPDIR="+w.temp, "MOLAR_TEMP_DIR="+w.uploads,
		"MOLAR_BATCH_INTERVAL=200ms", "MOLAR_SANDBOX_ERA_DELAY=200ms")
	w.eras, w.pngs = w.spawn("eraworker", 1), w.spawn("pngworker", 1)
	t.Run("claims", w.claimDataStaysIn)
	for _, part := range []struct { //nolint:paralleltest // they share a system, and kill processes of it
		name string
		run  func(*testing.T)
	}{{"attachments", w.attachmentDataStaysIn}, {"checks", w.checkDataStaysIn}, {"webhooks", w.webhookDataStaysIn}} {
		w.join()
		t.Run(part.name, part.run)
	}
}

// watchedSystem is a system that receives sentinel patient data.
type watchedSystem struct {
	*system
	images        *testservers.S3Server
	temp, uploads string // folders
}

// checkDataStaysIn searches for the patients of checks.
func (s *watchedSystem) checkDataStaysIn(t *testing.T) {
	t.Helper()
	sentinels := []string{"Zyxcanaryfirst", "Zyxcanarylast", "1947-03-29", "19470329", "ZYXCANARYGROUP", "ZYXCANARYMEMBER", "Zyxcanarychild", "2011-07-23", "20110723"}
	body := func(ending, extra string) string { return canaryCheck(s.office, ending, extra) }
	var messages strings.Builder
	for i, b := range []string{
		body("-ACTIVE-FULL", ""), body("-NOT-FOUND", ""), body("-NAME-MISMATCH", ""), body("-PAYER-DOWN", ""), body("-GARBLED", ""), body("-NETWORK-ERROR", ""),
		body("-ACTIVE-FULL", `,"service_date":"1947-03-29"`), body("-ACTIVE-FULL", `,"Zyxcanaryfirst":1`)[:40], body("", `,"detail_level":"enhanced","procedure_codes":["D1110"]`),
		body("-ACTIVE-FULL", `,"parent_id":"Zyxcanaryfirst"`), strings.Replace(body("", ""), "CHTEST", "Zyxcanarylast", 1),
	} {
		r, err := check(t.Context(), http.DefaultClient, s.urls[0], s.key, fmt.Sprintf("canary-%d", i), b)
		if err != nil {
			t.Fatal(err)
		}
		if r.status == http.StatusInternalServerError {
			t.Errorf("body %d: status 500", i)
		}
		fmt.Fprintln(&messages, r.body["message"], r.body["errors"])
	}
	get(t, s.urls[0]+"/eligibility?tenant_reference=Zyxcanaryfirst", s.key)
	get(t, s.urls[0]+"/eligibility/Zyxcanaryfirst?Zyxcanarylast=1", s.key)
	_, events := get(t, s.urls[0]+"/events?limit=100", s.key)

	texts := map[string]string{"events": events, "messages to the caller": messages.String()}
	named := map[string]*process{"api": s.apis[0], "payerworker": s.workers[0]}
	s.metrics(texts, named)

	// Without a worker the jobs stay in the queue, where the test reads them.
	s.workers[0].kill()
	go func() {
		_, _ = check(t.Context(), http.DefaultClient, s.urls[0], s.key, "canary-queued", body("-INACTIVE", ""))
	}()
	texts["queue"] = s.message("molar.eligibility")
	s.workers[0].start(io.Discard)

	s.logs(texts, named)
	search(t, sentinels, texts)
}

func canaryCheck(office, ending, extra string) string {
	return fmt.Sprintf(`{"office_id":%q,"payer_id":"CHTEST","subscriber":{"first_name":"Zyxcanaryfirst","last_name":"Zyxcanarylast","date_of_birth":"1947-03-29",
		"member_id":"ZYXCANARYMEMBER%s","group_number":"ZYXCANARYGROUP"},"patient":{"first_name":"Zyxcanarychild","last_name":"Zyxcanarylast","date_of_birth":"2011-07-23","relationship":"child"}%s}`,
		office, ending, extra)
}

// metrics adds the metrics of the processes.
func (s *system) metrics(texts map[string]string, named map[string]*process) {
	for name, p := range named {
		_, texts["metrics of the "+name] = get(s.tb, p.opsURL()+"/metrics", "")
	}
}

// logs adds the logs of the processes, and of PostgreSQL if it runs on this
// machine.
func (s *system) logs(texts map[string]string, named map[string]*process) {
	for name, p := range named {
		texts["log of the "+name] = p.log()
	}
	var dir string
	if err := s.db.QueryRow("SHOW data_directory").Scan(&dir); err != nil {
		s.tb.Fatal(err)
	}
	if log, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "log")); err != nil {
		s.tb.Logf("the log of PostgreSQL is out of reach, and not searched: %v", err)
	} else {
		texts["log of the database"] = string(log)
	}
}

// tables returns the rows of every table except those, as text.
func (s *system) tables(but ...string) map[string]string {
	s.tb.Helper()
	var names []string
	if err := s.db.QueryRow(`SELECT array_agg(tablename::text) FROM pg_tables WHERE schemaname = 'public'`).Scan(pq.Array(&names)); err != nil {
		s.tb.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range names {
		if slices.Contains(but, name) {
			continue
		}
		var text string
		if err := s.db.QueryRow(`SELECT coalesce(string_agg(r::text, E'\n'), '') FROM public.` + name + ` AS r`).Scan(&text); err != nil {
			s.tb.Fatal(err)
		}
		if text != "" {
			out[name] = text
		}
	}
	return out
}

// search searches for the sentinels in texts, which must not be empty.
func search(t *testing.T, sentinels []string, texts map[string]string) {
	t.Helper()
	for where, text := range texts {
		if text == "" {
			t.Errorf("%s: nothing to look at", where)
		}
		for _, canary := range sentinels {
			if i := strings.Index(strings.ToLower(text), strings.ToLower(canary)); i >= 0 {
				t.Errorf("%s: %q in ...%s...", where, canary, text[max(0, i-80):min(len(text), i+80)])
			}
		}
	}
}

// message waits for a message in a queue and reads it.
func (s *system) message(queue string) (body string) {
	s.tb.Helper()
	conn, err := amqp.Dial(s.queue)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ch, err := conn.Channel()
	if err != nil {
		s.tb.Fatal(err)
	}
	await(s.tb, "a message", func() bool {
		m, ok, err := ch.Get(queue, true)
		if err != nil {
			s.tb.Fatal(err)
		}
		body = fmt.Sprint(m.Headers, m.MessageId, m.Type, m.ReplyTo, string(m.Body))
		return ok
	})
	return body
}

// opsURL returns the URL of the process's ops port.
func (p *process) opsURL() string {
	for _, e := range p.env {
		if addr, ok := strings.CutPrefix(e, "MOLAR_OPS_LISTEN="); ok {
			return "http://" + addr
		}
	}
	p.tb.Fatal("the process has no ops address")
	return ""
}
