package imagecodec

import (
	"encoding/binary"
	"math"
)

// The layout of an ICC profile (ICC.1, 7.2 and 7.3).
const (
	iccHeader   = 128
	iccTag      = 12 // signature, offset, size
	iccXYZ      = 20 // size of an XYZ tag of one color
	iccFraction = 1 << 16

	// maxProfile is larger than any profile of curves and a matrix. Larger
	// profiles hold lookup tables, which this package ignores.
	maxProfile = 1 << 20
)

// iccProfile reads an ICC profile of RGB or grey samples. It returns nil for a
// damaged or unsupported profile. CMYK, Lab, device links, and profiles with
// lookup tables only are unsupported.
func iccProfile(b []byte, components int) *colorSpace {
	p := icc(b)
	if len(p) < iccHeader+4 || string(p[36:40]) != "acsp" || string(p[20:24]) != "XYZ " {
		return nil
	}
	switch string(p[12:16]) {
	case "mntr", "scnr", "prtr", "spac":
	default:
		return nil
	}
	var s *colorSpace
	switch kind := string(p[16:20]); {
	case kind == "GRAY" && components == 1:
		s = &colorSpace{[]curve{p.curve("kTRC")}, identity()}
	case kind == "RGB " && components == 3:
		s = p.rgb()
	default:
		return nil
	}
	for _, c := range s.curves {
		if c == nil {
			return nil
		}
	}
	if !s.usable() {
		return nil
	}
	return s
}

// icc holds the bytes of a profile.
type icc []byte

// rgb returns the color space of an RGB profile, from its three curves and
// primaries.
func (p icc) rgb() *colorSpace {
	s := &colorSpace{curves: make([]curve, 3)}
	var columns matrix
	for c, name := range []string{"r", "g", "b"} {
		s.curves[c] = p.curve(name + "TRC")
		xyz := p.tag(name+"XYZ", "XYZ ")
		if len(xyz) < iccXYZ {
			continue // usable rejects a missing primary
		}
		for row := range 3 {
			columns[row][c] = fixed(xyz[8+4*row:])
		}
	}
	s.matrix = fromD50().times(columns)
	return s
}

// tag returns the content of the tag with a signature and a type, or nil.
func (p icc) tag(signature, kind string) []byte {
	count := binary.BigEndian.Uint32(p[iccHeader:])
	for at := iccHeader + 4; count > 0 && at+iccTag <= len(p); at, count = at+iccTag, count-1 {
		entry := p[at : at+iccTag]
		if string(entry[:4]) != signature {
			continue
		}
		from, size := uint64(binary.BigEndian.Uint32(entry[4:])), uint64(binary.BigEndian.Uint32(entry[8:]))
		if size < 12 || from+size > uint64(len(p)) || string(p[from:from+4]) != kind {
			return nil
		}
		return p[from : from+size]
	}
	return nil
}

// curve reads the curve of a tag, in either form. It returns nil if there is
// none.
func (p icc) curve(signature string) curve {
	if b := p.tag(signature, "curv"); b != nil {
		return sampledCurve(b)
	}
	if b := p.tag(signature, "para"); b != nil {
		return parametricCurve(b)
	}
	return nil
}

// sampledCurve reads a curveType tag (10.6). An empty table is the identity,
// and a single number is a gamma. A longer table is interpolated linearly.
func sampledCurve(b []byte) curve {
	count, table := uint64(binary.BigEndian.Uint32(b[8:])), b[12:]
	switch {
	case count == 0:
		return power(1)
	case count > uint64(len(table)/2):
		return nil
	case count == 1:
		return power(float64(binary.BigEndian.Uint16(table)) / 256)
	}
	return func(sample float64) float64 {
		at := sample * float64(count-1)
		i := min(int(at), int(count)-2)
		low, high := float64(binary.BigEndian.Uint16(table[2*i:])), float64(binary.BigEndian.Uint16(table[2*i+2:]))
		return (low + float64((high-low)*(at-float64(i)))) / most
	}
}

// parametricCurve reads a parametricCurveType tag (10.18). Every form is a case
// of (a x + b)^g + e from d on, and c x + f below d.
func parametricCurve(p []byte) curve {
	parameters := map[uint16]int{0: 1, 1: 3, 2: 4, 3: 5, 4: 7} // number of parameters by form
	form := binary.BigEndian.Uint16(p[8:])
	if count, known := parameters[form]; !known || len(p) < 12+4*count {
		return nil
	}
	g, a, b, c, d, e, f := fixed(p[12:]), 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
	if form > 0 {
		a, b = fixed(p[16:]), fixed(p[20:])
		d = -b / a
	}
	if form == 2 {
		e = fixed(p[24:])
		f = e
	}
	if form > 2 {
		c, d = fixed(p[24:]), fixed(p[28:])
	}
	if form == 4 {
		e, f = fixed(p[32:]), fixed(p[36:])
	}
	return func(sample float64) float64 {
		if sample >= d {
			return math.Pow(max(float64(a*sample)+b, 0), g) + e
		}
		return float64(c*sample) + f
	}
}

// fixed reads a signed 16.16 fixed-point number.
func fixed(b []byte) float64 {
	return float64(int32(binary.BigEndian.Uint32(b))) / iccFraction
}
