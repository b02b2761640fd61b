// Package x12 reads and writes the segments and envelopes of ASC X12
// interchanges. Its subpackages handle the transaction sets. It does no I/O of its
// own and keeps no state beyond one interchange.
//
// A Reader holds one segment at a time, so its memory does not depend on the length
// of the file.
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
// Fields describes the segments of a loop once, to read and to write them; see ADR 106.
//
// A position is the ordinal of a segment, from 1 for the first ISA, and the offset of
// its first byte. Errors contain a position. They never contain an element, because
// it may be patient data.
package x12
