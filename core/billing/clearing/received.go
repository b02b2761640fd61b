package clearing

import (
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// RemoteFile is a file at a clearinghouse, as a listing shows it. Name, size and time are
// a version: a file whose content changes has another one.
type RemoteFile struct {
	Name  string // the clearinghouse's, with every unprintable byte as %XX
	Size  int64
	Time  time.Time // of its last change, in UTC and microseconds
	Rests bool      // it did not change for a while, so its writer has most likely ended
}

// version identifies a version of a file.
type version struct {
	name string
	size int64
	time int64
}

func (f RemoteFile) version() version { return version{f.Name, f.Size, f.Time.UnixMicro()} }

// The errors about one file at a clearinghouse, whose connection works.
var (
	ErrFileGone    = errors.New("the file is no longer there, or is another one")
	ErrFileChanged = errors.New("the file changed while it was read")
)

// FileError is the reason why a clearinghouse's file cannot be read, or not be removed.
type FileError struct{ Err error }

func (e *FileError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *FileError) Unwrap() error { return e.Err }

// OfFile reports whether the error is about one file of a clearinghouse, and not about
// its connection.
func OfFile(err error) bool {
	_, is := errors.AsType[*FileError](err)
	return is || errors.Is(err, ErrFileGone) || errors.Is(err, ErrFileChanged)
}

// ReceivedFile is a version of a file at a clearinghouse, and what became of it here.
type ReceivedFile struct {
	ID      billing.FileID
	Network string        // the name of its connection's network
	Scope   billing.Scope // without an organization for a connection of the deployment
	RemoteFile

	State  FileState
	Reason string        // for the operator, without patient data; empty unless there is a problem
	Since  time.Time     // when it got its state
	Listed bool          // the clearinghouse had this version at the last look
	Digest [32]byte      // of the stored content; zero without one
	Tries  int           // of the current step, that were begun and have no end
	Holder billing.JobID // of the last try to download it
}

// FileState is the state of a received file.
type FileState string

// The states of a received file.
const (
	FileFetching FileState = "fetching" // a download has begun
	FileReceived FileState = "received" // all of it is stored, and waits to be applied
	FileApplied  FileState = "applied"  // what it says is stored; the clearinghouse's copy may go
	FilePartial  FileState = "partial"  // stored, but not whole; a later version may be
	FileChanged  FileState = "changed"  // stored, but perhaps of several versions
	FileNotWhole FileState = "not_whole"
	FileRefused  FileState = "refused"   // the clearinghouse does not send it, or it is too large
	FileLost     FileState = "lost"      // gone after its download began
	FileSetAside FileState = "set_aside" // the process died, or the work failed, again and again
)

// HasProblem reports whether the state is one that an operator should know of. A file that
// is not whole is in the quarantine; the others wait for the operator.
func (f *ReceivedFile) HasProblem() bool {
	return f.State == FileNotWhole || f.State == FileRefused || f.State == FileLost || f.State == FileSetAside
}

// The number of tries after which a file is set aside. A download that fails while its
// process lives is no try.
const (
	fetchTries = 3
	applyTries = billing.JobAttempts
)

func (f *ReceivedFile) become(s FileState, reason string, now time.Time) {
	f.State, f.Reason, f.Since, f.Tries = s, reason, now, 0
}

// New reports whether nothing was tried with a file that waits to be applied.
func (f *ReceivedFile) New() bool { return f.Tries == 0 }

// Fetch begins a try to download the file. It sets a file aside, and returns false, when
// three processes died during theirs.
func (f *ReceivedFile) Fetch(holder billing.JobID, now time.Time) bool {
	if f.State == FileFetching && f.Tries >= fetchTries {
		f.become(FileSetAside, fmt.Sprintf("Molar stopped %d times while it downloaded it.", f.Tries), now)
		return false
	}
	if f.State != FileFetching {
		f.become(FileFetching, "", now)
	}
	f.Tries++
	f.Holder, f.Listed = holder, true
	return true
}

// Fetches reports whether the holder's try is the last one.
func (f *ReceivedFile) Fetches(holder billing.JobID) bool {
	return f.Holder == holder && (f.State == FileFetching || f.State == FileLost)
}

// Yield ends a try to download the file that failed while its process lives.
func (f *ReceivedFile) Yield(why error, now time.Time) {
	f.Tries = 0
	if refused, is := errors.AsType[*FileError](why); is {
		f.become(FileRefused, "It cannot be downloaded: "+refused.Error()+".", now)
	}
}

// Keep records that all of the file is stored. One that changed while it was read is not
// whole.
func (f *ReceivedFile) Keep(digest [32]byte, changed bool, now time.Time) {
	f.become(FileReceived, "", now)
	if f.Digest = digest; changed {
		f.become(FileChanged, "It changed while it was read.", now)
	}
}

const failedToApply = "Molar failed several times to apply it; the log has the reason."

// Apply begins a try to apply the file. It sets a file aside, and returns false, when too
// many have failed.
func (f *ReceivedFile) Apply(now time.Time) bool {
	if f.Tries >= applyTries {
		f.become(FileSetAside, failedToApply, now)
		return false
	}
	f.Tries++
	return true
}

// SetAside records that the work on the file fails. It returns false if that was never
// tried.
func (f *ReceivedFile) SetAside(now time.Time) bool {
	if f.State == FileReceived && f.Tries > 0 {
		f.become(FileSetAside, failedToApply, now)
	}
	return f.State != FileReceived
}

// Applied records that what the file says is stored.
func (f *ReceivedFile) Applied(now time.Time) { f.become(FileApplied, "", now) }

// Waits reports whether the file waits for a later version.
func (f *ReceivedFile) Waits() bool { return f.State == FilePartial || f.State == FileChanged }

// Partial records that the file is not whole.
func (f *ReceivedFile) Partial(why error, now time.Time) {
	f.become(FilePartial, "It is not whole: "+why.Error()+".", now)
}

// Rested reports whether a file that is not whole has waited long enough for a later
// version, and otherwise until when it waits.
func (f *ReceivedFile) Rested(now time.Time) (until time.Time, rested bool) {
	until = f.Since.Add(billing.FilePartialRest)
	return until, !now.Before(until)
}

// NotWhole records that no later version of a file that is not whole has come.
func (f *ReceivedFile) NotWhole(now time.Time) {
	f.become(FileNotWhole, f.Reason+" It is in the quarantine, and the clearinghouse's copy stays.", now)
}

// Again lets a file be applied once more. It returns false without a stored content.
func (f *ReceivedFile) Again(now time.Time) bool {
	if f.Digest == [32]byte{} {
		return false
	}
	f.become(FileReceived, "", now)
	return true
}

// Incoming returns the file with its content, as it came.
func (f *ReceivedFile) Incoming(content []byte) IncomingFile {
	in := IncomingFile{Name: f.Name, Content: content}
	if !f.Scope.Org.IsZero() {
		in.Scope = f.Scope
	}
	return in
}

// Inbox is what a look at the files of a clearinghouse shows.
type Inbox struct {
	Fetch    []*ReceivedFile // to download, the oldest first
	Remove   []*ReceivedFile // to remove there
	Gone     []*ReceivedFile // are no longer there
	Replaced []*ReceivedFile // those whose place another version has taken
}

// LookAt compares the files that a clearinghouse has, the oldest first, with those that
// it had at the last look.
func LookAt(there []RemoteFile, known []*ReceivedFile, now time.Time) (i Inbox) {
	had, names := map[version]*ReceivedFile{}, map[string]bool{}
	for _, k := range known {
		had[k.version()] = k
	}
	for _, f := range there {
		names[f.Name] = true
		k := had[f.version()]
		delete(had, f.version())
		switch {
		case !f.Rests:
		case k == nil:
			i.Fetch = append(i.Fetch, &ReceivedFile{RemoteFile: f})
		case k.State == FileFetching, k.State == FileRefused && now.Sub(k.Since) >= billing.FileRefusedRetry:
			i.Fetch = append(i.Fetch, k)
		case k.State == FileApplied:
			i.Remove = append(i.Remove, k)
		}
	}
	for _, k := range had {
		if names[k.Name] {
			i.Replaced = append(i.Replaced, k)
		} else {
			i.Gone = append(i.Gone, k)
		}
	}
	return i
}

// Gone records that the clearinghouse no longer has this version. It reports whether
// there is more to know of it: its content is stored, or it is lost. One whose place
// another version has taken is not lost, and nothing of it matters unless it was whole.
func (f *ReceivedFile) Gone(replaced bool, now time.Time) (known bool) {
	f.Listed = false
	switch {
	case f.State == FilePartial || f.State == FileNotWhole:
		return !replaced
	case f.Digest != [32]byte{}:
		return true
	case replaced:
		return false
	}
	f.become(FileLost, "It is gone from the clearinghouse, and Molar does not have all of it.", now)
	return true
}
