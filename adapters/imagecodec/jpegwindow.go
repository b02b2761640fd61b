package imagecodec

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/molar-billing/molar/core/billing"
)

// The markers of ITU-T T.81, table B.1, that the rewriter knows. A byte 0xff
// precedes each.
const (
	markerSOF0  = 0xc0 // baseline
	markerSOF1  = 0xc1 // extended sequential
	markerSOF2  = 0xc2 // progressive
	markerDHT   = 0xc4
	markerRST0  = 0xd0
	markerRST7  = 0xd7
	markerSOI   = 0xd8
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerDQT   = 0xdb
	markerDRI   = 0xdd
	markerAPP0  = 0xe0
	markerAPP14 = 0xee
	markerAPP15 = 0xef
	markerCOM   = 0xfe
)

const (
	windowSize = 64 << 10

	// lookBehind is the number of bytes before pos that stay in the window. An
	// entropy decoder returns at most 8 bytes, each with a stuffed zero.
	lookBehind = 16
)

// window is a small buffer that reads a JPEG from front to back and copies the
// parts to keep.
type window struct {
	ctx  context.Context // a window serves one call; each read checks ctx
	src  io.ReaderAt
	size int64 // of src
	off  int64 // position in src of the byte after buf[:end]

	buf      []byte
	pos, end int // buf[pos:end] is still to be read

	out  io.Writer
	keep int // while copying, buf[keep:pos] is read but not copied yet; otherwise -1
}

func newWindow(ctx context.Context, src io.ReaderAt, size int64, out io.Writer) *window {
	return &window{ctx: ctx, src: src, size: size, buf: make([]byte, windowSize), out: out, keep: -1}
}

// more reads more of src into the buffer. It does nothing at the end of src.
func (w *window) more() error {
	if w.off == w.size {
		return nil
	}
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	from := w.pos
	if w.keep >= 0 {
		if from = max(w.keep, w.pos-lookBehind); from > w.keep {
			if _, err := w.out.Write(w.buf[w.keep:from]); err != nil {
				return err
			}
		}
		w.keep = 0
	}
	w.end = copy(w.buf, w.buf[from:w.end])
	w.pos -= from
	want := min(int64(len(w.buf)-w.end), w.size-w.off)
	n, err := w.src.ReadAt(w.buf[w.end:w.end+int(want)], w.off)
	w.end += n
	w.off += int64(n)
	if int64(n) < want {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("read a JPEG: %w", err)
	}
	return nil
}

// ended reports whether all of src has been read.
func (w *window) ended() bool { return w.pos == w.end && w.off == w.size }

// take returns the next n bytes, which are valid until the next read. n must be
// far smaller than the buffer.
func (w *window) take(n int) ([]byte, error) {
	if w.end-w.pos < n {
		if err := w.more(); err != nil {
			return nil, err
		}
		if w.end-w.pos < n {
			return nil, refuseShort()
		}
	}
	w.pos += n
	return w.buf[w.pos-n : w.pos], nil
}

// skip skips n bytes. It does not read those that are not in the buffer yet.
func (w *window) skip(n int) error {
	if have := w.end - w.pos; n > have {
		if w.off += int64(n - have); w.off > w.size {
			return refuseShort()
		}
		n = have
	}
	w.pos += n
	return nil
}

// marker reads up to the next marker and returns it. Like every decoder, it
// skips stray bytes.
func (w *window) marker() (byte, error) {
	for {
		if err := w.seekFF(); err != nil {
			return 0, err
		}
		fill := 0
		for {
			b, err := w.take(1)
			if err != nil {
				return 0, err
			}
			if b[0] == 0xff {
				fill++
				continue
			}
			if b[0] != 0 {
				return b[0], nil
			}
			if fill > 0 { // a stray data byte to libjpeg, a marker to others
				return 0, refuseDamaged("no marker follows its fill bytes")
			}
			break
		}
	}
}

// seekFF moves past the next byte 0xff.
func (w *window) seekFF() error {
	for {
		if i := bytes.IndexByte(w.buf[w.pos:w.end], 0xff); i >= 0 {
			w.pos += i + 1
			return nil
		}
		if w.pos = w.end; w.ended() {
			return refuseShort()
		}
		if err := w.more(); err != nil {
			return err
		}
	}
}

// toMarker moves to the next marker. It skips stuffed zeros.
func (w *window) toMarker() error {
	for {
		if err := w.seekFF(); err != nil {
			return err
		}
		b, err := w.take(1)
		if err != nil {
			return err
		}
		if b[0] != 0 {
			w.pos -= 2
			return nil
		}
	}
}

// startCopy starts a copy: the output receives all bytes from pos on.
func (w *window) startCopy() { w.keep = w.pos }

// endCopy writes the rest of the copy, up to pos.
func (w *window) endCopy() error {
	_, err := w.out.Write(w.buf[w.keep:w.pos])
	w.keep = -1
	return err
}

func refuseShort() error {
	return refuse(billing.FaultFormat, "The JPEG ends before its image is complete.")
}

func refuseDamaged(why string) error {
	return refuse(billing.FaultFormat, "The JPEG is damaged: "+why+".")
}
