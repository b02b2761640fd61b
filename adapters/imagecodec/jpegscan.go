package imagecodec

import (
	"fmt"
)

const maxScans = 100

// jpegScan is a scan header (an SOS segment).
type jpegScan struct {
	parts       []scanPart
	first, last int // the coefficients of the scan, in zigzag order
	high, low   int // the number of low bits that are missing before and after the scan

	unit, wide int // while it reads averages: the MCU, and the MCUs of a row
}

// scanPart is a component in a scan, with the tables that decode it.
type scanPart struct {
	*jpegComponent
	dcID, acID byte
	dc, ac     *huffTable
	sum        int32 // sum of the DC differences since the last restart marker
}

// readScan reads an SOS segment of n bytes.
func readScan(w *window, f *jpegFrame, n int) (*jpegScan, error) {
	malformed := refuseDamaged("a scan header is not well formed")
	if n < 6 || n > 4+2*4 {
		return nil, malformed
	}
	b, err := w.take(n)
	if err != nil {
		return nil, err
	}
	count := int(b[0])
	if n != 4+2*count {
		return nil, malformed
	}
	s := &jpegScan{last: 63}
	for i := 1; i < 1+2*count; i += 2 {
		c := f.find(b[i])
		if c == nil {
			return nil, malformed
		}
		for _, p := range s.parts {
			if p.id == c.id {
				return nil, malformed
			}
		}
		s.parts = append(s.parts, scanPart{jpegComponent: c, dcID: b[i+1] >> 4, acID: b[i+1] & 15})
	}
	if f.progressive() {
		s.first, s.last = int(b[n-3]), int(b[n-2])
		s.high, s.low = int(b[n-1]>>4), int(b[n-1]&15)
	}
	return s, s.check(f)
}

// check checks the scan against T.81 (B.2.3, G.1.1.1) and the scans before it.
// Each coefficient may come only once, and then each of its low bits once. This
// bounds the decoding work.
func (s *jpegScan) check(f *jpegFrame) error {
	blocks := 0
	for _, p := range s.parts {
		blocks += p.h * p.v
		if last := byte(3); p.dcID > last || p.acID > last || f.marker == markerSOF0 && (p.dcID > 1 || p.acID > 1) {
			return refuseDamaged("a scan names a table that cannot exist")
		}
	}
	if len(s.parts) > 1 && blocks > 10 {
		return refuseDamaged("a scan has too many blocks in a group")
	}
	if s.first > s.last || s.last > 63 || s.low > 13 || s.high != 0 && s.high != s.low+1 {
		return refuseDamaged("a scan is not a part of a progression")
	}
	if f.progressive() && (s.first == 0) != (s.last == 0) || s.first > 0 && len(s.parts) > 1 {
		return refuseDamaged("a scan is not a part of a progression")
	}
	for _, p := range s.parts {
		for k := s.first; k <= s.last; k++ {
			if p.bits[k] != unseen && (s.high == 0 || int(p.bits[k]) != s.high) {
				return refuseDamaged("a scan repeats, or skips, a part of the image")
			}
			p.bits[k] = int8(s.low)
		}
	}
	return nil
}

// buildTables builds the Huffman tables of each part in space, which holds four
// of each class. It sets the IDs of unused tables to 0.
func (s *jpegScan) buildTables(t *jpegTables, progressive bool, space *[2][4]huffTable) error {
	dc := s.first == 0 && s.high == 0
	ac, meaning := s.last > 0, codesSequential
	if progressive {
		if meaning = codesBands; s.high > 0 {
			meaning = codesRefinement
		}
	}
	for i := range s.parts {
		p := &s.parts[i]
		p.dc, p.ac = &space[0][p.dcID], &space[1][p.acID]
		if !dc {
			p.dc, p.dcID = nil, 0
		} else if err := t.build(p.dc, 0, int(p.dcID), codesDC, s.low); err != nil {
			return err
		}
		if !ac {
			p.ac, p.acID = nil, 0
		} else if err := t.build(p.ac, 1, int(p.acID), meaning, s.low); err != nil {
			return err
		}
	}
	return nil
}

// append appends the SOS segment to out.
func (s *jpegScan) append(out []byte) []byte {
	out = append(out, 0xff, markerSOS, 0, byte(6+2*len(s.parts)), byte(len(s.parts)))
	for _, p := range s.parts {
		out = append(out, p.id, p.dcID<<4|p.acID)
	}
	return append(out, byte(s.first), byte(s.last), byte(s.high<<4|s.low))
}

// units returns the number of MCUs in the scan.
func (s *jpegScan) units(f *jpegFrame) int {
	if len(s.parts) > 1 {
		return f.groups()
	}
	return s.parts[0].blocksWide * s.parts[0].blocksHigh
}

// walk decodes the data of the scan, one restart interval at a time, and copies
// them.
func (s *jpegScan) walk(e *entropy, units, interval int, masks []uint64) error {
	if interval == 0 {
		interval = units
	}
	w := e.in
	if s.first > 0 && e.over > 0 {
		e.disputed = true // image/jpeg continues the last scan's run; libjpeg drops it
	}
	for done, next := 0, byte(markerRST0); ; {
		n := min(interval, units-done)
		w.startCopy()
		for i := range s.parts {
			s.parts[i].sum = 0
		}
		var part []uint64
		if masks != nil {
			part = masks[done : done+n]
		}
		if err := s.interval(e, n, part); err != nil {
			return err
		}
		if err := e.endInterval(); err != nil {
			return err
		}
		if done += n; done == units {
			return nil
		}
		m, err := w.marker()
		if err != nil {
			return err
		}
		if m != next {
			return refuseDamaged(fmt.Sprintf("restart marker %d is missing", next-markerRST0))
		}
		if _, err := w.out.Write([]byte{0xff, next}); err != nil {
			return err
		}
		next = markerRST0 | (next+1)&7
		e.over = 0
	}
}

// interval decodes n MCUs.
func (s *jpegScan) interval(e *entropy, n int, masks []uint64) error {
	p := &s.parts[0]
	switch {
	case s.first > 0 && s.high > 0:
		return e.refinements(p.ac, s, masks)
	case s.first > 0:
		return e.bands(p.ac, s, masks, n)
	case s.high > 0:
		return s.correctDC(e, n)
	}
	for range n {
		for i := range s.parts {
			p := &s.parts[i]
			for at := range s.blocks(p) {
				if err := e.dc(p.dc, &p.sum, s.low); err != nil {
					return err
				}
				if average := s.average(p, at); average != nil {
					*average = int16(p.sum << s.low)
				}
				if p.ac == nil {
					continue
				}
				if err := e.block(p.ac); err != nil {
					return err
				}
			}
		}
		s.unit++
	}
	return nil
}

// average returns where the DC coefficient of the block of an MCU is kept, or
// nil if it is not.
func (s *jpegScan) average(p *scanPart, at int) *int16 {
	if p.averages == nil {
		return nil
	}
	x, y := s.unit%s.wide, s.unit/s.wide
	if len(s.parts) > 1 {
		x, y = x*p.h+at%p.h, y*p.v+at/p.h
	}
	if x >= p.blocksWide || y >= p.blocksHigh {
		return nil // it pads the MCU
	}
	return &p.averages[y*p.blocksWide+x]
}

// correctDC skips the correction bit of each DC coefficient in n MCUs, or adds
// it to the averages.
func (s *jpegScan) correctDC(e *entropy, n int) error {
	if s.parts[0].averages != nil {
		return s.correctAverages(e, n)
	}
	blocks := 0
	for i := range s.parts {
		blocks += s.blocks(&s.parts[i])
	}
	return e.skip(n * blocks)
}

func (s *jpegScan) correctAverages(e *entropy, n int) error {
	for range n {
		for i := range s.parts {
			p := &s.parts[i]
			for at := range s.blocks(p) {
				bit, err := e.bit()
				if err != nil {
					return err
				}
				if average := s.average(p, at); average != nil {
					*average |= bit << s.low
				}
			}
		}
		s.unit++
	}
	return nil
}

// blocks returns the number of a component's blocks in one MCU of the scan.
func (s *jpegScan) blocks(p *scanPart) int {
	if len(s.parts) == 1 {
		return 1
	}
	return p.h * p.v
}
