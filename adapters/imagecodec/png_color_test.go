package imagecodec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// swatch returns a PNG of one color, 8 x 8 pixels, with chunks before its
// pixels. The JPEG keeps the color to within rounding.
func swatch(tb testing.TB, depth, colour byte, pixel []byte, before ...[]byte) []byte {
	tb.Helper()
	row := append([]byte{0}, bytes.Repeat(pixel, int(min(depth, 8)))...)
	return pngFile(pngHeader(8, 8, depth, colour, 0), slices.Concat(before...),
		pngChunk("IDAT", deflated(tb, bytes.Repeat(row, 8))), pngEnd())
}

// shown returns the color that a swatch has in its JPEG.
func shown(t *testing.T, b []byte) [3]float64 {
	t.Helper()
	out, err := convertPNG(t.Context(), newPNGCodec(t), b)
	if err != nil {
		t.Fatal(err)
	}
	m, err := jpeg.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return onWhite(m, 3, 3)
}

func near(got, want [3]float64, tolerance float64) bool {
	for c := range got {
		if math.Abs(got[c]-want[c]) > tolerance {
			return false
		}
	}
	return true
}

func gamaChunk(gamma uint32) []byte {
	return pngChunk(kindGAMA, binary.BigEndian.AppendUint32(nil, gamma))
}

func chrmChunk(xy ...uint32) []byte {
	var b []byte
	for _, n := range xy {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return pngChunk(kindCHRM, b)
}

func srgbChrm() []byte  { return chrmChunk(31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000) }
func adobeChrm() []byte { return chrmChunk(31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000) }

func corruptChunk(b []byte) []byte {
	b = bytes.Clone(b)
	b[len(b)-1] ^= 1
	return b
}

// TestConvertToSRGB has each chunk about color on its own and against the
// others. The expected values are those of the formulas in the PNG
// specification, of ITU-T H.273 and of the definition of Adobe RGB (1998).
func TestConvertToSRGB(t *testing.T) {
	t.Parallel()
	linear, half := gamaChunk(100_000), []byte{64, 64, 64}
	profile := func(b []byte) []byte { return iccChunk(t, b) }
	cicp := func(b ...byte) []byte { return pngChunk(kindCICP, b) }
	grey := func(v float64) [3]float64 { return [3]float64{v, v, v} }
	srgbChunk := pngChunk(kindSRGB, []byte{0})
	tests := map[string]struct {
		png  []byte
		want [3]float64
	}{
		"no chunk":                        {swatch(t, 8, pngRGB, half), grey(64)},
		"grey of gamma 1.0":               {swatch(t, 8, pngGrey, half[:1], linear), grey(137)},
		"RGB of gamma 1.0":                {swatch(t, 8, pngRGB, half, linear), grey(137)},
		"16 bits of gamma 1.0":            {swatch(t, 16, pngGrey, []byte{0, 128}, linear), grey(6)},
		"a palette of gamma 1.0":          {swatch(t, 8, pngPalette, []byte{0}, linear, pngChunk("PLTE", half)), grey(137)},
		"4 bits of gamma 1.0":             {swatch(t, 4, pngGrey, []byte{0x44}, linear), grey(141)},
		"gamma 1/1.8":                     {swatch(t, 8, pngGrey, half[:1], gamaChunk(55_556)), grey(81)},
		"gamma 2.5":                       {swatch(t, 8, pngGrey, half[:1], gamaChunk(250_000)), grey(200)},
		"gamma 1/2.2 is sRGB":             {swatch(t, 8, pngGrey, []byte{10}, gamaChunk(45_455)), grey(10)},
		"gamma 0":                         {swatch(t, 8, pngGrey, half[:1], gamaChunk(0)), grey(64)},
		"white of gamma 2.5":              {swatch(t, 8, pngRGB, []byte{255, 255, 255}, gamaChunk(250_000)), grey(255)},
		"half of black, linear":           {swatch(t, 8, pngGreyAlpha, []byte{0, 128}, linear), grey(187)},
		"half of black, sRGB":             {swatch(t, 8, pngGreyAlpha, []byte{0, 128}), grey(127)},
		"half of black, linear, 16 bits":  {swatch(t, 16, pngRGBA, []byte{0, 0, 0, 0, 0, 0, 128, 0}, linear), grey(187)},
		"transparent":                     {swatch(t, 8, pngRGBA, []byte{9, 9, 9, 0}, linear), grey(255)},
		"a transparent color":             {swatch(t, 8, pngRGB, half, linear, pngChunk("tRNS", []byte{0, 64, 0, 64, 0, 64})), grey(255)},
		"another transparent color":       {swatch(t, 8, pngRGB, half, linear, pngChunk("tRNS", []byte{0, 64, 0, 64, 0, 65})), grey(137)},
		"the primaries of sRGB":           {swatch(t, 8, pngRGB, []byte{200, 64, 10}, srgbChrm(), gamaChunk(45_455)), [3]float64{200, 64, 10}},
		"the primaries of Adobe RGB":      {swatch(t, 8, pngRGB, []byte{150, 100, 100}, adobeChrm(), gamaChunk(45_455)), [3]float64{168.4, 99, 99.5}},
		"primaries without gamma":         {swatch(t, 8, pngRGB, []byte{150, 100, 100}, adobeChrm()), [3]float64{150, 100, 100}},
		"impossible primaries":            {swatch(t, 8, pngRGB, []byte{64, 64, 64}, chrmChunk(1, 0, 2, 2, 2, 2, 2, 2), linear), grey(137)},
		"primaries beyond all light":      {swatch(t, 8, pngRGB, []byte{150, 100, 100}, chrmChunk(31270, 32900, 16841216, 33000, 30000, 60000, 15000, 6000), gamaChunk(45_455)), [3]float64{150, 100, 100}},
		"grey of gamma 1/2.2 is sRGB":     {swatch(t, 8, pngGrey, []byte{10}, adobeChrm(), gamaChunk(45_455)), grey(10)},
		"grey has no primaries":           {swatch(t, 8, pngGrey, half[:1], adobeChrm(), linear), grey(137)},
		"sRGB before gamma":               {swatch(t, 8, pngRGB, half, linear, srgbChunk), grey(64)},
		"a profile before sRGB":           {swatch(t, 8, pngRGB, half, srgbChunk, linear, profile(iccRGB(4, false, iccParametric(0, 1)))), grey(137)},
		"code points before a profile":    {swatch(t, 8, pngRGB, half, cicp(1, 13, 0, 1), profile(iccRGB(4, false, iccParametric(0, 1)))), grey(64)},
		"linear code points":              {swatch(t, 8, pngGrey, half[:1], cicp(1, 8, 0, 1)), grey(137)},
		"code points of gamma 2.2":        {swatch(t, 8, pngRGB, []byte{10, 10, 10}, cicp(1, 4, 0, 1)), grey(3)},
		"code points of gamma 2.8":        {swatch(t, 8, pngRGB, half, cicp(1, 5, 0, 1)), grey(41)},
		"code points of television":       {swatch(t, 8, pngRGB, half, cicp(1, 1, 0, 1)), grey(79)},
		"code points of Display P3":       {swatch(t, 8, pngRGB, []byte{150, 100, 100}, cicp(12, 13, 0, 1)), [3]float64{158.5, 97.8, 98.8}},
		"code points of BT.2020":          {swatch(t, 8, pngRGB, []byte{150, 100, 100}, cicp(9, 13, 0, 1)), [3]float64{173.8, 91.3, 98.8}},
		"PQ gives way":                    {swatch(t, 8, pngRGB, half, cicp(9, 16, 0, 1), linear), grey(137)},
		"YCbCr code points give way":      {swatch(t, 8, pngRGB, half, cicp(1, 13, 1, 1), linear), grey(137)},
		"the narrow range gives way":      {swatch(t, 8, pngRGB, half, cicp(1, 13, 0, 0), linear), grey(137)},
		"other primaries give way":        {swatch(t, 8, pngRGB, half, cicp(5, 13, 0, 1), linear), grey(137)},
		"a profile that is sRGB":          {swatch(t, 8, pngRGB, []byte{200, 64, 10}, profile(srgbProfile())), [3]float64{200, 64, 10}},
		"Adobe RGB, version 2":            {swatch(t, 8, pngRGB, []byte{150, 100, 100}, profile(iccRGB(2, true, iccSampled(0x233)))), [3]float64{168.4, 99, 99.5}},
		"a sampled curve":                 {swatch(t, 8, pngRGB, half, profile(iccRGB(2, false, iccSampled(0, 0x8000, 0xffff)))), grey(137)},
		"an empty curve":                  {swatch(t, 8, pngRGB, half, profile(iccRGB(2, false, iccSampled()))), grey(137)},
		"a curve of form 1":               {swatch(t, 8, pngRGB, half, profile(iccRGB(4, false, iccParametric(1, 1, 1.25, -0.25)))), grey(71.4)},
		"a curve of form 2":               {swatch(t, 8, pngRGB, half, profile(iccRGB(4, false, iccParametric(2, 1, 1, -0.25, 0.25)))), grey(137.3)},
		"below a curve of form 2":         {swatch(t, 8, pngRGB, []byte{9, 9, 9}, profile(iccRGB(4, false, iccParametric(2, 1, 1, -0.25, 0.25)))), grey(137)},
		"a curve of form 4":               {swatch(t, 8, pngRGB, half, profile(iccRGB(4, false, iccParametric(4, 1, 0.75, 0, 1, 0.125, 0.25, 0)))), grey(177)},
		"below a curve of form 4":         {swatch(t, 8, pngRGB, half, profile(iccRGB(4, false, iccParametric(4, 1, 1, 0, 0.5, 0.5, 0, 0.125)))), grey(137.7)},
		"a grey profile, version 2":       {swatch(t, 8, pngGrey, half[:1], profile(iccGrey(2, iccSampled(0x100)))), grey(137)},
		"a grey profile, version 4":       {swatch(t, 16, pngGreyAlpha, []byte{64, 64, 255, 255}, profile(iccGrey(4, iccParametric(0, 1)))), grey(137)},
		"a grey profile of RGB":           {swatch(t, 8, pngRGB, half, profile(iccGrey(4, iccParametric(0, 1)))), grey(64)},
		"an RGB profile of grey":          {swatch(t, 8, pngGrey, half[:1], profile(iccRGB(4, false, iccParametric(0, 1)))), grey(64)},
		"a profile of CMYK":               {swatch(t, 8, pngRGB, half, profile(iccFile(2, "CMYK", "Lab "))), grey(64)},
		"a profile to Lab":                {swatch(t, 8, pngGrey, half[:1], profile(iccFile(4, "GRAY", "Lab ", "kTRC", iccParametric(0, 1)))), grey(64)},
		"a profile of tables alone":       {swatch(t, 8, pngRGB, half, profile(iccFile(4, "RGB ", "XYZ ", "A2B0", make([]byte, 32)))), grey(64)},
		"a profile without primaries":     {swatch(t, 8, pngRGB, half, profile(iccFile(4, "RGB ", "XYZ ", "rTRC", srgbCurve(), "gTRC", srgbCurve(), "bTRC", srgbCurve()))), grey(64)},
		"a profile that darkens white":    {swatch(t, 8, pngGrey, half[:1], profile(iccGrey(4, iccSampled(0, 0x8000)))), grey(64)},
		"a profile that is no profile":    {swatch(t, 8, pngRGB, half, profile(make([]byte, 4000)), linear), grey(137)},
		"a profile gives way":             {swatch(t, 8, pngRGB, half, profile(iccFile(2, "CMYK", "Lab ")), linear), grey(137)},
		"a profile cut short":             {swatch(t, 8, pngRGB, half, profile(iccRGB(4, false, iccParametric(0, 1))[:200])), grey(64)},
		"a profile without its checksum":  {swatch(t, 8, pngRGB, half, pngChunk(kindICCP, unsummed(t, iccRGB(4, false, iccParametric(0, 1))))), grey(137)},
		"a profile that is too long":      {swatch(t, 8, pngRGB, half, profile(longer(iccRGB(4, false, iccParametric(0, 1)), maxProfile+1))), grey(64)},
		"the longest profile":             {swatch(t, 8, pngRGB, half, profile(longer(iccRGB(4, false, iccParametric(0, 1)), maxProfile))), grey(137)},
		"another compression":             {swatch(t, 8, pngRGB, half, pngChunk(kindICCP, append([]byte("a\x00\x01"), deflated(t, iccRGB(4, false, iccParametric(0, 1)))...))), grey(64)},
		"a profile without a name's end":  {swatch(t, 8, pngRGB, half, pngChunk(kindICCP, bytes.Repeat([]byte{'a'}, 9000))), grey(64)},
		"a wrong checksum":                {swatch(t, 8, pngRGB, half, corruptChunk(linear)), grey(64)},
		"a profile with a wrong checksum": {swatch(t, 8, pngRGB, half, corruptChunk(iccChunk(t, iccRGB(4, false, iccParametric(0, 1))))), grey(64)},
		"a gamma of 3 bytes":              {swatch(t, 8, pngRGB, half, pngChunk(kindGAMA, []byte{1, 2, 3})), grey(64)},
		"a gamma twice":                   {swatch(t, 8, pngRGB, half, linear, gamaChunk(50_000)), grey(137)},
		"a profile twice":                 {swatch(t, 8, pngRGB, half, profile(iccRGB(4, false, iccParametric(0, 1))), profile(srgbProfile())), grey(137)},
		"gamma behind the palette":        {swatch(t, 8, pngPalette, []byte{0}, pngChunk("PLTE", half), linear), grey(64)},
		"gamma behind the pixels":         {behindPixels(swatch(t, 8, pngGrey, half[:1]), linear), grey(64)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := shown(t, test.png); !near(got, test.want, 1.6) {
				t.Errorf("%.1f, not %.1f", got, test.want)
			}
		})
	}
}

// behindPixels inserts a chunk before the end of a PNG.
func behindPixels(b, chunk []byte) []byte {
	return slices.Concat(b[:len(b)-chunkOverhead], chunk, b[len(b)-chunkOverhead:])
}

// unsummed returns the content of an iCCP chunk whose zlib stream lacks its
// checksum.
func unsummed(tb testing.TB, profile []byte) []byte {
	tb.Helper()
	b := deflated(tb, profile)
	return append([]byte("a\x00\x00"), b[:len(b)-4]...)
}

// longer returns a profile of a size, filled up with zeros.
func longer(profile []byte, size int) []byte {
	out := append(bytes.Clone(profile), make([]byte, size-len(profile))...)
	binary.BigEndian.PutUint32(out, uint32(size))
	return out
}

// TestConvertKeepsSRGB checks that chunks that only declare sRGB do not change
// the JPEG.
func TestConvertKeepsSRGB(t *testing.T) {
	t.Parallel()
	c := newPNGCodec(t)
	bare, err := convertPNG(t.Context(), c, tiny(t))
	if err != nil {
		t.Fatal(err)
	}
	table := make([]uint16, 1024)
	for i := range table {
		table[i] = wholeLight(srgbLight(float64(i) / 1023))
	}
	for name, b := range map[string][]byte{
		"sRGB":               tiny(t, pngChunk(kindSRGB, []byte{1})),
		"gAMA and cHRM":      tiny(t, gamaChunk(45_455), srgbChrm()),
		"version 2":          tiny(t, iccChunk(t, iccRGB(2, false, iccSampled(table...)))),
		"version 4":          tiny(t, iccChunk(t, srgbProfile())),
		"cICP":               tiny(t, pngChunk(kindCICP, []byte{1, 13, 0, 1})),
		"cHRM rounded badly": tiny(t, gamaChunk(45_454), chrmChunk(31269, 32899, 63999, 33001, 30000, 60000, 15000, 5999)),
	} {
		out, err := convertPNG(t.Context(), c, b)
		if err != nil || !bytes.Equal(out, bare) {
			t.Errorf("%s: another JPEG than without it (%v)", name, err)
		}
	}
}

// TestConvertLikeImageMagick compares conversions of ramps, noise and alpha
// with ImageMagick's, which Little CMS computes.
func TestConvertLikeImageMagick(t *testing.T) {
	t.Parallel()
	convert := imageMagick(t)
	if convert == "" {
		return
	}
	folder := t.TempDir()
	target := filepath.Join(folder, "srgb.icc")
	if err := os.WriteFile(target, srgbProfile(), 0o600); err != nil {
		t.Fatal(err)
	}
	rgb := map[string][]byte{
		"v2 gamma 1.8": iccRGB(2, false, iccSampled(0x1cd)), "v2 Adobe RGB": iccRGB(2, true, iccSampled(0x233)),
		"v2 table": iccRGB(2, true, iccSampled(0, 900, 5000, 20_000, 65_535)), "v4 power": iccRGB(4, true, iccParametric(0, 2.2)),
		"v4 form 3": iccRGB(4, true, srgbCurve()), "v4 form 4": iccRGB(4, true, iccParametric(4, 2.2, 0.9, 0.05, 0.1, 0.1, 0.04, 0.002)),
	}
	grey := map[string][]byte{
		"v2 grey": iccGrey(2, iccSampled(0x1cd)), "v2 grey table": iccGrey(2, iccSampled(0, 900, 5000, 20_000, 65_535)),
		"v4 grey": iccGrey(4, iccParametric(1, 2.2, 0.95, 0.05)),
	}
	for name, profile := range rgb {
		for _, depth := range []byte{8, 16} {
			for _, colour := range []byte{pngRGB, pngRGBA} {
				compareWithMagick(t, convert, target, name, ramps(t, depth, colour, iccChunk(t, profile)))
			}
		}
	}
	for name, profile := range grey {
		for _, depth := range []byte{8, 16} {
			for _, colour := range []byte{pngGrey, pngGreyAlpha} {
				compareWithMagick(t, convert, target, name, ramps(t, depth, colour, iccChunk(t, profile)))
			}
		}
	}
}

func compareWithMagick(t *testing.T, convert, target, name string, b []byte) {
	t.Helper()
	out, err := convertPNG(t.Context(), newPNGCodec(t), b)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ramps.png")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := likeness(t, out, flattened(t, convert, file, "-profile", target)); got < 40 {
		t.Errorf("%s, %d bits, colour type %d: %.1f dB", name, b[24], b[25], got)
	}
}

// ramps returns a PNG of 64 x 64 pixels whose samples rise at different speeds;
// with alpha it is more transparent to the right.
func ramps(t *testing.T, depth, colour byte, before ...[]byte) []byte {
	t.Helper()
	info := &pngInfo{depth: int(depth), colour: int(colour)}
	var raw []byte
	for y := range 64 {
		raw = append(raw, 0)
		for x := range 64 {
			values := []int{(x + y) * 520, x * 1040, 65_535 - y*1040, 65_535 - x*1040}
			if info.components() == 1 {
				values = []int{(x + y) * 520, 65_535 - x*1040}
			}
			for _, v := range values[:info.samples()] {
				if raw = append(raw, byte(v>>8)); depth == 16 {
					raw = append(raw, byte(v))
				}
			}
		}
	}
	return pngFile(pngHeader(64, 64, depth, colour, 0), slices.Concat(before...), pngChunk("IDAT", deflated(t, raw)), pngEnd())
}

// TestProfileServiceFaults has the disk fail while a profile is read. That is
// no fault of the profile: without it the JPEG would differ.
func TestProfileServiceFaults(t *testing.T) {
	t.Parallel()
	b := tiny(t, iccChunk(t, longer(srgbProfile(), 100_000)))
	size := int64(len(b))
	info, err := inspectPNG(t.Context(), bytes.NewReader(b), size)
	if err != nil {
		t.Fatal(err)
	}
	_, err = info.colorSpace(t.Context(), &failingReader{r: bytes.NewReader(b), failAt: info.color.profile})
	if !errors.Is(err, errPNGDisk) || billing.CodeOf(err) != billing.CodeInternal {
		t.Errorf("a failing disk: %v", err)
	}
}

// TestEncodedLight compares with the inverse of the formula.
func TestEncodedLight(t *testing.T) {
	t.Parallel()
	table := encodedLight()
	for light := range table {
		x := float64(light) / most
		want := 255 * 12.92 * x
		if x > 0.0031308 {
			want = 255 * (1.055*math.Pow(x, 1/2.4) - 0.055)
		}
		if math.Abs(float64(table[light])-want) > 0.51 {
			t.Fatal(fmt.Sprint(light, " became ", table[light], ", not ", want))
		}
	}
}
