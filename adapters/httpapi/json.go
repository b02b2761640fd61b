package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
)

// The kinds of JSON values.
type kind byte

const (
	kindNull   kind = 'n'
	kindBool   kind = 'b'
	kindNumber kind = '0'
	kindString kind = '"'
	kindArray  kind = '['
	kindObject kind = '{'
)

// node is a JSON value as it was sent: numbers keep their digits, and objects
// keep the order of their fields.
type node struct {
	kind   kind
	text   string // the characters of a string; the literal of a number or a boolean
	items  []*node
	fields []field
}

type field struct {
	name  string
	value *node
}

// The limits of a body. The largest request of the API, a claim of 50 lines, is
// 3 deep and has fewer than 2,000 values. With these limits no body costs more
// than a fixed multiple of its bytes.
const (
	maxDepth  = 32
	maxValues = 10_000
)

// deadlineStep is the number of values read between two checks of the
// deadline.
const deadlineStep = 256

// parseJSON reads one JSON object (RFC 8259) and nothing else, and adds its
// faults. A body that is not one JSON object is a fault of the body. U+0000,
// half a surrogate pair and a duplicate name are faults of their field;
// encoding/json would replace, drop or merge them. The object is nil if the
// body cannot be read. The error is that of ctx, once it has ended.
func parseJSON(ctx context.Context, data []byte, faults *billing.Faults) (*node, error) {
	if len(bytes.Trim(data, " \t\r\n")) == 0 {
		faults.Add("", billing.FaultRequired, "Send one JSON object.")
		return nil, nil
	}
	if !utf8.Valid(data) {
		faults.Add("", billing.FaultFormat, "The body must be UTF-8.")
		return nil, nil
	}
	p := parser{ctx: ctx, in: string(data), faults: faults}
	root, ok := p.value(0)
	if p.space(); ok && p.at < len(p.in) {
		ok = p.stop("more follows the value")
	}
	switch {
	case ok && root.kind == kindObject:
		return root, nil
	case ok:
		faults.Add("", billing.FaultType, "The body must be one JSON object.")
	case p.err != nil:
		return nil, p.err
	case p.values > maxValues:
		faults.Add("", billing.FaultTooMany, fmt.Sprintf("The body has more than %d values. Send fewer.", maxValues))
	default:
		faults.Add("", billing.FaultFormat, fmt.Sprintf("The body is not valid JSON: %s, at byte %d.", p.why, p.at))
	}
	return nil, nil
}

// parser reads a text from start to end. Its methods return false once the
// parser has stopped; why is the reason.
type parser struct {
	ctx     context.Context //nolint:containedctx // of the one call that uses the parser
	in      string
	at      int
	why     string
	err     error // of ctx
	values  int
	path    []string
	scratch []byte // the current string, if it has escapes
	faults  *billing.Faults
}

func (p *parser) stop(why string) bool {
	if p.why == "" {
		p.why = why
	}
	return false
}

// fault adds a fault of the value at the path. It builds a path only for a
// fault that may be kept, and only as much of it as a reply shows: the names
// of a body can be as long as the body.
func (p *parser) fault(code billing.FaultCode, message string) {
	if p.faults.Full() {
		return
	}
	var shown []string
	for left, i := maxFieldName+1, 0; left > 0 && i < len(p.path); i++ {
		name := firstRunes(p.path[i], left)
		shown = append(shown, name)
		left -= utf8.RuneCountInString(name) + len(".")
	}
	p.faults.Add(strings.Join(shown, "."), code, message)
}

// mayGoOn counts one more value.
func (p *parser) mayGoOn() bool {
	if p.values++; p.values > maxValues {
		return p.stop("it has too many values")
	}
	if p.values%deadlineStep == 0 {
		p.err = p.ctx.Err()
	}
	return p.err == nil
}

func (p *parser) space() {
	for p.at < len(p.in) && strings.IndexByte(" \t\r\n", p.in[p.at]) >= 0 {
		p.at++
	}
}

// next skips c and returns true, if c comes next.
func (p *parser) next(c byte) bool {
	if p.at < len(p.in) && p.in[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(depth int) (*node, bool) {
	if depth > maxDepth {
		return nil, p.stop("it is nested too deeply")
	}
	if !p.mayGoOn() {
		return nil, false
	}
	p.space()
	if p.at == len(p.in) {
		return nil, p.stop("it ends too early")
	}
	switch c := p.in[p.at]; {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		s, sound, ok := p.string()
		if ok && !sound {
			p.fault(billing.FaultFormat, "Text must not have U+0000 or half of a surrogate pair.")
		}
		return &node{kind: kindString, text: s}, ok
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	default:
		for _, literal := range []string{"true", "false", "null"} {
			if strings.HasPrefix(p.in[p.at:], literal) {
				p.at += len(literal)
				if literal == "null" {
					return &node{kind: kindNull}, true
				}
				return &node{kind: kindBool, text: literal}, true
			}
		}
		return nil, p.stop("a value is expected")
	}
}

func (p *parser) object(depth int) (*node, bool) {
	n := &node{kind: kindObject}
	p.at++
	p.space()
	if p.next('}') {
		return n, true
	}
	seen := map[string]bool{}
	for {
		p.space()
		if p.at == len(p.in) || p.in[p.at] != '"' {
			return nil, p.stop("a name is expected")
		}
		name, sound, ok := p.string()
		switch {
		case !ok:
			return nil, false
		case !sound:
			return nil, p.stop("a name has U+0000 or half of a surrogate pair")
		}
		if p.space(); !p.next(':') {
			return nil, p.stop("a colon is expected")
		}
		p.path = append(p.path, name)
		v, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		if seen[name] {
			p.fault(billing.FaultConflict, "Duplicate field. Send it once.")
		}
		seen[name] = true
		p.path = p.path[:len(p.path)-1]
		n.fields = append(n.fields, field{name, v})
		if p.space(); p.next('}') {
			return n, true
		}
		if !p.next(',') {
			return nil, p.stop("a comma or a brace is expected")
		}
	}
}

func (p *parser) array(depth int) (*node, bool) {
	n := &node{kind: kindArray}
	p.at++
	p.space()
	if p.next(']') {
		return n, true
	}
	for {
		p.path = append(p.path, strconv.Itoa(len(n.items)))
		v, ok := p.value(depth + 1)
		if !ok {
			return nil, false
		}
		p.path = p.path[:len(p.path)-1]
		n.items = append(n.items, v)
		if p.space(); p.next(']') {
			return n, true
		}
		if !p.next(',') {
			return nil, p.stop("a comma or a bracket is expected")
		}
	}
}

// number reads the literal. It is never converted to a float.
func (p *parser) number() (*node, bool) {
	start := p.at
	digits := func() bool {
		from := p.at
		for p.at < len(p.in) && '0' <= p.in[p.at] && p.in[p.at] <= '9' {
			p.at++
		}
		return p.at > from || p.stop("a digit is expected")
	}
	p.next('-')
	if !p.next('0') && !digits() {
		return nil, false
	}
	if p.next('.') && !digits() {
		return nil, false
	}
	if p.next('e') || p.next('E') {
		if !p.next('+') {
			p.next('-')
		}
		if !digits() {
			return nil, false
		}
	}
	return &node{kind: kindNumber, text: p.in[start:p.at]}, true
}

// string reads a string. It is sound if it has neither U+0000 nor half of a
// surrogate pair.
func (p *parser) string() (s string, sound, ok bool) {
	p.at++
	start := p.at
	for p.at < len(p.in) && p.in[p.at] != '"' && p.in[p.at] != '\\' && p.in[p.at] >= ' ' {
		p.at++
	}
	if p.next('"') { // most strings have no escapes
		return p.in[start : p.at-1], true, true
	}
	b := append(p.scratch[:0], p.in[start:p.at]...)
	defer func() { p.scratch = b }()
	sound = true
	for p.at < len(p.in) {
		c := p.in[p.at]
		switch {
		case c == '"':
			p.at++
			return string(b), sound, true
		case c < ' ':
			return "", false, p.stop("a string has a control character")
		case c != '\\':
			b = append(b, c)
			p.at++
		default:
			r, ok := p.escape()
			if !ok {
				return "", false, false
			}
			sound = sound && r > 0
			b = utf8.AppendRune(b, r)
		}
	}
	return "", false, p.stop("a string has no end")
}

// halfPair stands for half of a surrogate pair, which is not a character.
const halfPair rune = -1

// escape reads the characters after a backslash, and both halves of a
// surrogate pair at once. It returns halfPair for one half.
func (p *parser) escape() (rune, bool) {
	if p.at++; p.at == len(p.in) {
		return 0, p.stop("a string has no end")
	}
	c := p.in[p.at]
	p.at++
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), true
	}
	if c != 'u' {
		return 0, p.stop("an escape is unknown")
	}
	r, ok := p.hex()
	if !ok || !utf16.IsSurrogate(r) {
		return r, ok
	}
	if !strings.HasPrefix(p.in[p.at:], `\u`) {
		return halfPair, true
	}
	back := p.at
	p.at += 2
	low, ok := p.hex()
	if !ok {
		return 0, false
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		p.at = back // the second escape may be a character of its own
		return halfPair, true
	}
	return r, true
}

func (p *parser) hex() (rune, bool) {
	if len(p.in)-p.at < 4 {
		return 0, p.stop("an escape is unknown")
	}
	v, err := strconv.ParseUint(p.in[p.at:p.at+4], 16, 16)
	if err != nil {
		return 0, p.stop("an escape is unknown")
	}
	p.at += 4
	return rune(v), true
}

// meaning hashes values in one form for all spellings with the same meaning:
// sorted fields, no white space, one way to escape. It never holds the whole
// form in memory, which can be three times as long as the body.
type meaning struct {
	hash.Hash
	scratch []byte
}

// put hashes bytes. It never fails.
func (m *meaning) put(p []byte) { _, _ = m.Write(p) }

func (m *meaning) sum() [sha256.Size]byte { return [sha256.Size]byte(m.Sum(nil)) }

func (m *meaning) add(n *node) {
	switch n.kind {
	case kindNull:
		m.put([]byte("null"))
	case kindBool, kindNumber:
		m.put([]byte(n.text))
	case kindString:
		m.quote(n.text)
	case kindArray:
		m.put([]byte{'['})
		for _, v := range n.items {
			m.add(v)
			m.put([]byte{','})
		}
		m.put([]byte{']'})
	case kindObject:
		sorted := slices.Clone(n.fields)
		slices.SortFunc(sorted, func(a, z field) int { return strings.Compare(a.name, z.name) })
		m.put([]byte{'{'})
		for _, f := range sorted {
			m.quote(f.name)
			m.put([]byte{':'})
			m.add(f.value)
			m.put([]byte{','})
		}
		m.put([]byte{'}'})
	}
}

// quote hashes the result of strconv.Quote, piece by piece.
func (m *meaning) quote(s string) {
	m.put([]byte{'"'})
	for s != "" {
		piece := firstRunes(s, 1024)
		m.scratch = strconv.AppendQuote(m.scratch[:0], piece)
		m.put(m.scratch[1 : len(m.scratch)-1])
		s = s[len(piece):]
	}
	m.put([]byte{'"'})
}
