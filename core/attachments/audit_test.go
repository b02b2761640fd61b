package attachments_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// pattern returns an image of squares that differs for each n.
func pattern(n int) image.Image {
	m := image.NewGray(image.Rect(0, 0, 128, 8))
	for x := range 128 {
		for y := range 8 {
			m.SetGray(x, y, color.Gray{Y: uint8(n >> (x / 8) & 1 * 255)})
		}
	}
	return m
}

func jpegOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func fileOf(b []byte) attachments.File {
	return attachments.File{Content: bytes.NewReader(b), Size: int64(len(b)), Sums: attachments.Sums{SHA256: sha256.Sum256(b), MD5: md5.Sum(b)}}
}

// about is the patient, subscriber and dates of attachments without a claim.
func about() intake.SubjectInput {
	return intake.SubjectInput{
		Patient:      &intake.AttachmentPatientInput{FirstName: "Ada", LastName: "Byron", DateOfBirth: "1985-12-10"},
		Subscriber:   &intake.AttachmentSubscriberInput{FirstName: "Ada", LastName: "Byron", MemberID: "M1", Relationship: "self"},
		ServiceDates: &intake.DateSpanInput{From: "2026-01-05", To: "2026-01-05"},
	}
}

// open creates an open attachment without a claim.
func (b *fixture) open(key string) billing.AttachmentID {
	b.t.Helper()
	return b.make(key, intake.AttachmentRequest{OfficeID: new(b.office.ID.String()), PayerID: new("CHTEST"), About: about()})
}

func (b *fixture) make(key string, in intake.AttachmentRequest) billing.AttachmentID {
	b.t.Helper()
	o := came(b.service.Make(b.t.Context(), write(b.scope, call(key), render), in))
	if o.err != nil {
		b.t.Fatalf("make %s: %v", key, o.err)
	}
	return b.id(o)
}

func (b *fixture) id(o outcome) billing.AttachmentID {
	b.t.Helper()
	id, err := billing.ParseID[billing.AttachmentID](o.Attachment)
	if err != nil {
		b.t.Fatalf("%+v has no attachment", o)
	}
	return id
}

// filled creates an open attachment with a JPEG.
func (b *fixture) filled(key string) billing.AttachmentID {
	b.t.Helper()
	id := b.open(key)
	if o := b.upload(b.service, key+" image", id, jpegOf(b.t, pattern(1))); o.err != nil || len(o.Documents) != 1 {
		b.t.Fatalf("upload: %+v", o)
	}
	return id
}

// asked creates an open payer request about the claim, or about none.
func (b *fixture) asked(c billing.ClaimID) billing.PayerRequestID {
	b.t.Helper()
	payer, _ := b.payers.Find("CHTEST")
	now := b.clock.Now()
	r := &attachment.PayerRequest{
		ID: billing.NewID[billing.PayerRequestID](billing.RealAt(now)), Scope: b.scope, State: attachment.PayerRequestOpen, Source: attachment.SourceNetwork,
		ClaimID: c, Payer: payer.PayerSummary, ReferenceNumber: "REF-1", Requested: "An X-ray of tooth 14.", CreatedAt: now,
	}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.PayerRequests.Insert(ctx, r) })
	return r.ID
}

// claim creates a claim with the control number PCN-1.
func (b *fixture) claim() *claim.Claim {
	b.t.Helper()
	payer, _ := b.payers.Find("CHTEST")
	now := b.clock.Now()
	c := &claim.Claim{
		ID: billing.NewID[billing.ClaimID](billing.RealAt(now)), Scope: b.scope, Kind: claim.KindClaim,
		Frequency: claim.FrequencyOriginal, PatientControlNumber: "PCN-1", CreatedAt: now,
		Content: claim.Content{
			OfficeID: b.office.ID, Payer: payer.PayerSummary, ProviderID: billing.NewID[billing.ProviderID](billing.RealAt(now)),
			PlaceOfService: "11",
			Subscriber:     claim.Subscriber{FirstName: "Ada", LastName: "Byron", DateOfBirth: billing.Date{Year: 1985, Month: 12, Day: 10}, MemberID: "M1"},
			Lines:          []claim.Line{{ProcedureCode: "D2740", ServiceDate: billing.Date{Year: 2026, Month: 1, Day: 5}, Fee: 120000, Quantity: 1, Tooth: "14"}},
		},
		Progress: claim.Progress{State: claim.AcceptedPayer, UpdatedAt: now},
	}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, c) })
	return c
}

func (b *fixture) get(id billing.AttachmentID) *attachment.Attachment {
	b.t.Helper()
	a, err := b.service.Get(b.t.Context(), b.scope, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return a
}

func (b *fixture) request(id billing.PayerRequestID) *attachment.PayerRequest {
	b.t.Helper()
	return porttest.Read(b.t, b.store, b.scope, func(ctx context.Context, tx ports.Tx) (*attachment.PayerRequest, error) {
		return tx.PayerRequests.Get(ctx, id)
	})
}

// due leases the due jobs of the outbox. It makes the thumbnails itself, which
// no request waits for.
func (b *fixture) due() (due []jobs.Job) {
	b.t.Helper()
	for _, j := range porttest.Due(b.t, b.store, 0) {
		if j.Kind != jobs.KindThumbnail {
			due = append(due, j)
		} else if err := b.service.MakeThumbnail(b.t.Context(), j); err != nil {
			b.t.Error(err)
		}
	}
	return due
}

// pause is how long these tests wait between two checks.
const pause = 20 * time.Millisecond

// hurry ends the leases of jobs, so that tests do not wait for growing leases.
func (b *fixture) hurry() {
	b.t.Helper()
	<-time.After(pause)
	porttest.System(b.t, b.store, func(ctx context.Context, tx ports.SystemTx) error { return tx.Jobs.Release(ctx, 0) })
}

// job returns the one job of the outbox.
func (b *fixture) job() jobs.Job {
	b.t.Helper()
	due := b.due()
	if len(due) != 1 {
		b.t.Fatalf("%d jobs are due, want one", len(due))
	}
	return due[0]
}

// do runs a job as a worker of the process does.
func (b *fixture) do(s *attachments.Service, j jobs.Job) error {
	if j.Kind == jobs.KindPNGConvert {
		return s.Convert(b.t.Context(), j)
	}
	return s.Send(b.t.Context(), j)
}

// settle runs due jobs until none is left.
func (b *fixture) settle() {
	b.t.Helper()
	for due := b.due(); len(due) > 0; due = b.due() {
		for _, j := range due {
			if _, done := errors.AsType[*jobs.DoneError](b.do(b.service, j)); !done && b.pending(j) {
				b.t.Fatalf("job %s is not done", j.Kind)
			}
		}
	}
}

func (b *fixture) pending(j jobs.Job) bool { return porttest.Pending(b.t, b.store, j) }

// all returns every attachment of the scope.
func (b *fixture) all() []*attachment.Attachment {
	b.t.Helper()
	all, next, err := b.service.List(b.t.Context(), b.scope, attachment.Filter{}, billing.Page{Limit: 1000})
	if err != nil || next != nil {
		b.t.Fatalf("list: %v", err)
	}
	return all
}

// blobNames lists the images of the blob store.
func (b *fixture) blobNames() []string {
	b.t.Helper()
	return b.listed(attachment.DocumentBlobs, attachment.StagingBlobs)
}

// thumbnails lists the thumbnails of the blob store.
func (b *fixture) thumbnails() []string {
	b.t.Helper()
	return b.listed(attachment.ThumbnailBlobs)
}

func (b *fixture) listed(prefixes ...string) (names []string) {
	b.t.Helper()
	for _, prefix := range prefixes {
		for blob, err := range b.blobs.List(b.t.Context(), prefix) {
			if err != nil {
				b.t.Fatal(err)
			}
			names = append(names, blob.Name)
		}
	}
	slices.Sort(names)
	return names
}

// whole checks that every document has its image.
func (b *fixture) whole() (blobs []string) {
	b.t.Helper()
	for _, a := range b.all() {
		for _, d := range a.Documents {
			blobs = append(blobs, d.Blob())
			content, size, err := b.service.Content(b.t.Context(), b.scope, a.ID, d.ID)
			if err != nil {
				b.t.Errorf("the document %s has no image: %v", d.ID, err)
				continue
			}
			stored, err := io.ReadAll(content)
			_ = content.Close()
			if err != nil || size != d.Size || sha256.Sum256(stored) != d.SHA256 {
				b.t.Errorf("the document %s has another image: %d bytes, %v", d.ID, size, err)
			}
		}
	}
	slices.Sort(blobs)
	return blobs
}

// audit checks the invariants at the end of all work. Each document has its
// image, and no image is left after a sweep. Each closed attachment was sent
// unchanged, once, with one event, and nothing else was sent.
func (b *fixture) audit() {
	b.t.Helper()
	if due := b.due(); len(due) > 0 {
		b.t.Errorf("%d jobs are left", len(due))
	}
	b.whole()
	b.clock.Advance(b.times.Orphan + time.Minute)
	if _, err := b.service.Sweep(b.t.Context()); err != nil {
		b.t.Errorf("sweep: %v", err)
	}
	named := b.whole()
	if have := b.blobNames(); !slices.Equal(named, have) {
		b.t.Errorf("after the sweep there are the images %v, rows name %v", have, named)
	}
	for _, name := range b.thumbnails() {
		if of := strings.Replace(name, attachment.ThumbnailBlobs, attachment.DocumentBlobs, 1); !slices.Contains(named, of) {
			b.t.Errorf("after the sweep there is %s without a document", name)
		}
	}
	closed := 0
	for _, a := range b.all() {
		if !a.Sending.IsZero() {
			b.t.Errorf("%s is still being sent", a.ID)
		}
		if a.State != attachment.Closed {
			if n := len(b.events(a.ID)); n != 0 {
				b.t.Errorf("%d events of the open attachment %s", n, a.ID)
			}
			continue
		}
		closed++
		b.sentOnce(a)
	}
	if n := b.network.count(); n != closed {
		b.t.Errorf("the network has %d transmissions, want one for each of %d closed attachments", n, closed)
	}
}

// sentOnce checks that the network has the closed attachment unchanged, and
// that it has one event.
func (b *fixture) sentOnce(a *attachment.Attachment) {
	b.t.Helper()
	var documents []string
	for _, d := range a.Documents {
		documents = append(documents, d.ID.String())
	}
	slices.Sort(documents)
	if s, ok := b.network.has(a.Number); !ok || !slices.Equal(s.documents, documents) || s.Narrative != a.Narrative {
		b.t.Errorf("the network has %v under %s, want %v", s.documents, a.Number, documents)
	}
	if e := b.events(a.ID); len(e) != 1 || e[0].Type != event.AttachmentCompleted {
		b.t.Errorf("events %+v of %s, want one attachment.completed", e, a.ID)
	}
}

func (b *fixture) events(id billing.AttachmentID) []*event.Event {
	return porttest.Events(b.t, b.store, b.scope, id)
}

// hold holds the key in a transaction of its own, like another request with it,
// from asks to release.
func (b *fixture) hold(key string, asks chan<- struct{}, release <-chan struct{}) error {
	return b.store.InTx(b.t.Context(), b.scope, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Keys.Reserve(ctx, key)
		close(asks)
		<-release
		return err
	})
}
