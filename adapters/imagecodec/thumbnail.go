package imagecodec

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"

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
		p, err := c.pixels(ctx, src, size, whole)
		if err == nil {
			return p.reduced(), nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	p, err := c.averages(ctx, src, size)
	if err != nil {
		return nil, err
	}
	return p.reduced(), nil
}

// pixels reads every pixel with image/jpeg, within the memory budget.
func (c *Codec) pixels(ctx context.Context, src io.ReaderAt, size int64, whole image.Config) (*planes, error) {
	const most = 4 + 3*4 // bytes per pixel, of the picture and of the coefficients of a progressive JPEG
	held := min(int64(whole.Width)*int64(whole.Height)*most, c.budget)
	if err := c.memory.Acquire(ctx, held); err != nil {
		return nil, err
	}
	defer c.memory.Release(held)
	m, err := jpeg.Decode(bufio.NewReader(io.NewSectionReader(src, 0, size)))
	if err != nil {
		return nil, err
	}
	p := &planes{width: whole.Width, height: whole.Height}
	switch m := m.(type) {
	case *image.Gray:
		p.model = modelGrey
		p.add(m.Pix, 1, m.Stride, 1, 1)
	case *image.YCbCr:
		p.model = modelYCC
		across, down := chromaRatio(m.SubsampleRatio)
		p.add(m.Y, 1, m.YStride, 1, 1)
		p.add(m.Cb, 1, m.CStride, across, down)
		p.add(m.Cr, 1, m.CStride, across, down)
	case *image.RGBA:
		p.model = modelRGB
		for i := range 3 {
			p.add(m.Pix[i:], 4, m.Stride, 1, 1)
		}
	case *image.CMYK:
		p.model = modelCMYK
		for i := range 4 {
			p.add(m.Pix[i:], 4, m.Stride, 1, 1)
		}
	default:
		return nil, fmt.Errorf("a JPEG decoded to %T", m)
	}
	return p, nil
}

// chromaRatio returns how many pixels a chroma sample covers.
func chromaRatio(r image.YCbCrSubsampleRatio) (across, down int) {
	m := image.NewYCbCr(image.Rect(0, 0, 4, 4), r)
	return 4 / m.CStride, 4 * m.CStride / len(m.Cb)
}

// errAveraged ends the reading of a JPEG whose averages are complete.
var errAveraged = errors.New("every block has its average")

// averages reads the average of each block.
func (c *Codec) averages(ctx context.Context, src io.ReaderAt, size int64) (*planes, error) {
	in := newWindow(ctx, src, size, io.Discard)
	j := &jpegRewriter{
		codec: c, ctx: ctx, in: in, out: io.Discard, data: entropy{in: in}, averages: true,
		libjpeg: jpegColour{adobe: noAdobe}, standard: jpegColour{adobe: noAdobe},
	}
	defer j.release()
	if err := j.rewrite(); err != nil && !errors.Is(err, errAveraged) {
		return nil, err
	}
	p := &planes{model: j.model, width: j.frame.width, height: j.frame.height}
	for _, c := range j.frame.components {
		pix := make([]byte, len(c.averages))
		step := int32(c.latched[1])
		if c.latched[0]>>4 != 0 { // a table of 16 bits
			step = step<<8 | int32(c.latched[2])
		}
		for i, dc := range c.averages {
			pix[i] = clamp(float32(int32(dc)*step)/8 + 128)
		}
		across, down := j.frame.hMax/c.h, j.frame.vMax/c.v
		if p.model == modelCMYK || p.model == modelYCCK && len(p.all) == 3 { // Adobe writes the paper that is left
			for i := range pix {
				pix[i] = 255 - pix[i]
			}
		}
		p.add(pix, 1, c.blocksWide, blockSide*across, blockSide*down)
	}
	return p, nil
}

// planes is a picture as one plane for each component.
type planes struct {
	model         colourModel
	width, height int // pixels
	all           []plane
}

// plane is the samples of a component. The last ones may cover pixels beyond
// the edge.
type plane struct {
	pix           []byte
	step, stride  int
	width, height float64 // of the picture, in samples
}

// add adds a component, whose samples cover that many pixels.
func (p *planes) add(pix []byte, step, stride, across, down int) {
	p.all = append(p.all, plane{pix, step, stride, float64(p.width) / float64(across), float64(p.height) / float64(down)})
}

// reduced returns the picture at the size of its thumbnail.
func (p *planes) reduced() image.Image {
	scale := min(1, thumbnailSide/float64(max(p.width, p.height)))
	width, height := max(1, int(float64(p.width)*scale+0.5)), max(1, int(float64(p.height)*scale+0.5))
	all := make([][]byte, len(p.all))
	for i, c := range p.all {
		all[i] = c.resized(width, height)
	}
	area := image.Rect(0, 0, width, height)
	if p.model == modelGrey {
		return &image.Gray{Pix: all[0], Stride: width, Rect: area}
	}
	if p.model == modelYCC {
		return &image.YCbCr{Y: all[0], Cb: all[1], Cr: all[2], YStride: width, CStride: width, SubsampleRatio: image.YCbCrSubsampleRatio444, Rect: area}
	}
	m := image.NewRGBA(area)
	for i := range all[0] {
		at := color.RGBA{all[0][i], all[1][i], all[2][i], 255}
		if p.model == modelYCCK {
			at.R, at.G, at.B = color.YCbCrToRGB(at.R, at.G, at.B)
		}
		if p.model != modelRGB {
			at.R, at.G, at.B = color.CMYKToRGB(at.R, at.G, at.B, all[3][i])
		}
		m.SetRGBA(i%width, i/width, at)
	}
	return m
}

// resized returns the plane at another size, first across and then down.
func (p plane) resized(width, height int) []byte {
	across, down := filters(p.width, width), filters(p.height, height)
	rows := int(math.Ceil(p.height))
	narrow := make([]float32, rows*width)
	for y := range rows {
		line := p.pix[y*p.stride:]
		for x, f := range across {
			sum := float32(0)
			for i, weight := range f.weights {
				sum += weight * float32(line[(f.first+i)*p.step])
			}
			narrow[y*width+x] = sum
		}
	}
	out := make([]byte, width*height)
	sums := make([]float32, width)
	for y, f := range down {
		clear(sums)
		for i, weight := range f.weights {
			for x, value := range narrow[(f.first+i)*width:][:width] {
				sums[x] += weight * value
			}
		}
		for x, sum := range sums {
			out[y*width+x] = clamp(sum)
		}
	}
	return out
}

// filter is the samples that a sample of the result is made of.
type filter struct {
	first   int
	weights []float32
}

// filters returns a Catmull-Rom filter for each sample of the result.
func filters(from float64, to int) []filter {
	scale, last := from/float64(to), int(math.Ceil(from))-1
	wide := max(1, scale)
	all := make([]filter, to)
	for i := range all {
		center := (float64(i)+0.5)*scale - 0.5
		f := filter{first: max(0, int(math.Ceil(center-2*wide)))}
		sum := float32(0)
		for at := f.first; at <= min(last, int(math.Floor(center+2*wide))); at++ {
			weight := catmullRom((float64(at) - center) / wide)
			f.weights = append(f.weights, weight)
			sum += weight
		}
		for k := range f.weights {
			f.weights[k] /= sum
		}
		all[i] = f
	}
	return all
}

// catmullRom returns the weight of a sample at a distance.
func catmullRom(x float64) float32 {
	switch x = math.Abs(x); {
	case x < 1:
		return float32(1.5*x*x*x - 2.5*x*x + 1)
	case x < 2:
		return float32(-0.5*x*x*x + 2.5*x*x - 4*x + 2)
	}
	return 0
}

// clamp rounds to the nearest sample.
func clamp(v float32) byte { return byte(max(0, min(255, v+0.5))) }
