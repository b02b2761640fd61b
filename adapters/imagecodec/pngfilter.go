package imagecodec

import "io"

// filteredRows is a reader of scanlines that undoes their filters.
type filteredRows struct {
	r         io.Reader
	bpp       int // bytes per pixel, at least 1
	cur, prev []byte
}

// newFilteredRows returns a reader of scanlines of width pixels. All bytes
// above the first scanline are 0.
func newFilteredRows(r io.Reader, info *pngInfo, width int) *filteredRows {
	n := 1 + info.rowBytes(width)
	return &filteredRows{
		r: r, bpp: max(1, info.samples()*info.depth/8),
		cur: make([]byte, n), prev: make([]byte, n),
	}
}

// next returns the next scanline, without its filter byte. It stays valid until
// the second call after this one.
func (f *filteredRows) next() ([]byte, error) {
	f.cur, f.prev = f.prev, f.cur
	if _, err := io.ReadFull(f.r, f.cur); err != nil {
		return nil, err
	}
	row, above := f.cur[1:], f.prev[1:]
	switch f.cur[0] {
	case 0:
	case 1:
		unfilterSub(row, f.bpp)
	case 2:
		unfilterUp(row, above)
	case 3:
		unfilterAverage(row, above, f.bpp)
	case 4:
		unfilterPaeth(row, above, f.bpp)
	default:
		return nil, pngDamaged("it uses a row filter that does not exist")
	}
	return row, nil
}

func unfilterSub(row []byte, bpp int) {
	for i := bpp; i < len(row); i++ {
		row[i] += row[i-bpp]
	}
}

func unfilterUp(row, above []byte) {
	above = above[:len(row)]
	for i := range row {
		row[i] += above[i]
	}
}

func unfilterAverage(row, above []byte, bpp int) {
	above = above[:len(row)]
	for i := range min(bpp, len(row)) {
		row[i] += above[i] / 2
	}
	for i := bpp; i < len(row); i++ {
		row[i] += uint8((int(row[i-bpp]) + int(above[i])) / 2)
	}
}

func unfilterPaeth(row, above []byte, bpp int) {
	above = above[:len(row)]
	for i := range min(bpp, len(row)) {
		row[i] += above[i]
	}
	if len(row) <= bpp {
		return
	}
	// All slices have the same length, so the compiler omits bounds checks.
	lefts, row := row[:len(row)-bpp], row[bpp:]
	corners, above := above[:len(lefts)], above[bpp:]
	for i := range lefts {
		row[i] += paeth(int(lefts[i]), int(above[i]), int(corners[i]))
	}
}

// paeth returns the argument nearest to left + up - corner. In a tie, it
// prefers left, then up. A test compares it with the specification's three
// distances for all 2^24 arguments. It has no branches: a photograph needs a
// third of the time.
func paeth(left, up, corner int) uint8 {
	low, high := min(left, up), max(left, up)
	middle := 3*corner - left - up
	nearest := corner
	if high <= middle {
		nearest = low
	}
	if middle <= low {
		nearest = high
	}
	return uint8(nearest)
}
