package imagecodec

import "slices"

// jpegQuality is a quality on libjpeg's scale, from 1 to 100.
const jpegQuality = 95

// zigzag returns the order in which a JPEG stores coefficients. It runs along
// the diagonals, from low frequencies to high ones.
func zigzag() (order [64]uint8) {
	x, y, step := 0, 0, 1
	for k := range order {
		order[k] = uint8(8*y + x)
		nx, ny := x+step, y-step
		switch {
		case nx > 7: // along the right edge
			y, step = y+1, -step
		case ny > 7: // along the bottom edge
			x, step = x+1, -step
		case ny < 0: // along the top edge
			x, step = nx, -step
		case nx < 0: // along the left edge
			y, step = ny, -step
		default:
			x, y = nx, ny
		}
	}
	return order
}

// tableSpec is one set of the tables in annex K of the JPEG specification
// (ITU-T T.81). The quantization steps are in row order, scaled to jpegQuality.
type tableSpec struct {
	steps  [64]uint8
	dc, ac huffmanSpec
}

// huffmanSpec holds the number of codes of 1 to 16 bits, and the values in the
// order of the codes.
type huffmanSpec struct {
	counts [16]uint8
	values []byte
}

// codes sets the code of each value in table, which is indexed by value.
func (h *huffmanSpec) codes(table []huffmanCode) {
	code, next := uint32(0), 0
	for length, count := range h.counts {
		for range count {
			table[h.values[next]] = huffmanCode{code, uint(length) + 1}
			code++
			next++
		}
		code <<= 1
	}
}

// table returns the codes in the form of a DHT segment.
func (h *huffmanSpec) table(classAndID byte) *jpegTable {
	return &jpegTable{body: slices.Concat([]byte{classAndID}, h.counts[:], h.values)}
}

// suggested returns the tables of annex K for luma (0) or chroma (1).
func suggested(table byte) tableSpec {
	spec := tableSpec{
		steps: [64]uint8{
			16, 11, 10, 16, 24, 40, 51, 61,
			12, 12, 14, 19, 26, 58, 60, 55,
			14, 13, 16, 24, 40, 57, 69, 56,
			14, 17, 22, 29, 51, 87, 80, 62,
			18, 22, 37, 56, 68, 109, 103, 77,
			24, 35, 55, 64, 81, 104, 113, 92,
			49, 64, 78, 87, 103, 121, 120, 101,
			72, 92, 95, 98, 112, 100, 103, 99,
		},
		dc: huffmanSpec{[16]uint8{0, 1, 5, 1, 1, 1, 1, 1, 1}, sizes()},
		ac: huffmanSpec{[16]uint8{0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125}, []byte(lumaRuns)},
	}
	if table == 1 {
		spec.steps = [64]uint8{
			17, 18, 24, 47, 99, 99, 99, 99,
			18, 21, 26, 66, 99, 99, 99, 99,
			24, 26, 56, 99, 99, 99, 99, 99,
			47, 66, 99, 99, 99, 99, 99, 99,
			99, 99, 99, 99, 99, 99, 99, 99,
			99, 99, 99, 99, 99, 99, 99, 99,
			99, 99, 99, 99, 99, 99, 99, 99,
			99, 99, 99, 99, 99, 99, 99, 99,
		}
		spec.dc.counts = [16]uint8{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1}
		spec.ac = huffmanSpec{[16]uint8{0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119}, []byte(chromaRuns)}
	}
	for i, step := range spec.steps {
		scaled := (int(step)*(200-2*jpegQuality) + 50) / 100
		spec.steps[i] = uint8(max(1, scaled))
	}
	return spec
}

// sizes returns the values of a DC table: the possible bit lengths of a
// difference.
func sizes() []byte { return []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11} }

// The values of the AC tables. The upper four bits are the number of zeros
// before a coefficient; the lower four are the number of its bits.
const (
	lumaRuns = "" +
		"\x01\x02\x03\x00\x04\x11\x05\x12\x21\x31\x41\x06\x13\x51\x61\x07\x22\x71" +
		"\x14\x32\x81\x91\xa1\x08\x23\x42\xb1\xc1\x15\x52\xd1\xf0\x24\x33\x62\x72" +
		"\x82\x09\x0a\x16\x17\x18\x19\x1a\x25\x26\x27\x28\x29\x2a\x34\x35\x36\x37" +
		"\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56\x57\x58\x59" +
		"\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a\x83" +
		"\x84\x85\x86\x87\x88\x89\x8a\x92\x93\x94\x95\x96\x97\x98\x99\x9a\xa2\xa3" +
		"\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xc2\xc3" +
		"\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xe1\xe2" +
		"\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa"

	chromaRuns = "" +
		"\x00\x01\x02\x03\x11\x04\x05\x21\x31\x06\x12\x41\x51\x07\x61\x71\x13\x22" +
		"\x32\x81\x08\x14\x42\x91\xa1\xb1\xc1\x09\x23\x33\x52\xf0\x15\x62\x72\xd1" +
		"\x0a\x16\x24\x34\xe1\x25\xf1\x17\x18\x19\x1a\x26\x27\x28\x29\x2a\x35\x36" +
		"\x37\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56\x57\x58" +
		"\x59\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a" +
		"\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x92\x93\x94\x95\x96\x97\x98\x99\x9a" +
		"\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba" +
		"\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda" +
		"\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa"
)
