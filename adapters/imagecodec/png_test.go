package imagecodec

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// TestConvertColours paints every kind of PNG with flat blocks of 8 x 8 pixels,
// which a JPEG keeps to within rounding, and compares the result with
// image/png's.
func TestConvertColours(t *testing.T) {
	t.Parallel()
	c := newPNGCodec(t)
	kinds := []struct {
		colour byte
		depths []byte
	}{
		{pngGrey, []byte{1, 2, 4, 8, 16}},
		{pngRGB, []byte{8, 16}},
		{pngPalette, []byte{1, 2, 4, 8}},
		{pngGreyAlpha, []byte{8, 16}},
		{pngRGBA, []byte{8, 16}},
	}
	sizes := []image.Point{{1, 1}, {2, 1}, {1, 5}, {3, 3}, {8, 8}, {9, 7}, {16, 24}, {33, 17}, {40, 41}}
	for _, kind := range kinds {
		for _, depth := range kind.depths {
			for _, interlace := range []byte{0, 1} {
				for _, keyed := range []bool{false, true} {
					if keyed && (kind.colour == pngGreyAlpha || kind.colour == pngRGBA) {
						continue // has alpha of its own
					}
					t.Run(fmt.Sprintf("colour %d, %d bits, interlace %d, tRNS %v", kind.colour, depth, interlace, keyed), func(t *testing.T) {
						t.Parallel()
						for _, size := range sizes {
							b := painted(t, size, depth, kind.colour, interlace, keyed)
							compareWithStandard(t, c, b, size)
						}
					})
				}
			}
		}
	}
}

func compareWithStandard(t *testing.T, c *Codec, b []byte, size image.Point) {
	t.Helper()
	want, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%v: image/png: %v", size, err)
	}
	out, err := convertPNG(t.Context(), c, b)
	if err != nil {
		t.Fatalf("%v: %v", size, err)
	}
	again, err := convertPNG(t.Context(), c, b)
	if err != nil || !bytes.Equal(out, again) {
		t.Fatalf("%v: another JPEG the second time (%v)", size, err)
	}
	got, err := jpeg.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("%v: image/jpeg: %v", size, err)
	}
	if got.Bounds() != want.Bounds() {
		t.Fatalf("%v became %v", size, got.Bounds())
	}
	switch m := got.(type) {
	case *image.Gray:
		if b[25] != pngGrey && b[25] != pngGreyAlpha {
			t.Errorf("colour type %d became grey", b[25])
		}
	case *image.YCbCr:
		if m.SubsampleRatio != image.YCbCrSubsampleRatio444 || b[25] == pngGrey || b[25] == pngGreyAlpha {
			t.Errorf("colour type %d became %v", b[25], m.SubsampleRatio)
		}
	}
	for y := range size.Y {
		for x := range size.X {
			w, g := onWhite(want, x, y), onWhite(got, x, y)
			for i := range w {
				if d := w[i] - g[i]; d > 3 || d < -3 {
					t.Fatalf("%v: at %d,%d: %v became %v", size, x, y, w, g)
				}
			}
		}
	}
}

func TestCheckPNGRefuses(t *testing.T) {
	t.Parallel()
	c := newPNGCodec(t)
	data := pngChunk("IDAT", deflated(t, []byte{0, 255, 0, 0, 0, 255, 0, 1, 0, 0, 255, 9, 9, 9}))
	two := pngHeader(2, 2, 8, pngRGB, 0)
	corrupt := func(b []byte, at int) []byte { b = bytes.Clone(b); b[at] ^= 0x10; return b }
	long := binary.BigEndian.AppendUint32(nil, 1<<31)
	tests := map[string]struct {
		png  []byte
		says string
	}{
		"nothing":              {nil, "signature"},
		"a JPEG":               {[]byte("\xff\xd8\xff\xe0\x00\x10JFIF"), "signature"},
		"signature alone":      {pngFile(), "ends before"},
		"no header":            {pngFile(data, pngEnd()), "header"},
		"long header":          {pngFile(pngChunk("IHDR", make([]byte, 14)), data, pngEnd()), "header"},
		"header checksum":      {corrupt(pngFile(two, data, pngEnd()), 30), "checksum"},
		"colour type 5":        {pngFile(pngHeader(2, 2, 8, 5, 0), data, pngEnd()), "color type 5"},
		"palette of 16 bits":   {pngFile(pngHeader(2, 2, 16, pngPalette, 0), data, pngEnd()), "16 bits"},
		"RGB of 4 bits":        {pngFile(pngHeader(2, 2, 4, pngRGB, 0), data, pngEnd()), "4 bits"},
		"interlace 2":          {pngFile(pngHeader(2, 2, 8, pngRGB, 2), data, pngEnd()), "interlace"},
		"no width":             {pngFile(pngHeader(0, 2, 8, pngRGB, 0), data, pngEnd()), "no pixels"},
		"no height":            {pngFile(pngHeader(2, 0, 8, pngRGB, 0), data, pngEnd()), "no pixels"},
		"too wide":             {pngFile(pngHeader(20_001, 1, 8, pngRGB, 0), data, pngEnd()), "20,000"},
		"too high":             {pngFile(pngHeader(1, 20_001, 8, pngRGB, 0), data, pngEnd()), "20,000"},
		"largest number":       {pngFile(pngHeader(1<<32-1, 1<<32-1, 8, pngRGB, 0), data, pngEnd()), "20,000"},
		"too large":            {pngFile(pngHeader(5000, 4001, 8, pngRGB, 0), data, pngEnd()), "20 megapixels"},
		"too large interlaced": {pngFile(pngHeader(2000, 2001, 8, pngRGB, 1), data, pngEnd()), "4 megapixels"},
		"two headers":          {pngFile(two, two, data, pngEnd()), "two headers"},
		"no pixels":            {pngFile(two, pngEnd()), "no pixel data"},
		"no end":               {pngFile(two, data), "ends before"},
		"end with content":     {pngFile(two, data, pngChunk("IEND", []byte{0})), "not empty"},
		"interrupted pixels":   {pngFile(two, data, pngChunk("tEXt", nil), data, pngEnd()), "interrupted"},
		"pixels' checksum":     {corrupt(pngFile(two, data, pngEnd()), 33+len(data)-1), "checksum"},
		"length beyond":        {pngFile(two, long, []byte("tEXt")), "within a chunk"},
		"kind of no letters":   {pngFile(two, pngChunk("a1bc", nil), data, pngEnd()), "between its chunks"},
		"unknown and critical": {pngFile(two, pngChunk("ABCD", nil), data, pngEnd()), "unknown chunk"},
		"animated":             {tiny(t, pngChunk("acTL", make([]byte, 8))), "animated"},
		"frame control":        {tiny(t, pngChunk("fcTL", make([]byte, 26))), "animated"},
		"animated after":       {pngFile(two, data, pngChunk("fdAT", make([]byte, 9)), pngEnd()), "animated"},
		"palette missing":      {pngFile(pngHeader(2, 2, 8, pngPalette, 0), data, pngEnd()), "palette is missing"},
		"palette late":         {pngFile(two, data, pngChunk("PLTE", make([]byte, 3)), pngEnd()), "palette"},
		"palette twice":        {tiny(t, pngChunk("PLTE", make([]byte, 3)), pngChunk("PLTE", make([]byte, 3))), "palette"},
		"palette of grey":      {pngFile(pngHeader(2, 2, 8, pngGrey, 0), pngChunk("PLTE", make([]byte, 3)), data, pngEnd()), "grey"},
		"palette empty":        {tiny(t, pngChunk("PLTE", nil)), "palette"},
		"palette of 4 bytes":   {tiny(t, pngChunk("PLTE", make([]byte, 4))), "palette"},
		"palette of 257":       {tiny(t, pngChunk("PLTE", make([]byte, 771))), "palette"},
		"palette of 3 in 1":    {pngFile(pngHeader(2, 2, 1, pngPalette, 0), pngChunk("PLTE", make([]byte, 9)), data, pngEnd()), "palette"},
		"tRNS of RGB":          {tiny(t, pngChunk("tRNS", make([]byte, 2))), "transparency"},
		"tRNS of RGBA":         {pngFile(pngHeader(2, 2, 8, pngRGBA, 0), pngChunk("tRNS", make([]byte, 2)), data, pngEnd()), "transparency"},
		"tRNS twice":           {tiny(t, pngChunk("tRNS", make([]byte, 6)), pngChunk("tRNS", make([]byte, 6))), "transparency"},
		"tRNS late":            {pngFile(two, data, pngChunk("tRNS", make([]byte, 6)), pngEnd()), "transparency"},
		"tRNS checksum":        {tiny(t, corrupt(pngChunk("tRNS", make([]byte, 6)), 17)), "checksum"},
		"tRNS without palette": {pngFile(pngHeader(2, 2, 8, pngPalette, 0), pngChunk("tRNS", []byte{0}), data, pngEnd()), "transparency"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			size := int64(len(test.png))
			checked := pngRefusal(t, c.CheckPNG(t.Context(), bytes.NewReader(test.png), size))
			if !strings.Contains(checked, test.says) {
				t.Errorf("%q does not say %q", checked, test.says)
			}
			_, err := convertPNG(t.Context(), c, test.png)
			if converted := pngRefusal(t, err); converted != checked {
				t.Errorf("Convert says %q, CheckPNG %q", converted, checked)
			}
		})
	}
}

func TestConvertRefusesPixels(t *testing.T) {
	t.Parallel()
	c := newPNGCodec(t)
	two, right := pngHeader(2, 2, 8, pngRGB, 0), []byte{0, 255, 0, 0, 0, 255, 0, 1, 0, 0, 255, 9, 9, 9}
	good := deflated(t, right)
	noSum := bytes.Clone(good)
	noSum[len(noSum)-1] ^= 1
	tests := map[string]struct {
		data []byte
		says string
	}{
		"empty":           {nil, "damaged or incomplete"},
		"not zlib":        {[]byte("0123456789"), "damaged or incomplete"},
		"a byte short":    {deflated(t, right[:13]), "damaged or incomplete"},
		"a byte more":     {deflated(t, append(bytes.Clone(right), 0)), "more pixel data"},
		"1 GB":            {zlibBomb(t), "more pixel data"},
		"filter 5":        {deflated(t, append([]byte{5}, right[1:]...)), "row filter"},
		"wrong checksum":  {noSum, "damaged or incomplete"},
		"no checksum":     {good[:len(good)-4], "damaged or incomplete"},
		"with dictionary": {append([]byte{0x78, 0xbb}, good[2:]...), "damaged or incomplete"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := pngFile(two, pngChunk("IDAT", test.data), pngEnd())
			if err := c.CheckPNG(t.Context(), bytes.NewReader(b), int64(len(b))); err != nil {
				t.Errorf("CheckPNG decodes: %v", err)
			}
			_, err := convertPNG(t.Context(), c, b)
			if says := pngRefusal(t, err); !strings.Contains(says, test.says) {
				t.Errorf("%q does not say %q", says, test.says)
			}
		})
	}
}

// TestConvertPassesOver inserts chunks that are not part of the picture: none
// of them is inflated, checked or kept.
func TestConvertPassesOver(t *testing.T) {
	t.Parallel()
	c := newPNGCodec(t)
	bare, err := convertPNG(t.Context(), c, tiny(t))
	if err != nil {
		t.Fatal(err)
	}
	wrong := pngChunk("tEXt", []byte("Comment\x00damaged"))
	wrong[len(wrong)-1]++
	huge := zlibBomb(t)
	tests := map[string][]byte{
		"text and profile bombs": tiny(t, pngChunk("zTXt", append([]byte("a\x00\x00"), huge...)),
			pngChunk("iTXt", append([]byte("a\x00\x01\x00\x00\x00"), huge...)), pngChunk("iCCP", append([]byte("a\x00\x00"), huge...))),
		"wrong checksum of text":  tiny(t, wrong),
		"EXIF":                    tiny(t, pngChunk("eXIf", []byte("II*\x00"))),
		"a palette of suggestion": tiny(t, pngChunk("PLTE", make([]byte, 3))),
		"bytes after the end":     append(tiny(t), "PK\x03\x04 and more"...),
		"a second picture":        append(tiny(t), tiny(t)...),
		"bytes after the pixels": pngFile(pngHeader(2, 2, 8, pngRGB, 0),
			pngChunk("IDAT", append(deflated(t, []byte{0, 255, 0, 0, 0, 255, 0, 1, 0, 0, 255, 9, 9, 9}), "hidden"...)), pngEnd()),
	}
	for name, b := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := convertPNG(t.Context(), c, b)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out, bare) {
				t.Error("another JPEG than without it")
			}
		})
	}
}

func TestPNGTruncatedAndFlipped(t *testing.T) {
	t.Parallel()
	c := newPNGCodec(t)
	whole := painted(t, image.Pt(9, 7), 4, pngPalette, 1, true)
	for n := range whole {
		_, err := convertPNG(t.Context(), c, whole[:n])
		pngRefusal(t, err)
	}
	flips := 0
	for bit := range 8 * len(whole) {
		b := bytes.Clone(whole)
		b[bit/8] ^= 1 << (bit % 8)
		out, err := convertPNG(t.Context(), c, b)
		if err != nil {
			pngRefusal(t, err)
			continue
		}
		flips++ // nothing that a checksum covers, or a chunk became another that may be skipped
		if _, err := jpeg.Decode(bytes.NewReader(out)); err != nil {
			t.Errorf("bit %d: %v", bit, err)
		}
	}
	if flips > 64 {
		t.Errorf("%d of %d flipped bits were accepted", flips, 8*len(whole))
	}
}

// failingReader fails after some bytes, or calls a function when it is read.
type failingReader struct {
	r      io.ReaderAt
	failAt int64
	read   func()
}

var errPNGDisk = errors.New("the disk is gone")

func (r *failingReader) ReadAt(p []byte, off int64) (int, error) {
	if r.read != nil {
		r.read()
	}
	if off+int64(len(p)) > r.failAt {
		return 0, errPNGDisk
	}
	return r.r.ReadAt(p, off)
}

func TestPNGServiceFaults(t *testing.T) {
	t.Parallel()
	c := newPNGCodec(t)
	random := rand.NewChaCha8([32]byte{})
	raw := make([]byte, 1000*1001)
	_, _ = random.Read(raw)
	for y := range 1000 {
		raw[y*1001] = 0
	}
	b := pngFile(pngHeader(1000, 1000, 8, pngGrey, 0), pngChunk("IDAT", deflated(t, raw)), pngEnd())
	size := int64(len(b))

	err := c.CheckPNG(t.Context(), &failingReader{r: bytes.NewReader(b), failAt: 100_000}, size)
	if !errors.Is(err, errPNGDisk) || billing.CodeOf(err) != billing.CodeInternal {
		t.Errorf("CheckPNG of a failing disk: %v", err)
	}
	reads, inspection := 0, 0
	if err := c.CheckPNG(t.Context(), &failingReader{bytes.NewReader(b), size, func() { inspection++ }}, size); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = c.Convert(ctx, &failingReader{bytes.NewReader(b), size, func() {
		if reads++; reads == inspection+2 { // the pixels are being decoded
			cancel()
		}
	}}, size)
	if !errors.Is(err, context.Canceled) || billing.CodeOf(err) != billing.CodeInternal {
		t.Errorf("Convert of a cancelled request: %v", err)
	}
	if reads > inspection+3 {
		t.Errorf("went on for %d reads", reads-inspection)
	}
}

// fullDisk accepts some bytes and no more.
type fullDisk struct{ room int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, errPNGDisk
	}
	return len(p), nil
}

// TestPNGDiskFull has the encoder fail at once, in the middle and at the end:
// the decoder, however far ahead, stops too.
func TestPNGDiskFull(t *testing.T) {
	t.Parallel()
	for _, interlace := range []byte{0, 1} {
		b := painted(t, image.Pt(40, 400), 8, pngRGB, interlace, false)
		out, err := convertPNG(t.Context(), newPNGCodec(t), b)
		if err != nil {
			t.Fatal(err)
		}
		size := int64(len(b))
		info, err := inspectPNG(t.Context(), bytes.NewReader(b), size)
		if err != nil {
			t.Fatal(err)
		}
		for room := len(out) - 1; room >= 0; room -= 211 {
			err := transcode(t.Context(), info, bytes.NewReader(b), size, &fullDisk{room})
			if !errors.Is(err, errPNGDisk) {
				t.Fatalf("with room for %d of %d bytes: %v", room, len(out), err)
			}
		}
	}
}
