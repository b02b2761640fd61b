package network_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

// optionCases has, for each option in the order of the documentation, a document with
// another value than the default, what it means, and values that are refused.
var optionCases = []struct {
	name, value string
	want        network.Options
	bad         []string
}{
	{"trace_echo", `"exchange"`, network.Options{TraceByExchange: true}, []string{`"loose"`, `true`, `null`}},
	{"checks_at_once", `20`, network.Options{Checks: 20}, []string{`0`, `101`, `"8"`}},
	{"repeat", `false`, network.Options{NoRepeat: true}, []string{`"no"`}},
	{"service_types", `["35","23"]`, network.Options{ServiceTypes: []string{"35", "23"}}, []string{`[]`, `"35"`, `["35","35"]`, `["dental"]`, `[35]`}},
	{"one_service_type_per_request", `false`, network.Options{TypesTogether: true}, []string{`0`, `"false"`, `null`}},
	{"procedures_in_inquiries", `false`, network.Options{NoProcedures: true}, []string{`"no"`}},
	{"claim_service_date", `true`, network.Options{ClaimDate: true}, []string{`1`}},
	{"line_service_dates", `"different"`, network.Options{ClaimDate: true, LineDates: network.LineDatesDifferent}, []string{`""`, `"never"`}},
	{"billing_taxonomy", `"rendering"`, network.Options{Taxonomy: network.TaxonomyIfRendering}, []string{`""`, `true`}},
	{"filing_indicators", `{"CHTEST":"MC"}`, network.Options{Filings: map[string]string{"CHTEST": "MC"}}, []string{`{"A":"XX"}`, `{"A":"CI","A":"MC"}`, `["CI"]`, `{"":"CI"}`}},
	{"subscriber_address_always", `false`, network.Options{SubscriberAddressAsPatient: true}, []string{`"sometimes"`}},
	{"rendering_provider_always", `false`, network.Options{RenderingIfOther: true}, []string{`[]`}},
	{"max_notes", `1`, network.Options{Notes: 1}, []string{`0`, `6`, `1.5`, `"1"`, `-1`}},
	{"provider_references", `["G2"]`, network.Options{NoReferences: []network.ProviderReference{"LU", "0B"}}, []string{`["G2","G2"]`, `["1G"]`, `"G2"`}},
	{
		"provider_numbers", `[{"npi":"1234567893","payer_id":"CHTEST","reference":"G2","number":"A 100"},{"npi":"1234567893","reference":"0B","number":"TX-9"}]`,
		network.Options{ProviderNumbers: []network.ProviderNumber{
			{"1234567893", "CHTEST", network.ReferencePayer, "A 100"}, {"1234567893", "", network.ReferenceLicense, "TX-9"},
		}},
		[]string{
			`[{"npi":"1234567890","reference":"G2","number":"A"}]`, `[{"npi":"1234567893","reference":"EI","number":"A"}]`,
			`[{"npi":"1234567893","reference":"G2","number":"A*"}]`, `[{"npi":"1234567893","reference":"G2"}]`,
			`[{"npi":"1234567893","reference":"G2","number":"A","state":"TX"}]`, `[{"npi":"1234567893","npi":"1234567893","reference":"G2","number":"A"}]`,
			`[{"npi":"1234567893","payer_id":"a","reference":"G2","number":"A"},{"npi":"1234567893","payer_id":"A","reference":"G2","number":"B"}]`, `{}`,
		},
	},
	{"claim_number_length", `17`, network.Options{NumberLength: 17}, []string{`11`, `21`, `"17"`}},
	{"claim_number_characters", `"letters_digits"`, network.Options{PlainNumbers: true}, []string{`"digits"`}},
	{"group_sender_id", `"77016"`, network.Options{GroupSender: "77016"}, []string{`"A*B"`, `"ABCDEFGHIJKLMNOP"`, `7`, `" A"`}},
	{"group_receiver_id", `"77016"`, network.Options{GroupReceiver: "77016"}, []string{`"A~"`}},
	{"submitter_name", `"Bright, Inc."`, network.Options{SubmitterName: "Bright, Inc."}, []string{`"` + strings.Repeat("A", 61) + `"`}},
	{"submitter_id", `"S-1"`, network.Options{SubmitterID: "S-1"}, []string{`"` + strings.Repeat("A", 81) + `"`}},
	{"file_receiver_name", `"DENTICAL"`, network.Options{ReceiverName: "DENTICAL"}, []string{`null`}},
	{"file_receiver_id", `"1822287119"`, network.Options{ReceiverID: "1822287119"}, []string{`1822287119`}},
	{"batch_size", `100`, network.Options{Claims: 100}, []string{`0`, `5001`}},
	{"batch_schedule", `{"every":"15m"}`, network.Options{Schedule: network.Schedule{Every: 15 * time.Minute}}, []string{
		`{}`, `"15m"`, `{"every":"1s"}`, `{"every":"15m","time_zone":"America/New_York"}`, `{"at":["17:00"]}`, `{"at":["25:00"],"time_zone":"America/New_York"}`,
		`{"at":[],"time_zone":"America/New_York"}`, `{"at":["17:00"],"time_zone":"Local"}`, `{"at":["17:00"],"time_zone":"Nowhere"}`,
		`{"at":["17:00"],"every":"1h","time_zone":"America/New_York"}`, `{"at":["17:00"],"at":["18:00"],"time_zone":"America/New_York"}`, `{"days":["Monday"]}`,
	}},
	{"file_name", `"LOGIN.{time}.{usage}.txt"`, network.Options{FilePattern: "LOGIN.{time}.{usage}.txt"}, []string{
		`"claims.837"`, `"{date}.837"`, `"../{time}.837"`, `".{time}"`, `"{time}/{serial}"`, `"{time}{other}"`, `"{time"`, `""`, `"{time}` + strings.Repeat("x", 84) + `"`,
	}},
	{"poll_interval", `"5m"`, network.Options{PollInterval: 5 * time.Minute}, []string{`"0s"`, `"25h"`, `300`, `"five"`}},
	{"acknowledgements", `["TA1","text"]`, network.Options{Acknowledgements: []clearing.AcknowledgementKind{"TA1", "text"}}, []string{`[]`, `["277"]`, `["999","999"]`}},
	{"acknowledgement_after", `"48h"`, network.Options{AcknowledgementAfter: 48 * time.Hour}, []string{`"0s"`, `"721h"`, `24`}},
}

func optionDocument(name, value string) string {
	if name == "line_service_dates" {
		return `{"claim_service_date":true,"` + name + `":` + value + `}`
	}
	return `{"` + name + `":` + value + `}`
}

// TestNetworkOptions reads each option, its default and its bad values, and writes it
// again.
func TestNetworkOptions(t *testing.T) {
	t.Parallel()
	docs := network.OptionDocs()
	if len(docs) != len(optionCases) {
		t.Fatalf("%d options, %d with a case", len(docs), len(optionCases))
	}
	for i, c := range optionCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if docs[i].Name != c.name {
				t.Fatalf("the option is %s", docs[i].Name)
			}
			doc := optionDocument(c.name, c.value)
			got, faults := network.ReadOptions([]byte(doc), nil, "options.")
			if len(faults) > 0 || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v, %v, want %+v", got, faults, c.want)
			}
			written, err := json.Marshal(got)
			if err != nil || string(written) != doc {
				t.Errorf("written %s, %v", written, err)
			}
			if got, faults := network.ReadOptions([]byte(optionDocument(c.name, docs[i].Default)), nil, "options."); c.name != "line_service_dates" &&
				(len(faults) > 0 || !reflect.DeepEqual(got, network.Options{})) {
				t.Errorf("default %s: %+v, %v", docs[i].Default, got, faults)
			}
			for _, bad := range c.bad {
				_, faults := network.ReadOptions([]byte(optionDocument(c.name, bad)), nil, "options.")
				if len(faults) != 1 || faults[0].Field != "options."+c.name || !strings.HasPrefix(faults[0].Message, "The value must be ") {
					t.Errorf("%s: %v", bad, faults)
				}
			}
		})
	}
}

// TestNetworkOptionsDocument refuses documents that are no options, and says what to
// change.
func TestNetworkOptionsDocument(t *testing.T) {
	t.Parallel()
	for doc, field := range map[string]string{
		``: "options", `null`: "options", `[]`: "options", `{} {}`: "options", `{"batch_size":`: "options", `{"batch_size":1`: "options",
		`{"batchsize":1}`:                     "options.batchsize",
		`{"batch_size":1,"batch_size":2}`:     "options.batch_size",
		`{"BATCH_SIZE":1}`:                    "options.BATCH_SIZE",
		`{"line_service_dates":"different"}`:  "options.line_service_dates",
		`{"max_notes":9,"trace_echo":"loud"}`: "options.max_notes",
	} {
		got, faults := network.ReadOptions([]byte(doc), nil, "options.")
		if len(faults) == 0 || faults[0].Field != field || faults[0].Message == "" || !reflect.DeepEqual(got, network.Options{}) {
			t.Errorf("%s: %+v, %v", doc, got, faults)
		}
	}
	var o network.Options
	if err := json.Unmarshal([]byte(`{"max_notes":9}`), &o); billing.CodeOf(err) != billing.CodeInvalidRequest {
		t.Errorf("unmarshal: %v", err)
	}
	if b, err := json.Marshal(o); err != nil || string(b) != "{}" {
		t.Errorf("the defaults are %s, %v", b, err)
	}
}

// TestQuestions lists the 270s of a check by the options.
func TestQuestions(t *testing.T) {
	t.Parallel()
	inquiry := coverage.Inquiry{ProcedureCodes: []string{"D1110", "D2740", "D1110"}}
	enhanced := coverage.Inquiry{ProcedureCodes: []string{"D1110"}, DetailLevel: coverage.DetailEnhanced}
	for what, c := range map[string]struct {
		options network.Options
		inquiry coverage.Inquiry
		want    []network.Question
	}{
		"default":  {inquiry: inquiry, want: []network.Question{{[]string{"35"}, []string{"D1110", "D2740"}}}},
		"enhanced": {inquiry: enhanced, want: []network.Question{{[]string{"35"}, []string{"D1110"}}, {Procedures: []string{"D1110"}}}},
		"one type for each": {
			options: network.Options{ServiceTypes: []string{"35", "23", "41"}}, inquiry: inquiry,
			want: []network.Question{{[]string{"35"}, []string{"D1110", "D2740"}}, {ServiceTypes: []string{"23"}}, {ServiceTypes: []string{"41"}}},
		},
		"types together": {
			options: network.Options{ServiceTypes: []string{"35", "23"}, TypesTogether: true}, inquiry: inquiry,
			want: []network.Question{{[]string{"35", "23"}, []string{"D1110", "D2740"}}},
		},
		"no procedures": {options: network.Options{NoProcedures: true}, inquiry: enhanced, want: []network.Question{{ServiceTypes: []string{"35"}}}},
	} {
		q := network.Inquiry{Inquiry: c.inquiry, Options: c.options}
		if got := q.Questions(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", what, got, c.want)
		}
	}
}

func TestNetworkProviderNumber(t *testing.T) {
	t.Parallel()
	o := network.Options{ProviderNumbers: []network.ProviderNumber{
		{"1", "DELTA", network.ReferencePayer, "D1"}, {"1", "", network.ReferencePayer, "ALL"}, {"2", "", network.ReferenceLicense, "TX-9"},
	}}
	refusing := o
	refusing.NoReferences = []network.ProviderReference{network.ReferencePayer}
	for _, c := range []struct {
		o              network.Options
		kind           network.ProviderReference
		npi, payer, of string
		want           string
	}{
		{network.Options{}, network.ReferencePayer, "1", "DELTA", "OWN", "OWN"},
		{o, network.ReferencePayer, "1", "delta", "OWN", "D1"},
		{o, network.ReferencePayer, "1", "AETNA", "OWN", "ALL"},
		{o, network.ReferencePayer, "3", "DELTA", "OWN", "OWN"},
		{o, network.ReferenceLicense, "2", "DELTA", "", "TX-9"},
		{refusing, network.ReferencePayer, "1", "DELTA", "OWN", ""},
		{refusing, network.ReferenceLicense, "2", "DELTA", "", "TX-9"},
	} {
		if got := c.o.ProviderNumber(c.kind, c.npi, c.payer, c.of); got != c.want {
			t.Errorf("%s of %s for %s: %q, want %q", c.kind, c.npi, c.payer, got, c.want)
		}
	}
}

// TestSubmittedNumber replaces the numbers that a network does not take, each claim's
// always by the same one.
func TestSubmittedNumber(t *testing.T) {
	t.Parallel()
	short, plain := network.Options{NumberLength: 17}, network.Options{PlainNumbers: true}
	cl := func(id byte, number string) *claim.Claim {
		return &claim.Claim{ID: billing.ClaimID{15: id}, PatientControlNumber: number}
	}
	for _, c := range []struct {
		o      network.Options
		number string
		length int // of the replacement; 0 for none
	}{
		{network.Options{}, "A1234567890123456789", 0},
		{short, "A1234567890123456", 0},
		{short, "A12345678901234567", 17},
		{plain, "A1", 0},
		{plain, "A-1", 20},
		{network.Options{NumberLength: 12, PlainNumbers: true}, "A-1", 12},
	} {
		got := c.o.SubmittedNumber(cl(1, c.number))
		switch {
		case c.length == 0 && got != c.number:
			t.Errorf("%s became %s", c.number, got)
		case c.length > 0 && (len(got) != c.length || strings.Contains(got, "-") || got == c.number):
			t.Errorf("%s became %s", c.number, got)
		case got != c.o.SubmittedNumber(cl(1, c.number)) || c.length > 0 && got == c.o.SubmittedNumber(cl(2, c.number)):
			t.Errorf("%s became %s, but not always, or not for this claim alone", c.number, got)
		}
	}
}

func TestBatchSchedule(t *testing.T) {
	t.Parallel()
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	daily := network.Schedule{At: []network.DayTime{9 * 60, 16*60 + 30}, TimeZone: "America/New_York"}
	for _, c := range []struct {
		s         network.Schedule
		now, want string
	}{
		{network.Schedule{Every: 15 * time.Minute}, "2026-03-04T05:29:59Z", "2026-03-04T05:15:00Z"},
		{network.Schedule{Every: 15 * time.Minute}, "2026-03-04T05:30:00Z", "2026-03-04T05:30:00Z"},
		{daily, "2026-03-04T14:00:00Z", "2026-03-04T14:00:00Z"},
		{daily, "2026-03-04T13:59:59Z", "2026-03-03T21:30:00Z"},
		{daily, "2026-03-04T23:00:00Z", "2026-03-04T21:30:00Z"},
		{daily, "2026-03-08T13:30:00Z", "2026-03-08T13:00:00Z"}, // the first day of daylight saving time
	} {
		if got := c.s.Last(at(c.now)); !got.Equal(at(c.want)) {
			t.Errorf("%+v at %s: %s, want %s", c.s, c.now, got, c.want)
		}
	}
	if got := (&network.Schedule{}).Last(at("2026-03-04T05:29:59Z")); !got.IsZero() {
		t.Errorf("without a schedule: %s", got)
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)
	b := clearing.NewBatch(billing.Scope{Mode: billing.ModeLive}, "net", 42, 1, billing.RealAt(at), at)
	for pattern, want := range map[string]string{
		"":                             "20260304050607089.837",
		"LOGIN.{time}.txt":             "LOGIN.20260304050607089.txt",
		"{usage}_837D_{serial}_{date}": "P_837D_000000042_20260304",
	} {
		o := network.Options{FilePattern: pattern}
		if got := o.FileName(b, &network.Envelope{}, at); got != want {
			t.Errorf("%q: %s, want %s", pattern, got, want)
		}
	}
	o := network.Options{FilePattern: "{usage}{serial}"}
	if got := o.FileName(b, &network.Envelope{Usage: "T"}, at); got != "T000000042" {
		t.Errorf("a test: %s", got)
	}
}

// TestPayerIDs uses the network's own IDs in both directions, by transaction. An ID that
// payers share names none of them.
func TestPayerIDs(t *testing.T) {
	t.Parallel()
	utah, delta, third := billing.PayerID{1}, billing.PayerID{2}, billing.PayerID{3}
	r := network.Route{PayerIDs: map[billing.PayerID]map[network.Transaction]string{
		utah:  {network.Eligibility: "UTMCD", network.Claims: "SKUT0"},
		delta: {network.Claims: "06126"}, third: {network.Claims: "06126"},
	}}
	medicaid := directory.PayerSummary{ID: utah, PayerID: "UTAH"}
	got := []string{
		r.PayerID(medicaid, network.Eligibility), r.PayerID(medicaid, network.Claims),
		r.PayerID(directory.PayerSummary{ID: delta, PayerID: "DELTA"}, network.Eligibility), r.PayerID(directory.PayerSummary{PayerID: "BLUE"}, network.Claims),
		r.Payer("skut0"), r.Payer("UTMCD"), r.Payer("06126"), r.Payer(""),
	}
	if want := []string{"UTMCD", "SKUT0", "DELTA", "BLUE", utah.String(), "UTMCD", "06126", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOptionsThatAreRead(t *testing.T) {
	t.Parallel()
	var standard network.Options
	own := network.Options{
		Filings: map[string]string{"CHTEST": "MC"}, Notes: 2, Claims: 7, PollInterval: time.Minute,
		Acknowledgements: []clearing.AcknowledgementKind{clearing.AcknowledgementTA1},
	}
	got := []any{
		standard.Filing("chtest", "12"), own.Filing("chtest", "12"), own.Filing("OTHER", "12"), standard.MaxNotes(), own.MaxNotes(),
		standard.MostClaims(), own.MostClaims(), standard.Poll(), own.Poll(), standard.Expects(clearing.Acknowledgement999),
		standard.Expects(clearing.AcknowledgementTA1), own.Expects(clearing.AcknowledgementTA1), own.Expects(clearing.Acknowledgement999),
	}
	if want := []any{"12", "MC", "12", 5, 2, clearing.MaxBatchClaims, 7, 10 * time.Second, time.Minute, true, false, true, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// FuzzNetworkOptions reads any document without a panic. What it accepts comes back
// when it is written and read again.
func FuzzNetworkOptions(f *testing.F) {
	for _, c := range optionCases {
		f.Add([]byte(optionDocument(c.name, c.value)))
		for _, bad := range c.bad {
			f.Add([]byte(optionDocument(c.name, bad)))
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		read, faults := network.ReadOptions(doc, nil, "")
		if len(faults) > 0 {
			return
		}
		written, err := json.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		again, faults := network.ReadOptions(written, nil, "")
		if len(faults) > 0 {
			t.Fatalf("%s became %s: %v", doc, written, faults)
		}
		if back, err := json.Marshal(again); err != nil || string(back) != string(written) {
			t.Fatalf("%s became %s, then %s", doc, written, back)
		}
	})
}

// TestScheduleNext finds when a claim leaves: never before it was queued, and by Last not
// before that.
func TestScheduleNext(t *testing.T) {
	t.Parallel()
	albany := func(hour, minute, second int) time.Time {
		return time.Date(2026, 11, 1, hour, minute, second, 0, directory.Zone("America/New_York")) // the end of summer time
	}
	daily := network.Schedule{At: []network.DayTime{17 * 60, 9*60 + 30}, TimeZone: "America/New_York"}
	for name, test := range map[string]struct {
		schedule     network.Schedule
		queued, want time.Time
	}{
		"none":                  {network.Schedule{}, albany(1, 2, 3), albany(1, 2, 3)},
		"at multiples":          {network.Schedule{Every: 10 * time.Minute}, albany(1, 2, 3), albany(1, 10, 0)},
		"on a multiple":         {network.Schedule{Every: 10 * time.Minute}, albany(1, 10, 0), albany(1, 10, 0)},
		"before the first time": {daily, albany(0, 30, 0), albany(9, 30, 0)},
		"between the times":     {daily, albany(9, 30, 1), albany(17, 0, 0)},
		"at a time":             {daily, albany(17, 0, 0), albany(17, 0, 0)},
		"after the last time":   {daily, albany(17, 0, 1), albany(24+9, 30, 0)},
	} {
		got := test.schedule.Next(test.queued)
		if !got.Equal(test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		if last := test.schedule.Last(got); !last.IsZero() && !last.Equal(got) {
			t.Errorf("%s: nothing leaves at %v, but at %v", name, got, last)
		}
	}
}
