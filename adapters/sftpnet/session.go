package sftpnet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/molar-billing/molar/core/billing/network"
)

// session is a connection with a clearinghouse.
type session struct {
	line *line
	ssh  *ssh.Client
	sftp *sftp.Client
}

// line is a network connection that ends a step which takes too long or receives too
// much. It keeps why it broke.
type line struct {
	net.Conn

	allowed atomic.Int64 // bytes that may still come
	broken  atomic.Pointer[network.Error]
}

// The reasons for which a line breaks.
var (
	errSilent = errors.New("the server does not respond")
	errFlood  = errors.New("the server sends more than the step may need")
	errEnded  = errors.New("the connection ended")
)

func (l *line) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if l.allowed.Add(-int64(n)) < 0 {
		err = errFlood
	}
	l.keep(err)
	return n, err
}

func (l *line) Write(b []byte) (int, error) {
	n, err := l.Conn.Write(b)
	l.keep(err)
	return n, err
}

// keep keeps why the line broke first, unless this side closed it.
func (l *line) keep(err error) {
	why := &network.Error{Reason: network.ReasonInterrupted, Err: errEnded}
	switch {
	case err == nil || errors.Is(err, net.ErrClosed):
		return
	case errors.Is(err, os.ErrDeadlineExceeded):
		why = &network.Error{Reason: network.ReasonTimeout, Err: errSilent}
	case errors.Is(err, errFlood):
		why = &network.Error{Reason: network.ReasonProtocol, Err: errFlood}
	}
	l.broken.CompareAndSwap(nil, why)
}

// listingLimit is the most bytes that a step may receive: a listing of half a million
// files.
const listingLimit = 64 << 20

// within starts a step.
func (l *line) within(d time.Duration) {
	l.allowed.Store(listingLimit)
	_ = l.SetDeadline(time.Now().Add(d)) // fails on a closed connection, as the step will
}

// rest ends a step. The session may be idle.
func (l *line) rest() {
	l.allowed.Store(listingLimit)
	_ = l.SetDeadline(time.Time{})
}

// step gives the next request its time.
func (n *Clearinghouse) step(s *session) *sftp.Client {
	s.line.within(n.config.Times.Step)
	return s.sftp
}

// do runs work with the session, which it opens if necessary. When ctx ends it cuts
// the connection.
func (n *Clearinghouse) do(ctx context.Context, work func(s *session) error) error {
	if err := n.take(ctx); err != nil {
		return err
	}
	defer n.leave()
	s, err := n.open(ctx)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.line.Close() })
	err = work(s)
	cut := !stop()
	err = n.classify(s, err)
	if cut || err != nil && !replied(err) {
		n.hangUp()
	} else {
		s.line.rest()
		n.idle = time.AfterFunc(n.config.Times.Idle, func() { n.endIdle(s) })
	}
	if ctx.Err() != nil && err != nil {
		return ctx.Err()
	}
	return err
}

// endIdle ends a session that was not used, unless a call uses it now.
func (n *Clearinghouse) endIdle(s *session) {
	select {
	case n.turn <- struct{}{}:
		defer n.leave()
		if n.session == s {
			n.hangUp()
		}
	default:
	}
}

// open returns the session, after a new handshake if the last one does not respond.
func (n *Clearinghouse) open(ctx context.Context) (*session, error) {
	if n.closed {
		return nil, failure(network.ReasonOther, errors.New("the connection was closed"))
	}
	if n.idle != nil {
		n.idle.Stop()
	}
	if s := n.session; s != nil {
		stop := context.AfterFunc(ctx, func() { _ = s.line.Close() }) // it may run after hangUp
		_, err := n.step(s).RealPath(".")
		stop()
		if err == nil {
			return s, nil
		}
		n.hangUp()
	}
	if wait := n.resume.Sub(n.now()); wait > 0 {
		return nil, &network.UntriedError{Err: fmt.Errorf("no attempt for %s: %w", max(wait.Round(time.Second), time.Second), n.failed)}
	}
	s, err := n.connect(ctx, func(string, string) {})
	if ctx.Err() != nil {
		if s != nil {
			s.end()
		}
		return nil, ctx.Err()
	}
	if err != nil {
		n.pause = min(max(2*n.pause, leastPause), mostPause)
		n.failed, n.resume = err, n.now().Add(n.pause)
		return nil, err
	}
	n.session, n.pause, n.failed, n.resume = s, 0, nil, time.Time{}
	n.sweep(s)
	return s, nil
}

// hangUp ends the session, if there is one.
func (n *Clearinghouse) hangUp() {
	if n.idle != nil {
		n.idle.Stop()
	}
	if n.session != nil {
		n.session.end()
		n.session = nil
	}
}

func (s *session) end() {
	_ = s.line.Close() // first, so that nothing waits for the server
	_ = s.sftp.Close()
	_ = s.ssh.Close()
}

// The steps of a connection, as connect reports them.
const (
	stepResolve = "the name resolves"
	stepConnect = "the server accepts a connection"
	stepHostKey = "the host key agrees"
	stepSignIn  = "sign-in"
	stepSFTP    = "the server offers SFTP"
)

// connect makes a session. It reports each step that worked, with what was found.
func (n *Clearinghouse) connect(ctx context.Context, report func(step, found string)) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, n.config.Times.Connect)
	defer cancel()
	host, _, _ := net.SplitHostPort(n.config.Addr) // New checked it
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, unreachable("resolve the name", err)
	}
	report(stepResolve, addrs[0].Unmap().String())
	// A fingerprint does not show the type of its key, so each type is asked for.
	var other error
	for i := range n.pins {
		at := (n.pin + i) % len(n.pins)
		s, err := n.handshake(ctx, &n.pins[at], report)
		switch {
		case err == nil:
			n.pin = at
			return s, nil
		case !errors.Is(err, errHostKey):
			return nil, err
		case other == nil || noSuchKey(other):
			other = err // the key that the server has says more than one that it lacks
		}
	}
	return nil, other
}

// noSuchKey reports whether the server has no key of the type.
func noSuchKey(err error) bool {
	e, ok := errors.AsType[*ssh.AlgorithmNegotiationError](err)
	return ok && e.What == "host key"
}

// handshake connects and signs in.
func (n *Clearinghouse) handshake(ctx context.Context, p *pin, report func(step, found string)) (*session, error) {
	conn, err := n.dialer.DialContext(ctx, "tcp", n.config.Addr)
	if err != nil {
		return nil, unreachable("connect", err)
	}
	report(stepConnect, conn.RemoteAddr().String())
	l := &line{Conn: conn}
	l.within(n.config.Times.Connect)
	stop := context.AfterFunc(ctx, func() { _ = l.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	var mismatch error
	trusted := false
	c, channels, requests, err := ssh.NewClientConn(l, n.config.Addr, &ssh.ClientConfig{
		User: n.config.User, Auth: n.auth, HostKeyAlgorithms: p.algorithms, ClientVersion: "SSH-2.0-Molar",
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			if mismatch = p.check(key); mismatch == nil && !trusted {
				trusted = true
				report(stepHostKey, ssh.FingerprintSHA256(key))
			}
			return mismatch
		},
	})
	if err != nil {
		_ = l.Close()
		switch broken := l.broken.Load(); {
		case mismatch != nil:
			return nil, failure(network.ReasonHostKey, mismatch)
		case noSuchKey(err):
			return nil, failure(network.ReasonHostKey, fmt.Errorf("%w: the server has no key of that type (%w)", errHostKey, err))
		case trusted && refusedSignIn(err):
			return nil, failure(network.ReasonUnauthorized, fmt.Errorf("%w: %w", network.ErrUnauthorized, err))
		case broken != nil:
			return nil, failure(broken.Reason, fmt.Errorf("handshake: %w", broken.Err))
		}
		return nil, failure(network.ReasonProtocol, fmt.Errorf("handshake: %w", err))
	}
	report(stepSignIn, "as "+n.config.User)
	s := &session{line: l, ssh: ssh.NewClient(c, channels, requests)}
	if s.sftp, err = sftp.NewClient(s.ssh, sftp.UseConcurrentWrites(true)); err != nil {
		_ = l.Close()
		_ = s.ssh.Close()
		if broken := l.broken.Load(); broken != nil {
			return nil, failure(broken.Reason, fmt.Errorf("start SFTP: %w", broken.Err))
		}
		return nil, failure(network.ReasonProtocol, fmt.Errorf("start SFTP: %w", err))
	}
	report(stepSFTP, "")
	return s, nil
}

// refusedSignIn reports whether the server refuses the password and the key. The library
// has no types for these errors.
func refusedSignIn(err error) bool {
	return slices.ContainsFunc([]string{
		"unable to authenticate",      // every way was tried
		"unexpected message type 51 ", // a refusal, from a server that asks for passwords interactively
		"ssh: disconnect, reason 2:",  // a protocol error: for OpenSSH, too many attempts
		"ssh: disconnect, reason 14:", // no more ways to sign in
		"ssh: disconnect, reason 15:", // an illegal user name
	}, func(text string) bool { return strings.Contains(err.Error(), text) })
}

// unreachable is the error of a server to which no connection is made.
func unreachable(what string, err error) error {
	reason := network.ReasonUnreachable
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		reason = network.ReasonTimeout
	}
	return failure(reason, fmt.Errorf("%s: %w", what, err))
}

func failure(reason network.Reason, err error) error {
	return &network.Error{Reason: reason, Err: err}
}

// The status codes for which the client has no error of its own.
const (
	statusNoSpace = 14 // of later versions of the protocol, which some servers use
	statusQuota   = 15
)

// replied reports whether the server refused a request: it did not have its effect.
func replied(err error) bool {
	_, status := errors.AsType[*sftp.StatusError](err)
	return status || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// classify adds its reason to an error.
func (n *Clearinghouse) classify(s *session, err error) error {
	if err == nil {
		return nil
	}
	if _, known := errors.AsType[*network.Error](err); known {
		return err
	}
	status, refused := errors.AsType[*sftp.StatusError](err)
	switch broken := s.line.broken.Load(); {
	case refused && (status.Code == statusNoSpace || status.Code == statusQuota):
		return failure(network.ReasonFull, err)
	case replied(err):
		return failure(network.ReasonRefused, err)
	case errors.Is(err, network.ErrOutcomeUnknown):
		return failure(network.ReasonUnknownOutcome, err)
	case broken != nil:
		return failure(broken.Reason, fmt.Errorf("%w: %w", err, broken.Err))
	case errors.Is(err, sftp.ErrSSHFxConnectionLost), errors.Is(err, io.EOF):
		return failure(network.ReasonInterrupted, err)
	default:
		return err
	}
}
