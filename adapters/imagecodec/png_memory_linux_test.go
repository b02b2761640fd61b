//go:build !race

package imagecodec

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A process that converts gets this much. What counts is how much was ever
// resident, and 64 MiB is a soft limit that real use has to stay below. The
// address space is a net below that, so that a bomb ends its own process and
// not the machine. Go reserves between 1 and 2 GiB of it without touching it:
// the heap begins at an address that it draws. The race detector is ruled out:
// it reserves terabytes.
const (
	childAddressSpace = 8 << 20 // KiB, for ulimit -v
	childMemoryLimit  = "GOMEMLIMIT=64MiB"
	childResident     = 128 << 10 // KiB; 400 MiB were allowed
	childFolder       = "MOLAR_PNG_CHILD_FOLDER"
)

// childReport is the result of the child process.
type childReport struct {
	Verdicts map[string]string `json:"verdicts"` // by file name: "ok", or the message
	Resident int               `json:"resident"` // KiB at most (VmHWM)
}

// TestPNGWithinMemory converts the largest pictures and the worst bombs, and
// makes their thumbnails, in a child process whose address space is limited.
func TestPNGWithinMemory(t *testing.T) {
	t.Parallel()
	if folder := os.Getenv(childFolder); folder != "" {
		convertFolder(t, folder)
		return
	}
	folder := t.TempDir()
	want := map[string]string{
		"wide": "ok", "photo": "ok", "interlaced": "ok", "palette": "ok",
		"pixel bomb": "more pixel data", "text bomb": "ok", "giant": "20,000", "short": "damaged or incomplete",
		"chunks": "ok", "profile bomb": "ok",
	}
	hostile := zlibBomb(t)
	for name, content := range map[string][]byte{
		"wide": large(t, 1000, 20_000, 16, pngRGBA, 0), // as many pixels as may be, each 8 bytes
		"photo": withChunks(large(t, 20_000, 1000, 16, pngRGBA, 0), // and a profile as large as may be
			iccChunk(t, longer(iccRGB(2, true, iccSampled(slices.Repeat([]uint16{0, most}, 80_000)...)), maxProfile))),
		"interlaced":   large(t, 2000, 2000, 16, pngRGBA, 1),
		"palette":      large(t, 5000, 4000, 8, pngGrey, 0),
		"pixel bomb":   pngFile(pngHeader(1, 1, 8, pngGrey, 0), pngChunk("IDAT", hostile), pngEnd()),
		"text bomb":    tiny(t, pngChunk("zTXt", append([]byte("a\x00\x00"), hostile...)), pngChunk("iCCP", append([]byte("a\x00\x00"), hostile...))),
		"giant":        pngFile(pngHeader(1<<31-1, 1<<31-1, 16, pngRGBA, 0), pngChunk("IDAT", hostile), pngEnd()),
		"short":        pngFile(pngHeader(20_000, 1000, 16, pngRGBA, 0), pngChunk("IDAT", deflated(t, nil)), pngEnd()),
		"profile bomb": tiny(t, pngChunk("iCCP", slices.Concat([]byte("a\x00\x00\x78\x01"), bytes.Repeat([]byte{0, 0, 0, 0xff, 0xff}, 2_900_000)))),
		"chunks":       tiny(t, bytes.Repeat(pngChunk("tEXt", nil), 1<<20)),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report := limited(t, folder)
	for name, says := range want {
		if !strings.Contains(report.Verdicts[name], says) {
			t.Errorf("%s: %q does not say %q", name, report.Verdicts[name], says)
		}
	}
	t.Logf("resident: at most %d KiB", report.Resident)
	if report.Resident > childResident {
		t.Errorf("%d KiB were resident, more than %d", report.Resident, childResident)
	}
}

// large returns a PNG of noise that compresses well, a row at a time.
func large(t *testing.T, width, height int, depth, colour, interlace byte) []byte {
	t.Helper()
	info := &pngInfo{width: width, height: height, depth: int(depth), colour: int(colour)}
	passes := []struct{ x, y, dx, dy int }{{0, 0, 1, 1}}
	if interlace == 1 {
		all := adam7()
		passes = all[:]
	}
	var out bytes.Buffer
	w, err := zlib.NewWriterLevel(&out, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	for _, pass := range passes {
		row := make([]byte, 1+info.rowBytes((width-pass.x+pass.dx-1)/pass.dx))
		row[0] = 4
		for y := pass.y; y < height; y += pass.dy {
			row[1+y*31%(len(row)-1)] += byte(y)
			if _, err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return pngFile(pngHeader(uint32(width), uint32(height), depth, colour, interlace),
		pngChunk("IDAT", out.Bytes()), pngEnd())
}

// withChunks inserts chunks after the header of a PNG.
func withChunks(b []byte, chunks ...[]byte) []byte {
	header := len(pngSignature) + chunkOverhead + 13
	return slices.Concat(b[:header], slices.Concat(chunks...), b[header:])
}

// limited runs this test again on the files of a folder, under ulimit.
func limited(tb testing.TB, folder string) (report childReport) {
	tb.Helper()
	program, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	child := exec.CommandContext(tb.Context(), "sh", "-c",
		fmt.Sprintf(`ulimit -v %d && exec "$0" -test.run='^TestPNGWithinMemory$'`, childAddressSpace), program)
	child.Env = append(os.Environ(), childMemoryLimit, childFolder+"="+folder)
	var said bytes.Buffer
	child.Stdout, child.Stderr = &said, &said
	if err := child.Run(); err != nil {
		tb.Fatalf("%v\n%s", err, said.Bytes())
	}
	b, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err := errors.Join(err, json.Unmarshal(b, &report)); err != nil {
		tb.Fatal(err)
	}
	return report
}

// convertFolder is the process with little memory.
func convertFolder(t *testing.T, folder string) {
	t.Helper()
	c := newPNGCodec(t)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	report := childReport{Verdicts: map[string]string{}}
	for _, entry := range entries {
		report.Verdicts[entry.Name()] = convertFile(t, c, filepath.Join(folder, entry.Name()))
	}
	report.Resident = mostResident(t)
	b, err := json.Marshal(report)
	if err := errors.Join(err, os.WriteFile(filepath.Join(folder, "report.json"), b, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// convertFile returns the verdict on a file.
func convertFile(tb testing.TB, c *Codec, path string) string {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }() // was only read
	info, err := f.Stat()
	if err != nil {
		tb.Fatal(err)
	}
	p, err := c.Convert(tb.Context(), f, info.Size())
	if err != nil {
		return pngRefusal(tb, err)
	}
	small, err := c.Thumbnail(tb.Context(), p.Content)
	if err != nil {
		return err.Error()
	}
	if err := errors.Join(small.Content.Close(), p.Content.Close()); err != nil {
		tb.Fatal(err)
	}
	return "ok"
}

// mostResident returns the most memory that this process ever had, in KiB.
func mostResident(tb testing.TB) int {
	tb.Helper()
	f, err := os.Open("/proc/self/status")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }() // was only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			if err != nil {
				tb.Fatal(err)
			}
			return n
		}
	}
	tb.Fatal("the system does not say how much memory was used")
	return 0
}
