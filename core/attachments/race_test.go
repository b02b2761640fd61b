package attachments_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
)

// TestManyDocuments fills an attachment from many requests at once.
func TestManyDocuments(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.open("a")
	var taken, refused atomic.Int32
	const requests = attachment.MaxDocuments + 5
	var next atomic.Int32
	at(6, func(int) {
		for n := int(next.Add(1)); n <= requests; n = int(next.Add(1)) {
			o := b.upload(b.service, fmt.Sprint("k", n), id, jpegOf(t, pattern(n)))
			switch {
			case o.err == nil:
				taken.Add(1)
			case o.code() == billing.CodeInvalidRequest && strings.Contains(o.faults(), "127"):
				refused.Add(1)
			default:
				t.Errorf("upload: %+v", o)
			}
		}
	})
	if taken.Load() != attachment.MaxDocuments || refused.Load() != requests-attachment.MaxDocuments || len(b.get(id).Documents) != attachment.MaxDocuments {
		t.Errorf("%d of %d were taken, %d refused, %d are there", taken.Load(), requests, refused.Load(), len(b.get(id).Documents))
	}
	b.work()
	if o := b.upload(b.service, "png", id, pngOf(t, pattern(1))); o.code() != billing.CodeInvalidRequest {
		t.Errorf("a PNG for a full attachment: %+v", o)
	}
	if o := b.upload(b.service, "again", id, jpegOf(t, pattern(int(next.Load())))); o.code() != billing.CodeInvalidRequest {
		t.Errorf("one more: %+v", o)
	}
	b.audit()
}

// noise returns an image that does not compress.
func noise(seed uint64) image.Image {
	m := image.NewGray(image.Rect(0, 0, 1900, 1900))
	source := rand.NewChaCha8([32]byte{byte(seed)})
	_, _ = source.Read(m.Pix)
	return m
}

// TestManyBytes does so with images that do not all fit.
func TestManyBytes(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.open("a")
	images := make([][]byte, 6)
	at(len(images), func(n int) { images[n] = jpegOf(t, noise(uint64(n))) })
	room := attachment.MaxDocumentBytes / len(images[0])
	var taken atomic.Int32
	at(len(images), func(n int) {
		o := b.upload(b.service, fmt.Sprint("k", n), id, images[n])
		if o.err == nil {
			taken.Add(1)
		} else if o.code() != billing.CodeInvalidRequest || !strings.Contains(o.faults(), "15 MB") {
			t.Errorf("upload: %v", o.err)
		}
	})
	if int(taken.Load()) != room || room >= len(images) {
		t.Errorf("%d of %d were taken, there is room for %d", taken.Load(), len(images), room)
	}
	b.audit()
}

// TestUploadsRaceWithClose closes an attachment while images arrive. Images
// reported as added are sent; the others are refused.
func TestUploadsRaceWithClose(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	added := 0
	for n := range 12 {
		id := b.filled(fmt.Sprint("a", n))
		images := [][]byte{jpegOf(t, pattern(2)), pngOf(t, pattern(3)), jpegOf(t, pattern(4)), pngOf(t, pattern(5))}
		var closed outcome
		var o [4]outcome
		at(5, func(i int) {
			if i == 4 {
				<-time.After(time.Duration(rand.IntN(20)) * time.Millisecond)
				closed = b.close(b.service, fmt.Sprint("c", n), id)
				return
			}
			o[i] = b.upload(b.service, fmt.Sprint("u", n, i), id, images[i])
		})
		if closed.err != nil || closed.State != attachment.Closed {
			t.Errorf("close: %+v", closed)
		}
		want := 1
		for _, o := range o {
			if o.err == nil {
				want++
			} else if o.code() != billing.CodeConflict {
				t.Errorf("upload: %+v", o)
			}
		}
		if a := b.get(id); len(a.Documents) != want {
			t.Errorf("%d documents, want %d", len(a.Documents), want)
		}
		added += want - 1
	}
	t.Logf("%d images came in time", added)
	b.audit()
}

// TestChangesRaceWithClose edits an attachment while it closes. It was sent as
// it is.
func TestChangesRaceWithClose(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	for n := range 12 {
		id := b.filled(fmt.Sprint("a", n))
		if o := b.upload(b.service, fmt.Sprint("b", n), id, jpegOf(t, pattern(2))); o.err != nil {
			t.Fatal(o.err)
		}
		document := b.get(id).Documents[n%2].ID
		at(4, func(i int) {
			o := []func() outcome{
				func() outcome { return b.close(b.service, fmt.Sprint("c", n), id) },
				func() outcome { return b.close(b.service, fmt.Sprint("d", n), id) },
				func() outcome { return b.narrate(fmt.Sprint("n", n), id, "It broke.") },
				func() outcome { return b.remove(fmt.Sprint("r", n), id, document) },
			}[i]()
			if o.err != nil && o.code() != billing.CodeConflict {
				t.Errorf("%d: %+v", i, o)
			}
		})
	}
	b.audit()
}
