package webhookhttp

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/webhook"
)

// TestSecretIsReadWhenConnected rotates the secret while a post waits for the
// receiver's half of the handshake.
func TestSecretIsReadWhenConnected(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	config := a.config(t, receiverHost, nil)
	begun, rotated := make(chan struct{}), make(chan struct{})
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		close(begun)
		<-rotated
		return nil, nil // what the interface says for "as it is"
	}
	signatures := make(chan string, 1)
	r := serve(t, config, func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		signatures <- request.Header.Get("Webhook-Signature")
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	})
	m, before, after := message(), webhook.NewWebhookSecret(), webhook.NewWebhookSecret()
	current := make(chan webhook.Secret, 1)
	current <- before
	go func() {
		<-begun
		<-current
		current <- after
		close(rotated)
	}()
	got, err := posting(t, a, r, Options{}).Post(t.Context(), m, func(context.Context) (webhook.Secret, error) {
		s := <-current
		current <- s
		return s, nil
	})
	if err != nil || got.Status != 200 {
		t.Fatalf("%+v, %v", got, err)
	}
	if want, err := m.Signature(after); err != nil || <-signatures != want {
		t.Errorf("not signed with the secret of that moment: %v", err)
	}
}

// TestSecretOfEachConnection posts on a connection that the receiver closes at
// the moment of its next use. The post on the new one is signed anew.
func TestSecretOfEachConnection(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	signatures := make(chan string, 3)
	var requests atomic.Int32
	r := serve(t, a.config(t, receiverHost, nil), func(conn net.Conn) {
		in := bufio.NewReader(conn)
		for {
			request, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, request.Body)
			signatures <- request.Header.Get("Webhook-Signature")
			if requests.Add(1) == 2 {
				return // without a reply
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
	c, m := posting(t, a, r, Options{}), message()
	var secrets []webhook.Secret
	for range 2 {
		got, err := c.Post(t.Context(), m, func(context.Context) (webhook.Secret, error) {
			secrets = append(secrets, webhook.NewWebhookSecret())
			return secrets[len(secrets)-1], nil
		})
		if err != nil || got.Status != 200 {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if len(secrets) != 3 || r.connections.Load() != 2 {
		t.Fatalf("%d signatures on %d connections", len(secrets), r.connections.Load())
	}
	for i, s := range secrets {
		if want, err := m.Signature(s); err != nil || <-signatures != want {
			t.Errorf("post %d is not signed with the secret of its connection: %v", i, err)
		}
	}
}

// TestNoSecret has secrets that cannot be read: on a new connection, on one that
// was used before, and when there is no time left. Nothing is written.
func TestNoSecret(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	read := make(chan int, 5) // bytes on each connection
	r := serve(t, a.config(t, receiverHost, nil), func(conn net.Conn) {
		counted := &counter{Conn: conn}
		replying("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")(counted)
		read <- counted.n
	})
	c := posting(t, a, r, Options{})
	lost := errors.New("the store is away")
	fails := func(context.Context) (webhook.Secret, error) { return "", lost }
	malformed := func(context.Context) (webhook.Secret, error) { return "", nil }
	for name, test := range map[string]struct {
		secret func(context.Context) (webhook.Secret, error)
		want   error
	}{"lost": {fails, lost}, "malformed": {malformed, webhook.ErrMalformedSecret}} {
		if got, err := c.Post(t.Context(), message(), test.secret); !errors.Is(err, test.want) {
			t.Errorf("%s, on a new connection: %+v, %v", name, got, err)
		}
		if got := c.attempt(t.Context(), message()); got.Status != 200 {
			t.Fatalf("%+v", got)
		}
		if got, err := c.Post(t.Context(), message(), test.secret); !errors.Is(err, test.want) {
			t.Errorf("%s, on a used connection: %+v, %v", name, got, err)
		}
	}
	c = posting(t, a, r, Options{Timeouts: Timeouts{Attempt: 500 * time.Millisecond}})
	got, err := c.Post(t.Context(), message(), func(ctx context.Context) (webhook.Secret, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	if err != nil || got.Error != "no reply within 0.5 seconds" {
		t.Errorf("no time left: %+v, %v", got, err)
	}
	total, good := 0, 0
	for range r.connections.Load() {
		n := <-read
		if total += n; n > 0 {
			good = n // one whole request
		}
	}
	if total != 2*good {
		t.Errorf("%d bytes were written, want two requests of %d", total, good)
	}
}

// counter counts what is read.
type counter struct {
	net.Conn
	n int
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.n += n
	return n, err
}
