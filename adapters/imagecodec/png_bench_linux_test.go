//go:build !race

package imagecodec

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// photograph returns a PNG of 20 megapixels of RGBA, just below the 15 MB of an
// upload: gradients, an edge, some noise, and more transparency to the right.
func photograph(b *testing.B) []byte {
	b.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 5000, 4000))
	noise := uint32(1)
	for y := range 4000 {
		for x := range 5000 {
			noise = noise*1664525 + 1013904223
			fx, fy, grain := float64(x), float64(y), noise>>31
			v := 128 + 60*math.Sin(fx/310)*math.Cos(fy/270) + 40*math.Sin((fx+fy)/97)
			if math.Hypot(fx-2500, fy-2000) < 1200 {
				v = 255 - v
			}
			m.SetNRGBA(x, y, color.NRGBA{
				R: byte(uint32(v) + grain), G: byte(uint32(v*0.9) + grain), B: byte(uint32(v*0.7) + 20 + grain),
				A: byte(255 - x/500*5),
			})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// BenchmarkConvertPNGColors measures the same photograph with and without chunks
// about color.
func BenchmarkConvertPNGColors(b *testing.B) {
	content := photograph(b)
	for name, chunks := range map[string][][]byte{
		"none": nil, "gamma": {gamaChunk(100_000)}, "profile": {iccChunk(b, iccRGB(2, true, iccSampled(0x233)))},
	} {
		b.Run(name, func(b *testing.B) {
			c, path := newPNGCodec(b), filepath.Join(b.TempDir(), "photograph")
			if err := os.WriteFile(path, withChunks(content, chunks...), 0o600); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if says := convertFile(b, c, path); says != "ok" {
					b.Fatal(says)
				}
			}
		})
	}
}

// BenchmarkConvertPNG reports the wall time against that of vips and of the
// standard library in the same run, and the memory of a process that does
// nothing else.
func BenchmarkConvertPNG(b *testing.B) {
	c, content := newPNGCodec(b), photograph(b)
	folder := b.TempDir()
	path := filepath.Join(folder, "photograph")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		b.Fatal(err)
	}
	vips, missing := exec.LookPath("vips")
	var own, other, standard time.Duration
	for b.Loop() {
		own += timed(func() {
			if says := convertFile(b, c, path); says != "ok" {
				b.Fatal(says)
			}
		})
		b.StopTimer()
		if missing == nil {
			other += timed(func() {
				if err := exec.CommandContext(b.Context(), vips, "copy", path, filepath.Join(b.TempDir(), "out.jpg[Q=95]")).Run(); err != nil {
					b.Fatal(err)
				}
			})
		}
		standard += timed(func() { convertWhole(b, content) })
		b.StartTimer()
	}
	if missing == nil {
		b.ReportMetric(own.Seconds()/other.Seconds(), "x-vips")
	} else {
		b.Log("vips is not on PATH: no comparison with it")
	}
	b.ReportMetric(own.Seconds()/standard.Seconds(), "x-image/png+jpeg")
	b.ReportMetric(float64(limited(b, folder).Resident)/1024, "MiB-resident")
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// convertWhole converts with the standard library: a whole picture, in 4:2:0.
func convertWhole(b *testing.B, content []byte) {
	b.Helper()
	m, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		b.Fatal(err)
	}
	white := image.NewRGBA(m.Bounds())
	draw.Draw(white, white.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(white, white.Bounds(), m, image.Point{}, draw.Over)
	if err := jpeg.Encode(io.Discard, white, &jpeg.Options{Quality: jpegQuality}); err != nil {
		b.Fatal(err)
	}
}
