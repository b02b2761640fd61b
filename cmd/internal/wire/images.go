package wire

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/adapters/imagecodec"
	"github.com/molar-billing/molar/adapters/minioblob"
	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/payerrequests"
)

// openAttachments opens the parts for attachments and images.
func (g *graph) openAttachments(ctx context.Context) error {
	s := g.settings
	images, err := imagecodec.New(imagecodec.Options{TempDir: s.TempDir})
	if err != nil {
		return fmt.Errorf("MOLAR_TEMP_DIR: %w", err)
	}
	if err := g.openBlobs(ctx); err != nil {
		return fmt.Errorf("MOLAR_BLOB_URL: %w", err)
	}
	outside := attachments.Outside{
		Queue: g.queue, Blobs: g.blobs, Images: images, Networks: g.networks,
	}
	times := attachments.DefaultTimes()
	times.SendWait, times.ConvertWait, times.Orphan, times.Settled = s.PayerWait, s.PNGWait, s.OrphanAge, s.IdempotencyTTL
	g.attachments = attachments.New(g.store, outside, g.payers, times)
	g.payerRequests = payerrequests.New(g.store, g.networks, g.payers)
	return nil
}

// openBlobs opens the folder or the bucket for images.
func (g *graph) openBlobs(ctx context.Context) error {
	dir, local := strings.CutPrefix(g.settings.BlobURL, "file:")
	if !local {
		bucket, err := minioblob.Open(ctx, minioblob.Options{URL: g.settings.BlobURL, Log: g.log})
		if err != nil {
			return err
		}
		g.blobs = bucket
		g.closers = append(g.closers, func(context.Context) error { bucket.Close(); return nil })
		return nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	folder, err := fileblob.Open(dir)
	if err != nil {
		return err
	}
	g.blobs = folder
	g.closers = append(g.closers, func(context.Context) error { return folder.Close() })
	return nil
}
