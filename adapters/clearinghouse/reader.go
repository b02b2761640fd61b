package clearinghouse

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// The times of the reader.
const (
	pollEvery   = 200 * time.Millisecond
	surveyEvery = time.Second
	takeFor     = 500 * time.Millisecond // then messages that are due are delivered first

	// settled is how long a file that does not end like X12 must be unchanged: an
	// upload may have been cut, and may continue.
	settled = 10 * time.Second
)

// receivedFile is the log of files that were taken.
const receivedFile = "received.log"

// reader takes files out of inbound, gives them to the sandbox, and delivers its
// messages to outbound.
type reader struct {
	folder  *folder
	account *account
	mail    *mail
	network *sandboxnet.Clearinghouse
	now     func() time.Time
	settled time.Duration
	faults  Faults
	log     *slog.Logger

	seen     map[string]sighting  // what was in inbound at the last poll
	early    map[string]time.Time // when messages that are there in another form become right
	surveyed time.Time
	received *os.File
}

// sighting is a file as a poll saw it.
type sighting struct {
	size    int64
	changed time.Time // its modification time
	since   time.Time // the first poll that saw it so
}

// run polls until ctx ends. An error of one poll is logged, and the next one tries
// again.
func (r *reader) run(ctx context.Context) error {
	if err := r.recover(); err != nil {
		return err
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if err := r.poll(ctx); err != nil && ctx.Err() == nil {
			r.log.ErrorContext(ctx, "the folders could not be read; trying again", "error", withoutPath(err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// withoutPath returns the cause of an error without the name of a file, which a
// client chose.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	return err
}

func (r *reader) poll(ctx context.Context) error {
	now := r.now()
	if now.Sub(r.surveyed) >= surveyEvery {
		if err := r.account.survey(); err != nil {
			return err
		}
		r.surveyed = now
	}
	// Files that a killed process took come first.
	if err := r.finishAll(ctx); err != nil {
		return err
	}
	if err := r.takeAll(ctx, now); err != nil {
		return err
	}
	return r.deliver(ctx, now)
}

// takeAll takes the files of inbound that are complete, the oldest first.
func (r *reader) takeAll(ctx context.Context, now time.Time) error {
	entries, err := fs.ReadDir(r.folder.FS(), inboundFolder)
	if err != nil {
		return err
	}
	seen := make(map[string]sighting, len(entries))
	var steady []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || temporary(e.Name()) {
			continue
		}
		s := sighting{info.Size(), info.ModTime(), now}
		if last, was := r.seen[e.Name()]; was && last.size == s.size && last.changed.Equal(s.changed) {
			s.since = last.since
			steady = append(steady, info)
		}
		seen[e.Name()] = s
	}
	r.seen = seen
	slices.SortFunc(steady, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, info := range steady {
		if ctx.Err() != nil || r.mail.size() >= r.account.limits.waiting || r.now().Sub(now) > takeFor {
			return ctx.Err()
		}
		if now.Sub(seen[info.Name()].since) < r.settled && !r.complete(inboundFolder+"/"+info.Name(), info.Size()) {
			continue
		}
		id := newID(info.Name(), now)
		taken, err := r.account.take(info, func() error {
			return r.folder.Rename(inboundFolder+"/"+info.Name(), spoolFolder+"/"+id)
		})
		if errors.Is(err, fs.ErrNotExist) { // the client removed it
			continue
		}
		if err != nil {
			return err
		}
		if taken {
			if err := r.finish(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// temporary reports whether a name is one that clients give to a file until it is
// complete.
func temporary(name string) bool {
	name = strings.ToLower(name)
	for _, prefix := range []string{".", "~", "temp_", "tmp_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	switch path.Ext(name) {
	case ".tmp", ".temp", ".part", ".partial", ".filepart", ".uploading":
		return true
	default:
		return false
	}
}

// ending matches the end of a whole interchange.
var ending = regexp.MustCompile(`IEA[^A-Za-z0-9]\s*\d+[^A-Za-z0-9]\s*\d+[^A-Za-z0-9][\s\x00]*$`)

// complete reports whether the file ends with the trailer of an interchange.
func (r *reader) complete(name string, size int64) bool {
	f, err := r.folder.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	tail := make([]byte, min(size, 256))
	n, err := f.ReadAt(tail, size-int64(len(tail)))
	return err == nil && ending.Match(tail[:n])
}

// notInName matches what the name of a message must not have.
var notInName = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// newID returns the name under which a file is kept, which begins the names of all
// messages about it: the file's own name, the time, and random characters.
func newID(name string, now time.Time) string {
	const longest = 40
	stem := strings.Trim(notInName.ReplaceAllString(strings.TrimSuffix(name, path.Ext(name)), "-"), "-")
	return cmp.Or(stem[:min(len(stem), longest)], "file") + "-" + now.UTC().Format("20060102150405") + rand.Text()[:8]
}

// finishAll answers the files that were taken and not answered.
func (r *reader) finishAll(ctx context.Context) error {
	spool, err := fs.ReadDir(r.folder.FS(), spoolFolder)
	if err != nil {
		return err
	}
	for _, f := range spool {
		if err := r.finish(ctx, f.Name()); err != nil {
			return err
		}
	}
	return nil
}

// finish puts the messages about a file into the mail, and forgets the file. After a
// crash between these steps it does the same again, which changes nothing.
func (r *reader) finish(ctx context.Context, id string) error {
	size, sum, err := r.weigh(spoolFolder + "/" + id)
	if err != nil {
		return err
	}
	lost := r.faults.strikes(sftpLost)
	if !lost {
		if err := r.reply(ctx, id, size); err != nil {
			return err
		}
	}
	line, err := json.Marshal(struct {
		At     time.Time `json:"at"`
		ID     string    `json:"id"`
		Bytes  int64     `json:"bytes"`
		SHA256 string    `json:"sha256"`
	}{r.now().UTC(), id, size, hex.EncodeToString(sum)})
	if err != nil {
		return err
	}
	if _, err := r.received.Write(append(line, '\n')); err != nil {
		return err
	}
	r.log.InfoContext(ctx, "took a file", "bytes", size, "answered", !lost)
	return r.folder.forget(spoolFolder + "/" + id)
}

// weigh returns the size of a file and its SHA-256.
func (r *reader) weigh(name string) (size int64, sum []byte, err error) {
	f, err := r.folder.Open(name)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return size, h.Sum(nil), err
}

// What the sandbox reads of one file, in memory.
const (
	maxRead   = 32 << 20 // bytes
	maxClaims = 20_000
)

// reply puts the messages about a file into the mail.
func (r *reader) reply(ctx context.Context, id string, size int64) error {
	if size > maxRead {
		return r.report(ctx, id, rejected, "The file has more than 32 MB. Split it.")
	}
	content, err := r.folder.ReadFile(spoolFolder + "/" + id)
	if err != nil {
		return err
	}
	if claimsIn(content) > maxClaims {
		return r.report(ctx, id, rejected, "The file has more than 20,000 claims. Split it.")
	}
	f := clearing.OutgoingFile{Scope: billing.Scope{Mode: billing.ModeTest}, Name: id + ".837", Content: content}
	if err := r.folder.replace(sentFolder+"/"+f.Name, content); err != nil { // for inquiries about claims
		return err
	}
	err = r.network.Send(ctx, f, nil)
	if fault, unreadable := errors.AsType[*x12.Error](err); unreadable {
		return r.report(ctx, id, rejected, "The file is not X12, or has no interchange to reply to: "+fault.Reason+".")
	}
	if err == nil && r.faults.strikes(sftpReports) {
		err = r.report(ctx, id, "STATUS", "The file was received. Its acknowledgements follow.")
	}
	return err
}

// claimsIn estimates the number of claims in a file, without reading it.
func claimsIn(content []byte) int {
	isa := bytes.TrimLeft(content, "\ufeff \t\r\n")
	if len(isa) < 4 {
		return 0
	}
	return bytes.Count(content, append([]byte("CLM"), isa[3]))
}

// rejected is the status in the report about a file that cannot be answered in X12.
const rejected = "REJECTED"

// report puts a text report about a file into the mail.
func (r *reader) report(ctx context.Context, id, what, text string) error {
	now := r.now()
	return r.mail.Put(ctx, []sandboxnet.MailFile{{
		IncomingFile: clearing.IncomingFile{
			Name:    id + "_" + what + ".txt",
			Content: fmt.Appendf(nil, "CLEARINGHOUSE FILE REPORT\r\nFILE: %s\r\nDATE: %s\r\nSTATUS: %s\r\n%s\r\n", id, now.UTC().Format(time.RFC3339), what, text),
		},
		Due: now,
	}})
}
