package imagecodec_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"testing"

	"github.com/molar-billing/molar/adapters/imagecodec"
	"github.com/molar-billing/molar/core/billing"
)

func newCodec(t testing.TB) *imagecodec.Codec {
	t.Helper()
	c, err := imagecodec.New(imagecodec.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sanitize is what Sanitize makes of b. It checks that the picture is what it
// says it is.
func sanitize(t testing.TB, c *imagecodec.Codec, b []byte) ([]byte, error) {
	t.Helper()
	p, err := c.Sanitize(t.Context(), bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	defer p.Content.Close()
	out, err := io.ReadAll(p.Content)
	if err != nil {
		t.Fatal(err)
	}
	return out, nil
}

// fault is what a caller is told.
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

// checkSame decodes a JPEG before and after, and cleans it once more.
func checkSame(t testing.TB, name string, before, after []byte) {
	t.Helper()
	was, err := decodeJPEG(before)
	if err != nil {
		t.Errorf("%s: image/jpeg does not read what was accepted: %v", name, err)
		return
	}
	is, err := decodeJPEG(after)
	if err != nil {
		t.Errorf("%s: image/jpeg does not read what was written: %v", name, err)
		return
	}
	if !bytes.Equal(was, is) {
		t.Errorf("%s: image/jpeg sees other pixels afterwards", name)
	}
}

// decodeJPEG gives every sample of a JPEG, and how they are arranged.
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
