package attachments_test

import (
	"context"
	"io"
	"iter"

	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

type faultyQueue struct {
	ports.Queue
	*porttest.Fault
}

func (q faultyQueue) Reply(ctx context.Context, address string, subject [16]byte) error {
	return q.Call("Reply", func() error { return q.Queue.Reply(ctx, address, subject) })
}

type faultyBlobs struct {
	ports.Blobs
	*porttest.Fault
}

func (b faultyBlobs) Put(ctx context.Context, name string, blob ports.Blob) error {
	return b.Call("Put", func() error { return b.Blobs.Put(ctx, name, blob) })
}

func (b faultyBlobs) Open(ctx context.Context, name string) (content io.ReadCloser, size int64, err error) {
	err = b.Call("OpenBlob", func() error {
		content, size, err = b.Blobs.Open(ctx, name)
		return err
	})
	if err != nil && content != nil {
		_ = content.Close()
	}
	return content, size, err
}

func (b faultyBlobs) Delete(ctx context.Context, name string) error {
	return b.Call("Delete", func() error { return b.Blobs.Delete(ctx, name) })
}

func (b faultyBlobs) List(ctx context.Context, prefix string) iter.Seq2[ports.BlobInfo, error] {
	return b.Blobs.List(ctx, prefix)
}

type faultyNetwork struct {
	ports.AttachmentNetwork
	*porttest.Fault
}

func (n faultyNetwork) Open(ctx context.Context, t attachment.Transmission) error {
	return n.Call("Open", func() error { return n.AttachmentNetwork.Open(ctx, t) })
}

func (n faultyNetwork) Add(ctx context.Context, number string, d *attachment.Document, content io.Reader) error {
	return n.Call("Add", func() error { return n.AttachmentNetwork.Add(ctx, number, d, content) })
}

func (n faultyNetwork) Commit(ctx context.Context, number string) error {
	return n.Call("Commit", func() error { return n.AttachmentNetwork.Commit(ctx, number) })
}
