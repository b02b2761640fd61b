package eligibility_test

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
)

func decodeFile(t *testing.T, name string) *eligibility.Reply {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := eligibility.Decode(b)
	if err != nil {
		t.Fatalf("decode %s: %v", name, err)
	}
	return r
}

func TestInquiryComesBack(t *testing.T) {
	t.Parallel()
	q := dependentInquiry()
	got, err := eligibility.DecodeInquiry(eligibility.EncodeInquiry(&q))
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2026, 3, 4, 5, 6, 7, 80_000_000, time.UTC); !got.CreatedAt.Equal(want) {
		t.Errorf("created at %v, want %v: cut to hundredths", got.CreatedAt, want)
	}
	if n := got.Subscriber.Name; n.Last != "NUNEZ" || n.First != "ZOE" || n.ID != "SANDBOX-ACTIVE-FULL" {
		t.Errorf("the subscriber is %+v", n)
	}
	p := got.Patient()
	if p.Name.Last != "X" || p.Name.First != "" {
		t.Errorf("the dependent is %+v, want the last name X for one that ASCII cannot spell", p.Name)
	}
	if p.BirthDate != (billing.Date{Year: 2015, Month: 5, Day: 6}) || p.Relationship != "19" || p.Traces[0].Number != "ELG_01" {
		t.Errorf("the dependent is %+v", p)
	}
	if from, _, ok := p.Dates[0].Span(); !ok || from.String() != "2026-03-04" {
		t.Errorf("the service date is %v", from)
	}
	if got.Subscriber.Reference("6P") != "G-100" || got.Provider.Reference("TJ") != "123456789" || got.Provider.Reference("EI") != "" {
		t.Error("the references differ")
	}
	if got.Queries[0].Procedure.Code != "D1110" || got.Interchange.Control != 907 || !got.Interchange.Test {
		t.Errorf("the query is %+v, the envelope %+v", got.Queries[0], got.Interchange)
	}
	plain := inquiry()
	if plain.Patient() != &plain.Subscriber {
		t.Error("without a dependent the patient is the subscriber")
	}
}

func TestReplyComesBack(t *testing.T) {
	t.Parallel()
	r := decodeFile(t, "reply-full.edi")
	var loops []string
	for _, a := range r.Rejections() {
		loops = append(loops, a.Loop+" "+a.Reason)
	}
	if want := []string{"2000A 42", "2100A 80", "2100B 43", "2100C 72", "2110D 60"}; !reflect.DeepEqual(loops, want) {
		t.Errorf("rejections %v, want %v", loops, want)
	}
	if r.Patient() != r.Dependent || r.Version != eligibility.Version || r.Purpose != "11" {
		t.Errorf("patient %p, version %s, purpose %s", r.Patient(), r.Version, r.Purpose)
	}
	want := reply().Dependent.Benefits[1]
	got := r.Dependent.Benefits[1]
	if got.Segment == 0 || got.Segment <= r.Dependent.Benefits[0].Segment {
		t.Errorf("benefit at segment %d", got.Segment)
	}
	got.Segment, got.Rejections[0].Segment, got.Related[0].Segment = 0, 0, 0
	want.Related[0].Name.Last, want.Related[0].Address.City = "OTHER PLAN", "TULSA"
	if !reflect.DeepEqual(got, want) {
		t.Errorf("benefit\n%+v, want\n%+v", got, want)
	}
	if m := r.Dependent.Benefits[0].Messages[0]; m != "DEDUCTIBLE WAIVED" {
		t.Errorf("message %q: delimiters become spaces", m)
	}
	if from, to, ok := r.Subscriber.Dates[0].Span(); !ok || from.String() != "2026-03-04" || to.String() != "2027-03-04" {
		t.Errorf("span %v to %v", from, to)
	}
}

// TestLenient reads a reply of 4010 with unknown levels, wrong counts, another
// component separator and a date that does not exist.
func TestLenient(t *testing.T) {
	t.Parallel()
	r := decodeFile(t, "lenient-4010.edi")
	if r.Source.Name.ID != "00042" || r.Receiver.Name.ID != "1234567893" || r.Subscriber.Name.First != "JANE" || r.Dependent.Name.First != "KIM" {
		t.Errorf("the loops are mixed up: %+v", r)
	}
	if !r.Dependent.BirthDate.IsZero() || r.Dependent.Gender != "F" || r.Version != "004010X092A1" {
		t.Errorf("dependent %+v, version %s", r.Dependent.Party, r.Version)
	}
	b := r.Dependent.Benefits
	if len(b) != 2 || b[1].Procedure.Code != "D1351" || b[1].Procedure.Modifiers[0] != "F1" || b[1].Segment != 17 {
		t.Fatalf("benefits %+v", b)
	}
	if !reflect.DeepEqual(b[0].ServiceTypes, []string{"30", "35"}) {
		t.Errorf("service types %v: they repeat with ^, whatever ISA11 is", b[0].ServiceTypes)
	}
	if b[1].Related[0].Address.State != "OK" || b[1].Rejections[0].Loop != "2110D" || len(r.Warnings) != 1 || r.Warnings[0].Segment != 26 {
		t.Errorf("benefit %+v, warnings %v", b[1], r.Warnings)
	}
}

func TestWithoutLevels(t *testing.T) {
	t.Parallel()
	r := decodeFile(t, "no-levels.edi")
	if r.Source.Name.ID != "77" || r.Subscriber.Name.ID != "M9" || r.Receiver != nil || r.Subscriber.BirthDate.Year != 1980 {
		t.Errorf("the loops are mixed up: %+v", r)
	}
	b := r.Subscriber.Benefits
	if len(b) != 3 || b[1].Related[0].Name.Last != "WHO" || b[1].Related[0].Contacts[0].Numbers[0].Value != "8005550100" || b[2].Related[0].Name.Last != "SECOND PLAN" {
		t.Errorf("benefits %+v", b)
	}
	r = decodeFile(t, "eb-only.edi")
	if r.Source != nil || r.Patient() == nil || len(r.Patient().Benefits) != 2 || len(r.Patient().Benefits[1].Messages) != 1 {
		t.Errorf("EB straight after ST: %+v", r)
	}
}

func TestRefusedWithAPosition(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/reply-full.edi")
	if err != nil {
		t.Fatal(err)
	}
	full := string(file)
	body := strings.Index(full, "BHT")
	for name, c := range map[string]struct {
		input   string
		segment int
		reason  string
	}{
		"nothing":              {"", 1, "there is no interchange header (ISA)"},
		"html":                 {"<html>Service unavailable</html>", 1, "there is no interchange header (ISA)"},
		"cut in the header":    {full[:60], 1, "the interchange header (ISA) is truncated"},
		"cut in a set":         {full[:body], 4, "the input ends before its trailers (SE, GE, IEA)"},
		"no group":             {full[:107] + "IEA*0*000000907~", 2, "the interchange has no functional group (GS)"},
		"another set":          {strings.ReplaceAll(full, "ST*271", "ST*999"), 1, "there is no transaction set 271"},
		"empty set":            {full[:body] + "BHT*0022*11~SE*3*0001~GE*1*907~IEA*1*000000907~", 3, "the transaction set is empty"},
		"two subscribers":      {strings.Replace(full, "*23*0~", "*22*0~", 1), 24, "there is more than one payer, provider, subscriber or dependent"},
		"subscriber named too": {strings.Replace(full, "TRN*2", "NM1*IL*1*A~NM1*IL*1*B~TRN*2", 1), 15, "there is more than one subscriber or dependent"},
		"two sets":             {full[:body] + "EB*1~SE*3*0001~" + full[strings.Index(full, "ST*271"):], 6, "there is a second transaction set 271"},
		"too large":            {strings.Replace(full, "EB*1", strings.Repeat("MSG*"+strings.Repeat("A", 1000)+"~", 5000)+"EB*1", 1), 4195, "the input is too large"},
		"too many segments":    {strings.Replace(full, "EB*1", strings.Repeat("MSG*A~", 30_000)+"EB*1", 1), 20_001, "the input has too many segments"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := eligibility.Decode([]byte(c.input))
			e, ok := errors.AsType[*x12.Error](err)
			if !ok || e.Segment != c.segment || e.Reason != c.reason {
				t.Errorf("error %v, want %q at segment %d", err, c.reason, c.segment)
			}
		})
	}
}

func TestInquiryNeedsASubscriber(t *testing.T) {
	t.Parallel()
	q := inquiry()
	b := eligibility.EncodeInquiry(&q)
	at := bytes.Index(b, []byte("HL*3"))
	_, err := eligibility.DecodeInquiry(append(b[:at:at], "SE*7*0001~GE*1*907~IEA*1*000000907~"...))
	if e, ok := errors.AsType[*x12.Error](err); !ok || e.Reason != "the inquiry names no subscriber" || e.Segment != 3 {
		t.Errorf("error %v", err)
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"20260101":          "2026-01-01 2026-01-01 true",
		"20260101-20261231": "2026-01-01 2026-12-31 true",
		"20260101-":         "2026-01-01  false",
		"00000000":          "  false",
		"20260230":          "  false",
		"":                  "  false",
	} {
		from, to, ok := eligibility.Date{Value: value}.Span()
		got := from.String() + " " + to.String() + " " + map[bool]string{true: "true", false: "false"}[ok]
		if got != want {
			t.Errorf("%q spans %q, want %q", value, got, want)
		}
	}
}

func TestLogsHideTheContent(t *testing.T) {
	t.Parallel()
	q, r := inquiry(), reply()
	for _, s := range []string{q.LogValue().String(), r.LogValue().String(), r.Subscriber.LogValue().String()} {
		if strings.Contains(strings.ToUpper(s), "NUNEZ") || strings.Contains(s, "Núñez") {
			t.Errorf("a log would show %q", s)
		}
	}
}
