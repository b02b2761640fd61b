package edi

import (
	"bytes"
	"slices"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
)

// maxOrigins bounds the segments of the replies whose values are traced, because the time
// grows with the square of their number. The longest public dental reply has about 500.
const maxOrigins = 1000

// Origins returns the segments that values of a check come from, by reading the replies again
// without each of their segments in turn: a value comes from those without which it is
// another one. So whatever this package reads has an origin, with no word about it in the
// code that reads. Values that this release reads otherwise than the one that completed the
// check have none, and neither have those of replies that are too long.
func (*Codec) Origins(q network.Inquiry, replies [][]byte, of []coverage.Value) (out []coverage.Origin) {
	q.Options.TraceByExchange = true // the replies were accepted
	t := &tracing{codec: New(), inquiry: q}
	var units []unit
	for n, reply := range replies {
		units = append(units, unitsOf(n, reply)...)
	}
	if len(units) > maxOrigins {
		return nil
	}
	whole := t.read(replies)
	if whole == nil {
		return nil
	}
	of = coverage.Same(of, whole.Values())
	segments := make([]map[int][]coverage.Segment, len(of)) // by reply
	note := func(i int, u *unit) {
		if segments[i] == nil {
			segments[i] = map[int][]coverage.Segment{}
		}
		segments[i][u.reply] = append(segments[i][u.reply], u.segment)
	}
	for k := range units {
		if left := t.read(without(replies, units[k:k+1])).Stated(); left != nil {
			for i, v := range of {
				if !left.Has(v) {
					note(i, &units[k])
				}
			}
		}
	}
	for k := len(units) - 1; k >= 0 && slices.ContainsFunc(segments, func(s map[int][]coverage.Segment) bool { return s == nil }); k-- {
		left := t.read(without(replies, units[k:])).Stated() // of those that several segments state, one is left
		for i, v := range of {
			if segments[i] == nil && !left.Has(v) {
				note(i, &units[k])
			}
		}
	}
	for i, v := range of {
		for n := range replies {
			if s := segments[i][n]; s != nil {
				out = append(out, coverage.Origin{Path: v.Path, Reply: n, Segments: s})
			}
		}
	}
	return out
}

// tracing reads the replies to an inquiry again and again.
type tracing struct {
	codec   *Codec
	inquiry network.Inquiry
}

// read returns what the replies state; nil if they cannot be read, or state no benefits.
func (t *tracing) read(replies [][]byte) *coverage.Benefits {
	a, err := t.codec.Answer(t.inquiry, replies)
	if err != nil {
		return nil
	}
	return a.Benefits
}

// unit is a segment with the bytes that go with it: an EB goes with its loop.
type unit struct {
	reply      int
	segment    coverage.Segment
	start, end int
}

// envelope are the segments without which a reply cannot be read, or which state nothing.
//
//nolint:gochecknoglobals // a constant table
var envelope = []string{"ISA", "GS", "ST", "BHT", "HL", "TRN", "LS", "LE", "SE", "GE", "IEA"}

// unitsOf lists the segments of a reply that may state something.
func unitsOf(n int, reply []byte) (units []unit) {
	loop := -1 // the latest EB
	end := func(at int) {
		if loop >= 0 {
			units[loop].end = at
		}
		loop = -1
	}
	in := x12.NewReader(bytes.NewReader(reply), x12.Limits{SkipInvalid: true})
	_ = in.Each(func(s *x12.Segment) error { // what cannot be read states nothing
		start, after := s.Offset, in.Offset()
		if s.ID == "EB" || s.ID == "HL" || s.ID == "SE" {
			end(start)
		}
		if slices.Contains(envelope, s.ID) {
			return nil
		}
		text := bytes.TrimSpace(bytes.TrimRight(reply[start:after], string(in.Delimiters().Segment)+"\r\n"))
		units = append(units, unit{n, coverage.Segment{Position: s.Ordinal, Text: string(text)}, start, after})
		if s.ID == "EB" {
			loop = len(units) - 1
		}
		return nil
	})
	return units
}

// without returns the replies without the units.
func without(replies [][]byte, units []unit) [][]byte {
	out := slices.Clone(replies)
	for n, reply := range replies {
		var kept []byte
		at := 0
		for i := range units {
			if u := &units[i]; u.reply == n && u.end > at {
				kept = append(kept, reply[at:max(at, u.start)]...)
				at = u.end
			}
		}
		out[n] = append(kept, reply[at:]...)
	}
	return out
}
