package imagecodec

import (
	"context"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// CheckPNG checks the chunks of a PNG and inflates nothing. Its memory does not
// depend on the size of the file.
func (c *Codec) CheckPNG(ctx context.Context, src io.ReaderAt, size int64) error {
	_, err := inspectPNG(ctx, src, size)
	return err
}

// Convert decodes a PNG strip by strip and encodes each strip at the same time.
// So its memory depends on the width of the PNG, but not on the height. Only an
// interlaced PNG, of at most 4 megapixels, is held whole.
func (c *Codec) Convert(ctx context.Context, src io.ReaderAt, size int64) (*ports.Picture, error) {
	info, err := inspectPNG(ctx, src, size)
	if err != nil {
		return nil, err
	}
	out, err := c.newPicture(ctx)
	if err != nil {
		return nil, err
	}
	defer out.abandon()
	if err := transcode(ctx, info, src, size, out); err != nil {
		return nil, err
	}
	return out.finish()
}

// strips is the number of buffers. The decoder fills one, the encoder reads
// another, and the rest wait between them. More buffers were no faster.
const strips = 4

// transcode runs the decoder and the encoder concurrently until both are done.
func transcode(ctx context.Context, info *pngInfo, src io.ReaderAt, size int64, out io.Writer) error {
	group, ctx := errgroup.WithContext(ctx)
	full, free := make(chan []byte, strips), make(chan []byte, strips) // each has room for all strips, so sending never blocks
	for range strips {
		free <- nil
	}
	group.Go(func() error {
		defer close(full)
		return decodePNG(ctx, info, src, size, free, full)
	})
	group.Go(func() error {
		encoder := newEncoder(out, info.width, info.height, info.components())
		for strip := range full {
			if err := encoder.strip(strip); err != nil {
				return err
			}
			free <- strip
		}
		return encoder.finish()
	})
	return group.Wait()
}

// pngSource is a reader of an upload, from an offset on until ctx ends. It
// records a read error, so that verdict does not report a fault of the picture.
type pngSource struct {
	ctx  context.Context
	r    *io.SectionReader
	fail error
}

func newPNGSource(ctx context.Context, src io.ReaderAt, from, size int64) *pngSource {
	return &pngSource{ctx: ctx, r: io.NewSectionReader(src, from, size-from)}
}

func (s *pngSource) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.fail = err
	}
	return n, err
}

// broken returns the error that stopped reading: ctx ended, or the upload
// cannot be read. It returns nil if neither happened.
func (s *pngSource) broken() error {
	switch {
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case s.fail != nil:
		return fmt.Errorf("reading the PNG: %w", s.fail)
	}
	return nil
}

// verdict returns the error to report for err. A read error comes first, and
// then a fault of the picture. Any other error means that the pixel data is
// damaged.
func (s *pngSource) verdict(err error) error {
	if err == nil {
		return nil
	}
	if broken := s.broken(); broken != nil {
		return broken
	}
	if billing.CodeOf(err) == billing.CodeInvalidRequest {
		return err
	}
	return pngDamaged("its pixel data is damaged or incomplete")
}

// pngDamaged returns the error for an invalid PNG.
func pngDamaged(why string) error {
	return refuse(billing.FaultFormat, "This is not a valid PNG: "+why+".")
}
