package remit

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// Outline is a short form of a remittance, to compare it with another one of the same
// payment. A duplicate has the same figures, a part has other claims, and a correction has
// some of the same claims with other figures.
type Outline struct {
	Figures Digest // of the payment, its provider adjustments and its claims, in any order
	Claims  []ClaimOutline

	scratch values
}

// ClaimOutline is a claim of an Outline.
type ClaimOutline struct {
	Number  uint64 // a digest of both claim numbers (CLP01, CLP07)
	Figures uint64 // a digest of all that counts
}

// Digest is a digest of figures.
type Digest [sha256.Size]byte

// add makes d the digest of what it was of and of another part. Their order does not count.
func (d *Digest) add(o Digest) {
	for i := 0; i < len(d); i += 8 {
		binary.BigEndian.PutUint64(d[i:], binary.BigEndian.Uint64(d[i:])+binary.BigEndian.Uint64(o[i:]))
	}
}

// Add adds a claim to the outline.
func (o *Outline) Add(r *Claim) {
	figures := r.figures(&o.scratch)
	number := o.scratch.of().text(strings.ToUpper(r.ControlNumber), r.PayerClaimNumber).digest(&o.scratch)
	o.Figures.add(figures)
	o.Claims = append(o.Claims, ClaimOutline{number.short(), figures.short()})
}

// Close adds the payment itself, after its claims.
func (o *Outline) Close(p Payment, adjustments []ProviderAdjustment) {
	o.Figures.add(o.scratch.of().text("payment").money(p.Total).digest(&o.scratch))
	for _, a := range adjustments {
		o.Figures.add(o.scratch.of().text("adjustment", a.Reason).money(a.Amount).digest(&o.scratch))
	}
	slices.SortFunc(o.Claims, ClaimOutline.compare)
}

func (c ClaimOutline) compare(o ClaimOutline) int {
	return cmp.Or(cmp.Compare(c.Number, o.Number), cmp.Compare(c.Figures, o.Figures))
}

// Shares reports whether both have a claim with the same two numbers.
func (o *Outline) Shares(other *Outline) bool {
	for i, j := 0, 0; i < len(o.Claims) && j < len(other.Claims); {
		switch cmp.Compare(o.Claims[i].Number, other.Claims[j].Number) {
		case 0:
			return true
		case -1:
			i++
		default:
			j++
		}
	}
	return false
}

// Figures returns the digest of what the payer decides about the claim: its numbers, its
// status and every amount. Names, dates and other references do not count.
func (r *Claim) Figures() Digest { return r.figures(new(values)) }

func (r *Claim) figures(in *values) Digest {
	parts := adjusted(r.Adjustments, in)
	for i := range r.Lines {
		parts.add(r.Lines[i].figures(in))
	}
	v := in.of(parts[:]...).text("claim", strings.ToUpper(r.ControlNumber), r.PayerClaimNumber, r.StatusCode).money(r.Charge, r.Paid)
	if !r.Balanced {
		v = v.text("unbalanced") // an amount that cannot be read counts as zero
	}
	return v.stated(r.Allowed).stated(r.PatientResponsibility).digest(in)
}

// outline returns the claim's part of the outline of its remittance.
func (r *Claim) outline() ClaimOutline {
	var o Outline
	o.Add(r)
	return o.Claims[0]
}

func (l *Line) figures(in *values) Digest {
	parts := adjusted(l.Adjustments, in)
	return in.of(parts[:]...).text("line", strings.ToUpper(l.ProcedureCode), strings.ToUpper(l.SubmittedCode)).
		money(l.Charge, l.Paid).stated(l.Allowed).digest(in)
}

func adjusted(all []Adjustment, in *values) (sum Digest) {
	for _, a := range all {
		sum.add(in.of().text(a.Group, a.Reason).money(a.Amount).digest(in))
	}
	return sum
}

// values are the values of a digest, with lengths: different lists are different bytes.
type values []byte

// of begins a list in the memory of the last one.
func (v *values) of(first ...byte) values { return append((*v)[:0], first...) }

func (v values) text(all ...string) values {
	for _, s := range all {
		v = append(binary.AppendUvarint(v, uint64(len(s))), s...)
	}
	return v
}

func (v values) money(all ...billing.Money) values {
	for _, m := range all {
		v = binary.AppendVarint(v, int64(m))
	}
	return v
}

// stated adds an amount that may be absent.
func (v values) stated(m *billing.Money) values {
	if m == nil {
		return append(v, 0)
	}
	return append(v, 1).money(*m)
}

// digest returns the digest of the list, whose memory the next one uses.
func (v values) digest(in *values) Digest {
	*in = v
	return sha256.Sum256(v)
}

func (d Digest) short() uint64 { return binary.BigEndian.Uint64(d[:]) }
