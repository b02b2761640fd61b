package sandboxnet

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/ports"
)

// The delays of the messages. The first four start when the file is sent, the others
// at a payer's acceptance.
const (
	untilReceived  = 100 * time.Millisecond // the TA1
	untilRead      = 300 * time.Millisecond // the 997
	untilForwarded = 600 * time.Millisecond // the clearinghouse's 277CA
	untilAccepted  = time.Second            // the payers' 277CAs
	untilAsked     = 5 * time.Second        // a request for information

	// leastERADelay keeps the order: acceptance, payment, reversal.
	leastERADelay = 10 * time.Millisecond
)

// takenFor is the pause before a file is returned again, so that the receiver
// can process it.
const takenFor = 10 * time.Second

// Options configures the clearinghouse and its payers. The zero Options, with a
// delay, are those of test mode.
type Options struct {
	ERADelay time.Duration // from a payer's acceptance to its remittance; zero means at once

	// Own finds what an organization has added itself; nil if none has.
	Own Own
	// Sent finds what was sent of a claim; nil if inquiries about claims are not answered.
	// StatusOver asks in the 276s that the payers take.
	Sent       Sent
	StatusOver func(ports.Inquire) ports.ClaimStatus

	// Standard is the transaction set that acknowledges a file; empty means 997.
	Standard acknowledgements.Standard
	// TA1 acknowledges each interchange too, in a file of its own.
	TA1 bool
	// Addressed makes the messages come from the ID that their file was sent to, as
	// those of a real clearinghouse do, instead of SANDBOX.
	Addressed bool
	// Refuse returns the note (TA105) of a file that is refused for its envelope, or
	// the empty string. Nil refuses none.
	Refuse func(x12.Interchange, x12.Group) string
}

// Clearinghouse accepts files of claims for every payer. It keeps its state in
// its mail.
type Clearinghouse struct {
	clock   ports.Clock
	mail    Mail
	options Options
}

var _ ports.Clearinghouse = (*Clearinghouse)(nil)

// NewClearinghouse returns the network. The clock decides when a file was sent that does
// not say it, and when a message is due, unless the mail knows its organization's clock.
func NewClearinghouse(clock ports.Clock, mail Mail, o Options) *Clearinghouse {
	o.ERADelay = max(o.ERADelay, leastERADelay)
	return &Clearinghouse{clock: clock, mail: mail, options: o}
}

// Send reads a file and puts all messages about it into the mail in one step.
// Their names derive from the file's, so that sending the file again changes
// nothing. Messages and memory belong to the scope: practices with the same NPI
// and control numbers never share them. The error of an unreadable file has a
// position and no patient data.
func (c *Clearinghouse) Send(ctx context.Context, f clearing.OutgoingFile, _ func(context.Context, string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	remember := func(notes []Note) ([][]byte, error) {
		for i := range notes {
			notes[i].Scope, notes[i].Key = f.Scope, noteKey(&f, notes[i].Key)
		}
		return c.mail.Remember(ctx, notes)
	}
	at := f.At
	if at.IsZero() {
		at = c.clock.Now()
	}
	var own ownSteps
	if c.options.Own != nil {
		own = c.steps(func(endings []string) (*scenario.Own, error) {
			return c.options.Own(ctx, f.Scope, scenario.Claim, endings)
		})
	}
	files, err := c.replies(f.Name, f.Content, at, remember, own)
	if err != nil {
		return fmt.Errorf("sandboxnet: %w", err)
	}
	for i := range files {
		files[i].Scope = f.Scope
	}
	return c.mail.Put(ctx, files)
}

// Receive returns the files that are due. It returns them again after ten
// seconds unless they are removed.
func (c *Clearinghouse) Receive(ctx context.Context, limit int) ([]clearing.IncomingFile, error) {
	return c.mail.Take(ctx, c.clock.Now(), takenFor, limit)
}

// Remove removes a file.
func (c *Clearinghouse) Remove(ctx context.Context, name string) error {
	return c.mail.Remove(ctx, name)
}

// memory is the function Mail.Remember.
type memory func([]Note) ([][]byte, error)

// replies returns all messages about a file that was sent at a time.
func (c *Clearinghouse) replies(name string, content []byte, at time.Time, remember memory, own ownSteps) ([]MailFile, error) {
	o := outbox{Options: c.options, base: strings.TrimSuffix(name, ".837"), sent: at.UTC(), counts: map[string]int{}}
	f, err := readSent(content)
	if err != nil {
		return nil, err
	}
	if note := f.refused(c.options.Refuse); note != "" {
		o.interchange(f, verdictRejected, note)
		return o.files, nil
	}
	if err := f.rejectOnce(name, remember); err != nil {
		return nil, err
	}
	o.acknowledged(f)
	var batches []*batch
	for _, accepted := range f.accepted() {
		b, err := newBatch(accepted, own)
		if err != nil {
			return nil, err
		}
		batches = append(batches, b)
	}
	if err := decide(name, batches, billing.DateOf(o.sent), remember); err != nil {
		return nil, err
	}
	for _, b := range batches {
		o.edited(b, b.claims, untilForwarded)
		for _, r := range b.own {
			o.perform(b, r)
		}
		for _, p := range b.byPayer() {
			o.accepted(b, p, untilAccepted)
			o.asked(b, p)
			o.paid(b, p)
		}
	}
	return o.files, nil
}

// outbox collects the messages about a file.
type outbox struct {
	Options

	base   string // the prefix of all names
	sent   time.Time
	files  []MailFile
	counts map[string]int // of files, by type
	number int64          // of the file before the first of a type
}

// letter is the name, due time and control number of a file to write.
type letter struct {
	name    string
	due     time.Time
	control int // the numbers of its interchange and group
}

// letter names the next file of a type, such as payer or payment.
func (o *outbox) letter(what, ending string, after time.Duration) letter {
	o.counts[what]++
	return o.named(fmt.Sprintf("%s-%s-%d.%s", o.base, what, o.number+int64(o.counts[what]), ending), after)
}

func (o *outbox) named(name string, after time.Duration) letter {
	control, _ := strconv.Atoi(digits(9, name)) // digits only
	return letter{name: name, due: o.sent.Add(after), control: control}
}

func (o *outbox) put(l letter, content []byte) {
	o.files = append(o.files, MailFile{
		IncomingFile: clearing.IncomingFile{Name: l.name, Content: content}, Due: l.due,
	})
}

// The sender of all messages.
const (
	sandboxID   = "SANDBOX"
	sandboxName = "Sandbox Clearinghouse"
)

// envelope returns an envelope addressed to the sender of the interchange.
func (o *outbox) envelope(l letter, sent x12.Interchange, group x12.Group) (x12.Interchange, x12.Group) {
	i := x12.Interchange{
		Sender: sandboxID, ReceiverQualifier: sent.SenderQualifier, Receiver: sent.Sender,
		Created: l.due, Control: l.control, Test: sent.Test,
	}
	g := x12.Group{Sender: sandboxID, Receiver: group.Sender, Created: l.due, Control: l.control}
	if o.Addressed {
		i.SenderQualifier, i.Sender, g.Sender = sent.ReceiverQualifier, sent.Receiver, group.Receiver
	}
	return i, g
}

// name returns the ID that the clearinghouse has in its reports.
func (o *outbox) name(sent x12.Interchange) string {
	if o.Addressed {
		return sent.Receiver
	}
	return sandboxID
}

// day returns the day on which the letter is due.
func (l *letter) day() billing.Date { return billing.DateOf(l.due) }

// digits returns a number of n digits that derives from the parts.
func digits(n int, parts ...string) string {
	d := digestOf(parts...)
	of := uint64(1)
	for range n {
		of *= 10
	}
	return fmt.Sprintf("%0*d", n, binary.BigEndian.Uint64(d[:])%of)
}
