package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/bankfile"
	"github.com/molar-billing/molar/adapters/credentials"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/adapters/imagecodec"
	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/additions"
	"github.com/molar-billing/molar/core/appeals"
	"github.com/molar-billing/molar/core/attachmentrules"
	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/changes"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/claimstatus"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/core/deposits"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/enrollments"
	"github.com/molar-billing/molar/core/estimates"
	"github.com/molar-billing/molar/core/events"
	"github.com/molar-billing/molar/core/faults"
	"github.com/molar-billing/molar/core/fees"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/notes"
	"github.com/molar-billing/molar/core/payerrequests"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/core/reports"
	"github.com/molar-billing/molar/core/sandbox"
	"github.com/molar-billing/molar/core/scenarios"
	"github.com/molar-billing/molar/core/schedules"
	"github.com/molar-billing/molar/core/summary"
	"github.com/molar-billing/molar/core/tasks"
	"github.com/molar-billing/molar/core/webhooks"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
	"github.com/molar-billing/molar/workers"
	"github.com/molar-billing/molar/workers/outboxrelay"
)

// service is the whole service behind its API, on a database of its own.
type service struct {
	server      *Server
	addr        string
	access      *access.Service
	store       *pgstore.Store
	key         string // of the first organization, test mode
	org         billing.OrgID
	test        billing.Scope // of that key
	office      billing.OfficeID
	dentist     billing.ProviderID
	batches     *batches.Service
	remittances *remittances.Service
	read        string // a key of the same scope that only reads
	live        string // of the same organization, live mode
	other       string // of another organization
	keys        atomic.Int64

	database string    // its URL, for an administrator
	receiver *receiver // of webhooks
	options  Options   // of the server
	queue    *memqueue.Queue
}

// setup is what a test can have otherwise.
type setup struct {
	checking eligibility.Times
	log      *slog.Logger
	blobs    ports.Blobs      // a folder when nil
	open     []*ports.Network // besides the sandbox
	checks   int              // of a key in a second; none is no limit
	now      func() time.Time // of the server
	signIns  ports.Clock      // by which guesses wait; the machine's when nil
	audited  func(store func(*caller.AuditEntry) error) func(*caller.AuditEntry) error
}

// startService starts the service. Each change may set what it likes.
func startService(t *testing.T, adjust ...func(*setup)) *service {
	t.Helper()
	with := setup{checking: eligibility.DefaultTimes(), log: slog.New(slog.DiscardHandler)}
	for _, change := range adjust {
		change(&with)
	}
	s := &service{receiver: newReceiver(t)}
	queue := memqueue.NewBroker().Open()
	relay := outboxrelay.New(queue, with.log)
	store := pgtest.Open(t, func(po *pgstore.Options) { s.database, po.Staged, po.Log = po.URL, relay.Staged, with.log })
	during(t, func(ctx context.Context) { _ = relay.Run(ctx, store) })
	payers := porttest.Payers(t)
	clock, sender := &porttest.Clock{}, s.receiver.sender(t, with.log)
	if with.signIns == nil {
		with.signIns = clock
	}
	attaching := outside(t, queue, routing.New(append(with.open, sandboxnet.Networks(edi.New().Over, clock, store.SandboxMail(), sandboxnet.Options{
		Own: store.OwnScenario, Sent: store.SentClaim, StatusOver: edi.New().StatusOver,
	})...)...), &with)
	o := Options{
		Access:        access.New(store, payers, with.signIns, credentials.New([32]byte{1})),
		Attachments:   attachments.New(store, attaching, payers, attachments.DefaultTimes()),
		Audit:         audit.New(store, audit.LeastRetention, with.log),
		Changes:       changes.New(store, clock, patient(), with.log),
		Claims:        claims.New(store, attaching.Networks, payers),
		ClaimStatus:   claimstatus.New(store, queue, attaching.Networks, payers, claimstatus.Times{Wait: with.checking.Wait, Silence: with.checking.Silence}),
		Connections:   connections.New(store, network.Kinds{sftpnet.Kind().Kind}, payers, func(string, network.Reason) {}, with.log),
		Enrollments:   enrollments.New(store, payers),
		Estimates:     estimates.New(store),
		Notes:         notes.New(store),
		Appeals:       appeals.New(store),
		Deposits:      deposits.New(store, bankfile.Reader{}.Read),
		Additions:     additions.New(store),
		Events:        events.New(store),
		Faults:        faults.New(store),
		Fees:          fees.New(store, payers),
		Rules:         attachmentrules.New(store, payers),
		Schedules:     schedules.New(store, payers),
		Eligibility:   eligibility.New(store, queue, attaching.Networks, edi.New(), payers, with.checking),
		PayerRequests: payerrequests.New(store, attaching.Networks, payers),
		Payers:        payers,
		Remittances:   remittances.New(store, edi.New(), payers),
		Reports:       reports.New(store),
		Summary:       summary.New(store, attaching.Networks),
		Webhooks:      webhooks.New(store, sender, clock),
		CursorKey:     fixedKey([32]byte{7}),
		TempDir:       t.TempDir(),
		Log:           with.log,
		RateChecks:    with.checks,
		Now:           with.now,
	}
	o.Tasks = tasks.New(store, o.ClaimStatus.CanAsk)
	o.Batches = batches.New(store, batches.Outside{
		EDI: edi.New(), Networks: attaching.Networks, Remit: o.Remittances.Receive, Interval: 10 * time.Second,
	}, payers)
	o.Scenarios = scenarios.New(store, sandboxnet.Catalog(sandboxnet.Options{}), scenarios.Outside{
		ReadReply: sandboxnet.ReadReply, ReadPlan: sandboxnet.ReadPlan(edi.New().Over), ReadERA: sandboxnet.ReadERA, Simulate: sandboxnet.Simulate, Networks: o.Batches.Sandbox,
	})
	o.Sandbox = sandbox.New(store, queue, attaching.Blobs, sandbox.Clearinghouses{Names: o.Batches.Sandbox, Leaves: o.Batches.Leaves, Settle: o.Batches.Settle}, with.log)
	s.access, s.store, s.batches, s.remittances = o.Access, store, o.Batches, o.Remittances
	s.populate(t)
	during(t, func(ctx context.Context) { _ = o.Audit.Run(ctx) })
	during(t, func(ctx context.Context) { _ = o.Changes.Run(ctx) })
	work(t, queue, jobs.KindEligibility, o.Eligibility.Answer)
	work(t, queue, jobs.KindBatchEligibility, o.Eligibility.Answer)
	work(t, queue, jobs.KindCheckBatch, o.Eligibility.Feed)
	work(t, queue, jobs.KindStatusPolicy, o.ClaimStatus.Feed)
	work(t, queue, jobs.KindClaimStatus, o.ClaimStatus.Answer)
	work(t, queue, jobs.KindAttachmentSend, o.Attachments.Send)
	work(t, queue, jobs.KindBatchSend, s.batches.Send)
	work(t, queue, jobs.KindERA, o.Remittances.Apply)
	work(t, queue, jobs.KindPosting, o.Remittances.FollowPosting)
	work(t, queue, jobs.KindSecondPlan, o.Tasks.FollowChecks)
	work(t, queue, jobs.KindEnrollment, o.Claims.Enrolled)
	work(t, queue, jobs.KindAdvance, o.Sandbox.Drive)
	work(t, queue, jobs.KindReset, o.Sandbox.DriveReset)
	dispatch(t, queue, webhooks.NewDispatcher(store, queue, sender, clock, webhooks.DefaultPace(), with.log, func(webhook.Attempt) {}))
	work(t, queue, jobs.KindPNGConvert, o.Attachments.Convert)
	work(t, queue, jobs.KindThumbnail, o.Attachments.MakeThumbnail)
	s.options, s.queue = o, queue
	server, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if with.audited != nil {
		server.audit = with.audited(server.audit)
	}
	s.server, s.addr = server, serve(t, server)
	return s
}

// outside is images in a folder of their own, if nowhere else, and the networks.
func outside(t *testing.T, queue *memqueue.Queue, open ports.Networks, with *setup) attachments.Outside {
	t.Helper()
	images, err := imagecodec.New(imagecodec.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if with.blobs == nil {
		folder, err := fileblob.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = folder.Close() })
		with.blobs = folder
	}
	return attachments.Outside{
		Queue: queue, Blobs: with.blobs, Images: images, Networks: open,
	}
}

// work does jobs of a kind until the test ends. A job that the storage is away for, or that
// a reset refuses, is no fault: a worker does it again.
func work(t *testing.T, queue *memqueue.Queue, kind jobs.Kind, do func(context.Context, jobs.Job) error) {
	t.Helper()
	during(t, func(ctx context.Context) {
		_ = queue.Consume(ctx, kind, 4, func(ctx context.Context, d ports.Message) ports.Verdict {
			err := do(ctx, d.Job)
			_, done := errors.AsType[*jobs.DoneError](err)
			if err != nil && !done && billing.CodeOf(err) != billing.CodeUnavailable && !billing.IsResetting(err) && ctx.Err() == nil {
				t.Errorf("%s: %v", kind, err)
			}
			return ports.Finished
		})
	})
}

// dispatch delivers webhooks until the test ends.
func dispatch(t *testing.T, queue *memqueue.Queue, d *webhooks.Dispatcher) {
	t.Helper()
	during(t, func(ctx context.Context) { _ = d.Run(ctx) })
	during(t, func(ctx context.Context) { _ = workers.Webhooks(ctx, queue, d) })
}

// during runs until the test ends.
func during(t *testing.T, run func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { run(ctx) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
}

func (s *service) populate(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	both := []string{"read", "submit"}
	org, err := s.access.CreateOrganization(ctx, "Example Dental")
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := s.access.CreateOrganization(ctx, "Other Dental")
	if err != nil {
		t.Fatal(err)
	}
	test := billing.Scope{Org: org.ID, Mode: billing.ModeTest}
	s.org, s.test = org.ID, test
	s.office = s.newOffice(t, intake.OfficeRequest{
		Name: "Main Street", NPI: "1234567893", TaxID: "123456789",
		Address: &intake.AddressInput{Line1: "1 Main St", City: "Albany", State: "NY", ZIP: "122070001"}, Phone: "5185550100",
	})
	dentist := idempotency.Administration(test, "test", func(p *directory.Provider) string { s.dentist = p.ID; return "" })
	if _, err := s.access.CreateProvider(ctx, dentist, intake.ProviderRequest{FirstName: "Ann", LastName: "Lee", NPI: "1245319599"}); err != nil {
		t.Fatal(err)
	}
	for into, k := range map[*string]struct {
		scope       billing.Scope
		permissions []string
	}{
		&s.key:   {test, both},
		&s.read:  {test, both[:1]},
		&s.live:  {billing.Scope{Org: org.ID, Mode: billing.ModeLive}, both},
		&s.other: {billing.Scope{Org: stranger.ID, Mode: billing.ModeTest}, both},
	} {
		*into = s.issue(t, k.scope, k.permissions...)
	}
}

// issue returns the secret of a new key.
func (s *service) issue(t *testing.T, scope billing.Scope, may ...string) (secret string) {
	t.Helper()
	call := idempotency.Administration(scope, "test", func(i access.Issued) string { secret = i.Secret; return "" })
	if _, err := s.access.CreateKey(t.Context(), call, intake.KeyRequest{Name: "test", Mode: string(scope.Mode), Permissions: may}); err != nil {
		t.Fatal(err)
	}
	return secret
}

func (s *service) newOffice(t *testing.T, in intake.OfficeRequest) (id billing.OfficeID) {
	t.Helper()
	call := idempotency.Administration(s.test, "test", func(o *directory.Office) string { id = o.ID; return "" })
	if _, err := s.access.CreateOffice(t.Context(), call, in); err != nil {
		t.Fatal(err)
	}
	return id
}

// call is a request to the service; the zero value of a field has a default.
type call struct {
	method string // GET, or POST with a body
	path   string // below /api/v1
	key    string // the first organization's test key
	body   string
	idem   string // a new one
	header map[string]string
	bad    bool // the contract refuses the request
}

func (s *service) do(t *testing.T, c call) response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.addr+root+c.path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if c.method == "" && c.body != "" {
		c.method = http.MethodPost
	}
	if c.method != "" {
		r.Method = c.method
	}
	if c.key == "" {
		c.key = s.key
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	if (&route{method: r.Method}).changes() {
		if c.idem == "" {
			c.idem = fmt.Sprint("key-", s.keys.Add(1))
		}
		r.Header.Set(idempotencyKey, c.idem)
		r.Header.Set("Content-Type", "application/json")
	}
	for k, v := range c.header {
		if r.Header.Set(k, v); v == "" {
			r.Header.Del(k)
		}
	}
	body := func() io.ReadCloser { return io.NopCloser(strings.NewReader(c.body)) }
	if c.body != "" {
		r.Body, r.ContentLength = body(), int64(len(c.body))
	}
	transport := &http.Transport{DisableKeepAlives: true}
	got, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(got.Body)
	if err = errors.Join(err, got.Body.Close()); err != nil {
		t.Fatal(err)
	}
	checkHeaders(t, got)
	checkAdvice(t, got, b)
	forContract := r.Clone(t.Context())
	forContract.URL.Scheme, forContract.URL.Host = "", ""
	if c.body != "" {
		forContract.Body = body()
	}
	checkContract(t, forContract, c.body, !c.bad && got.StatusCode != 400, got.StatusCode, got.Header, string(b))
	return response{got, string(b)}
}

// checkAdvice compares what an error says about another attempt with its code.
func checkAdvice(t *testing.T, r *http.Response, body []byte) {
	t.Helper()
	var e struct {
		Error       billing.Code `json:"error"`
		NeedsNewKey bool         `json:"needs_new_key"`
	}
	if r.StatusCode < 400 || r.Header.Get("Molar-Fault") != "" || json.Unmarshal(body, &e) != nil {
		return
	}
	if e.NeedsNewKey != e.Error.NeedsNewKey() || r.Header.Get("X-Should-Retry") != strconv.FormatBool(e.Error.Retryable()) {
		t.Errorf("%s: needs_new_key is %t, X-Should-Retry %s", e.Error, e.NeedsNewKey, r.Header.Get("X-Should-Retry"))
	}
}

// anObject is a JSON object.
type anObject = map[string]any

// question is a request for a check; change may change it.
func (s *service) question(memberID string, change func(q, subscriber anObject)) string {
	subscriber := anObject{"first_name": "Sam", "last_name": "Example", "date_of_birth": "1984-02-29", "member_id": "SANDBOX-" + memberID}
	q := anObject{"office_id": s.office.String(), "payer_id": "CHTEST", "subscriber": subscriber}
	if change != nil {
		change(q, subscriber)
	}
	b, err := json.Marshal(q)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// get reads a field of the body by its path.
func (a response) get(t *testing.T, path ...string) any {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(a.body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	for _, name := range path {
		list, isList := v.([]any)
		at, err := strconv.Atoi(name)
		o, isObject := v.(anObject)
		switch {
		case isList && err == nil && at < len(list):
			v = list[at]
		case isObject:
			v = o[name]
		default:
			t.Fatalf("no %s in %s", name, a.body)
		}
	}
	return v
}

func (a response) text(t *testing.T, path ...string) string {
	t.Helper()
	s, _ := a.get(t, path...).(string)
	return s
}

// some stands for a value that a test does not know beforehand.
type some struct{}

// shows checks fields of the body, each given as its path, such as
// documents.0.md5, and its value. An empty text is as good as null.
func (a response) shows(t *testing.T, fields ...any) {
	t.Helper()
	for i := 0; i < len(fields); i += 2 {
		path, want := fields[i].(string), fields[i+1]
		got := a.get(t, strings.Split(path, ".")...)
		absent := got == nil || got == ""
		right := fmt.Sprint(got) == fmt.Sprint(want)
		if want == nil || want == "" {
			right = absent
		} else if want == any(some{}) {
			right = !absent
		}
		if !right {
			t.Errorf("%s is %v, want %v in %s", path, got, want, a.body)
		}
	}
}

// fields lists the faults of an error reply as "field code".
func (a response) fields(t *testing.T) (out []string) {
	t.Helper()
	list, _ := a.get(t, "errors").([]any)
	for _, f := range list {
		o := f.(anObject)
		out = append(out, fmt.Sprint(o["field"], " ", o["code"]))
	}
	return out
}

// fixedKey returns a key that is known from the start.
func fixedKey(key [32]byte) func() [32]byte { return func() [32]byte { return key } }
