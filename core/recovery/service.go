// Package recovery lets a deployment continue after its database was restored from a
// backup. Each live file has a number and leaves a copy in the blob store, so the copies
// show what the database has lost. See ADR 123.
package recovery

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of recovery.
type Service struct {
	store  ports.Store
	blobs  ports.Blobs
	sealer ports.Sealer
	replay Replay

	mu       sync.Mutex
	compared bool // the database was once not behind the copies
}

// Replay does again what a live file did. Both store what the database lacked, and may be
// called again with the same file.
type Replay struct {
	// Sent stores that a file left.
	Sent func(ctx context.Context, f *restore.SentFile) error

	// Received stores a file from a clearinghouse, to be applied by its job. Its parts are
	// read one by one, until one is empty.
	Received func(ctx context.Context, f clearing.ReceivedFile, part func(n int) ([]byte, error)) error
}

// New creates the use cases.
func New(store ports.Store, blobs ports.Blobs, sealer ports.Sealer, replay Replay) *Service {
	return &Service{store: store, blobs: blobs, sealer: sealer, replay: replay}
}

// Keep stores the copy of a live file. It does not while the database is behind the copies:
// the file must neither leave nor be removed.
func (s *Service) Keep(ctx context.Context, name string, file any) error {
	s.mu.Lock()
	compared := s.compared
	s.mu.Unlock()
	if !compared {
		if err := s.notBehind(ctx); err != nil {
			return err
		}
	}
	plain, err := json.Marshal(file)
	if err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	if err := s.put(ctx, name, s.sealer.Seal(name, plain)); err != nil {
		return fmt.Errorf("keep the copy %s, without which no live file leaves or is removed: %w", name, err)
	}
	return nil
}

func (s *Service) put(ctx context.Context, name string, content []byte) error {
	return s.blobs.Put(ctx, name, ports.Blob{
		Size: int64(len(content)), MD5: md5.Sum(content), SHA256: sha256.Sum256(content), Content: bytes.NewReader(content),
	})
}

// read reads the copy with the name.
func (s *Service) read(ctx context.Context, name string, file any) error {
	content, size, err := s.blobs.Open(ctx, name)
	if err != nil {
		return fmt.Errorf("read the copy %s: %w", name, err)
	}
	sealed := make([]byte, size)
	_, err = io.ReadFull(content, sealed)
	if e := content.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("read the copy %s: %w", name, err)
	}
	plain, err := s.sealer.Open(name, sealed)
	if err != nil {
		return &sealedError{name, err}
	}
	if err = json.Unmarshal(plain, file); err != nil {
		return fmt.Errorf("read the copy %s: %w", name, err)
	}
	return nil
}

// sealedError is the error of a copy that does not open: it is damaged, or its key is no longer held.
type sealedError struct {
	name  string
	cause error
}

func (e *sealedError) Error() string { return "read the copy " + e.name + ": " + e.cause.Error() }

func (e *sealedError) Unwrap() error { return e.cause }

// Highest returns the highest number of a live file that has a copy, or that the database
// has given out.
func (s *Service) Highest(ctx context.Context) (highest int64, err error) {
	have, err := s.numbers(ctx)
	if highest = have.LiveFile; err == nil {
		err = s.each(ctx, have.LiveFile, func(n int64, _ ports.BlobInfo) { highest = max(highest, n) })
	}
	return highest, err
}

// each calls use for the name of each copy of a live file with a number above the given
// one.
func (s *Service) each(ctx context.Context, above int64, use func(number int64, blob ports.BlobInfo)) error {
	for _, prefix := range []string{restore.SentFiles, restore.ReceivedFiles} {
		for blob, err := range s.blobs.After(ctx, prefix, restore.Above(prefix, above)) {
			if err != nil {
				return fmt.Errorf("list %s: %w", prefix, err)
			}
			if n, ok := restore.NumberOf(blob.Name); ok {
				use(n, blob)
			}
		}
	}
	return nil
}

// notBehind returns an error while the database is behind the copies. It reads the copies
// first: a number is committed before its copy is stored.
func (s *Service) notBehind(ctx context.Context) error {
	highest, err := s.Highest(ctx)
	if err != nil {
		return err
	}
	have, err := s.numbers(ctx)
	if err != nil {
		return err
	}
	if have.LiveFile < highest {
		return fmt.Errorf("%w: the database is at live file %d of %d; run molar restore check", billing.ErrStoreAway, have.LiveFile, highest)
	}
	s.mu.Lock()
	s.compared = true
	s.mu.Unlock()
	return nil
}

func (s *Service) numbers(ctx context.Context) (n restore.Numbers, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		n, err = tx.Restores.Numbers(ctx)
		return err
	})
	return n, err
}

// forgetAtOnce is the number of copies that a call removes.
const forgetAtOnce = 1000

// Forget removes copies after restore.Retention, a limited number a call, and returns how
// many. The last copy of each direction stays, so that the highest number is known.
func (s *Service) Forget(ctx context.Context) (removed int, err error) {
	now, err := s.now(ctx)
	if err != nil {
		return 0, err
	}
	for _, prefix := range []string{restore.SentFiles, restore.ReceivedFiles} {
		old := ""
		for blob, err := range s.blobs.After(ctx, prefix, "") { // the oldest first
			if err == nil && old != "" {
				removed++
				err = s.blobs.Delete(ctx, old)
			}
			if err != nil {
				return removed, err
			}
			if old = blob.Name; removed == forgetAtOnce || !blob.WrittenAt.Before(now.Add(-restore.Retention)) {
				break
			}
		}
	}
	return removed, nil
}

func (s *Service) now(ctx context.Context) (now billing.Real, err error) {
	err = s.store.System(ctx, func(_ context.Context, tx ports.SystemTx) error {
		now = tx.Real.Now()
		return nil
	})
	return now, err
}
