package recovery

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/ports"
)

// Report compares the database with the blob store.
type Report struct {
	Have restore.Numbers  // of the database
	Want restore.Numbers  // of the copies; at least those of the database
	Open *restore.Restore // that is not resumed; nil if there is none

	Newer []Copies // live files that the database does not know, by their numbers

	Unnamed []billing.DocumentID // images without rows, of those that are older than running requests
	Missing []billing.DocumentID // rows without images
}

// Copies are the copies of one live file.
type Copies struct {
	Number int64
	Sent   *restore.SentFile      // nil for a file from a clearinghouse
	Parts  []restore.ReceivedPart // without contents, from the first on; none for a sent file
	Whole  bool                   // all of the file is there; a download may have been under way
}

// Check compares the database with the blob store. It changes nothing.
func (s *Service) Check(ctx context.Context) (r *Report, err error) {
	if r, err = s.compare(ctx); err != nil {
		return nil, err
	}
	return r, s.images(ctx, r)
}

// compare reads the numbers of both, and the copies of live files that the database does
// not know. While the service works, a number may be given out before its copy is read.
func (s *Service) compare(ctx context.Context) (*Report, error) {
	before, err := s.numbers(ctx)
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if r.Newer, r.Want, err = s.copies(ctx, before.LiveFile); err != nil {
		return nil, err
	}
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		if r.Have, err = tx.Restores.Numbers(ctx); err != nil {
			return err
		}
		r.Open, err = tx.Restores.Open(ctx)
		return err
	})
	r.Newer = slices.DeleteFunc(r.Newer, func(c Copies) bool { return c.Number <= r.Have.LiveFile })
	r.Want = r.Want.Max(r.Have)
	return r, err
}

// copies reads the copies of live files with numbers above the given one, and the highest
// numbers that were given out by then.
func (s *Service) copies(ctx context.Context, above int64) (all []Copies, highest restore.Numbers, err error) {
	names := map[int64][]string{}
	err = s.each(ctx, above, func(n int64, blob ports.BlobInfo) { names[n] = append(names[n], blob.Name) })
	if err != nil {
		return nil, highest, err
	}
	for n, of := range names {
		c := Copies{Number: n}
		given, err := s.describe(ctx, &c, of)
		if err != nil {
			return nil, highest, err
		}
		all, highest = append(all, c), highest.Max(given)
	}
	slices.SortFunc(all, func(a, b Copies) int { return cmp.Compare(a.Number, b.Number) })
	return all, highest, nil
}

// describe reads the copies of one file, and returns the numbers that were given out when
// they were made.
func (s *Service) describe(ctx context.Context, c *Copies, names []string) (given restore.Numbers, err error) {
	if strings.HasPrefix(names[0], restore.SentFiles) {
		c.Sent, c.Whole = &restore.SentFile{}, true
		err := s.read(ctx, names[0], c.Sent)
		return c.Sent.Numbers, err
	}
	var size int64
	for _, name := range names {
		var p restore.ReceivedPart
		if err := s.read(ctx, name, &p); err != nil {
			return given, err
		}
		if p.Part != len(c.Parts) {
			break
		}
		given = p.Numbers
		size += int64(len(p.Content))
		p.Content = nil
		c.Parts = append(c.Parts, p)
	}
	c.Whole = len(c.Parts) > 0 && size == c.Parts[0].File.Size
	return given, nil
}

// imagesAtOnce is the number of rows per look-up.
const imagesAtOnce = 1000

// images compares the images with their rows. While the service runs, it leaves out images
// and rows that are younger than a request may be.
func (s *Service) images(ctx context.Context, r *Report) error {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	settled := func(id billing.DocumentID) bool {
		return len(r.Newer) > 0 || id.Time().Before(now.Add(-billing.JobMaxLease))
	}
	stored := map[billing.DocumentID]bool{}
	var all []billing.DocumentID
	for blob, err := range s.blobs.List(ctx, attachment.DocumentBlobs) {
		if err != nil {
			return err
		}
		id, err := billing.ParseID[billing.DocumentID](strings.TrimPrefix(blob.Name, attachment.DocumentBlobs))
		if err != nil {
			continue // not ours
		}
		if stored[id] = true; settled(id) {
			all = append(all, id)
		}
	}
	for some := range slices.Chunk(all, imagesAtOnce) {
		err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
			documents, pending, err := tx.Images.Kept(ctx, some)
			named := map[billing.DocumentID]bool{}
			for _, id := range append(documents, pending...) {
				named[id] = true
			}
			for _, id := range some {
				if !named[id] {
					r.Unnamed = append(r.Unnamed, id)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for last := (billing.DocumentID{}); ; {
		var rows []billing.DocumentID
		err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
			rows, err = tx.Images.After(ctx, last, imagesAtOnce)
			return err
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, id := range rows {
			if last = id; !stored[id] && settled(id) {
				r.Missing = append(r.Missing, id)
			}
		}
	}
}
