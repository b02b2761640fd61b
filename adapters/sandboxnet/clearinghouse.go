package sandboxnet

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// When what comes back for a file is there, counted from its sending; and what
// follows a payer's acceptance, counted from that.
const (
	untilRead      = 300 * time.Millisecond // the 997
	untilForwarded = 600 * time.Millisecond // the clearinghouse's 277CA
	untilAccepted  = time.Second            // the payers' 277CAs
	untilAsked     = 5 * time.Second        // a request for information

	// leastERADelay keeps what is decided at once behind the acceptance, and a
	// reversal behind the payment.
	leastERADelay = 10 * time.Millisecond
)

// takenFor is how long a file is not given again, so that whoever takes it can
// deal with it.
const takenFor = 10 * time.Second

// Options says how the payers behave.
type Options struct {
	ERADelay time.Duration // from a payer's acceptance to its remittance; none is as good as at once
}

// Clearinghouse takes files of claims for every payer. What it remembers is in
// its mail.
type Clearinghouse struct {
	clock    ports.Clock
	mail     Mail
	eraDelay time.Duration
}

var _ ports.Clearinghouse = (*Clearinghouse)(nil)

// NewClearinghouse makes the network. The clock decides when what comes back
// is there.
func NewClearinghouse(clock ports.Clock, mail Mail, o Options) *Clearinghouse {
	return &Clearinghouse{clock: clock, mail: mail, eraDelay: max(o.ERADelay, leastERADelay)}
}

// Send reads a file and puts into the mail whatever will come back for it, all
// at once and under names that follow from the file's, so that sending it again
// changes nothing. All of that, and what is remembered, is the scope's alone:
// practices that use the same NPI and control numbers never meet here. The error
// of a file that cannot even be answered has a position and no patient data.
func (c *Clearinghouse) Send(ctx context.Context, scope billing.Scope, name string, content []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	remember := func(notes []Note) ([][]byte, error) {
		for i := range notes {
			notes[i].Key = digestOf(scope.Org.UUID(), string(scope.Mode), string(notes[i].Key[:]))
		}
		return c.mail.Remember(ctx, notes)
	}
	files, err := c.answers(name, content, remember)
	if err != nil {
		return fmt.Errorf("sandboxnet: %w", err)
	}
	for i := range files {
		files[i].Scope = scope
	}
	return c.mail.Put(ctx, files)
}

// Receive gives the files that are there; again after ten seconds unless they
// are removed.
func (c *Clearinghouse) Receive(ctx context.Context, limit int) ([]billing.IncomingFile, error) {
	return c.mail.Take(ctx, c.clock.Now(), takenFor, limit)
}

// Remove takes a file away.
func (c *Clearinghouse) Remove(ctx context.Context, name string) error {
	return c.mail.Remove(ctx, name)
}

// memory is Mail.Remember.
type memory func([]Note) ([][]byte, error)

// answers is everything that comes back for a file.
func (c *Clearinghouse) answers(name string, content []byte, remember memory) ([]MailFile, error) {
	o := outbox{base: strings.TrimSuffix(name, ".837"), sent: c.clock.Now().UTC(), counts: map[string]int{}}
	f, err := readSent(content)
	if err != nil {
		return nil, err
	}
	if err := f.rejectOnce(name, remember); err != nil {
		return nil, err
	}
	o.acknowledged(f)
	var batches []*batch
	for _, accepted := range f.accepted() {
		batches = append(batches, newBatch(accepted))
	}
	if err := decide(name, batches, billing.DateOf(o.sent), remember); err != nil {
		return nil, err
	}
	for _, b := range batches {
		o.forwarded(b)
		for _, p := range b.byPayer() {
			o.accepted(b, p)
			o.asked(b, p)
			o.paid(b, p, c.eraDelay)
		}
	}
	return o.files, nil
}

// outbox is what comes back for a file, in the making.
type outbox struct {
	base   string // what all names start with
	sent   time.Time
	files  []MailFile
	counts map[string]int // of files by what they are
}

// letter is a file before it is written.
type letter struct {
	name    string
	due     time.Time
	control int // the numbers of its interchange and group
}

// letter names the next file of what it is, such as payer or payment.
func (o *outbox) letter(what, ending string, after time.Duration) letter {
	o.counts[what]++
	return o.named(fmt.Sprintf("%s-%s-%d.%s", o.base, what, o.counts[what], ending), after)
}

func (o *outbox) named(name string, after time.Duration) letter {
	control, _ := strconv.Atoi(digits(9, name)) // digits alone
	return letter{name: name, due: o.sent.Add(after), control: control}
}

func (o *outbox) put(l letter, content []byte) {
	o.files = append(o.files, MailFile{
		IncomingFile: billing.IncomingFile{Name: l.name, Content: content}, Due: l.due,
	})
}

// The sender of everything that comes back.
const (
	sandboxID   = "SANDBOX"
	sandboxName = "Sandbox Clearinghouse"
)

// envelope answers to whoever sent the interchange.
func (l *letter) envelope(sent x12.Interchange, group x12.Group) (x12.Interchange, x12.Group) {
	i := x12.Interchange{
		Sender: sandboxID, ReceiverQualifier: sent.SenderQualifier, Receiver: sent.Sender,
		Created: l.due, Control: l.control, Test: sent.Test,
	}
	return i, x12.Group{Sender: sandboxID, Receiver: group.Sender, Created: l.due, Control: l.control}
}

// day is when the letter is there.
func (l *letter) day() billing.Date { return billing.DateOf(l.due) }

// digits is a number of n digits that follows from the parts.
func digits(n int, parts ...string) string {
	d := digestOf(parts...)
	of := uint64(1)
	for range n {
		of *= 10
	}
	return fmt.Sprintf("%0*d", n, binary.BigEndian.Uint64(d[:])%of)
}
