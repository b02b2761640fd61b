package acknowledgements_test

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\n", "")
}

func TestFunctionalComesBack(t *testing.T) {
	t.Parallel()
	for _, standard := range []acknowledgements.Standard{"999", "997"} {
		got, warnings, err := acknowledgements.DecodeFunctional(strings.NewReader(read(t, string(standard)+".edi")))
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%v, %v", warnings, err)
		}
		want := functional(standard)
		if !reflect.DeepEqual(got.Groups, want.Groups) || !reflect.DeepEqual(got.Interchanges, want.Interchanges) || got.Standard != standard {
			t.Errorf("%s is\n%+v, want\n%+v", standard, got, want)
		}
		if got.Interchange.Sender != "CHTEST" || got.Group.FunctionalID != "FA" || got.Group.Control != 55 {
			t.Errorf("the envelope is %+v, %+v", got.Interchange, got.Group)
		}
	}
}

// TestSet proves what the verdict on a group means for its set 0007.
func TestSet(t *testing.T) {
	t.Parallel()
	const accepted, rejected = acknowledgements.VerdictAccepted, acknowledgements.VerdictRejected
	set := func(control, code string, faults ...string) acknowledgements.SetVerdict {
		return acknowledgements.SetVerdict{ID: "837", Control: control, Code: code, Faults: faults}
	}
	group := func(code string, sets ...acknowledgements.SetVerdict) acknowledgements.GroupVerdict {
		return acknowledgements.GroupVerdict{FunctionalID: "HC", Control: "31", Code: code, Sets: sets}
	}
	faulty := group("R")
	faulty.Faults = []string{"2", "77"}
	for name, c := range map[string]struct {
		group acknowledgements.GroupVerdict
		want  acknowledgements.Verdict
		why   []string
	}{
		"accepted":                    {group: group("A", set("0007", "A")), want: accepted},
		"accepted, zeros":             {group: group("A", set("7", "A")), want: accepted},
		"accepted with errors":        {group("E", set("0007", "E", "4")), accepted, []string{"The transaction set: the number of segments is wrong (4)."}},
		"accepted, not mentioned":     {group: group("A"), want: accepted},
		"rejected":                    {group("R", set("0007", "R", "5")), rejected, []string{"The transaction set: it has faulty segments (5)."}},
		"rejected, not mentioned":     {faulty, rejected, []string{"The functional group: its version is not supported (2).", "The functional group: fault 77."}},
		"rejected though set is fine": {group: group("R", set("0007", "A")), want: rejected},
		"rejected by assurance":       {group: group("W"), want: rejected},
		"set rejected, group fine":    {group: group("A", set("0007", "R")), want: rejected},
		"part, this one accepted":     {group: group("P", set("0006", "R"), set("0007", "A")), want: accepted},
		"part, this one rejected":     {group: group("P", set("0006", "A"), set("0007", "X")), want: rejected},
		"part, this one unclear":      {group: group("P", set("0007", "?"))},
		"part, not mentioned":         {group: group("P", set("0006", "A"))},
		"no AK9, accepted":            {group: group("", set("0007", "A")), want: accepted},
		"no AK9, mixed":               {group: group("", set("0006", "A"), set("0007", "R")), want: rejected},
		"no AK9, nothing":             {group: group("")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, why := c.group.Set("0007"); got != c.want || !reflect.DeepEqual(why, c.why) {
				t.Errorf("%q because %q, want %q because %q", got, why, c.want, c.why)
			}
			back, err := checkFunctional(t, acknowledgements.EncodeFunctional(&acknowledgements.Functional{Groups: []acknowledgements.GroupVerdict{c.group}}))
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := back.Groups[0].Set("0007"); again != c.want {
				t.Errorf("after a round trip %q", again)
			}
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	f := functional("999")
	verdict, why := f.Groups[0].Set("0008")
	want := []string{
		"The transaction set: the number of segments is wrong (4).",
		"Segment 22 (CLM) in loop 2300, element 5, component 3: the code is not one of the list (7).",
		"Segment 22 (CLM) in loop 2300, element 2, repetition 2: the value does not have the form that the guide requires (I12).",
		"Segment 30 (NM1): a required segment is missing (3).",
	}
	if verdict != acknowledgements.VerdictRejected || !reflect.DeepEqual(why, want) {
		t.Errorf("%s because\n%s, want\n%s", verdict, strings.Join(why, "\n"), strings.Join(want, "\n"))
	}
	for note, want := range map[string]string{
		"025": "The interchange was rejected: its control number was used before (025).", "": "The interchange was rejected: no reason was given.",
	} {
		i := acknowledgements.InterchangeVerdict{Code: "R", Note: note}
		if got := i.Words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestEveryCodeHasWords covers the codes of the standards.
func TestEveryCodeHasWords(t *testing.T) {
	t.Parallel()
	words := func(f acknowledgements.SegmentFault) string {
		s := acknowledgements.SetVerdict{Segments: []acknowledgements.SegmentFault{f}}
		return strings.Join(s.Words(), " ")
	}
	for c := range strings.FieldsSeq("1 2 3 4 5 6 7 8 I4 I6 I7 I8 I9") {
		if w := words(acknowledgements.SegmentFault{Code: c}); strings.Contains(w, "fault") && c != "8" || !strings.HasSuffix(w, "("+c+").") {
			t.Errorf("segment fault %s: %s", c, w)
		}
	}
	for c := range strings.FieldsSeq("1 2 3 4 5 6 7 8 9 10 12 13 I6 I9 I10 I11 I12 I13") {
		w := words(acknowledgements.SegmentFault{Code: "8", Elements: []acknowledgements.ElementFault{{Position: 1, Code: c}}})
		if strings.Contains(w, "fault") || !strings.HasSuffix(w, "("+c+").") {
			t.Errorf("element fault %s: %s", c, w)
		}
	}
	for c := range strings.FieldsSeq("1 2 3 4 5 6 7 8 9 10 11 12 13 15 16 17 18 19 23 I5 I6") {
		s := acknowledgements.SetVerdict{Faults: []string{c}}
		if w := s.Words(); len(w) != 1 || strings.Contains(w[0], ": fault") {
			t.Errorf("set fault %s: %s", c, w)
		}
	}
	for c := range strings.FieldsSeq("1 2 3 4 5 6 10 11 12 13 14 15 16 17 18 19") {
		g := acknowledgements.GroupVerdict{Code: "R", Faults: []string{c}}
		if _, w := g.Set("1"); len(w) != 1 || strings.Contains(w[0], ": fault") {
			t.Errorf("group fault %s: %s", c, w)
		}
	}
	for n := 1; n <= 27; n++ {
		c := string([]byte{'0', '0' + byte(n/10), '0' + byte(n%10)})
		i := acknowledgements.InterchangeVerdict{Code: "R", Note: c}
		if w := i.Words(); strings.Contains(w, "fault") || i.Verdict() != acknowledgements.VerdictRejected {
			t.Errorf("interchange fault %s: %s", c, w)
		}
	}
}

// TestWordsHideWhatWasSent proves that a garbled acknowledgement brings nothing
// of a patient into words.
func TestWordsHideWhatWasSent(t *testing.T) {
	t.Parallel()
	const name = "KOWALSKI ANNA"
	s := acknowledgements.SetVerdict{Faults: []string{name}, Segments: []acknowledgements.SegmentFault{{
		ID: name, Loop: name, Code: name, Contexts: []acknowledgements.Context{{Name: name, Value: name}},
		Elements: []acknowledgements.ElementFault{{Reference: name, Code: name, Value: name}},
	}}}
	if w := strings.Join(s.Words(), " "); strings.Contains(w, "KOWALSKI") || strings.Contains(w, "ANNA") {
		t.Errorf("the words are %q", w)
	}
	f := functional("999")
	segment := f.Groups[0].Sets[1].Segments[0]
	for _, s := range []string{f.LogValue().String(), segment.Elements[0].LogValue().String(), segment.Contexts[0].LogValue().String()} {
		if strings.Contains(s, "PCN") {
			t.Errorf("a log would show %q", s)
		}
	}
}

func TestFunctionalRefused(t *testing.T) {
	t.Parallel()
	file := read(t, "999.edi")
	swap := func(from, to string) string {
		out := strings.Replace(file, from, to, 1)
		if out == file {
			t.Fatalf("%q is not in the file", from)
		}
		return out
	}
	for name, c := range map[string]struct {
		input   string
		segment int
		reason  string
	}{
		"nothing":             {"", 1, "there is no interchange header (ISA)"},
		"another set":         {strings.ReplaceAll(swap("TA1*000000907*260304*0506*A*000~", ""), "ST*999", "ST*277"), 1, "there is no acknowledgement (999, 997 or TA1)"},
		"cut":                 {file[:300], 10, "the input ends before its trailers (SE, GE, IEA)"},
		"no group":            {swap("AK1*", "AKX*"), 6, "the verdict stands outside a functional group (AK1)"},
		"no group at all":     {file[:strings.Index(file, "AK1")] + "SE*2*0001~GE*1*55~IEA*1*000000055~", 5, "the acknowledgement names no functional group (AK1)"},
		"no set":              {swap("AK2*837*0007", "AKX*837*0007"), 7, "the verdict stands outside a transaction set (AK2)"},
		"element of nothing":  {swap("IK3*CLM*22*2300*8~CTX*CLM01:PCN-1~", ""), 9, "the fault of an element stands outside a segment (IK3, AK3)"},
		"verdict after group": {swap("SE*13", "IK5*A~SE*14"), 16, "the verdict stands outside a transaction set (AK2)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := acknowledgements.DecodeFunctional(strings.NewReader(c.input))
			e, ok := errors.AsType[*x12.Error](err)
			if !ok || e.Segment != c.segment || e.Reason != c.reason {
				t.Errorf("error %v, want %q at segment %d", err, c.reason, c.segment)
			}
		})
	}
}
