package sandbox_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/adapters/memqueue"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/clearing"
	clock "github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/sandbox"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// fixture has an organization with two files of the sandbox, an hour and two hours from
// now. Its service has no worker: the test drives the job.
type fixture struct {
	*sandbox.Service

	t      *testing.T
	store  *pgstore.Store
	scope  billing.Scope
	staged chan jobs.Job
	settle func(ctx context.Context, file string) error // instead of applying the file that is due
	log    strings.Builder
	logger *slog.Logger
	blobs  ports.Blobs
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	b := &fixture{t: t, staged: make(chan jobs.Job, 1)}
	b.store = pgtest.Open(t, func(o *pgstore.Options) { o.Staged = func(all []jobs.Job) { b.staged <- all[0] } })
	folder, err := fileblob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	b.blobs, b.logger = folder, slog.New(slog.NewTextHandler(&b.log, nil))
	b.scope = porttest.Organization(t, b.store, billing.ModeTest)
	mail := b.store.SandboxMail()
	b.settle = mail.Remove
	b.Service = sandbox.New(b.store, memqueue.NewBroker().Open(), b.blobs, sandbox.Clearinghouses{
		Names:  func(billing.Scope) []string { return []string{"sandbox"} },
		Leaves: func(billing.Scope, billing.PayerID, time.Time) (string, time.Time) { return "", time.Time{} },
		Settle: func(ctx context.Context, _ billing.Scope, _ []billing.PayerID) error {
			due, err := mail.Take(ctx, time.Now(), 0, 1)
			if err != nil || len(due) == 0 {
				return err
			}
			return b.settle(ctx, due[0].Name)
		},
	}, b.logger)
	for name, after := range map[string]time.Duration{"first.835": time.Hour, "second.835": 2 * time.Hour} {
		f := sandboxnet.MailFile{IncomingFile: clearing.IncomingFile{Scope: b.scope, Name: name, Content: []byte("ISA")}, Due: time.Now().Add(after)}
		if err := mail.Put(t.Context(), []sandboxnet.MailFile{f}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// advance advances the clock until nothing waits, and returns the reply.
func (b *fixture) advance() caller.Reply {
	b.t.Helper()
	idle := "idle"
	reply, err := b.Advance(b.t.Context(), idempotency.Write[*clock.Status]{
		Call: caller.Call{Scope: b.scope, Request: caller.Request{Key: "k"}},
		Render: func(s *clock.Status, _ error) caller.Reply {
			return caller.Reply{Status: map[bool]int{true: 202, false: 200}[s.Clock.Advance != nil], Body: s.Data()}
		},
	}, intake.AdvanceRequest{Until: &idle})
	if err != nil {
		b.t.Fatal(err)
	}
	return reply
}

// TestAdvanceThatTakesLong is not driven until its request has replied. The process that
// drives it first ends in the middle, and another one goes on.
func TestAdvanceThatTakesLong(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	if reply := b.advance(); reply.Status != 202 || !strings.Contains(string(reply.Body), `"state":"advancing"`) {
		t.Fatalf("%d %s", reply.Status, reply.Body)
	}
	job := <-b.staged
	ctx, die := context.WithCancel(t.Context())
	remove := b.settle
	b.settle = func(context.Context, string) error {
		die()
		return nil
	}
	if err := b.Drive(ctx, job); !errors.Is(err, context.Canceled) {
		t.Fatalf("the first process: %v", err)
	}
	b.settle = remove
	if err := b.Drive(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	reply := b.advance()
	s, err := b.Clock(t.Context(), b.scope)
	if err != nil || reply.Status != 200 || s.Pending != 0 || s.Clock.State() != clock.Ready {
		t.Errorf("%d %s; %s, %v", reply.Status, reply.Body, s.Data(), err)
	}
	if ahead := s.Clock.Ahead; ahead < 119*time.Minute || ahead > 2*time.Hour {
		t.Errorf("the clock is %v ahead, want the time of the last file", ahead)
	}
	if err := b.Drive(t.Context(), job); err != nil {
		t.Errorf("the job once more: %v", err)
	}
}

// TestFileThatFails has a file that can be applied at the second try.
func TestFileThatFails(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	var tries atomic.Int32
	remove := b.settle
	b.settle = func(ctx context.Context, file string) error {
		if tries.Add(1) == 1 {
			return errors.New("it cannot be read")
		}
		return remove(ctx, file)
	}
	driven := make(chan error)
	go func() { driven <- b.Drive(t.Context(), <-b.staged) }()
	if reply := b.advance(); reply.Status != 200 || tries.Load() != 3 {
		t.Errorf("%d %s after %d tries", reply.Status, reply.Body, tries.Load())
	}
	if err := <-driven; err != nil || !strings.Contains(b.log.String(), "it cannot be read") {
		t.Errorf("%v, log %s", err, b.log.String())
	}
}
