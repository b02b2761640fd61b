package imagecodec

import (
	"bufio"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"io"

	"golang.org/x/image/draw"

	"github.com/molar-billing/molar/ports"
)

const (
	thumbnailSide    = 320 // the longest side
	thumbnailQuality = 85
)

// Thumbnail reduces a JPEG that Sanitize or Convert wrote. A picture with a
// side of 8 x 320 pixels or more is read as the averages of its blocks, which
// are its DC coefficients: a 64th of its memory.
func (c *Codec) Thumbnail(ctx context.Context, src io.Reader) (*ports.Picture, error) {
	if err := c.turns.Acquire(ctx, 1); err != nil {
		return nil, context.Cause(ctx)
	}
	defer c.turns.Release(1)
	stored, err := c.newPicture(ctx)
	if err != nil {
		return nil, err
	}
	defer stored.abandon()
	if _, err := io.Copy(stored, src); err != nil {
		return nil, err
	}
	if err := stored.Flush(); err != nil {
		return nil, err
	}
	small, err := c.reduce(ctx, stored.file, stored.size)
	if err != nil {
		return nil, err
	}
	out, err := c.newPicture(ctx)
	if err != nil {
		return nil, err
	}
	defer out.abandon()
	if err := jpeg.Encode(out, small, &jpeg.Options{Quality: thumbnailQuality}); err != nil {
		return nil, err
	}
	return out.finish()
}

// reduce returns the picture at the size of its thumbnail. The averages of the
// blocks are also what is left of a small picture that image/jpeg cannot read,
// because its sampling is rare.
func (c *Codec) reduce(ctx context.Context, src io.ReaderAt, size int64) (image.Image, error) {
	whole, err := jpeg.DecodeConfig(io.NewSectionReader(src, 0, size))
	if err == nil && max(whole.Width, whole.Height) < blockSide*thumbnailSide {
		m, err := c.pixels(ctx, src, size, whole)
		if err == nil {
			return scaled(m, whole.Width, whole.Height), nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	averages, err := c.averages(ctx, src, size)
	if err != nil {
		return nil, err
	}
	return scaled(averages.picture(), averages.frame.width, averages.frame.height), nil
}

// scaled returns a picture of that size at the size of its thumbnail.
func scaled(m image.Image, width, height int) image.Image {
	scale := min(1, thumbnailSide/float64(max(width, height)))
	area := image.Rect(0, 0, max(1, int(float64(width)*scale+0.5)), max(1, int(float64(height)*scale+0.5)))
	var out draw.Image = image.NewRGBA(area)
	if _, grey := m.(*image.Gray); grey {
		out = image.NewGray(area)
	}
	draw.CatmullRom.Scale(out, area, m, m.Bounds(), draw.Src, nil)
	return out
}

// pixels reads every pixel with image/jpeg, within the memory budget.
func (c *Codec) pixels(ctx context.Context, src io.ReaderAt, size int64, whole image.Config) (image.Image, error) {
	const most = 4 + 3*4 // bytes per pixel, of the picture and of the coefficients of a progressive JPEG
	held := min(int64(whole.Width)*int64(whole.Height)*most, c.budget)
	if err := c.memory.Acquire(ctx, held); err != nil {
		return nil, err
	}
	defer c.memory.Release(held)
	return jpeg.Decode(bufio.NewReader(io.NewSectionReader(src, 0, size)))
}

// errAveraged ends the reading of a JPEG whose averages are complete.
var errAveraged = errors.New("every block has its average")

// averages is the averages of the blocks of a picture, a plane for each component.
type averages struct {
	model  colourModel
	frame  *jpegFrame // of the whole picture
	area   image.Rectangle
	planes [][]byte
}

// averages reads the average of each block.
func (c *Codec) averages(ctx context.Context, src io.ReaderAt, size int64) (*averages, error) {
	in := newWindow(ctx, src, size, io.Discard)
	j := &jpegRewriter{
		codec: c, ctx: ctx, in: in, out: io.Discard, data: entropy{in: in}, averages: true,
		libjpeg: jpegColour{adobe: noAdobe}, standard: jpegColour{adobe: noAdobe},
	}
	defer j.release()
	if err := j.rewrite(); err != nil && !errors.Is(err, errAveraged) {
		return nil, err
	}
	f := j.frame
	wide, high := (f.width+blockSide-1)/blockSide, (f.height+blockSide-1)/blockSide
	a := &averages{j.model, f, image.Rect(0, 0, wide, high), make([][]byte, len(f.components))}
	for i, c := range f.components {
		a.planes[i] = make([]byte, wide*high)
		step := int32(c.latched[1])
		if c.latched[0]>>4 != 0 { // a table of 16 bits
			step = step<<8 | int32(c.latched[2])
		}
		paper := a.model == modelCMYK || a.model == modelYCCK && i == 3 // Adobe writes the paper that is left
		for at := range a.planes[i] {
			x, y := at%wide*c.h/f.hMax, at/wide*c.v/f.vMax
			v := byte(max(0, min(255, (int32(c.averages[y*c.blocksWide+x])*step+4)>>3+128)))
			if paper {
				v = 255 - v
			}
			a.planes[i][at] = v
		}
	}
	return a, nil
}

// picture returns a pixel for each block.
func (a *averages) picture() image.Image {
	wide := a.area.Dx()
	if a.model == modelGrey {
		return &image.Gray{Pix: a.planes[0], Stride: wide, Rect: a.area}
	}
	if a.model == modelYCC {
		return &image.YCbCr{Y: a.planes[0], Cb: a.planes[1], Cr: a.planes[2], YStride: wide, CStride: wide, SubsampleRatio: image.YCbCrSubsampleRatio444, Rect: a.area}
	}
	m := image.NewRGBA(a.area)
	for i := range a.planes[0] {
		at := color.RGBA{a.planes[0][i], a.planes[1][i], a.planes[2][i], 255}
		if a.model == modelYCCK {
			at.R, at.G, at.B = color.YCbCrToRGB(at.R, at.G, at.B)
		}
		if a.model != modelRGB {
			at.R, at.G, at.B = color.CMYKToRGB(at.R, at.G, at.B, a.planes[3][i])
		}
		m.SetRGBA(i%wide, i/wide, at)
	}
	return m
}
