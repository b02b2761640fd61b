package attachments_test

import (
	"fmt"
	"image"
	"image/jpeg"
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports/porttest"
)

// thumbnail reads the thumbnail of a document.
func (b *fixture) thumbnail(id billing.AttachmentID, d *attachment.Document) image.Image {
	b.t.Helper()
	content, size, err := b.service.Thumbnail(b.t.Context(), b.scope, id, d.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = content.Close() }() // was only read
	m, err := jpeg.Decode(content)
	if err != nil || size == 0 {
		b.t.Fatalf("%d bytes: %v", size, err)
	}
	return m
}

// TestThumbnail makes the thumbnails of a JPEG and of a PNG when they are
// stored, and again for documents that have none. They go with their documents.
func TestThumbnail(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	id := b.open("a")
	large := image.NewGray(image.Rect(0, 0, 640, 400))
	b.upload(b.service, "jpeg", id, jpegOf(t, large))
	b.upload(b.service, "png", id, pngOf(t, pattern(2)))
	var want []string
	for _, d := range b.get(id).Documents {
		want = append(want, d.ThumbnailBlob())
	}
	slices.Sort(want)
	porttest.Await(t, "two thumbnails", func() bool { return slices.Equal(b.thumbnails(), want) })
	for i, size := range []image.Point{{320, 200}, {128, 8}} {
		d := b.get(id).Documents[i]
		for range 2 {
			if got := b.thumbnail(id, d).Bounds().Size(); got != size {
				t.Errorf("%v, want %v", got, size)
			}
			if err := b.blobs.Delete(t.Context(), d.ThumbnailBlob()); err != nil { // as it was before this release
				t.Fatal(err)
			}
		}
		b.thumbnail(id, d)
	}
	if got := b.thumbnails(); !slices.Equal(got, want) {
		t.Errorf("thumbnails %v, want %v", got, want)
	}
	first := b.get(id).Documents[0]
	if o := b.remove("r", id, first.ID); o.err != nil {
		t.Fatal(o.err)
	}
	if got := b.thumbnails(); len(got) != 1 || got[0] == first.ThumbnailBlob() {
		t.Errorf("left are %v", got)
	}
	if _, _, err := b.service.Thumbnail(t.Context(), b.scope, id, first.ID); !billing.IsNotFound(err) {
		t.Errorf("of a removed document: %v", err)
	}
	b.audit()
}

// TestThumbnailOfARemovedDocument ends a job that comes too late, and sweeps
// what it left.
func TestThumbnailOfARemovedDocument(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for n, f := range []*porttest.Fault{nil, {Only: "Put", How: porttest.Passes, Then: func() {}}} {
		id := b.open(fmt.Sprint("a", n))
		b.upload(b.service, fmt.Sprint("k", n), id, jpegOf(t, pattern(1)))
		d := b.get(id).Documents[0]
		remove := func() {
			if o := b.remove(fmt.Sprint("r", n), id, d.ID); o.err != nil {
				t.Error(o.err)
			}
		}
		j := porttest.Due(t, b.store, 0)[0]
		if f == nil {
			remove()
		} else {
			f.Then = remove
		}
		if err := b.process(f).MakeThumbnail(t.Context(), j); err != nil || b.pending(j) {
			t.Errorf("the late job: %v", err)
		}
		if got := len(b.thumbnails()); got != n {
			t.Errorf("%d thumbnails, want %d", got, n)
		}
		b.age(b.thumbnails()...)
	}
	b.audit()
	if got := b.thumbnails(); len(got) != 0 {
		t.Errorf("%v are left", got)
	}
}

// TestThumbnailDiesAnywhere ends the worker, and a request that makes a
// thumbnail, at each of their calls. The document has its thumbnail in the end.
func TestThumbnailDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	key := keys()
	for _, requested := range []bool{false, true} {
		porttest.EveryEnding(t, 3, func(t *testing.T, f *porttest.Fault) {
			t.Helper()
			id := b.open(key())
			b.upload(b.service, key(), id, jpegOf(t, pattern(1)))
			d, j := b.get(id).Documents[0], thumbnailJob(t, b)
			porttest.Dies(func() {
				if !requested {
					_ = b.process(f).MakeThumbnail(t.Context(), j)
					return
				}
				if content, _, err := b.process(f).Thumbnail(t.Context(), b.scope, id, d.ID); err == nil {
					_ = content.Close()
				}
			})
			b.settle()
			if b.pending(j) || !slices.Contains(b.thumbnails(), d.ThumbnailBlob()) {
				t.Errorf("pending: %t, thumbnails %v", b.pending(j), b.thumbnails())
			}
			b.thumbnail(id, d)
		})
	}
	b.audit()
}

// thumbnailJob returns the one job of the outbox.
func thumbnailJob(t *testing.T, b *fixture) jobs.Job {
	t.Helper()
	due := porttest.Due(t, b.store, 0)
	if len(due) != 1 || due[0].Kind != jobs.KindThumbnail {
		t.Fatalf("jobs %v", due)
	}
	return due[0]
}
