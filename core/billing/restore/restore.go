// Package restore has what a restored database learns from: the copies of live files in
// the blob store, their numbers, and the restores.
package restore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// The beginnings of the names of blobs.
const (
	SentFiles     = "files/out/"       // live files, before they leave
	ReceivedFiles = "files/in/"        // live files, before they can be removed at their network
	Begun         = "files/restores/"  // a blob for each restore
	Deletions     = "files/deletions/" // a caller.Deletion for each organization whose deletion was asked for
	Erasures      = "files/erasures/"  // a directory.Erasure for each patient whose erasure has begun
)

// Retention is how long copies of files are kept: no older backup can be restored without
// a loss.
const Retention = 90 * 24 * time.Hour

// Numbers are the highest numbers given out.
type Numbers struct {
	LiveFile   int64 // of live files, sent or received
	Batch      int64 // of batches in both modes: ISA13, GS06 and ST02
	Attachment int64 // of attachments in both modes
}

// Max returns the higher ones.
func (n Numbers) Max(m Numbers) Numbers {
	return Numbers{max(n.LiveFile, m.LiveFile), max(n.Batch, m.Batch), max(n.Attachment, m.Attachment)}
}

// Past is how far the numbers of batches and attachments jump past those of the copies,
// because files and attachments of test mode leave no copy.
const Past = 100_000

// SentFile is the copy of a live batch as it was when its file was about to leave.
type SentFile struct {
	Numbers Numbers
	At      time.Time // by the database's clock
	Batch   clearing.Batch
	Claims  []*claim.Claim
	Content []byte
}

// Name returns the name of its blob.
func (f *SentFile) Name() string { return name(SentFiles, f.Numbers.LiveFile, f.Batch.ID, 0) }

// ReceivedPart is the copy of a part of a live file from a clearinghouse.
type ReceivedPart struct {
	Numbers Numbers
	Part    int // from 0
	File    clearing.ReceivedFile
	Content []byte
}

// Name returns the name of its blob.
func (p *ReceivedPart) Name() string {
	return name(ReceivedFiles, p.Numbers.LiveFile, p.File.ID, p.Part)
}

func name(prefix string, number int64, id billing.FileID, part int) string {
	return fmt.Sprintf("%s%012d-%s-%04d", prefix, number, id, part)
}

// Above returns what comes before the names of all copies with higher numbers, and after
// those of the others.
func Above(prefix string, number int64) string { return fmt.Sprintf("%s%012d~", prefix, number) }

// NumberOf returns the number of the live file whose copy has the name. It returns false
// for any other name.
func NumberOf(blob string) (int64, bool) {
	rest, out := strings.CutPrefix(blob, SentFiles)
	rest, in := strings.CutPrefix(rest, ReceivedFiles)
	digits, _, _ := strings.Cut(rest, "-")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && (out || in)
}

// Restore is one return of the database to an earlier state.
type Restore struct {
	ID        billing.RestoreID
	BegunAt   time.Time
	ResumedAt time.Time       // zero while live claims and webhooks wait
	LiveFile  int64           // the highest number that the database had
	Replayed  int64           // the highest number of the live files that were replayed; zero until all are
	Lacked    []billing.JobID // the claims and received files that it did not have, by the bytes of their IDs
}

// Lacks reports whether the database lacked a claim or a received file.
func (r *Restore) Lacks(id [16]byte) bool { return slices.Contains(r.Lacked, billing.JobID(id)) }

// Fate is what became of a claim in the copy of a sent file.
type Fate string

// The fates.
const (
	Known     Fate = "known"     // the database has it, and now knows that it was sent
	Recovered Fate = "recovered" // the database lacked it, and has it again from the copy
	Lost      Fate = "lost"      // the database lacks it, and its office, its provider or the claim that it follows
)

// FateOf returns what became of a claim that the database now has, or not.
func (r *Restore) FateOf(c *claim.Claim, there bool) Fate {
	switch {
	case !there:
		return Lost
	case r.Lacks(c.ID):
		return Recovered
	}
	return Known
}
