package batches_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// fixture has the use cases on a real database with the real codec and the
// sandbox.
type fixture struct {
	*practice

	t       *testing.T
	url     string // of the database
	store   pgtest.Clocked
	clock   *porttest.Clock
	payers  *directory.PayerDirectory
	codec   ports.ClaimsEDI
	network *house
	options network.Options // of the network
	service *batches.Service
	made    int // claims and practices

	mu       sync.Mutex
	remitted map[string]int  // remittances that were passed on, by name
	payees   []billing.Scope // of each, the scope of its file
	contents []string        // of each
}

// practice is an organization that sends claims.
type practice struct {
	scope    billing.Scope
	office   *directory.Office
	provider *directory.Provider
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	b := &fixture{t: t, clock: porttest.At(time.Date(2026, 3, 4, 5, 6, 7, 8_000_000, time.UTC), 0), payers: porttest.Payers(t), codec: edi.New(), remitted: map[string]int{}}
	b.store = pgtest.Clocked{Store: pgtest.Open(t, func(o *pgstore.Options) { b.url = o.URL }), Clock: b.clock}
	b.network = newHouse(sandboxnet.NewClearinghouse(b.clock, b.store.SandboxMail(), sandboxnet.Options{ERADelay: time.Second}))
	b.service = b.build(b.store, b.network)
	b.practice = b.newPractice("1234567893")
	t.Cleanup(func() { porttest.Totals(t, b.store, b.scope) })
	return b
}

// process returns the use cases of another process. The fault decides how its
// calls end.
func (b *fixture) process(f *porttest.Fault) *batches.Service {
	return b.build(porttest.Store{Store: b.store, Fault: f}, faultyNetwork{b.network, f})
}

func (b *fixture) build(store ports.Store, nw ports.Clearinghouse) *batches.Service {
	n := sandbox(nw)
	n.Options = b.options
	return b.buildOn(store, n)
}

// buildOn returns the use cases with the networks.
func (b *fixture) buildOn(store ports.Store, open ...*ports.Network) *batches.Service {
	return batches.New(store, batches.Outside{EDI: b.codec, Remit: b.remit, Networks: routing.New(open...)}, b.payers)
}

// sandbox returns the sandbox's network with a clearinghouse of the test's own.
func sandbox(clearinghouse ports.Clearinghouse) *ports.Network {
	return &ports.Network{
		Name: sandboxnet.Name, Route: network.Route{Mode: billing.ModeTest}, Poll: time.Millisecond, Claims: clearinghouse, Replies: clearinghouse,
		Envelope: network.Envelope{
			Sender:   network.End{Qualifier: "ZZ", ID: "MOLAR"},
			Receiver: network.End{Qualifier: "ZZ", ID: "CLEARINGHOUSE"},
		},
	}
}

func (b *fixture) remit(_ context.Context, _ *network.Route, f clearing.IncomingFile) ([]*quarantine.File, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remitted[f.Name]++
	b.payees = append(b.payees, f.Scope)
	b.contents = append(b.contents, string(f.Content))
	return nil, nil
}

func (b *fixture) newPractice(npi string) *practice {
	b.t.Helper()
	return b.newPracticeIn(billing.ModeTest, npi)
}

func (b *fixture) newPracticeIn(mode billing.Mode, npi string) *practice {
	b.t.Helper()
	now := b.clock.Now()
	p := &practice{scope: porttest.Organization(b.t, b.store, mode)}
	p.provider = &directory.Provider{
		ID: billing.NewID[billing.ProviderID](billing.RealAt(now)), Scope: p.scope, FirstName: "Ann", LastName: "Rivers", NPI: "1679576722",
		Taxonomy: "1223G0001X", CreatedAt: now,
	}
	b.in(p, func(ctx context.Context, tx ports.Tx) error { return tx.Providers.Insert(ctx, p.provider) })
	p.office = b.newOffice(p.scope, npi)
	return p
}

func (b *fixture) newOffice(scope billing.Scope, npi string) *directory.Office {
	b.t.Helper()
	b.made++
	return porttest.Office(b.t, b.store, scope, func(o *directory.Office) {
		o.Name, o.NPI, o.TaxID, o.Phone, o.VerifiedAt = "Main Street Dental", npi, fmt.Sprintf("12%07d", b.made), "2175550100", b.clock.Now()
		o.Address = directory.Address{Line1: "1 Main St", City: "Springfield", State: "IL", ZIP: "627011234"}
		o.TimeZone = "America/Chicago"
	})
}

func (b *fixture) in(p *practice, fn func(ctx context.Context, tx ports.Tx) error) {
	b.t.Helper()
	porttest.In(b.t, b.store, p.scope, fn)
}

// quietPayer accepts claims and never decides them.
const quietPayer = "60054"

// claim returns a claim of the practice that waits for a batch.
func (b *fixture) claim(p *practice, ending string) *claim.Claim {
	b.t.Helper()
	payer, ok := b.payers.Find(quietPayer)
	if !ok {
		b.t.Fatalf("there is no payer %s", quietPayer)
	}
	b.made++
	now := b.clock.Now()
	return &claim.Claim{
		ID: billing.NewID[billing.ClaimID](billing.RealAt(now)), Scope: p.scope, Kind: claim.KindClaim,
		Frequency: claim.FrequencyOriginal, PatientControlNumber: fmt.Sprintf("PCN-%06d", b.made),
		CreatedAt: now,
		Content: claim.Content{
			OfficeID: p.office.ID, Payer: payer.PayerSummary, ProviderID: p.provider.ID, PlaceOfService: "11",
			Subscriber: claim.Subscriber{
				FirstName: "Jane", LastName: "Doe", DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12}, Gender: claim.GenderFemale,
				MemberID: fmt.Sprintf("M%06d%s", b.made, ending),
				Address:  directory.Address{Line1: "2 Oak St", City: "Springfield", State: "IL", ZIP: "62701"},
			},
			Lines: []claim.Line{{ProcedureCode: "D0120", ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 2}, Fee: 50_00, Quantity: 1}},
		},
		Progress: claim.Progress{
			State:     claim.Queued,
			History:   []claim.Move{{State: claim.Queued, At: now, Cause: claim.TriggerSubmit}},
			UpdatedAt: now,
		},
	}
}

// queue stores claims of the practice, each with its event.
func (b *fixture) queue(p *practice, endings ...string) (all []*claim.Claim) {
	b.t.Helper()
	for _, ending := range endings {
		all = append(all, b.claim(p, ending))
	}
	b.keep(p, all...)
	return all
}

// keep stores new claims, each with its event.
func (b *fixture) keep(p *practice, all ...*claim.Claim) {
	b.t.Helper()
	for some := range slices.Chunk(all, 500) {
		b.in(p, func(ctx context.Context, tx ports.Tx) error {
			for _, c := range some {
				if err := tx.Claims.Insert(ctx, c); err != nil {
					return err
				}
				e := c.Event(event.ClaimQueued, claim.Cause{Previous: claim.Validated, At: c.CreatedAt})
				if err := tx.Events.Append(ctx, e); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// cut cuts batches, and checks their number.
func (b *fixture) cut(want int) {
	b.t.Helper()
	if n, err := b.service.Cut(b.t.Context()); err != nil || n != want {
		b.t.Fatalf("%d batches were cut, want %d; %v", n, want, err)
	}
}

// due returns the jobs that are not done, including leased and resting ones.
func (b *fixture) due() []jobs.Job { return porttest.Due(b.t, b.store, time.Hour) }

// send runs all jobs, and checks that none is left.
func (b *fixture) send() {
	b.t.Helper()
	for _, j := range b.due() {
		if err := b.service.Send(b.t.Context(), j); err != nil {
			b.t.Fatalf("send: %v", err)
		}
	}
	if left := b.due(); len(left) > 0 {
		b.t.Fatalf("%d jobs are left", len(left))
	}
}

// receive imports all files, and checks that none fails.
func (b *fixture) receive() {
	b.t.Helper()
	for {
		got, err := b.service.Receive(b.t.Context(), sandboxnet.Name)
		if err != nil {
			b.t.Fatalf("receive: %v", err)
		}
		if got.Files == 0 {
			return
		}
	}
}

// untilAll is the time at which the sandbox has sent every response to a file,
// even with other receivers.
const untilAll = time.Minute

// turn sends the queued claims, in that many files, and receives the responses.
func (b *fixture) turn(files int) {
	b.t.Helper()
	b.cut(files)
	b.send()
	b.clock.Advance(untilAll)
	b.receive()
}

// get reads a claim.
func (b *fixture) get(p *practice, id billing.ClaimID) *claim.Claim {
	b.t.Helper()
	return porttest.Claim(b.t, b.store, p.scope, id).Claim
}

// batch reads a batch.
func (b *fixture) batch(p *practice, id billing.FileID) *clearing.Batch {
	b.t.Helper()
	return porttest.Read(b.t, b.store, p.scope, func(ctx context.Context, tx ports.Tx) (*clearing.Batch, error) {
		return tx.Batches.Get(ctx, id)
	})
}

// batches lists all batches of the practice with their bytes, the newest first.
func (b *fixture) batches(p *practice) (all []*clearing.Batch, content map[string]string) {
	b.t.Helper()
	content = map[string]string{}
	b.in(p, func(ctx context.Context, tx ports.Tx) (err error) {
		if all, err = tx.Batches.List(ctx, billing.Page{Limit: 10_000}); err != nil {
			return err
		}
		for _, f := range all {
			bytes, err := tx.Batches.Content(ctx, f.ID)
			if err != nil {
				return err
			}
			content[f.File.Name] = string(bytes)
		}
		return nil
	})
	return all, content
}

// story returns the events of a resource, and checks that their sequence counts
// up from 1.
func (b *fixture) story(p *practice, resource [16]byte) string {
	b.t.Helper()
	var words []string
	for _, e := range b.events(p, resource) {
		words = append(words, strings.TrimPrefix(string(e.Type), "claim."))
	}
	return strings.Join(words, " ")
}

// events returns the events of a resource in their order.
func (b *fixture) events(p *practice, resource [16]byte) []*event.Event {
	return porttest.Events(b.t, b.store, p.scope, resource)
}

// wantClaim checks the state of a claim and its events.
func (b *fixture) wantClaim(p *practice, id billing.ClaimID, state claim.State, story string) {
	b.t.Helper()
	if c := b.get(p, id); c.State != state {
		b.t.Errorf("the claim is %s, want %s", c.State, state)
	}
	if got := b.story(p, id); got != story {
		b.t.Errorf("the claim's events are %q, want %q", got, story)
	}
}

// requests lists the payer requests of the practice.
func (b *fixture) requests(p *practice) []*attachment.PayerRequest {
	b.t.Helper()
	return porttest.Read(b.t, b.store, p.scope, func(ctx context.Context, tx ports.Tx) ([]*attachment.PayerRequest, error) {
		return tx.PayerRequests.List(ctx, attachment.PayerRequestFilter{}, billing.Page{Limit: 1000})
	})
}

// quarantined lists what is in quarantine.
func (b *fixture) quarantined() (all []*quarantine.File) {
	b.t.Helper()
	porttest.System(b.t, b.store, func(ctx context.Context, tx ports.SystemTx) (err error) {
		all, err = tx.Quarantine.List(ctx)
		return err
	})
	return all
}
