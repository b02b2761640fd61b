package imagecodec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/jpeg"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// leastLikeness is the minimum likeness to ImageMagick's result, in dB.
const leastLikeness = 33

// TestPNGLikeImageMagick compares every accepted PNG of the corpus with
// ImageMagick's flatten. ImageMagick treats a gamma above 0.75 as 1.0 and
// ignores any other, and converts by a profile only on request. Where it lacks
// the calculation of the PNG specification, the test passes that to it.
func TestPNGLikeImageMagick(t *testing.T) {
	t.Parallel()
	root := os.Getenv("MOLAR_CORPUS_DIR")
	if root == "" {
		t.Log("MOLAR_CORPUS_DIR is not set: no PNG of the corpus was compared")
		return
	}
	convert := imageMagick(t)
	if convert == "" {
		return
	}
	c, folder := newPNGCodec(t), t.TempDir()
	target := filepath.Join(folder, "srgb.icc")
	if err := os.WriteFile(target, srgbProfile(), 0o600); err != nil {
		t.Fatal(err)
	}
	compared, plain, least := 0, 0, math.Inf(1)
	for _, test := range pngCorpus(t, root) {
		out, err := convertPNG(t.Context(), c, test.content)
		if err != nil {
			continue // TestPNGCorpus checks verdicts
		}
		args := howImageMagickConverts(test.content, target)
		if len(args) == 0 {
			plain++
		}
		file := filepath.Join(root, "images", test.path)
		got := likeness(t, out, flattened(t, convert, file, args...))
		compared++
		if least = min(least, got); got < leastLikeness {
			t.Errorf("%s: %.1f dB (%q)", test.path, got, args)
		}
	}
	t.Logf("%d PNGs are at least %.1f dB like ImageMagick's, %d of them without a calculation of its own", compared, least, plain)
}

// imageMagick returns the program, or logs that it is not installed.
func imageMagick(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"magick", "convert-im6.q16", "convert"} {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if says, err := exec.CommandContext(t.Context(), program, "-version").Output(); err == nil && bytes.Contains(says, []byte("Version: ImageMagick")) {
			return program
		}
	}
	t.Log("ImageMagick is not on PATH: nothing was compared with it")
	return ""
}

// flattened returns ImageMagick's picture of a PNG on white, RGB of 8 bits;
// args come after the flattening.
func flattened(t *testing.T, program, file string, args ...string) []byte {
	t.Helper()
	all := append([]string{"png:" + file, "-background", "white", "-flatten"}, args...)
	raw, err := exec.CommandContext(t.Context(), program, append(all, "-depth", "8", "rgb:-")...).Output()
	if err != nil && len(raw) == 0 { // a warning has an exit code too
		t.Fatalf("%s: %q: %v", file, all, err)
	}
	return raw
}

// howImageMagickConverts returns the arguments that follow -flatten for a PNG.
func howImageMagickConverts(b []byte, target string) []string {
	chunks := make(map[string][]byte)
	for at := len(pngSignature); at+chunkOverhead <= len(b); {
		length := int(binary.BigEndian.Uint32(b[at:]))
		kind := string(b[at+4 : at+8])
		if kind == kindPLTE || kind == kindIDAT || length > len(b)-at-chunkOverhead {
			break
		}
		chunks[kind] = b[at+8 : at+8+length]
		at += chunkOverhead + length
	}
	switch gama := chunks[kindGAMA]; {
	case chunks[kindICCP] != nil:
		return []string{"-profile", target}
	case chunks[kindSRGB] != nil || gama == nil:
		return nil
	default:
		gamma := float64(binary.BigEndian.Uint32(gama)) / pngFraction
		if gamma == 1 || gamma >= 0.45 && gamma <= 0.46 {
			return nil
		}
		return []string{"-set", "colorspace", "RGB", "-evaluate", "Pow", fmt.Sprint(1 / gamma), "-colorspace", "sRGB"}
	}
}

// likeness returns the peak signal-to-noise ratio of a JPEG to RGB of 8 bits,
// in dB.
func likeness(t *testing.T, out, raw []byte) float64 {
	t.Helper()
	m, err := jpeg.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	size := m.Bounds().Size()
	if len(raw) != 3*size.X*size.Y {
		t.Fatalf("%d bytes for %v pixels", len(raw), size)
	}
	squares := 0.0
	for i, want := range raw {
		d := onWhite(m, i/3%size.X, i/3/size.X)[i%3] - float64(want)
		squares += d * d
	}
	return 10 * math.Log10(255*255*float64(len(raw))/squares)
}
