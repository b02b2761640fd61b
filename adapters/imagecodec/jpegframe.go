package imagecodec

import (
	"encoding/binary"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
)

const (
	maxJPEGPixels = 64_000_000

	unseen = -1 // no scan has had the coefficient yet
)

// jpegFrame is a frame header (an SOF segment).
type jpegFrame struct {
	marker        byte
	width, height int
	hMax, vMax    int // the largest sampling factors
	components    []jpegComponent
}

// jpegComponent is a color component of a frame.
type jpegComponent struct {
	id, sampling, quant byte
	h, v                int
	blocksWide          int
	blocksHigh          int
	latched             []byte // the quantization table at its first scan

	// bits holds, for each coefficient in zigzag order, the number of its low
	// bits that later scans add. It is unseen for a coefficient that no scan
	// has had.
	bits [64]int8

	averages []int16 // the DC coefficient of each block, if a thumbnail is made of it
}

func (f *jpegFrame) progressive() bool { return f.marker == markerSOF2 }

// readFrame reads an SOF segment of n bytes.
func readFrame(w *window, marker byte, n int) (*jpegFrame, error) {
	malformed := refuseDamaged("its frame header is not well formed")
	if n < 6+3 || n > 6+3*255 {
		return nil, malformed
	}
	b, err := w.take(n)
	if err != nil {
		return nil, err
	}
	if b[0] != 8 {
		return nil, refuse(billing.FaultFormat, fmt.Sprintf("The JPEG has %d bits a sample; save it with 8.", b[0]))
	}
	f := &jpegFrame{
		marker: marker,
		height: int(binary.BigEndian.Uint16(b[1:])), width: int(binary.BigEndian.Uint16(b[3:])),
	}
	if err := f.checkSize(); err != nil {
		return nil, err
	}
	count := int(b[5])
	if n != 6+3*count {
		return nil, malformed
	}
	if count != 1 && count != 3 && count != 4 {
		return nil, refuse(billing.FaultFormat, fmt.Sprintf("The JPEG has %d color components; 1, 3 or 4 are accepted.", count))
	}
	for i := 6; i < n; i += 3 {
		c := jpegComponent{id: b[i], sampling: b[i+1], quant: b[i+2]}
		c.h, c.v = int(c.sampling>>4), int(c.sampling&15)
		for k := range c.bits {
			c.bits[k] = unseen
		}
		if f.find(c.id) != nil || c.quant > 3 || c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4 {
			return nil, malformed
		}
		f.components = append(f.components, c)
	}
	return f, f.layOut()
}

func (f *jpegFrame) checkSize() error {
	switch {
	case f.height == 0:
		return refuse(billing.FaultFormat, "The JPEG does not state its height before its image. Save it again.")
	case f.width == 0:
		return refuseDamaged("it has no width")
	case f.width > maxSide || f.height > maxSide:
		return refuse(billing.FaultRange, fmt.Sprintf("The JPEG is %d x %d pixels; a side has at most 20,000.", f.width, f.height))
	case f.width*f.height > maxJPEGPixels:
		return refuse(billing.FaultRange, fmt.Sprintf("The JPEG is %d x %d pixels; that is more than 64 megapixels.", f.width, f.height))
	}
	return nil
}

// layOut computes the size of each component in blocks (T.81 A.1.1, A.2). Each
// sampling factor must divide the largest one. libjpeg, which most viewers use,
// supports no other ratios.
func (f *jpegFrame) layOut() error {
	for i := range f.components {
		c := &f.components[i]
		if len(f.components) == 1 {
			c.h, c.v = 1, 1 // sampling factors are relative to the largest
		}
		f.hMax, f.vMax = max(f.hMax, c.h), max(f.vMax, c.v)
	}
	for i := range f.components {
		c := &f.components[i]
		if f.hMax%c.h != 0 || f.vMax%c.v != 0 {
			return refuse(billing.FaultFormat, "The JPEG has a fractional chroma subsampling; save it with 4:4:4, 4:2:2 or 4:2:0.")
		}
		c.blocksWide = ceilDiv(ceilDiv(f.width*c.h, f.hMax), 8)
		c.blocksHigh = ceilDiv(ceilDiv(f.height*c.v, f.vMax), 8)
	}
	return nil
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// find returns the component with an ID, or nil.
func (f *jpegFrame) find(id byte) *jpegComponent {
	for i := range f.components {
		if f.components[i].id == id {
			return &f.components[i]
		}
	}
	return nil
}

// groups returns the number of MCUs in an interleaved scan.
func (f *jpegFrame) groups() int {
	return ceilDiv(f.width, 8*f.hMax) * ceilDiv(f.height, 8*f.vMax)
}

// append appends the SOF segment to out.
func (f *jpegFrame) append(out []byte) []byte {
	out = append(out, 0xff, f.marker, 0, byte(8+3*len(f.components)), 8)
	out = binary.BigEndian.AppendUint16(out, uint16(f.height))
	out = binary.BigEndian.AppendUint16(out, uint16(f.width))
	out = append(out, byte(len(f.components)))
	for _, c := range f.components {
		out = append(out, c.id, c.sampling, c.quant)
	}
	return out
}

// jpegColour holds the color markers, from which a decoder determines what the
// components mean.
type jpegColour struct {
	jfif  bool
	adobe int // transform of the Adobe marker, or noAdobe
}

const noAdobe = -1

// colourModel is the color space that a decoder assumes for the components.
type colourModel int

const (
	modelUnknown colourModel = iota
	modelGrey
	modelRGB
	modelYCC
	modelCMYK
	modelYCCK
)

// libjpeg returns the color model that libjpeg chooses
// (default_decompress_parms).
func (c jpegColour) libjpeg(f *jpegFrame) colourModel {
	switch {
	case len(f.components) == 1:
		return modelGrey
	case len(f.components) == 4 && c.adobe > 0:
		return modelYCCK
	case len(f.components) == 4:
		return modelCMYK
	case c.jfif || c.adobe > 0:
		return modelYCC
	case c.adobe == 0 || f.namedRGB():
		return modelRGB
	default:
		return modelYCC
	}
}

// standard returns the color model that image/jpeg chooses.
func (c jpegColour) standard(f *jpegFrame) colourModel {
	switch {
	case len(f.components) == 4 && c.adobe == noAdobe:
		return modelUnknown
	case len(f.components) == 3 && !c.jfif && (c.adobe == 0 || f.namedRGB()):
		return modelRGB
	case len(f.components) == 3:
		return modelYCC
	default:
		return c.libjpeg(f)
	}
}

func (f *jpegFrame) namedRGB() bool {
	return f.components[0].id == 'R' && f.components[1].id == 'G' && f.components[2].id == 'B'
}

// append appends the color markers to out. It writes a JFIF marker for three
// components only, because a decoder could otherwise mistake their colors. The
// marker holds no more than JFIF requires.
func (c jpegColour) append(out []byte, f *jpegFrame) []byte {
	if c.jfif && len(f.components) == 3 {
		out = append(out, 0xff, markerAPP0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0)
	}
	if c.adobe != noAdobe {
		out = append(out, 0xff, markerAPP14, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, byte(c.adobe))
	}
	return out
}
