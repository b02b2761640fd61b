package httpapi

import (
	"crypto/md5"
	"hash"
	"os"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver"
	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
)

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
	if x.upload, err = x.req.Form(x.s.limits.Upload, x.openFile); err != nil {
		return err
	}
	var all [16]byte // callers have one count
	if !x.s.arrived.begin(all, x.s.limits.ArrivedUploads) {
		return &billing.Error{Code: billing.CodeTooManyRequests, Message: "The service is handling as many uploads as it can. Send the upload again soon."}
	}
	x.atEnd = append(x.atEnd, func() { x.s.arrived.end(all) })
	return nil
}

// form reads the body of an upload. It adds the faults of the query, where
// uploads have no parameters, and of the form itself.
func (x *exchange) form(faults *billing.Faults) *httpserver.Form {
	x.noQuery(faults)
	x.upload.ReadInto(faults)
	return x.upload
}

// openFile opens the file of an upload, which is deleted when the exchange ends.
// It has no name, so even a killed process leaves nothing behind.
func (x *exchange) openFile() (httpserver.File, error) {
	f, err := os.CreateTemp(x.s.tempDir, "molar-upload-*") // for the owner alone
	if err != nil {
		return nil, billing.StorageUnavailable(err)
	}
	x.atEnd = append(x.atEnd, func() { _ = f.Close() })
	x.file = &uploadedFile{File: f, md5: md5.New()}
	return x.file, os.Remove(f.Name())
}

// uploadedFile is the file of an upload.
type uploadedFile struct {
	*os.File
	md5   hash.Hash // of a PNG
	begun bool
	isPNG bool
}

// Write adds to the file. The first piece is large enough to show what the file
// is.
func (u *uploadedFile) Write(b []byte) (int, error) {
	if !u.begun {
		u.begun, u.isPNG = true, attachment.SniffImage(b) == attachment.FormatPNG
	}
	if u.isPNG {
		u.md5.Write(b)
	}
	n, err := u.File.Write(b)
	if err != nil {
		err = billing.StorageUnavailable(err)
	}
	return n, err
}

// sums returns the digests of the file as it was sent.
func (x *exchange) sums(sent *httpserver.FormFile) attachments.Sums {
	return attachments.Sums{SHA256: sent.SHA256, MD5: [md5.Size]byte(x.file.md5.Sum(nil))}
}
