package imagecodec

import (
	"bufio"
	"compress/zlib"
	"context"
	"encoding/binary"
	"io"
)

// blockSide is the side of a JPEG's blocks. A strip has that many rows, which
// are padded to whole blocks.
const blockSide = 8

// wholeBlocks rounds a width or height up to whole blocks.
func wholeBlocks(side int) int { return (side + blockSide - 1) &^ (blockSide - 1) }

// decodePNG decodes the picture and sends its strips to full. It receives the
// buffers for them from free, and allocates one for each nil.
func decodePNG(ctx context.Context, info *pngInfo, src io.ReaderAt, size int64, free <-chan []byte, full chan<- []byte) error {
	space, err := info.colorSpace(ctx, src)
	if err != nil {
		return err
	}
	source := newPNGSource(ctx, src, info.pixels, size)
	inflated, err := zlib.NewReader(bufio.NewReaderSize(&idatReader{r: bufio.NewReaderSize(source, pngBuffer)}, pngBuffer))
	if err != nil {
		return source.verdict(err)
	}
	d := &pngDecoder{
		ctx: ctx, info: info, inflated: inflated, expand: newExpander(info, space),
		stride: wholeBlocks(info.width) * info.components(), free: free, full: full,
	}
	if info.interlaced {
		err = d.interlaced()
	} else {
		err = d.progressive()
	}
	if err == nil {
		err = d.noMore()
	}
	return source.verdict(err)
}

// idatReader is a reader of the joined IDAT chunks. Their checksums were
// checked before, so it reads only their lengths.
type idatReader struct {
	r      *bufio.Reader
	left   uint32 // bytes left in the chunk
	within bool   // a chunk was started, and its checksum follows
}

func (i *idatReader) Read(p []byte) (int, error) {
	for i.left == 0 {
		if err := i.begin(); err != nil {
			return 0, err
		}
	}
	n, err := i.r.Read(p[:min(len(p), int(i.left))])
	i.left -= uint32(n)
	return n, err
}

// begin moves to the next IDAT chunk. It returns io.EOF at a chunk of another
// kind.
func (i *idatReader) begin() error {
	if i.within {
		if _, err := i.r.Discard(4); err != nil {
			return err
		}
	}
	head, err := i.r.Peek(8)
	if err != nil {
		return err
	}
	if string(head[4:]) != kindIDAT {
		return io.EOF
	}
	i.left, i.within = binary.BigEndian.Uint32(head), true
	_, err = i.r.Discard(8)
	return err
}

// pngDecoder turns inflated scanlines into strips.
type pngDecoder struct {
	ctx      context.Context
	info     *pngInfo
	inflated io.Reader
	expand   expander
	stride   int // bytes per row of a strip
	free     <-chan []byte
	full     chan<- []byte
}

// progressive decodes a PNG without interlacing. It sends each strip as soon as
// its rows are decoded.
func (d *pngDecoder) progressive() error {
	rows := newFilteredRows(d.inflated, d.info, d.info.width)
	for top := 0; top < d.info.height; top += blockSide {
		strip, err := d.strip()
		if err != nil {
			return err
		}
		have := min(blockSide, d.info.height-top)
		for y := range have {
			row, err := rows.next()
			if err != nil {
				return err
			}
			d.expand(strip[y*d.stride:], row, d.info.width)
		}
		d.send(strip, have)
	}
	return nil
}

// adam7 returns the passes of an interlaced PNG: the first pixel of each, and
// the distances between its pixels.
func adam7() [7]struct{ x, y, dx, dy int } {
	return [...]struct{ x, y, dx, dy int }{
		{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
	}
}

// interlaced decodes the seven passes into one picture, and then sends its
// strips.
func (d *pngDecoder) interlaced() error {
	components := d.info.components()
	picture := make([]byte, d.stride*wholeBlocks(d.info.height))
	line := make([]byte, d.info.width*components)
	for _, pass := range adam7() {
		width := (d.info.width - pass.x + pass.dx - 1) / pass.dx
		if width <= 0 {
			continue
		}
		rows := newFilteredRows(d.inflated, d.info, width)
		for y := pass.y; y < d.info.height; y += pass.dy {
			row, err := rows.next()
			if err != nil {
				return err
			}
			d.expand(line, row, width)
			to := picture[y*d.stride+pass.x*components:]
			for x := range width {
				copy(to[x*pass.dx*components:], line[x*components:(x+1)*components])
			}
		}
	}
	for top := 0; top < d.info.height; top += blockSide {
		strip, err := d.strip()
		if err != nil {
			return err
		}
		copy(strip, picture[top*d.stride:])
		d.send(strip, min(blockSide, d.info.height-top))
	}
	return nil
}

// strip returns the next free buffer. It waits until the encoder releases one.
func (d *pngDecoder) strip() ([]byte, error) {
	select {
	case strip := <-d.free:
		if strip == nil {
			strip = make([]byte, blockSide*d.stride)
		}
		return strip, nil
	case <-d.ctx.Done():
		return nil, context.Cause(d.ctx)
	}
}

// send pads a strip to whole blocks with its own reflection, and sends it.
// Reflected pixels cost a DCT the least. A picture of 3 x 3 pixels keeps 8 dB
// more than with its last pixels repeated.
func (d *pngDecoder) send(strip []byte, rows int) {
	components, width := d.info.components(), d.info.width
	for y := range rows {
		row := strip[y*d.stride : (y+1)*d.stride]
		for x := width; x < d.stride/components; x++ {
			copy(row[x*components:(x+1)*components], row[reflected(x, width)*components:])
		}
	}
	for y := rows; y < blockSide; y++ {
		copy(strip[y*d.stride:(y+1)*d.stride], strip[reflected(y, rows)*d.stride:])
	}
	d.full <- strip
}

// reflected returns the index below side that mirrors an index at or beyond
// side.
func reflected(at, side int) int {
	at %= 2 * side
	return min(at, 2*side-1-at)
}

// noMore checks that the pixel data ends with the last scanline, and checks its
// checksum.
func (d *pngDecoder) noMore() error {
	switch _, err := io.ReadFull(d.inflated, make([]byte, 1)); err {
	case io.EOF:
		return nil
	case nil:
		return pngDamaged("it has more pixel data than its header states")
	default:
		return err
	}
}
