package imagecodec

// block is 8 x 8 values of a component, row by row: pixels less 128, and after
// transform the coefficients of the cosine transform times 8.
type block [64]int32

// grey reads the block at the beginning of pixels.
func (b *block) grey(pixels []byte, stride int) {
	for y := range blockSide {
		from, to := pixels[y*stride:y*stride+8:y*stride+8], b[8*y:8*y+8:8*y+8]
		for x, value := range from {
			to[x] = int32(value) - 128
		}
	}
}

// colours reads the blocks of luma and chroma at the beginning of pixels, by
// the equations of JFIF in 16 bits of fraction.
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

// The cosines of n/16 of a half turn, times the square root of 2, in 13 bits of
// fraction.
const (
	cosine1 = 11363
	cosine2 = 10703
	cosine3 = 9633
	cosine5 = 6436
	cosine6 = 4433
	cosine7 = 2260

	cosineBits = 13
	extraBits  = 2 // kept between the two passes
)

// transform is the forward cosine transform, along rows and then along columns.
// Pass one returns at most 8 * 128 * 4 and pass two adds up at most 8 of those
// times a cosine, which stays within 31 bits.
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

// rounded divides by a power of two, to the nearest.
func rounded(value int32, shift uint) int32 { return (value + 1<<(shift-1)) >> shift }

// quantizer divides coefficients, in the order in which they are written.
type quantizer [64]struct {
	from    uint8  // where the coefficient is in a block
	half    uint32 // half of the divisor: what is smaller becomes 0
	inverse uint64 // of the divisor, in 32 bits of fraction, rounded up
}

// newQuantizer divides by 8 times the steps, because coefficients come times 8.
func newQuantizer(steps [64]uint8) (q quantizer) {
	for k, from := range zigzag() {
		divisor := 8 * uint64(steps[from])
		q[k].from = from
		q[k].half = uint32(divisor / 2) //nolint:gosec // G115: at most 1020
		q[k].inverse = 1<<32/divisor + 1
	}
	return q
}

// quantize divides to the nearest and returns which values are not 0, one bit
// each. The division is exact. A value below 2^15 times an inverse that is too
// large by less than 1 errs by less than 2^-17. A quotient of a divisor below
// 2^11 is at least 2^-11 from the next.
func (q *quantizer) quantize(b *block, values *[64]int32) (present uint64) {
	for k := range q {
		step := &q[k]
		value := b[step.from&63]
		sign := value >> 31
		size := uint32((value ^ sign) - sign) //nolint:gosec // G115: an absolute value
		if size < step.half {
			values[k] = 0
			continue
		}
		quotient := int32(uint64(size+step.half) * step.inverse >> 32) //nolint:gosec // G115: at most 2^15
		values[k] = (quotient ^ sign) - sign
		present |= 1 << k
	}
	return present
}
