package edi

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// identity is a digest that identifies a payment. It covers the payer, amount, date
// and transfer, and each claim's numbers, status and amounts. A payer may send the
// same payment again, so the digest excludes envelopes, set numbers, delimiters,
// line breaks and spelling.
type identity struct {
	hash.Hash
	buffer []byte
}

func newIdentity(p *remittance.Payment) *identity {
	id := &identity{Hash: sha256.New()}
	payer := p.Payer.ID
	if payer == "" {
		payer = p.Payer.Name
	}
	for _, s := range []string{payer, p.Trace.Originator, p.Trace.Number, p.Method} {
		id.text(strings.ToUpper(s))
	}
	id.text(p.Date.String())
	id.money(p.Total)
	id.flush()
	return id
}

func (id *identity) claim(c *remittance.Claim) {
	id.text(strings.ToUpper(c.ControlNumber))
	id.text(c.Status)
	id.money(c.Charge)
	id.money(c.Paid)
	id.text(c.PayerControlNumber)
	id.flush()
}

// text adds a value to the digest. The length precedes the value, so that different
// lists of values never produce the same bytes.
func (id *identity) text(s string) {
	id.buffer = binary.AppendUvarint(id.buffer, uint64(len(s)))
	id.buffer = append(id.buffer, s...)
}

func (id *identity) money(m billing.Money) { id.buffer = binary.AppendVarint(id.buffer, int64(m)) }

func (id *identity) flush() {
	_, _ = id.Write(id.buffer) // a hash never fails
	id.buffer = id.buffer[:0]
}

func (id *identity) sum() (sum [sha256.Size]byte) {
	id.Sum(sum[:0])
	return sum
}
