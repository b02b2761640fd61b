package imagecodec

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"io"
	"testing"
)

// seedPNGs are small pictures of every kind, and some that are refused.
func seedPNGs(f *testing.F) {
	f.Helper()
	for _, depth := range []byte{1, 2, 4, 8, 16} {
		for _, colour := range []byte{pngGrey, pngRGB, pngPalette, pngGreyAlpha, pngRGBA} {
			if legalDepth(int(depth), int(colour)) {
				f.Add(painted(f, image.Pt(9, 3), depth, colour, depth&1, colour < pngGreyAlpha))
				f.Add(painted(f, image.Pt(5, 9), depth, colour, 1, false))
			}
		}
	}
	f.Add(tiny(f, pngChunk("tEXt", []byte("a\x00b"))))
	f.Add(tiny(f, pngChunk("acTL", make([]byte, 8))))
	f.Add(pngFile(pngHeader(20_000, 20_000, 16, pngRGBA, 0)))
	f.Add(tiny(f)[:60])
	f.Add(tiny(f, gamaChunk(100_000), adobeChrm()))
	f.Add(tiny(f, pngChunk(kindSRGB, []byte{0}), pngChunk(kindCICP, []byte{12, 8, 0, 1})))
	f.Add(painted(f, image.Pt(9, 3), 16, pngRGBA, 0, false, iccChunk(f, iccRGB(2, true, iccSampled(0x233)))))
	f.Add(painted(f, image.Pt(9, 3), 8, pngGreyAlpha, 0, false, iccChunk(f, iccGrey(4, srgbCurve()))))
}

// summed sets the correct checksum of every chunk, so that a fuzzer gets past
// the checksums.
func summed(b []byte) []byte {
	out := bytes.NewBuffer(nil)
	if len(b) < len(pngSignature) {
		return b
	}
	out.Write(b[:len(pngSignature)])
	for b = b[len(pngSignature):]; len(b) >= chunkOverhead; {
		length := int64(binary.BigEndian.Uint32(b))
		if length > int64(len(b)-chunkOverhead) {
			break
		}
		out.Write(pngChunk(string(b[4:8]), b[8:8+length]))
		b = b[chunkOverhead+length:]
	}
	out.Write(b)
	return out.Bytes()
}

// FuzzCheckPNG checks that no input causes an internal error.
func FuzzCheckPNG(f *testing.F) {
	seedPNGs(f)
	c := newPNGCodec(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, summed(b)} {
			if err := c.CheckPNG(t.Context(), bytes.NewReader(b), int64(len(b))); err != nil {
				pngRefusal(t, err)
			}
		}
	})
}

// FuzzConvert checks that no input causes an internal error, and that every
// JPEG decodes and is as large as its PNG.
func FuzzConvert(f *testing.F) {
	seedPNGs(f)
	c := newPNGCodec(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, summed(b)} {
			info, err := inspectPNG(t.Context(), bytes.NewReader(b), int64(len(b)))
			if err == nil && info.width*info.height > 1<<16 {
				continue // as correct as a small one, and slow
			}
			p, failed := c.Convert(t.Context(), bytes.NewReader(b), int64(len(b)))
			if failed != nil {
				pngRefusal(t, failed)
				continue
			}
			if err != nil {
				t.Fatalf("converted what was refused: %v", err)
			}
			out, err := io.ReadAll(p.Content)
			if err != nil || p.Content.Close() != nil {
				t.Fatal(err)
			}
			m, err := jpeg.Decode(bytes.NewReader(out))
			if err != nil {
				t.Fatal(err)
			}
			if m.Bounds() != image.Rect(0, 0, info.width, info.height) {
				t.Fatalf("%d x %d became %v", info.width, info.height, m.Bounds())
			}
			wantFixedPoint(t, c, "it", out)
		}
	})
}

// FuzzICCProfile checks that no profile causes an internal error, moves black
// or white far, or converts a sample to a value that does not fit into a byte.
func FuzzICCProfile(f *testing.F) {
	for _, trc := range [][]byte{
		srgbCurve(), iccSampled(), iccSampled(0x233), iccSampled(0, 900, 65_535),
		iccParametric(0, 2.2), iccParametric(1, 2.2, 0.95, 0.05), iccParametric(2, 2.2, 0.95, 0.05, 0.01),
		iccParametric(4, 2.2, 0.9, 0.05, 0.1, 0.1, 0.04, 0.002), iccParametric(1, 1, 0, 0), iccParametric(0, -32_768),
	} {
		f.Add(iccRGB(2, true, trc))
		f.Add(iccGrey(4, trc))
	}
	f.Add(iccFile(2, "CMYK", "Lab "))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, components := range []int{1, 3} {
			space := iccProfile(b, components)
			if space == nil {
				continue
			}
			c := newConverter(space, components)
			if c == nil {
				continue
			}
			var pixel [3]byte
			for _, v := range []uint16{0, 1, most / 2, most} {
				c.convert(pixel[:components], &[3]uint16{v, v, v})
			}
			for i, value := range pixel[:components] {
				if value < 240 {
					t.Fatalf("component %d of white became %d", i, value)
				}
			}
		}
	})
}
