package clearinghouse

import (
	"bytes"
	"io"
	"mime/multipart"
	"strings"
)

// readMIME reads a request of the form multipart/form-data. The names of parts count
// without case, and in any order.
func readMIME(body io.Reader, boundary string) (*envelope, error) {
	const maxParts = 32
	var e envelope
	names := map[string]string{"username": "UserName", "password": "Password"}
	for _, name := range requestFields {
		names[strings.ToLower(name)] = name
	}
	r := multipart.NewReader(body, boundary)
	for range maxParts {
		p, err := r.NextPart()
		if err == io.EOF { //nolint:errorlint // a body that ends too early returns another error, which wraps it
			return &e, nil
		}
		if err != nil {
			return nil, errBadMultipart
		}
		content, err := io.ReadAll(p)
		if err != nil {
			return nil, errBadMultipart
		}
		if to := e.field(names[strings.ToLower(p.FormName())]); to != nil {
			*to = strings.TrimSpace(string(content))
		}
	}
	return nil, errBadMultipart
}

// writeMIME returns a reply and its content type.
func writeMIME(e *envelope) (body []byte, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, name := range replyFields {
		_ = w.WriteField(name, *e.field(name)) // a bytes.Buffer never fails
	}
	_ = w.Close()
	return b.Bytes(), w.FormDataContentType()
}
