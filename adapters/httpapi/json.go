package httpapi

import (
	"fmt"
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
// their fields in order.
type node struct {
	kind   kind
	text   string // a string's characters; a number's or a boolean's literal
	items  []*node
	fields []field
}

type field struct {
	name  string
	value *node
}

// maxDepth is how deep values may lie in each other. No request of the
// interface comes near it.
const maxDepth = 32

// parseJSON reads one JSON object (RFC 8259) and nothing else, and records what
// is wrong with it: that it is none is the fault of the body; U+0000, half a
// surrogate pair and a name that occurs twice are faults of their field. The
// object is nil when the body cannot be read. encoding/json would replace,
// drop or merge what is refused here.
func parseJSON(data []byte, faults *billing.Faults) *node {
	if len(strings.Trim(string(data), " \t\r\n")) == 0 {
		faults.Add("", billing.FaultRequired, "Send one JSON object.")
		return nil
	}
	if !utf8.Valid(data) {
		faults.Add("", billing.FaultFormat, "The body is not UTF-8.")
		return nil
	}
	p := parser{in: string(data), faults: faults}
	root, ok := p.value(0)
	if p.space(); ok && p.at < len(p.in) {
		ok = p.stop("there is more after the value")
	}
	if !ok {
		faults.Add("", billing.FaultFormat, fmt.Sprintf("The body is not JSON: %s, at byte %d.", p.why, p.at))
		return nil
	}
	if root.kind != kindObject {
		faults.Add("", billing.FaultType, "The body is one JSON object.")
		return nil
	}
	return root
}

// parser reads a text from its start to its end. Its methods report false when
// they have stopped; why says what for.
type parser struct {
	in     string
	at     int
	why    string
	path   []string
	faults *billing.Faults
}

func (p *parser) stop(why string) bool {
	if p.why == "" {
		p.why = why
	}
	return false
}

func (p *parser) space() {
	for p.at < len(p.in) && strings.IndexByte(" \t\r\n", p.in[p.at]) >= 0 {
		p.at++
	}
}

// next reports whether c comes next, and steps over it.
func (p *parser) next(c byte) bool {
	if p.at < len(p.in) && p.in[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(depth int) (*node, bool) {
	if depth > maxDepth {
		return nil, p.stop("it is nested too deep")
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
			p.faults.Add(strings.Join(p.path, "."), billing.FaultFormat, "A text has no U+0000 and no half of a surrogate pair.")
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
			p.faults.Add(strings.Join(p.path, "."), billing.FaultConflict, "The field is there twice.")
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

// number reads the literal; it is nowhere turned into a float.
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

// string reads a string. It is sound when it has neither U+0000 nor half of a
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
	var b strings.Builder
	b.WriteString(p.in[start:p.at])
	sound = true
	for p.at < len(p.in) {
		c := p.in[p.at]
		switch {
		case c == '"':
			p.at++
			return b.String(), sound, true
		case c < ' ':
			return "", false, p.stop("a control character stands in a string")
		case c != '\\':
			b.WriteByte(c)
			p.at++
		default:
			r, ok := p.escape()
			if !ok {
				return "", false, false
			}
			sound = sound && r > 0
			b.WriteRune(r)
		}
	}
	return "", false, p.stop("a string has no end")
}

// halfPair is no character.
const halfPair rune = -1

// escape reads what follows a backslash, both halves of a surrogate pair at
// once. Half a pair reads as halfPair.
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
		p.at = back // the second escape may stand for itself
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

// canonical appends a form of the value that is the same for every spelling
// that means the same: fields sorted, no white space, one way to escape.
func (n *node) canonical(b []byte) []byte {
	switch n.kind {
	case kindNull:
		return append(b, "null"...)
	case kindBool, kindNumber:
		return append(b, n.text...)
	case kindString:
		return strconv.AppendQuote(b, n.text)
	case kindArray:
		b = append(b, '[')
		for _, v := range n.items {
			b = append(v.canonical(b), ',')
		}
		return append(b, ']')
	case kindObject:
		sorted := slices.Clone(n.fields)
		slices.SortFunc(sorted, func(a, z field) int { return strings.Compare(a.name, z.name) })
		b = append(b, '{')
		for _, f := range sorted {
			b = append(strconv.AppendQuote(b, f.name), ':')
			b = append(f.value.canonical(b), ',')
		}
		return append(b, '}')
	}
	return b
}
