package imagecodec

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/molar-billing/molar/core/billing"
)

// The limits of the API. A megapixel is 1,000,000 pixels. The API counts 20 of
// them as 160 MB when decoded, at 8 bytes per pixel.
const (
	maxPNGPixels             = 20_000_000
	maxInterlacedPixels      = 4_000_000
	pngSignature             = "\x89PNG\r\n\x1a\n"
	chunkOverhead            = 12 // length, kind, CRC
	pngBuffer                = 64 << 10
	maxPalette               = 256
	kindIHDR                 = "IHDR"
	kindPLTE                 = "PLTE"
	kindTRNS                 = "tRNS"
	kindIDAT                 = "IDAT"
	kindIEND                 = "IEND"
	ancillaryBit        byte = 0x20 // in the first letter of a kind
)

// The color types of PNG.
const (
	pngGrey      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGreyAlpha = 4
	pngRGBA      = 6
)

// pngInfo is the content of the chunks before the pixel data.
type pngInfo struct {
	width, height int
	depth         int // bits per sample
	colour        int // pngGrey ... pngRGBA
	interlaced    bool
	palette       []byte // RGB triples
	transparency  []byte // the tRNS chunk
	color         pngColor
	pixels        int64 // offset of the first IDAT chunk
}

// samples returns the number of samples per pixel in the PNG.
func (i *pngInfo) samples() int {
	switch i.colour {
	case pngRGB:
		return 3
	case pngGreyAlpha:
		return 2
	case pngRGBA:
		return 4
	default:
		return 1
	}
}

// components returns the number of components in the JPEG. Grey stays grey.
func (i *pngInfo) components() int {
	if i.colour == pngGrey || i.colour == pngGreyAlpha {
		return 1
	}
	return 3
}

// rowBytes returns the length of a scanline of width pixels, without its filter
// byte.
func (i *pngInfo) rowBytes(width int) int { return (width*i.samples()*i.depth + 7) / 8 }

// chunkWalk is one pass over the chunks of a PNG.
type chunkWalk struct {
	r        *bufio.Reader
	left     int64 // bytes of the file that are not read yet
	size     int64
	info     pngInfo
	idat     bool // an IDAT chunk was seen
	idatOver bool // a chunk of another kind followed it
	buf      [3 * maxPalette]byte
}

// inspectPNG checks a PNG as far as possible without decoding its pixels. Among
// the ancillary chunks, only tRNS and those about color affect pixels. It skips
// the others without checking their checksums. It ignores everything after
// IEND.
func inspectPNG(ctx context.Context, src io.ReaderAt, size int64) (*pngInfo, error) {
	source := newPNGSource(ctx, src, 0, size)
	w := &chunkWalk{r: bufio.NewReaderSize(source, pngBuffer), left: size, size: size}
	if err := w.run(); err != nil {
		return nil, source.verdict(err)
	}
	return &w.info, nil
}

func (w *chunkWalk) run() error {
	signature := w.buf[:len(pngSignature)]
	if _, err := io.ReadFull(w.r, signature); err != nil || string(signature) != pngSignature {
		return pngDamaged("it does not begin with the signature of a PNG")
	}
	w.left -= int64(len(pngSignature))
	kind, length, err := w.head()
	if err != nil {
		return err
	}
	if kind != kindIHDR || length != 13 {
		return pngDamaged("its first chunk is not a header of 13 bytes")
	}
	if err := w.header(); err != nil {
		return err
	}
	for {
		kind, length, err := w.head()
		if err != nil {
			return err
		}
		if kind == kindIEND {
			return w.end(length)
		}
		if err := w.chunk(kind, length); err != nil {
			return err
		}
	}
}

// head reads the length and kind of the next chunk, and checks that the file
// holds the whole chunk.
func (w *chunkWalk) head() (string, int64, error) {
	head := w.buf[:8]
	if _, err := io.ReadFull(w.r, head); err != nil {
		return "", 0, pngDamaged("it ends before its last chunk")
	}
	length := int64(binary.BigEndian.Uint32(head))
	if length > w.left-chunkOverhead {
		return "", 0, pngDamaged("it ends within a chunk")
	}
	for _, letter := range head[4:] {
		if l := letter | 0x20; l < 'a' || l > 'z' {
			return "", 0, pngDamaged("it has bytes between its chunks")
		}
	}
	w.left -= length + chunkOverhead
	return string(head[4:]), length, nil
}

// chunk reads one chunk between IHDR and IEND.
func (w *chunkWalk) chunk(kind string, length int64) error {
	if kind != kindIDAT {
		w.idatOver = w.idat
	}
	switch kind {
	case kindIDAT:
		return w.pixels(length)
	case kindPLTE:
		return w.palette(length)
	case kindTRNS:
		return w.transparency(length)
	case kindCICP, kindICCP, kindSRGB, kindGAMA, kindCHRM:
		return w.color(kind, length)
	case kindIHDR:
		return pngDamaged("it has two headers")
	case "acTL", "fcTL", "fdAT":
		return refuse(billing.FaultNotAllowed, "An animated PNG is not accepted; send one picture.")
	}
	if kind[0]&ancillaryBit == 0 {
		return pngDamaged("it has an unknown chunk that decoders must not skip")
	}
	return w.skip(length + 4)
}

func (w *chunkWalk) header() error {
	b, err := w.body(kindIHDR, 13)
	if err != nil {
		return err
	}
	width, height := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	depth, colour := int(b[8]), int(b[9])
	switch {
	case !legalDepth(depth, colour):
		return pngDamaged(fmt.Sprintf("color type %d with %d bits does not exist", colour, depth))
	case b[10] != 0 || b[11] != 0 || b[12] > 1:
		return pngDamaged("its compression, filter or interlace method does not exist")
	case width == 0 || height == 0:
		return pngDamaged("it has no pixels")
	case width > maxSide || height > maxSide:
		return refuse(billing.FaultRange, fmt.Sprintf(
			"The PNG is %d x %d pixels; a side may have at most 20,000.", width, height))
	case b[12] == 1 && width*height > maxInterlacedPixels:
		return refuse(billing.FaultRange, fmt.Sprintf(
			"The PNG is %d x %d pixels; an interlaced one may have at most 4 megapixels.", width, height))
	case width*height > maxPNGPixels:
		return refuse(billing.FaultRange, fmt.Sprintf(
			"The PNG is %d x %d pixels; it may have at most 20 megapixels.", width, height))
	}
	w.info = pngInfo{width: int(width), height: int(height), depth: depth, colour: colour, interlaced: b[12] == 1}
	return nil
}

// legalDepth reports whether a color type allows a bit depth (PNG
// specification, table 11.1).
func legalDepth(depth, colour int) bool {
	switch colour {
	case pngGrey:
		return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16
	case pngPalette:
		return depth == 1 || depth == 2 || depth == 4 || depth == 8
	case pngRGB, pngGreyAlpha, pngRGBA:
		return depth == 8 || depth == 16
	}
	return false
}

func (w *chunkWalk) palette(length int64) error {
	limit := int64(maxPalette)
	if w.info.colour == pngPalette {
		limit = 1 << w.info.depth
	}
	switch {
	case w.info.components() == 1:
		return pngDamaged("a grey picture has a palette")
	case w.info.palette != nil || w.info.transparency != nil || w.idat:
		return pngDamaged("its palette is not where it belongs")
	case length == 0 || length%3 != 0 || length/3 > limit:
		return pngDamaged("its palette has a wrong length")
	}
	b, err := w.body(kindPLTE, length)
	w.info.palette = bytes.Clone(b)
	return err
}

func (w *chunkWalk) transparency(length int64) error {
	var right bool
	switch w.info.colour {
	case pngGrey:
		right = length == 2
	case pngRGB:
		right = length == 6
	case pngPalette:
		right = length > 0 && length <= int64(len(w.info.palette)/3)
	}
	switch {
	case w.info.transparency != nil || w.idat:
		return pngDamaged("its transparency is not where it belongs")
	case !right:
		return pngDamaged("its transparency does not match its colors")
	}
	b, err := w.body(kindTRNS, length)
	w.info.transparency = bytes.Clone(b)
	return err
}

func (w *chunkWalk) pixels(length int64) error {
	switch {
	case w.idatOver:
		return pngDamaged("its pixel data is interrupted")
	case w.info.colour == pngPalette && w.info.palette == nil:
		return pngDamaged("its palette is missing")
	case !w.idat:
		w.idat, w.info.pixels = true, w.size-w.left-length-chunkOverhead
	}
	return w.whole(kindIDAT, length)
}

func (w *chunkWalk) end(length int64) error {
	switch {
	case length != 0:
		return pngDamaged("its last chunk is not empty")
	case !w.idat:
		return pngDamaged("it has no pixel data")
	}
	_, err := w.body(kindIEND, 0)
	return err
}

// body returns the content of a chunk that fits into the buffer, and checks its
// checksum.
func (w *chunkWalk) body(kind string, length int64) ([]byte, error) {
	b, err := w.r.Peek(int(length))
	if err != nil {
		return nil, err
	}
	return w.buf[:copy(w.buf[:], b)], w.whole(kind, length)
}

// whole skips the content of a chunk, and checks its checksum.
func (w *chunkWalk) whole(kind string, length int64) error {
	intact, err := w.intact(kind, length)
	if err == nil && !intact {
		err = pngDamaged("the checksum of a chunk is wrong")
	}
	return err
}

// intact skips the content of a chunk, and reports whether its checksum is
// correct.
func (w *chunkWalk) intact(kind string, length int64) (bool, error) {
	crc := crc32.ChecksumIEEE([]byte(kind))
	for length > 0 {
		b, err := w.r.Peek(int(min(length, pngBuffer)))
		if err != nil {
			return false, err
		}
		crc = crc32.Update(crc, crc32.IEEETable, b)
		length -= int64(len(b))
		if _, err := w.r.Discard(len(b)); err != nil {
			return false, err
		}
	}
	sum, err := w.r.Peek(4)
	if err != nil {
		return false, err
	}
	return binary.BigEndian.Uint32(sum) == crc, w.skip(4)
}

func (w *chunkWalk) skip(n int64) error {
	_, err := w.r.Discard(int(n))
	return err
}
