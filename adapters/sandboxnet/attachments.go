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
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/ports"
)

// openFor is how long a transmission may take from its opening to its commit.
const openFor = time.Hour

// bounds limits what the attachment network keeps. Beyond a limit it drops the
// oldest. A transmission has at most attachment.MaxDocuments files.
type bounds struct {
	open      int // transmissions that are not committed yet
	committed int // transmissions
	files     int // of all committed ones, 48 bytes each
}

// The errors for a sender. None includes patient data.
var (
	errUnknownNumber = errors.New("sandboxnet: the number belongs to no open transmission; open it and start again")
	errOpenedAnew    = errors.New("sandboxnet: the transmission was reopened while the file was read")
	errNumberUsed    = errors.New("sandboxnet: a transmission with other details was already committed under the number")
	errCommitted     = errors.New("sandboxnet: the transmission was committed without this file")
	errTooManyFiles  = errors.New("sandboxnet: the transmission has all of its announced files")
)

// errAttachmentNetworkDown is the error of SANDBOX-NETWORK-ERROR.
var errAttachmentNetworkDown = errors.New("sandboxnet: the network failed, as the narrative asked for")

// Attachments accepts attachments for every payer. It keeps them in memory, so
// another process, or the same one after a restart, does not have them.
type Attachments struct {
	clock  ports.Clock
	limits bounds

	mu             sync.Mutex
	known          map[string]*transmission // by number
	open           *list.List               // of *transmission, in the order of opening
	committed      *list.List               // of *transmission, in the order of commit
	committedFiles int
}

var _ ports.AttachmentNetwork = (*Attachments)(nil)

// transmission is the kept part of a transmission. It never has a file's
// content.
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

// NewAttachments returns a network without transmissions. The clock decides
// when a slow one starts and when an abandoned one is dropped.
func NewAttachments(clock ports.Clock) *Attachments {
	return &Attachments{
		clock: clock, limits: bounds{open: 10_000, committed: 100_000, files: 500_000},
		known: map[string]*transmission{}, open: list.New(), committed: list.New(),
	}
}

// Open begins a transmission. One that was opened with the same details keeps
// its files, which the sender sends again one by one; the earlier sender may
// still be at work. With other details it starts again. A committed one does
// not change, and its number cannot be reused. An error names the missing
// detail, never its value.
func (a *Attachments) Open(ctx context.Context, t attachment.Transmission) error {
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
	if a.open.Len() > a.limits.open {
		a.forget(oldest(a.open))
	}
	return nil
}

// Add checks the content of a file and does not keep it. A document that is
// sent again replaces the earlier one. Add rejects a file beyond the announced
// number.
func (a *Attachments) Add(ctx context.Context, number string, d *attachment.Document, content io.Reader) error {
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
	if now := a.known[number]; now != t { // the file took a while to read
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

// Commit ends a transmission that has all of its announced files. It does not
// change a committed one.
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
	for a.committed.Len() > a.limits.committed || a.committedFiles > a.limits.files {
		a.forget(oldest(a.committed))
	}
	return nil
}

// find returns the transmission with the number, or nil.
func (a *Attachments) find(number string) *transmission {
	now := a.clock.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expire(now)
	return a.known[number]
}

// expire drops transmissions that were opened too long ago. The caller holds
// the lock.
func (a *Attachments) expire(now time.Time) {
	for a.open.Len() > 0 {
		t := oldest(a.open)
		if now.Before(t.opened.Add(openFor)) {
			return
		}
		a.forget(t)
	}
}

// forget removes a transmission from every list. The caller holds the lock.
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
	t, _ := l.Front().Value.(*transmission) // the lists have no other type
	return t
}
