package jsonbody

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/intake"
)

// maxValues is a limit like that of a body.
const maxValues = 10_000

func TestParse(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for in, want := range map[string]billing.Faults{
		`{}`: nil,
		" \t\r\n{ \"a\" : [ 1 , -0.5e+3 , true , false , null , \"x\" , { } , [ ] ] } \n": nil,
		`{"a":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}`:                                      nil,
		`{"a":"\ufffd\uFFFF"}`: nil,
		nested(maxDepth):       nil,
		``:                     {{Field: "", Code: billing.FaultRequired}},
		" \n":                  {{Field: "", Code: billing.FaultRequired}},
		`[]`:                   {{Field: "", Code: billing.FaultType}},
		`"x"`:                  {{Field: "", Code: billing.FaultType}},
		`null`:                 {{Field: "", Code: billing.FaultType}},
		`{}{}`:                 {{Field: "", Code: billing.FaultFormat}},
		`{} x`:                 {{Field: "", Code: billing.FaultFormat}},
		"{}\x00":               {{Field: "", Code: billing.FaultFormat}},
		`{"a":1,}`:             {{Field: "", Code: billing.FaultFormat}},
		`{,}`:                  {{Field: "", Code: billing.FaultFormat}},
		`{"a" 1}`:              {{Field: "", Code: billing.FaultFormat}},
		`{"a":}`:               {{Field: "", Code: billing.FaultFormat}},
		`{a:1}`:                {{Field: "", Code: billing.FaultFormat}},
		`{'a':1}`:              {{Field: "", Code: billing.FaultFormat}},
		`{"a":[1,]}`:           {{Field: "", Code: billing.FaultFormat}},
		`{"a":[1 2]}`:          {{Field: "", Code: billing.FaultFormat}},
		`{"a":01}`:             {{Field: "", Code: billing.FaultFormat}},
		`{"a":1.}`:             {{Field: "", Code: billing.FaultFormat}},
		`{"a":.1}`:             {{Field: "", Code: billing.FaultFormat}},
		`{"a":-}`:              {{Field: "", Code: billing.FaultFormat}},
		`{"a":1e}`:             {{Field: "", Code: billing.FaultFormat}},
		`{"a":+1}`:             {{Field: "", Code: billing.FaultFormat}},
		`{"a":NaN}`:            {{Field: "", Code: billing.FaultFormat}},
		`{"a":True}`:           {{Field: "", Code: billing.FaultFormat}},
		`{"a":"\x"}`:           {{Field: "", Code: billing.FaultFormat}},
		`{"a":"\u12G4"}`:       {{Field: "", Code: billing.FaultFormat}},
		`{"a":"\u+123"}`:       {{Field: "", Code: billing.FaultFormat}},
		`{"a":"\u12`:           {{Field: "", Code: billing.FaultFormat}},
		`{"a":"\`:              {{Field: "", Code: billing.FaultFormat}},
		`{"a":"`:               {{Field: "", Code: billing.FaultFormat}},
		"{\"a\":\"\n\"}":       {{Field: "", Code: billing.FaultFormat}},
		"{\"a\":\"\xff\"}":     {{Field: "", Code: billing.FaultFormat}},
		"{\"a\":\"\xc0\x80\"}": {{Field: "", Code: billing.FaultFormat}},
		"{\"a\":\"\x00\"}":     {{Field: "", Code: billing.FaultFormat}},
		"\xef\xbb\xbf{}":       {{Field: "", Code: billing.FaultFormat}},
		nested(maxDepth + 1):   {{Field: "", Code: billing.FaultFormat}},
		`{"\u0000":1}`:         {{Field: "", Code: billing.FaultFormat}},
		`{"\ud800":1}`:         {{Field: "", Code: billing.FaultFormat}},
		`{"a":{"b":["x","\u0000"]},"c":"\ud800","d":"\udc00\ud800","e":"\ud800\u0041"}`: {
			{Field: "a.b.1", Code: billing.FaultFormat},
			{Field: "c", Code: billing.FaultFormat},
			{Field: "d", Code: billing.FaultFormat},
			{Field: "e", Code: billing.FaultFormat},
		},
		`{"a":1,"b":{"c":1,"c":2,"c":3},"a":2}`: {
			{Field: "b.c", Code: billing.FaultConflict},
			{Field: "a", Code: billing.FaultConflict},
		},
		`{"a":1,"\u0061":2}`: {{Field: "a", Code: billing.FaultConflict}},
	} {
		var faults billing.Faults
		tree, err := Parse(t.Context(), []byte(in), maxValues, &faults)
		if err != nil {
			t.Fatal(err)
		}
		for i := range faults {
			faults[i].Message = ""
		}
		if !reflect.DeepEqual(faults, want) {
			t.Errorf("%.60q: faults %v, want %v", in, faults, want)
		}
		if broken := len(want) > 0 && want[0].Field == ""; broken != (tree == nil) {
			t.Errorf("%.60q: tree %v", in, tree)
		}
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	canonical := func(s string) string {
		tree, faults := readTree(t, s)
		if tree == nil || len(faults) > 0 {
			t.Fatalf("%s: %v", s, faults)
		}
		h := sha256.New()
		h.Write([]byte("json:"))
		tree.Hash(h)
		return hex.EncodeToString(h.Sum(nil))
	}
	// Fingerprints are stored: another form would refuse every repetition that
	// reaches a new release.
	const known = "1ebcb86a35a8bce7199db1a3b061c7a165c4e481a5bebc504ba19305f4164b62"
	if got := canonical(` {"z":[1,-0.5e+3,true,false,null,{}],"a":{"q":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00'\u200b\u0085","b":""},"é":[[ ]]}`); got != known {
		t.Errorf("the fingerprint changed to %s", got)
	}
	if long := strings.Repeat("é\u200b", 2000); canonical(`{"a":"`+long+`"}`) != fmt.Sprintf("%x", sha256.Sum256([]byte(`json:{"a":`+strconv.Quote(long)+`,}`))) {
		t.Error("a long text is quoted in another way")
	}
	first := canonical(`{"b":[1,{"y":null,"x":true}],"a":"\u0041\/"}`)
	if second := canonical(" {\"a\" : \"A/\",\n\"b\":[1,{\"x\":true , \"y\":null}]}"); first != second {
		t.Errorf("%s and %s differ", first, second)
	}
	for _, other := range []string{
		`{"b":[1,{"y":null,"x":true}],"a":"A"}`, `{"b":[1.0,{"y":null,"x":true}],"a":"A/"}`, `{"b":[1,{"y":null}],"a":"A/"}`,
		`{"b":[{"y":null,"x":true},1],"a":"A/"}`, `{"b":["1",{"y":null,"x":true}],"a":"A/"}`, `{"b":[1,{"y":"null","x":true}],"a":"A/"}`,
	} {
		if canonical(other) == first {
			t.Errorf("%s reads as %s", other, first)
		}
	}
}

// What Parse takes, encoding/json takes and understands in the same way.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":[1,-0.5e+3,true,null,"x",{}]}`, `{"a":"\u00e9\ud83d\ude00\n"}`, `{"a":1,"a":2}`, `{"a":"\ud800"}`, `[`, `{"a":"\u0000"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var faults billing.Faults
		tree, err := Parse(t.Context(), data, maxValues, &faults)
		if err != nil {
			t.Fatal(err)
		}
		if tree == nil {
			if len(faults) == 0 {
				t.Fatal("a body that cannot be read has no fault")
			}
			return
		}
		if len(faults) > 0 {
			return
		}
		var want any
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatalf("encoding/json: %v", err)
		}
		if got := plain(tree); !reflect.DeepEqual(got, want) {
			t.Fatalf("read %#v, want %#v", got, want)
		}
	})
}

// plain is the value as encoding/json gives it.
func plain(n *Value) any {
	switch n.Kind {
	case KindBool:
		return n.Text == "true"
	case KindNumber:
		return json.Number(n.Text)
	case KindString:
		return n.Text
	case KindArray:
		items := make([]any, len(n.items))
		for i, v := range n.items {
			items[i] = plain(v)
		}
		return items
	case KindObject:
		fields := map[string]any{}
		for _, v := range n.fields {
			fields[v.name] = plain(v.value)
		}
		return fields
	case KindNull:
	}
	return nil
}

func TestObjectCollectsEveryFault(t *testing.T) {
	t.Parallel()
	var in intake.EligibilityRequest
	tree, faults := readTree(t, `{
		"office_id": 7, "payer_id": null, "subscriber": {"first_name": [], "member_id": "A", "shoe_size": 44},
		"patient": "me", "procedure_codes": ["D0120", 1, null], "service_date": {}, "detail_level": true,
		"parent_id": 1, "tenant_reference": null, "extra": {"deep": 1}
	}`)
	in.Faults = faults
	NewObject("", tree, &in.Faults).Fill(&in)
	var got []string
	_, _, _, faults = in.Inquiry(billing.Date{Year: 2026, Month: 1, Day: 2})
	for _, f := range faults {
		got = append(got, f.Field+" "+string(f.Code))
	}
	want := []string{
		"office_id type", "subscriber.first_name type", "subscriber.shoe_size unknown", "patient type", "service_date type",
		"procedure_codes.1 type", "procedure_codes.2 type", "detail_level type", "parent_id type", "extra unknown",
		"payer_id required", "subscriber.last_name required", "subscriber.date_of_birth required",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("faults are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// readTree reads a text without a deadline.
func readTree(tb testing.TB, text string) (tree *Value, faults billing.Faults) {
	tb.Helper()
	tree, err := Parse(tb.Context(), []byte(text), maxValues, &faults)
	if err != nil {
		tb.Fatal(err)
	}
	return tree, faults
}

// Each list of faults ends at a hundred, whatever makes them.
func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	var unknown, twice, types strings.Builder
	for i := range 200 {
		fmt.Fprintf(&unknown, `,"unknown%d":1`, i)
		fmt.Fprintf(&twice, `,"twice%d":1,"twice%d":1`, i, i)
		fmt.Fprintf(&types, `%d,`, i)
	}
	for name, body := range map[string]string{
		"unknown": `{"payer_id":"x"` + unknown.String() + `}`,
		"twice":   `{"payer_id":"x"` + twice.String() + `}`,
		"types":   `{"procedure_codes":[` + types.String() + `1]}`,
	} {
		tree, faults := readTree(t, body)
		in := intake.EligibilityRequest{Faults: faults}
		NewObject("", tree, &in.Faults).Fill(&in)
		if _, _, _, faults := in.Inquiry(billing.Date{Year: 2026, Month: 1, Day: 2}); len(faults) != 100 {
			t.Errorf("%s: %d faults", name, len(faults))
		}
	}
}

func TestTooManyValues(t *testing.T) {
	t.Parallel()
	list := func(n int) string { return `{"a":[` + strings.Repeat("1,", n-3) + "1]}" }
	if tree, faults := readTree(t, list(maxValues)); tree == nil || len(faults) > 0 {
		t.Errorf("as many as there may be: %v", faults)
	}
	tree, faults := readTree(t, list(maxValues+1))
	if tree != nil || len(faults) != 1 || faults[0].Code != billing.FaultTooMany || faults[0].Field != "" {
		t.Errorf("one more: %v", faults)
	}
}

// A fault deep in a body names as much of its path as a reply shows.
func TestLongPathsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100_000)
	_, faults := readTree(t, `{"`+long+`":{"b":{"a":1,"a":1}},"c":{"`+long+`":"\u0000"}}`)
	for i, want := range []string{strings.Repeat("é", MaxName), "c." + strings.Repeat("é", MaxName-2)} {
		if got := Start(faults[i].Field, MaxName); got != want {
			t.Errorf("fault %d is of %q, want %q", i, got, want)
		}
		if len(faults[i].Field) > 2000 {
			t.Errorf("fault %d has a path of %d bytes", i, len(faults[i].Field))
		}
	}
}

// A parser stops at the deadline of its request, wherever it is.
func TestParseStopsAtTheDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, text := range map[string]string{
		"list": `{"a":[` + strings.Repeat("1,", maxValues/2) + "1]}", "lists": `{"a":[` + strings.Repeat("[[]],", maxValues/3) + "1]}",
		"twice": "{" + strings.Repeat(`"a":1,`, maxValues/2) + `"b":1}`, "cut": `{"a":[` + strings.Repeat("1,", maxValues/2),
	} {
		var faults billing.Faults
		if tree, err := Parse(ctx, []byte(text), maxValues, &faults); !errors.Is(err, context.Canceled) || tree != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
