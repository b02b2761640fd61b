package httpapi

import (
	"os"
	"sync"

	"github.com/molar-billing/molar/core/billing"
)

// uploads counts the uploads in progress in this process.
type uploads struct {
	mu      sync.Mutex
	ofKey   map[billing.KeyID]int // arriving or being processed
	arrived int                   // being processed
}

func newUploads() *uploads { return &uploads{ofKey: map[billing.KeyID]int{}} }

// begin counts one more upload of the key. It returns false if the key is at
// the limit.
func (u *uploads) begin(key billing.KeyID, limit int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ofKey[key] >= limit {
		return false
	}
	u.ofKey[key]++
	return true
}

func (u *uploads) end(key billing.KeyID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ofKey[key]--; u.ofKey[key] == 0 {
		delete(u.ofKey, key)
	}
}

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

// beginUpload holds one of the key's places until the exchange ends. Nothing
// of the body has been read yet.
func (x *exchange) beginUpload() error {
	if !x.s.uploads.begin(x.key.ID, x.s.limits.KeyUploads) {
		return &billing.Error{Code: billing.CodeTooManyRequests, Message: "This API key has the maximum number of uploads in progress. Wait for one to finish."}
	}
	x.atEnd = append(x.atEnd, func() { x.s.uploads.end(x.key.ID) })
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
