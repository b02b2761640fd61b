package event_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/billingtest"
	"github.com/molar-billing/molar/core/billing/event"
)

// Every type has a golden body, and every golden body has a type.
func TestEventCatalogue(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, billingtest.EventType(strings.TrimSuffix(f.Name(), ".json")))
	}
	slices.Sort(got)
	var want []string
	for _, known := range event.Types() {
		want = append(want, string(known))
	}
	slices.Sort(want)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("golden bodies of\n%v\nwant\n%v", got, want)
	}
}

// What is read and posted has the data as it was written, byte for byte.
func TestTheObjectOfAnEvent(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"compact":          `{"id":"x"}`,
		"characters":       `{"name":"<Roe> & \"Sons\"","accents":"caf` + "\u00e9\u2028" + `"}`,
		"escaped":          `{"name":"\u003cRoe\u003e \u0026 Sons"}`,
		"spelled as it is": `{ "b": 1.0, "a": [ ] }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := event.Event{
				ID: billing.EventID{15: 9}, Type: event.ClaimPaid, Sequence: 12, Data: []byte(data),
				CreatedAt: time.Date(2026, 1, 1, 22, 4, 5, 6789, time.FixedZone("", -5*3600)),
			}
			got, want := string(e.JSON()), `{"id":"evt_00000000000000000000000009","object":"event","type":"claim.paid","sequence":12,`+
				`"created_at":"2026-01-02T03:04:05.000006+00:00","data":`+data+`}`
			if got != want || !json.Valid([]byte(got)) {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		})
	}
}
