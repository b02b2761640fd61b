package molar

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"os"
	"path/filepath"
)

// Upload is a file to send: [File], [Bytes] or [Stream].
type Upload struct {
	open   func() (content io.ReadCloser, size int64, err error) // the size is -1 if it is not known
	name   string
	single bool // its content cannot be read again
	tell   func(sent, total int64)
}

// File sends a file of this machine.
func File(path string) *Upload {
	return &Upload{name: filepath.Base(path), open: func() (io.ReadCloser, int64, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, 0, err
		}
		of, err := f.Stat()
		if err != nil {
			return nil, 0, errors.Join(err, f.Close())
		}
		return f, of.Size(), nil
	}}
}

// Bytes sends a file that is in memory.
func Bytes(name string, b []byte) *Upload {
	return &Upload{name: name, open: func() (io.ReadCloser, int64, error) {
		return io.NopCloser(bytes.NewReader(b)), int64(len(b)), nil
	}}
}

// Stream sends what a reader has. It is sent once: if the connection breaks, the error says whether the service may have it.
func Stream(name string, r io.Reader) *Upload {
	return &Upload{name: name, single: true, open: func() (io.ReadCloser, int64, error) { return io.NopCloser(r), -1, nil }}
}

// Progress tells a function how much of the file was sent; total is -1 if it is not known.
func (u *Upload) Progress(tell func(sent, total int64)) *Upload {
	u.tell = tell
	return u
}

// formOf returns the form of an upload. The length is known if that of the file is.
func formOf(u *Upload, fields any) (*payload, error) {
	var head bytes.Buffer
	w := multipart.NewWriter(&head)
	if fields != nil {
		b, err := json.Marshal(fields)
		if err != nil {
			return nil, err
		}
		values := map[string]*string{}
		if err := json.Unmarshal(b, &values); err != nil {
			return nil, fmt.Errorf("molar: a field beside a file is a text: %w", err)
		}
		for name, value := range values {
			if value != nil {
				_ = w.WriteField(name, *value) // a buffer does not fail
			}
		}
	}
	_, _ = w.CreateFormFile("file", u.name) // a buffer does not fail
	tail := "\r\n--" + w.Boundary() + "--\r\n"
	p := &payload{kind: w.FormDataContentType(), length: -1, once: u.single}
	p.open = func() (io.Reader, error) {
		content, size, err := u.open()
		if err != nil {
			return nil, err
		}
		if size >= 0 {
			p.length = int64(head.Len()) + size + int64(len(tail))
		}
		told := &told{ReadCloser: content, total: size, tell: u.tell}
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head.Bytes()), told, bytes.NewReader([]byte(tail))), content}, nil
	}
	return p, nil
}

// told tells how much of it was read.
type told struct {
	io.ReadCloser
	sent, total int64
	tell        func(sent, total int64)
}

// unreadableError is the error of a file that cannot be read, which is no fault of the connection.
type unreadableError struct{ cause error }

func (e *unreadableError) Error() string { return "molar: the file cannot be read: " + e.cause.Error() }
func (e *unreadableError) Unwrap() error { return e.cause }

// Read reads, and tells.
func (t *told) Read(b []byte) (int, error) {
	n, err := t.ReadCloser.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &unreadableError{err}
	}
	if t.sent += int64(n); n > 0 && t.tell != nil {
		t.tell(t.sent, t.total)
	}
	return n, err
}

// Download is a file of a reply. Close its Body.
type Download struct {
	Body        io.ReadCloser
	ContentType string
	Name        string // empty if the service names none
	Reply       Reply
}

func (c *Client) download(ctx context.Context, of call, options []CallOption) (*Download, error) {
	of.streams = true
	r, body, _, err := c.open(ctx, of, options)
	if err != nil {
		return nil, err
	}
	d := &Download{Body: body, ContentType: r.Header.Get("Content-Type"), Reply: *r}
	if _, params, err := mime.ParseMediaType(r.Header.Get("Content-Disposition")); err == nil {
		d.Name = params["filename"]
	}
	return d, nil
}
