package webhookhttp

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/webhook"
)

// authority signs the certificates of receivers.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(tb testing.TB) *authority {
	tb.Helper()
	a := &authority{pool: x509.NewCertPool()}
	a.cert, a.key = sign(tb, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}, nil)
	a.pool.AddCert(a.cert)
	return a
}

// sign makes a key and a certificate for it; a nil authority is the key itself.
func sign(tb testing.TB, template *x509.Certificate, by *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		tb.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		tb.Fatal(err)
	}
	return cert, key
}

// config is that of a server with a certificate for host; change may alter the
// certificate before it is signed.
func (a *authority) config(tb testing.TB, host string, change func(*x509.Certificate)) *tls.Config {
	tb.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if change != nil {
		change(template)
	}
	cert, key := sign(tb, template, a)
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}}}
}

const receiverHost = "hooks.example.com"

// receiver is a server that a Client posts to as receiverHost.
type receiver struct {
	listener    net.Listener
	connections atomic.Int32
	work        sync.WaitGroup
}

// serve answers each connection with the function, which gets it after the TLS
// handshake unless config is nil. A connection is closed when the function
// returns, and when the test ends.
func serve(tb testing.TB, config *tls.Config, answer func(net.Conn)) *receiver {
	tb.Helper()
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	r := &receiver{listener: l}
	ended := make(chan struct{})
	tb.Cleanup(func() {
		close(ended)
		_ = l.Close()
		r.work.Wait()
	})
	r.work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			r.connections.Add(1)
			r.work.Go(func() {
				done := make(chan struct{})
				defer close(done)
				r.work.Go(func() {
					select {
					case <-ended:
					case <-done:
					}
					_ = conn.Close()
				})
				r.handle(conn, config, answer)
			})
		}
	})
	return r
}

func (r *receiver) handle(conn net.Conn, config *tls.Config, answer func(net.Conn)) {
	if config == nil {
		answer(conn)
		return
	}
	secure := tls.Server(conn, config)
	if secure.Handshake() == nil {
		answer(secure)
		_ = secure.Close() // with a TLS alert, as servers do
	}
}

func (r *receiver) at(tb testing.TB) netip.AddrPort {
	tb.Helper()
	at, err := netip.ParseAddrPort(r.listener.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	return at
}

// replying makes an answer that reads requests and writes the same reply to
// each, as it stands.
func replying(reply string) func(net.Conn) {
	return func(conn net.Conn) {
		in := bufio.NewReader(conn)
		for readRequest(in) == nil {
			if _, err := io.WriteString(conn, reply); err != nil {
				return
			}
		}
	}
}

func readRequest(in *bufio.Reader) error {
	r, err := http.ReadRequest(in)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r.Body)
	return err
}

// posting makes a Client for a receiver, with short timeouts.
func posting(tb testing.TB, a *authority, r *receiver, o Options) *Client {
	tb.Helper()
	if o.Timeouts == (Timeouts{}) {
		// Enough for a busy machine; what waits for its end has a shorter one.
		o.Timeouts = Timeouts{Attempt: 20 * time.Second}
	}
	o.RootCAs = a.pool
	o.Resolve = map[string]netip.AddrPort{receiverHost: r.at(tb)}
	return newClient(tb, o)
}

// attempt posts a message that is signed with the same secret as all others.
func (c *Client) attempt(ctx context.Context, m webhook.Message) webhook.Attempt {
	a, err := c.Post(ctx, m, theSecret)
	if err != nil {
		a.Error = "not posted: " + err.Error()
	}
	return a
}

func theSecret(context.Context) (webhook.Secret, error) {
	return "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", nil
}

func message() webhook.Message {
	return webhook.Message{
		URL: "https://" + receiverHost + "/hook?x=y", ID: "evt_1", At: time.Now(), Body: []byte(`{"id":"evt_1"}`),
	}
}
