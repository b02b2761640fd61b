package billing

import "slices"

// Sequence is the place of a payer among the payers of a claim.
type Sequence string

// The sequences.
const (
	SequencePrimary   Sequence = "primary"
	SequenceSecondary Sequence = "secondary"
	SequenceTertiary  Sequence = "tertiary"
)

// Sequences lists the sequences in order.
func Sequences() []Sequence { return []Sequence{SequencePrimary, SequenceSecondary, SequenceTertiary} }

// Rank returns the place of the sequence among the payers, from 1; 0 for none.
func (s Sequence) Rank() int { return 1 + slices.Index(Sequences(), s) }

// Next returns the sequence after this one; the empty string after the last.
func (s Sequence) Next() Sequence {
	if n := s.Rank(); n < len(Sequences()) {
		return Sequences()[n]
	}
	return ""
}
