package httpapi

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// cursors encodes and decodes the cursors of lists. A cursor has a version, the
// position of the last row of the page, and an authentication code. The code is
// valid for one list, scope and set of filters.
type cursors struct{ key func() [32]byte }

const (
	cursorVersion = 1
	cursorBody    = 1 + 8 + 16
	cursorOrdered = 2 // with the rest of the order
	cursorOrder   = 2 * 8
	cursorMAC     = 16
)

// list is the list that a cursor belongs to.
type list struct {
	name    string
	scope   billing.Scope
	filters [][2]string // sorted
	oldest  bool        // first
}

// bind describes the requested list by its parameters, except the paging
// parameters. Call it before reading them.
func (q *query) bind(name string, scope billing.Scope, paging ...string) list {
	l := list{name: name, scope: scope}
	for parameter, values := range q.all {
		if !slices.Contains(paging, parameter) {
			for _, v := range values {
				l.filters = append(l.filters, [2]string{parameter, v})
			}
		}
	}
	slices.SortFunc(l.filters, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return l
}

// bindOrdered is bind for a list that has order=asc, for the oldest first.
func (q *query) bindOrdered(name string, scope billing.Scope) list {
	l := q.bind(name, scope, "limit", "cursor")
	l.oldest = oneOf(q, "order", "asc", "desc") == "asc"
	return l
}

// encode returns the cursor of a position, or nil for no position.
func (c cursors) encode(l list, p *billing.Position) *string {
	if p == nil {
		return nil
	}
	b := make([]byte, 0, cursorBody+cursorOrder+cursorMAC)
	b = append(b, cursorVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(p.Time.UnixMicro()))
	b = append(b, p.ID[:]...)
	if p.Order != [2]int64{} {
		b[0] = cursorOrdered
		for _, n := range p.Order {
			b = binary.BigEndian.AppendUint64(b, uint64(n)) //nolint:gosec // G115: two's complement in both directions
		}
	}
	b = append(b, c.mac(l, b)...)
	return new(base64.RawURLEncoding.EncodeToString(b))
}

// decode reads a cursor. It returns false for a cursor that is damaged or
// belongs to another list.
func (c cursors) decode(l list, s string) (*billing.Position, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	size := map[byte]int{cursorVersion: cursorBody, cursorOrdered: cursorBody + cursorOrder}
	if err != nil || len(b) == 0 || len(b) != size[b[0]]+cursorMAC {
		return nil, false
	}
	body, mac := b[:size[b[0]]], b[size[b[0]]:]
	if !hmac.Equal(mac, c.mac(l, body)) {
		return nil, false
	}
	number := func(at int) int64 { return int64(binary.BigEndian.Uint64(body[at:])) } //nolint:gosec // G115: two's complement in both directions
	p := &billing.Position{Time: time.UnixMicro(number(1)).UTC(), ID: [16]byte(body[9:])}
	if b[0] == cursorOrdered {
		p.Order = [2]int64{number(cursorBody), number(cursorBody + 8)}
	}
	return p, true
}

func (c cursors) mac(l list, body []byte) []byte {
	key := c.key()
	h := hmac.New(sha256.New, key[:])
	h.Write(body)
	// JSON keeps the parts separate, whatever characters they have.
	_ = json.NewEncoder(h).Encode([]any{l.name, l.scope.Org, l.scope.Mode, l.filters})
	return h.Sum(nil)[:cursorMAC]
}

// cursor reads the cursor parameter.
func (q *query) cursor(c cursors, l list) *billing.Position {
	s, given := q.text("cursor")
	if !given {
		return nil
	}
	return c.read(l, s, &q.faults)
}

// read reads a cursor. It adds a fault if the cursor belongs to another list.
func (c cursors) read(l list, s string, faults *billing.Faults) *billing.Position {
	p, ok := c.decode(l, s)
	if !ok {
		faults.Add("cursor", billing.FaultFormat,
			"The cursor does not belong to this list with these filters. Send next_cursor unchanged, with the same filters.")
	}
	return p
}

// markID returns the ID of a mark in the stream of a scope. It is encrypted: the numbers of
// a mark count what all organizations do.
func (c cursors) markID(scope billing.Scope, m event.Mark) string {
	var b [aes.BlockSize]byte
	binary.BigEndian.PutUint32(b[:], uint32(m.Time.Unix())) //nolint:gosec // G115: until the year 2106
	binary.BigEndian.PutUint64(b[4:], m.Horizon)
	c.markBlock(scope).Encrypt(b[:], b[:])
	return hex.EncodeToString(b[:])
}

// mark reads an ID. It returns the zero mark for one that is damaged or of another scope.
func (c cursors) mark(scope billing.Scope, id string) (m event.Mark) {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) != aes.BlockSize {
		return m
	}
	c.markBlock(scope).Decrypt(b, b)
	if horizon := binary.BigEndian.Uint64(b[4:12]); binary.BigEndian.Uint32(b[12:]) == 0 && horizon > 0 && horizon < 1<<63 {
		m = event.Mark{Time: time.Unix(int64(binary.BigEndian.Uint32(b)), 0), Horizon: horizon}
	}
	return m
}

func (c cursors) markBlock(scope billing.Scope) cipher.Block {
	key := c.key()
	h := hmac.New(sha256.New, key[:])
	_ = json.NewEncoder(h).Encode([]any{"mark", scope.Org, scope.Mode}) // three texts always encode
	block, _ := aes.NewCipher(h.Sum(nil))                               // 32 bytes are a key
	return block
}
