package imagecodec

// block is 8 x 8 values of a component, row by row. Before transform, they are
// samples minus 128. After it, they are DCT coefficients times 8.
type block [64]int32

// grey fills the block with the grey samples at the beginning of pixels.
func (b *block) grey(pixels []byte, stride int) {
	for y := range blockSide {
		from, to := pixels[y*stride:y*stride+8:y*stride+8], b[8*y:8*y+8:8*y+8]
		for x, value := range from {
			to[x] = int32(value) - 128
		}
	}
}

// colours converts the RGB block at the beginning of pixels to luma and chroma.
// It uses the equations of JFIF in 16-bit fixed point.
func colours(planes *[3]block, pixels []byte, stride int) {
	const (
		redLuma, greenLuma, blueLuma = 19595, 38470, 7471 // 0.299, 0.587, 0.114
		redBlue, greenBlue           = 11059, 21709       // 0.168736, 0.331264
		greenRed, blueRed            = 27439, 5329        // 0.418688, 0.081312
		half, one                    = 1 << 15, 1 << 16
	)
	luma, toBlue, toRed := &planes[0], &planes[1], &planes[2]
	for y := range blockSide {
		from := pixels[y*stride : y*stride+24 : y*stride+24]
		for x := range blockSide {
			red, green, blue := int32(from[3*x]), int32(from[3*x+1]), int32(from[3*x+2])
			luma[8*y+x] = (redLuma*red+greenLuma*green+blueLuma*blue+half)>>16 - 128
			toBlue[8*y+x] = min(127, (half*blue-redBlue*red-greenBlue*green+half)>>16)
			toRed[8*y+x] = min(127, (half*red-greenRed*green-blueRed*blue+half)>>16)
		}
	}
}

// The cosines of n*pi/16, times the square root of 2, in 13-bit fixed point.
const (
	cosine1 = 11363
	cosine2 = 10703
	cosine3 = 9633
	cosine5 = 6436
	cosine6 = 4433
	cosine7 = 2260

	cosineBits = 13
	extraBits  = 2 // extra precision between the two passes
)

// transform computes the forward DCT, first along rows and then along columns.
// The first pass yields at most 8 * 128 * 4. The second adds up at most 8 of
// those times a cosine, which fits in 31 bits.
func (b *block) transform() {
	for i := 0; i < 64; i += 8 {
		row := b[i : i+8 : i+8]
		s0, s1, s2, s3 := row[0]+row[7], row[1]+row[6], row[2]+row[5], row[3]+row[4]
		d0, d1, d2, d3 := row[0]-row[7], row[1]-row[6], row[2]-row[5], row[3]-row[4]
		row[0] = (s0 + s1 + s2 + s3) << extraBits
		row[4] = (s0 - s1 - s2 + s3) << extraBits
		const shift = cosineBits - extraBits
		row[2] = rounded(cosine2*(s0-s3)+cosine6*(s1-s2), shift)
		row[6] = rounded(cosine6*(s0-s3)-cosine2*(s1-s2), shift)
		row[1] = rounded(cosine1*d0+cosine3*d1+cosine5*d2+cosine7*d3, shift)
		row[3] = rounded(cosine3*d0-cosine7*d1-cosine1*d2-cosine5*d3, shift)
		row[5] = rounded(cosine5*d0-cosine1*d1+cosine7*d2+cosine3*d3, shift)
		row[7] = rounded(cosine7*d0-cosine5*d1+cosine3*d2-cosine1*d3, shift)
	}
	for i := range 8 {
		s0, s1, s2, s3 := b[i]+b[i+56], b[i+8]+b[i+48], b[i+16]+b[i+40], b[i+24]+b[i+32]
		d0, d1, d2, d3 := b[i]-b[i+56], b[i+8]-b[i+48], b[i+16]-b[i+40], b[i+24]-b[i+32]
		b[i] = rounded(s0+s1+s2+s3, extraBits)
		b[i+32] = rounded(s0-s1-s2+s3, extraBits)
		const shift = cosineBits + extraBits
		b[i+16] = rounded(cosine2*(s0-s3)+cosine6*(s1-s2), shift)
		b[i+48] = rounded(cosine6*(s0-s3)-cosine2*(s1-s2), shift)
		b[i+8] = rounded(cosine1*d0+cosine3*d1+cosine5*d2+cosine7*d3, shift)
		b[i+24] = rounded(cosine3*d0-cosine7*d1-cosine1*d2-cosine5*d3, shift)
		b[i+40] = rounded(cosine5*d0-cosine1*d1+cosine7*d2+cosine3*d3, shift)
		b[i+56] = rounded(cosine7*d0-cosine5*d1+cosine3*d2-cosine1*d3, shift)
	}
}

// rounded returns value / 2^shift, rounded to the nearest integer.
func rounded(value int32, shift uint) int32 { return (value + 1<<(shift-1)) >> shift }

// quantizer holds the divisor of each coefficient, in zigzag order.
type quantizer [64]struct {
	from    uint8  // index of the coefficient in a block
	half    uint32 // half of the divisor: smaller values become 0
	inverse uint64 // 1/divisor in 32-bit fixed point, rounded up
}

// newQuantizer returns a quantizer for steps in row order. Each divisor is 8
// times the step, because transform multiplies coefficients by 8.
func newQuantizer(steps [64]uint8) (q quantizer) {
	for k, from := range zigzag() {
		divisor := 8 * uint64(steps[from])
		q[k].from = from
		q[k].half = uint32(divisor / 2)
		q[k].inverse = 1<<32/divisor + 1
	}
	return q
}

// quantize divides the coefficients and rounds to the nearest integer. Bit k of
// present is set if values[k] is not 0.
//
// The division is exact. The inverse is too large by less than 2^-32, so a
// value below 2^15 errs by less than 2^-17. A quotient that lies below an
// integer is at least 2^-11 below it, because divisors are below 2^11.
func (q *quantizer) quantize(b *block, values *[64]int32) (present uint64) {
	for k := range q {
		step := &q[k]
		value := b[step.from&63]
		sign := value >> 31
		size := uint32((value ^ sign) - sign)
		if size < step.half {
			values[k] = 0
			continue
		}
		quotient := int32(uint64(size+step.half) * step.inverse >> 32)
		values[k] = (quotient ^ sign) - sign
		present |= 1 << k
	}
	return present
}
