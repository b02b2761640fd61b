package corenet

import (
	"bytes"
	"crypto/rand"
	"encoding/xml"
	"fmt"
	"mime/multipart"
	"strings"
	"time"
)

// The names of the schemas. The elements in a message of CORE have no namespace; the
// message itself has.
const (
	soap12     = "http://www.w3.org/2003/05/soap-envelope"
	schema220  = "http://www.caqh.org/SOAP/WSDL/CORERule2.2.0.xsd"
	schema400  = "http://www.caqh.org/SOAP/WSDL/CORERule4.0.0.xsd"
	wsse       = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
	plainWords = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText"
	action     = "RealTimeTransaction"
)

// message is a request in its envelope.
type message struct {
	payloadID   string
	contentType string
	body        []byte
}

// field is a named value of the envelope.
type field struct{ name, value string }

// newMessage puts X12 into the envelope of the network. Each message has a PayloadID
// of its own.
func newMessage(c Config, payloadType string, payload []byte) message {
	m := message{payloadID: newPayloadID()}
	version := "2.2.0"
	if c.Envelope == SOAPPhase4 {
		version = "4.0.0"
	}
	fields := []field{
		{"PayloadType", payloadType},
		{"ProcessingMode", "RealTime"},
		{"PayloadID", m.payloadID},
		{"TimeStamp", time.Now().UTC().Format("2006-01-02T15:04:05Z")},
		{"SenderID", c.SenderID},
		{"ReceiverID", c.ReceiverID},
		{"CORERuleVersion", version},
	}
	if c.Envelope == MIME220 {
		m.form(c, fields, payload)
	} else {
		m.soap(c, fields, payload)
	}
	return m
}

// newPayloadID returns a random UUID.
func newPayloadID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// soap writes a SOAP 1.2 message.
func (m *message) soap(c Config, fields []field, payload []byte) {
	m.contentType = "application/soap+xml; charset=UTF-8; action=" + action
	if c.TextXML {
		m.contentType = "text/xml; charset=UTF-8"
	}
	var b bytes.Buffer
	b.Grow(len(payload) + 2048)
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<s:Envelope xmlns:s="` + soap12 + `">`)
	if c.User != "" {
		b.WriteString(`<s:Header><wsse:Security s:mustUnderstand="true" xmlns:wsse="` + wsse + `"><wsse:UsernameToken><wsse:Username>`)
		escape(&b, c.User)
		b.WriteString(`</wsse:Username><wsse:Password Type="` + plainWords + `">`)
		escape(&b, string(c.Password))
		b.WriteString(`</wsse:Password></wsse:UsernameToken></wsse:Security></s:Header>`)
	}
	schema := schema220
	if c.Envelope == SOAPPhase4 {
		schema = schema400
	}
	b.WriteString(`<s:Body><c:COREEnvelopeRealTimeRequest xmlns:c="` + schema + `">`)
	for _, f := range fields {
		b.WriteString("<" + f.name + ">")
		escape(&b, f.value)
		b.WriteString("</" + f.name + ">")
	}
	b.WriteString("<Payload><![CDATA[")
	b.WriteString(strings.ReplaceAll(string(payload), "]]>", "]]]]><![CDATA[>"))
	b.WriteString("]]></Payload></c:COREEnvelopeRealTimeRequest></s:Body></s:Envelope>")
	m.body = b.Bytes()
}

func escape(b *bytes.Buffer, s string) { _ = xml.EscapeText(b, []byte(s)) } // a bytes.Buffer never fails

// form writes a multipart form.
func (m *message) form(c Config, fields []field, payload []byte) {
	if c.User != "" {
		fields = append(fields, field{"UserName", c.User}, field{"Password", string(c.Password)})
	}
	fields = append(fields, field{"Payload", string(payload)})
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		_ = w.WriteField(f.name, f.value) // a bytes.Buffer never fails
	}
	_ = w.Close()
	m.contentType, m.body = w.FormDataContentType(), b.Bytes()
}
