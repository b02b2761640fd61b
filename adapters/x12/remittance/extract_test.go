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

// span is that of the payment of the input that starts at a byte.
func span(t *testing.T, input string, start int) remittance.Span {
	t.Helper()
	all, _, err := readAll(strings.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.Span.Start == start {
			return r.Span
		}
	}
	t.Fatalf("no payment starts at byte %d", start)
	return remittance.Span{}
}

// TestExtract cuts the second of two payments out, whose envelope has the line
// breaks of the file.
func TestExtract(t *testing.T) {
	t.Parallel()
	input := string(sample(t, "reversal.edi"))
	start := strings.Index(input, "ST*835*0002")
	out, err := remittance.Extract([]byte(input), span(t, input, start))
	if err != nil {
		t.Fatal(err)
	}
	end := strings.Index(input, "SE*10*0002~") + len("SE*10*0002~")
	want := input[:strings.Index(input, "ST*835*0001")] + input[start:end] + "\nGE*1*42~\nIEA*1*000000042~\n"
	if string(out) != want {
		t.Errorf("cut out:\n%s\nwant:\n%s", out, want)
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
		out, err := remittance.Extract([]byte(input), span(t, input, start))
		if err != nil {
			t.Fatal(err)
		}
		if string(out) != want {
			t.Errorf("cut out at %d:\n%q\nwant:\n%q", start, out, want)
		}
	}
}

func TestExtractFails(t *testing.T) {
	t.Parallel()
	input := sample(t, "reversal.edi")
	whole := span(t, string(input), bytes.Index(input, []byte("ST*835*0002")))
	for name, change := range map[string]func(s *remittance.Span){
		"no set there":              func(s *remittance.Span) { s.Start++ },
		"before the start":          func(s *remittance.Span) { s.Start = -1 },
		"after the end":             func(s *remittance.Span) { s.End = len(input) + 1 },
		"nothing":                   func(s *remittance.Span) { s.End = s.Start },
		"no interchange there":      func(s *remittance.Span) { s.Interchange++ },
		"no group there":            func(s *remittance.Span) { s.Group++ },
		"group before interchange":  func(s *remittance.Span) { s.Interchange = s.Group + 1 },
		"interchange before inputs": func(s *remittance.Span) { s.Interchange = -1 },
	} {
		s := whole
		change(&s)
		if _, err := remittance.Extract(input, s); err == nil {
			t.Errorf("%s: no error", name)
		} else if _, ok := errors.AsType[*x12.Error](err); !ok {
			t.Errorf("%s: error %v without a position", name, err)
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
