package networktest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports"
)

// Folder makes the files of an inbox come as replies.
type Folder struct {
	Inbox ports.Inbox

	mu   sync.Mutex
	read map[string]received // by name
}

type received struct {
	file   clearing.RemoteFile
	digest [32]byte
}

// Receive reads the files that rest. Those that cannot be read are in the error; those
// that are gone, or changed, come with the next call.
func (f *Folder) Receive(ctx context.Context, limit int) (files []clearing.IncomingFile, err error) {
	there, err := f.Inbox.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range there {
		if !r.Rests || len(files) == limit {
			continue
		}
		content := []byte{}
		switch e := f.Inbox.Read(ctx, r, func(part []byte) error { content = append(content, part...); return nil }); {
		case e == nil:
			f.mu.Lock()
			if f.read == nil {
				f.read = map[string]received{}
			}
			f.read[r.Name] = received{r, sha256.Sum256(content)}
			f.mu.Unlock()
			files = append(files, clearing.IncomingFile{Name: r.Name, Content: content})
		case errors.Is(e, clearing.ErrFileGone), errors.Is(e, clearing.ErrFileChanged):
		case !clearing.OfFile(e):
			return files, e
		default:
			err = errors.Join(err, fmt.Errorf("%s: %w", r.Name, e))
		}
	}
	return files, err
}

// Remove removes a file in the version that was read.
func (f *Folder) Remove(ctx context.Context, name string) error {
	f.mu.Lock()
	r, known := f.read[name]
	f.mu.Unlock()
	if known {
		return f.Inbox.Remove(ctx, r.file, r.digest)
	}
	there, err := f.Inbox.List(ctx)
	for _, r := range there {
		if r.Name == name {
			err = f.Inbox.Remove(ctx, r, [32]byte{})
		}
	}
	return err
}
