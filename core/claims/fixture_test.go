package claims_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// start is the time at which tests begin: an evening in New York, and the next
// day in UTC.
func start() time.Time { return time.Date(2026, 3, 5, 2, 0, 0, 8000, time.UTC) }

func day(month time.Month, d int) billing.Date { return billing.Date{Year: 2026, Month: month, Day: d} }

// fixture has the use cases on a real database, in which an organization has an
// office in New York and two providers in each mode.
type fixture struct {
	t        *testing.T
	store    pgtest.Clocked
	service  *claims.Service
	clock    *porttest.Clock
	payers   *directory.PayerDirectory
	scope    billing.Scope
	office   *directory.Office
	provider *directory.Provider // the older one
	second   *directory.Provider
	keys     int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	payers := porttest.Payers(t)
	b := &fixture{t: t, clock: porttest.At(start(), time.Second), payers: payers}
	b.store = pgtest.Clocked{Store: pgtest.Open(t), Clock: b.clock}
	b.service = claims.New(b.store, routing.New(), payers)
	return b.of(billing.ModeTest)
}

// of returns the fixture of another organization of the mode, with the same
// service.
func (b *fixture) of(mode billing.Mode) *fixture {
	b.t.Helper()
	other := *b
	other.scope = porttest.Organization(b.t, b.store, mode)
	other.furnish(start().Add(-time.Hour))
	b.t.Cleanup(func() { porttest.Totals(other.t, other.store, other.scope) })
	return &other
}

// newFixtureBeside returns another organization in the same database.
func newFixtureBeside(b *fixture) *fixture { return b.of(b.scope.Mode) }

// with returns the fixture for a subtest.
func (b *fixture) with(t *testing.T) *fixture {
	t.Helper()
	b.t = t
	return b
}

// furnish creates the office and the providers of the scope.
func (b *fixture) furnish(now time.Time) {
	b.t.Helper()
	b.office = porttest.Office(b.t, b.store, b.scope, func(o *directory.Office) {
		o.Name, o.TaxID, o.CreatedAt = "Main Street", "123456789", now
		o.Address = directory.Address{Line1: "1 Main Street", City: "Springfield", State: "IL", ZIP: "627010001"}
	})
	b.provider = &directory.Provider{
		ID: billing.NewID[billing.ProviderID](billing.RealAt(now)), Scope: b.scope, FirstName: "Ann", LastName: "Lee", NPI: "1234567893", Taxonomy: "122300000X", CreatedAt: now,
	}
	b.second = &directory.Provider{
		ID: billing.NewID[billing.ProviderID](billing.RealAt(now)), Scope: b.scope, FirstName: "Bo", LastName: "Ng", NPI: "1111111112", Taxonomy: "122300000X",
		CreatedAt: now.Add(time.Minute),
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Providers.Insert(ctx, b.provider), tx.Providers.Insert(ctx, b.second))
	})
}

func (b *fixture) in(fn func(ctx context.Context, tx ports.Tx) error) {
	b.t.Helper()
	porttest.In(b.t, b.store, b.scope, fn)
}

// request returns a call with its own key.
func (b *fixture) request() caller.Request {
	b.keys++
	return call(fmt.Sprint("key-", b.keys))
}

func call(key string) caller.Request {
	return caller.Request{ID: billing.NewID[billing.RequestID](billing.RealAt(start())), Key: key, Fingerprint: [32]byte{1}}
}

// render replies with the ID of the claim.
func render(r *claim.Record, err error) caller.Reply {
	if err != nil {
		return caller.Reply{Status: 500}
	}
	return caller.Reply{Status: 201, Body: []byte(r.ID.String())}
}

// rendering renders the reply of a use case of claims.
type rendering func(*claim.Record, error) caller.Reply

// use is a use case that returns a claim.
type use func(rendering) (caller.Reply, error)

func (b *fixture) write(req caller.Request, render rendering) idempotency.Write[*claim.Record] {
	return idempotency.Write[*claim.Record]{Call: caller.Call{Scope: b.scope, Request: req}, Render: render}
}

// does runs a use case that must succeed, and returns the claim, which must be
// the stored one.
func (b *fixture) does(u use) *claim.Record {
	b.t.Helper()
	var made *claim.Record
	reply, err := u(func(r *claim.Record, err error) caller.Reply {
		made = r
		return render(r, err)
	})
	if err != nil || reply.Replayed {
		b.t.Fatalf("replayed %t, %v, %s", reply.Replayed, err, faults(err))
	}
	kept := b.get(made.ID)
	if said, is := text(b.t, made), text(b.t, kept); said != is {
		b.t.Errorf("the answer was\n%s\nwhat is kept is\n%s", said, is)
	}
	return kept
}

// refused runs a use case that must be refused, and returns the error: its code
// and its faults, field by field.
func (b *fixture) refused(u use) string {
	b.t.Helper()
	a, err := u(render)
	if err == nil {
		b.t.Errorf("replied %s, replayed %t; want an error", a.Body, a.Replayed)
		return ""
	}
	return strings.TrimSpace(string(billing.CodeOf(err)) + " " + faults(err))
}

func faults(err error) string {
	var words []string
	if e, ok := errors.AsType[*billing.Error](err); ok {
		for _, f := range e.Faults {
			words = append(words, f.Field+" "+string(f.Code))
		}
	}
	return strings.Join(words, ", ")
}

// text returns all of a value; no list and an empty list are equal.
func text(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), "[]", "null")
}

func (b *fixture) get(id billing.ClaimID) *claim.Record {
	b.t.Helper()
	r, err := b.service.Get(b.t.Context(), b.scope, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// The use cases, each under a key of its own.

func (b *fixture) make(in intake.ClaimRequest) use {
	req := b.request()
	return func(r rendering) (caller.Reply, error) {
		return b.service.Make(b.t.Context(), b.write(req, r), in)
	}
}

func (b *fixture) change(id billing.ClaimID, in intake.ClaimRequest) use {
	req := b.request()
	return func(r rendering) (caller.Reply, error) {
		return b.service.Change(b.t.Context(), b.write(req, r), id, in)
	}
}

func (b *fixture) replace(id billing.ClaimID, in intake.ClaimRequest) use {
	req := b.request()
	return func(r rendering) (caller.Reply, error) {
		return b.service.Replace(b.t.Context(), b.write(req, r), id, in)
	}
}

func (b *fixture) convert(id billing.ClaimID, lines ...intake.ConvertLineInput) use {
	req := b.request()
	return func(r rendering) (caller.Reply, error) {
		return b.service.Convert(b.t.Context(), b.write(req, r), id, intake.ConvertRequest{Lines: lines})
	}
}

func (b *fixture) submit(id billing.ClaimID) use {
	req := b.request()
	return func(r rendering) (caller.Reply, error) {
		return b.service.Submit(b.t.Context(), b.write(req, r), id, intake.SubmitRequest{})
	}
}

func (b *fixture) void(id billing.ClaimID) use   { return b.plain(b.service.Void, id) }
func (b *fixture) reopen(id billing.ClaimID) use { return b.plain(b.service.Reopen, id) }

// reconcile accepts the whole charge of a good claim.
func (b *fixture) reconcile(id billing.ClaimID) use {
	return b.accept(id, "1310.00")
}

// accept reconciles a claim, and writes the amount off unless it is empty.
func (b *fixture) accept(id billing.ClaimID, amount string) use {
	req := b.request()
	return func(r rendering) (caller.Reply, error) {
		in := intake.ReconcileRequest{AcceptOpen: &intake.AcceptOpenInput{As: "write_off", Lines: []intake.AcceptLineInput{{Amount: amount}}}}
		if amount == "" {
			in.AcceptOpen = nil
		}
		return b.service.Reconcile(b.t.Context(), b.write(req, r), id, in)
	}
}

func (b *fixture) plain(
	do func(context.Context, idempotency.Write[*claim.Record], billing.ClaimID) (caller.Reply, error), id billing.ClaimID,
) use {
	req := b.request()
	return func(r rendering) (caller.Reply, error) {
		return do(b.t.Context(), b.write(req, r), id)
	}
}

// good returns a claim without findings.
func (b *fixture) good() intake.ClaimRequest {
	return intake.ClaimRequest{
		OfficeID: new(b.office.ID.String()), PayerID: new("CHTEST"),
		Subscriber: &intake.ClaimSubscriberInput{
			PersonInput: intake.PersonInput{
				FirstName: "Jane", LastName: "Doe", DateOfBirth: "1985-04-12", Gender: "female",
				Address: &intake.AddressInput{Line1: "2 Oak Street", City: "Springfield", State: "IL", ZIP: "62701"},
			},
			MemberID: "SANDBOX-PAID-ERA", GroupNumber: "G-1",
		},
		Lines: []intake.ClaimLineInput{
			{ProcedureCode: "D2740", ServiceDate: new("2026-03-04"), Fee: "1250.00", Tooth: new("14")},
			{ProcedureCode: "D0120", ServiceDate: new("2026-03-02"), Fee: "60.00"},
		},
	}
}

// asking returns a predetermination without findings.
func (b *fixture) asking() intake.ClaimRequest {
	in := b.good()
	in.Kind = new("predetermination")
	for i := range in.Lines {
		in.Lines[i].ServiceDate = nil
	}
	return in
}

// child makes the patient of a request a dependent.
func child(in intake.ClaimRequest) intake.ClaimRequest {
	in.Patient = &intake.ClaimPatientInput{
		PersonInput: intake.PersonInput{FirstName: "Tim", LastName: "Doe", DateOfBirth: "2015-06-07", Gender: "male"}, Relationship: "child",
	}
	return in
}

// given returns a PATCH of the fields.
func given(in intake.ClaimRequest, fields ...string) intake.ClaimRequest {
	in.Given = map[string]bool{}
	for _, f := range fields {
		in.Given[f] = true
	}
	return in
}

// at creates a good claim and puts it into a state, as files would.
func (b *fixture) at(state claim.State) *claim.Record {
	b.t.Helper()
	return b.put(b.does(b.make(b.good())).ID, state)
}

func (b *fixture) put(id billing.ClaimID, state claim.State) *claim.Record {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		c.State, c.SentAt, c.PayerClaimNumber, c.Accepted = state, start(), "PAYER-1", nil
		return tx.Claims.Save(ctx, c.Claim)
	})
	return b.get(id)
}

// events returns the events of a claim, the first first, each with its states,
// and checks their sequence.
func (b *fixture) events(id billing.ClaimID) string {
	b.t.Helper()
	var words []string
	for _, e := range porttest.Events(b.t, b.store, b.scope, id) {
		var data struct {
			ID       string  `json:"id"`
			State    string  `json:"state"`
			Previous *string `json:"previous_state"`
		}
		if err := json.Unmarshal(e.Data, &data); err != nil || data.ID != id.String() {
			b.t.Fatalf("event %d: %s, %v", e.Sequence, e.Data, err)
		}
		from := "none"
		if data.Previous != nil {
			from = *data.Previous
		}
		words = append(words, string(e.Type)+" "+from+">"+data.State)
	}
	return strings.Join(words, ", ")
}

// history returns the history of a claim.
func history(c *claim.Record) string {
	var words []string
	for _, m := range c.History {
		words = append(words, string(m.Cause)+">"+string(m.State))
	}
	return strings.Join(words, ", ")
}

// found returns the findings of a claim, field by field.
func found(c *claim.Record) string {
	var words []string
	for _, f := range c.Findings {
		words = append(words, f.Field+" "+f.Code)
	}
	return strings.Join(words, ", ")
}

// count counts claims of the scope, of either kind.
func (b *fixture) count() (n int) {
	b.t.Helper()
	for _, kind := range []claim.Kind{claim.KindClaim, claim.KindPredetermination} {
		all, _, err := b.service.List(b.t.Context(), b.scope, claim.Filter{Kind: kind}, billing.Page{Limit: 100})
		if err != nil {
			b.t.Fatal(err)
		}
		n += len(all)
	}
	return n
}
