package batches_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// house records what a clearinghouse received, and can be down.
type house struct {
	ports.Clearinghouse

	mu      sync.Mutex
	sent    map[string]string // by name
	changed []string          // names that were sent again with other content
	down    error
}

func newHouse(to ports.Clearinghouse) *house {
	return &house{Clearinghouse: to, sent: map[string]string{}}
}

func (n *house) Send(ctx context.Context, f clearing.OutgoingFile, mark func(context.Context, string) error) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down != nil {
		return n.down
	}
	if err := n.Clearinghouse.Send(ctx, f, mark); err != nil {
		return err
	}
	if before, again := n.sent[f.Name]; again && before != string(f.Content) {
		n.changed = append(n.changed, f.Name)
	}
	n.sent[f.Name] = string(f.Content)
	return nil
}

func (n *house) Receive(ctx context.Context, limit int) ([]clearing.IncomingFile, error) {
	n.mu.Lock()
	down := n.down
	n.mu.Unlock()
	if down != nil {
		return nil, down
	}
	return n.Clearinghouse.Receive(ctx, limit)
}

// set makes the network fail, or work again.
func (n *house) set(down error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
}

// files returns the names of the files that were sent with the claim, in order.
func (n *house) files(c *claim.Claim) (names []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for name, content := range n.sent {
		if strings.Contains(content, "CLM*"+c.PatientControlNumber+"*") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// take removes and returns our files at the clearinghouse.
func (b *fixture) take() (files []clearing.IncomingFile) {
	b.t.Helper()
	for {
		got, err := b.network.Receive(b.t.Context(), 20)
		if err != nil {
			b.t.Fatal(err)
		}
		if len(got) == 0 {
			return files
		}
		for _, f := range got {
			if err := b.network.Remove(b.t.Context(), f.Name); err != nil {
				b.t.Fatal(err)
			}
		}
		files = append(files, got...)
	}
}

// inbox is a clearinghouse that always has the files.
type inbox struct {
	ports.Clearinghouse
	files []clearing.IncomingFile
}

func (i inbox) Receive(context.Context, int) ([]clearing.IncomingFile, error) { return i.files, nil }

func (inbox) Remove(context.Context, string) error { return nil }

// give imports the files, which must all succeed, and returns the batches that
// they reject.
func (b *fixture) give(files ...clearing.IncomingFile) []batches.Rejection {
	b.t.Helper()
	got, err := b.build(b.store, inbox{b.network, files}).Receive(b.t.Context(), sandboxnet.Name)
	if err != nil || got.Files != len(files) {
		b.t.Fatalf("%d files were imported of %d: %v", got.Files, len(files), err)
	}
	return got.Rejected
}

// slowNetwork needs half a minute to accept a file or to fail.
type slowNetwork struct {
	ports.Clearinghouse
	clock *porttest.Clock
	fail  error
}

func (n slowNetwork) Send(ctx context.Context, f clearing.OutgoingFile, mark func(context.Context, string) error) error {
	n.clock.Advance(30 * time.Second)
	if n.fail != nil {
		return n.fail
	}
	return n.Clearinghouse.Send(ctx, f, mark)
}
