package batches_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/adapters/routing"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/recovery"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// liveLine is a connection of live mode whose files leave copies.
type liveLine struct {
	*line

	mail     *mailbox
	blobs    *fileblob.Store
	recovery *recovery.Service
}

func newLiveLine(t *testing.T) *liveLine {
	t.Helper()
	blobs, err := fileblob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	l := &liveLine{line: newLine(t), mail: &mailbox{has: map[string]int{}}, blobs: blobs}
	l.practice = l.newPracticeIn(billing.ModeLive, "1679576722")
	l.service, l.recovery = l.open(nil)
	l.fixture.service = l.service
	return l
}

// open returns the use cases of a process. The fault decides how its calls end.
func (l *liveLine) open(f *porttest.Fault) (*batches.Service, *recovery.Service) {
	n := sandbox(l.network)
	n.Name, n.Route.Mode, n.Replies = lineName, billing.ModeLive, nil
	n.Claims, n.Inbox = faultySender{l.mail, f}, faultyFolder{l.folder, f}
	store, blobs := porttest.Store{Store: l.store, Fault: f}, faultyBlobs{l.blobs, f}
	var b *batches.Service
	r := recovery.New(store, blobs, l.store.Store, recovery.Replay{
		Sent: func(ctx context.Context, f *restore.SentFile) error { return b.ReplaySent(ctx, f) },
		Received: func(ctx context.Context, f clearing.ReceivedFile, part func(int) ([]byte, error)) error {
			return b.ReplayReceived(ctx, f, part)
		},
	})
	b = batches.New(store, batches.Outside{EDI: l.codec, Remit: l.remit, Networks: routing.New(n), Keep: r.Keep}, l.payers)
	return b, r
}

type faultySender struct {
	ports.Sender
	*porttest.Fault
}

func (s faultySender) Send(ctx context.Context, f clearing.OutgoingFile, mark func(context.Context, string) error) error {
	return s.Call("Send", func() error { return s.Sender.Send(ctx, f, mark) })
}

type faultyBlobs struct {
	ports.Blobs
	*porttest.Fault
}

func (b faultyBlobs) Put(ctx context.Context, name string, blob ports.Blob) error {
	return b.Call("Put", func() error { return b.Blobs.Put(ctx, name, blob) })
}

func (b faultyBlobs) Open(ctx context.Context, name string) (content io.ReadCloser, size int64, err error) {
	err = b.Call("Open", func() (err error) { content, size, err = b.Blobs.Open(ctx, name); return err })
	return content, size, err
}

func (b faultyBlobs) List(ctx context.Context, prefix string) iter.Seq2[ports.BlobInfo, error] {
	return b.After(ctx, prefix, "")
}

func (b faultyBlobs) After(ctx context.Context, prefix, name string) iter.Seq2[ports.BlobInfo, error] {
	if err := b.Call("After", func() error { return nil }); err != nil {
		return func(yield func(ports.BlobInfo, error) bool) { yield(ports.BlobInfo{}, err) }
	}
	return b.Blobs.After(ctx, prefix, name)
}

// copies lists the copies of a kind.
func (l *liveLine) copies(prefix string) (names []string) {
	l.t.Helper()
	for blob, err := range l.blobs.List(l.t.Context(), prefix) {
		if err != nil {
			l.t.Fatal(err)
		}
		names = append(names, blob.Name)
	}
	return names
}

func (l *liveLine) numbers() (n restore.Numbers) {
	l.t.Helper()
	porttest.System(l.t, l.store, func(ctx context.Context, tx ports.SystemTx) (err error) {
		n, err = tx.Restores.Numbers(ctx)
		return err
	})
	return n
}

// knowsAll checks that the database is behind no copy: the end of a process is no restore.
func (l *liveLine) knowsAll() {
	l.t.Helper()
	highest, err := l.recovery.Highest(l.t.Context())
	if have := l.numbers().LiveFile; err != nil || highest > have {
		l.t.Errorf("live file %d has a copy, and the database is at %d: %v", highest, have, err)
	}
}

// TestCopyBeforeSending ends a process at each of its calls while it sends a live batch. A
// file that has left has a copy, a copy has its number in the database, and the file leaves
// once.
func TestCopyBeforeSending(t *testing.T) {
	t.Parallel()
	l := newLiveLine(t)
	porttest.EveryEnding(t, 5, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		c := l.queue(l.practice, "")[0]
		l.cut(1)
		b := l.batch(l.practice, l.get(l.practice, c.ID).BatchID)
		dying, _ := l.open(f)
		porttest.Dies(func() { _ = dying.Send(t.Context(), l.due()[0]) })
		has := func(name string) bool { return strings.Contains(name, b.ID.String()) }
		if l.mail.has[b.File.Name] > 0 && !slices.ContainsFunc(l.copies(restore.SentFiles), has) {
			t.Error("the file left without a copy")
		}
		l.knowsAll()
		for _, j := range l.due() {
			if err := l.service.Send(t.Context(), j); err != nil {
				t.Error(err)
			}
		}
		if l.mail.has[b.File.Name] != 1 {
			t.Errorf("the file left %d times", l.mail.has[b.File.Name])
		}
		l.wantClaim(l.practice, c.ID, claim.Submitted, "queued submitted")
		l.knowsAll()
	})
}

// TestNoCopyNoFile sends nothing while the copies cannot be stored, and begins anew
// afterwards.
func TestNoCopyNoFile(t *testing.T) {
	t.Parallel()
	l := newLiveLine(t)
	c := l.queue(l.practice, "")[0]
	l.cut(1)
	away, _ := l.open(&porttest.Fault{Only: "Put", How: porttest.FailsBefore})
	if err := away.Send(t.Context(), l.due()[0]); err == nil || !strings.Contains(err.Error(), "without which no live file leaves") {
		t.Errorf("sending without the blob store: %v", err)
	}
	if len(l.mail.has) > 0 || l.only().SendToken != "" {
		t.Errorf("delivered %v, token %q", l.mail.has, l.only().SendToken)
	}
	l.send()
	l.wantClaim(l.practice, c.ID, claim.Submitted, "queued submitted")
	l.put("a.txt", "a report", l.clock.Now())
	if _, err := l.away().Receive(t.Context(), lineName); err == nil {
		t.Error("a file was received without a copy")
	}
	l.fetch()
	l.apply()
	want(t, "applied", l.took(), "a.txt")
}

// away is a process without the blob store.
func (l *liveLine) away() *batches.Service {
	l.freed()
	b, _ := l.open(&porttest.Fault{Only: "Put", How: porttest.FailsBefore})
	return b
}

// TestTestModeHasNoCopies sends and receives in test mode.
func TestTestModeHasNoCopies(t *testing.T) {
	t.Parallel()
	l := newLine(t) // without a Keep: a call would fail
	l.put("a.txt", "a report", l.clock.Now())
	l.submitted(l.practice)
	l.fetch()
	l.apply()
	want(t, "applied", l.took(), "a.txt")
}

// TestCopyBeforeRemoving ends a process at each of its calls while it receives live files
// from a clearinghouse that removes what is read. What was read whole has a whole copy.
func TestCopyBeforeRemoving(t *testing.T) {
	t.Parallel()
	l := newLiveLine(t)
	l.once = true
	n := 0
	porttest.EveryEnding(t, 12, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		n++
		name := fmt.Sprintf("%03d.txt", n)
		l.put(name, "report of two parts "+name, l.clock.Now())
		dying, _ := l.open(f)
		l.freed()
		porttest.Dies(func() { _, _ = dying.Receive(t.Context(), lineName) })
		l.knowsAll()
		l.fetch()
		l.fetch()
		l.apply()
		if slices.Contains(l.took(), name) && len(l.copies(restore.ReceivedFiles)) < 2 {
			t.Errorf("%s was applied without a copy", name)
		}
		l.knowsAll()
	})
}

// lost makes copies of live files that the database does not know: of a batch with a claim
// that waits and one that the database lacks, and of a received file.
func (l *liveLine) lost(n int) (known, lacking *claim.Claim, file clearing.ReceivedFile) {
	l.t.Helper()
	l.clock.Advance(time.Since(l.clock.Now())) // IDs of claims are compared with those of restores
	known, lacking = l.queue(l.practice, "")[0], l.claim(l.practice, "")
	have, now := l.numbers(), l.clock.Now()
	batch := clearing.NewBatch(l.scope, lineName, have.Batch+3, 2, billing.RealAt(now), now)
	batch.File.Name, batch.SendToken = lostName(n), fmt.Sprint("step-", n)
	if n%2 == 0 { // it left; otherwise its sender ended before
		l.mail.has[batch.File.Name] = 1
	}
	sent := *known
	sent.BatchID, lacking.BatchID = batch.ID, batch.ID
	out := &restore.SentFile{
		Numbers: restore.Numbers{LiveFile: have.LiveFile + 2, Batch: have.Batch + 3, Attachment: have.Attachment + 4}, At: now,
		Batch: *batch, Claims: []*claim.Claim{&sent, lacking}, Content: []byte("ISA" + batch.File.Name),
	}
	content := fmt.Sprintf("report %03d of two parts", n)
	file = clearing.ReceivedFile{
		ID: billing.NewID[billing.FileID](billing.RealAt(now)), Network: lineName, Scope: billing.Scope{Mode: billing.ModeLive}, State: clearing.FileFetching,
		RemoteFile: clearing.RemoteFile{Name: fmt.Sprintf("lost-%03d.txt", n), Size: int64(len(content)), Time: now.UTC()},
		Since:      now, Listed: true, Tries: 1, Holder: billing.NewID[billing.JobID](billing.RealAt(now)),
	}
	_, future := l.open(nil)
	if err := future.Keep(l.t.Context(), out.Name(), out); err != nil {
		l.t.Fatal(err)
	}
	for i, part := range []string{content[:10], content[10:]} {
		p := &restore.ReceivedPart{Numbers: restore.Numbers{LiveFile: have.LiveFile + 3, Batch: have.Batch + 3}, Part: i, File: file, Content: []byte(part)}
		if err := future.Keep(l.t.Context(), p.Name(), p); err != nil {
			l.t.Fatal(err)
		}
	}
	return known, lacking, file
}

func lostName(n int) string { return fmt.Sprintf("lost-%d.837", n) }

// sequences returns the numbers of a resource's events, the newest first.
func (l *liveLine) sequences(resource [16]byte) (all []int) {
	l.t.Helper()
	for _, e := range porttest.Read(l.t, l.store, l.scope, func(ctx context.Context, tx ports.Tx) ([]*event.Event, error) {
		return tx.Events.List(ctx, event.Filter{Resource: resource}, billing.Page{Limit: 10})
	}) {
		all = append(all, e.Sequence)
	}
	return all
}

// TestRestoreDiesAnywhere ends the begin of a restore at each of its calls. The next one
// ends it: each claim is sent once, each file is applied once, no number comes again, and
// what waits goes out after the end of the restore.
func TestRestoreDiesAnywhere(t *testing.T) {
	t.Parallel()
	l := newLiveLine(t)
	n := 0
	porttest.EveryEnding(t, 12, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		n++
		known, lacking, file := l.lost(n)
		waits := l.queue(l.practice, "")[0]
		before := l.numbers()
		if err := l.guarded(); err == nil {
			t.Error("a new process stores copies although the database is behind")
		}
		_, dying := l.open(f)
		_, r := l.open(nil)
		porttest.Dies(func() { _, _ = dying.Begin(t.Context(), false) })
		for range 2 { // the second one repeats the report
			begun, err := r.Begin(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			var was []string
			for _, c := range begun.Newer {
				if c.Sent == nil {
					was = append(was, fmt.Sprint(begun.Restore.Lacks(c.Parts[0].File.ID)))
					continue
				}
				for _, sent := range c.Sent.Claims {
					was = append(was, string(begun.Restore.FateOf(sent, !begun.Lost[sent.ID])))
				}
			}
			want(t, "the report", was, "known", "recovered", "true")
		}
		if after := l.numbers(); after.LiveFile != before.LiveFile+3 || after.Batch < before.Batch+restore.Past || after.Attachment < before.Attachment+restore.Past {
			t.Errorf("the numbers were %+v, and are %+v", before, after)
		}
		for c, want := range map[*claim.Claim][]int{known: {1002, 1}, lacking: {1001}} {
			if got := l.get(l.practice, c.ID); got.State != claim.Submitted || !slices.Equal(l.sequences(c.ID), want) {
				t.Errorf("the claim is %s, with events %v, want %v", got.State, l.sequences(c.ID), want)
			}
		}
		if back := l.get(l.practice, lacking.ID); back.PatientControlNumber != lacking.PatientControlNumber || !slices.EqualFunc(back.Lines, lacking.Lines, func(a, b claim.Line) bool {
			return a.ProcedureCode == b.ProcedureCode && a.ServiceDate == b.ServiceDate && a.Fee == b.Fee
		}) {
			t.Errorf("the claim came back as %+v", back)
		}
		l.cut(0)
		held := maps.Clone(l.mail.has)
		for _, j := range l.due() {
			if j.Kind == jobs.KindBatchSend {
				if err := l.service.Send(t.Context(), j); !network.Observed(err) {
					t.Error(err)
				}
			}
		}
		if !maps.Equal(held, l.mail.has) {
			t.Error("a file leaves before the end of the restore")
		}
		if c := l.get(l.practice, waits.ID); c.State != claim.Queued || !c.BatchID.IsZero() {
			t.Errorf("a claim that waits for the end of the restore is %s", c.State)
		}
		l.apply()
		if times := len(slices.DeleteFunc(l.took(), func(name string) bool { return name != file.Name })); times != 1 {
			t.Errorf("%s was applied %d times", file.Name, times)
		}
		if ended, err := r.Resume(t.Context()); err != nil || ended == nil {
			t.Errorf("the end of the restore: %v, %v", ended, err)
		}
		l.cut(1)
		l.send()
		if l.get(l.practice, waits.ID).State != claim.Submitted {
			t.Error("the claim does not go out after the end of the restore")
		}
		if times := l.mail.has[lostName(n)]; times != 1 {
			t.Errorf("the batch left %d times", times)
		}
		l.knowsAll()
	})
}

// guarded stores a copy as a new process would.
func (l *liveLine) guarded() error {
	_, r := l.open(nil)
	return r.Keep(l.t.Context(), restore.SentFiles+"x", "")
}

// TestHeldBatch rests a batch that was cut before the restore.
func TestHeldBatch(t *testing.T) {
	t.Parallel()
	l := newLiveLine(t)
	c := l.queue(l.practice, "")[0]
	l.cut(1)
	_, r := l.open(nil)
	if _, err := r.Begin(t.Context(), false); billing.CodeOf(err) != billing.CodeConflict {
		t.Errorf("the begin of a restore that no file shows: %v", err)
	}
	if _, err := r.Begin(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	due := porttest.Due(t, l.store, time.Hour)
	err := l.service.Send(t.Context(), due[0])
	if _, rests := errors.AsType[*jobs.DoneError](err); !rests || !network.Observed(err) || len(l.mail.has) > 0 {
		t.Errorf("a held batch: %v, delivered %v", err, l.mail.has)
	}
	if soon := porttest.Due(t, l.store, billing.BatchRetry/2); len(soon) > 0 {
		t.Error("its job does not rest")
	}
	if _, err := r.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.send()
	if l.get(l.practice, c.ID).State != claim.Submitted {
		t.Error("the claim does not go out after the end of the restore")
	}
	if ended, err := r.Resume(t.Context()); err != nil || ended != nil {
		t.Errorf("the end of no restore: %v, %v", ended, err)
	}
}
