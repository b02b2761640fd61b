package imagecodec

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// iccFile returns a profile of a color space with the tags: name, content,
// name, content.
func iccFile(version byte, space, pcs string, tags ...any) []byte {
	head := make([]byte, iccHeader)
	head[8] = version
	copy(head[12:], "mntr"+space+pcs)
	copy(head[36:], "acsp")
	binary.BigEndian.PutUint32(head[68:], 0xf6d6) // D50
	binary.BigEndian.PutUint32(head[72:], 0x10000)
	binary.BigEndian.PutUint32(head[76:], 0xd32d)
	tags = append(tags, "wtpt", iccColor(0.9642, 1, 0.8249), "desc", iccText("test"), "cprt", iccText("CC0"))
	table := binary.BigEndian.AppendUint32(nil, uint32(len(tags)/2))
	var data []byte
	for i := 0; i < len(tags); i += 2 {
		content := tags[i+1].([]byte)
		table = append(table, tags[i].(string)...)
		table = binary.BigEndian.AppendUint32(table, uint32(iccHeader+4+iccTag*len(tags)/2+len(data)))
		table = binary.BigEndian.AppendUint32(table, uint32(len(content)))
		data = append(data, content...)
		data = append(data, make([]byte, (4-len(data)%4)%4)...)
	}
	out := slices.Concat(head, table, data)
	binary.BigEndian.PutUint32(out, uint32(len(out)))
	return out
}

func iccFixed(values ...float64) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, uint32(int32(math.Round(v*iccFraction))))
	}
	return b
}

func iccColor(x, y, z float64) []byte {
	return append([]byte("XYZ \x00\x00\x00\x00"), iccFixed(x, y, z)...)
}

// iccText is ASCII in the form of version 4, which version 2 readers skip.
func iccText(s string) []byte {
	b := []byte("mluc\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x0cenUS")
	b = binary.BigEndian.AppendUint32(b, uint32(2*len(s)))
	b = binary.BigEndian.AppendUint32(b, 28)
	for _, c := range []byte(s) {
		b = append(b, 0, c)
	}
	return b
}

func iccParametric(form uint16, parameters ...float64) []byte {
	b := binary.BigEndian.AppendUint16([]byte("para\x00\x00\x00\x00"), form)
	return append(append(b, 0, 0), iccFixed(parameters...)...)
}

func iccSampled(values ...uint16) []byte {
	b := binary.BigEndian.AppendUint32([]byte("curv\x00\x00\x00\x00"), uint32(len(values)))
	for _, v := range values {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}

// iccRGB returns a profile with one curve and the primaries of Adobe RGB or
// sRGB, in the numbers that profiles have for them.
func iccRGB(version byte, adobe bool, trc []byte) []byte {
	r, g, b := iccColor(0.43607, 0.22249, 0.01392), iccColor(0.38515, 0.71687, 0.09708), iccColor(0.14307, 0.06061, 0.7141)
	if adobe {
		r, g, b = iccColor(0.60974, 0.31111, 0.01947), iccColor(0.20528, 0.62567, 0.06087), iccColor(0.14919, 0.06322, 0.74457)
	}
	return iccFile(version, "RGB ", "XYZ ", "rXYZ", r, "gXYZ", g, "bXYZ", b, "rTRC", trc, "gTRC", trc, "bTRC", trc)
}

func iccGrey(version byte, trc []byte) []byte {
	return iccFile(version, "GRAY", "XYZ ", "kTRC", trc)
}

func srgbCurve() []byte { return iccParametric(3, 2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045) }

func srgbProfile() []byte { return iccRGB(4, false, srgbCurve()) }

// iccChunk returns an iCCP chunk with a profile.
func iccChunk(tb testing.TB, profile []byte) []byte {
	tb.Helper()
	return pngChunk(kindICCP, append([]byte("a profile\x00\x00"), deflated(tb, profile)...))
}
