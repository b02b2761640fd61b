package corenet

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/molar-billing/molar/core/billing/network"
)

// The limits of a reply. The largest 271 that the service reads has 4 MiB, which
// base64 makes a third longer.
const (
	maxBody  = 8 << 20
	maxDepth = 64 // of elements; a message of CORE needs 4
	maxParts = 16 // of a multipart; a form of CORE has 10

	maxBoundary = 200 // characters; the standard allows 70
	maxCodes    = 200 // characters of a SOAP fault's codes
)

// reply is a reply in its envelope. Every field may be empty.
type reply struct {
	status    int
	payloadID string
	errorCode string
	fault     string // the codes of a SOAP fault
	payload   []byte // as it stands in the envelope
}

// set stores a field of the envelope by its name, in any spelling of its case. It
// reports whether the name is one of the fields.
func (r *reply) set(name string, value []byte) bool {
	switch strings.ToLower(name) {
	case "payload":
		r.payload = value
	case "payloadid":
		r.payloadID = string(bytes.TrimSpace(value))
	case "errorcode":
		r.errorCode = string(bytes.TrimSpace(value))
	default:
		return false
	}
	return true
}

// read reads a reply. The content goes before the type, which servers get wrong. An
// error is about a reply without an envelope.
func read(contentType string, body []byte) (*reply, error) {
	trimmed := trim(body)
	mediaType, params, _ := mime.ParseMediaType(contentType)
	switch {
	case bytes.HasPrefix(trimmed, []byte("--")):
		// The first line is the boundary, whatever the header calls it.
		line, _, _ := bytes.Cut(trimmed, []byte("\n"))
		return readParts(strings.TrimRight(string(line[2:]), " \t\r"), trimmed)
	case strings.HasPrefix(mediaType, "multipart/") && params["boundary"] != "":
		return readParts(params["boundary"], body)
	case isHTML(trimmed):
		return nil, fault(network.ReasonProtocol, "the reply is an HTML page")
	case bytes.HasPrefix(trimmed, []byte("<")):
		return readXML(trimmed, nil)
	case startsISA(trimmed): // an envelope was forgotten
		return &reply{payload: trimmed}, nil
	default:
		return nil, fault(network.ReasonProtocol, "the reply is %s", formOf(trimmed))
	}
}

// trim removes white space, byte order marks and NULs around text.
func trim(b []byte) []byte {
	const around = " \t\r\n\x00\v\f"
	return bytes.Trim(bytes.TrimPrefix(bytes.TrimLeft(b, around), []byte("\xef\xbb\xbf")), around)
}

func startsISA(b []byte) bool { return len(b) > 3 && string(b[:3]) == "ISA" && !isWordByte(b[3]) }

func isWordByte(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c <= ' ' || c >= 0x7f
}

func isHTML(b []byte) bool {
	head := strings.ToLower(string(b[:min(len(b), 64)]))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}

// formOf describes text that is no X12, without quoting it.
func formOf(b []byte) string {
	switch {
	case len(b) == 0:
		return "empty"
	case b[0] == '{' || b[0] == '[':
		return "JSON"
	case isHTML(b):
		return "an HTML page"
	case b[0] == '<':
		return "XML without a payload"
	default:
		return "text"
	}
}

// readParts reads a multipart: a form with the fields of the envelope, or a message
// with attachments.
func readParts(boundary string, body []byte) (*reply, error) {
	if boundary == "" || len(boundary) > maxBoundary {
		return nil, fault(network.ReasonProtocol, "the reply's multipart has no boundary that can be read")
	}
	form := multipart.NewReader(bytes.NewReader(body), boundary)
	r := &reply{}
	var root []byte
	attached := map[string][]byte{}
	fields, taken := false, map[string]bool{}
	for n := 0; ; n++ {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || n == maxParts {
			return nil, fault(network.ReasonProtocol, "part %d of the reply's multipart cannot be read, or is one too many", n+1)
		}
		content, err := partContent(part)
		if err != nil {
			return nil, fault(network.ReasonProtocol, "part %d of the reply's multipart is damaged or incomplete", n+1)
		}
		if name := partName(part); name != "" && r.set(name, content) {
			if name = strings.ToLower(name); taken[name] {
				return nil, fault(network.ReasonProtocol, "the reply has two parts %s", name)
			}
			taken[name], fields = true, true
			continue
		}
		if id := strings.Trim(part.Header.Get("Content-Id"), "<> \t"); id != "" {
			attached[id] = content
		}
		if t := trim(content); root == nil && bytes.HasPrefix(t, []byte("<")) {
			root = t
		}
	}
	switch {
	case fields:
		return r, nil
	case root == nil:
		return nil, fault(network.ReasonProtocol, "the reply's multipart has no envelope")
	case isHTML(root):
		return nil, fault(network.ReasonProtocol, "the reply is an HTML page")
	default:
		return readXML(root, attached)
	}
}

// partContent reads a part and removes its transfer encoding. The reader of the
// multipart has removed quoted-printable.
func partContent(p *multipart.Part) ([]byte, error) {
	content, err := io.ReadAll(p) // a part is no larger than the body
	if err == nil && strings.EqualFold(strings.TrimSpace(p.Header.Get("Content-Transfer-Encoding")), "base64") {
		return decodeBase64(content)
	}
	return content, err
}

// partName returns the name of a field. Some servers do not quote it.
func partName(p *multipart.Part) string {
	disposition := p.Header.Get("Content-Disposition")
	if _, params, err := mime.ParseMediaType(disposition); err == nil {
		return params["name"]
	}
	_, after, _ := strings.Cut(disposition, "name=")
	name, _, _ := strings.Cut(after, ";")
	return strings.Trim(name, "\"' \t")
}

// envelope reads the elements of an XML reply.
type envelope struct {
	reply
	attached map[string][]byte
	path     []string        // the local names of the open elements
	taken    map[string]bool // the fields so far
	text     bytes.Buffer    // of the open field
	field    int             // the depth of the open field; 0 outside of one
	include  string          // the attachment that the open field refers to
}

// readXML reads a SOAP message, or any other document that has the fields of the
// envelope.
func readXML(b []byte, attached map[string][]byte) (*reply, error) {
	if longestTag(b) > maxTag {
		return nil, fault(network.ReasonProtocol, "the reply's XML has a tag of more than %d bytes", maxTag)
	}
	d := xml.NewDecoder(bytes.NewReader(b))
	d.CharsetReader = charset
	e := &envelope{attached: attached, taken: map[string]bool{}}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil { // which may quote the document
			return nil, fault(network.ReasonProtocol, "the reply's XML is malformed after byte %d", d.InputOffset())
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = e.start(t)
		case xml.EndElement:
			e.end()
		case xml.CharData:
			if e.field > 0 || e.inCode() {
				e.text.Write(t)
			}
		case xml.Directive:
			err = fault(network.ReasonProtocol, "the reply's XML has a document type, which is not read")
		}
		if err != nil {
			return nil, err
		}
	}
	return &e.reply, nil
}

func (e *envelope) start(t xml.StartElement) error {
	name := strings.ToLower(t.Name.Local)
	e.path = append(e.path, name)
	if len(e.path) > maxDepth {
		return fault(network.ReasonProtocol, "the reply's XML is more than %d elements deep", maxDepth)
	}
	switch {
	case e.field > 0 && name == "include":
		return e.refer(t)
	case e.field > 0:
		return fault(network.ReasonProtocol, "a field of the reply has elements in place of text")
	case e.inHeader():
	case name == "payload" || name == "payloadid" || name == "errorcode":
		if e.taken[name] {
			return fault(network.ReasonProtocol, "the reply has two elements %s", name)
		}
		e.taken[name], e.field, e.include = true, len(e.path), ""
		e.text.Reset()
	case e.inCode():
		e.text.Reset()
	}
	return nil
}

// inHeader reports whether the decoder is in the SOAP header, which has signatures and
// tokens.
func (e *envelope) inHeader() bool {
	return len(e.path) > 1 && e.path[0] == "envelope" && e.path[1] == "header"
}

// inCode reports whether the decoder is in a code of a SOAP fault: Value in version
// 1.2, faultcode in 1.1. The reason of a fault is free text, and stays unread.
func (e *envelope) inCode() bool {
	n := len(e.path)
	if n < 4 || e.path[1] != "body" || e.path[2] != "fault" {
		return false
	}
	return e.path[3] == "code" && e.path[n-1] == "value" || n == 4 && e.path[3] == "faultcode"
}

// refer notes an xop:Include. It may only refer to a part of the same reply: nothing
// is ever fetched.
func (e *envelope) refer(t xml.StartElement) error {
	for _, a := range t.Attr {
		if !strings.EqualFold(a.Name.Local, "href") {
			continue
		}
		id, ok := strings.CutPrefix(a.Value, "cid:")
		if decoded, err := url.PathUnescape(id); err == nil {
			id = decoded
		}
		if !ok || e.attached[id] == nil {
			return fault(network.ReasonProtocol, "the payload refers to something that is no part of the reply")
		}
		e.include = id
	}
	return nil
}

func (e *envelope) end() {
	switch {
	case e.field == len(e.path):
		value := bytes.Clone(e.text.Bytes())
		if e.include != "" {
			value = e.attached[e.include]
		}
		e.set(e.path[len(e.path)-1], value)
		e.field = 0
	case e.inCode() && len(e.fault) < maxCodes:
		name := e.text.String() // such as s:Sender
		name = word(name[strings.LastIndexByte(name, ':')+1:])
		e.fault = strings.TrimSpace(e.fault + " " + name)
	}
	e.path = e.path[:len(e.path)-1]
}

// code matches what may stand in the log: a peer can put anything into a code.
var code = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,48}$`)

// word returns a code for the log, or a placeholder.
func word(s string) string {
	if s = strings.TrimSpace(s); code.MatchString(s) {
		return s
	}
	return "(unreadable)"
}

// charset decodes the encodings other than UTF-8 that servers use.
func charset(label string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii", "utf8":
		return in, nil
	case "iso-8859-1", "latin1":
		return charmap.ISO8859_1.NewDecoder().Reader(in), nil
	case "windows-1252":
		return charmap.Windows1252.NewDecoder().Reader(in), nil
	default:
		return nil, fmt.Errorf("the encoding %q is unknown", label)
	}
}

// unwrap returns the X12 of a payload. Some networks put it into CDATA once more as
// text, into base64, or escape it twice. Form describes a payload that has no X12.
func unwrap(payload []byte) (x12 []byte, form string) {
	b := trim(payload)
	const most = 4 // layers
	for range most {
		switch {
		case startsISA(b) && !escapedISA(b):
			return b, ""
		case bytes.HasPrefix(b, []byte("<![CDATA[")) && bytes.HasSuffix(b, []byte("]]>")):
			b = trim(b[len("<![CDATA[") : len(b)-len("]]>")])
		case startsISA(b), bytes.HasPrefix(b, []byte("&lt;")):
			b = trim([]byte(html.UnescapeString(string(b))))
		default:
			decoded, err := decodeBase64(b)
			if err != nil || len(b) == 0 {
				return nil, formOf(b)
			}
			if decoded = trim(decoded); !startsISA(decoded) && !bytes.HasPrefix(decoded, []byte("<![CDATA[")) {
				return nil, formOf(b)
			}
			b = decoded
		}
	}
	return nil, formOf(b)
}

// escapedISA reports whether ISA16, the component separator, is still an XML entity.
func escapedISA(b []byte) bool {
	at := 0
	for n := 0; n < 16; n++ {
		next := bytes.IndexByte(b[at:min(len(b), 256)], b[3])
		if next < 0 {
			return false
		}
		at += next + 1
	}
	rest := b[at:]
	return bytes.HasPrefix(rest, []byte("&gt;")) || bytes.HasPrefix(rest, []byte("&lt;")) || bytes.HasPrefix(rest, []byte("&amp;"))
}

// decodeBase64 decodes base64 with line breaks, with or without padding.
func decodeBase64(b []byte) ([]byte, error) {
	packed := make([]byte, 0, len(b))
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			packed = append(packed, c)
		}
	}
	packed = bytes.TrimRight(packed, "=")
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(packed)))
	n, err := base64.RawStdEncoding.Decode(out, packed)
	return out[:n], err
}
