package remittance_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
)

// TestExtract cuts the second of two payments out, whose envelope has the line
// breaks of the file.
func TestExtract(t *testing.T) {
	t.Parallel()
	input := string(sample(t, "reversal.edi"))
	var out bytes.Buffer
	start := strings.Index(input, "ST*835*0002")
	if err := remittance.Extract(&out, strings.NewReader(input), start); err != nil {
		t.Fatal(err)
	}
	end := strings.Index(input, "SE*10*0002~") + len("SE*10*0002~")
	want := input[:strings.Index(input, "ST*835*0001")] + input[start:end] + "\nGE*1*42~\nIEA*1*000000042~\n"
	if out.String() != want {
		t.Errorf("cut out:\n%s\nwant:\n%s", out.String(), want)
	}
}

// TestExtractKeepsBytes cuts both payments out of a file with two interchanges,
// each with delimiters of its own, a wrong count and letters beyond ASCII.
func TestExtractKeepsBytes(t *testing.T) {
	t.Parallel()
	input := string(sample(t, "odd.edi"))
	for start, want := range map[int]string{
		strings.Index(input, "ST|835"): input[:strings.Index(input, "  ST|835")] + input[strings.Index(input, "ST|835"):strings.Index(input, "\r\n  ST|999")] +
			"\r\nGE|1|46!\r\nIEA|1|000000046!\r\n",
		strings.Index(input, "ST*835"): input[strings.Index(input, "ISA*"):strings.Index(input, "\nST*835")] +
			input[strings.Index(input, "ST*835"):strings.Index(input, "GE*1")] + "GE*1*47\nIEA*1*000000047\n",
	} {
		var out bytes.Buffer
		if err := remittance.Extract(&out, strings.NewReader(input), start); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("cut out at %d:\n%q\nwant:\n%q", start, out.String(), want)
		}
	}
}

func TestExtractFails(t *testing.T) {
	t.Parallel()
	input := string(sample(t, "reversal.edi"))
	start := strings.Index(input, "ST*835*0002")
	for name, c := range map[string]struct {
		input string
		start int
	}{
		"no set there":     {input, start + 1},
		"before the start": {input, -1},
		"after the end":    {input, len(input)},
		"cut off":          {input[:start+40], start},
		"no file":          {"", 0},
	} {
		if _, ok := errors.AsType[*x12.Error](remittance.Extract(io.Discard, strings.NewReader(c.input), c.start)); !ok {
			t.Errorf("%s: no error with a position", name)
		}
	}
	for n := range 3 {
		if err := remittance.Extract(&limited{room: n}, strings.NewReader(input), start); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("error %v, want the one of what is written to", err)
		}
	}
}

// limited takes so many writes.
type limited struct{ room int }

func (f *limited) Write(b []byte) (int, error) {
	if f.room--; f.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}
