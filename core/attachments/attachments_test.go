package attachments_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func TestImagesAreSentAndClosed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	id := b.filled("a")
	if o := b.upload(b.service, "png", id, pngOf(t, pattern(2))); o.err != nil || len(o.Documents) != 2 {
		t.Fatalf("upload of a PNG: %+v", o)
	}
	o := b.close(b.service, "close", id)
	if o.err != nil || o.State != billing.AttachmentClosed || o.replayed || o.Number == "" || len(o.Documents) != 2 {
		t.Fatalf("close: %+v", o)
	}
	again := b.close(b.service, "close", id)
	if again.err != nil || !again.replayed || again.Number != o.Number {
		t.Errorf("close again: %+v", again)
	}
	b.audit()
}
