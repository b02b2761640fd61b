package payerrequests_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/networks"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/payerrequests"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// bench has the use cases on a real database, with a claim for CHTEST.
type bench struct {
	t       *testing.T
	store   pgtest.Clocked
	service *payerrequests.Service
	scope   billing.Scope
	claim   *billing.Claim
}

func newBench(t *testing.T) *bench {
	t.Helper()
	payers := porttest.Payers(t)
	now := time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)
	b := &bench{t: t, store: pgtest.Clocked{Store: pgtest.Open(t), Clock: porttest.At(now, time.Second)}, scope: billing.Scope{Org: billing.NewID[billing.OrgID](now), Mode: billing.ModeTest}}
	sandbox := sandboxnet.Networks(porttest.At(now, time.Second), b.store.SandboxMail(), sandboxnet.Options{})
	b.service = payerrequests.New(b.store, networks.New(sandbox...), payers)
	payer, _ := payers.Find("CHTEST")
	b.claim = &billing.Claim{
		ID: billing.NewID[billing.ClaimID](now), Scope: b.scope, Kind: billing.KindClaim,
		Frequency: billing.FrequencyOriginal, PatientControlNumber: "PCN-1", CreatedAt: now,
		ClaimContent:  billing.ClaimContent{OfficeID: billing.NewID[billing.OfficeID](now), Payer: payer.PayerSummary, PlaceOfService: "11"},
		ClaimProgress: billing.ClaimProgress{State: billing.ClaimAcceptedPayer, UpdatedAt: now},
	}
	porttest.In(t, b.store, b.scope, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, b.claim) })
	return b
}

func call(key string) billing.Request { return billing.Request{Key: key, Fingerprint: [32]byte{1}} }

// write is a call whose reply is rendered by render.
func write[T any](scope billing.Scope, req billing.Request, render func(T, error) billing.Reply) idempotency.Write[T] {
	return idempotency.Write[T]{Call: billing.Call{Scope: scope, Request: req}, Render: render}
}

// render replies with the request's ID.
func render(r *billing.PayerRequest, err error) billing.Reply {
	if err != nil {
		return billing.Reply{Status: 500}
	}
	return billing.Reply{Status: 201, Body: []byte(r.ID.String())}
}

// record records a payer request that must succeed.
func (b *bench) record(key string, in intake.PayerRequestRecord) *billing.PayerRequest {
	b.t.Helper()
	a, err := b.service.Record(b.t.Context(), write(b.scope, call(key), render), in)
	if err != nil || a.Replayed {
		b.t.Fatalf("record %s: replayed %t, %v", key, a.Replayed, err)
	}
	id, err := billing.ParseID[billing.PayerRequestID](string(a.Body))
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := b.service.Get(b.t.Context(), b.scope, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func letter() intake.PayerRequestRecord {
	return intake.PayerRequestRecord{PayerID: new("CHTEST"), ReferenceNumber: "REF-1", Requested: "An X-ray of tooth 14.", DueDate: new("2026-04-01")}
}

func (b *bench) events() []*billing.Event {
	b.t.Helper()
	return porttest.Read(b.t, b.store, b.scope, func(ctx context.Context, tx ports.Tx) ([]*billing.Event, error) {
		return tx.Events.List(ctx, billing.EventFilter{}, billing.Page{Limit: 100})
	})
}

func TestRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.record("k", letter())
	if r.State != billing.PayerRequestOpen || r.Source != billing.SourceStaff || r.Payer != b.claim.Payer || r.ReferenceNumber != "REF-1" ||
		r.Requested != "An X-ray of tooth 14." || r.DueDate != (billing.Date{Year: 2026, Month: 4, Day: 1}) || !r.ClaimID.IsZero() {
		t.Errorf("%+v", r)
	}
	all := b.events()
	if len(all) != 1 || all[0].Type != billing.EventPayerRequestReceived || all[0].Sequence != 1 || all[0].Resource != r.ID || !all[0].CreatedAt.Equal(r.CreatedAt) {
		t.Fatalf("events %+v, want one payer_request.received", all)
	}
	var data struct {
		ID      string  `json:"id"`
		Source  string  `json:"source"`
		DueDate *string `json:"due_date"`
		ClaimID *string `json:"claim_id"`
	}
	err := json.Unmarshal(all[0].Data, &data)
	if err != nil || data.ID != r.ID.String() || data.Source != "staff" || *data.DueDate != "2026-04-01" || data.ClaimID != nil {
		t.Errorf("the event has %+v, %v", data, err)
	}
	if strings.Contains(string(all[0].Data), "X-ray") {
		t.Error("the event has the payer's words")
	}

	about := letter()
	about.ClaimID, about.PayerID, about.DueDate = new(b.claim.ID.String()), nil, nil
	if r := b.record("k2", about); r.ClaimID != b.claim.ID || r.Payer != b.claim.Payer || !r.DueDate.IsZero() {
		t.Errorf("about a claim: %+v", r)
	}
	about.PayerID = new("molartest") // an alias of the claim's payer
	if r := b.record("k3", about); r.Payer != b.claim.Payer {
		t.Errorf("about a claim, with its payer: %+v", r)
	}
}

func TestRecordsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	unknown := billing.NewID[billing.ClaimID](time.Now()).String()
	for name, c := range map[string]struct {
		change func(*intake.PayerRequestRecord)
		code   billing.Code
		want   string
	}{
		"no payer":              {func(r *intake.PayerRequestRecord) { r.PayerID = nil }, billing.CodeInvalidRequest, "payer_id required"},
		"a blank payer":         {func(r *intake.PayerRequestRecord) { r.PayerID = new("") }, billing.CodeInvalidRequest, "payer_id required"},
		"an unknown payer":      {func(r *intake.PayerRequestRecord) { r.PayerID = new("NOBODY") }, billing.CodeNotFound, "payer_id not_found"},
		"an ill-formed claim":   {func(r *intake.PayerRequestRecord) { r.ClaimID = new("clm_1") }, billing.CodeInvalidRequest, "claim_id format"},
		"an unknown claim":      {func(r *intake.PayerRequestRecord) { r.ClaimID = &unknown }, billing.CodeNotFound, "claim_id not_found"},
		"both are unknown":      {func(r *intake.PayerRequestRecord) { r.ClaimID, r.PayerID = &unknown, new("NOBODY") }, billing.CodeNotFound, "claim_id not_found"},
		"another payer's claim": {func(r *intake.PayerRequestRecord) { r.ClaimID, r.PayerID = new(b.claim.ID.String()), new("60054") }, billing.CodeInvalidRequest, "payer_id conflict"},
		"no reference":          {func(r *intake.PayerRequestRecord) { r.ReferenceNumber = " " }, billing.CodeInvalidRequest, "reference_number required"},
		"a long reference":      {func(r *intake.PayerRequestRecord) { r.ReferenceNumber = strings.Repeat("é", 51) }, billing.CodeInvalidRequest, "reference_number too_long"},
		"nothing is asked":      {func(r *intake.PayerRequestRecord) { r.Requested = "" }, billing.CodeInvalidRequest, "requested required"},
		"a day that is none":    {func(r *intake.PayerRequestRecord) { r.DueDate = new("2026-02-30") }, billing.CodeInvalidRequest, "due_date format"},
		"faults before absence": {func(r *intake.PayerRequestRecord) { r.ClaimID, r.Requested = &unknown, "" }, billing.CodeInvalidRequest, "requested required"},
		"what the form lacks":   {func(r *intake.PayerRequestRecord) { r.Faults.Add("x", billing.FaultUnknown, "?") }, billing.CodeInvalidRequest, "x unknown"},
	} {
		in := letter()
		c.change(&in)
		_, err := b.service.Record(t.Context(), write(b.scope, call("k"), render), in)
		got := ""
		if e, ok := errors.AsType[*billing.Error](err); ok && len(e.Faults) > 0 {
			got = e.Faults[0].Field + " " + string(e.Faults[0].Code)
		}
		if err == nil || billing.CodeOf(err) != c.code || got != c.want {
			t.Errorf("%s: %v with %q, want %s with %q", name, err, got, c.code, c.want)
		}
	}
	// When no attachment could answer it, a request is refused before it is read.
	live, about := billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive}, letter()
	about.Requested = ""
	if _, err := b.service.Record(t.Context(), write(live, call("k"), render), about); billing.CodeOf(err) != billing.CodeAttachmentsUnavailable {
		t.Errorf("in live mode: %v", err)
	}
	// The claim of another organization is absent.
	about.ClaimID, about.Requested = new(b.claim.ID.String()), "All."
	other := billing.Scope{Org: billing.NewID[billing.OrgID](time.Now()), Mode: billing.ModeTest}
	if _, err := b.service.Record(t.Context(), write(other, call("k"), render), about); billing.CodeOf(err) != billing.CodeNotFound {
		t.Errorf("the claim of another organization: %v", err)
	}
	r := b.record("k", letter()) // the key is still good
	if _, err := b.service.Get(t.Context(), live, r.ID); billing.CodeOf(err) != billing.CodeNotFound {
		t.Errorf("the request of another mode: %v", err)
	}
	if n := len(b.events()); n != 1 {
		t.Errorf("%d events, want one", n)
	}
}

// TestRecordOnce repeats a record, at once and later.
func TestRecordOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]int{}
	for range 12 {
		all.Go(func() {
			a, err := b.service.Record(t.Context(), write(b.scope, call("k"), render), letter())
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				answers[string(a.Body)]++
			} else if billing.CodeOf(err) != billing.CodeIdempotencyKeyInUse {
				t.Error(err)
			}
		})
	}
	all.Wait()
	a, err := b.service.Record(t.Context(), write(b.scope, call("k"), render), letter())
	if err != nil || !a.Replayed || a.Status != 201 || answers[string(a.Body)] == 0 || len(answers) != 1 {
		t.Errorf("again: %s, replayed %t, %v; at once %v", a.Body, a.Replayed, err, answers)
	}
	other := call("k")
	other.Fingerprint = [32]byte{2}
	if _, err := b.service.Record(t.Context(), write(b.scope, other, render), letter()); billing.CodeOf(err) != billing.CodeIdempotencyKeyReused {
		t.Errorf("another record with the key: %v", err)
	}
	if n := len(b.events()); n != 1 {
		t.Errorf("%d events, want one", n)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var want []billing.PayerRequestID
	for n := range 5 {
		want = append([]billing.PayerRequestID{b.record(fmt.Sprint("k", n), letter()).ID}, want...)
	}
	var got []billing.PayerRequestID
	for p := (billing.Page{Limit: 2}); ; {
		page, next, err := b.service.List(t.Context(), b.scope, billing.PayerRequestFilter{State: billing.PayerRequestOpen}, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page {
			got = append(got, r.ID)
		}
		if p.After = next; next == nil {
			break
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("pages %v, want %v", got, want)
	}
	none, next, err := b.service.List(t.Context(), b.scope, billing.PayerRequestFilter{State: billing.PayerRequestAnswered}, billing.Page{Limit: 2})
	if err != nil || len(none) != 0 || next != nil {
		t.Errorf("answered ones: %v, %v, %v", none, next, err)
	}
}
