package sandboxnet

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// openFor is how long a transmission may take from its opening to its commit.
const openFor = time.Hour

// bounds is how much the attachment network keeps; past a bound the oldest is
// forgotten. A transmission has at most billing.MaxDocuments files.
type bounds struct {
	open      int // transmissions that may yet be committed
	committed int // transmissions
	files     int // of all committed ones, 48 bytes each
}

// The faults of a sender. None says anything of the patient.
var (
	errUnknownNumber = errors.New("sandboxnet: the number is of no transmission that is open here; open it and begin anew")
	errOpenedAnew    = errors.New("sandboxnet: the transmission was opened anew while the file came")
	errNumberUsed    = errors.New("sandboxnet: a transmission with other details was committed under the number")
	errCommitted     = errors.New("sandboxnet: the transmission was committed without this file")
	errTooManyFiles  = errors.New("sandboxnet: the transmission has as many files as were announced")
)

// errAttachmentNetworkDown is what SANDBOX-NETWORK-ERROR asks for.
var errAttachmentNetworkDown = errors.New("sandboxnet: the network failed, as the narrative asked for")

// Attachments takes attachments for every payer. What it knows is in memory,
// so another process, or the same one after a restart, does not know it.
type Attachments struct {
	clock ports.Clock
	most  bounds

	mu             sync.Mutex
	known          map[string]*transmission // by number
	open           *list.List               // of *transmission, the one opened first in front
	committed      *list.List               // of *transmission, the one committed first in front
	committedFiles int
}

var _ ports.AttachmentNetwork = (*Attachments)(nil)

// transmission is what is kept of one. It never holds a file's content.
type transmission struct {
	number    string
	details   digest
	announced int
	fails     bool
	opened    time.Time
	files     []file
	committed bool
	place     *list.Element // in one of the lists
}

// NewAttachments makes a network that knows of no transmission. The clock
// decides when a slow one begins and when one that was left open is forgotten.
func NewAttachments(clock ports.Clock) *Attachments {
	return &Attachments{
		clock: clock, most: bounds{open: 10_000, committed: 100_000, files: 500_000},
		known: map[string]*transmission{}, open: list.New(), committed: list.New(),
	}
}

// Open begins a transmission. One that was opened with the same details goes
// on with the files that it has: they are given again one by one, and whoever
// opened it before may still be at it. With other details it begins anew. One
// that was committed stays as it is; its number is good for nothing else. An
// error names the detail that is missing, never its value.
func (a *Attachments) Open(ctx context.Context, t billing.Transmission) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := complete(&t); err != nil {
		return err
	}
	wait, fails := scenarioOf(t.Narrative)
	now := a.clock.Now()
	if until := t.SendingSince.Add(wait); wait > 0 && now.Before(until) {
		return &billing.LaterError{Until: until}
	}
	next := &transmission{number: t.Number, details: detailsOf(&t), announced: t.Documents, fails: fails, opened: now}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expire(now)
	switch have := a.known[t.Number]; {
	case have == nil:
	case have.details == next.details:
		if !have.committed {
			have.opened = now
			a.open.MoveToBack(have.place)
		}
		return nil
	case have.committed:
		return errNumberUsed
	default:
		a.forget(have)
	}
	a.known[next.number] = next
	next.place = a.open.PushBack(next)
	if a.open.Len() > a.most.open {
		a.forget(oldest(a.open))
	}
	return nil
}

// Add takes a file, whose content is checked and not kept. A document that
// comes again takes the place of what came before; one more than were announced
// is refused.
func (a *Attachments) Add(ctx context.Context, number string, d *billing.Document, content io.Reader) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := a.find(number)
	if t == nil {
		return errUnknownNumber
	}
	if err := described(d); err != nil {
		return err
	}
	if err := check(ctx, d, content); err != nil {
		return err
	}
	f := fileOf(d)
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.known[number]; now != t { // it took a while to read the file
		return errOpenedAnew
	}
	at := slices.IndexFunc(t.files, func(have file) bool { return have.document == f.document })
	switch {
	case t.committed && (at < 0 || t.files[at] != f):
		return errCommitted
	case at >= 0:
		t.files[at] = f
	case len(t.files) == t.announced:
		return errTooManyFiles
	default:
		t.files = append(t.files, f)
	}
	return nil
}

// Commit ends a transmission that has as many files as were announced. One
// that was committed stays as it is.
func (a *Attachments) Commit(ctx context.Context, number string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := a.find(number)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case t == nil || a.known[number] != t:
		return errUnknownNumber
	case t.committed:
		return nil
	case len(t.files) != t.announced:
		return fmt.Errorf("sandboxnet: the transmission has %d files, %d were announced", len(t.files), t.announced)
	case t.fails:
		return errAttachmentNetworkDown
	}
	a.open.Remove(t.place)
	t.committed, t.files = true, slices.Clip(t.files)
	t.place = a.committed.PushBack(t)
	a.committedFiles += len(t.files)
	for a.committed.Len() > a.most.committed || a.committedFiles > a.most.files {
		a.forget(oldest(a.committed))
	}
	return nil
}

// find gives the transmission that has the number; nil for none.
func (a *Attachments) find(number string) *transmission {
	now := a.clock.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expire(now)
	return a.known[number]
}

// expire forgets what was opened too long ago. The lock is held.
func (a *Attachments) expire(now time.Time) {
	for a.open.Len() > 0 {
		t := oldest(a.open)
		if now.Before(t.opened.Add(openFor)) {
			return
		}
		a.forget(t)
	}
}

// forget takes a transmission off every list. The lock is held.
func (a *Attachments) forget(t *transmission) {
	delete(a.known, t.number)
	if t.committed {
		a.committed.Remove(t.place)
		a.committedFiles -= len(t.files)
		return
	}
	a.open.Remove(t.place)
}

func oldest(l *list.List) *transmission {
	t, _ := l.Front().Value.(*transmission) // the lists hold nothing else
	return t
}
