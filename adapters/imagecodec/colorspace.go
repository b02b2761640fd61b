package imagecodec

import "math"

// colorSpace is a mapping from samples to linear light. Both range from 0 to 1.
type colorSpace struct {
	curves []curve // one transfer curve for all components, or one for each
	matrix matrix  // from linear light to linear sRGB
}

// curve is a transfer curve: it returns the linear light for a sample.
type curve func(sample float64) float64

// matrix is a linear map between color spaces. Its rows are red, green and
// blue, or X, Y and Z.
type matrix [3][3]float64

func identity() matrix { return matrix{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} }

// srgb returns the color space of stored pictures.
func srgb() *colorSpace { return &colorSpace{[]curve{srgbLight}, identity()} }

// srgbLight returns the linear light for an sRGB sample (IEC 61966-2-1).
func srgbLight(sample float64) float64 {
	if sample <= 0.04045 {
		return sample / 12.92
	}
	return math.Pow((sample+0.055)/1.055, 2.4)
}

// power returns a pure gamma curve.
func power(exponent float64) curve {
	return func(sample float64) float64 { return math.Pow(sample, exponent) }
}

// triple is a color: X, Y and Z, or linear red, green and blue.
type triple [3]float64

// d50 returns the white point of ICC profiles (ICC.1, 7.2.16).
func d50() triple { return triple{0.9642, 1, 0.8249} }

// fromD50 returns the matrix from XYZ under D50 to linear sRGB.
func fromD50() matrix {
	toD50, _ := primaries([8]float64{0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06})
	inverse, _ := toD50.inverse()
	return inverse
}

// primaries returns the matrix from linear RGB to XYZ, adapted to D50 by
// Bradford's matrix. xy holds the chromaticities of white, red, green and blue,
// as in a cHRM chunk. The function returns false for chromaticities outside the
// diagram, and for those that define no matrix.
func primaries(xy [8]float64) (matrix, bool) {
	for c := range 4 {
		if xy[2*c]+xy[2*c+1] > 1+chromaticityTolerance {
			return matrix{}, false
		}
	}
	var columns matrix
	for c := range 3 {
		x, y := xy[2*c+2], xy[2*c+3]
		columns[0][c], columns[1][c], columns[2][c] = x, y, 1-x-y
	}
	inverse, ok := columns.inverse()
	if !ok || xy[1] == 0 {
		return matrix{}, false
	}
	from := triple{xy[0] / xy[1], 1, (1 - xy[0] - xy[1]) / xy[1]}
	amounts := inverse.apply(from)
	for row := range 3 {
		for c := range 3 {
			columns[row][c] *= amounts[c]
		}
	}
	adaptation, ok := adapt(from, d50())
	return adaptation.times(columns), ok
}

// adapt returns the matrix that adapts colors from one white point to another.
func adapt(from, to triple) (matrix, bool) {
	bradford := matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}
	back, _ := bradford.inverse()
	were, are := bradford.apply(from), bradford.apply(to)
	scaled := bradford
	for row := range 3 {
		if were[row] == 0 {
			return matrix{}, false
		}
		for c := range 3 {
			scaled[row][c] *= are[row] / were[row]
		}
	}
	return back.times(scaled), true
}

func (m *matrix) apply(v triple) (out triple) {
	for row := range 3 {
		out[row] = float64(m[row][0]*v[0]) + float64(m[row][1]*v[1]) + float64(m[row][2]*v[2])
	}
	return out
}

func (m matrix) times(other matrix) (out matrix) {
	for c := range 3 {
		column := m.apply(triple{other[0][c], other[1][c], other[2][c]})
		out[0][c], out[1][c], out[2][c] = column[0], column[1], column[2]
	}
	return out
}

// inverse returns false for a singular matrix.
func (m *matrix) inverse() (out matrix, ok bool) {
	cofactor := func(row, c int) float64 {
		r1, r2, c1, c2 := (row+1)%3, (row+2)%3, (c+1)%3, (c+2)%3
		return float64(m[r1][c1]*m[r2][c2]) - float64(m[r1][c2]*m[r2][c1])
	}
	determinant := m.apply(triple{cofactor(0, 0), cofactor(0, 1), cofactor(0, 2)})[0]
	for row := range 3 {
		for c := range 3 {
			out[row][c] = cofactor(c, row) / determinant
		}
	}
	return out, math.Abs(determinant) > 1e-9
}

const (
	whiteTolerance        = 0.1   // for each component of white
	largestFactor         = 100   // in a usable matrix
	matrixTolerance       = 0.002 // files round sRGB's matrix this much
	chromaticityTolerance = 1e-4  // files round x and y this much
)

// usable reports whether white stays white and the matrix has no huge factor.
// Any other color space is damaged, and would corrupt the picture.
func (s *colorSpace) usable() bool {
	var light triple
	for c := range light {
		light[c] = s.curves[c%len(s.curves)](1)
	}
	for c, value := range s.matrix.apply(light) {
		if !(math.Abs(value-1) <= whiteTolerance) { // NaN is unusable
			return false
		}
		for _, factor := range s.matrix[c] {
			if math.Abs(factor) > largestFactor {
				return false
			}
		}
	}
	return true
}

// most is the largest 16-bit sample.
const most = 1<<16 - 1

// converter is a set of tables that convert 16-bit samples to 8-bit sRGB.
type converter struct {
	light   [3][]uint16     // linear light by sample
	matrix  *[3][3]int64    // in fixed point, or nil when components are independent
	encoded *[most + 1]byte // sRGB by linear light
}

const fractionBits = 14

// newConverter builds the tables of a color space. It returns nil if the color
// space equals sRGB except for rounding, because samples then need no
// conversion.
func newConverter(s *colorSpace, components int) *converter {
	c := &converter{encoded: encodedLight()}
	if components == 3 && !s.matrix.near(identity()) {
		c.matrix = new([3][3]int64)
		for row := range 3 {
			for column := range 3 {
				c.matrix[row][column] = int64(math.Round(s.matrix[row][column] * (1 << fractionBits)))
			}
		}
	} else if c.roundsTo(s.curves) {
		return nil
	}
	for i := range components {
		if i >= len(s.curves) {
			c.light[i] = c.light[0]
			continue
		}
		c.light[i] = make([]uint16, most+1)
		for sample := range c.light[i] {
			c.light[i][sample] = wholeLight(s.curves[i](float64(sample) / most))
		}
	}
	return c
}

func (m *matrix) near(other matrix) bool {
	for row := range 3 {
		for c := range 3 {
			if math.Abs(m[row][c]-other[row][c]) > matrixTolerance {
				return false
			}
		}
	}
	return true
}

// wholeLight rounds linear light to 16 bits. NaN becomes 0.
func wholeLight(light float64) uint16 {
	if !(light > 0) {
		return 0
	}
	return uint16(math.Round(min(light, 1) * most))
}

// encodedLight returns a table of the 8-bit sRGB value for each 16-bit light.
func encodedLight() *[most + 1]byte {
	table, light := new([most + 1]byte), 0
	for code := range 256 {
		end := most + 1
		if code < 255 {
			end = int(math.Ceil(srgbLight((float64(code)+0.5)/255) * most))
		}
		for ; light < end; light++ {
			table[light] = byte(code)
		}
	}
	return table
}

// roundsTo reports whether the curves map each 8-bit value to itself, give or
// take 1.
func (c *converter) roundsTo(curves []curve) bool {
	for _, toLight := range curves {
		for value := range 256 {
			code := c.encoded[wholeLight(toLight(float64(value)/255))]
			if d := int(code) - value; d < -1 || d > 1 {
				return false
			}
		}
	}
	return true
}

// convert converts one pixel. dst has one byte per component.
func (c *converter) convert(dst []byte, pixel *[3]uint16) {
	if c.matrix == nil {
		for i := range dst {
			dst[i] = c.encoded[c.light[i][pixel[i]]]
		}
		return
	}
	red, green, blue := int64(c.light[0][pixel[0]]), int64(c.light[1][pixel[1]]), int64(c.light[2][pixel[2]])
	for i := range dst {
		row := &c.matrix[i]
		light := (row[0]*red + row[1]*green + row[2]*blue + 1<<(fractionBits-1)) >> fractionBits
		dst[i] = c.encoded[min(max(light, 0), most)]
	}
}
