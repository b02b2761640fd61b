package corenet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/molar-billing/molar/core/billing/network"
)

// Probe tests the network step by step: the name, TLS, the sign-in, and a 270 about
// the test member. It sends one request.
func (e *Eligibility) Probe(ctx context.Context, _ bool) (steps []network.ProbeStep) {
	for _, step := range []struct {
		name string
		do   func(context.Context) (string, error)
	}{{"the name resolves", e.probeName}, {"TLS agrees", e.probeTLS}} {
		detail, err := step.do(ctx)
		steps = append(steps, network.ProbeStep{Name: step.name, Detail: detail, Err: err})
		if err != nil {
			return steps
		}
	}
	return append(steps, e.probeInquiry(ctx)...)
}

// probeName looks up the host.
func (e *Eligibility) probeName(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, e.config.Timeouts.Connect)
	defer cancel()
	addrs, err := e.dialer.Resolver.LookupNetIP(ctx, "ip", e.url.Hostname())
	if err != nil {
		return "", fault(network.ReasonUnreachable, "%w", err)
	}
	for i, a := range addrs {
		addrs[i] = a.Unmap()
	}
	if err := e.dialer.guard.Judge(addrs...); err != nil {
		return "", fault(network.ReasonUnreachable, "%w; set allow_private for a network with private addresses", err)
	}
	return joined(addrs), nil
}

func joined(addrs []netip.Addr) (s string) {
	for _, a := range addrs[:min(len(addrs), 4)] {
		s += " " + a.String()
	}
	return s[min(len(s), 1):]
}

// probeTLS connects, and shows the version and how long the certificates last.
func (e *Eligibility) probeTLS(ctx context.Context) (string, error) {
	begun := time.Now()
	port := e.url.Port()
	if port == "" {
		port = "443"
	}
	conn, err := e.dialer.DialContext(ctx, "tcp", net.JoinHostPort(e.url.Hostname(), port))
	if err != nil {
		return "", e.failure(ctx, ctx, begun, false, err)
	}
	defer conn.Close() //nolint:errcheck // nothing was sent
	config := e.transport.TLSClientConfig.Clone()
	config.ServerName = e.url.Hostname()
	secure := tls.Client(conn, config)
	shaking, cancel := context.WithTimeout(ctx, e.config.Timeouts.Connect)
	defer cancel()
	if err := secure.HandshakeContext(shaking); err != nil {
		if shaking.Err() != nil {
			err = errHandshakeTimeout
		}
		return "", e.failure(ctx, ctx, begun, false, err)
	}
	state := secure.ConnectionState()
	detail := tls.VersionName(state.Version)
	if len(state.PeerCertificates) > 0 {
		detail += ", the server's certificate expires on " + state.PeerCertificates[0].NotAfter.UTC().Format("2006-01-02")
	}
	if own := e.transport.TLSClientConfig.Certificates; len(own) > 0 && own[0].Leaf != nil {
		detail += ", ours on " + own[0].Leaf.NotAfter.UTC().Format("2006-01-02")
	}
	return detail, nil
}

// probeInquiry sends the 270 about the test member. Without one it sends an envelope
// with an empty payload, which every network refuses, but only after the sign-in.
func (e *Eligibility) probeInquiry(ctx context.Context) []network.ProbeStep {
	signIn, inquire := network.ProbeStep{Name: "sign-in"}, network.ProbeStep{Name: "270 for the test member"}
	var m message
	var r *reply
	send := func(ctx context.Context, request []byte) (err error) {
		m = newMessage(e.config, e.config.PayloadType, request)
		if r, err = e.exchange(ctx, m); err == nil {
			err = r.refusal()
		}
		// Another error code or fault is the reply of a server that admitted us.
		admitted := err == nil || r != nil && (r.errorCode != "" || r.fault != "") && !errors.Is(err, network.ErrUnauthorized)
		if !admitted {
			signIn.Err = err
		} else if r.errorCode != "" {
			signIn.Detail = fmt.Sprintf("the reply to the request has the error code %s", word(r.errorCode))
		}
		return signIn.Err
	}
	if e.config.Test == nil {
		inquire.Skipped = "the connection has no test_member"
		_ = send(ctx, nil) // the step has the error
	} else {
		inquire.Err = e.config.Test(ctx, func(ctx context.Context, request []byte) ([]byte, error) {
			ours, err := inquiryOf(request)
			if err == nil {
				err = send(ctx, request)
			}
			if err != nil {
				return nil, err
			}
			return e.judge(ours, m.payloadID, r)
		})
	}
	switch {
	case signIn.Err != nil:
		return []network.ProbeStep{signIn}
	case r == nil:
		signIn.Skipped = "there is no request to sign in with"
	}
	return []network.ProbeStep{signIn, inquire}
}
