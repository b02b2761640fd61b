package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// received returns a file of a network, n seconds after the start of the test.
func (b *scoped) received(n int, network string, state clearing.FileState) *clearing.ReceivedFile {
	at := b.now.Add(time.Duration(n) * time.Second)
	f := &clearing.ReceivedFile{
		ID: billing.NewID[billing.FileID](billing.RealAt(at)), Network: network, Scope: billing.Scope{Mode: b.scope.Mode},
		RemoteFile: clearing.RemoteFile{Name: "a.835", Size: int64(n), Time: at}, State: state, Since: at, Listed: true, Holder: billing.JobID{1},
	}
	if state != clearing.FileFetching && state != clearing.FileLost {
		f.Digest = sha256.Sum256(f.ID[:])
	}
	return f
}

func (b *scoped) putFiles(all ...*clearing.ReceivedFile) {
	b.t.Helper()
	b.system(func(ctx context.Context, tx ports.SystemTx) (err error) {
		for _, f := range all {
			err = errors.Join(err, tx.Received.Put(ctx, f))
		}
		return err
	})
}

func (b *scoped) locked(id billing.FileID) *clearing.ReceivedFile {
	b.t.Helper()
	return system(b, func(ctx context.Context, tx ports.SystemTx) (*clearing.ReceivedFile, error) {
		return tx.Received.Lock(ctx, id)
	})
}

// testReceived stores files and what becomes of them.
func testReceived(b *scoped) {
	t := b.t
	waits, later, lost := b.received(1, "one", clearing.FileReceived), b.received(2, "one", clearing.FileReceived), b.received(3, "one", clearing.FileLost)
	lost.Listed, lost.Reason = false, "It is gone."
	own := b.received(4, "two", clearing.FileReceived)
	own.Scope = b.scope
	b.putFiles(later, waits, lost, own)
	for _, f := range []*clearing.ReceivedFile{waits, lost, own} {
		equal(t, "a file", b.locked(f.ID), f)
	}
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		listed, err := tx.Received.Listed(ctx, "one")
		slices.SortFunc(listed, func(a, b *clearing.ReceivedFile) int { return a.Since.Compare(b.Since) })
		equal(t, "listed", listed, []*clearing.ReceivedFile{waits, later})
		next, err2 := tx.Received.Next(ctx, "one")
		equal(t, "next", next, waits)
		problems, err3 := tx.Received.Problems(ctx)
		equal(t, "problems", problems, []*clearing.ReceivedFile{lost})
		owned, err4 := tx.Contents.Owned(ctx, b.scope, billing.FileID{}, 9)
		equal(t, "files of the scope", owned, []*clearing.ReceivedFile{own})
		after, err5 := tx.Contents.Owned(ctx, b.scope, own.ID, 9)
		equal(t, "files after the last", len(after), 0)
		_, absent := tx.Received.Next(ctx, "three")
		_, absent2 := tx.Received.Lock(ctx, billing.FileID{1})
		if !billing.IsNotFound(absent) || !billing.IsNotFound(absent2) {
			t.Errorf("absent files: %v, %v", absent, absent2)
		}
		return errors.Join(err, err2, err3, err4, err5)
	})
	waits.State, waits.Since, waits.Listed, waits.Tries, waits.Reason = clearing.FileApplied, b.now.Add(time.Hour), false, 2, "x"
	b.putFiles(waits)
	equal(t, "a changed file", b.locked(waits.ID), waits)
	again := b.received(5, "one", clearing.FileFetching) // the version was removed, and came again
	again.RemoteFile = waits.RemoteFile
	b.putFiles(again)
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return errors.Join(tx.Received.Forget(ctx, nil), tx.Received.Forget(ctx, []billing.FileID{again.ID, waits.ID}))
	})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		listed, err := tx.Received.Listed(ctx, "one")
		equal(t, "listed after others were forgotten", listed, []*clearing.ReceivedFile{later})
		return err
	})
}

// testContents stores a file in parts.
func testContents(b *scoped) {
	t := b.t
	parts := make([][]byte, 21)
	for i := range parts {
		parts[i] = bytes.Repeat([]byte{byte(i)}, 100+i)
	}
	f := b.received(1, "one", clearing.FileApplied)
	f.Digest = sha256.Sum256(bytes.Join(parts, nil))
	store := func(f *clearing.ReceivedFile, parts [][]byte) {
		t.Helper()
		b.putFiles(f)
		b.system(func(ctx context.Context, tx ports.SystemTx) (err error) {
			for i, part := range parts {
				err = errors.Join(err, tx.Contents.Add(ctx, f, i, part))
			}
			return err
		})
	}
	read := func(f *clearing.ReceivedFile) (content []byte, err error) {
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			content, err = tx.Contents.Read(ctx, f)
			return nil
		})
		return content, err
	}
	store(f, parts)
	if content, err := read(f); err != nil || !bytes.Equal(content, bytes.Join(parts, nil)) {
		t.Errorf("%d bytes, %v", len(content), err)
	}
	empty := b.received(2, "one", clearing.FileReceived)
	empty.Digest = sha256.Sum256(nil)
	store(empty, nil)
	if content, err := read(empty); err != nil || len(content) != 0 {
		t.Errorf("an empty file: %d bytes, %v", len(content), err)
	}
	short := b.received(3, "one", clearing.FileReceived)
	short.Digest = f.Digest
	store(short, parts[:20])
	if _, err := read(short); err == nil || billing.IsNotFound(err) {
		t.Errorf("a file without its last part: %v", err)
	}

	// The same name with the same content again, a loss that was none, and others.
	again, lost, other := b.received(4, "one", clearing.FileReceived), b.received(4, "one", clearing.FileLost), b.received(5, "one", clearing.FileApplied)
	again.Digest, lost.Listed, other.Name, other.Digest = f.Digest, false, "b.835", f.Digest
	b.putFiles(again, lost, other)
	b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Contents.Supersede(ctx, again) })
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		for what, c := range map[string]struct {
			of    *clearing.ReceivedFile
			stays bool
		}{"an earlier copy": {f, false}, "a loss": {lost, false}, "itself": {again, true}, "another name": {other, true}, "one that waits": {short, true}} {
			if _, err := tx.Received.Lock(ctx, c.of.ID); billing.IsNotFound(err) == c.stays {
				t.Errorf("%s: %v", what, err)
			}
		}
		return tx.Contents.Clear(ctx, short.ID)
	})
	for _, f := range []*clearing.ReceivedFile{f, short} {
		if _, err := read(f); !billing.IsNotFound(err) {
			t.Errorf("removed content: %v", err)
		}
	}
}

// testExpire removes old contents, and old files that are no longer listed.
func testExpire(b *scoped) {
	t := b.t
	kept, gone, waits := b.received(1, "one", clearing.FileApplied), b.received(2, "one", clearing.FileApplied), b.received(3, "one", clearing.FileReceived)
	recent := b.received(60, "one", clearing.FileApplied)
	gone.Listed, waits.Listed, recent.Listed = false, false, false
	b.putFiles(kept, gone, waits, recent)
	b.system(func(ctx context.Context, tx ports.SystemTx) (err error) {
		for _, f := range []*clearing.ReceivedFile{kept, gone, waits, recent} {
			err = errors.Join(err, tx.Contents.Add(ctx, f, 0, []byte(strings.Repeat("x", 100))))
		}
		return err
	})
	for _, want := range []int{2, 0} {
		n := system(b, func(ctx context.Context, tx ports.SystemTx) (int, error) {
			return tx.Contents.Expire(ctx, b.now.Add(time.Minute))
		})
		if n != want {
			t.Errorf("%d files expired, want %d", n, want)
		}
	}
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		for _, f := range []*clearing.ReceivedFile{kept, waits, recent} {
			if _, err := tx.Received.Lock(ctx, f.ID); err != nil {
				t.Errorf("%s: %v", f.State, err)
			}
		}
		_, removed := tx.Received.Lock(ctx, gone.ID)
		_, content := tx.Contents.Read(ctx, kept)
		if !billing.IsNotFound(removed) || !billing.IsNotFound(content) {
			t.Errorf("%v, %v", removed, content)
		}
		return nil
	})
}

// testSystemOutbox stages jobs of a scope and of none.
func testSystemOutbox(b *scoped) {
	t := b.t
	of, none := b.job(), b.job()
	none.Scope.Org = billing.OrgID{}
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return errors.Join(tx.Outbox.Stage(ctx, of), tx.Outbox.Stage(ctx, none))
	})
	b.release()
	due := system(b, func(ctx context.Context, tx ports.SystemTx) ([]jobs.Job, error) {
		return tx.Jobs.Due(ctx, tx.Real.Now().Time, time.Minute, 9)
	})
	found := map[billing.JobID]billing.Scope{}
	for _, j := range due {
		found[j.ID] = j.Scope
	}
	if len(due) != 2 || found[of.ID] != of.Scope || found[none.ID] != none.Scope {
		t.Errorf("due are %+v", due)
	}
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return errors.Join(tx.Outbox.Done(ctx, of.ID), tx.Outbox.Postpone(ctx, none.ID, tx.Real.Now().Add(time.Hour)))
	})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		done, err := tx.Outbox.Pending(ctx, of.ID)
		rests, err2 := tx.Outbox.Pending(ctx, none.ID)
		if done || !rests {
			t.Errorf("pending: %t, %t", done, rests)
		}
		return errors.Join(err, err2)
	})
	if left := b.due(time.Minute, 9); len(left) > 0 {
		t.Errorf("due are %v", left)
	}
}

// awaitLook waits until the store has seen what is true.
func (b *scoped) awaitLook(is func(s ports.Seen) bool) {
	for s := b.Store.Seen(); !is(s); s = b.Store.Seen() {
		<-s.Next
	}
}

// testTurns gives a turn to one holder at a time.
func testTurns(b *scoped) {
	t := b.t
	one, two := billing.JobID{1}, billing.JobID{2}
	rest := func(name string, holder billing.JobID, lease time.Duration) time.Duration {
		t.Helper()
		return system(b, func(ctx context.Context, tx ports.SystemTx) (time.Duration, error) {
			return tx.Turns.Take(ctx, name, holder, lease)
		})
	}
	take := func(name string, holder billing.JobID, lease time.Duration) bool {
		return rest(name, holder, lease) == 0
	}
	leave := func(name string, holder billing.JobID) {
		t.Helper()
		b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Turns.Leave(ctx, name, holder) })
	}
	if !take("a", one, time.Hour) || take("a", two, time.Hour) || !take("b", two, time.Hour) {
		t.Error("a turn has two holders, or none")
	}
	if others := rest("a", two, time.Minute); others <= time.Minute || others > time.Hour {
		t.Errorf("another has the turn for %v, want at most the hour that it took", others)
	}
	leave("a", two)
	if take("a", two, time.Hour) {
		t.Error("another's turn was left")
	}
	if !take("a", one, -time.Second) || !take("a", two, time.Hour) { // renewed, and over
		t.Error("a turn whose lease has ended is not free")
	}
	leave("a", two)
	if !take("a", one, time.Hour) {
		t.Error("a turn that was left is not free")
	}
	var seen map[string]time.Time // with the turns of the store itself
	b.awaitLook(func(s ports.Seen) bool {
		seen = s.Turns
		return !seen["a"].IsZero() && !seen["b"].IsZero()
	})
	for _, name := range []string{"a", "b"} {
		end := seen[name]
		if left := time.Until(end); left > time.Hour || left < time.Minute {
			t.Errorf("the lease of %s is seen to end in %v, want at most the hour that it was taken for", name, left)
		}
	}
}
