package unavailablenet_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/unavailablenet"
	"github.com/molar-billing/molar/core/billing"
)

func TestEveryCallSaysThatTheNetworkIsUnavailable(t *testing.T) {
	t.Parallel()
	var a unavailablenet.Attachments
	var e unavailablenet.Eligibility
	content := strings.NewReader("a file")
	_, inquired := e.Inquire(t.Context(), nil)
	for call, c := range map[string]struct {
		err  error
		want billing.Code
	}{
		"attachments available": {a.Available(), billing.CodeAttachmentsUnavailable},
		"open":                  {a.Open(t.Context(), billing.Transmission{}), billing.CodeAttachmentsUnavailable},
		"add":                   {a.Add(t.Context(), "MLR000000001", &billing.Document{}, content), billing.CodeAttachmentsUnavailable},
		"commit":                {a.Commit(t.Context(), "MLR000000001"), billing.CodeAttachmentsUnavailable},
		"eligibility available": {e.Available(), billing.CodeEligibilityUnavailable},
		"inquire":               {inquired, billing.CodeEligibilityUnavailable},
	} {
		told, ok := errors.AsType[*billing.Error](c.err)
		if !ok || told.Code != c.want || told.Message == "" {
			t.Errorf("%s: %v, want %s with a message", call, c.err, c.want)
		}
	}
	if content.Len() != len("a file") {
		t.Error("the content was read")
	}
}
