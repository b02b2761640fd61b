package x12_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/x12test"
)

const (
	isa  = "ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *260304*0506*^*00501*000000907*0*T*:~"
	gs   = "GS*HP*SENDER*RECEIVER*20260304*05060708*12*X*005010X221A1~"
	st   = "ST*835*0001*005010X221A1~"
	tail = "SE*2*0001~GE*1*12~IEA*1*000000907~"
)

// ids reads everything and gives the segments' IDs.
func ids(r *x12.Reader) (string, error) {
	var all []string
	for {
		s, err := r.Next()
		if err != nil {
			return strings.Join(all, " "), err
		}
		all = append(all, s.ID)
	}
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	r := x12.NewReader(strings.NewReader(isa+gs+st+tail), x12.Limits{})
	if got, err := ids(r); got != "ISA GS ST SE GE IEA" || !errors.Is(err, io.EOF) {
		t.Fatalf("segments %s, error %v", got, err)
	}
	wantI := x12.Interchange{
		SenderQualifier: "ZZ", Sender: "SENDER", ReceiverQualifier: "ZZ", Receiver: "RECEIVER",
		Created: time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC), Version: "00501", Control: 907, Test: true,
	}
	if got := r.Interchange(); got != wantI {
		t.Errorf("interchange %+v", got)
	}
	wantG := x12.Group{
		FunctionalID: "HP", Sender: "SENDER", Receiver: "RECEIVER",
		Created: time.Date(2026, 3, 4, 5, 6, 7, 80_000_000, time.UTC), Control: 12, Version: "005010X221A1",
	}
	if got := r.Group(); got != wantG {
		t.Errorf("group %+v", got)
	}
	if got := r.Set(); got != (x12.Set{ID: "835", Control: "0001", Version: "005010X221A1"}) {
		t.Errorf("set %+v", got)
	}
	if got := r.Delimiters(); got != (x12.Delimiters{Element: '*', Component: ':', Repetition: '^', Segment: '~'}) {
		t.Errorf("delimiters %+v", got)
	}
	if w := r.Warnings(); len(w) != 0 {
		t.Errorf("warnings %v", w)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}

// TestAccepted lists what real files have.
func TestAccepted(t *testing.T) {
	t.Parallel()
	control := strings.NewReplacer("*", "\x1d", "~", "\x1c", ":", "\x1f", "^", "\x1e")
	for name, c := range map[string]struct{ input, ids string }{
		"line breaks":           {strings.ReplaceAll(isa+gs+st+tail, "~", "~\r\n\t "), "ISA GS ST SE GE IEA"},
		"byte order mark":       {"\ufeff \r\n" + isa + gs + st + tail, "ISA GS ST SE GE IEA"},
		"line break terminator": {strings.ReplaceAll(isa+gs+st+tail, "~", "\n"), "ISA GS ST SE GE IEA"},
		"CR LF terminator":      {strings.ReplaceAll(isa+gs+st+tail, "~", "\r\n"), "ISA GS ST SE GE IEA"},
		"control characters":    {control.Replace(isa + gs + st + tail), "ISA GS ST SE GE IEA"},
		"no last terminator":    {strings.TrimSuffix(isa+gs+st+tail, "~"), "ISA GS ST SE GE IEA"},
		"end mark":              {isa + gs + st + tail + "\r\n\x1a\x00", "ISA GS ST SE GE IEA"},
		"empty segments":        {isa + "~" + gs + st + "~~" + tail, "ISA GS ST SE GE IEA"},
		"narrow header":         {strings.ReplaceAll(isa, "  ", "") + gs + st + tail, "ISA GS ST SE GE IEA"},
		"several of each":       {isa + gs + st + "SE*2*0001~" + st + "SE*2*0001~GE*2*12~" + gs + st + "SE*2*0001~GE*1*12~IEA*2*000000907~\n" + strings.ReplaceAll(isa+gs+st+tail, "*", "|"), "ISA GS ST SE ST SE GE GS ST SE GE IEA ISA GS ST SE GE IEA"},
		"acknowledgement":       {isa + "TA1*000000907*260304*0506*A*000~IEA*0*000000907~", "ISA TA1 IEA"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := x12.NewReader(iotest.OneByteReader(strings.NewReader(c.input)), x12.Limits{})
			if got, err := ids(r); got != c.ids || !errors.Is(err, io.EOF) {
				t.Errorf("segments %s, error %v; want %s", got, err, c.ids)
			}
			if w := r.Warnings(); len(w) != 0 {
				t.Errorf("warnings %v", w)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		input  string
		limits x12.Limits
		want   x12.Error
	}{
		"nothing":            {"", x12.Limits{}, x12.Error{1, 0, "there is no interchange header (ISA)"}},
		"only space":         {" \n", x12.Limits{}, x12.Error{1, 2, "there is no interchange header (ISA)"}},
		"something else":     {"%PDF-1.7", x12.Limits{}, x12.Error{1, 0, "there is no interchange header (ISA)"}},
		"no header":          {gs + st + tail, x12.Limits{}, x12.Error{1, 0, "there is no interchange header (ISA)"}},
		"truncated header":   {isa[:100], x12.Limits{}, x12.Error{1, 0, "the interchange header (ISA) is truncated"}},
		"no terminator":      {isa[:105], x12.Limits{}, x12.Error{1, 0, "the interchange header (ISA) is truncated"}},
		"damaged header":     {strings.Replace(isa, "*ZZ*", "*ZZ", 1) + gs + st + tail, x12.Limits{}, x12.Error{1, 0, "the interchange header (ISA) is damaged"}},
		"letters separate":   {strings.ReplaceAll(isa, "*", "Q"), x12.Limits{}, x12.Error{1, 0, "the interchange header (ISA) has unusable delimiters"}},
		"same delimiters":    {strings.Replace(isa, ":~", "~~", 1), x12.Limits{}, x12.Error{1, 0, "the interchange header (ISA) has unusable delimiters"}},
		"only header":        {isa, x12.Limits{}, x12.Error{2, 106, "the input ends before its trailers (SE, GE, IEA)"}},
		"no group":           {isa + "IEA*0*000000907~", x12.Limits{}, x12.Error{2, 106, "the interchange has no functional group (GS)"}},
		"no group, but set":  {isa + st + tail, x12.Limits{}, x12.Error{2, 106, "the segment stands outside a functional group (GS)"}},
		"no set":             {isa + gs + "GE*0*12~IEA*1*000000907~", x12.Limits{}, x12.Error{3, 164, "the functional group has no transaction set (ST)"}},
		"no set, but body":   {isa + gs + "BPR*I~" + tail, x12.Limits{}, x12.Error{4, 170, "the segment stands outside a transaction set (ST)"}},
		"no SE":              {isa + gs + st + "GE*1*12~IEA*1*000000907~", x12.Limits{}, x12.Error{4, 189, "the transaction set has no trailer (SE)"}},
		"no GE":              {isa + gs + st + "SE*2*0001~IEA*1*000000907~", x12.Limits{}, x12.Error{5, 199, "the segment stands outside a transaction set (ST)"}},
		"no IEA":             {isa + gs + st + "SE*2*0001~GE*1*12~", x12.Limits{}, x12.Error{6, 207, "the input ends before its trailers (SE, GE, IEA)"}},
		"junk after the end": {isa + gs + st + tail + "junk", x12.Limits{}, x12.Error{7, 223, "there is more after the interchange trailer (IEA)"}},
		"no segment":         {isa + gs + st + "eb*1~" + tail, x12.Limits{}, x12.Error{4, 189, "this is not a segment"}},
		"long segment":       {isa + gs + st + "MSG*" + strings.Repeat("A", 300) + "~" + tail, x12.Limits{SegmentBytes: 256}, x12.Error{4, 189, "the segment is too long"}},
		"many segments":      {isa + gs + st + tail, x12.Limits{Segments: 3}, x12.Error{4, 189, "the input has too many segments"}},
		"large input":        {isa + gs + st + tail, x12.Limits{Bytes: 180}, x12.Error{3, 164, "the input is too large"}},
		"large space":        {strings.Repeat(" ", 1000), x12.Limits{Bytes: 180}, x12.Error{1, 181, "the input is too large"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := x12.NewReader(strings.NewReader(c.input), c.limits)
			_, err := ids(r)
			e, ok := errors.AsType[*x12.Error](err)
			if !ok || *e != c.want {
				t.Errorf("error %v, want %v", err, &c.want)
			}
			if _, again := r.Next(); !errors.Is(again, err) {
				t.Errorf("then %v", again)
			}
		})
	}
}

func TestUnderlyingError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, read := range []string{"", isa, isa + gs + "ST*8"} {
		r := x12.NewReader(io.MultiReader(strings.NewReader(read), iotest.ErrReader(broken)), x12.Limits{})
		if _, err := ids(r); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v, want the reader's error", len(read), err)
		}
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	r := x12.NewReader(strings.NewReader(isa+gs+st+"SE*7*0002~GE**12~IEA*1*907~"), x12.Limits{})
	if _, err := ids(r); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	want := []x12.Warning{
		{4, 189, "the count is wrong"},
		{4, 189, "the control number is not the header's"},
		{5, 199, "the count is wrong"},
		{6, 206, "the control number is not the header's"},
	}
	if got := r.Warnings(); !reflect.DeepEqual(got, want) {
		t.Errorf("warnings %v, want %v", got, want)
	}
}

// TestUnknownSegments skips segments of the sender's own outside transaction sets.
func TestUnknownSegments(t *testing.T) {
	t.Parallel()
	r := x12.NewReader(strings.NewReader(isa+"XYZ*1~"+gs+"K3*A~"+st+"SE*2*0001~K3*B~GE*1*12~XY~IEA*1*000000907~"), x12.Limits{})
	if got, err := ids(r); got != "ISA GS ST SE GE IEA" || !errors.Is(err, io.EOF) {
		t.Errorf("segments %s, error %v", got, err)
	}
	if w := r.Warnings(); len(w) != 4 || w[0] != (x12.Warning{2, 106, x12.ReasonUnknown}) {
		t.Errorf("warnings %v", w)
	}
}

// TestMiscounted is true of trailers with a wrong count, and of no other segment.
func TestMiscounted(t *testing.T) {
	t.Parallel()
	for trailers, want := range map[string]string{
		tail:                              "",
		"SE*7*0001~GE*1*12~IEA*1*9~":      "SE",
		"SE*2*0001~GE**12~IEA*1*9~":       "GE",
		"SE*2*9~GE*1*9~IEA~":              "IEA",
		"SE*ONE*0001~GE*2*12~IEA*0*9~":    "SE GE IEA",
		"N1*PR~SE*2*0001~GE*1*12~IEA*1*9": "SE",
	} {
		r := x12.NewReader(strings.NewReader(isa+gs+st+trailers), x12.Limits{})
		if r.Miscounted() {
			t.Error("a count is wrong before the first segment")
		}
		var got []string
		for {
			s, err := r.Next()
			if err != nil {
				break
			}
			if r.Miscounted() {
				got = append(got, s.ID)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", trailers, got, want)
		}
	}
}

func TestSegment(t *testing.T) {
	t.Parallel()
	input := isa + gs + st + "EB* A ** 1^33 ^*AD: D1110 ::x\r\n y*\xe9t\xe9\x00*ét\u00e9~" + tail
	r := x12.NewReader(strings.NewReader(input), x12.Limits{})
	var s *x12.Segment
	for range 4 {
		var err error
		if s, err = r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if s.ID != "EB" || s.Ordinal != 4 || s.Offset != 189 || s.Len() != 6 {
		t.Errorf("segment %+v", s)
	}
	if s.Element(1) != "A" || s.Element(2) != "" || s.Element(0) != "" || s.Element(7) != "" {
		t.Errorf("elements %q %q", s.Element(1), s.Element(2))
	}
	if got := s.Repetitions(3); !reflect.DeepEqual(got, []string{"1", "33", ""}) {
		t.Errorf("repetitions %q", got)
	}
	if s.Component(4, 1) != "AD" || s.Component(4, 2) != "D1110" || s.Component(4, 4) != "x y" || s.Component(4, 5) != "" || s.Component(9, 1) != "" {
		t.Errorf("components %q", s.Components(4))
	}
	if got := s.Components(4); !reflect.DeepEqual(got, []string{"AD", "D1110", "", "x y"}) {
		t.Errorf("components %q", got)
	}
	if s.Components(2) != nil || s.Repetitions(2) != nil {
		t.Error("an empty element has parts")
	}
	if s.Element(5) != "été" {
		t.Errorf("Latin-1 comes as %q", s.Element(5))
	}
	if e := s.Fault("odd"); e.Error() != "x12: segment 4 at byte 189: odd" {
		t.Errorf("fault %v", e)
	}
}

// TestNoRepetition reads 4010, in which ISA11 is no separator.
func TestNoRepetition(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"4010":         strings.Replace(isa, "*^*00501", "*U*00401", 1),
		"4010 with ^":  strings.Replace(isa, "00501", "00401", 1),
		"5010 with U":  strings.Replace(isa, "*^*", "*U*", 1),
		"taken as end": strings.Replace(isa, "*^*", "*~*", 1),
	} {
		r := x12.NewReader(strings.NewReader(head+gs+st+"EB*1^2~"+tail), x12.Limits{})
		for {
			s, err := r.Next()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if s.ID == "EB" {
				if got := s.Repetitions(1); !reflect.DeepEqual(got, []string{"1^2"}) || s.Repetitions(2) != nil {
					t.Errorf("%s: repetitions %q", name, got)
				}
				break
			}
		}
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]string]string{
		{"20260304", "0506"}:      "2026-03-04T05:06:00Z",
		{"260304", "050607"}:      "2026-03-04T05:06:07Z",
		{"20260304", "0506078"}:   "2026-03-04T05:06:07.8Z",
		{"20260304", "05060789"}:  "2026-03-04T05:06:07.89Z",
		{"20260230", "0506"}:      "0001-01-01T00:00:00Z",
		{"20260304", "2506"}:      "0001-01-01T00:00:00Z",
		{"20260304", "99999999"}:  "0001-01-01T00:00:00Z",
		{"20260304", "050"}:       "0001-01-01T00:00:00Z",
		{"20260304", "050607899"}: "0001-01-01T00:00:00Z",
		{"", ""}:                  "0001-01-01T00:00:00Z",
	} {
		if got := x12.ParseTime(in[0], in[1]).Format(time.RFC3339Nano); got != want {
			t.Errorf("ParseTime(%v) = %s, want %s", in, got, want)
		}
	}
}

// TestCorpus reads public samples, which are not part of the project, from the
// folder in MOLAR_CORPUS_DIR.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files := x12test.Corpus(t, "*/*")
	read := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ids(x12.NewReader(bytes.NewReader(b), x12.Limits{}))
		if errors.Is(err, io.EOF) {
			read++
			continue
		}
		e, ok := errors.AsType[*x12.Error](err)
		if !ok || e.Offset < 0 || e.Offset > len(b) {
			t.Errorf("%s: %v", filepath.Base(file), err)
			continue
		}
		t.Logf("%s refused: %v", filepath.Base(file), err)
	}
	t.Logf("%d of %d files were read to the end", read, len(files))
	if read*2 < len(files) {
		t.Errorf("%d of %d files were read to the end", read, len(files))
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(isa + gs + st + "EB*1**1^33**A:B~" + tail))
	f.Add([]byte("\ufeff" + strings.ReplaceAll(isa+gs+st+tail, "~", "\r\n") + isa + "TA1~IEA*0*000000907~"))
	f.Add([]byte(strings.Replace(isa, "*^*00501", "*U*00401", 1) + gs + st + "MSG*\xe9\x00\n~" + tail))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := x12.NewReader(bytes.NewReader(b), x12.Limits{SegmentBytes: 512})
		last := -1
		for {
			s, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if e, ok := errors.AsType[*x12.Error](err); ok {
				if e.Segment < 1 || e.Offset < 0 || e.Offset > len(b) {
					t.Fatalf("the position is off: %v, in %d bytes", err, len(b))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Offset <= last || s.Offset >= len(b) || b[s.Offset] != s.ID[0] && b[s.Offset] >= 'A' && b[s.Offset] <= 'Z' {
				t.Fatalf("segment %d %s at byte %d, after %d", s.Ordinal, s.ID, s.Offset, last)
			}
			last = s.Offset
			for n := range s.Len() + 2 {
				_, _, _ = s.Component(n, 2), s.Components(n), s.Repetitions(n)
			}
		}
	})
}
