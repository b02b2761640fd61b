package imagecodec

import (
	"bytes"
	"encoding/binary"

	"github.com/molar-billing/molar/core/billing"
)

// jpegTables holds the tables that a JPEG has defined so far. A table is
// written when a scan uses it. An unused table is dropped, because it could
// hold anything.
type jpegTables struct {
	quant    [4]jpegTable
	huffman  [2][4]jpegTable // DC, AC
	restart  int             // the restart interval in MCUs, or 0
	restarts int             // the restart interval that was written last
	baseline bool            // at most two Huffman tables of each class
}

// jpegTable is a table in the form of its segment: a byte with the class and
// ID, then the values. written is the body that was written last.
type jpegTable struct{ body, written []byte }

// define reads the tables of a DQT or DHT segment of n bytes.
func (t *jpegTables) define(w *window, marker byte, n int) error {
	for n > 0 {
		read := t.readQuant
		if marker == markerDHT {
			read = t.readHuffman
		}
		size, err := read(w, n)
		if err != nil {
			return err
		}
		n -= size
	}
	return nil
}

func (t *jpegTables) readQuant(w *window, n int) (int, error) {
	head, err := w.take(1)
	if err != nil {
		return 0, err
	}
	id := head[0]
	size := 64 * (int(id>>4) + 1) // 64 values of one or two bytes
	if id>>4 > 1 || id&15 > 3 || n < 1+size {
		return 0, refuseDamaged("a quantization table is not well formed")
	}
	values, err := w.take(size)
	if err != nil {
		return 0, err
	}
	t.quant[id&15].body = append([]byte{id}, values...)
	return 1 + size, nil
}

func (t *jpegTables) readHuffman(w *window, n int) (int, error) {
	malformed := refuseDamaged("a Huffman table is not well formed")
	if n < 17 {
		return 0, malformed
	}
	taken, err := w.take(17)
	if err != nil {
		return 0, err
	}
	head := bytes.Clone(taken)
	codes := 0
	for _, c := range head[1:] {
		codes += int(c)
	}
	class, id := head[0]>>4, head[0]&15
	if class > 1 || id > 3 || t.baseline && id > 1 || codes == 0 || codes > 256 || n < 17+codes {
		return 0, malformed
	}
	symbols, err := w.take(codes)
	if err != nil {
		return 0, err
	}
	t.huffman[class][id].body = append(head, symbols...)
	return 17 + codes, nil
}

// readRestart reads a DRI segment of n bytes.
func (t *jpegTables) readRestart(w *window, n int) error {
	if n != 2 {
		return refuseDamaged("its restart interval is not well formed")
	}
	b, err := w.take(2)
	if err != nil {
		return err
	}
	t.restart = int(binary.BigEndian.Uint16(b))
	return nil
}

// flushRestart appends a DRI segment if the interval has changed.
func (t *jpegTables) flushRestart(out []byte) []byte {
	if t.restarts == t.restart {
		return out
	}
	t.restarts = t.restart
	return append(out, 0xff, markerDRI, 0, 4, byte(t.restart>>8), byte(t.restart))
}

// flush appends a segment with the tables that changed since they were last
// written.
func flush(out []byte, marker byte, tables ...*jpegTable) []byte {
	at := len(out)
	out = append(out, 0xff, marker, 0, 0)
	for _, t := range tables {
		if len(t.body) > 0 && !bytes.Equal(t.body, t.written) {
			out = append(out, t.body...)
			t.written = t.body
		}
	}
	if len(out) == at+4 {
		return out[:at]
	}
	binary.BigEndian.PutUint16(out[at+2:], uint16(len(out)-at-2))
	return out
}

// step is the decoder's action for a Huffman code, packed into four bytes. It is
// 0 for an invalid code.
//
//	bits 0 to 7    length of the code and its extra bits
//	bits 8 to 15   length of the code
//	bits 16 to 23  number of coefficients that the code covers; 0 for an end-of-band run
//	bits 24 to 31  length of the coefficient's value
type step uint32

func (s step) bits() int     { return int(s & 0xff) }
func (s step) codeBits() int { return int(s >> 8 & 0xff) }
func (s step) advance() int  { return int(s >> 16 & 0xff) }
func (s step) size() int     { return int(s >> 24) }

// endOfBlock is the advance of a code that ends a block. It is larger than the
// sum of all other advances in a block.
const endOfBlock = 128

// codes is the kind of data that a Huffman table decodes. It determines what
// the symbols mean.
type codes int

const (
	codesDC         codes = iota
	codesSequential       // AC
	codesBands            // AC, first scan
	codesRefinement       // AC, later scan
)

// step returns the step for a symbol with a code of n bits, or 0 for an invalid
// symbol. al is the number of the coefficient's low bits that later scans add.
func (c codes) step(symbol byte, n, al int) step {
	run, size := int(symbol>>4), int(symbol&15)
	extra, advance := size, run+1
	switch {
	case c == codesDC:
		if symbol > maxDCBits {
			return 0
		}
		advance = 1
	case size == 0 && run == 15: // sixteen zeros
	case size == 0 && c == codesSequential:
		if run > 0 {
			return 0
		}
		advance = endOfBlock
	case size == 0:
		extra, advance = run, 0
	case size+al > maxACBits, c == codesRefinement && size > 1:
		return 0
	}
	return step(n+extra) | step(n)<<8 | step(advance)<<16 | step(size)<<24
}

const fastBits = 10

// huffTable is a lookup table from Huffman codes to steps (T.81 annex C).
type huffTable struct {
	fast  [1 << fastBits]step // by the next fastBits bits; 0 for longer codes
	steps [256]step           // in the order of the codes
	limit [17]uint32          // next 16 bits below limit[n] begin with a code of at most n bits
	first [17]int             // offset from a code of n bits to its index in steps
}

// build fills the table from the body of a DHT segment.
func (h *huffTable) build(body []byte, c codes, al int) error {
	counts, symbols := body[1:17], body[17:]
	clear(h.fast[:])
	code, at := 0, 0
	for n := 1; n <= 16; n++ {
		h.first[n] = at - code
		for range counts[n-1] {
			if code == 1<<n-1 { // a code of all ones is not allowed
				return refuseDamaged("a Huffman table has too many codes")
			}
			if c == codesDC && symbols[at] > 15 {
				return refuseDamaged("a Huffman table has a code for an impossible DC coefficient")
			}
			s := c.step(symbols[at], n, al)
			h.steps[at] = s
			if n <= fastBits {
				lo := code << (fastBits - n)
				for i := range 1 << (fastBits - n) {
					h.fast[lo+i] = s
				}
			}
			code++
			at++
		}
		h.limit[n] = uint32(code) << (16 - n)
		code <<= 1
	}
	return nil
}

// lookup returns the step of the code at the top of acc.
func (h *huffTable) lookup(acc uint64) step {
	if s := h.fast[acc>>(64-fastBits)]; s != 0 {
		return s
	}
	v := uint32(acc >> 48)
	for n := 1; n <= 16; n++ {
		if v < h.limit[n] {
			return h.steps[h.first[n]+int(v>>(16-n))]
		}
	}
	return 0
}

// build fills h from the Huffman table with a class and an ID.
func (t *jpegTables) build(h *huffTable, class, id int, c codes, al int) error {
	body := t.huffman[class][id].body
	if body == nil {
		return refuse(billing.FaultFormat, "The JPEG uses a Huffman table that it does not define.")
	}
	return h.build(body, c, al)
}
