package imagecodec

import (
	"bytes"
	"testing"
)

// BenchmarkThumbnail makes the thumbnail of a film and of a photograph of 20
// megapixels.
func BenchmarkThumbnail(b *testing.B) {
	c := newPNGCodec(b)
	photo, err := convertPNG(b.Context(), c, photograph(b))
	if err != nil {
		b.Fatal(err)
	}
	for name, content := range map[string][]byte{"film 1.5 MP": radiograph(b, 1400, 1100), "photo 20 MP": photo} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, err := c.Thumbnail(b.Context(), bytes.NewReader(content))
				if err != nil {
					b.Fatal(err)
				}
				_ = p.Content.Close()
			}
		})
	}
}
