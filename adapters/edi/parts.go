package edi

import (
	"bytes"
	"iter"
	"slices"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// Parts takes a file apart by the kinds of its transaction sets. Interchanges of one kind
// that follow one another are one part, which shares the memory of the file. An
// interchange of several kinds is taken apart by set.
func (*Codec) Parts(content []byte) iter.Seq[clearing.FilePart] { return parts(content, false) }

// Apart takes every interchange apart by set.
func (*Codec) Apart(content []byte) iter.Seq[clearing.FilePart] { return parts(content, true) }

func parts(content []byte, bySet bool) iter.Seq[clearing.FilePart] {
	return func(yield func(clearing.FilePart) bool) {
		for _, p := range x12.Pieces(content) {
			piece := content[p.Start:p.End]
			if p.Err != nil {
				if !yield(clearing.FilePart{Content: piece, Err: p.Err}) {
					return
				}
				continue
			}
			for _, s := range stretchesOf(piece) {
				text := piece[s.start:s.end]
				if bySet || s.kind == "" {
					if !setsOf(text, yield) {
						return
					}
				} else if !yield(clearing.FilePart{Kind: s.kind, Sets: s.sets, Content: text}) {
					return
				}
			}
		}
	}
}

// stretch is one or more interchanges whose sets are of one kind, or one whose sets are
// of several.
type stretch struct {
	start, end int
	kind       clearing.FileKind // empty for several
	sets       []string
}

// stretchesOf lists the stretches of a piece, all of which can be read.
func stretchesOf(piece []byte) (all []stretch) {
	var s stretch
	_, _ = walk(piece, func(segment *x12.Segment, set string) error {
		switch segment.ID {
		case "ISA":
			s = stretch{start: segment.Offset}
		case "IEA":
			last := len(all) - 1
			if last < 0 || s.kind == "" || s.kind != all[last].kind {
				all = append(all, s)
				return nil
			}
			for _, name := range s.sets {
				all[last].sets = add(all[last].sets, name)
			}
		case "ST":
			s.take(set)
		case interchangeVerdict:
			s.take(interchangeVerdict)
		}
		return nil
	})
	for i := range all {
		all[i].end = len(piece)
		if i > 0 {
			all[i-1].end = all[i].start
		}
	}
	if len(all) > 0 {
		all[0].start = 0
	}
	return all
}

// take adds a transaction set.
func (s *stretch) take(id string) {
	if kind := kindOf(id); len(s.sets) == 0 {
		s.kind = kind
	} else if kind != s.kind {
		s.kind = ""
	}
	s.sets = add(s.sets, nameOf(id))
}

// add appends a value that the list does not have.
func add[T comparable](all []T, value T) []T {
	if slices.Contains(all, value) {
		return all
	}
	return append(all, value)
}

// interchangeVerdict is the verdict on an interchange. It is a segment of its own.
const interchangeVerdict = "TA1"

// kindOf returns the kind of a transaction set.
func kindOf(id string) clearing.FileKind {
	switch {
	case id == setRemittance:
		return clearing.FileRemittance
	case isFunctional(id), id == setStatus, id == interchangeVerdict:
		return clearing.FileAcknowledgement
	}
	return clearing.FileOther
}

// nameOf returns the ID of a transaction set, for people.
func nameOf(id string) string {
	if id == interchangeVerdict || len(id) == 3 && keep(id, isDigit) == id {
		return id
	}
	return "unknown"
}

// setsOf yields each set of interchanges that can be read, and the TA1 segments of each
// interchange, in an envelope of its own. It returns false when yield did.
func setsOf(text []byte, yield func(clearing.FilePart) bool) bool {
	in := x12.NewReader(bytes.NewReader(text), x12.Limits{SkipInvalid: true})
	var span remittance.Span
	var header, verdicts []byte
	control := ""
	for {
		s, err := in.Next()
		if err != nil {
			return true
		}
		p := clearing.FilePart{Kind: clearing.FileAcknowledgement, Sets: []string{interchangeVerdict}}
		switch s.ID {
		case "ISA":
			span.Interchange, control = s.Offset, s.Element(13)
			header, verdicts = text[s.Offset:in.Offset()], nil
		case "GS":
			span.Group = s.Offset
		case "ST":
			span.Start = s.Offset
		case "SE":
			span.End = in.Offset()
			id := in.Set().ID
			p = clearing.FilePart{Kind: kindOf(id), Sets: []string{nameOf(id)}}
			if p.Content, err = remittance.Extract(text, span); err != nil {
				p = clearing.FilePart{Content: text[span.Start:span.End], Err: err}
			}
		case interchangeVerdict:
			verdicts = append(verdicts, text[s.Offset:in.Offset()]...)
		case "IEA":
			if verdicts != nil {
				e := in.Delimiters().Element
				p.Content = slices.Concat(header, verdicts, []byte{'I', 'E', 'A', e, '0', e}, []byte(control), []byte{in.Delimiters().Segment})
			}
		}
		if p.Content != nil && !yield(p) {
			return false
		}
	}
}
