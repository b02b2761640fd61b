package attachment_test

import (
	"bytes"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
)

func TestEventDataHasNoEscapesThatItDoesNotNeed(t *testing.T) {
	t.Parallel()
	r := attachment.PayerRequest{ID: billing.PayerRequestID{15: 11}, ReferenceNumber: `<1> & "2"`}
	if e := r.ReceivedEvent(); !bytes.Contains(e.Data, []byte(`"reference_number":"<1> & \"2\""`)) || e.Data[len(e.Data)-1] != '}' {
		t.Errorf("data %s", e.Data)
	}
}
