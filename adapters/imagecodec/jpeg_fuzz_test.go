package imagecodec_test

import (
	"bytes"
	"image/jpeg"
	"testing"
)

// FuzzSanitize checks that an accepted file looks the same before and after,
// holds nothing else, and is accepted again unchanged.
func FuzzSanitize(f *testing.F) {
	for _, b := range drawings(f) {
		f.Add(b)
	}
	f.Add(flat([3]byte{0, 0, 1}, [3]byte{1, 63, 2}, [3]byte{0, 0, 0x10}, [3]byte{1, 63, 0x21}, [3]byte{1, 63, 0x10}))
	codec := newCodec(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		after, err := sanitize(t, codec, b)
		if err != nil {
			if got := fault(err); got[:3] == "no " {
				t.Fatal(got)
			}
			return
		}
		if c, err := jpeg.DecodeConfig(bytes.NewReader(b)); err == nil && c.Width*c.Height > 1<<20 {
			return // image/jpeg allocates memory by its pixels
		}
		checkSame(t, codec, "it", b, after)
	})
}
