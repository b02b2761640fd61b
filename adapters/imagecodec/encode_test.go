package imagecodec

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"
)

func TestPaethOfAllBytes(t *testing.T) {
	t.Parallel()
	for left := range 256 {
		for up := range 256 {
			for corner := range 256 {
				want := nearest(byte(left), byte(up), byte(corner))
				if got := paeth(left, up, corner); got != want {
					t.Fatalf("paeth(%d, %d, %d) = %d, not %d", left, up, corner, got, want)
				}
			}
		}
	}
}

func TestNarrowAllValues(t *testing.T) {
	t.Parallel()
	for value := range 1 << 16 {
		if got, want := narrow(uint16(value)), math.Round(float64(value)/257); float64(got) != want {
			t.Fatalf("%d became %d, not %v", value, got, want)
		}
	}
}

// TestTransform compares with the definition of the transform in floating
// point, for noise and for the blocks with the largest coefficients.
func TestTransform(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		var b, pixels block
		for i := range b {
			switch {
			case n < 64: // the signs of one wave
				b[i] = 127
				if cosine(i%8, n%8)*cosine(i/8, n/8) < 0 {
					b[i] = -128
				}
			default:
				b[i] = int32(random.IntN(256)) - 128
			}
		}
		pixels = b
		b.transform()
		for k, got := range b {
			want := 0.0
			for i, pixel := range pixels {
				want += float64(pixel) * cosine(i%8, k%8) * cosine(i/8, k/8)
			}
			if math.Abs(float64(got)-8*want) > 4 { // half of a value
				t.Fatalf("block %d, coefficient %d: %d, not %.2f", n, k, got, 8*want)
			}
		}
	}
}

// cosine returns the value at x of wave k, with length 1.
func cosine(x, k int) float64 {
	scale := 0.5
	if k == 0 {
		scale = math.Sqrt(0.125)
	}
	return scale * math.Cos(float64((2*x+1)*k)*math.Pi/16)
}

// TestQuantizer divides every possible coefficient by every step.
func TestQuantizer(t *testing.T) {
	t.Parallel()
	for step := 1; step <= 255; step++ {
		var steps [64]uint8
		for i := range steps {
			steps[i] = uint8(step)
		}
		q := newQuantizer(steps)
		for from := int32(-8400); from <= 8400; from += 64 {
			var b block
			var values [64]int32
			for i := range b {
				b[i] = from + int32(i)
			}
			present := q.quantize(&b, &values)
			for k, at := range zigzag() {
				want := int32(math.Round(float64(b[at]) / float64(8*step)))
				if values[k] != want || present>>k&1 == 1 != (want != 0) {
					t.Fatalf("%d / %d = %d, not %d", b[at], 8*step, values[k], want)
				}
			}
		}
	}
}

// TestEncoderNoise encodes noise with the most and the largest coefficients,
// and decodes it with image/jpeg.
func TestEncoderNoise(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, components := range []int{1, 3} {
		const width, height = 123, 64
		stride := wholeBlocks(width) * components
		pixels := make([]byte, stride*height)
		for i := range pixels {
			pixels[i] = byte(random.IntN(2)) * 255
			if i > len(pixels)/2 {
				pixels[i] = byte(random.IntN(256))
			}
		}
		var out bytes.Buffer
		e := newEncoder(&out, width, height, components)
		for top := 0; top < height; top += blockSide {
			if err := e.strip(pixels[top*stride : (top+8)*stride]); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.finish(); err != nil {
			t.Fatal(err)
		}
		m, err := jpeg.Decode(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		var squares float64
		for y := range height {
			for x := range width {
				got := onWhite(m, x, y)
				for c := range components {
					d := got[c] - float64(pixels[y*stride+x*components+c])
					squares += d * d
				}
			}
		}
		if rms := math.Sqrt(squares / (width * height) / float64(components)); rms > 5 {
			t.Errorf("%d components: off by %.2f", components, rms)
		}
	}
}

// TestEncoderBytes fixes the bytes of JPEGs: documents are compared by them.
func TestEncoderBytes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		depth, colour byte
		want          string
	}{
		"grey":   {8, pngGrey, "096bd2c5188a3e95"},
		"colour": {16, pngRGBA, "cc1015f54bff17a1"},
	}
	c := newPNGCodec(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := convertPNG(t.Context(), c, painted(t, image.Pt(99, 55), test.depth, test.colour, 0, false))
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(out)
			if got := hex.EncodeToString(sum[:8]); got != test.want {
				t.Errorf("%d bytes with the hash %s, not %s", len(out), got, test.want)
			}
		})
	}
}
