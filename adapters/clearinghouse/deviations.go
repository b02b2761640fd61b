package clearinghouse

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// deviate changes the fields of a reply as the faults ask for.
func (s *coreServer) deviate(e *envelope) {
	if s.faults.strikes(coreIDs) {
		e.Payload = otherIDs(e.Payload)
	}
	if s.faults.strikes(coreOtherCheck) {
		e.PayloadID, e.Payload = anotherUUID(), otherReference(e.Payload)
	}
	if s.faults.strikes(coreReceiver) {
		e.SenderID, e.ReceiverID = "GATEWAY EDI", "Trizetto/GatewayEDI"
	}
	if s.faults.strikes(coreErrorCode) {
		e.ErrorCode, e.ErrorMessage = "VT04_034", "Transaction processed"
	}
	if s.faults.strikes(coreJSONSuccess) {
		e.PayloadType, e.Payload = payload277, `{"message":"An error occurred while processing the request"}`
	}
	if s.faults.strikes(coreSOAP11) {
		e.Payload = strings.ReplaceAll(e.Payload, "~", "~\r\n    ")
	}
	if s.faults.strikes(coreBase64) {
		e.Payload = base64Lines(e.Payload)
	}
	if s.faults.strikes(coreCDATA) {
		e.Payload = "<![CDATA[" + e.Payload + "]]>"
	}
}

// strangeName returns a name that a file system allows, and a careless client does not
// expect.
func strangeName() string {
	names := [...]string{"-rf ", "..%2f..%2fup", "a\\..\\b", "new\nline", "\x1b[31mred", "bad\xff", "$(id)", "long" + strings.Repeat("g", 200)}
	return names[mathrand.IntN(len(names))] + rand.Text()[:8]
}

// anotherUUID returns a random UUID of version 4.
func anotherUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

var (
	isa = regexp.MustCompile(`^(ISA\*[^*]*\*[^*]*\*[^*]*\*[^*]*\*[^*]*\*)[^*]*(\*[^*]*\*[^*]*\*[^*]*\*[^*]*\*)[^*]\*00501\*`)
	bht = regexp.MustCompile(`(~BHT\*[^*~]*\*[^*~]*\*)[^*~]*`)
	ak2 = regexp.MustCompile(`~AK2\*270\*`)
)

// otherIDs changes the envelope of an interchange that the sandbox wrote: one of
// several sender IDs, and the version of an older standard. A 999 is about another
// set.
func otherIDs(payload string) string {
	ids := [...]string{"OFFALLY", "OFFICEALLY", "OFFICE ALLY"}
	sender := fmt.Sprintf("%-15s", ids[mathrand.IntN(len(ids))])
	payload = isa.ReplaceAllString(payload, "${1}"+sender+"${2}U*00401*")
	return ak2.ReplaceAllString(payload, "~AK2*276*")
}

// otherReference changes BHT03.
func otherReference(payload string) string {
	return bht.ReplaceAllString(payload, "${1}"+strings.ToUpper(rand.Text()[:12]))
}

// writeSOAP writes a reply, in the form that the faults ask for.
func (s *coreServer) writeSOAP(w http.ResponseWriter, r *http.Request, e *envelope) {
	body := writeSOAP(e)
	switch {
	case s.faults.strikes(coreSOAP11):
		body = oldSOAP(e, s.now())
	case s.faults.strikes(coreNamespaces):
		body = ownNamespaces(e)
	}
	contentType := soapType + "; charset=UTF-8; action=" + operation
	if s.faults.strikes(coreTextXML) {
		contentType = "text/xml; charset=utf-8"
		w.Header().Set("Action", operation)
		w.Header().Set("Soapaction", `"`+operation+`"`)
	}
	if s.faults.strikes(coreMultipart) {
		boundary := "----=_Part_" + rand.Text()[:10]
		head := "--" + boundary + "\r\nContent-Type: " + soapType + "; charset=UTF-8\r\n\r\n"
		body = slices.Concat([]byte(head), body, []byte("\r\n--"+boundary+"--\r\n"))
		contentType = "text/plain"
	}
	s.write(w, r, contentType, body)
}

// write writes a reply, or half of it and then nothing.
func (s *coreServer) write(w http.ResponseWriter, r *http.Request, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	if !s.faults.strikes(coreHangBody) {
		_, _ = w.Write(body) // the client may be gone
		return
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	_, _ = w.Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// oldSOAP returns a reply in SOAP 1.1 with a wrapper of its own.
func oldSOAP(e *envelope, now time.Time) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<soapenv:Envelope xmlns:soapenv="%s"><soapenv:Header/><soapenv:Body><realTimeTransaction><body>`, soap11)
	old := *e
	old.TimeStamp = now.UTC().Format("2006-01-02 15:04:05.000")
	for _, name := range replyFields {
		fmt.Fprintf(&b, "<%s>%s</%s>", name, escaped(*old.field(name)), name)
	}
	b.WriteString("</body></realTimeTransaction></soapenv:Body></soapenv:Envelope>")
	return b.Bytes()
}

// ownNamespaces returns a reply in the form of a generated service: namespaces of its
// own, and its fields in alphabetical order with a prefix.
func ownNamespaces(e *envelope) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<s:Envelope xmlns:s="%s"><s:Body><RealTimeTransactionResponse xmlns="http://tempuri.org/">`+
		`<RealTimeTransactionResult xmlns:a="http://schemas.datacontract.org/2004/07/Payer.Core" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">`, soap12)
	for _, name := range slices.Sorted(slices.Values(replyFields)) {
		fmt.Fprintf(&b, "<a:%s>%s</a:%s>", name, escaped(*e.field(name)), name)
	}
	b.WriteString("</RealTimeTransactionResult></RealTimeTransactionResponse></s:Body></s:Envelope>")
	return b.Bytes()
}

// base64Lines returns text in base64, in lines of 76 characters.
func base64Lines(s string) string {
	const width = 76
	var b strings.Builder
	for text := base64.StdEncoding.EncodeToString([]byte(s)); text != ""; {
		n := min(width, len(text))
		b.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return b.String()
}
