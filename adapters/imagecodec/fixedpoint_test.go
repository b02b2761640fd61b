package imagecodec

import (
	"bytes"
	"image"
	"io"
	"os"
	"testing"
)

// wantFixedPoint checks that Sanitize returns a JPEG of Convert unchanged, so
// that an image that is downloaded and uploaded again is the same document.
func wantFixedPoint(t *testing.T, c *Codec, name string, converted []byte) {
	t.Helper()
	p, err := c.Sanitize(t.Context(), bytes.NewReader(converted), int64(len(converted)))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	again, err := io.ReadAll(p.Content)
	if err != nil || p.Content.Close() != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, converted) {
		t.Errorf("%s: %d bytes became %d others", name, len(converted), len(again))
	}
}

// TestConvertedIsFixedPoint tries pictures of every kind and many sizes, and
// those of the corpus.
func TestConvertedIsFixedPoint(t *testing.T) {
	t.Parallel()
	c := newPNGCodec(t)
	for side := 1; side < 60; side += 3 {
		for _, colour := range []byte{pngGrey, pngRGB, pngPalette, pngGreyAlpha, pngRGBA} {
			b := painted(t, image.Pt(side, 61-side), 8, colour, 0, false)
			out, err := convertPNG(t.Context(), c, b)
			if err != nil {
				t.Fatal(err)
			}
			wantFixedPoint(t, c, "a painted one", out)
		}
	}
	root := os.Getenv("MOLAR_CORPUS_DIR")
	if root == "" {
		t.Log("MOLAR_CORPUS_DIR is not set: no PNG of the corpus was converted")
		return
	}
	for _, test := range pngCorpus(t, root) {
		if out, err := convertPNG(t.Context(), c, test.content); err == nil {
			wantFixedPoint(t, c, test.path, out)
		}
	}
}
