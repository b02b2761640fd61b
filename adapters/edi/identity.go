package edi

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing/remit"
)

// identity returns a digest that identifies a payment: its payer, date and transfer, and
// the figures of its outline. A payer may send the same payment again, so the digest
// excludes envelopes, set numbers, delimiters, line breaks and spelling. The length of a
// value precedes it, so that different values never give the same bytes.
func identity(p *remittance.Payment, figures remit.Digest) [sha256.Size]byte {
	var b []byte
	for _, s := range []string{cmp.Or(p.Payer.ID, p.Payer.Name), p.Trace.Originator, p.Trace.Number, p.Method, p.Date.String()} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), strings.ToUpper(s)...)
	}
	return sha256.Sum256(append(b, figures[:]...))
}
