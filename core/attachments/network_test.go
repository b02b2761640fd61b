package attachments_test

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/ports"
)

// network records what an attachment network received. It runs one step at a
// time, so that the record is what the network has.
type network struct {
	to ports.AttachmentNetwork

	mu     sync.Mutex
	opened map[string]attachment.Transmission
	files  map[string]map[string]bool // the documents of open transmissions, by number
	sent   map[string]sent            // by number
	opens  int
	fail   error // of the next steps
}

// sent is a committed transmission.
type sent struct {
	attachment.Transmission
	documents []string
}

func newNetwork(to ports.AttachmentNetwork) *network {
	return &network{to: to, opened: map[string]attachment.Transmission{}, files: map[string]map[string]bool{}, sent: map[string]sent{}}
}

func (n *network) Open(ctx context.Context, t attachment.Transmission) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.opens++
	if n.fail != nil {
		return n.fail
	}
	err := n.to.Open(ctx, t)
	if _, known := n.opened[t.Number]; err == nil && !known {
		n.opened[t.Number], n.files[t.Number] = t, map[string]bool{}
	}
	return err
}

func (n *network) Add(ctx context.Context, number string, d *attachment.Document, content io.Reader) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	err := n.to.Add(ctx, number, d, content)
	if _, committed := n.sent[number]; err == nil && !committed {
		n.files[number][d.ID.String()] = true
	}
	return err
}

func (n *network) Commit(ctx context.Context, number string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	err := n.to.Commit(ctx, number)
	if _, committed := n.sent[number]; err == nil && !committed {
		n.sent[number] = sent{n.opened[number], slices.Sorted(maps.Keys(n.files[number]))}
	}
	return err
}

// set makes the network fail, or work, from now on.
func (n *network) set(fail error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fail = fail
}

// has returns what was committed under the number.
func (n *network) has(number string) (sent, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, ok := n.sent[number]
	return s, ok
}

// count returns the number of committed transmissions.
func (n *network) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.sent)
}
