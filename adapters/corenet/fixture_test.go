package corenet_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	user     = "molar&co"
	password = "p<ss \"w\u00f6rd\""
)

// envelopes are those that the client writes.
func envelopes() []corenet.Envelope {
	return []corenet.Envelope{corenet.SOAP220, corenet.MIME220, corenet.SOAPPhase4}
}

// received is a request as a strict server reads it.
type received struct {
	envelope   corenet.Envelope
	fields     map[string]string
	user, pass string
	x12        []byte
	header     http.Header
}

func (r *received) isForm() bool { return r.envelope == corenet.MIME220 }

// field is a child of the message. Its name must have no namespace.
type field struct {
	XMLName xml.Name `xml:""`
	Text    string   `xml:",chardata"`
}

// readRequest reads a request the way that WSDLs and forms describe it.
func readRequest(r *http.Request) (*received, error) {
	in := &received{fields: map[string]string{}, header: r.Header}
	mediaType, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return nil, err
	case mediaType == "multipart/form-data":
		in.envelope = corenet.MIME220
		form, err := multipart.NewReader(r.Body, params["boundary"]).ReadForm(1 << 20)
		if err != nil {
			return nil, err
		}
		for name, values := range form.Value {
			if len(values) != 1 {
				return nil, fmt.Errorf("%d parts %s", len(values), name)
			}
			in.fields[name] = values[0]
		}
		in.user, in.pass = in.fields["UserName"], in.fields["Password"]
	case mediaType == "application/soap+xml" && params["action"] == "RealTimeTransaction", mediaType == "text/xml" && r.Header.Get("SOAPAction") == "RealTimeTransaction":
		var e struct {
			XMLName xml.Name `xml:"http://www.w3.org/2003/05/soap-envelope Envelope"`
			Token   struct {
				Username string `xml:"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd Username"`
				Password string `xml:"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd Password"`
			} `xml:"Header>Security>UsernameToken"`
			Body struct {
				Message struct {
					XMLName xml.Name `xml:""`
					Fields  []field  `xml:",any"`
				} `xml:",any"`
			} `xml:"http://www.w3.org/2003/05/soap-envelope Body"`
		}
		if err := xml.NewDecoder(r.Body).Decode(&e); err != nil {
			return nil, err
		}
		in.user, in.pass = e.Token.Username, e.Token.Password
		m := e.Body.Message
		switch m.XMLName {
		case xml.Name{Space: "http://www.caqh.org/SOAP/WSDL/CORERule2.2.0.xsd", Local: "COREEnvelopeRealTimeRequest"}:
			in.envelope = corenet.SOAP220
		case xml.Name{Space: "http://www.caqh.org/SOAP/WSDL/CORERule4.0.0.xsd", Local: "COREEnvelopeRealTimeRequest"}:
			in.envelope = corenet.SOAPPhase4
		default:
			return nil, fmt.Errorf("message %v", m.XMLName)
		}
		for _, f := range m.Fields {
			if f.XMLName.Space != "" {
				return nil, fmt.Errorf("the element %v is qualified", f.XMLName)
			}
			in.fields[f.XMLName.Local] = f.Text
		}
	default:
		return nil, fmt.Errorf("Content-Type %s", r.Header.Get("Content-Type"))
	}
	in.x12 = []byte(in.fields["Payload"])
	return in, in.check()
}

func (r *received) check() error {
	version := "2.2.0"
	if r.envelope == corenet.SOAPPhase4 {
		version = "4.0.0"
	}
	for name, want := range map[string]string{
		"PayloadType": "X12_270_Request_005010X279A1", "ProcessingMode": "RealTime", "SenderID": "MOLAR <1>", "ReceiverID": "Trizetto/GatewayEDI & Co",
		"CORERuleVersion": version,
	} {
		if r.fields[name] != want {
			return fmt.Errorf("%s is %q, want %q", name, r.fields[name], want)
		}
	}
	if at, err := time.Parse("2006-01-02T15:04:05Z", r.fields["TimeStamp"]); err != nil || time.Since(at) > time.Hour {
		return fmt.Errorf("TimeStamp %s", r.fields["TimeStamp"])
	}
	if len(r.fields["PayloadID"]) != 36 {
		return fmt.Errorf("PayloadID %s", r.fields["PayloadID"])
	}
	return nil
}

// reply is what a server sends.
type reply struct {
	status      int // 200 by default
	contentType string
	header      map[string]string
	body        string
}

func (r reply) write(w http.ResponseWriter) {
	for name, value := range r.header {
		w.Header().Set(name, value)
	}
	if r.contentType != "" {
		w.Header().Set("Content-Type", r.contentType)
	}
	if r.status != 0 {
		w.WriteHeader(r.status)
	}
	_, _ = io.WriteString(w, r.body)
}

// soap returns the usual reply of a SOAP server.
func (r *received) soap(payload, errorCode string) reply {
	message := fmt.Sprintf(`<n:COREEnvelopeRealTimeResponse xmlns:n="http://www.caqh.org/SOAP/WSDL/CORERule%s.xsd"><PayloadType>X12_271_Response_005010X279A1</PayloadType>`+
		`<ProcessingMode>RealTime</ProcessingMode><PayloadID>%s</PayloadID><TimeStamp>2026-01-31T17:05:09Z</TimeStamp><SenderID>NET</SenderID><ReceiverID>MOLAR</ReceiverID>`+
		`<CORERuleVersion>%[1]s</CORERuleVersion><Payload>%[3]s</Payload><ErrorCode>%[4]s</ErrorCode><ErrorMessage>None</ErrorMessage></n:COREEnvelopeRealTimeResponse>`,
		r.fields["CORERuleVersion"], r.fields["PayloadID"], payload, errorCode)
	return reply{contentType: "application/soap+xml; charset=UTF-8", body: soapEnvelope("", message)}
}

func soapEnvelope(header, message string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope"><soap:Header>` + header +
		`</soap:Header><soap:Body>` + message + `</soap:Body></soap:Envelope>`
}

// form returns the usual reply of a MIME server.
func (r *received) form(payload, errorCode string) reply {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range [][2]string{
		{"PayloadType", "X12_271_Response_005010X279A1"},
		{"ProcessingMode", "RealTime"},
		{"PayloadID", r.fields["PayloadID"]},
		{"ErrorCode", errorCode},
		{"ErrorMessage", "None"},
		{"Payload", payload},
	} {
		_ = w.WriteField(f[0], f[1])
	}
	_ = w.Close()
	return reply{contentType: w.FormDataContentType(), body: b.String()}
}

// respond returns the reply with the payload in the form of the request.
func (r *received) respond(payload, errorCode string) reply {
	if r.isForm() {
		return r.form(payload, errorCode)
	}
	return r.soap(cdata(payload), errorCode)
}

func cdata(s string) string { return "<![CDATA[" + s + "]]>" }

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// server is a CORE server with the sandbox's payers behind it. Its faults are those of
// the test.
type server struct {
	*httptest.Server
	t *testing.T

	// instead replaces the reply. It gets the 271 that the payer sent.
	instead func(in *received, x12 string) reply

	mu       sync.Mutex
	requests []*received
}

func newServer(t *testing.T, changes ...func(*server)) *server {
	t.Helper()
	s := &server{t: t}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert}
	for _, change := range changes {
		change(s)
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	in, err := readRequest(r)
	if err != nil {
		s.t.Errorf("the server cannot read the request: %v", err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, in)
	s.mu.Unlock()
	signedIn := in.user == user && in.pass == password
	if in.envelope == corenet.SOAPPhase4 {
		signedIn = len(r.TLS.PeerCertificates) == 1 && r.TLS.PeerCertificates[0].Subject.CommonName == "molar"
	}
	if !signedIn {
		in.respond("", "UnAuthorized").write(w)
		return
	}
	if len(in.x12) == 0 {
		in.respond("", "PayloadRequired").write(w)
		return
	}
	x12, err := sandboxnet.NewEligibility(&porttest.Clock{}).Inquire(r.Context(), in.x12)
	if _, later := errors.AsType[*billing.LaterError](err); later {
		<-r.Context().Done()
		return
	}
	switch {
	case err != nil:
		w.WriteHeader(http.StatusInternalServerError)
	case s.instead != nil:
		s.instead(in, string(x12)).write(w)
	default:
		in.respond(string(x12), "Success").write(w)
	}
}

func (s *server) seen() []*received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// ca returns the certificate of the server, as PEM.
func (s *server) ca() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// config returns the configuration of a client of the server.
func (s *server) config(envelope corenet.Envelope) corenet.Config {
	c := corenet.Config{
		URL: s.URL + "/core", Envelope: envelope, SenderID: "MOLAR <1>", ReceiverID: "Trizetto/GatewayEDI & Co",
		User: user, Password: []byte(password), CA: s.ca(), AllowPrivate: true,
	}
	if envelope == corenet.SOAPPhase4 {
		c.User, c.Password = "", nil
		c.Cert, c.CertKey = certificate(s.t, "molar", time.Now().Add(time.Hour))
	}
	return c
}

func newClient(tb testing.TB, c corenet.Config) *corenet.Eligibility {
	tb.Helper()
	e, err := corenet.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = e.Close() })
	return e
}

// client returns a client of the server.
func (s *server) client(envelope corenet.Envelope, changes ...func(*corenet.Config)) *corenet.Eligibility {
	s.t.Helper()
	c := s.config(envelope)
	for _, change := range changes {
		change(&c)
	}
	return newClient(s.t, c)
}

// certificate returns a self-signed certificate for the loopback, and its key.
func certificate(t *testing.T, name string, until time.Time) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
}

// quill is the inquiry of the tests.
func quill(ending string) network.Inquiry {
	return network.Inquiry{
		CheckID: billing.NewID[billing.CheckID](billing.RealAt(time.Now())), Attempt: network.NewAttempt(), CreatedAt: time.Now(), Scope: billing.Scope{Mode: billing.ModeTest},
		Envelope: network.Envelope{Sender: network.End{Qualifier: "ZZ", ID: "MOLAR"}},
		Payer:    directory.PayerSummary{PayerID: "CHTEST", Name: "Molar Test Payer"},
		Inquiry: coverage.Inquiry{
			ServiceDate: billing.Date{Year: 2026, Month: 3, Day: 20}, Office: coverage.InquiringOffice{Name: "Bright Smiles", NPI: "1234567893"},
			Subscriber: coverage.Subscriber{
				FirstName: "Ottoline", LastName: "Quillfeather", MemberID: "W998877" + ending, DateOfBirth: billing.Date{Year: 1985, Month: 4, Day: 12},
			},
		},
	}
}

func request(tb testing.TB, q network.Inquiry) []byte {
	tb.Helper()
	b, err := edi.New().Inquiry(q, q.Questions()[0], 0)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// inquire asks about a member and returns the reason of the failure. Without one, the
// response must be readable.
func inquire(t *testing.T, e *corenet.Eligibility) (network.Reason, error) {
	t.Helper()
	return ask(t.Context(), t, e, "")
}

func ask(ctx context.Context, t *testing.T, e *corenet.Eligibility, ending string) (network.Reason, error) {
	t.Helper()
	q := quill(ending)
	x12, err := e.Inquire(ctx, request(t, q))
	if err != nil {
		anonymous(t, err)
		return network.ReasonOf(err), err
	}
	if a, err := edi.New().Answer(q, [][]byte{x12}); err != nil || a.Outcome != coverage.OutcomeAnswered {
		t.Errorf("the response is %s: %v", a.Outcome, err)
	}
	return "", nil
}

// anonymous checks that an error has neither patient data nor a secret.
func anonymous(t *testing.T, err error) {
	t.Helper()
	text := strings.ToLower(err.Error())
	for _, secret := range []string{"quillfeather", "ottoline", "w998877", "19850412", "p<ss"} {
		if strings.Contains(text, secret) {
			t.Errorf("the error contains %q: %v", secret, err)
		}
	}
}
