package httpapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/billing"
)

// readTree reads a text without a deadline.
func readTree(tb testing.TB, text string) (tree *jsonbody.Value, faults billing.Faults) {
	tb.Helper()
	tree, err := jsonbody.Parse(tb.Context(), []byte(text), maxValues, &faults)
	if err != nil {
		tb.Fatal(err)
	}
	return tree, faults
}

// The reading of a body stops at the deadline of its request.
func TestParserStopsAtTheDeadline(t *testing.T) {
	t.Parallel()
	p := startProbe(t, Options{RequestTimeout: time.Nanosecond})
	w := dial(t, p.addr)
	body := `{"a":[` + strings.Repeat("1,", 1000) + "1]}"
	w.Send("%s\r\n%s", rawtest.Head("/echo", fmt.Sprint("Content-Length: ", len(body))), body)
	wantStatus(t, w.reply(), 504, billing.CodeTimeout)
	if p.echoed.Load() != 0 {
		t.Error("the operation ran")
	}
}
