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
}

// summed gives every chunk the checksum that it should have, so that a fuzzer
// comes past them.
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

// FuzzCheckPNG finds no input that is an error of the service.
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

// FuzzConvert finds no input that is an error of the service, and no JPEG that
// is not as large as its PNG or that does not decode.
func FuzzConvert(f *testing.F) {
	seedPNGs(f)
	c := newPNGCodec(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, summed(b)} {
			info, err := inspectPNG(t.Context(), bytes.NewReader(b), int64(len(b)))
			if err == nil && info.width*info.height > 1<<16 {
				continue // as right as a small one, and slow
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
		}
	})
}
