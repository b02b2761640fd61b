//go:build unix

package imagecodec_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSanitize measures the check and the rewriting of a photo of 20
// megapixels and some 10 MB, and what djpeg and exiftool need for the same
// file: the ratio is of CPU times, in the same run.
func BenchmarkSanitize(b *testing.B) {
	photo := noisyPhoto(b, 5000, 4000)
	b.Run("baseline", func(b *testing.B) { benchSanitize(b, photo) })
	b.Run("progressive", func(b *testing.B) {
		program, err := exec.LookPath("jpegtran")
		if err != nil {
			b.Log("jpegtran is not on PATH: it makes the progressive JPEG")
			return
		}
		c := exec.CommandContext(b.Context(), program, "-progressive")
		c.Stdin = bytes.NewReader(photo)
		progressive, err := c.Output()
		if err != nil {
			b.Fatal(err)
		}
		benchSanitize(b, progressive)
	})
}

func benchSanitize(b *testing.B, photo []byte) {
	b.Helper()
	codec := newCodec(b)
	b.SetBytes(int64(len(photo)))
	b.ReportAllocs()
	own := cpu(b, syscall.RUSAGE_SELF)
	for b.Loop() {
		p, err := codec.Sanitize(b.Context(), bytes.NewReader(photo), int64(len(photo)))
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Content.Close(); err != nil {
			b.Fatal(err)
		}
	}
	own = (cpu(b, syscall.RUSAGE_SELF) - own) / time.Duration(b.N)
	b.ReportMetric(float64(own.Microseconds())/1000, "cpu-ms/op")
	if programs := programsCPU(b, photo); programs > 0 {
		b.ReportMetric(float64(programs.Microseconds())/1000, "programs-cpu-ms")
		b.ReportMetric(float64(own)/float64(programs), "cpu-ratio")
	}
}

// programsCPU returns the CPU time of djpeg and exiftool for a photo: the least
// of three runs.
func programsCPU(b *testing.B, photo []byte) time.Duration {
	b.Helper()
	djpeg, err := exec.LookPath("djpeg")
	if err != nil {
		b.Log("djpeg is not on PATH: there is nothing to compare with")
		return 0
	}
	exiftool, err := exec.LookPath("exiftool")
	if err != nil {
		b.Log("exiftool is not on PATH: there is nothing to compare with")
		return 0
	}
	file := filepath.Join(b.TempDir(), "photo.jpg")
	if err := os.WriteFile(file, photo, 0o600); err != nil {
		b.Fatal(err)
	}
	least := time.Duration(0)
	for range 3 {
		clean := filepath.Join(b.TempDir(), "clean.jpg")
		before := cpu(b, syscall.RUSAGE_CHILDREN)
		for _, c := range []*exec.Cmd{
			exec.CommandContext(b.Context(), djpeg, "-pnm", "-outfile", os.DevNull, file),
			exec.CommandContext(b.Context(), exiftool, "-q", "-all=", "-o", clean, file),
		} {
			if out, err := c.CombinedOutput(); err != nil {
				b.Fatalf("%v: %v\n%s", c.Args, err, out)
			}
		}
		if spent := cpu(b, syscall.RUSAGE_CHILDREN) - before; least == 0 || spent < least {
			least = spent
		}
	}
	return least
}

// cpu returns the CPU time of a process, or of its children.
func cpu(b *testing.B, who int) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// noisyPhoto returns a JPEG with soft shapes and the noise of a sensor.
func noisyPhoto(b *testing.B, width, height int) []byte {
	b.Helper()
	m := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	r := rand.New(rand.NewPCG(1, 2))
	for y := range height {
		for x := range width {
			m.Y[y*m.YStride+x] = byte(60 + (x/37+y/53)%90 + r.IntN(42))
		}
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = byte(110+i/977%30+r.IntN(9)), byte(120+i/1373%20+r.IntN(9))
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 92}); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d bytes", out.Len())
	return out.Bytes()
}
