package cli

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/recovery"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestRestore compares a database with the blob store, begins a restore and ends it. The
// reports name the files, the claims and the images.
func TestRestore(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	blobs, err := fileblob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	b := batches.New(store, batches.Outside{}, porttest.Payers(t))
	s := recovery.New(store, blobs, store, recovery.Replay{Sent: b.ReplaySent, Received: b.ReplayReceived})
	run := func(command string, want ...string) {
		t.Helper()
		c := New(Backend{Recovery: func(context.Context) (*recovery.Service, func() error, error) {
			return s, func() error { return nil }, nil
		}})
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetArgs(append([]string{"restore"}, strings.Fields(command)...))
		if err := c.ExecuteContext(t.Context()); err != nil {
			out.WriteString(err.Error())
		}
		for _, text := range want {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%s does not print %q:\n%s", command, text, out.String())
			}
		}
	}
	run("check", "The database knows every live file.", "Images without rows: 0\n", "Rows without images: 0\n")
	run("begin", "molar restore begin --anyway")
	run("resume", "No restore has begun")

	scope := porttest.Organization(t, store, billing.ModeLive)
	office := porttest.Office(t, store, scope)
	then := billing.RealAt(time.Now().Add(-time.Hour))
	missing, unnamed := document(then, 1), document(then, 2)
	payer, _ := porttest.Payers(t).Find("60054")
	a := &attachment.Attachment{
		Payer: payer.PayerSummary, RequestID: billing.NewID[billing.RequestID](then),
		ID: billing.NewID[billing.AttachmentID](then), Scope: scope, State: attachment.Open, Kind: attachment.Unsolicited, OfficeID: office.ID,
		CreatedAt: then.Time, UpdatedAt: then.Time,
	}
	porttest.In(t, store, scope, func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Attachments.Insert(ctx, a), tx.Documents.Insert(ctx, a.ID, missing))
	})
	content := []byte("a JPEG")
	err = blobs.Put(t.Context(), unnamed.Blob(), ports.Blob{Size: int64(len(content)), MD5: md5.Sum(content), SHA256: sha256.Sum256(content), Content: bytes.NewReader(content)})
	if err != nil {
		t.Fatal(err)
	}
	run("check", "Images without rows: 1. ", "  "+unnamed.ID.String()+"\n", "Rows without images: 1. ", "  "+missing.ID.String()+"\n")

	batch := clearing.NewBatch(scope, "con_1", 77, 1, then, then.Time)
	lost := &claim.Claim{
		ID: billing.NewID[billing.ClaimID](then), Scope: scope, Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal, PatientControlNumber: "PCN-1",
		Content:  claim.Content{OfficeID: billing.NewID[billing.OfficeID](then), Subscriber: claim.Subscriber{LastName: "Doe"}},
		Progress: claim.Progress{State: claim.Queued, BatchID: batch.ID},
	}
	out := &restore.SentFile{Numbers: restore.Numbers{LiveFile: 5, Batch: 77, Attachment: 3}, At: then.Time, Batch: *batch, Claims: []*claim.Claim{lost}, Content: []byte("ISA")}
	half := &restore.ReceivedPart{
		Numbers: restore.Numbers{LiveFile: 6}, Content: []byte("TA1"),
		File: clearing.ReceivedFile{ID: billing.NewID[billing.FileID](then), Network: "con_1", RemoteFile: clearing.RemoteFile{Name: "half.ta1", Size: 9}},
	}
	future := recovery.New(store, blobs, store, recovery.Replay{})
	if err := errors.Join(future.Keep(t.Context(), out.Name(), out), future.Keep(t.Context(), half.Name(), half)); err != nil {
		t.Fatal(err)
	}
	run("check", "live files         0         6", "batches", "77", batch.File.Name, scope.Org.String(), "in, not whole", "half.ta1", "molar restore begin")
	run("resume", "Run molar restore begin first.")
	run("begin", lost.ID.String(), "PCN-1", "  lost\n", "not whole: if the clearinghouse", "wait for molar restore resume")
	run("check", "The database knows every live file.", "live files         6         6", "wait for molar restore resume")
	run("begin", lost.ID.String(), "  lost\n", "wait for molar restore resume")
	run("resume", "go out again. They have waited since 20")
	run("resume", "No restore has begun")
}

func document(at billing.Real, n byte) *attachment.Document {
	return &attachment.Document{
		ID: billing.NewID[billing.DocumentID](at), Type: "12", Medium: attachment.MediumFilm, Orientation: attachment.OrientationLeft, FileName: "a.jpg",
		ImageDate: billing.Date{Year: 2026, Month: 4, Day: 30}, Size: 6, SHA256: [32]byte{n}, CreatedAt: at.Time,
	}
}
