package httpapi

import (
	"net/url"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
)

func queryOf(t *testing.T, raw string) *query {
	t.Helper()
	values, err := url.ParseQuery(raw)
	if err != nil {
		t.Fatal(err)
	}
	return &query{values: values, all: values}
}

func TestInstant(t *testing.T) {
	t.Parallel()
	base := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for in, want := range map[string]time.Time{
		"2026-01-02T03:04:05Z":                    base,
		"2026-01-02T03:04:05%2B00:00":             base,
		"2026-01-02T03:04:05+00:00":               base,
		"2026-01-01T22:04:05-05:00":               base,
		"2026-01-02T08:34:05+05:30":               base,
		"2026-01-02T03:04:05.000006Z":             base.Add(6 * time.Microsecond),
		"2026-01-02T03:04:05.0000061Z":            base.Add(7 * time.Microsecond),
		"2026-01-02T03:04:05.000006000Z":          base.Add(6 * time.Microsecond),
		"2026-01-02T03:04:05":                     {},
		"2026-01-02":                              {},
		"2026-01-02+03:04:05Z":                    {},
		"2026-01-02t03:04:05z":                    {},
		"2026-02-30T03:04:05Z":                    {},
		"2026-01-02T24:00:00Z":                    {},
		"2026-01-02T3:04:05Z":                     {},
		"2026-01-02T03:04:05,5Z":                  {},
		"2026-01-02T03:04:05%2B24:00":             {},
		"0000-01-01T00:00:00Z":                    {},
		"0001-01-01T00:00:00%2B01:00":             {},
		"9999-12-31T23:59:59-01:00":               {},
		"9999-12-31T23:59:59.9999999Z":            {},
		"2026-01-02T03:04:05Z;":                   {},
		"%00":                                     {},
		"2026-01-02T03:04:05.%E0%A5%A6%E0%A5%A6Z": {},
	} {
		if u, err := url.QueryUnescape(in); err != nil || len(u) == 0 {
			t.Fatal(in)
		}
		values := url.Values{}
		unescaped, _ := url.QueryUnescape(in)
		values["at"] = []string{unescaped}
		q := &query{values: values}
		got := q.instant("at")
		if faults := q.end(); !got.Equal(want) || want.IsZero() != (len(faults) == 1) {
			t.Errorf("%s: %v, %v", in, got, faults)
		}
	}
}

func FuzzInstant(f *testing.F) {
	f.Add("2026-01-02T03:04:05Z")
	f.Add("2026-01-02T03:04:05.0000061 05:30")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := jsonbody.ParseInstant(s)
		if err != nil {
			return
		}
		if got.Location() != time.UTC || !got.Equal(got.Truncate(time.Microsecond)) || got.Year() < 1 || got.Year() > 9999 {
			t.Errorf("%q reads as %v", s, got)
		}
		if again, err := jsonbody.ParseInstant(event.Timestamp(got)); err != nil || !again.Equal(got) {
			t.Errorf("%v reads as %v, %v", got, again, err)
		}
	})
}

func FuzzIdempotencyKey(f *testing.F) {
	f.Add("9f1c7a52-2f1e-4a34-9a43-6c2f1b1f7e11")
	f.Add("a b")
	f.Add("\xff")
	f.Fuzz(func(t *testing.T, s string) {
		valid := len(s) >= 1 && len(s) <= 255
		for i := range len(s) {
			valid = valid && s[i] > ' ' && s[i] < 0x7f
		}
		if caller.ValidIdempotencyKey(s) != valid {
			t.Errorf("%q: valid is %v", s, !valid)
		}
	})
}

func TestQueryFaults(t *testing.T) {
	t.Parallel()
	office := billing.NewID[billing.OfficeID](billing.RealAt(time.Now())).String()
	for raw, want := range map[string]billing.FaultCode{
		"":                             "",
		"limit=1":                      "",
		"limit=100":                    "",
		"limit=0":                      billing.FaultRange,
		"limit=101":                    billing.FaultRange,
		"limit=-1":                     billing.FaultRange,
		"limit=+1":                     billing.FaultType,
		"limit=1.5":                    billing.FaultType,
		"limit=ten":                    billing.FaultType,
		"limit=":                       billing.FaultRequired,
		"limit=99999999999999999999":   billing.FaultRange,
		"limit=-99999999999999999999":  billing.FaultRange,
		"limit=1&limit=1":              billing.FaultTooMany,
		"unknown=1":                    billing.FaultUnknown,
		"Limit=1":                      billing.FaultUnknown,
		"office_id=" + office:          "",
		"office_id=x":                  billing.FaultFormat,
		"office_id=elg" + office[3:]:   billing.FaultFormat,
		"resource_id=" + office:        "",
		"resource_id=elg" + office[3:]: "",
		"resource_id=job" + office[3:]: billing.FaultFormat,
		"resource_id=x":                billing.FaultFormat,
		"type=api_key.created":         "",
		"type=API_KEY.CREATED":         billing.FaultNotAllowed,
		"text=a%00b":                   billing.FaultFormat,
		"text=%ff":                     billing.FaultFormat,
		"text=%F0%9F%98%80":            "",
	} {
		q := queryOf(t, raw)
		q.limit()
		id[billing.OfficeID](q, "office_id")
		q.resourceID()
		oneOf(q, "type", event.Types()...)
		q.text("text")
		var got billing.FaultCode
		if faults := q.end(); len(faults) > 0 {
			got = faults[0].Code
		}
		if got != want {
			t.Errorf("%s: fault %q, want %q", raw, got, want)
		}
	}
}

func TestFaultOfAParameterWithoutAName(t *testing.T) {
	t.Parallel()
	if faults := queryOf(t, "=1").end(); len(faults) != 1 || faults[0].Field != "query" || faults[0].Code != billing.FaultUnknown {
		t.Errorf("faults %v", faults)
	}
}

func TestResourceIDsOfEveryKind(t *testing.T) {
	t.Parallel()
	tail := billing.NewID[billing.OrgID](billing.RealAt(time.Now()))
	for _, prefix := range []string{
		"org_", "off_", "pyr_", "prv_", "pat_", "clm_", "elg_", "att_", "doc_", "prq_", "era_", "evt_", "whe_", "key_", "fil_", "req_",
	} {
		q := queryOf(t, "resource_id="+prefix+tail.String()[4:])
		if got := q.resourceID(); got != [16]byte(tail) || len(q.end()) > 0 {
			t.Errorf("%s: %v", prefix, q.faults)
		}
	}
}
