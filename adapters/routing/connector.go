package routing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// Observe learns the result of each call of a connection's adapters: nil, or why it
// failed.
type Observe func(ctx context.Context, c *network.Connection, call network.Call, err error)

// Connector opens connections, and makes them networks that messages use.
type Connector struct {
	networks *Networks
	kinds    []ports.ConnectionKind
	observe  Observe
	log      *slog.Logger

	replacing sync.Mutex
	links     map[billing.ConnectionID]*link
	closing   sync.WaitGroup
}

var _ ports.Connector = (*Connector)(nil)

// NewConnector returns a connector of networks that opens connections of the kinds.
func NewConnector(networks *Networks, kinds []ports.ConnectionKind, observe Observe, log *slog.Logger) *Connector {
	return &Connector{networks: networks, kinds: kinds, observe: observe, log: log, links: map[billing.ConnectionID]*link{}}
}

// Open opens a connection.
func (c *Connector) Open(of *network.Connection) (*ports.Network, error) {
	i := slices.IndexFunc(c.kinds, func(k ports.ConnectionKind) bool { return k.Name == of.Kind })
	if i < 0 {
		return nil, fmt.Errorf("this release has no connections of the kind %s", of.Kind)
	}
	n, err := c.kinds[i].Open(of)
	if err != nil {
		return nil, err
	}
	n.Name, n.Route, n.Options = of.Network(), of.Route(), of.Settings.Options
	if n.Envelope == (network.Envelope{}) {
		n.Envelope = of.Settings.Envelope
	}
	n.Poll = cmp.Or(n.Poll, of.Settings.Options.Poll())
	return n, nil
}

// Replace makes the connections the ones that messages use. One that cannot be
// opened, or is paused, stays the route of its payers and carries nothing.
func (c *Connector) Replace(all []*network.Connection) {
	c.replacing.Lock()
	defer c.replacing.Unlock()
	links := map[billing.ConnectionID]*link{}
	var entries []*entry
	for _, of := range all {
		if !of.Enabled {
			continue
		}
		l := c.links[of.ID]
		if l == nil || l.connection.Revision != of.Revision {
			l = c.link(of)
		}
		links[of.ID] = l
		entries = append(entries, &entry{Network: l.network, carries: of.Carries, link: l})
	}
	c.networks.set(entries)
	for id, old := range c.links {
		if links[id] != old {
			old.closed.Store(true)
			c.closing.Go(func() { old.close(c.log) })
		}
	}
	c.links = links
}

// Close closes every connection, and waits for the calls that are under way.
func (c *Connector) Close() {
	c.Replace(nil)
	c.closing.Wait()
}

// link is an open connection.
type link struct {
	connection *network.Connection
	network    *ports.Network
	observe    Observe
	closed     atomic.Bool
	calls      sync.RWMutex // held to read during a call, and to write to close
}

func (c *Connector) link(of *network.Connection) *link {
	l := &link{connection: of, observe: c.observe}
	if of.State() == network.Enabled {
		n, err := c.Open(of)
		if err == nil {
			l.network = l.observed(n)
			return l
		}
		c.log.Error("connection not opened: add what is missing with molar connections replace", "connection", of.Name, "connection_id", of.ID.String(), "error", err)
	}
	l.network = &ports.Network{Name: of.Network(), Route: of.Route()}
	l.closed.Store(true)
	return l
}

// observed returns the network with adapters that report to the link.
func (l *link) observed(n *ports.Network) *ports.Network {
	own := *n
	if n.Eligibility != nil {
		own.Eligibility = eligibility{n.Eligibility, l}
	}
	if n.ClaimStatus != nil {
		own.ClaimStatus = claimStatus{n.ClaimStatus, l}
	}
	if n.Claims != nil {
		own.Claims = sender{n.Claims, l}
	}
	if n.Replies != nil {
		own.Replies = replies{n.Replies, l}
	}
	if n.Inbox != nil {
		own.Inbox = inbox{n.Inbox, l}
	}
	return &own
}

// close closes a link that takes no more calls, after those that are under way.
func (l *link) close(log *slog.Logger) {
	l.calls.Lock()
	defer l.calls.Unlock()
	if l.network.Peer == nil {
		return
	}
	if err := l.network.Peer.Close(); err != nil {
		log.Info("connection closed with an error", "connection", l.connection.Name, "error", err)
	}
}

// errClosed is the error of a call that began before the connection was closed.
var errClosed = errors.New("the connection is closed")

// call runs a call of an adapter unless the connection is closed, or waits for other
// calls to close. A refused sign-in closes it, so that the account does not lock.
func (l *link) call(ctx context.Context, call network.Call, do func() error) error {
	if !l.calls.TryRLock() {
		return l.refused()
	}
	defer l.calls.RUnlock()
	if l.closed.Load() {
		return l.refused()
	}
	err := do()
	_, later := errors.AsType[*billing.LaterError](err)
	_, unaskable := errors.AsType[*network.UnaskableError](err)
	if later || unaskable || err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	if errors.Is(err, network.ErrUnauthorized) {
		l.closed.Store(true)
	}
	if _, untried := errors.AsType[*network.UntriedError](err); !untried { // else the failed attempt was observed
		l.observe(ctx, l.connection, call, err)
	}
	if err != nil {
		err = &network.ObservedError{Err: err}
	}
	return err
}

func (l *link) refused() error { return fmt.Errorf("%s: %w", l.connection.Name, errClosed) }

type eligibility struct {
	ports.Eligibility
	link *link
}

// Ask asks a payer. If the connection was closed since it was chosen, nothing was sent,
// and the check chooses again. A reply that is no response is no failure of the
// connection.
func (e eligibility) Ask(ctx context.Context, q network.Inquiry) (response coverage.CheckResponse, sent []coverage.Exchange, err error) {
	var unreadable error
	err = e.link.call(ctx, network.CallAsk, func() (err error) {
		response, sent, err = e.Eligibility.Ask(ctx, q)
		if _, is := errors.AsType[*network.UnreadableError](err); is {
			unreadable, err = err, nil
		}
		return err
	})
	if errors.Is(err, errClosed) {
		err = &billing.LaterError{Until: q.Clock.Now().Add(billing.StoreLook)}
	}
	return response, sent, cmp.Or(unreadable, err)
}

type claimStatus struct {
	ports.ClaimStatus
	link *link
}

// AskStatus asks a payer, as Ask does.
func (c claimStatus) AskStatus(ctx context.Context, q network.StatusInquiry) (answer claimstatus.Answer, sent []coverage.Exchange, err error) {
	var unreadable error
	err = c.link.call(ctx, network.CallAsk, func() (err error) {
		answer, sent, err = c.ClaimStatus.AskStatus(ctx, q)
		if _, is := errors.AsType[*network.UnreadableError](err); is {
			unreadable, err = err, nil
		}
		return err
	})
	if errors.Is(err, errClosed) {
		err = &billing.LaterError{Until: q.Clock.Now().Add(billing.StoreLook)}
	}
	return answer, sent, cmp.Or(unreadable, err)
}

type sender struct {
	ports.Sender
	link *link
}

// Send hands over a file.
func (s sender) Send(ctx context.Context, f clearing.OutgoingFile, mark func(ctx context.Context, token string) error) error {
	return s.link.call(ctx, network.CallSend, func() error { return s.Sender.Send(ctx, f, mark) })
}

type replies struct {
	ports.Replies
	link *link
}

// Receive returns the files that have come back.
func (r replies) Receive(ctx context.Context, limit int) (files []clearing.IncomingFile, err error) {
	err = r.link.call(ctx, network.CallReceive, func() (err error) {
		files, err = r.Replies.Receive(ctx, limit)
		return err
	})
	return files, err
}

// Remove removes a file.
func (r replies) Remove(ctx context.Context, name string) error {
	return r.link.call(ctx, network.CallReceive, func() error { return r.Replies.Remove(ctx, name) })
}

type inbox struct {
	ports.Inbox
	link *link
}

// List returns the files that are there.
func (i inbox) List(ctx context.Context) (files []clearing.RemoteFile, err error) {
	err = i.link.call(ctx, network.CallReceive, func() (err error) {
		files, err = i.Inbox.List(ctx)
		return err
	})
	return files, err
}

// Read reads a file.
func (i inbox) Read(ctx context.Context, f clearing.RemoteFile, take func(part []byte) error) error {
	return i.link.file(ctx, func() error { return i.Inbox.Read(ctx, f, take) })
}

// Remove removes a file.
func (i inbox) Remove(ctx context.Context, f clearing.RemoteFile, digest [32]byte) error {
	return i.link.file(ctx, func() error { return i.Inbox.Remove(ctx, f, digest) })
}

// file runs a call about a file. An error about the file alone is no failure of the
// connection.
func (l *link) file(ctx context.Context, do func() error) error {
	var of error
	err := l.call(ctx, network.CallReceive, func() error {
		err := do()
		if clearing.OfFile(err) {
			of, err = err, nil
		}
		return err
	})
	return cmp.Or(of, err)
}
