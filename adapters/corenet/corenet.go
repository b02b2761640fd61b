// Package corenet sends inquiries over CAQH CORE connectivity: X12 in an envelope,
// in the body of one HTTPS request, whose reply brings the response of the payer.
//
// There are three envelopes. Version 2.2.0 is a SOAP 1.2 message or a multipart form,
// with a user name and a password. Phase IV is a SOAP message of version 4.0.0, and
// the client signs in with a certificate.
//
// The rules are loosely kept, so this package writes strictly and reads loosely. It
// finds the payload by its local name in any namespace, and removes what is around
// the X12: entities, CDATA, base64, attachments. It believes only the X12: Success
// in an envelope proves nothing, and neither does an error code beside a response.
// A reply counts if it is a 271, and if it belongs to the inquiry (judge.go).
// Everything else is a *network.Error with a reason. Its text names codes and
// positions, never content.
//
// The peer cannot make a call last longer than Timeouts, or hold more memory than a
// few times the limits of read.go.
package corenet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/x12/statusrequest"
	"github.com/molar-billing/molar/ports"
)

// Config is an account at a network. URL, Envelope, SenderID and ReceiverID are
// required.
type Config struct {
	URL      string // https
	Envelope Envelope

	// SenderID and ReceiverID are free text; networks assign names as well as numbers.
	SenderID, ReceiverID string

	// User and Password sign in. Without a User, the client certificate does.
	User     string
	Password []byte

	// Cert and CertKey are the client certificate with its chain and its key, as PEM.
	Cert, CertKey []byte

	// CA has the certificates that sign the server's, as PEM. Without one, those of the
	// system do.
	CA []byte

	// AllowPrivate permits addresses that are not public.
	AllowPrivate bool

	// PayloadType is the type of the request, DefaultPayloadType by default.
	PayloadType string

	// TextXML labels SOAP messages as text/xml. ActionHeader is another header that
	// carries their action.
	TextXML      bool
	ActionHeader ActionHeader

	// By default a reply must have our PayloadID, our BHT03 and our TRN02, if it has any.
	// Each of these accepts another number, because the reply came in our exchange. The
	// other numbers still count.
	PayloadIDByExchange bool
	ReferenceByExchange bool
	TraceByExchange     bool

	Timeouts Timeouts

	// Test asks about a test member for Probe, by one 270; nil skips the step.
	Test func(ctx context.Context, carry ports.Inquire) error
}

// Envelope is the form of messages.
type Envelope string

// The envelopes.
const (
	SOAP220    Envelope = "soap-2.2.0"
	MIME220    Envelope = "mime-2.2.0"
	SOAPPhase4 Envelope = "soap-phase4" // CORERuleVersion 4.0.0, with a client certificate
)

// ActionHeader is a header of HTTP that carries the action of a SOAP message.
type ActionHeader string

// The values of ActionHeader.
const (
	ActionHeaderNone ActionHeader = ""
	ActionHeaderSOAP ActionHeader = "SOAPAction" // as in SOAP 1.1
	ActionHeaderWord ActionHeader = "Action"
)

// DefaultPayloadType is the PayloadType of a 270 in version 005010.
const DefaultPayloadType = "X12_270_Request_005010X279A1"

// statusPayloadType is that of a 276.
const statusPayloadType = "X12_276_Request_005010X212"

// Timeouts are the limits on how long a peer can keep a call waiting. A zero timeout
// has its default.
type Timeouts struct {
	Connect   time.Duration // for the connection, and again for the TLS handshake; 10 s
	FirstByte time.Duration // from the end of the request to the header of the reply; 45 s
	Total     time.Duration // for the whole call; 60 s
}

func (t Timeouts) withDefaults() Timeouts {
	for _, each := range []struct {
		value *time.Duration
		usual time.Duration
	}{{&t.Connect, 10 * time.Second}, {&t.FirstByte, 45 * time.Second}, {&t.Total, time.Minute}} {
		if *each.value <= 0 {
			*each.value = each.usual
		}
	}
	return t
}

// Eligibility carries inquiries to one network. It is safe for concurrent use.
type Eligibility struct {
	config    Config
	url       *url.URL
	transport *http.Transport
	dialer    dialer
}

var (
	_ ports.Inquire = (*Eligibility)(nil).Inquire
	_ ports.Peer    = (*Eligibility)(nil)
)

// New returns an Eligibility. It dials nothing. The error names the setting that
// cannot be used.
func New(c Config) (*Eligibility, error) {
	to, err := readURL(c.URL)
	if err != nil {
		return nil, err
	}
	switch c.Envelope {
	case SOAP220, MIME220:
		if c.User == "" && len(c.Cert) == 0 {
			return nil, errors.New("user: this envelope needs a user with a password, or a client certificate")
		}
	case SOAPPhase4:
		if len(c.Cert) == 0 {
			return nil, errors.New("cert_file: this envelope needs a client certificate")
		}
	default:
		return nil, fmt.Errorf("envelope: %q is unknown; use %s, %s or %s", c.Envelope, SOAP220, MIME220, SOAPPhase4)
	}
	if c.PayloadType == "" {
		c.PayloadType = DefaultPayloadType
	}
	for name, value := range map[string]string{
		"sender_id": c.SenderID, "receiver_id": c.ReceiverID, "user": c.User, "password_file": string(c.Password), "payload_type": c.PayloadType,
	} {
		if !printable(value) {
			return nil, fmt.Errorf("%s: it has a character that an envelope cannot carry, such as a line break; remove it", name)
		}
	}
	switch c.ActionHeader {
	case ActionHeaderNone, ActionHeaderSOAP, ActionHeaderWord:
	default:
		return nil, fmt.Errorf("soap_action_header: it must be %s or %s", ActionHeaderSOAP, ActionHeaderWord)
	}
	if c.SenderID == "" || c.ReceiverID == "" {
		return nil, errors.New("sender_id and receiver_id are required")
	}
	if c.User != "" && len(c.Password) == 0 {
		return nil, errors.New("password_file: the user needs a password")
	}
	config, err := tlsConfig(c)
	if err != nil {
		return nil, err
	}
	c.Timeouts = c.Timeouts.withDefaults()
	e := &Eligibility{config: c, url: to}
	if e.dialer, err = newDialer(c); err != nil {
		return nil, err
	}
	e.transport = newTransport(e.dialer, config, c.Timeouts)
	return e, nil
}

func readURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil: // the error repeats the URL, which may have a password
		return nil, errors.New("url: it cannot be read; write it as https://host/path")
	case u.Scheme != "https" || u.Hostname() == "":
		return nil, errors.New("url: it must begin with https:// and a host; patient data is never sent without TLS")
	case u.User != nil:
		return nil, errors.New("url: remove the user name and the password, and use user and password_file")
	case u.Fragment != "":
		return nil, errors.New("url: remove the # and what follows")
	}
	return u, nil
}

// printable reports whether a value can be in an element, a part and a header.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\ufffd' || r == 0xfffe || r == 0xffff })
}

func tlsConfig(c Config) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(16)}
	if len(c.CA) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(c.CA) {
			return nil, errors.New("ca_file: there is no certificate in it; it must have one as PEM (-----BEGIN CERTIFICATE-----)")
		}
	}
	if len(c.Cert) > 0 {
		pair, err := tls.X509KeyPair(c.Cert, c.CertKey)
		if err != nil { // it names the kind of the fault, and no part of the key
			return nil, fmt.Errorf("cert_file and cert_key_file: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
		// Some servers ask for the certificate once they have seen the path.
		config.Renegotiation = tls.RenegotiateOnceAsClient
	}
	return config, nil
}

// Close closes the idle connections.
func (e *Eligibility) Close() error {
	e.transport.CloseIdleConnections()
	return nil
}

// Inquire sends a 270 under a new PayloadID and returns the payer's 271. It does not
// send it again, whatever happens. If the network rejected the inquiry with a 999 or
// a TA1, Inquire returns that with the error.
func (e *Eligibility) Inquire(ctx context.Context, request []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ours, err := inquiryOf(request)
	if err != nil {
		return nil, err
	}
	m := newMessage(e.config, e.config.PayloadType, request)
	r, err := e.exchange(ctx, m)
	if err != nil {
		return nil, err
	}
	return e.judge(ours, m.payloadID, r)
}

// InquireStatus is Inquire for a 276, whose response is a 277.
func (e *Eligibility) InquireStatus(ctx context.Context, request []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := statusrequest.Decode(request); err != nil {
		return nil, fmt.Errorf("corenet: the request is no 276: %w", err)
	}
	m := newMessage(e.config, statusPayloadType, request)
	r, err := e.exchange(ctx, m)
	if err != nil {
		return nil, err
	}
	return e.judgeStatus(m.payloadID, r)
}
