// Package jsonbody reads a JSON object that a caller wrote: the body of a request, or the
// document of a command. It names every fault with its field. It keeps what
// encoding/json would replace, drop or merge; ADR 41 has the reasons.
package jsonbody

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/molar-billing/molar/core/billing"
)

// Kind is the kind of a JSON value.
type Kind byte

// The kinds of JSON values.
const (
	KindNull   Kind = 'n'
	KindBool   Kind = 'b'
	KindNumber Kind = '0'
	KindString Kind = '"'
	KindArray  Kind = '['
	KindObject Kind = '{'
)

// Value is a JSON value as it was sent: numbers keep their digits, and objects
// keep the order of their fields.
type Value struct {
	Kind   Kind
	Text   string // the characters of a string; the literal of a number, a boolean or null
	Raw    []byte // as it was sent
	items  []*Value
	fields []field
	own    *billing.FieldFault // of an item of a list of the body: the first of its form, by the item's own field; nil for none
}

type field struct {
	name  string
	value *Value
}

// maxDepth is how deep values may be nested. The largest request of the API, a claim of
// 50 lines, is 3 deep.
const maxDepth = 32

// deadlineStep is the number of values read between two checks of the
// deadline.
const deadlineStep = 256

// Parse reads one JSON object (RFC 8259) and nothing else, and adds its
// faults, those in items of a list at last. A body that is not one JSON object is a fault of the body. U+0000,
// half a surrogate pair and a duplicate name are faults of their field;
// encoding/json would replace, drop or merge them. The object is nil if the
// body cannot be read, or has more than that many values. The error is that of
// ctx, once it has ended.
func Parse(ctx context.Context, data []byte, most int, faults *billing.Faults) (*Value, error) {
	if len(bytes.Trim(data, " \t\r\n")) == 0 {
		faults.Add("", billing.FaultRequired, "Send one JSON object.")
		return nil, nil
	}
	if !utf8.Valid(data) {
		faults.Add("", billing.FaultFormat, "The body must be UTF-8.")
		return nil, nil
	}
	in := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	p := parser{ctx: ctx, in: in, data: data, left: most, faults: faults}
	root, err := p.value()
	if err == nil {
		if _, more := in.ReadToken(); !errors.Is(more, io.EOF) {
			err = cmp.Or(more, errMore)
		}
	}
	switch {
	case err == nil && root.Kind == KindObject:
		for _, f := range p.inItems {
			faults.Add(f.Field, f.Code, f.Message)
		}
		return root, nil
	case err == nil:
		faults.Add("", billing.FaultType, "The body must be one JSON object.")
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, err
	case errors.Is(err, errValues):
		faults.Add("", billing.FaultTooMany, fmt.Sprintf("The body has more than %d values. Send fewer.", most))
	default:
		why, at := err, in.InputOffset()
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			why, at = syntax.Err, syntax.ByteOffset
		}
		faults.Add("", billing.FaultFormat, fmt.Sprintf("The body is not valid JSON: %v, at byte %d.", why, at))
	}
	return nil, nil
}

// What ends the reading of a body beside the errors of jsontext and of the context.
var (
	errMore   = errors.New("more follows the value")
	errDeep   = errors.New("it is nested too deeply")
	errName   = errors.New("a name has U+0000 or half of a surrogate pair")
	errValues = errors.New("it has too many values")
)

// parser reads a body from start to end.
type parser struct {
	ctx    context.Context // of the one call that uses the parser
	in     *jsontext.Decoder
	data   []byte
	left   int // values that may follow
	path   []string
	faults *billing.Faults

	// While an item of a list of the body is read, its first fault. Those of all items are apart, so that
	// they leave room for those of the body.
	inItem  bool
	own     *billing.FieldFault
	inItems billing.Faults
}

// itemDepth is how long the path of an item of a list of the body is.
const itemDepth = 2

// fault adds a fault of the value at the path. It builds a path only for a
// fault that may be kept, and only as much of it as a reply shows: the names
// of a body can be as long as the body.
func (p *parser) fault(code billing.FaultCode, message string) {
	to := p.faults
	if p.inItem && len(p.path) > itemDepth {
		to = &p.inItems
		if p.own == nil {
			p.own = &billing.FieldFault{Field: shown(p.path[itemDepth:]), Code: code, Message: message}
		}
	}
	if !to.Full() {
		to.Add(shown(p.path), code, message)
	}
}

// shown returns as much of a path as a reply shows.
func shown(path []string) string {
	var names []string
	for left, i := MaxName+1, 0; left > 0 && i < len(path); i++ {
		name := Start(path[i], left)
		names = append(names, name)
		left -= utf8.RuneCountInString(name) + len(".")
	}
	return strings.Join(names, ".")
}

func (p *parser) value() (*Value, error) {
	if p.left--; p.left < 0 {
		return nil, errValues
	}
	if p.left%deadlineStep == 0 && p.ctx.Err() != nil {
		return nil, p.ctx.Err()
	}
	if p.in.StackDepth() > maxDepth {
		return nil, errDeep
	}
	start := p.in.InputOffset()
	n, err := p.any()
	if err != nil {
		return nil, err
	}
	n.Raw = bytes.TrimLeft(p.data[start:p.in.InputOffset()], " \t\r\n,:")
	return n, nil
}

func (p *parser) any() (*Value, error) {
	switch p.in.PeekKind() { //nolint:exhaustive // all others are literals, or wrong
	case jsontext.KindBeginObject:
		return p.object()
	case jsontext.KindBeginArray:
		return p.array()
	case jsontext.KindString:
		text, sound, err := p.text()
		if err == nil && !sound {
			p.fault(billing.FaultFormat, "Text must not have U+0000 or half of a surrogate pair.")
		}
		return &Value{Kind: KindString, Text: text}, err
	default:
		literal, err := p.in.ReadValue()
		if err != nil {
			return nil, err
		}
		n := &Value{Kind: Kind(literal.Kind()), Text: string(literal)}
		if n.Kind == 't' || n.Kind == 'f' {
			n.Kind = KindBool
		}
		return n, nil
	}
}

// text reads a string. It is sound if it has neither U+0000 nor half of a
// surrogate pair.
func (p *parser) text() (text string, sound bool, err error) {
	quoted, err := p.in.ReadValue()
	if err != nil {
		return "", false, err
	}
	raw, half := jsontext.AppendUnquote(nil, quoted)
	return string(raw), half == nil && bytes.IndexByte(raw, 0) < 0, nil
}

func (p *parser) object() (*Value, error) {
	n := &Value{Kind: KindObject}
	if _, err := p.in.ReadToken(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for p.in.PeekKind() == jsontext.KindString {
		name, sound, err := p.text()
		switch {
		case err != nil:
			return nil, err
		case !sound:
			return nil, errName
		}
		p.path = append(p.path, name)
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		if seen[name] {
			p.fault(billing.FaultConflict, "Duplicate field. Send it once.")
		}
		seen[name] = true
		p.path = p.path[:len(p.path)-1]
		n.fields = append(n.fields, field{name, v})
	}
	_, err := p.in.ReadToken() // the end, or what is wrong
	return n, err
}

func (p *parser) array() (*Value, error) {
	n := &Value{Kind: KindArray}
	if _, err := p.in.ReadToken(); err != nil {
		return nil, err
	}
	for p.in.PeekKind() != jsontext.KindEndArray {
		p.path = append(p.path, strconv.Itoa(len(n.items)))
		v, err := p.element()
		if err != nil {
			return nil, err
		}
		p.path = p.path[:len(p.path)-1]
		n.items = append(n.items, v)
	}
	_, err := p.in.ReadToken()
	return n, err
}

// element reads a value of an array.
func (p *parser) element() (*Value, error) {
	if len(p.path) != itemDepth {
		return p.value()
	}
	p.inItem, p.own = true, nil
	v, err := p.value()
	if v != nil {
		v.own = p.own
	}
	p.inItem = false
	return v, err
}

// Hash hashes the value in one form for all spellings with the same meaning:
// sorted fields, no white space, one way to escape. It never holds the whole
// form in memory, which can be three times as long as the body.
func (n *Value) Hash(into hash.Hash) { (&meaning{Hash: into}).add(n) }

type meaning struct {
	hash.Hash
	scratch []byte
}

// put hashes bytes. It never fails.
func (m *meaning) put(p []byte) { _, _ = m.Write(p) }

func (m *meaning) add(n *Value) {
	switch n.Kind {
	case KindNull:
		m.put([]byte("null"))
	case KindBool, KindNumber:
		m.put([]byte(n.Text))
	case KindString:
		m.quote(n.Text)
	case KindArray:
		m.put([]byte{'['})
		for _, v := range n.items {
			m.add(v)
			m.put([]byte{','})
		}
		m.put([]byte{']'})
	case KindObject:
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
		piece := Start(s, 1024)
		m.scratch = strconv.AppendQuote(m.scratch[:0], piece)
		m.put(m.scratch[1 : len(m.scratch)-1])
		s = s[len(piece):]
	}
	m.put([]byte{'"'})
}

// MaxName limits how much of a field's name is repeated, in characters.
const MaxName = 200

// Start returns the first n characters.
func Start(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
