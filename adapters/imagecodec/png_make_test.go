package imagecodec

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// pngChunk writes one chunk with its checksum.
func pngChunk(kind string, content []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, kind...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// pngHeader writes an IHDR chunk.
func pngHeader(width, height uint32, depth, colour, interlace byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, width)
	b = binary.BigEndian.AppendUint32(b, height)
	return pngChunk("IHDR", append(b, depth, colour, 0, 0, interlace))
}

// deflated returns an IDAT chunk's content for b.
func deflated(tb testing.TB, b []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, err := w.Write(b)
	if err := errors.Join(err, w.Close()); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// pngFile joins chunks to a PNG.
func pngFile(chunks ...[]byte) []byte {
	return append([]byte("\x89PNG\r\n\x1a\n"), slices.Concat(chunks...)...)
}

func pngEnd() []byte { return pngChunk("IEND", nil) }

// tiny returns a valid PNG of 2 x 2 pixels of RGB, with the chunks before its
// pixels.
func tiny(tb testing.TB, before ...[]byte) []byte {
	tb.Helper()
	pixels := []byte{0, 255, 0, 0, 0, 255, 0, 1, 0, 0, 255, 9, 9, 9}
	return pngFile(pngHeader(2, 2, 8, pngRGB, 0), slices.Concat(before...), pngChunk("IDAT", deflated(tb, pixels)), pngEnd())
}

func newPNGCodec(tb testing.TB) *Codec {
	tb.Helper()
	c, err := New(Options{TempDir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// convertPNG returns the JPEG of a PNG, after checking the Picture.
func convertPNG(ctx context.Context, c *Codec, b []byte) ([]byte, error) {
	p, err := c.Convert(ctx, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(p.Content)
	if err := errors.Join(err, p.Content.Close()); err != nil {
		return nil, err
	}
	if int64(len(out)) != p.Size {
		return nil, fmt.Errorf("%d bytes of %d", len(out), p.Size)
	}
	return out, nil
}

// pngRefusal returns the message of a refusal. Any other error, and a refusal
// without a reason, fail the test.
func pngRefusal(tb testing.TB, err error) string {
	tb.Helper()
	e, ok := errors.AsType[*billing.Error](err)
	if !ok || e.Code != billing.CodeInvalidRequest || len(e.Faults) != 1 ||
		e.Faults[0].Field != "file" || e.Faults[0].Message == "" || e.Faults[0].Code == "" {
		tb.Fatalf("%v is not a refusal of the file", err)
	}
	return e.Faults[0].Message
}

// onWhite composites in floating point, as the reference.
func onWhite(m image.Image, x, y int) [3]float64 {
	c := color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
	alpha := float64(c.A) / 65535
	over := func(v uint16) float64 { return (float64(v)/65535*alpha + 1 - alpha) * 255 }
	return [3]float64{over(c.R), over(c.G), over(c.B)}
}

// painted returns a PNG of random flat blocks, with all filters in turn and the
// chunks after its header.
func painted(tb testing.TB, size image.Point, depth, colour, interlace byte, keyed bool, extra ...[]byte) []byte {
	tb.Helper()
	random := rand.New(rand.NewPCG(uint64(depth)<<8|uint64(colour), uint64(size.X*100+size.Y)))
	info := &pngInfo{width: size.X, height: size.Y, depth: int(depth), colour: int(colour)}
	samples, top := info.samples(), 1<<depth-1
	blocks := make([][]int, wholeBlocks(size.X)*wholeBlocks(size.Y)/64)
	for i := range blocks {
		blocks[i] = make([]int, samples)
		for s := range samples {
			blocks[i][s] = random.IntN(top + 1)
		}
		if keyed && i%3 == 0 {
			copy(blocks[i], blocks[0])
		}
	}
	at := func(x, y int) []int { return blocks[y/8*(wholeBlocks(size.X)/8)+x/8] }

	passes := []struct{ x, y, dx, dy int }{{0, 0, 1, 1}}
	if interlace == 1 {
		all := adam7()
		passes = all[:]
	}
	var raw []byte
	for _, pass := range passes {
		raw = append(raw, passRows(info, at, pass.x, pass.y, pass.dx, pass.dy)...)
	}
	if colour == pngPalette {
		palette := make([]byte, 3*(top+1))
		for i := range palette {
			palette[i] = byte(random.IntN(256))
		}
		extra = append(extra, pngChunk("PLTE", palette))
	}
	if keyed {
		extra = append(extra, pngChunk("tRNS", transparencyOf(colour, blocks[0])))
	}
	data := deflated(tb, raw)
	half := len(data) / 2
	return pngFile(pngHeader(uint32(size.X), uint32(size.Y), depth, colour, interlace), slices.Concat(extra...),
		pngChunk("IDAT", data[:half]), pngChunk("IDAT", nil), pngChunk("IDAT", data[half:]), pngEnd())
}

// transparencyOf makes a pixel transparent, or palette entries more and more.
func transparencyOf(colour byte, pixel []int) (b []byte) {
	if colour == pngPalette {
		return []byte{0, 128}
	}
	for _, value := range pixel {
		b = binary.BigEndian.AppendUint16(b, uint16(value))
	}
	return b
}

// passRows writes the rows of one pass, each with another filter.
func passRows(info *pngInfo, at func(x, y int) []int, left, top, dx, dy int) (raw []byte) {
	width := (info.width - left + dx - 1) / dx
	if width <= 0 {
		return nil
	}
	n, back := info.rowBytes(width), max(1, info.samples()*info.depth/8)
	above := make([]byte, n)
	filter := 0
	for y := top; y < info.height; y += dy {
		row, bit := make([]byte, n), 0
		for x := left; x < info.width; x += dx {
			for _, value := range at(x, y) {
				for b := info.depth - 1; b >= 0; b-- {
					row[bit/8] |= byte(value>>b&1) << (7 - bit%8)
					bit++
				}
			}
		}
		raw = append(raw, byte(filter))
		for i := range row {
			var l, c byte
			if i >= back {
				l, c = row[i-back], above[i-back]
			}
			predicted := [...]byte{0, l, above[i], byte((int(l) + int(above[i])) / 2), nearest(l, above[i], c)}
			raw = append(raw, row[i]-predicted[filter])
		}
		above, filter = row, (filter+1)%5
	}
	return raw
}

// nearest is the predictor of the fourth filter, written as in the
// specification.
func nearest(left, up, corner byte) byte {
	p := int(left) + int(up) - int(corner)
	best, distance := left, max(p-int(left), int(left)-p)
	for _, other := range []byte{up, corner} {
		if d := max(p-int(other), int(other)-p); d < distance {
			best, distance = other, d
		}
	}
	return best
}

// zlibBomb returns a zlib stream of 1 GB of zeros: the deflated form of 1 MB of
// them, repeated, because it refers to nothing before itself.
func zlibBomb(tb testing.TB) []byte {
	tb.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		tb.Fatal(err)
	}
	_, err = w.Write(make([]byte, 1<<20))
	if err := errors.Join(err, w.Flush()); err != nil {
		tb.Fatal(err)
	}
	return slices.Concat([]byte{0x78, 0xda}, bytes.Repeat(out.Bytes(), 1<<10), []byte{3, 0, 0xc0, 0x2d, 0, 1})
}
