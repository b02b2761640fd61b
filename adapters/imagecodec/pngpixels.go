package imagecodec

import (
	"encoding/binary"
	"slices"
)

// expander converts a scanline of width pixels to samples of the JPEG: 8 bits
// per component, composited over white.
type expander func(dst, row []byte, width int)

// newExpander returns the expander for a picture and its color space. A nil
// space is sRGB.
func newExpander(info *pngInfo, space *colorSpace) expander {
	key := transparentColour(info)
	var c *converter
	if space != nil {
		c = newConverter(space, info.components())
	}
	switch {
	case info.colour == pngPalette:
		return expandPalette(info, c)
	case info.colour == pngGrey && info.depth <= 8:
		return expandGrey(info.depth, key, c)
	case c != nil:
		return expandConverted(info, key, c)
	case info.colour == pngGrey:
		return expandWide(1, key)
	case info.colour == pngRGB && info.depth == 8:
		return expandRGB(key)
	case info.colour == pngRGB:
		return expandWide(3, key)
	case info.colour == pngGreyAlpha && info.depth == 8:
		return expandGreyAlpha
	case info.colour == pngGreyAlpha:
		return expandWideAlpha(1)
	case info.depth == 8:
		return expandRGBA
	default:
		return expandWideAlpha(3)
	}
}

// transparentColour returns the color that a tRNS chunk makes transparent, one
// value per sample. It returns nil for a palette, or without the chunk. Bits
// above the depth are ignored.
func transparentColour(info *pngInfo) []uint16 {
	if info.transparency == nil || info.colour == pngPalette {
		return nil
	}
	key := make([]uint16, info.samples())
	for i := range key {
		key[i] = binary.BigEndian.Uint16(info.transparency[2*i:]) & uint16(1<<info.depth-1)
	}
	return key
}

// overWhite composites an 8-bit value over white.
func overWhite(value, alpha uint8) uint8 {
	sum := uint32(value)*uint32(alpha) + 255*uint32(255-alpha)
	return uint8((sum + 127) / 255)
}

// narrow scales a 16-bit value to 8 bits and rounds to the nearest integer. For
// every value, the shift returns the same as a division by 65535.
func narrow(value uint16) uint8 {
	return uint8((uint32(value)*255 + 32895) >> 16)
}

// widen scales an 8-bit value to 16 bits.
func widen(value uint8) uint16 { return uint16(value) * 257 }

// wideOverWhite composites a 16-bit value over white.
func wideOverWhite(value, alpha uint16) uint16 {
	sum := uint32(value)*uint32(alpha) + most*uint32(most-alpha) // at most most * most
	return uint16((sum + most/2) / most)
}

// unpack writes one value per byte to dst. The row has depth bits per value: 1,
// 2, 4 or 8.
func unpack(dst, row []byte, depth int) {
	perByte, mask := 8/depth, byte(1<<depth-1)
	for x := range dst {
		shift := 8 - depth*(x%perByte+1)
		dst[x] = row[x/perByte] >> shift & mask
	}
}

// expandGrey returns an expander that looks up grey values in a table.
func expandGrey(depth int, key []uint16, c *converter) expander {
	var table [256]uint8
	for value := range 1 << depth {
		table[value] = uint8(value * 255 / (1<<depth - 1))
		if c != nil {
			c.convert(table[value:value+1], &[3]uint16{widen(table[value])})
		}
	}
	if key != nil {
		table[key[0]] = 255
	}
	return func(dst, row []byte, width int) {
		dst = dst[:width]
		unpack(dst, row, depth)
		for x, value := range dst {
			dst[x] = table[value]
		}
	}
}

// expandPalette returns an expander that looks up palette colors in a table. An
// index beyond the palette is black, as in other decoders.
func expandPalette(info *pngInfo, converter *converter) expander {
	var table [maxPalette][3]uint8
	for i := range len(info.palette) / 3 {
		alpha := uint8(255)
		if i < len(info.transparency) {
			alpha = info.transparency[i]
		}
		var pixel [3]uint16
		for c := range 3 {
			value := info.palette[3*i+c]
			table[i][c] = overWhite(value, alpha)
			pixel[c] = wideOverWhite(widen(value), widen(alpha))
		}
		if converter != nil {
			converter.convert(table[i][:], &pixel)
		}
	}
	indexes := make([]byte, info.width)
	return func(dst, row []byte, width int) {
		unpack(indexes[:width], row, info.depth)
		for x, index := range indexes[:width] {
			copy(dst[3*x:3*x+3], table[index][:])
		}
	}
}

func expandRGB(key []uint16) expander {
	return func(dst, row []byte, width int) {
		n := copy(dst, row[:3*width])
		if key == nil {
			return
		}
		red, green, blue := uint8(key[0]), uint8(key[1]), uint8(key[2])
		for i := 0; i < n; i += 3 {
			if p := dst[i : i+3 : i+3]; p[0] == red && p[1] == green && p[2] == blue {
				p[0], p[1], p[2] = 255, 255, 255
			}
		}
	}
}

func expandRGBA(dst, row []byte, width int) {
	for x := range width {
		from, to := row[4*x:4*x+4:4*x+4], dst[3*x:3*x+3:3*x+3]
		switch alpha := from[3]; alpha {
		case 255:
			to[0], to[1], to[2] = from[0], from[1], from[2]
		default:
			to[0], to[1], to[2] = overWhite(from[0], alpha), overWhite(from[1], alpha), overWhite(from[2], alpha)
		}
	}
}

func expandGreyAlpha(dst, row []byte, width int) {
	for x := range width {
		dst[x] = overWhite(row[2*x], row[2*x+1])
	}
}

// expandWide returns an expander for 16-bit grey or RGB.
func expandWide(samples int, key []uint16) expander {
	return func(dst, row []byte, width int) {
		for x := range width {
			from, to := row[2*samples*x:2*samples*(x+1)], dst[samples*x:samples*(x+1)]
			transparent := key != nil
			for c := range to {
				value := binary.BigEndian.Uint16(from[2*c:])
				to[c] = narrow(value)
				transparent = transparent && value == key[c]
			}
			for c := range to {
				if transparent {
					to[c] = 255
				}
			}
		}
	}
}

// expandWideAlpha returns an expander for 16-bit grey or RGB with alpha.
func expandWideAlpha(samples int) expander {
	return func(dst, row []byte, width int) {
		for x := range width {
			from, to := row[2*(samples+1)*x:2*(samples+1)*(x+1)], dst[samples*x:samples*(x+1)]
			alpha := binary.BigEndian.Uint16(from[2*samples:])
			for c := range to {
				to[c] = narrow(wideOverWhite(binary.BigEndian.Uint16(from[2*c:]), alpha))
			}
		}
	}
}

// expandConverted returns an expander for a picture that no table covers. It
// composites in the picture's own color space, in 16 bits, and then converts
// the result to sRGB.
func expandConverted(info *pngInfo, key []uint16, converter *converter) expander {
	samples, components, wide := info.samples(), info.components(), info.depth == 16
	return func(dst, row []byte, width int) {
		for x := range width {
			var values [4]uint16
			for i := range samples {
				if at := x*samples + i; wide {
					values[i] = binary.BigEndian.Uint16(row[2*at:])
				} else {
					values[i] = uint16(row[at])
				}
			}
			transparent := key != nil && slices.Equal(key, values[:samples])
			if !wide {
				for i := range values {
					values[i] *= 257
				}
			}
			alpha := uint16(most)
			switch {
			case transparent:
				alpha = 0
			case samples > components:
				alpha = values[components]
			}
			pixel := [3]uint16(values[:3])
			if alpha < most {
				for i := range pixel {
					pixel[i] = wideOverWhite(pixel[i], alpha)
				}
			}
			converter.convert(dst[x*components:(x+1)*components], &pixel)
		}
	}
}
