package imagecodec

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// thumbnailOf returns the thumbnail of a JPEG that Sanitize wrote, decoded.
func thumbnailOf(tb testing.TB, c *Codec, stored []byte) (m image.Image, content []byte) {
	tb.Helper()
	p, err := c.Thumbnail(tb.Context(), bytes.NewReader(stored))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = p.Content.Close() }() // was only read
	content, err = io.ReadAll(p.Content)
	if err != nil || int64(len(content)) != p.Size {
		tb.Fatalf("%d bytes of %d: %v", len(content), p.Size, err)
	}
	if m, err = jpeg.Decode(bytes.NewReader(content)); err != nil {
		tb.Fatal(err)
	}
	return m, content
}

// stored returns what Sanitize makes of a JPEG, or nil if it refuses it.
func stored(tb testing.TB, c *Codec, b []byte) []byte {
	tb.Helper()
	p, err := c.Sanitize(tb.Context(), bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil
	}
	defer func() { _ = p.Content.Close() }() // was only read
	content, err := io.ReadAll(p.Content)
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

// files returns JPEGs by their names.
func files(tb testing.TB, pattern string) map[string][]byte {
	tb.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		tb.Fatal(err)
	}
	all := make(map[string][]byte)
	for _, name := range names {
		if all[name], err = os.ReadFile(name); err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

// radiograph is a grey picture of soft shapes and sharp edges.
func radiograph(tb testing.TB, width, height int) []byte {
	tb.Helper()
	m, noise := image.NewGray(image.Rect(0, 0, width, height)), rand.New(rand.NewPCG(1, 2))
	for y := range height {
		for x := range width {
			fx, fy := float64(x)/float64(width), float64(y)/float64(width)
			v := 90 + 60*math.Sin(fx*9)*math.Cos(fy*7)
			if math.Hypot(math.Mod(fx*6, 1)-0.5, fy*3-0.7) < 0.3 {
				v += 80
			}
			m.Pix[y*m.Stride+x] = byte(v) + byte(noise.IntN(9))
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 92}); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func TestThumbnailSize(t *testing.T) {
	t.Parallel()
	c := newPNGCodec(t)
	for size, want := range map[image.Point]image.Point{
		{1400, 1100}: {320, 251}, {3000, 1500}: {320, 160}, {1500, 3000}: {160, 320}, {100, 7}: {100, 7}, {320, 320}: {320, 320},
		{2559, 3}: {320, 1}, {20_000, 1}: {320, 1}, {1, 1}: {1, 1}, {321, 320}: {320, 319}, {2561, 2553}: {320, 319},
	} {
		m, _ := thumbnailOf(t, c, stored(t, c, radiograph(t, size.X, size.Y)))
		if _, grey := m.(*image.Gray); m.Bounds().Size() != want || !grey {
			t.Errorf("%v became %v, a %T", size, m.Bounds().Size(), m)
		}
	}
}

// TestAverages compares the averages of the blocks with those of the pixels
// that image/jpeg decodes, in JPEGs of every kind.
func TestAverages(t *testing.T) {
	t.Parallel()
	c, compared := newPNGCodec(t), 0
	for name, b := range files(t, "testdata/jpeg/*.jpg") {
		content := stored(t, c, b)
		if content == nil {
			continue
		}
		src := bytes.NewReader(content)
		config, err := jpeg.DecodeConfig(bytes.NewReader(content))
		if err != nil {
			continue // a rare sampling
		}
		pixels, err := c.pixels(t.Context(), src, src.Size(), config)
		if err != nil {
			continue
		}
		compared++
		got, err := c.averages(t.Context(), src, src.Size())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all := planesOf(pixels)
		if len(got.planes) != len(all) {
			t.Errorf("%s: %d components, want %d", name, len(got.planes), len(all))
			continue
		}
		for i, p := range all {
			if worst := differs(got.planes[i], got.area.Dx(), p); worst > 8 {
				t.Errorf("%s: component %d differs by %.1f", name, i, worst)
			}
		}
	}
	if compared < 10 {
		t.Errorf("%d JPEGs were compared", compared)
	}
}

// plane is the samples of a component. Each covers that many pixels.
type plane struct {
	pix           []byte
	step, stride  int
	across, down  int
	width, height int // in samples that are wholly in the picture
}

func planesOf(m image.Image) (all []plane) {
	size := m.Bounds().Size()
	switch m := m.(type) {
	case *image.Gray:
		return []plane{{m.Pix, 1, m.Stride, 1, 1, size.X, size.Y}}
	case *image.YCbCr:
		ratio := image.NewYCbCr(image.Rect(0, 0, 4, 4), m.SubsampleRatio)
		across, down := 4/ratio.CStride, 4*ratio.CStride/len(ratio.Cb)
		return []plane{
			{m.Y, 1, m.YStride, 1, 1, size.X, size.Y},
			{m.Cb, 1, m.CStride, across, down, size.X / across, size.Y / down},
			{m.Cr, 1, m.CStride, across, down, size.X / across, size.Y / down},
		}
	case *image.RGBA:
		for i := range 3 {
			all = append(all, plane{m.Pix[i:], 4, m.Stride, 1, 1, size.X, size.Y})
		}
	case *image.CMYK:
		for i := range 4 {
			all = append(all, plane{m.Pix[i:], 4, m.Stride, 1, 1, size.X, size.Y})
		}
	}
	return all
}

// differs returns the largest difference between a sample of averages and the
// average of its whole block.
func differs(averages []byte, wide int, pixels plane) (worst float64) {
	for by := range pixels.height / blockSide {
		for bx := range pixels.width / blockSide {
			sum := 0
			for y := range blockSide {
				for x := range blockSide {
					sum += int(pixels.pix[(by*blockSide+y)*pixels.stride+(bx*blockSide+x)*pixels.step])
				}
			}
			worst = max(worst, math.Abs(float64(sum)/64-float64(averages[by*pixels.down*wide+bx*pixels.across])))
		}
	}
	return worst
}

// TestThumbnailLikeImageMagick compares pictures at the size of their
// thumbnails with ImageMagick's.
func TestThumbnailLikeImageMagick(t *testing.T) {
	t.Parallel()
	convert := imageMagick(t)
	if convert == "" {
		return
	}
	c, folder := newPNGCodec(t), t.TempDir()
	all := map[string][]byte{"film": radiograph(t, 1400, 1100), "panoramic": radiograph(t, 3000, 1500), "large": radiograph(t, 5000, 4000)}
	for name, b := range files(t, "testdata/jpeg/*-444*.jpg") {
		all[name] = b
	}
	if root := os.Getenv("MOLAR_CORPUS_DIR"); root != "" {
		maps.Copy(all, files(t, filepath.Join(root, "images", "jpeg", "*1*.jp*g")))
	}
	least, compared := math.Inf(1), 0
	for name, b := range all {
		content := stored(t, c, b)
		if content == nil {
			continue
		}
		if config, err := jpeg.DecodeConfig(bytes.NewReader(content)); err != nil || config.ColorModel == color.CMYKModel {
			continue // its colors are ImageMagick's own
		}
		m, err := c.reduce(t.Context(), bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		file := filepath.Join(folder, "stored.jpg")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		size := m.Bounds().Size()
		raw, err := exec.CommandContext(t.Context(), convert, "jpeg:"+file, "-filter", "Catrom", "-resize", fmt.Sprintf("%dx%d!", size.X, size.Y), "-depth", "8", "rgb:-").Output()
		if err != nil && len(raw) == 0 {
			t.Logf("%s: ImageMagick: %v", name, err)
			continue
		}
		squares := 0.0
		for i, want := range raw {
			d := onWhite(m, i/3%size.X, i/3/size.X)[i%3] - float64(want)
			squares += d * d
		}
		got := 10 * math.Log10(255*255*float64(len(raw))/max(1, squares))
		compared++
		if least = min(least, got); got < leastLikeness {
			t.Errorf("%s: %.1f dB", name, got)
		}
	}
	t.Logf("%d thumbnails are at least %.1f dB like ImageMagick's", compared, least)
}
