package imagecodec_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// standardReads reports whether image/jpeg reads a JPEG of this layout. It
// supports the common samplings. In a scan of one component it counts blocks,
// and with them restart markers, as if the others were there.
func standardReads(tb testing.TB, b []byte) bool {
	tb.Helper()
	var frame []byte
	interval := 0
	for _, s := range segments(tb, b) {
		switch s[1] {
		case 0xc0, 0xc1, 0xc2:
			if frame = s[4:]; !standardSampling(frame) {
				return false
			}
		case 0xdd:
			interval = int(binary.BigEndian.Uint16(s[4:]))
		case 0xda:
			if s[4] == 1 && frame != nil && frame[5] > 1 && !standardScan(frame, s[5], interval) {
				return false
			}
		}
	}
	return true
}

func standardSampling(frame []byte) bool {
	count := int(frame[5])
	factor := func(i int) byte { return frame[7+3*i] }
	for i := range count {
		h, v := factor(i)>>4, factor(i)&15
		if h == 3 || v == 3 {
			return false
		}
		switch {
		case count == 3 && (v == 4 || factor(0)>>4%h != 0 || factor(0)&15%v != 0 || i == 2 && factor(2) != factor(1)):
			return false
		case count == 4 && (factor(0) != 0x11 && factor(0) != 0x22 || (i == 1 || i == 2) && factor(i) != 0x11 || i == 3 && factor(3) != factor(0)):
			return false
		}
	}
	return true
}

func standardScan(frame []byte, id byte, interval int) bool {
	height, width := int(binary.BigEndian.Uint16(frame[1:])), int(binary.BigEndian.Uint16(frame[3:]))
	up := func(a, b int) int { return (a + b - 1) / b }
	hMax, vMax, h, v := 1, 1, 0, 0
	for at := 6; at < len(frame); at += 3 {
		hMax, vMax = max(hMax, int(frame[at+1]>>4)), max(vMax, int(frame[at+1]&15))
		if frame[at] == id {
			h, v = int(frame[at+1]>>4), int(frame[at+1]&15)
		}
	}
	wide, high := min(h*up(width, 8*hMax), up(width, 8)), min(v*up(height, 8*vMax), up(height, 8))
	return wide == up(up(width*h, hMax), 8) && high == up(up(height*v, vMax), 8) && (interval == 0 || h*v == 1 || interval >= wide*high)
}

// TestSanitizeSampling makes JPEGs of all samplings with cjpeg and jpegtran, in
// one scan and in several, with restart markers of blocks and of rows. Each
// that djpeg reads is accepted and shows the same pixels afterwards.
func TestSanitizeSampling(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"cjpeg", "djpeg"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("%s is not on PATH: only the JPEGs of testdata are tried", program)
			return
		}
	}
	dir, codec := t.TempDir(), newCodec(t)
	script := filepath.Join(dir, "scans")
	if err := os.WriteFile(script, []byte("0; 1; 2;"), 0o600); err != nil {
		t.Fatal(err)
	}
	accepted, refused := 0, 0
	samplings := []string{"3x1", "1x3", "3x2", "4x1", "1x4", "2x4", "4x2", "1x1,2x1,1x1", "1x1,2x2,1x1", "2x2,2x1,1x2", "4x1,2x1,1x1", "3x2,2x1,1x1", "4x1,3x1,1x1"}
	for i, sampling := range samplings {
		for j, how := range [][]string{{"-baseline"}, {"-scans", script}, {"-progressive"}} {
			args := append([]string{"-sample", sampling, "-restart", []string{"1B", "1", "7B"}[(i+j)%3]}, how...)
			size := fmt.Sprintf("P6 %d %d 255\n", 1+(i*41+j*17)%90, 1+(i*29+j*23)%90)
			b, err := piped(t, drawnPPM(t, size), "cjpeg", args...)
			if err != nil {
				refused++ // libjpeg writes no fractional sampling either
				continue
			}
			name := strings.Join(args, " ") + " of " + size
			after, err := sanitize(t, codec, b)
			if err != nil {
				t.Errorf("%s: %s", name, fault(err))
				continue
			}
			accepted++
			checkSame(t, codec, name, b, after)
			checkDjpeg(t, name, b, after)
		}
	}
	if accepted != 3*len(samplings)-refused || refused != 6 {
		t.Errorf("%d accepted, %d not made", accepted, refused)
	}
}

func piped(t *testing.T, in []byte, program string, args ...string) ([]byte, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Stdin = bytes.NewReader(in)
	return c.Output()
}

// drawnPPM returns a picture with soft and sharp parts in every component.
func drawnPPM(t *testing.T, header string) []byte {
	t.Helper()
	var width, height int
	if _, err := fmt.Sscanf(header, "P6 %d %d", &width, &height); err != nil {
		t.Fatal(err)
	}
	out := []byte(header)
	for y := range height {
		for x := range width {
			out = append(out, byte(x*y), byte(3*x+y/7*40), byte(255-5*y+x/9*20))
		}
	}
	return out
}
