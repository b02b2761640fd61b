package imagecodec_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/molar-billing/molar/adapters/imagecodec"
	"github.com/molar-billing/molar/core/billing"
)

// TestSanitizeRefuses changes JPEGs into ones that are refused, and looks at
// the error that a caller sees.
func TestSanitizeRefuses(t *testing.T) {
	t.Parallel()
	codec := newCodec(t)
	const base, grey, restarts, scans, progressive = "baseline-420.jpg", "baseline-grey-restarts.jpg",
		"baseline-422-restarts.jpg", "baseline-scans.jpg", "progressive-420.jpg"
	swap := func(from, to string) edit {
		return func(_ testing.TB, b []byte) []byte { return bytes.ReplaceAll(b, []byte(from), []byte(to)) }
	}
	marker := func(from, to byte) edit { return set(from, 0, 1, to) }
	whole := func(b []byte) edit { return func(testing.TB, []byte) []byte { return b } }
	allOnes := append([]byte{0, 2}, make([]byte, 15)...) // two codes of one bit: 0 and 1
	tests := []struct {
		name, base string
		change     edit
		want       string
	}{
		{"nothing", base, whole(nil), "format: The file is not a JPEG."},
		{"a PNG", base, whole([]byte("\x89PNG\r\n\x1a\n")), "format: The file is not a JPEG."},
		{"bytes after SOI", base, before(0xe0, 0, 0), "format: The file is not a JPEG."},
		{"12 bits", base, then(marker(0xc0, 0xc1), set(0xc1, 0, 4, 12)), "format: The JPEG has 12 bits a sample; save it with 8."},
		{"lossless", base, marker(0xc0, 0xc3), "format: The JPEG is lossless; save it as baseline or progressive."},
		{"arithmetic", base, marker(0xc0, 0xc9), "format: The JPEG has arithmetic coding; save it as baseline or progressive."},
		{"hierarchical", base, marker(0xc0, 0xc5), "format: The JPEG is hierarchical; save it as baseline or progressive."},
		{"conditioning of arithmetic coding", base, before(0xda, 0, segment(0xcc, 0, 0)...), "format: The JPEG has arithmetic coding; save it as baseline or progressive."},
		{"height later", base, set(0xc0, 0, 5, 0, 0), "format: The JPEG does not state its height before its image. Save it again."},
		{"DNL", base, before(0xd9, 0, segment(0xdc, 0, 45)...), "format: The JPEG states its height after its image; save it as baseline or progressive."},
		{"no width", base, set(0xc0, 0, 7, 0, 0), "format: The JPEG is damaged: it has no width."},
		{"too wide", base, set(0xc0, 0, 7, 0x4e, 0x21), "range: The JPEG is 20001 x 45 pixels; a side has at most 20,000."},
		{"as large as can be said", base, set(0xc0, 0, 5, 0xff, 0xff, 0xff, 0xff), "range: The JPEG is 65535 x 65535 pixels; a side has at most 20,000."},
		{"over 64 megapixels", base, set(0xc0, 0, 5, 0x1f, 0x40, 0x1f, 0x41), "range: The JPEG is 8001 x 8000 pixels; that is more than 64 megapixels."},
		{"64 megapixels of nothing", base, set(0xc0, 0, 5, 0x1f, 0x40, 0x1f, 0x40), "format: The JPEG ends before its image is complete."},
		{"64 megapixels of nothing, progressive", progressive, set(0xc2, 0, 5, 0x1f, 0x40, 0x1f, 0x40), "format: The JPEG ends before its image is complete."},
		{"two components", base, replace(0xc0, 0, func([]byte) []byte { return segment(0xc0, 8, 0, 8, 0, 8, 2, 1, 0x11, 0, 2, 0x11, 0) }), "format: The JPEG has 2 color components; 1, 3 or 4 are accepted."},
		{"a component twice", base, set(0xc0, 0, 13, 1), "format: The JPEG is damaged: its frame header is not well formed."},
		{"no sampling", base, set(0xc0, 0, 11, 0), "format: The JPEG is damaged: its frame header is not well formed."},
		{"three samples for two", base, then(set(0xc0, 0, 11, 0x31), set(0xc0, 0, 14, 0x21)), "format: The JPEG has a fractional chroma subsampling; save it with 4:4:4, 4:2:2 or 4:2:0."},
		{"too many blocks in a group", base, set(0xc0, 0, 11, 0x44), "format: The JPEG is damaged: a scan has too many blocks in a group."},
		{"two frames", base, before(0xda, 0, segment(0xc0, 8, 0, 8, 0, 8, 1, 1, 0x11, 0)...), "format: The JPEG is damaged: it has two frame headers."},
		{"a JPEG in a JPEG", base, before(0xda, 0, 0xff, 0xd8), "format: The JPEG is damaged: it has an unknown marker d8."},
		{"no frame", base, without(0xc0, 0), "format: The JPEG is damaged: its image comes before its frame header."},
		{"no scan", base, without(0xda, 0), "format: The JPEG ends before its image is complete."},
		{"no quantization table", base, without(0xdb, 1), "format: The JPEG uses a quantization table that it does not define."},
		{"no Huffman table", base, without(0xc4, 3), "format: The JPEG uses a Huffman table that it does not define."},
		{"a code of ones", base, replace(0xc4, 0, func([]byte) []byte { return segment(0xc4, append(allOnes, 1, 2)...) }), "format: The JPEG is damaged: a Huffman table has too many codes."},
		{"more codes than symbols", base, set(0xc4, 0, 5, 0, 200), "format: The JPEG is damaged: a Huffman table is not well formed."},
		{"no codes", base, before(0xda, 0, segment(0xc4, append([]byte{1}, make([]byte, 16)...)...)...), "format: The JPEG is damaged: a Huffman table is not well formed."},
		{"half a quantization table", base, before(0xda, 0, segment(0xdb, make([]byte, 40)...)...), "format: The JPEG is damaged: a quantization table is not well formed."},
		{"a segment without length", base, before(0xda, 0, 0xff, 0xe1, 0, 1), "format: The JPEG is damaged: the length of a segment is too small."},
		{"an endless segment", base, before(0xda, 0, 0xff, 0xe1, 0xff, 0xff), "format: The JPEG ends before its image is complete."},
		{"fill bytes that lead nowhere", base, before(0xda, 0, 0xff, 0xff, 0), "format: The JPEG is damaged: no marker follows its fill bytes."},
		{"restart markers in another order", restarts, swap("\xff\xd3", "\xff\xd4"), "format: The JPEG is damaged: restart marker 3 is missing."},
		{"no restart markers", restarts, swap("\xff\xd3", ""), "format: The JPEG is damaged: restart marker 3 is missing."},
		{"restart markers too early", grey, set(0xdd, 0, 4, 0, 3), "format: The JPEG ends before its image is complete."},
		{"unexpected restart markers", grey, without(0xdd, 0), "format: The JPEG ends before its image is complete."},
		{"a scan twice", scans, twice(0xda), "format: The JPEG is damaged: a scan repeats, or skips, a part of the image."},
		{"a scan of nothing", base, set(0xda, 0, 4, 0), "format: The JPEG is damaged: a scan header is not well formed."},
		{"a scan of another component", base, set(0xda, 0, 5, 9), "format: The JPEG is damaged: a scan header is not well formed."},
		{"a scan beyond the block", progressive, set(0xda, 1, 8, 64), "format: The JPEG is damaged: a scan is not a part of a progression."},
		{"a progression that skips a bit", progressive, set(0xda, 5, 9, 0x10), "format: The JPEG is damaged: a scan repeats, or skips, a part of the image."},
		{"restart markers of groups in a scan of one color", "progressive-420-restarts.jpg", before(0xda, 1, segment(0xdd, 0, 12)...), "format: The JPEG ends before its image is complete."},
		{"four components without Adobe", "cmyk.jpg", without(0xee, 0), "format: The JPEG has four color components and no Adobe marker that names their color space. Save it as RGB."},
		{
			"markers that claim two colors", "baseline-rgb.jpg", then(without(0xee, 0), before(0xdb, 0, jfif()...), before(0xdb, 0, segment(0xe0, []byte("JFXX\x00\x10")...)...)),
			"format: The JPEG is damaged: its markers contradict each other about its colors.",
		},
		{
			"an Adobe marker behind the image", base, then(without(0xe0, 0), before(0xd9, 0, adobe(0)...)),
			"format: The JPEG is damaged: its markers contradict each other about its colors.",
		},
		{
			"a quantization table that changes", progressive, before(0xda, 3, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{9}, 64)...)...)...),
			"format: The JPEG is damaged: a quantization table changes within the image.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := sanitize(t, codec, tt.change(t, drawing(t, tt.base)))
			if got := fault(err); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func jfif() []byte { return segment(0xe0, []byte("JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")...) }

func adobe(transform byte) []byte {
	return segment(0xee, append([]byte("Adobe\x00\x64\x80\x01\x40\x02"), transform)...)
}

// TestSanitizeKeepsColours inserts markers into a JPEG in the ways that are in
// use. Its pixels stay the same.
func TestSanitizeKeepsColours(t *testing.T) {
	t.Parallel()
	codec := newCodec(t)
	ids := func(r, g, b byte) edit {
		return then(set(0xc0, 0, 10, r), set(0xc0, 0, 13, g), set(0xc0, 0, 16, b), set(0xda, 0, 5, r), set(0xda, 0, 7, g), set(0xda, 0, 9, b))
	}
	jfxx := segment(0xe0, []byte("JFXX\x00\x10")...)
	tests := map[string]struct {
		change edit
		left   [][]byte // of the markers of colour
	}{
		"neither":              {then(), nil},
		"JFIF":                 {before(0xdb, 0, jfif()...), [][]byte{jfif()}},
		"Adobe RGB":            {before(0xdb, 0, adobe(0)...), [][]byte{cleanAdobe(0)}},
		"Adobe YCbCr":          {before(0xdb, 0, adobe(1)...), [][]byte{cleanAdobe(1)}},
		"an unknown transform": {before(0xdb, 0, adobe(77)...), [][]byte{cleanAdobe(77)}},
		"both":                 {before(0xdb, 0, slices.Concat(jfif(), adobe(0))...), [][]byte{jfif(), cleanAdobe(0)}},
		"JFIF and JFXX":        {before(0xdb, 0, slices.Concat(jfif(), jfxx)...), [][]byte{jfif()}},
		"the names RGB":        {ids('R', 'G', 'B'), nil},
		"JFIF for the names":   {then(before(0xdb, 0, jfif()...), ids('R', 'G', 'B')), [][]byte{jfif()}},
		"JFIF behind the data": {before(0xd9, 0, jfif()...), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := tt.change(t, without(0xe0, 0)(t, drawing(t, "baseline-444.jpg")))
			after, err := sanitize(t, codec, b)
			if err != nil {
				t.Fatal(fault(err))
			}
			checkSame(t, codec, name, b, after)
			checkDjpeg(t, name, b, after)
			var left [][]byte
			for _, s := range segments(t, after) {
				if s[1]&0xf0 == 0xe0 {
					left = append(left, s)
				}
			}
			if !slices.EqualFunc(left, tt.left, bytes.Equal) {
				t.Errorf("left are %q", left)
			}
		})
	}
}

func cleanAdobe(transform byte) []byte {
	return segment(0xee, append([]byte("Adobe\x00\x64\x00\x00\x00\x00"), transform)...)
}

// TestSanitizeCountsScans sanitizes progressive JPEGs of many scans.
func TestSanitizeCountsScans(t *testing.T) {
	t.Parallel()
	codec := newCodec(t)
	scans := [][3]byte{{0, 0, 0}}
	for k := range byte(50) {
		scans = append(scans, [3]byte{k + 1, k + 1, 0x01}, [3]byte{k + 1, k + 1, 0x10})
	}
	most := flat(scans[:100]...)
	after, err := sanitize(t, codec, most)
	if err != nil {
		t.Fatal(fault(err))
	}
	checkSame(t, codec, "100 scans", most, after)
	_, err = sanitize(t, codec, flat(scans...))
	if got := fault(err); got != "too_many: The JPEG has more than 100 scans." {
		t.Error(got)
	}
	_, err = sanitize(t, codec, flat(slices.Repeat(scans[:1], 1000)...))
	if got := fault(err); !strings.HasPrefix(got, "format: The JPEG is damaged") {
		t.Error(got)
	}
}

// faultyReader fails beyond a byte.
type faultyReader struct {
	io.ReaderAt
	good int64
	err  error
}

func (r faultyReader) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > r.good {
		return 0, r.err
	}
	return r.ReaderAt.ReadAt(p, off)
}

// TestSanitizeServiceFaults expects internal errors as such, and no
// file left behind.
func TestSanitizeServiceFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	codec, err := imagecodec.New(imagecodec.Options{TempDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	b := drawing(t, "baseline-420.jpg")
	b = before(0xda, 0, bytes.Repeat(segment(0xe1, make([]byte, 60_000)...), 3)...)(t, b)
	broken := errors.New("the disk is gone")
	if _, err := codec.Sanitize(t.Context(), faultyReader{bytes.NewReader(b), 100_000, broken}, int64(len(b))); !errors.Is(err, broken) || billing.CodeOf(err) != billing.CodeInternal {
		t.Errorf("a reader that fails: %v", err)
	}
	if _, err := codec.Sanitize(t.Context(), bytes.NewReader(b[:100_000]), int64(len(b))); !errors.Is(err, io.ErrUnexpectedEOF) || billing.CodeOf(err) != billing.CodeInternal {
		t.Errorf("a reader of fewer bytes than were said: %v", err)
	}
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(broken)
	if _, err := codec.Sanitize(gone, bytes.NewReader(b), int64(len(b))); !errors.Is(err, broken) || billing.CodeOf(err) != billing.CodeInternal {
		t.Errorf("a caller that is gone: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left are %v (%v)", left, err)
	}
}

// stalledReader waits before it reads beyond a byte.
type stalledReader struct {
	io.ReaderAt
	good int64
	goOn <-chan struct{}
}

func (r stalledReader) ReadAt(p []byte, off int64) (int, error) {
	if off > r.good {
		<-r.goOn
	}
	return r.ReaderAt.ReadAt(p, off)
}

// TestSanitizeWaitsForMemory has one progressive JPEG hold all the memory.
func TestSanitizeWaitsForMemory(t *testing.T) {
	t.Parallel()
	dir, b := t.TempDir(), drawing(t, "progressive-420.jpg")
	long := before(0xd9, 0, bytes.Repeat(segment(0xfe, make([]byte, 60_000)...), 2)...)(t, b)
	synctest.Test(t, func(t *testing.T) {
		codec, err := imagecodec.New(imagecodec.Options{TempDir: dir, MemoryBudget: 8, Parallel: 3})
		if err != nil {
			t.Fatal(err)
		}
		goOn, first, second := make(chan struct{}), make(chan error, 1), make(chan error, 1)
		go func() {
			p, err := codec.Sanitize(t.Context(), stalledReader{bytes.NewReader(long), 65_536, goOn}, int64(len(long)))
			if err == nil {
				err = p.Content.Close()
			}
			first <- err
		}()
		synctest.Wait()
		impatient, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := codec.Sanitize(impatient, bytes.NewReader(b), int64(len(b)))
			second <- err
		}()
		synctest.Wait()
		if len(first) > 0 || len(second) > 0 {
			t.Fatal("one of them did not wait")
		}
		if _, err := sanitize(t, codec, flat([3]byte{0, 0, 0})); err != nil {
			t.Errorf("a JPEG that needs no memory: %s", fault(err))
		}
		cancel()
		if err := <-second; !errors.Is(err, context.Canceled) {
			t.Errorf("the second one: %v", err)
		}
		close(goOn)
		if err := <-first; err != nil {
			t.Errorf("the first one: %v", err)
		}
		if _, err := sanitize(t, codec, b); err != nil {
			t.Errorf("one more: %s", fault(err))
		}
	})
}
