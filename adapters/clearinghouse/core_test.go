package clearinghouse_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/clearinghouse"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/ports/porttest"
)

var update = flag.Bool("update", false, "write the golden files")

const payloadID = "0b9e1f8a-3c77-4b8d-9a55-2f7c3f1d0e11"

// message is a CORE request as the tests write it.
type message struct {
	fields         map[string]string
	user, password string
	space          string // the namespace of the request
	prefix         string // of its fields
	header         string // in place of the UsernameToken
}

func (f *fixture) message(payload []byte) *message {
	return &message{
		fields: map[string]string{
			"PayloadType": "X12_270_Request_005010X279A1", "ProcessingMode": "RealTime", "PayloadID": payloadID, "TimeStamp": "2026-01-31T17:05:09Z",
			"SenderID": f.SenderID, "ReceiverID": f.ReceiverID, "CORERuleVersion": "2.2.0", "Payload": string(payload),
		},
		user: f.COREUser, password: f.COREPassword, space: "http://www.caqh.org/SOAP/WSDL/CORERule2.2.0.xsd",
	}
}

var order = []string{"PayloadType", "ProcessingMode", "PayloadID", "TimeStamp", "SenderID", "ReceiverID", "CORERuleVersion", "Payload"}

const wsse = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"

func (m *message) soap() []byte {
	header := m.header
	if header == "" {
		header = fmt.Sprintf(`<wsse:UsernameToken><wsse:Username>%s</wsse:Username><wsse:Password Type="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText">%s</wsse:Password></wsse:UsernameToken>`, m.user, m.password)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Header><wsse:Security s:mustUnderstand="true" xmlns:wsse="%s">%s</wsse:Security></s:Header><s:Body><c:COREEnvelopeRealTimeRequest xmlns:c="%s">`, wsse, header, m.space)
	for _, name := range order {
		value := html.EscapeString(m.fields[name])
		if name == "Payload" && !strings.Contains(value, "&") {
			value = "<![CDATA[" + value + "]]>"
		}
		if strings.HasPrefix(m.fields[name], "<xop:") {
			value = m.fields[name]
		}
		fmt.Fprintf(&b, "<%[1]s%[2]s>%[3]s</%[1]s%[2]s>", m.prefix, name, value)
	}
	b.WriteString("</c:COREEnvelopeRealTimeRequest></s:Body></s:Envelope>")
	return b.Bytes()
}

func (m *message) mime(tb testing.TB, rename func(string) string) (body []byte, contentType string) {
	tb.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := len(order) - 1; i >= 0; i-- {
		_ = w.WriteField(rename(order[i]), m.fields[order[i]])
	}
	_ = w.WriteField(rename("UserName"), m.user)
	_ = w.WriteField(rename("Password"), m.password)
	_ = w.Close()
	return b.Bytes(), `multipart/form-data; boundary="` + w.Boundary() + `"`
}

const soapContent = "application/soap+xml; charset=UTF-8; action=RealTimeTransaction"

// client returns an HTTP client that trusts the printed CA, and has the account's
// certificate if certified.
func (f *fixture) client(t *testing.T, certified bool) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(mustRead(t, f.CAFile)) {
		t.Fatal("no CA")
	}
	config := &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	if certified {
		pair, err := tls.LoadX509KeyPair(f.dir+"/client.crt", f.dir+"/client.key")
		if err != nil {
			t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: config}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// response is an HTTP response whose body was read.
type response struct {
	code   int
	header http.Header
	body   string
}

// roundTrip sends a request and reads the response to its end.
func roundTrip(c *http.Client, r *http.Request) (*response, error) {
	res, err := c.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	return &response{res.StatusCode, res.Header, string(b)}, err
}

// request returns a SOAP request about an active member.
func (f *fixture) request(ctx context.Context, t *testing.T) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.CORESOAPURL, bytes.NewReader(f.message(inquiry("W1")).soap()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", soapContent)
	return r
}

func (f *fixture) post(t *testing.T, c *http.Client, url, contentType string, body []byte) (*response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	res, err := roundTrip(c, r)
	if err != nil {
		t.Fatal(err)
	}
	return res, res.body
}

// field returns a field of a SOAP reply.
func field(reply, name string) string {
	m := regexp.MustCompile(`(?s)<` + name + `>(.*?)</` + name + `>`).FindStringSubmatch(reply)
	if m == nil {
		return ""
	}
	text := m[1]
	if inner, is := strings.CutPrefix(text, "<![CDATA["); is {
		return strings.TrimSuffix(inner, "]]>")
	}
	return html.UnescapeString(text)
}

// isActive reports whether the payload is a 271 for the inquiry with coverage.
func isActive(t *testing.T, payload string) bool {
	t.Helper()
	r, err := eligibility.Decode([]byte(payload))
	return err == nil && r.Reference == "REF7" && len(r.Rejections()) == 0 && r.Patient() != nil && len(r.Patient().Benefits) > 5 && r.Patient().Traces[0].Number == "TRACE7"
}

func TestSOAP(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.client(t, false)
	request := inquiry("W1-ACTIVE-FULL")
	res, reply := f.post(t, c, f.CORESOAPURL, soapContent, f.message(request).soap())
	same, err := sandboxnet.NewEligibility(porttest.At(time.Now(), 0)).Inquire(t.Context(), request)
	if err != nil || field(reply, "Payload") != string(same) {
		t.Errorf("the sandbox responds with other bytes: %s, %v", same, err)
	}
	if res.code != http.StatusOK || res.header.Get("Content-Type") != soapContent {
		t.Errorf("%d, %s", res.code, res.header.Get("Content-Type"))
	}
	for name, want := range map[string]string{
		"PayloadType": "X12_271_Response_005010X279A1", "ProcessingMode": "RealTime", "PayloadID": payloadID, "SenderID": f.ReceiverID, "ReceiverID": f.SenderID,
		"CORERuleVersion": "2.2.0", "ErrorCode": "Success", "ErrorMessage": "None",
	} {
		if got := field(reply, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if !strings.Contains(reply, `<ns1:COREEnvelopeRealTimeResponse xmlns:ns1="http://www.caqh.org/SOAP/WSDL/CORERule2.2.0.xsd"><PayloadType>`) || !isActive(t, field(reply, "Payload")) {
		t.Errorf("the reply is %s", reply)
	}
	if _, err := time.Parse("2006-01-02T15:04:05Z", field(reply, "TimeStamp")); err != nil {
		t.Error(err)
	}
	if log := f.log.String(); strings.Contains(log, "ROE") || strings.Contains(log, f.COREPassword) {
		t.Errorf("the log has more than it may:\n%s", log)
	}
}

// TestSOAPScenarios sends inquiries whose member IDs choose what happens.
func TestSOAPScenarios(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.client(t, false)
	ask := func(member string) (*response, string) {
		return f.post(t, c, f.CORESOAPURL, soapContent, f.message(inquiry(member)).soap())
	}
	_, reply := ask("W1-NOT-FOUND")
	if r, err := eligibility.Decode([]byte(field(reply, "Payload"))); err != nil || len(r.Rejections()) != 1 || r.Rejections()[0].Reason != "75" {
		t.Errorf("-NOT-FOUND: %s", reply)
	}
	if _, reply := ask("W1-GARBLED"); field(reply, "ErrorCode") != "Success" || !strings.HasPrefix(field(reply, "Payload"), "<html>") {
		t.Errorf("-GARBLED: %s", reply)
	}
	if res, reply := ask("W1-NETWORK-ERROR"); res.code != http.StatusInternalServerError || !strings.Contains(reply, "env:Fault") {
		t.Errorf("-NETWORK-ERROR: %d %s", res.code, reply)
	}
	begun := time.Now()
	if _, reply := ask("W1-SLOW-2"); !isActive(t, field(reply, "Payload")) || time.Since(begun) < time.Second {
		t.Errorf("-SLOW-2 after %s: %s", time.Since(begun), reply)
	}
}

// TestSOAPErrors sends requests with one mistake each.
func TestSOAPErrors(t *testing.T) {
	t.Parallel()
	lenient := newFixture(t)
	strict := newFixture(t, func(o *clearinghouse.Options) { o.Strict = true })
	set := func(name, value string) func(*message) {
		return func(m *message) { m.fields[name] = value }
	}
	for name, test := range map[string]struct {
		strict bool
		change func(*message)
		want   string
	}{
		"password": {false, func(m *message) { m.password = "wrong" }, "UnAuthorized"},
		"user":     {false, func(m *message) { m.user = "root" }, "UnAuthorized"},
		"digest": {false, func(m *message) {
			m.header = `<wsse:UsernameToken><wsse:Username>practice</wsse:Username><wsse:Password Type="x#PasswordDigest">` + m.password + `</wsse:Password></wsse:UsernameToken>`
		}, "UnAuthorized"},
		"qualified fields":    {false, func(m *message) { m.prefix = "c:" }, "PayloadTypeRequired"},
		"no payload":          {false, set("Payload", ""), "PayloadRequired"},
		"no sender":           {false, set("SenderID", ""), "SenderIDRequired"},
		"another type":        {false, set("PayloadType", "X12_278_Request_005010X217"), "PayloadTypeNotUnderstood"},
		"batch":               {false, set("ProcessingMode", "Batch"), "ProcessingModeNotUnderstood"},
		"another version":     {false, set("CORERuleVersion", "2.2"), "VersionMismatch"},
		"another namespace's": {false, set("CORERuleVersion", "4.0.0"), "VersionMismatch"},
		"no X12":              {false, set("Payload", "hello"), "PayloadNotUnderstood"},
		"any IDs": {false, func(m *message) {
			m.fields["SenderID"], m.fields["PayloadID"], m.fields["TimeStamp"] = "ANYONE", "1", "now"
		}, "Success"},
		"strict":           {true, func(*message) {}, "Success"},
		"strict, sender":   {true, set("SenderID", "ANYONE"), "SenderIDNotUnderstood"},
		"strict, receiver": {true, set("ReceiverID", "ANYONE"), "ReceiverIDNotUnderstood"},
		"strict, ID":       {true, set("PayloadID", "1"), "PayloadIDIllegal"},
		"strict, time":     {true, set("TimeStamp", "2026-01-31 17:05:09"), "TimeStampIllegal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := lenient
			if test.strict {
				f = strict
			}
			m := f.message(inquiry("W1"))
			test.change(m)
			res, reply := f.post(t, f.client(t, false), f.CORESOAPURL, soapContent, m.soap())
			if res.code != http.StatusOK || field(reply, "ErrorCode") != test.want || (test.want == "Success") != isActive(t, field(reply, "Payload")) {
				t.Errorf("%d %s", res.code, reply)
			}
		})
	}
}

// TestSOAPHints checks that an error names the mistake that a first client makes.
func TestSOAPHints(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for want, change := range map[string]func(*message){
		"Fields must have no namespace": func(m *message) { m.prefix = "c:" },
		"There is no user name.":        func(m *message) { m.header = " " },
		"PayloadID is missing or empty": func(m *message) { m.fields["PayloadID"] = "" },
	} {
		m := f.message(inquiry("W1"))
		change(m)
		if _, reply := f.post(t, f.client(t, false), f.CORESOAPURL, soapContent, m.soap()); !strings.Contains(field(reply, "ErrorMessage"), want) {
			t.Errorf("want %q: %s", want, reply)
		}
	}
	m := f.message(inquiry("W1"))
	m.space, m.prefix, m.header = "http://www.caqh.org/SOAP/WSDL/CORERule4.0.0.xsd", "c:", " "
	if _, reply := f.post(t, f.client(t, true), f.CORESOAPURL, soapContent, m.soap()); field(reply, "ErrorCode") != "PayloadTypeRequired" {
		t.Errorf("Phase IV with qualified fields: %s", reply)
	}
}

// TestHTTPErrors sends what is no CORE request.
func TestHTTPErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	good := f.message(inquiry("W1")).soap()
	deep := []byte(strings.Repeat("<a>", 100_000))
	for name, test := range map[string]struct {
		path, contentType string
		body              []byte
		want              int
	}{
		"SOAP 1.1 type":     {"/core/soap", "text/xml; charset=UTF-8", good, 415},
		"no type":           {"/core/soap", "", good, 415},
		"another charset":   {"/core/soap", "application/soap+xml; charset=UTF-16", good, 415},
		"another action":    {"/core/soap", "application/soap+xml; action=BatchSubmitTransaction", good, 500},
		"no action":         {"/core/soap", "application/soap+xml", good, 200},
		"SOAP 1.1 envelope": {"/core/soap", soapContent, bytes.ReplaceAll(good, []byte("http://www.w3.org/2003/05/soap-envelope"), []byte("http://schemas.xmlsoap.org/soap/envelope/")), 500},
		"namespace":         {"/core/soap", soapContent, bytes.ReplaceAll(good, []byte("CORERule2.2.0"), []byte("CORERule9")), 400},
		"no XML":            {"/core/soap", soapContent, []byte("hello"), 400},
		"half":              {"/core/soap", soapContent, good[:len(good)/2], 400},
		"document type":     {"/core/soap", soapContent, append([]byte(`<!DOCTYPE s [<!ENTITY e "x">]>`), good...), 400},
		"deep":              {"/core/soap", soapContent, deep, 400},
		"large":             {"/core/soap", soapContent, make([]byte, 2<<20), 413},
		"no multipart":      {"/core/mime", "multipart/form-data; boundary=x", []byte("hello"), 400},
		"no boundary":       {"/core/mime", "multipart/form-data", []byte("--\r\n"), 415},
		"SOAP at MIME":      {"/core/mime", soapContent, good, 415},
		"another path":      {"/core", soapContent, good, 404},
	} {
		base := strings.TrimSuffix(f.CORESOAPURL, "/core/soap")
		if res, body := f.post(t, f.client(t, false), base+test.path, test.contentType, test.body); res.code != test.want {
			t.Errorf("%s: %d %s, want %d", name, res.code, body, test.want)
		}
	}
	get, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.CORESOAPURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := roundTrip(f.client(t, false), get); err != nil || res.code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %v, %v", res, err)
	}
	if conn, err := tls.Dial("tcp", strings.TrimPrefix(strings.TrimSuffix(f.CORESOAPURL, "/core/soap"), "https://"), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
		_ = conn.Close()
		t.Error("TLS 1.1 worked")
	}
	if _, err := roundTrip(&http.Client{}, get); err == nil {
		t.Error("a client without the CA trusted the endpoint")
	}
}

// TestRelated sends the payload in another part, as MTOM has it.
func TestRelated(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	m := f.message(inquiry("W1"))
	payload := m.fields["Payload"]
	for name, test := range map[string]struct {
		href, encoding, content string
		want                    string
	}{
		"raw":     {"cid:p@1", "binary", payload, "Success"},
		"base64":  {"cid:p@1", "base64", base64.StdEncoding.EncodeToString([]byte(payload)), "Success"},
		"missing": {"cid:q@1", "binary", payload, ""},
		"a URL":   {"https://example.com/p", "binary", payload, ""},
	} {
		m.fields["Payload"] = `<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="` + test.href + `"/>`
		body := "--b\r\nContent-Type: application/xop+xml; type=\"application/soap+xml\"\r\nContent-ID: <root@1>\r\n\r\n" + string(m.soap()) +
			"\r\n--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: " + test.encoding + "\r\nContent-ID: <p@1>\r\n\r\n" + test.content + "\r\n--b--\r\n"
		_, reply := f.post(t, f.client(t, false), f.CORESOAPURL, `multipart/related; type="application/xop+xml"; start-info="application/soap+xml"; boundary=b; action=RealTimeTransaction`, []byte(body))
		if got := field(reply, "ErrorCode"); got != test.want {
			t.Errorf("%s: %s", name, reply)
		}
	}
}

func TestPhaseIV(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	m := f.message(inquiry("W1"))
	m.space, m.fields["CORERuleVersion"], m.header = "http://www.caqh.org/SOAP/WSDL/CORERule4.0.0.xsd", "4.0.0", " "
	res, reply := f.post(t, f.client(t, true), f.CORESOAPURL, soapContent, m.soap())
	if res.code != http.StatusOK || !isActive(t, field(reply, "Payload")) || field(reply, "CORERuleVersion") != "4.0.0" || !strings.Contains(reply, m.space) {
		t.Errorf("%d %s", res.code, reply)
	}
	if res, reply := f.post(t, f.client(t, false), f.CORESOAPURL, soapContent, m.soap()); res.code != http.StatusForbidden {
		t.Errorf("without a certificate: %d %s", res.code, reply)
	}
	other := newFixture(t)
	pair, err := tls.LoadX509KeyPair(other.dir+"/client.crt", other.dir+"/client.key")
	if err != nil {
		t.Fatal(err)
	}
	c := f.client(t, true)
	config := c.Transport.(*http.Transport).TLSClientConfig
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	if res, err := roundTrip(c, f.request(t.Context(), t)); err == nil {
		t.Errorf("with a certificate of another CA: %d", res.code)
	}
}

func parts(t *testing.T, res *response, body string) map[string]string {
	t.Helper()
	kind, p, err := mime.ParseMediaType(res.header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		t.Fatalf("%s, %v", kind, err)
	}
	fields, r := map[string]string{}, multipart.NewReader(strings.NewReader(body), p["boundary"])
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return fields
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		fields[part.FormName()] = string(b)
	}
}

func TestMIME(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, rename := range []func(string) string{func(s string) string { return s }, strings.ToLower, func(s string) string { return strings.Replace(s, "ID", "Id", 1) }} {
		body, contentType := f.message(inquiry("W1")).mime(t, rename)
		res, reply := f.post(t, f.client(t, false), f.COREMIMEURL, contentType, body)
		if got := parts(t, res, reply); got["ErrorCode"] != "Success" || got["PayloadID"] != payloadID || got["PayloadType"] != "X12_271_Response_005010X279A1" || !isActive(t, got["Payload"]) {
			t.Errorf("%d %s", res.code, reply)
		}
	}
	m := f.message(inquiry("W1"))
	m.password = "wrong"
	body, contentType := m.mime(t, strings.ToLower)
	begun := time.Now()
	res, reply := f.post(t, f.client(t, false), f.COREMIMEURL, contentType, body)
	if got := parts(t, res, reply); got["ErrorCode"] != "UnAuthorized" || got["Payload"] != "" || time.Since(begun) < time.Second {
		t.Errorf("a wrong password after %s: %s", time.Since(begun), reply)
	}
}

// TestPython asks both URLs with the standard library of Python.
func TestPython(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	account, err := json.Marshal(f.Account)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	body, contentType := f.message(inquiry("W1")).mime(t, func(s string) string { return s })
	for name, content := range map[string][]byte{"account.json": account, "soap": f.message(inquiry("W1")).soap(), "mime": body, "type": []byte(contentType)} {
		if err := os.WriteFile(dir+"/"+name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const program = `
import email, json, ssl, sys, urllib.request, xml.etree.ElementTree as tree
dir = sys.argv[1]
read = lambda name: open(dir + "/" + name, "rb").read()
account = json.loads(read("account.json"))
trust = ssl.create_default_context(cafile=account["ca_file"])
def post(url, kind, body):
    r = urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": kind}), context=trust)
    return r.headers["Content-Type"], r.read()
_, reply = post(account["core_soap_url"], "application/soap+xml; charset=UTF-8; action=RealTimeTransaction", read("soap"))
print(tree.fromstring(reply).find(".//Payload").text)
kind, reply = post(account["core_mime_url"], read("type").decode(), read("mime"))
for part in email.message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + reply).walk():
    if part.get_param("name", header="content-disposition") == "Payload":
        print(part.get_payload())
`
	out, err := exec.CommandContext(t.Context(), "python3", "-c", program, dir).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != 2 || !isActive(t, lines[0]) || !isActive(t, lines[1]) {
		t.Errorf("%v:\n%s", err, out)
	}
}

var changing = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ][\d:.]+Z?|\d{6,8}\*\d{4,8}|D8\*\d{8}|RD8\*\d{8}-\d{8}|_Part_\w+`)

// TestDeviations compares the reply under each deviation with its golden file. What
// changes with time is replaced by its form.
func TestDeviations(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 13; n++ {
		t.Run(fmt.Sprint("d", n), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, faults(fmt.Sprint("core:d", n)))
			contentType := soapContent
			if n == 11 {
				contentType = "text/xml; charset=utf-8"
			}
			res, reply := f.post(t, f.client(t, false), f.CORESOAPURL, contentType, f.message(inquiry("W1-INACTIVE")).soap())
			var b strings.Builder
			fmt.Fprintf(&b, "%d\n", res.code)
			for _, h := range []string{"Content-Type", "Action", "SOAPAction"} {
				if v := res.header.Get(h); v != "" {
					fmt.Fprintf(&b, "%s: %s\n", h, v)
				}
			}
			switch n {
			case 8:
				if field(reply, "PayloadID") == payloadID || strings.Contains(field(reply, "Payload"), "*REF7*") {
					t.Errorf("it is about this request: %s", reply)
				}
				reply = strings.ReplaceAll(reply, field(reply, "PayloadID"), "UUID")
				reply = regexp.MustCompile(`(BHT\*0022\*11\*)\w+`).ReplaceAllString(reply, "${1}REFERENCE")
			case 10:
				reply = regexp.MustCompile(`OFF(ALLY    |ICEALLY |ICE ALLY)    `).ReplaceAllString(reply, "[sender]      ")
			case 13:
				payload, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(field(reply, "Payload"), "\n", ""))
				if err != nil {
					t.Fatal(err)
				}
				reply = regexp.MustCompile(`(?s)<Payload>.*</Payload>`).ReplaceAllLiteralString(reply, "<Payload>[base64 of "+string(payload)+"]</Payload>")
			}
			b.WriteString("\n" + changing.ReplaceAllString(reply, "[time]") + "\n")
			name := fmt.Sprintf("testdata/d%02d.txt", n)
			if *update {
				if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(mustRead(t, name)); b.String() != want {
				t.Errorf("the reply is\n%s\nwant\n%s", b.String(), want)
			}
		})
	}
}

// TestRejections asks for a 999 and a TA1 in place of the 271.
func TestRejections(t *testing.T) {
	t.Parallel()
	ask := func(f *fixture, payload []byte) (kind string, ack *acknowledgements.Functional) {
		t.Helper()
		_, reply := f.post(t, f.client(t, false), f.CORESOAPURL, soapContent, f.message(payload).soap())
		ack, _, err := acknowledgements.DecodeFunctional(strings.NewReader(field(reply, "Payload")))
		if err != nil || field(reply, "ErrorCode") != "Success" {
			t.Fatalf("%v in %s", err, reply)
		}
		return field(reply, "PayloadType"), ack
	}
	kind, ack := ask(newFixture(t, faults("core:999")), inquiry("W1"))
	set := ack.Groups[0].Sets[0]
	if kind != "X12_999_Response_005010X231A1" || ack.Groups[0].Verdict() != acknowledgements.VerdictRejected || set.ID != "270" || set.Segments[0].ID != "NM1" {
		t.Errorf("%s %+v", kind, ack)
	}
	if _, ack := ask(newFixture(t, faults("core:d2", "core:d10")), inquiry("W1")); ack.Groups[0].Sets[0].ID != "276" || ack.Interchange.Version != "00401" {
		t.Errorf("%+v", ack)
	}
	half := inquiry("W1")
	half = half[:bytes.Index(half, []byte("~NM1*IL"))+1]
	for name, payload := range map[string][]byte{"claims": batchOf(t, 1, "CHTEST", ""), "half a 270": half} {
		if kind, ack := ask(newFixture(t), payload); kind != "X12_999_Response_005010X231A1" || ack.Groups[0].Verdict() != acknowledgements.VerdictRejected {
			t.Errorf("%s: %s %+v", name, kind, ack)
		}
	}
	if kind, ack := ask(newFixture(t, faults("core:ta1")), inquiry("W1")); kind != "X12_TA1_Response_00501X231A1" || ack.Interchanges[0].Code != "R" {
		t.Errorf("%s %+v", kind, ack)
	}
	if kind, ack := ask(newFixture(t, func(o *clearinghouse.Options) { o.Strict, o.Usage = true, "T" }), inquiry("W1")); kind != "X12_TA1_Response_00501X231A1" || ack.Interchanges[0].Note != "020" {
		t.Errorf("%s %+v", kind, ack)
	}
}

// TestCOREFaults meets the faults of the connection and of HTTP.
func TestCOREFaults(t *testing.T) {
	t.Parallel()
	ask := func(t *testing.T, f *fixture, hangs bool) (*response, error) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if hangs {
			defer time.AfterFunc(2*time.Second, cancel).Stop()
		}
		return roundTrip(f.client(t, false), f.request(ctx, t))
	}
	for name, check := range map[string]func(res *response, err error) bool{
		"core:silent": func(_ *response, err error) bool { return errors.Is(err, context.Canceled) },
		"core:hang":   func(_ *response, err error) bool { return errors.Is(err, context.Canceled) },
		"core:cut":    func(_ *response, err error) bool { return errors.Is(err, io.EOF) || isReset(err) },
		"core:certificate": func(_ *response, err error) bool {
			return err != nil && strings.Contains(err.Error(), "expired")
		},
		"core:html": func(res *response, _ error) bool {
			return res.code == 502 && strings.HasPrefix(res.body, "<html>")
		},
		"core:fault": func(res *response, _ error) bool {
			return res.code == 500 && strings.Contains(res.body, "env:Fault")
		},
		"core:unauthorized": func(res *response, _ error) bool { return field(res.body, "ErrorCode") == "UnAuthorized" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if res, err := ask(t, newFixture(t, faults(name)), name == "core:hang" || name == "core:silent"); !check(res, err) {
				t.Errorf("%+v %v", res, err)
			}
		})
	}
}

func isReset(err error) bool {
	var op *net.OpError
	return errors.As(err, &op)
}

// TestHalfAReply reads the first half of a reply, and waits in vain for the rest.
func TestHalfAReply(t *testing.T) {
	t.Parallel()
	f := newFixture(t, faults("core:hang-body"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res, err := f.client(t, false).Do(f.request(ctx, t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	half := make([]byte, res.ContentLength/2)
	if _, err := io.ReadFull(res.Body, half); err != nil || !bytes.Contains(half, []byte("<PayloadType>")) {
		t.Errorf("%s, %v", half, err)
	}
	time.AfterFunc(time.Second, cancel)
	if n, err := io.Copy(io.Discard, res.Body); n > 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d more bytes, %v", n, err)
	}
}
