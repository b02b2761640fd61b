// Package x12 reads and writes the segments and envelopes of ASC X12
// interchanges. It knows no transaction set: those are subpackages. It does no
// I/O of its own and keeps no state beyond one interchange.
//
// A Reader streams: it holds one segment at a time, so that a file of any
// length is read in the same memory.
//
//	r := x12.NewReader(file, x12.Limits{})
//	for {
//		s, err := r.Next()
//		if errors.Is(err, io.EOF) {
//			break
//		}
//		...
//		switch s.ID {
//		case "CLP":
//			number, charge := s.Element(1), s.Element(3)
//
// A position is the ordinal of a segment, from 1 for the first ISA, and the
// offset of its first byte. Errors have a position and never the text of an
// element, which may be patient data.
package x12
