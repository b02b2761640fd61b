package clearinghouse

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"strings"
)

// The namespaces of SOAP and WS-Security.
const (
	soap12   = "http://www.w3.org/2003/05/soap-envelope"
	soap11   = "http://schemas.xmlsoap.org/soap/envelope/"
	security = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
	xop      = "http://www.w3.org/2004/08/xop/include"
	xmldsig  = "http://www.w3.org/2000/09/xmldsig#"
)

// maxDepth is the maximum depth of elements.
const maxDepth = 32

const (
	operation      = "RealTimeTransaction" // also the action
	requestElement = "COREEnvelopeRealTimeRequest"
)

// The errors of a SOAP request that has no envelope to reply to.
var (
	errNoXML        = errors.New("the body is not XML, or is nested too deep")
	errNotSOAP12    = errors.New("the root must be Envelope of SOAP 1.2")
	errNoRequest    = errors.New("the Body must have " + requestElement + " in the namespace of CORE rule 2.2.0 or 4.0.0")
	errNoPart       = errors.New("the payload refers to a part that is not there")
	errBadMultipart = errors.New("the multipart body cannot be read")
)

// element is an element of XML with its text and its children.
type element struct {
	xml.Name

	text     []byte
	href     string
	digest   bool // the type of a password is a digest
	children []*element
}

func (e *element) child(space, local string) *element {
	if e == nil {
		return nil
	}
	for _, c := range e.children {
		if c.Local == local && (c.Space == space || space == "*") {
			return c
		}
	}
	return nil
}

func (e *element) content() string {
	if e == nil {
		return ""
	}
	return string(bytes.TrimSpace(e.text))
}

// parseXML reads a document of bounded depth. It resolves no external entities,
// because the decoder knows none.
func parseXML(b []byte) (*element, error) {
	d := xml.NewDecoder(bytes.NewReader(b)) //nolint:gosec // G709: it reads tokens of bounded depth, and makes no values of types
	top := &element{}
	open := []*element{top}
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) && len(open) == 1 && len(top.children) == 1 {
			return top.children[0], nil
		}
		if err != nil {
			return nil, errNoXML
		}
		last := open[len(open)-1]
		switch t := t.(type) {
		case xml.StartElement:
			e := &element{Name: t.Name}
			for _, a := range t.Attr {
				e.digest = e.digest || a.Name.Local == "Type" && strings.HasSuffix(a.Value, "#PasswordDigest")
				if a.Name.Local == "href" {
					e.href = a.Value
				}
			}
			last.children = append(last.children, e)
			if open = append(open, e); len(open) > maxDepth {
				return nil, errNoXML
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			last.text = append(last.text, t...)
		case xml.Directive:
			return nil, errNoXML // a document type
		}
	}
}

// readSOAP reads a request. Parts are the other parts of a multipart body, by
// Content-ID.
func readSOAP(body []byte, parts map[string][]byte) (*envelope, error) {
	root, err := parseXML(body)
	if err != nil {
		return nil, err
	}
	if root.Space != soap12 || root.Local != "Envelope" {
		return nil, errNotSOAP12
	}
	body12 := root.child(soap12, "Body")
	var e envelope
	request := body12.child(namespace22, requestElement)
	if request == nil {
		request, e.phase4 = body12.child(namespace40, requestElement), true
	}
	if request == nil {
		return nil, errNoRequest
	}
	for _, c := range request.children {
		switch to := e.field(c.Local); {
		case to == nil:
		case c.Space == "":
			*to = c.content()
		default: // qualified fields do not count, as at real endpoints
			e.qualified = true
		}
	}
	if payload := request.child("", "Payload"); payload != nil {
		e.Payload = string(payload.text)
		if include := payload.child(xop, "Include"); include != nil {
			part, there := parts[strings.TrimPrefix(include.href, "cid:")]
			if !there || !strings.HasPrefix(include.href, "cid:") {
				return nil, errNoPart
			}
			e.Payload = string(part)
		}
	}
	e.user, e.password = "", ""
	header := root.child(soap12, "Header").child(security, "Security")
	if token := header.child(security, "UsernameToken"); token != nil {
		if password := token.child(security, "Password"); password != nil && !password.digest {
			e.user, e.password = token.child(security, "Username").content(), password.content()
		}
	}
	e.signed = header.child(security, "BinarySecurityToken") != nil && header.child(xmldsig, "Signature") != nil
	return &e, nil
}

// readRelated reads a multipart/related body: the root is the first part.
func readRelated(body io.Reader, boundary string) (root []byte, parts map[string][]byte, err error) {
	const maxParts = 4
	r, parts := multipart.NewReader(body, boundary), map[string][]byte{}
	for n := range maxParts {
		p, err := r.NextRawPart()
		if err == io.EOF && n > 0 { //nolint:errorlint // a body that ends too early returns another error, which wraps it
			return root, parts, nil
		}
		if err != nil {
			return nil, nil, errBadMultipart
		}
		content, err := io.ReadAll(p)
		if err != nil {
			return nil, nil, errBadMultipart
		}
		if strings.EqualFold(p.Header.Get("Content-Transfer-Encoding"), "base64") {
			if content, err = base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(content)), "")); err != nil {
				return nil, nil, errBadMultipart
			}
		}
		if n == 0 {
			root = content
		}
		parts[strings.Trim(p.Header.Get("Content-ID"), "<>")] = content
	}
	return nil, nil, errBadMultipart
}

// escaped returns text for an element.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}

// cdata returns the payload as a CDATA section, or escaped if a section cannot have
// its characters.
func cdata(s string) string {
	for i := range len(s) {
		if c := s[i]; c != '\n' && (c < ' ' || c > '~') {
			return escaped(s)
		}
	}
	if strings.Contains(s, "]]>") {
		return escaped(s)
	}
	return "<![CDATA[" + s + "]]>"
}

// writeSOAP returns a reply.
func writeSOAP(e *envelope) []byte {
	namespace := namespace22
	if e.phase4 {
		namespace = namespace40
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<env:Envelope xmlns:env="%s"><env:Body><ns1:COREEnvelopeRealTimeResponse xmlns:ns1="%s">`, soap12, namespace)
	for _, name := range replyFields {
		text := escaped(*e.field(name))
		if name == "Payload" {
			text = cdata(e.Payload)
		}
		fmt.Fprintf(&b, "<%s>%s</%s>", name, text, name)
	}
	b.WriteString("</ns1:COREEnvelopeRealTimeResponse></env:Body></env:Envelope>")
	return b.Bytes()
}

// writeFault returns a SOAP fault. Code is such as env:Sender.
func writeFault(code, subcode, reason string) []byte {
	sub := ""
	if subcode != "" {
		sub = fmt.Sprintf(`<env:Subcode><env:Value xmlns:wsse="%s">%s</env:Value></env:Subcode>`, security, subcode)
	}
	return fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<env:Envelope xmlns:env="%s"><env:Body><env:Fault><env:Code><env:Value>%s</env:Value>%s</env:Code>`+
		`<env:Reason><env:Text xml:lang="en">%s</env:Text></env:Reason></env:Fault></env:Body></env:Envelope>`, soap12, code, sub, escaped(reason))
}
