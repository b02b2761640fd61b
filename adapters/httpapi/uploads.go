package httpapi

import (
	"os"
	"sync"

	"github.com/molar-billing/molar/core/billing"
)

// tally counts what each caller has in progress in this process.
type tally struct {
	mu sync.Mutex
	of map[[16]byte]int
}

func newTally() *tally { return &tally{of: map[[16]byte]int{}} }

// begin counts one more. It returns false if the caller is at the limit.
func (c *tally) begin(caller [16]byte, limit int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[caller] >= limit {
		return false
	}
	c.of[caller]++
	return true
}

func (c *tally) end(caller [16]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of[caller]--; c.of[caller] == 0 {
		delete(c.of, caller)
	}
}

// uploads counts the uploads in progress in this process.
type uploads struct {
	*tally      // arriving or being processed
	arrived int // being processed
}

func newUploads() *uploads { return &uploads{tally: newTally()} }

// arrive counts one more upload whose body has arrived. It returns false at
// the limit.
func (u *uploads) arrive(limit int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.arrived >= limit {
		return false
	}
	u.arrived++
	return true
}

func (u *uploads) leave() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.arrived--
}

// beginUpload holds one of the caller's places until the exchange ends. Nothing
// of the body has been read yet.
func (x *exchange) beginUpload() error {
	if !x.s.uploads.begin(x.caller.Number(), x.s.limits.KeyUploads) {
		return &billing.Error{Code: billing.CodeTooManyRequests, Message: "This API key has the maximum number of uploads in progress. Wait for one to finish."}
	}
	x.atEnd = append(x.atEnd, func() { x.s.uploads.end(x.caller.Number()) })
	return nil
}

// readUpload reads the form, and then holds one of the places for arrived
// uploads until the exchange ends. Uploads that are still arriving hold none,
// so that slow clients do not block the others.
func (x *exchange) readUpload() (err error) {
	if x.upload, err = x.readForm(); err != nil {
		return err
	}
	if !x.s.uploads.arrive(x.s.limits.ArrivedUploads) {
		return &billing.Error{Code: billing.CodeTooManyRequests, Message: "The service is handling as many uploads as it can. Send the upload again soon."}
	}
	x.atEnd = append(x.atEnd, x.s.uploads.leave)
	return nil
}

// tempFile opens a file that is deleted when the exchange ends. The file has
// no name, so even a killed process leaves nothing behind.
func (x *exchange) tempFile() (*os.File, error) {
	f, err := os.CreateTemp(x.s.tempDir, "molar-upload-*") // for the owner alone
	if err != nil {
		return nil, billing.StorageUnavailable(err)
	}
	x.atEnd = append(x.atEnd, func() { _ = f.Close() })
	return f, os.Remove(f.Name())
}
