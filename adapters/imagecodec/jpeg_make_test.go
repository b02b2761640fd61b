package imagecodec_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// drawings are small JPEGs of every kind, made by cjpeg from one drawing. Their
// names are its flags. (The 16-bit tables are -quality 1, the scans are
// scripts.)
func drawings(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob("testdata/jpeg/*.jpg")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no drawings: %v", err)
	}
	all := make(map[string][]byte)
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		all[filepath.Base(f)] = b
	}
	all["cmyk.jpg"] = fourComponents(tb, all["baseline-scans.jpg"], 0)
	all["ycck.jpg"] = fourComponents(tb, all["baseline-scans.jpg"], 2)
	return all
}

func drawing(tb testing.TB, name string) []byte {
	tb.Helper()
	b, ok := drawings(tb)[name]
	if !ok {
		tb.Fatalf("there is no %s", name)
	}
	return b
}

// segments splits a JPEG: SOI, the segments, each scan with its data, EOI.
// Stray bytes stay with the segment before.
func segments(tb testing.TB, b []byte) [][]byte {
	tb.Helper()
	parts := [][]byte{b[:2]}
	for at := 2; at < len(b); {
		end := at + 2
		if b[at] != 0xff || b[at+1] == 0 || b[at+1] == 0xff {
			last := len(parts) - 1
			parts[last] = append(bytes.Clone(parts[last]), b[at])
			at++
			continue
		}
		if m := b[at+1]; m != 0xd9 {
			if end += int(binary.BigEndian.Uint16(b[end:])); m == 0xda {
				end = scanEnd(b, end)
			}
		}
		parts = append(parts, b[at:end])
		at = end
	}
	return parts
}

// scanEnd returns the end of the data of a scan that begin at b[at].
func scanEnd(b []byte, at int) int {
	for b[at] != 0xff || b[at+1] == 0 || b[at+1]&0xf8 == 0xd0 {
		at++
	}
	return at
}

// segment returns a segment.
func segment(marker byte, body ...byte) []byte {
	b := []byte{0xff, marker}
	b = binary.BigEndian.AppendUint16(b, uint16(len(body)+2))
	return append(b, body...)
}

// edit changes a JPEG.
type edit func(tb testing.TB, b []byte) []byte

// before inserts bytes before the nth segment of a marker.
func before(marker byte, nth int, extra ...byte) edit {
	return replace(marker, nth, func(s []byte) []byte { return slices.Concat(extra, s) })
}

// without drops the nth segment of a marker.
func without(marker byte, nth int) edit {
	return replace(marker, nth, func([]byte) []byte { return nil })
}

// set changes bytes of the nth segment of a marker; its body begins at 4.
func set(marker byte, nth, at int, values ...byte) edit {
	return replace(marker, nth, func(s []byte) []byte {
		s = bytes.Clone(s)
		copy(s[at:], values)
		return s
	})
}

// replace changes the nth segment of a marker.
func replace(marker byte, nth int, change func([]byte) []byte) edit {
	return func(tb testing.TB, b []byte) []byte {
		tb.Helper()
		parts, seen := segments(tb, b), 0
		for i, p := range parts {
			if p[1] == marker {
				if seen == nth {
					parts[i] = change(p)
					return bytes.Join(parts, nil)
				}
				seen++
			}
		}
		tb.Fatalf("there is no segment %d of %02x", nth, marker)
		return nil
	}
}

// then is several edits, one after the other.
func then(edits ...edit) edit {
	return func(tb testing.TB, b []byte) []byte {
		tb.Helper()
		for _, e := range edits {
			b = e(tb, b)
		}
		return b
	}
}

// appended appends bytes.
func appended(extra ...byte) edit {
	return func(_ testing.TB, b []byte) []byte { return slices.Concat(b, extra) }
}

// fourComponents adds a fourth component, like the first, and an Adobe marker
// to a JPEG with one scan for each of three components.
func fourComponents(tb testing.TB, b []byte, transform byte) []byte {
	tb.Helper()
	var scan, out []byte
	for _, p := range segments(tb, b) {
		switch p[1] {
		case 0xe0:
			p = segment(0xee, append([]byte("Adobe\x00\x64\x00\x00\x00\x00"), transform)...)
		case 0xc0:
			p = append(bytes.Clone(p), 4, 0x11, 0)
			p[3], p[9] = 8+3*4, 4
		case 0xda:
			if scan == nil {
				scan = bytes.Clone(p)
				scan[5] = 4
				p = append(bytes.Clone(p), scan...)
			}
		}
		out = append(out, p...)
	}
	return out
}

// flat returns a progressive grey JPEG of 8 x 8 pixels, all of one grey, with
// the scans given: first and last coefficient, and the bits left to later
// scans.
func flat(scans ...[3]byte) []byte {
	quant := append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)
	one := append([]byte{1}, make([]byte, 16)...) // a code of one bit, and its symbol: nothing, or the end
	out := slices.Concat([]byte{0xff, 0xd8},
		segment(0xdb, quant...),
		segment(0xc2, 8, 0, 8, 0, 8, 1, 1, 0x11, 0),
		segment(0xc4, append([]byte{0x00}, one...)...),
		segment(0xc4, append([]byte{0x10}, one...)...))
	for _, s := range scans {
		out = append(out, segment(0xda, 1, 1, 0, s[0], s[1], s[2])...)
		out = append(out, 0x7f)
	}
	return append(out, 0xff, 0xd9)
}

// twice appends the first segment of a marker again.
func twice(marker byte) edit {
	return func(tb testing.TB, b []byte) []byte {
		tb.Helper()
		var first []byte
		replace(marker, 0, func(s []byte) []byte { first = s; return s })(tb, b)
		return before(0xd9, 0, first...)(tb, b)
	}
}
