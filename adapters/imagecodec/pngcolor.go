package imagecodec

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"io"
	"math"
)

// The chunks that define the color space.
const (
	kindCICP = "cICP"
	kindICCP = "iCCP"
	kindSRGB = "sRGB"
	kindGAMA = "gAMA"
	kindCHRM = "cHRM"
)

const (
	pngFraction = 100_000 // the number 1 in gAMA and cHRM

	// Writers that mean sRGB store 1/2.2, with the primaries of sRGB or alone.
	leastSRGBGamma, mostSRGBGamma = 45_000, 46_000
)

// pngColor holds the color chunks: the contents of the short ones by kind, and
// the position of the profile.
type pngColor struct {
	short           map[string][]byte
	profile, length int64 // position and length of the iCCP chunk's content; length is 0 without one
}

// color reads a color chunk. As for any ancillary chunk, it skips one that is
// damaged, repeated or out of place.
func (w *chunkWalk) color(kind string, length int64) error {
	sizes := map[string]int64{kindCICP: 4, kindSRGB: 1, kindGAMA: 4, kindCHRM: 32}
	color := &w.info.color
	late := w.idat || w.info.palette != nil
	switch size, short := sizes[kind]; {
	case late, short && (length != size || color.short[kind] != nil), !short && color.length > 0:
		return w.skip(length + 4)
	case short:
		content, err := w.r.Peek(int(size))
		if err != nil {
			return err
		}
		content = bytes.Clone(content)
		if ok, err := w.intact(kind, length); err != nil || !ok {
			return err
		}
		if color.short == nil {
			color.short = make(map[string][]byte)
		}
		color.short[kind] = content
		return nil
	default:
		from := w.size - w.left - length - 4
		if ok, err := w.intact(kind, length); err != nil || !ok {
			return err
		}
		color.profile, color.length = from, length
		return nil
	}
}

// colorSpace returns the color space of a picture, or nil for sRGB. The chunks
// have the precedence of the PNG specification (third edition, 4.3): cICP,
// iCCP, sRGB, and then gAMA with cHRM. An unusable chunk gives precedence to
// the next. A picture without any of them is sRGB.
func (i *pngInfo) colorSpace(ctx context.Context, src io.ReaderAt) (*colorSpace, error) {
	if s := codedSpace(i.color.short[kindCICP]); s != nil {
		return s, nil
	}
	if i.color.length > 0 {
		profile, err := i.color.inflateProfile(ctx, src)
		if err != nil {
			return nil, err
		}
		if s := iccProfile(profile, i.components()); s != nil {
			return s, nil
		}
	}
	if i.color.short[kindSRGB] != nil {
		return nil, nil
	}
	chrm := i.color.short[kindCHRM]
	if i.components() == 1 {
		chrm = nil // grey has no primaries
	}
	return gammaSpace(i.color.short[kindGAMA], chrm), nil
}

// inflateProfile returns the profile in an iCCP chunk, or nil if it is damaged.
// An error means that reading failed.
func (c *pngColor) inflateProfile(ctx context.Context, src io.ReaderAt) ([]byte, error) {
	source := newPNGSource(ctx, src, c.profile, c.profile+min(c.length, maxProfile))
	profile := profileOf(bufio.NewReader(source))
	if profile == nil {
		return nil, source.broken()
	}
	return profile, nil
}

// profileOf reads the content of an iCCP chunk: a name, a compression method,
// and the profile. It inflates as many bytes as the profile's header states, up
// to maxProfile. It returns nil for invalid content.
func profileOf(r *bufio.Reader) []byte {
	if _, err := r.ReadSlice(0); err != nil {
		return nil
	}
	if method, err := r.ReadByte(); err != nil || method != 0 {
		return nil
	}
	inflated, err := zlib.NewReader(r)
	if err != nil {
		return nil
	}
	head := make([]byte, iccHeader)
	if _, err := io.ReadFull(inflated, head); err != nil {
		return nil
	}
	size := binary.BigEndian.Uint32(head)
	if size < iccHeader || size > maxProfile {
		return nil
	}
	profile := append(head, make([]byte, size-iccHeader)...)
	if _, err := io.ReadFull(inflated, profile[iccHeader:]); err != nil {
		return nil
	}
	return profile
}

// gammaSpace returns the color space of a gAMA chunk and an optional cHRM
// chunk. As in browsers, cHRM alone has no effect.
func gammaSpace(gama, chrm []byte) *colorSpace {
	if gama == nil || binary.BigEndian.Uint32(gama) == 0 {
		return nil
	}
	gamma, s := binary.BigEndian.Uint32(gama), srgb()
	if chrm != nil {
		var xy [8]float64
		for i := range xy {
			xy[i] = float64(binary.BigEndian.Uint32(chrm[4*i:])) / pngFraction
		}
		if toXYZ, ok := primaries(xy); ok {
			s.matrix = fromD50().times(toXYZ)
		}
		if !s.usable() {
			s.matrix = identity()
		}
	}
	if s.matrix.near(identity()) && gamma >= leastSRGBGamma && gamma <= mostSRGBGamma {
		return nil
	}
	s.curves[0] = power(pngFraction / float64(gamma))
	return s
}

// codedSpace returns the color space for the code points of a cICP chunk (ITU-T
// H.273). It supports those of television and displays with sRGB's dynamic
// range. It returns nil for others. Most have a high dynamic range and need
// tone mapping. For viewers without it, writers add another color chunk.
func codedSpace(cicp []byte) *colorSpace {
	if cicp == nil || cicp[2] != 0 || cicp[3] != 1 { // not RGB, or not of full range
		return nil
	}
	s := srgb()
	switch cicp[0] {
	case 1: // BT.709, as sRGB
	case 9: // BT.2020
		s.matrix = spanned(0.708, 0.292, 0.17, 0.797, 0.131, 0.046)
	case 12: // Display P3
		s.matrix = spanned(0.68, 0.32, 0.265, 0.69, 0.15, 0.06)
	default:
		return nil
	}
	switch cicp[1] {
	case 1, 6, 14, 15: // BT.709
		s.curves[0] = func(sample float64) float64 {
			if sample < 0.081 {
				return sample / 4.5
			}
			return math.Pow((sample+0.099)/1.099, 1/0.45)
		}
	case 4:
		s.curves[0] = power(2.2)
	case 5:
		s.curves[0] = power(2.8)
	case 8:
		s.curves[0] = power(1)
	case 13: // sRGB
	default:
		return nil
	}
	return s
}

// spanned returns the matrix of the red, green and blue primaries under sRGB's
// white.
func spanned(xy ...float64) matrix {
	toXYZ, _ := primaries([8]float64(append([]float64{0.3127, 0.329}, xy...)))
	return fromD50().times(toXYZ)
}
