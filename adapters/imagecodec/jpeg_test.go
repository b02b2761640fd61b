package imagecodec_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/imagecodec"
	"github.com/molar-billing/molar/core/billing"
)

func newCodec(tb testing.TB) *imagecodec.Codec {
	tb.Helper()
	c, err := imagecodec.New(imagecodec.Options{TempDir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// sanitize returns the result of Sanitize for b. It checks that the picture's
// size and sums are those of its bytes.
func sanitize(tb testing.TB, c *imagecodec.Codec, b []byte) ([]byte, error) {
	tb.Helper()
	p, err := c.Sanitize(tb.Context(), bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(p.Content)
	if err := errors.Join(err, p.Content.Close()); err != nil {
		tb.Fatal(err)
	}
	if p.Size != int64(len(out)) || p.MD5 != md5.Sum(out) || p.SHA256 != sha256.Sum256(out) {
		tb.Errorf("a picture of %d bytes says it has %d, or has other sums", len(out), p.Size)
	}
	return out, nil
}

// fault returns the error that a caller sees.
func fault(err error) string {
	if err == nil {
		return "accepted"
	}
	e, ok := errors.AsType[*billing.Error](err)
	if !ok || e.Code != billing.CodeInvalidRequest || len(e.Faults) != 1 || e.Faults[0].Field != "file" {
		return "no refusal: " + err.Error()
	}
	return fmt.Sprintf("%s: %s", e.Faults[0].Code, e.Faults[0].Message)
}

// checkSame decodes a JPEG before and after, by djpeg if image/jpeg does not
// read its layout. It checks that no unwanted marker is left, and sanitizes the
// result again.
func checkSame(tb testing.TB, c *imagecodec.Codec, name string, before, after []byte) {
	tb.Helper()
	if standardReads(tb, after) {
		checkStandard(tb, name, before, after)
	} else {
		checkDjpeg(tb, name, before, after)
	}
	if again, err := sanitize(tb, c, after); err != nil || !bytes.Equal(again, after) {
		tb.Errorf("%s: what was written becomes something else: %s", name, fault(err))
	}
	for _, s := range segments(tb, after) {
		if m := s[1]; !slices.Contains([]byte{0xc0, 0xc1, 0xc2, 0xc4, 0xd8, 0xd9, 0xda, 0xdb, 0xdd, 0xe0, 0xee}, m) ||
			m == 0xe0 && len(s) != 18 || m == 0xee && len(s) != 16 {
			tb.Errorf("%s: a segment %02x of %d bytes is left", name, m, len(s))
		}
	}
}

// checkStandard compares image/jpeg's pixels of a JPEG before and after.
func checkStandard(tb testing.TB, name string, before, after []byte) {
	tb.Helper()
	was, err := decodeJPEG(before)
	if err != nil {
		tb.Errorf("%s: image/jpeg does not read what was accepted: %v", name, err)
		return
	}
	is, err := decodeJPEG(after)
	if err != nil {
		tb.Errorf("%s: image/jpeg does not read what was written: %v", name, err)
		return
	}
	if !bytes.Equal(was, is) {
		tb.Errorf("%s: image/jpeg sees other pixels afterwards", name)
	}
}

// decodeJPEG returns every sample of a JPEG, and their layout.
func decodeJPEG(b []byte) ([]byte, error) {
	img, err := jpeg.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	out := fmt.Appendf(nil, "%T %v ", img, img.Bounds())
	switch m := img.(type) {
	case *image.Gray:
		return append(out, m.Pix...), nil
	case *image.YCbCr:
		out = fmt.Appendf(out, "%v ", m.SubsampleRatio)
		return append(append(append(out, m.Y...), m.Cb...), m.Cr...), nil
	case *image.RGBA:
		return append(out, m.Pix...), nil
	case *image.CMYK:
		return append(out, m.Pix...), nil
	default:
		return nil, fmt.Errorf("an image of type %T", img)
	}
}

// TestSanitizeKeepsPixels sanitizes every kind of JPEG.
func TestSanitizeKeepsPixels(t *testing.T) {
	t.Parallel()
	codec := newCodec(t)
	for name, b := range drawings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, err := sanitize(t, codec, b)
			if err != nil {
				t.Fatal(fault(err))
			}
			checkSame(t, codec, name, b, after)
			checkDjpeg(t, name, b, after)
			if len(after) > len(b)+100 {
				t.Errorf("%d bytes became %d", len(b), len(after))
			}
		})
	}
}

// TestSanitizeDrops inserts something into a JPEG, and checks that the result
// lacks it.
func TestSanitizeDrops(t *testing.T) {
	t.Parallel()
	codec := newCodec(t)
	exif := []byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x02" +
		"\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00" + // orientation 6
		"\x88\x25\x00\x04\x00\x00\x00\x01\x00\x00\x00\x26" + "\x00\x00\x00\x00" + // GPS
		"\x00\x01\x00\x01\x00\x02\x00\x00\x00\x02N\x00\x00\x00\x00\x00\x00\x00")
	second := drawing(t, "baseline-grey-restarts.jpg")
	table := append([]byte{0x03}, bytes.Repeat([]byte("patient "), 8)...)
	codes := append([]byte{0x11, 1, 2}, make([]byte, 14)...)
	tests := map[string]edit{
		"EXIF":                  before(0xdb, 0, segment(0xe1, exif...)...),
		"XMP":                   before(0xdb, 0, segment(0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta/>")...)...),
		"ICC":                   before(0xdb, 0, segment(0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), make([]byte, 500)...)...)...),
		"IPTC":                  before(0xdb, 0, segment(0xed, []byte("Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\x00\x00\x04\x1c\x02\x05\x00")...)...),
		"C2PA":                  before(0xdb, 0, segment(0xeb, []byte("JP\x00\x01\x00\x00\x00\x01jumb")...)...),
		"comment":               before(0xdb, 0, segment(0xfe, []byte("Jane Doe, 1970-01-01")...)...),
		"comment between scans": before(0xd9, 0, segment(0xfe, []byte("Jane Doe, 1970-01-01")...)...),
		"long comments":         before(0xd9, 0, bytes.Repeat(segment(0xfe, make([]byte, 65_000)...), 5)...),
		"JFXX thumbnail":        before(0xdb, 0, segment(0xe0, append([]byte("JFXX\x00\x13\x01\x01"), 1, 2, 3)...)...),
		"JFIF thumbnail": replace(0xe0, 0, func([]byte) []byte {
			return segment(0xe0, []byte("JFIF\x00\x01\x02\x01\x01\x2c\x01\x2c\x01\x01RGB")...)
		}),
		"second JFIF":                 before(0xdb, 0, segment(0xe0, []byte("JFIF\x00\x01\x02\x01\x01\x2c\x01\x2c\x00\x00")...)...),
		"Adobe marker cut short":      before(0xdb, 0, segment(0xee, []byte("Adobe\x00\x64\x00\x00")...)...),
		"another APP14":               before(0xdb, 0, segment(0xee, []byte("Orthodontist")...)...),
		"MPF and its second image":    then(before(0xdb, 0, segment(0xe2, []byte("MPF\x00MM\x00\x2a")...)...), appended(second...)),
		"ZIP":                         appended([]byte("PK\x03\x04 and so on PK\x05\x06")...),
		"fill bytes":                  then(before(0xdb, 0, 0xff, 0xff, 0xff), before(0xda, 0, 0xff), before(0xd9, 0, 0xff, 0xff)),
		"bytes between segments":      then(before(0xdb, 0, []byte("<?php ?>")...), before(0xda, 0, 1, 2, 0xff, 0, 3)),
		"bytes behind the image":      before(0xd9, 0, []byte("<script>")...),
		"stuffed bytes behind it":     before(0xd9, 0, 0xff, 0, 1, 0xff, 0),
		"a restart marker too many":   before(0xd9, 0, 0xff, 0xd0),
		"a quantization table unused": before(0xda, 0, segment(0xdb, table...)...),
		"a Huffman table unused":      before(0xdb, 0, segment(0xc4, append(codes, 'J', 'a', 'n')...)...),
		"a table twice":               before(0xdb, 0, segment(0xdb, append([]byte{0}, make([]byte, 64)...)...)...),
		"a restart interval unused":   then(before(0xda, 0, segment(0xdd, 0, 7)...), before(0xda, 0, segment(0xdd, 0, 0)...)),
		"a table after the image":     before(0xd9, 0, segment(0xdb, table...)...),
		"parameters of no use":        set(0xda, 0, 11, 1, 2, 3),
	}
	base := drawing(t, "baseline-420.jpg")
	want, err := sanitize(t, codec, base)
	if err != nil {
		t.Fatal(fault(err))
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := change(t, base)
			got, err := sanitize(t, codec, b)
			if err != nil {
				t.Fatal(fault(err))
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes are left, where %d should be", len(got), len(want))
			}
			checkSame(t, codec, name, b, got)
		})
	}
}

// TestSanitizeDropsInIntervals inserts bytes before restart markers.
func TestSanitizeDropsInIntervals(t *testing.T) {
	t.Parallel()
	codec := newCodec(t)
	base := drawing(t, "baseline-422-restarts.jpg")
	want, err := sanitize(t, codec, base)
	if err != nil {
		t.Fatal(fault(err))
	}
	for name, extra := range map[string]string{"bytes": "Jane Doe", "stuffed bytes": "\xff\x00Jane\xff\x00", "fill bytes": "\xff\xff"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bytes.ReplaceAll(base, []byte{0xff, 0xd3}, []byte(extra+"\xff\xd3"))
			got, err := sanitize(t, codec, b)
			if err != nil {
				t.Fatal(fault(err))
			}
			if !bytes.Equal(got, want) {
				t.Error("they are still there")
			}
			checkSame(t, codec, name, b, got)
			checkDjpeg(t, name, b, got)
		})
	}
}

// TestSanitizeCutShort cuts JPEGs after every byte: only the last one completes
// them.
func TestSanitizeCutShort(t *testing.T) {
	t.Parallel()
	codec := newCodec(t)
	for _, name := range []string{"baseline-420.jpg", "baseline-422-restarts.jpg", "progressive-420.jpg", "progressive-444-restarts.jpg"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := drawing(t, name)
			for n := range b {
				_, err := sanitize(t, codec, b[:n])
				want := "format: The JPEG ends before its image is complete."
				if n < 3 {
					want = "format: The file is not a JPEG."
				}
				if got := fault(err); got != want {
					t.Fatalf("%d bytes of %d: got %q", n, len(b), got)
				}
				// A marker at the cut does not replace the missing data.
				if _, err := sanitize(t, codec, slices.Concat(b[:n], []byte{0xff, 0xd9})); n < len(b)-2 && err == nil && !strings.HasPrefix(name, "progressive") {
					t.Fatalf("%d bytes of %d and an end: accepted", n, len(b))
				}
			}
		})
	}
}
