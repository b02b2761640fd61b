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

func TestThereIsNoClearinghouse(t *testing.T) {
	t.Parallel()
	var c unavailablenet.Clearinghouse
	for call, err := range map[string]error{"available": c.Available(), "send": c.Send(t.Context(), billing.Scope{}, "1.837", []byte("a file"))} {
		if err == nil || !strings.Contains(err.Error(), "no clearinghouse is configured for live mode") {
			t.Errorf("%s: %v", call, err)
		}
	}
	if files, err := c.Receive(t.Context(), 10); err != nil || len(files) > 0 {
		t.Errorf("receive: %d files, %v", len(files), err)
	}
	if err := c.Remove(t.Context(), "1.997"); err != nil {
		t.Errorf("remove: %v", err)
	}
}
