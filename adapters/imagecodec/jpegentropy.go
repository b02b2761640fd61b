package imagecodec

import (
	"encoding/binary"
	"math/bits"
)

// entropy is a decoder of Huffman-coded data (T.81 annexes F and G). It finds
// where each coefficient ends and whether it is zero. It decodes only the
// values of DC coefficients, because their sum can overflow.
//
// It follows image/jpeg, which is stricter than libjpeg about damaged data.
// Data are disputed where libjpeg would read them differently and still show an
// image.
type entropy struct {
	in  *window
	acc uint64 // the next bits, from the top; below the n valid bits are zeros or the bits that follow
	n   int
	err error // the first read error

	disputed bool // libjpeg may need the bytes up to the next marker
	over     int  // blocks of an end-of-band run beyond the end of the interval
}

const (
	maxDCBits = 11 // T.81 table F.1, for 8-bit samples
	maxACBits = 10 // T.81 table F.2

	refillBelow = 32 // a code and its extra bits have at most 31 bits
)

// refill reads data until n is at least refillBelow or the data end.
func (e *entropy) refill() {
	w := e.in
	if w.end-w.pos >= 8 {
		x := binary.BigEndian.Uint64(w.buf[w.pos:])
		const ones, tops = 0x0101010101010101, 0x8080808080808080
		if (^x-ones)&x&tops == 0 { // none of the eight bytes is 0xff
			e.acc |= x >> e.n
			w.pos += (63 - e.n) >> 3
			e.n |= 56
			return
		}
	}
	e.refillSlowly()
}

func (e *entropy) refillSlowly() {
	for w := e.in; e.n <= 56; {
		if w.end-w.pos < 2 && e.err == nil {
			e.err = w.more()
		}
		if w.pos == w.end || e.err != nil {
			return
		}
		b := w.buf[w.pos]
		if b == 0xff {
			if w.end-w.pos < 2 || w.buf[w.pos+1] != 0 {
				return // a marker
			}
			w.pos++ // a stuffed zero
		}
		w.pos++
		e.acc |= uint64(b) << (56 - e.n)
		e.n += 8
	}
}

// endInterval drops the padding bits, returns unused bytes to the window, and
// copies the interval. It does not copy bytes that decoders ignore, because
// they could hold anything.
func (e *entropy) endInterval() error {
	w := e.in
	for ; e.n >= 8; e.n -= 8 {
		w.pos--
		if w.buf[w.pos] == 0 && w.pos > w.keep && w.buf[w.pos-1] == 0xff {
			w.pos--
		}
	}
	e.acc, e.n = 0, 0
	if e.disputed {
		if err := w.toMarker(); err != nil {
			return err
		}
	}
	return w.endCopy()
}

func (e *entropy) skip(k int) error {
	for k > e.n {
		k -= e.n
		e.acc, e.n = 0, 0
		if e.refill(); e.n == 0 {
			return e.fault(1)
		}
	}
	e.acc <<= k
	e.n -= k
	return nil
}

// bit reads one bit.
func (e *entropy) bit() (int16, error) {
	if e.n == 0 {
		if e.refill(); e.n == 0 {
			return 0, e.fault(1)
		}
	}
	bit := int16(e.acc >> 63)
	return bit, e.skip(1)
}

// fault returns the error for an invalid code (s is 0) or for missing bits.
func (e *entropy) fault(s step) error {
	if e.err != nil {
		return e.err
	}
	if s != 0 || e.n < 16 { // refill reached the end of the data
		return refuseShort()
	}
	return refuseDamaged("its image data hold a code that is not in its tables")
}

// next looks up the next code. The caller skips its bits.
func (e *entropy) next(t *huffTable) (step, error) {
	if e.n < refillBelow {
		e.refill()
	}
	s := t.lookup(e.acc)
	if s == 0 || s.bits() > e.n {
		return 0, e.fault(s)
	}
	return s, nil
}

// dc decodes the difference between a DC coefficient and the previous one
// (F.2.2.1), and adds it to sum. al is the number of low bits that later scans
// add.
func (e *entropy) dc(t *huffTable, sum *int32, al int) error {
	s, err := e.next(t)
	if err != nil {
		return err
	}
	size := s.size()
	v := int32(e.acc << s.codeBits() >> (64 - size))
	if size > 0 && v < 1<<(size-1) {
		v -= 1<<size - 1
	}
	e.acc <<= s.bits()
	e.n -= s.bits()
	*sum += v
	if d := *sum << al; d < -1<<15 || d >= 1<<15 {
		return refuseDamaged("a DC coefficient is out of range")
	}
	return nil
}

// block decodes the AC coefficients of a block in a sequential JPEG (F.2.2.2).
func (e *entropy) block(t *huffTable) error {
	acc, n, k := e.acc, e.n, 1
	for k < 64 {
		if n < refillBelow {
			e.acc, e.n = acc, n
			e.refill()
			acc, n = e.acc, e.n
		}
		s := t.fast[acc>>(64-fastBits)]
		if s == 0 {
			s = t.lookup(acc)
		}
		if s == 0 || s.bits() > n {
			e.acc, e.n = acc, n
			return e.fault(s)
		}
		if k += s.advance(); k > 64 && k < endOfBlock {
			e.acc, e.n = acc, n
			e.overrun(s)
			return nil
		}
		acc <<= s.bits()
		n -= s.bits()
	}
	e.acc, e.n = acc, n
	return nil
}

// overrun ends a block at a code that skips more zeros than the block has.
// image/jpeg stops at such a code; libjpeg also reads the value after it.
func (e *entropy) overrun(s step) {
	e.acc <<= s.codeBits()
	e.n -= s.codeBits()
	if s.size() > 0 {
		e.disputed = true
	}
}

// bands decodes count blocks of the first scan of an AC band (G.1.2.2). It
// marks the nonzero coefficients in masks, unless masks is nil.
func (e *entropy) bands(t *huffTable, s *jpegScan, masks []uint64, count int) error {
	i := e.over
	for ; i < count; i++ {
		mask, at := uint64(0), i
		for k := s.first; k <= s.last; {
			st, err := e.next(t)
			if err != nil {
				return err
			}
			if st.advance() == 0 {
				i += e.emptyBlocks(st) - 1
				break
			}
			if k += st.advance(); k > s.last+1 {
				e.overrun(st)
				break
			}
			e.acc <<= st.bits()
			e.n -= st.bits()
			if st.size() > 0 {
				mask |= 1 << (k - 1)
			}
		}
		if masks != nil {
			masks[at] |= mask
		}
	}
	e.over = i - count
	return nil
}

// emptyBlocks reads the length of an end-of-band run: the number of blocks,
// including this one, that have no more data.
func (e *entropy) emptyBlocks(s step) int {
	extra := s.bits() - s.codeBits()
	run := 1<<extra | int(e.acc<<s.codeBits()>>(64-extra))
	e.acc <<= s.bits()
	e.n -= s.bits()
	return run
}

// refinements decodes one block per mask, in a scan that refines an AC band
// (G.1.2.3). Each nonzero coefficient has a correction bit. A zero coefficient
// can become 1 or -1.
func (e *entropy) refinements(t *huffTable, s *jpegScan, masks []uint64) error {
	band := uint64(2)<<s.last - uint64(1)<<s.first
	run := e.over // blocks left in an end-of-band run
	for i, mask := range masks {
		k := s.first
		for run == 0 && k <= s.last {
			st, err := e.next(t)
			if err != nil {
				return err
			}
			if st.advance() == 0 {
				run = e.emptyBlocks(st)
				break
			}
			e.acc <<= st.bits()
			e.n -= st.bits()
			rest := band >> k << k
			zeros := ^mask & rest
			for range st.advance() - 1 {
				zeros &= zeros - 1
			}
			if zeros == 0 {
				return refuseDamaged("a block has more than its 64 coefficients")
			}
			at := bits.TrailingZeros64(zeros)
			if err := e.skip(bits.OnesCount64(mask & rest &^ (^uint64(0) << at))); err != nil {
				return err
			}
			if st.size() > 0 {
				masks[i] |= 1 << at
			}
			k = at + 1
		}
		if run > 0 {
			run--
			if err := e.skip(bits.OnesCount64(mask & (band >> k << k))); err != nil {
				return err
			}
		}
	}
	e.over = run
	return nil
}
