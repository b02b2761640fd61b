package imagecodec

import (
	"encoding/binary"
	"io"
	"math/bits"
)

// encoder writes a baseline JPEG strip by strip. A grey JPEG has one component;
// a color JPEG has three in full resolution (4:4:4). The Huffman tables are
// those that the specification suggests. All arithmetic is on integers, so
// every machine writes the same bytes.
type encoder struct {
	w          io.Writer
	out        []byte // bytes that are not written yet
	bits       uint64 // the lower held bits are not in out yet
	held       uint
	stride     int // pixels per row of a strip
	components int
	dc         [3]int32 // the previous DC coefficient of each component
	tables     [2]*encoderTables
}

// encoderTables holds the tables for luma or for chroma.
type encoderTables struct {
	quantizer quantizer
	dc        [12]huffmanCode
	ac        [256]huffmanCode
}

// huffmanCode is a code and its length in bits.
type huffmanCode struct {
	code   uint32
	length uint
}

// newEncoder starts a JPEG of 1 or 3 components. It writes the same form as
// Sanitize, so a downloaded image that is uploaded again keeps its bytes.
func newEncoder(w io.Writer, width, height, components int) *encoder {
	e := &encoder{w: w, stride: wholeBlocks(width), components: components}
	frame := &jpegFrame{marker: markerSOF0, width: width, height: height, components: make([]jpegComponent, components)}
	scan := &jpegScan{last: 63}
	var quant, huffman []*jpegTable
	for c := range byte(components) {
		table := min(c, 1)
		if c == table {
			steps, dc, ac := e.define(table)
			quant, huffman = append(quant, steps), append(huffman, dc, ac)
		}
		component := &frame.components[c]
		component.id, component.sampling, component.quant = c+1, 1<<4|1, table
		scan.parts = append(scan.parts, scanPart{jpegComponent: component, dcID: table, acID: table})
	}
	e.out = flush(opening(jpegColour{jfif: true, adobe: noAdobe}, frame, quant), markerDHT, huffman...)
	e.out = scan.append(e.out)
	return e
}

// define builds the tables for luma (0) or chroma (1). It returns them in the
// form of their segments.
func (e *encoder) define(table byte) (steps, dc, ac *jpegTable) {
	spec := suggested(table)
	t := &encoderTables{quantizer: newQuantizer(spec.steps)}
	spec.dc.codes(t.dc[:])
	spec.ac.codes(t.ac[:])
	e.tables[table] = t
	steps = &jpegTable{body: []byte{table}}
	for _, at := range zigzag() {
		steps.body = append(steps.body, spec.steps[at])
	}
	return steps, spec.dc.table(0<<4 | table), spec.ac.table(1<<4 | table)
}

// strip encodes eight rows of pixels, which are padded to whole blocks.
func (e *encoder) strip(pixels []byte) error {
	var planes [3]block
	row := e.stride * e.components
	for x := 0; x < e.stride; x += blockSide {
		if e.components == 1 {
			planes[0].grey(pixels[x:], row)
		} else {
			colours(&planes, pixels[3*x:], row)
		}
		for c := range e.components {
			e.block(&planes[c], &e.dc[c], e.tables[min(c, 1)])
		}
	}
	return e.flush()
}

// finish pads the last byte with ones and ends the JPEG.
func (e *encoder) finish() error {
	e.put(0x7f, 7)
	e.drain()
	e.out = append(e.out, 0xff, markerEOI)
	return e.flush()
}

func (e *encoder) flush() error {
	_, err := e.w.Write(e.out)
	e.out = e.out[:0]
	return err
}

// block transforms, quantizes and encodes one block.
func (e *encoder) block(b *block, previous *int32, t *encoderTables) {
	b.transform()
	var values [64]int32
	present := t.quantizer.quantize(b, &values)

	size, extra := magnitude(values[0] - *previous)
	*previous = values[0]
	e.put(uint64(t.dc[size].code)<<size|extra, t.dc[size].length+size)

	at := 0
	for present &^= 1; present != 0; present &= present - 1 {
		next := bits.TrailingZeros64(present)
		run := next - at - 1
		at = next
		for ; run > 15; run -= 16 {
			e.put(uint64(t.ac[0xf0].code), t.ac[0xf0].length)
		}
		size, extra := magnitude(values[next&63])
		code := &t.ac[(uint(run)<<4|size)&255]
		e.put(uint64(code.code)<<size|extra, code.length+size)
	}
	if at < 63 {
		e.put(uint64(t.ac[0].code), t.ac[0].length) // end of block
	}
}

// magnitude returns the number of bits of a value, and the bits that encode it.
// A negative value is encoded as the low bits of the value minus one.
func magnitude(value int32) (size uint, extra uint64) {
	sign := value >> 31
	size = uint(bits.Len32(uint32((value ^ sign) - sign)))
	return size, uint64(uint32(value+sign)) & (1<<size - 1)
}

// put appends the lower n bits of code. n is at most 32.
func (e *encoder) put(code uint64, n uint) {
	e.bits = e.bits<<n | code
	e.held += n
	if e.held >= 32 {
		e.drain()
	}
}

// drain moves whole bytes to out, and stuffs a zero after each 0xff.
func (e *encoder) drain() {
	if e.held >= 32 {
		word := uint32(e.bits >> (e.held - 32))
		if word&0x80808080&^(word+0x01010101) == 0 { // no byte is 0xff
			e.out = binary.BigEndian.AppendUint32(e.out, word)
			e.held -= 32
			return
		}
	}
	for e.held >= 8 {
		e.held -= 8
		b := byte(e.bits >> e.held)
		e.out = append(e.out, b)
		if b == 0xff {
			e.out = append(e.out, 0)
		}
	}
}
