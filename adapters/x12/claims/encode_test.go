package claims_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/claims"
)

// segments gives the segments of a file with the ID.
func segments(file []byte, id string) (all []string) {
	for s := range strings.SplitSeq(string(file), "~") {
		if strings.HasPrefix(s, id+"*") {
			all = append(all, s)
		}
	}
	return all
}

func TestNotes(t *testing.T) {
	t.Parallel()
	word := strings.Repeat("A", 100)
	note := func(n int) string { return fmt.Sprintf("MLR%d what it shows", n) }
	var many []claims.Attachment
	for i := range 12 {
		many = append(many, claims.Attachment{ReportType: "RB", Number: fmt.Sprintf("MLR%d", i), Note: note(i)})
	}
	for name, c := range map[string]struct {
		note        string
		attachments []claims.Attachment
		want        []string
	}{
		"none":          {},
		"one":           {note: "a  short: note", want: []string{"A SHORT NOTE"}},
		"cut at a word": {note: strings.Repeat("nine char ", 9), want: []string{strings.TrimSpace(strings.Repeat("NINE CHAR ", 8)), "NINE CHAR"}},
		"a long word":   {note: "see " + word + " and", want: []string{"SEE", word[:80], word[:20] + " AND"}},
		"longest":       {note: strings.Repeat(word[:80]+" ", 7), want: []string{word[:80], word[:80], word[:80], word[:80], word[:80]}},
		"attachments first": {
			note: "mine", attachments: many[:2],
			want: []string{strings.ToUpper(note(0)), strings.ToUpper(note(1)), "MINE"},
		},
		"room for five": {
			note: "mine", attachments: many,
			want: []string{strings.ToUpper(note(0)), strings.ToUpper(note(1)), strings.ToUpper(note(2)), strings.ToUpper(note(3)), strings.ToUpper(note(4))},
		},
		"stray": {
			note: "mine", attachments: []claims.Attachment{{Number: "MLR1", Note: "MLR10 is another"}, {Number: "MLR2", Note: "MLR2"}},
			want: []string{"MLR2", "MLR10 IS ANOTHER MINE"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claim := filling()
			claim.Note, claim.Attachments = c.note, c.attachments
			b := batch(claim)
			file := encode(t, &b)
			for i := range c.want {
				c.want[i] = "NTE*ADD*" + c.want[i]
			}
			if got := segments(file, "NTE"); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("notes %q, want %q", got, c.want)
			}
			if got, want := len(segments(file, "PWK")), min(len(c.attachments), claims.MaxAttachments); got != want {
				t.Errorf("%d PWK, want %d", got, want)
			}
			_, _ = checkDecode(t, file)
		})
	}
}

// TestProsthesis proves that SV305 states the placement of the line and nothing
// else.
func TestProsthesis(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"", claims.ProsthesisInitial, claims.ProsthesisReplacement} {
		c := filling()
		c.Lines = []claims.Line{{Procedure: "D2740", Fee: 1, Prosthesis: want, PriorPlacement: on(2015, 6, 1)}}
		b := batch(c)
		if got := strings.Split(segments(encode(t, &b), "SV3")[0], "*")[5]; got != want {
			t.Errorf("a crown is placed as %q, want %q", got, want)
		}
	}
}

// TestHierarchy proves that levels name their parents, and that claims of one
// office share its level however it is spelled.
func TestHierarchy(t *testing.T) {
	t.Parallel()
	first, second, third := filling(), crown(), filling()
	second.PayTo = claims.Address{}
	second.Billing.Name = "BRIGHT  smiles, p.c."
	third.Billing.NPI = "1467560003"
	b := batch(first, second, third)
	want := "HL*1**20*1 HL*2*1*22*0 HL*3*1*22*1 HL*4*3*23*0 HL*5**20*1 HL*6*5*22*0"
	if got := strings.Join(segments(encode(t, &b), "HL"), " "); got != want {
		t.Errorf("levels %s, want %s", got, want)
	}
}

// TestBare proves that a claim of which nothing is known is still well formed.
func TestBare(t *testing.T) {
	t.Parallel()
	c := claims.Claim{PatientControlNumber: "1", Lines: []claims.Line{{Procedure: "D0120"}}}
	file := encode(t, &claims.Batch{Claims: []claims.Claim{c}})
	all, err := checkDecode(t, file)
	if err != nil || len(all[0].Claims) != 1 {
		t.Errorf("%v\n%s", err, file)
	}
}

type failing struct{ after int }

func (f *failing) Write(b []byte) (int, error) {
	if f.after -= len(b); f.after < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

func TestWriterFails(t *testing.T) {
	t.Parallel()
	b := many(500)
	for _, after := range []int{0, 100_000, len(encode(t, &b)) - 1} {
		if err := claims.Encode(&failing{after}, &b); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("after %d bytes: %v, want the writer's error", after, err)
		}
	}
}

// widest keeps the length of the longest write.
type widest int

func (w *widest) Write(b []byte) (int, error) {
	*w = max(*w, widest(len(b)))
	return len(b), nil
}

// TestEncodeInParts proves that a batch is handed on while it is written.
func TestEncodeInParts(t *testing.T) {
	t.Parallel()
	b := many(1000)
	var w widest
	if err := claims.Encode(&w, &b); err != nil || w > 64<<10 {
		t.Errorf("a write of %d bytes, %v", w, err)
	}
}

// many makes a batch as a practice would send it: half the claims about
// dependents, with two to three lines each.
func many(n int) claims.Batch {
	b := batch()
	for i := range n {
		c := filling()
		if i%2 == 1 {
			c = crown()
		}
		c.PatientControlNumber = fmt.Sprintf("PCN%d", i)
		b.Claims = append(b.Claims, c)
	}
	return b
}
