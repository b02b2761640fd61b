package attachments_test

import (
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// put stores a blob that no row names.
func (b *fixture) put(name string) {
	b.t.Helper()
	blob := ports.Blob{Size: 4, MD5: md5.Sum([]byte("blob")), SHA256: sha256.Sum256([]byte("blob")), Content: strings.NewReader("blob")}
	if err := b.blobs.Put(b.t.Context(), name, blob); err != nil {
		b.t.Fatal(err)
	}
}

// age makes blobs two days old; without names, all of them.
func (b *fixture) age(names ...string) {
	b.t.Helper()
	if names == nil {
		names = b.blobNames()
	}
	then := time.Now().Add(-48 * time.Hour)
	for _, name := range names {
		if err := os.Chtimes(filepath.Join(b.folder, name), then, then); err != nil && !os.IsNotExist(err) {
			b.t.Error(err)
		}
	}
}

func orphan(prefix string) string {
	return prefix + billing.NewID[billing.DocumentID](billing.RealAt(time.Now())).String()
}

func TestSweep(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, image := b.filled("a"), pngOf(t, pattern(2))
	b.begun(1, func(s *attachments.Service) { b.upload(s, "png", id, image) })
	waiting := b.blobNames() // of a document, and of an upload
	var old []string
	for range 3 {
		old = append(old, orphan(attachment.DocumentBlobs), orphan(attachment.StagingBlobs))
	}
	young, foreign := orphan(attachment.StagingBlobs), "documents/readme.txt"
	for _, name := range append(old, young, foreign) {
		b.put(name)
	}
	// The JPEG of a document is not a waiting PNG, whatever its name.
	old = append(old, attachment.StagingBlobs+b.get(id).Documents[0].ID.String())
	b.put(old[6])
	b.age()
	b.age(young)
	if err := os.Chtimes(filepath.Join(b.folder, young), time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if n, err := b.service.Sweep(t.Context()); n != len(old) || err != nil {
		t.Errorf("%d were swept, %v; want %d", n, err, len(old))
	}
	want := append(slices.Clone(waiting), young, foreign)
	slices.Sort(want)
	if left := b.blobNames(); !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
	if n, err := b.service.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("%d more were swept, %v", n, err)
	}
	b.settle()
	if o := b.upload(b.service, "png", id, image); o.err != nil || len(o.Documents) != 2 {
		t.Errorf("the PNG that waited: %+v", o)
	}
	if err := b.blobs.Delete(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	b.audit()
}

// TestSweepOfMany sweeps more blobs than one look-up.
func TestSweepOfMany(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.filled("a")
	const many = 1001
	for range many { // syncing each to disk would take longer than all the rest
		if err := os.WriteFile(filepath.Join(b.folder, orphan(attachment.DocumentBlobs)), []byte("blob"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.age()
	if n, err := b.service.Sweep(t.Context()); n != many || err != nil {
		t.Errorf("%d were swept, %v", n, err)
	}
	b.audit()
}

// TestSweepForgetsUploads deletes uploads that were settled long ago, and no
// waiting one.
func TestSweepForgetsUploads(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, image := b.open("a"), pngOf(t, pattern(1))
	b.begun(1, func(s *attachments.Service) { b.upload(s, "k1", id, image) })
	b.settle()
	b.clock.Advance(time.Hour)
	b.begun(1, func(s *attachments.Service) { b.upload(s, "k2", id, image) })
	forget := func(want int) {
		t.Helper()
		if n, err := b.service.ForgetUploads(t.Context()); n != want || err != nil {
			t.Errorf("%d were forgotten, %v, want %d", n, err, want)
		}
	}
	b.clock.Advance(b.times.Settled - 2*time.Hour)
	forget(0)
	if o := b.upload(b.service, "k1", id, image); !o.replayed {
		t.Errorf("before its time: %+v", o)
	}
	b.clock.Advance(3 * time.Hour)
	forget(1)
	b.settle()
	if o := b.upload(b.service, "k2", id, image); !o.replayed || len(o.Documents) != 1 {
		t.Errorf("the one that waited: %+v", o)
	}
	b.audit()
}

// TestSweepAmidTheWork sweeps before each call of a worker that converts an old
// PNG: the blobs that it needs and makes stay.
func TestSweepAmidTheWork(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	key := keys()
	for n := range 6 {
		id, k, image := b.open(key()), key(), pngOf(t, pattern(1))
		j := b.begun(1, func(s *attachments.Service) { b.upload(s, k, id, image) })
		worker := b.process(&porttest.Fault{At: n, How: porttest.Passes, Then: func() {
			b.age()
			if _, err := b.service.Sweep(t.Context()); err != nil {
				t.Error(err)
			}
		}})
		if err := worker.Convert(t.Context(), j); err != nil {
			t.Errorf("swept before call %d: %v", n, err)
		}
		if o := b.upload(b.service, k, id, image); !o.replayed || len(o.Documents) != 1 {
			t.Errorf("swept before call %d: %+v", n, o)
		}
		b.whole()
	}
	b.audit()
}

// TestSweepRacesWithUploads sweeps continuously while images come and go, and
// those with a row are old. None of them is swept.
func TestSweepRacesWithUploads(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.work()
	id := b.filled("a")
	done := make(chan struct{})
	var busy, sweeps atomic.Int32
	busy.Store(3)
	at(4, func(i int) {
		for n := 0; i < 3 && n < 15; n++ {
			image := jpegOf(t, pattern(100*i+n+2))
			if i == 0 {
				image = pngOf(t, pattern(n+2))
			}
			if o := b.upload(b.service, fmt.Sprint("k", i, n), id, image); o.err != nil {
				t.Errorf("upload: %+v", o)
			}
			if d := b.get(id).Documents; i == 2 && n%3 == 0 {
				b.remove(fmt.Sprint("r", n), id, d[len(d)-1].ID)
			}
		}
		if i < 3 {
			if busy.Add(-1) == 0 {
				close(done)
			}
			return
		}
		for ended := false; !ended; sweeps.Add(1) {
			for _, d := range b.get(id).Documents {
				b.age(d.Blob())
			}
			if _, err := b.service.Sweep(t.Context()); err != nil {
				t.Errorf("sweep: %v", err)
			}
			select {
			case <-done:
				ended = true
			default:
			}
		}
	})
	t.Logf("%d sweeps", sweeps.Load())
	b.audit()
}
