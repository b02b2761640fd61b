package imagecodec

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Sanitize checks that src is a complete JPEG: it decodes the entropy-coded
// data to the last coefficient. The copy holds the frame header, the tables
// that scans use, the scans, and the markers that determine the colors. The
// entropy-coded data stay the same bytes, so no pixel changes.
func (c *Codec) Sanitize(ctx context.Context, src io.ReaderAt, size int64) (*ports.Picture, error) {
	if err := c.turns.Acquire(ctx, 1); err != nil {
		return nil, context.Cause(ctx)
	}
	defer c.turns.Release(1)
	out, err := c.newPicture(ctx)
	if err != nil {
		return nil, err
	}
	defer out.abandon()
	in := newWindow(ctx, src, size, out)
	j := &jpegRewriter{
		codec: c, ctx: ctx, in: in, out: out, data: entropy{in: in},
		libjpeg: jpegColour{adobe: noAdobe}, standard: jpegColour{adobe: noAdobe},
	}
	defer j.release()
	if err := j.rewrite(); err != nil {
		return nil, err
	}
	return out.finish()
}

// jpegRewriter rewrites one JPEG.
type jpegRewriter struct {
	codec *Codec
	ctx   context.Context // one rewriter is one call
	in    *window
	out   io.Writer

	frame  *jpegFrame
	tables jpegTables
	space  [2][4]huffTable
	data   entropy
	scans  int

	// libjpeg and standard are the color markers that libjpeg and image/jpeg
	// read. libjpeg stops at the first scan, and counts every JFIF marker.
	// image/jpeg reads to the end, and counts a JFIF marker unless another APP0
	// follows it.
	libjpeg, standard jpegColour
	model             colourModel // image/jpeg's model at the first scan

	// masks has a bit for each nonzero AC coefficient, by component and block.
	// Only an image with refinement scans has masks. held is the memory
	// acquired for them.
	masks map[*jpegComponent][]uint64
	held  int64

	averages bool // whether it reads no more than the average of each block
}

func (j *jpegRewriter) rewrite() error {
	begin, err := j.in.take(3)
	if err != nil && billing.CodeOf(err) != billing.CodeInvalidRequest {
		return err
	}
	if err != nil || begin[0] != 0xff || begin[1] != markerSOI || begin[2] != 0xff {
		return refuse(billing.FaultFormat, "The file is not a JPEG.")
	}
	j.in.pos--
	for {
		m, err := j.in.marker()
		if err != nil {
			return err
		}
		if m == markerEOI {
			return j.end()
		}
		if m >= markerRST0 && m <= markerRST7 {
			continue // some cameras write a restart marker after the last interval
		}
		if err := j.segment(m); err != nil {
			return err
		}
	}
}

// segment reads the segment of a marker.
func (j *jpegRewriter) segment(m byte) error {
	if err := unsupported(m); err != nil {
		return err
	}
	b, err := j.in.take(2)
	if err != nil {
		return err
	}
	n := int(binary.BigEndian.Uint16(b)) - 2
	if n < 0 {
		return refuseDamaged("the length of a segment is too small")
	}
	switch m {
	case markerSOF0, markerSOF1, markerSOF2:
		if j.frame != nil {
			return refuseDamaged("it has two frame headers")
		}
		j.frame, err = readFrame(j.in, m, n)
		return err
	case markerDHT, markerDQT:
		j.tables.baseline = j.frame != nil && j.frame.marker == markerSOF0
		return j.tables.define(j.in, m, n)
	case markerDRI:
		return j.tables.readRestart(j.in, n)
	case markerSOS:
		return j.scan(n)
	case markerAPP0, markerAPP14:
		return j.colour(m, n)
	default:
		return j.in.skip(n)
	}
}

// unsupported refuses the markers of JPEG processes other than baseline,
// extended sequential and progressive (T.81, table B.1).
func unsupported(m byte) error {
	var how string
	switch m {
	case 0xc3:
		how = "is lossless"
	case 0xc5, 0xc6, 0xc7, 0xcd, 0xce, 0xcf, 0xde, 0xdf:
		how = "is hierarchical"
	case 0xc9, 0xca, 0xcb, 0xcc:
		how = "has arithmetic coding"
	case 0xdc:
		how = "states its height after its image"
	case markerSOF0, markerSOF1, markerSOF2, markerDHT, markerDQT, markerDRI, markerSOS, markerCOM:
		return nil
	default:
		if m >= markerAPP0 && m <= markerAPP15 {
			return nil
		}
		return refuseDamaged(fmt.Sprintf("it has an unknown marker %02x", m))
	}
	return refuse(billing.FaultFormat, "The JPEG "+how+"; save it as baseline or progressive.")
}

// colour reads an APP0 or APP14 segment of n bytes. It keeps only the fields
// that determine the colors.
func (j *jpegRewriter) colour(m byte, n int) error {
	b, err := j.in.take(min(n, 14))
	if err != nil {
		return err
	}
	before := j.scans == 0
	switch {
	case m == markerAPP0 && n >= 5:
		jfif := string(b[:5]) == "JFIF\x00"
		j.standard.jfif = jfif
		if before && jfif && n >= 14 {
			j.libjpeg.jfif = true
		}
	case m == markerAPP14 && n >= 12 && string(b[:5]) == "Adobe":
		j.standard.adobe = int(b[11])
		if before {
			j.libjpeg.adobe = int(b[11])
		}
	}
	return j.in.skip(n - len(b))
}

// chooseColour returns markers that make libjpeg and image/jpeg read the same
// colors as in the original.
func (j *jpegRewriter) chooseColour() (jpegColour, error) {
	j.model = j.standard.standard(j.frame)
	if j.model == modelUnknown {
		return jpegColour{}, refuse(billing.FaultFormat, "The JPEG has four color components and no Adobe marker that names their color space. Save it as RGB.")
	}
	model := j.libjpeg.libjpeg(j.frame)
	for _, c := range []jpegColour{j.libjpeg, j.standard} {
		if c.libjpeg(j.frame) == model && c.standard(j.frame) == j.model {
			return c, nil
		}
	}
	return jpegColour{}, refuseColor()
}

// scan reads an SOS segment of n bytes and the entropy-coded data after it.
func (j *jpegRewriter) scan(n int) error {
	if j.ctx.Err() != nil {
		return context.Cause(j.ctx)
	}
	if j.frame == nil {
		return refuseDamaged("its image comes before its frame header")
	}
	if j.scans == maxScans {
		return refuse(billing.FaultTooMany, "The JPEG has more than 100 scans.")
	}
	s, err := readScan(j.in, j.frame, n)
	if err != nil {
		return err
	}
	if err := s.buildTables(&j.tables, j.frame.progressive(), &j.space); err != nil {
		return err
	}
	if err := j.header(s); err != nil {
		return err
	}
	j.scans++
	masks, err := j.maskOf(s)
	if err != nil {
		return err
	}
	j.startAverages(s)
	if err := s.walk(&j.data, s.units(j.frame), j.tables.restart, masks); err != nil {
		return err
	}
	if j.averages && !slices.ContainsFunc(j.frame.components, func(c jpegComponent) bool { return c.bits[0] != 0 }) {
		return errAveraged
	}
	return nil
}

// startAverages prepares a scan whose DC coefficients are kept.
func (j *jpegRewriter) startAverages(s *jpegScan) {
	if !j.averages {
		return
	}
	if s.wide = ceilDiv(j.frame.width, blockSide*j.frame.hMax); len(s.parts) == 1 {
		s.wide = s.parts[0].blocksWide
	}
	for _, p := range s.parts {
		if p.averages == nil {
			p.averages = make([]int16, p.blocksWide*p.blocksHigh)
		}
	}
}

// header writes the segments before the data of a scan. Before the first scan,
// it also writes the beginning of the file.
func (j *jpegRewriter) header(s *jpegScan) error {
	var head []byte
	var quant, huffman []*jpegTable
	for _, p := range s.parts {
		t := &j.tables.quant[p.quant]
		if t.body == nil {
			return refuse(billing.FaultFormat, "The JPEG uses a quantization table that it does not define.")
		}
		if p.latched == nil {
			p.latched = t.body
		}
		if quant = append(quant, t); p.dc != nil {
			huffman = append(huffman, &j.tables.huffman[0][p.dcID])
		}
		if p.ac != nil {
			huffman = append(huffman, &j.tables.huffman[1][p.acID])
		}
	}
	if j.scans > 0 {
		head = flush(head, markerDQT, quant...)
	} else {
		c, err := j.chooseColour()
		if err != nil {
			return err
		}
		head = opening(c, j.frame, quant)
	}
	head = flush(head, markerDHT, huffman...)
	head = j.tables.flushRestart(head)
	_, err := j.out.Write(s.append(head))
	return err
}

// opening returns the beginning of a JPEG, including its frame header.
func opening(c jpegColour, f *jpegFrame, quant []*jpegTable) []byte {
	head := c.append([]byte{0xff, markerSOI}, f)
	return f.append(flush(head, markerDQT, quant...))
}

// maskOf returns the masks of the scan's component, or nil if the scan needs
// none.
func (j *jpegRewriter) maskOf(s *jpegScan) ([]uint64, error) {
	if s.first == 0 || s.high == 0 && s.low == 0 {
		return nil, nil // no scan refines these coefficients
	}
	if j.masks == nil {
		blocks := 0
		for _, c := range j.frame.components {
			blocks += c.blocksWide * c.blocksHigh
		}
		held := min(int64(blocks)*8, j.codec.budget)
		if err := j.codec.memory.Acquire(j.ctx, held); err != nil {
			return nil, err
		}
		j.held = held
		j.masks = make(map[*jpegComponent][]uint64)
	}
	c := s.parts[0].jpegComponent
	if j.masks[c] == nil {
		j.masks[c] = make([]uint64, c.blocksWide*c.blocksHigh)
	}
	return j.masks[c], nil
}

// release returns the memory of the masks to the budget.
func (j *jpegRewriter) release() {
	if j.held > 0 {
		j.masks = nil
		j.codec.memory.Release(j.held)
	}
}

// end checks the colors and the tables, and writes the EOI marker. The rest of
// the file is not read.
func (j *jpegRewriter) end() error {
	switch {
	case j.scans == 0:
		return refuseShort()
	case j.standard.standard(j.frame) != j.model:
		return refuseColor()
	}
	for _, c := range j.frame.components {
		// libjpeg uses the table at the first scan; image/jpeg uses the last one.
		if j.frame.progressive() && c.latched != nil && !bytes.Equal(c.latched, j.tables.quant[c.quant].body) {
			return refuseDamaged("a quantization table changes within the image")
		}
	}
	_, err := j.out.Write([]byte{0xff, markerEOI})
	return err
}

func refuseColor() error {
	return refuseDamaged("its markers contradict each other about its colors")
}
