package x12_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/x12test"
)

// body is long enough to wrap.
const body = "BPR*I*1250.00*C*ACH*CCP*01*123456789*DA*9876543*1512345678**01*999988880*DA*98765*20260304~TRN*1*0012345*1512345678~"

// whole is a whole file.
const whole = isa + gs + st + body + "SE*4*0001~GE*1*12~IEA*1*000000907~"

// wrapped breaks a file into lines of a number of bytes.
func wrapped(file string, width int, by string) string {
	var b strings.Builder
	for len(file) > width {
		b.WriteString(file[:width] + by)
		file = file[width:]
	}
	return b.String() + file + by
}

// TestWhole takes the forms in which whole files come.
func TestWhole(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"as it is":                       whole,
		"80 columns":                     wrapped(whole, 80, "\n"),
		"80 columns of DOS":              wrapped(whole+whole, 80, "\r\n"),
		"text after IEA":                 whole + "\nEND OF TRANSMISSION\n",
		"text after IEA, blanks":         whole + strings.Repeat(" ", 200) + "\x1a\x00",
		"no last terminator":             strings.TrimSuffix(whole, "~"),
		"no last terminator, line break": strings.TrimSuffix(whole, "~") + "\r\n",
		"no terminator between":          strings.TrimSuffix(whole, "~") + "\n" + whole,
		"text between":                   whole + "\n*** next file ***\n" + whole,
		"lines":                          strings.ReplaceAll(whole, "~", "~\r\n"),
		"a MIME header":                  "Content-Type: application/EDI-X12\r\n\r\n" + whole,
		"a report":                       "Claims accepted: 3\n",
		"a binary file":                  "PK\x03\x04\x00",
		"an unknown segment before GS":   isa + "XYZ*1~" + whole[len(isa):],
		"an unknown segment before ST":   isa + gs + "XYZ*1~" + whole[len(isa+gs):],
		"an invalid segment in a set":    strings.Replace(whole, "TRN*", "t!N*", 1),
	} {
		if err := x12.Whole([]byte(file)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for width := 10; width < 130; width++ {
		for _, by := range []string{"\n", "\r\n"} {
			if err := x12.Whole([]byte(wrapped(whole+whole, width, by))); err != nil {
				t.Errorf("%d columns by %q: %v", width, by, err)
			}
		}
	}
}

// TestNotWhole cuts a file at every byte: nothing that lacks a significant byte is whole.
func TestNotWhole(t *testing.T) {
	t.Parallel()
	for what, file := range map[string]string{
		"one interchange": whole, "wrapped": strings.TrimSpace(wrapped(whole, 80, "\r\n")), "two": whole + whole, "two with text between": whole + "\nNEXT\n" + whole,
		"lines": strings.TrimSpace(strings.ReplaceAll(whole, "~", "~\n")), "line breaks end segments": strings.ReplaceAll(whole, "~", "\n"),
	} {
		for n := range len(file) - 1 {
			// What is left of a file of two after the first, or after the text behind that, is whole.
			first := len(whole) - 1
			if strings.HasPrefix(what, "two") && n >= first && (n <= len(whole)+3 || strings.TrimLeft(file[len(whole):n], "\nNEXTISA") == "") {
				continue
			}
			if err := x12.Whole([]byte(file[:n])); err == nil {
				t.Errorf("%s: the first %d of %d bytes are whole: %q", what, n, len(file), file[max(0, n-30):n])
			}
		}
	}
	for name, file := range map[string]string{
		"nothing":                          "",
		"only space":                       "\ufeff \r\n\x00",
		"the end of the first is missing":  strings.TrimSuffix(whole, "IEA*1*000000907~") + whole,
		"a hole":                           whole[:150] + string(make([]byte, 60)) + whole[210:],
		"no set":                           isa + gs + "GE*0*12~IEA*1*000000907~",
		"the second is broken, after text": whole + "NEXT\n" + strings.Replace(whole, "SE*4*0001~", "", 1),
	} {
		err := x12.Whole([]byte(file))
		if err == nil {
			t.Errorf("%s: it is whole", name)
		}
	}
}

// TestPieces finds the interchanges that can be read between those that cannot.
func TestPieces(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(whole, "SE*4*0001~", "", 1)
	cut := whole[:len(isa+gs+st)+10]
	for name, c := range map[string]struct {
		file string
		want []string // the pieces; "!" before one that cannot be read
	}{
		"one":                {whole, []string{whole}},
		"two":                {whole + whole, []string{whole + whole}},
		"text":               {whole + "\nEND\n", []string{whole + "\nEND\n"}},
		"text between":       {whole + "\nEND\n" + whole, []string{whole + "\nEND\n", whole}},
		"no terminator":      {strings.TrimSuffix(whole, "~") + whole, []string{strings.TrimSuffix(whole, "~"), whole}},
		"broken first":       {broken + whole, []string{"!" + broken, whole}},
		"broken between":     {whole + broken + whole + whole, []string{whole, "!" + broken, whole + whole}},
		"broken last":        {whole + broken, []string{whole, "!" + broken}},
		"cut first":          {cut + "\n" + whole, []string{"!" + cut + "\n", whole}},
		"cut last":           {whole + whole + cut, []string{whole + whole, "!" + cut}},
		"other delimiters":   {cut + strings.ReplaceAll(whole, "~", "|"), []string{"!" + cut, strings.ReplaceAll(whole, "~", "|")}},
		"a name like ISA":    {strings.Replace(broken, "TRN*", "N1*ISA*", 1) + whole, []string{"!" + strings.Replace(broken, "TRN*", "N1*ISA*", 1), whole}},
		"only a header":      {isa, []string{"!" + isa}},
		"wrapped and broken": {wrapped(broken, 80, "\n") + wrapped(whole, 80, "\n"), []string{"!" + wrapped(broken, 80, "\n"), wrapped(whole, 80, "\n")}},
		"a report":           {"a report", nil},
		"text before":        {"a report\n" + whole, nil},
		"nothing":            {"", nil},
	} {
		var got []string
		at := 0
		for _, p := range x12.Pieces([]byte(c.file)) {
			if p.Start != at {
				t.Errorf("%s: a piece starts at %d, after %d", name, p.Start, at)
			}
			at = p.End
			text := c.file[p.Start:p.End]
			if p.Err != nil {
				text = "!" + text
			}
			got = append(got, text)
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%s:\n%q, want\n%q", name, got, c.want)
		}
	}
}

// TestManyPieces bounds the pieces of a hostile file.
func TestManyPieces(t *testing.T) {
	t.Parallel()
	pieces := x12.Pieces(bytes.Repeat([]byte(isa), 20_000))
	if len(pieces) > 2000 || pieces[len(pieces)-1].End != 20_000*len(isa) {
		t.Errorf("%d pieces", len(pieces))
	}
}

// TestWholeCorpus reads each public sample as it is, wrapped, without its last terminator,
// and with text behind it: all have the same answer.
func TestWholeCorpus(t *testing.T) {
	t.Parallel()
	for _, file := range x12test.Corpus(t, "*/*") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		err = x12.Whole(b)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(file), err)
			continue
		}
		if !bytes.HasPrefix(b, []byte("ISA")) {
			continue
		}
		end := strings.TrimRight(string(b), "~\r\n ")
		for form, as := range map[string]string{
			"text behind": string(b) + "\nEND OF FILE\n", "no last terminator": end, "80 columns": wrapped(strings.NewReplacer("\r", "", "\n", "").Replace(string(b)), 80, "\n"),
		} {
			err := x12.Whole([]byte(as))
			if err != nil && form == "no last terminator" && strings.Contains(err.Error(), "control number") {
				continue // the sample has other numbers in its trailer
			}
			if err != nil {
				t.Errorf("%s, %s: %v", filepath.Base(file), form, err)
			}
		}
	}
}

// FuzzPieces reads any file. The pieces cover it without gaps, and one that can be read
// can be read alone.
func FuzzPieces(f *testing.F) {
	f.Add([]byte(whole + "text" + whole))
	f.Add([]byte(whole[:200] + wrapped(whole, 80, "\n")))
	f.Add([]byte(strings.TrimSuffix(whole, "~") + "\n" + whole[:190]))
	f.Fuzz(func(t *testing.T, b []byte) {
		pieces := x12.Pieces(b)
		at := 0
		for _, p := range pieces {
			if p.Start != at || p.End <= p.Start {
				t.Fatalf("a piece from %d to %d, after %d", p.Start, p.End, at)
			}
			at = p.End
			if p.Err != nil {
				continue
			}
			if again := x12.Pieces(b[p.Start:p.End]); len(again) != 1 || again[0].Err != nil {
				t.Fatalf("alone it is %+v, and was %+v", again, p)
			}
		}
		if len(pieces) > 0 && at != len(b) {
			t.Fatalf("the pieces end at %d of %d", at, len(b))
		}
		_ = x12.Whole(b)
	})
}
