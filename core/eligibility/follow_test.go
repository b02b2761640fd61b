package eligibility_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// process is one process of the service: it sees changes of connections when it follows
// them.
type process struct {
	*eligibility.Service
	connections *connections.Service
}

// process starts a process of the fixture's service. Its connections lead to the sandbox.
func (b *fixture) process() process {
	b.t.Helper()
	times := eligibility.DefaultTimes()
	times.Wait = 0
	open, payers, log := routing.New(), porttest.Payers(b.t), slog.New(slog.DiscardHandler)
	kind := corenet.Kind(nil, nil)
	kind.Open = func(*network.Connection) (*ports.Network, error) {
		return &ports.Network{Eligibility: edi.New().Over(sandboxnet.NewEligibility(b.clock).Inquire)}, nil
	}
	p := process{connections: connections.New(b.store, network.Kinds{kind.Kind}, payers, func(string, network.Reason) {}, log)}
	connector := routing.NewConnector(open, []ports.ConnectionKind{kind}, p.connections.Observe, log)
	p.connections.Use(connector)
	open.FollowWith(p.connections.Follow)
	b.t.Cleanup(connector.Close)
	p.Service = eligibility.New(b.store, b.queue, open, edi.New(), payers, times)
	return p
}

// must fails the test for an error of an operator's command.
func (b *fixture) must(_ *network.Connection, err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// follow makes the process see the connections as they are now.
func (b *fixture) follow(p process) {
	b.t.Helper()
	if err := p.connections.Follow(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
}

// TestWorkerBehind asks through a connection that the process which accepted the check
// sees, and the worker's process does not see yet.
func TestWorkerBehind(t *testing.T) {
	t.Parallel()
	add := func(b *fixture, operator *connections.Service) {
		b.must(operator.Add(b.t.Context(), intake.ConnectionRequest{
			Name: "Checks", Mode: "live", Kind: "core", Carries: []string{"eligibility"}, Usage: "P", SenderID: "MOLAR1", ReceiverID: "NET1",
			EveryPayer: true, Own: map[string][]byte{
				"url": []byte("https://core.example.com/soap"), "envelope": []byte("soap-2.2.0"), "user": []byte("molar"), "password_file": []byte("secret"),
			},
		}))
	}
	pause := func(b *fixture) {
		porttest.System(b.t, b.store, func(ctx context.Context, tx ports.SystemTx) error {
			c, err := tx.Connections.Lock(ctx, "Checks")
			if err != nil {
				return err
			}
			c.Pause = network.Pause{At: tx.Real.Now().Time, Reason: network.ReasonUnauthorized, Detail: "refused"}
			return tx.Connections.Save(ctx, c)
		})
	}
	for name, c := range map[string]struct {
		before, change func(b *fixture, operator *connections.Service)
		after          func(b *fixture, operator *connections.Service) // the check was accepted
		want           coverage.Outcome
	}{
		"added": {change: add, want: coverage.OutcomeAnswered},
		"enabled": {
			before: func(b *fixture, operator *connections.Service) {
				add(b, operator)
				b.must(operator.Disable(b.t.Context(), "Checks"))
			},
			change: func(b *fixture, operator *connections.Service) { b.must(operator.Enable(b.t.Context(), "Checks")) },
			want:   coverage.OutcomeAnswered,
		},
		"enabled after a pause": {
			before: func(b *fixture, operator *connections.Service) { add(b, operator); pause(b) },
			change: func(b *fixture, operator *connections.Service) { b.must(operator.Enable(b.t.Context(), "Checks")) },
			want:   coverage.OutcomeAnswered,
		},
		"disabled again": {
			change: add,
			after:  func(b *fixture, operator *connections.Service) { b.must(operator.Disable(b.t.Context(), "Checks")) },
			want:   coverage.OutcomeError,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newFixture(t, eligibility.DefaultTimes())
			b.scope = porttest.Organization(t, b.store, billing.ModeLive)
			b.office = porttest.Office(t, b.store, b.scope)
			accepting, worker := b.process(), b.process()
			operator := accepting.connections
			if c.before != nil {
				c.before(b, operator)
			}
			b.follow(worker)
			c.change(b, operator)
			b.follow(accepting)
			b.impatient = accepting.Service
			j := b.begin(b.request("-ACTIVE-FULL"))
			if c.after != nil {
				c.after(b, operator)
			}
			err := worker.Answer(t.Context(), j)
			got := b.get(j)
			if got.Outcome != c.want {
				t.Errorf("%s with %v, want %s", got.Outcome, err, c.want)
			}
			if _, done := errors.AsType[*jobs.DoneError](err); done != (c.want == coverage.OutcomeError) {
				t.Errorf("%v", err)
			}
		})
	}
}
