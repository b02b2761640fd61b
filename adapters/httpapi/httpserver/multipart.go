package httpserver

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

const (
	filePart    = "file" // the only part that is stored in a file
	maxParts    = 20
	maxHeaders  = 16       // lines of a part's header
	headerLimit = 8 << 10  // bytes of a part's header
	maxBoundary = 70       // characters (RFC 2046, section 5.1.1)
	fileBuffer  = 64 << 10 // bytes of the file in memory at once
)

// FormLimit is the maximum number of bytes of a form without its file, headers
// and boundaries included.
const FormLimit = 64 << 10

// File is where the part file is kept. It lasts as long as the request.
type File interface {
	io.Writer
	io.ReaderAt
}

// part is one part of a form as it was sent.
type part struct {
	name     string
	isFile   bool // the part has a file name, which may be empty
	fileName string
	size     int64
	sum      [sha256.Size]byte
	content  File   // of the part file
	text     []byte // of any other part
}

// brokenFormError is the error for a body that is not a form.
type brokenFormError struct {
	code    billing.FaultCode
	message string
}

func (b *brokenFormError) Error() string { return b.message }

// Form reads the body as multipart/form-data, of limit bytes at most. Faults of
// the form go into its faults. An error means that the body did not arrive, is
// too large, or found no place in the file. It has priority, so even a broken
// form is read to its end.
func (r *Request) Form(limit int, file func() (File, error)) (*Form, error) {
	body := r.Body(limit)
	f := &Form{}
	lines := r.Values("Content-Type")
	if boundary, ok := boundaryOf(lines); ok {
		if err := f.read(body, boundary, file); err != nil {
			return nil, err
		}
	} else {
		code := billing.FaultFormat
		if len(lines) == 0 || lines[0] == "" {
			code = billing.FaultRequired
		}
		f.faults.Add("Content-Type", code, "Send the body as multipart/form-data, with its boundary.")
		f.breakOff(&brokenFormError{billing.FaultFormat, "The body cannot be read as a form."})
	}
	_, err := io.Copy(io.Discard, body)
	return f, err
}

// boundaryOf returns the boundary of the Content-Type lines.
func boundaryOf(lines []string) (boundary string, ok bool) {
	if len(lines) != 1 {
		return "", false
	}
	kind, params, err := mime.ParseMediaType(lines[0])
	boundary = params["boundary"]
	return boundary, err == nil && kind == "multipart/form-data" && boundary != "" && len(boundary) <= maxBoundary
}

// read reads the form up to its last boundary. The body may continue after it.
func (f *Form) read(body io.Reader, boundary string, file func() (File, error)) error {
	src := &formSource{body: &headerTabs{from: body, dash: "--" + boundary}, last: "\r\n"}
	parts := multipart.NewReader(src, boundary)
	err := f.readParts(parts, src, file)
	if src.err != nil {
		return src.err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = &brokenFormError{billing.FaultFormat, "The form ends before its last boundary."}
	}
	if broken, ok := errors.AsType[*brokenFormError](err); ok {
		f.breakOff(broken)
		return nil
	}
	return err
}

// breakOff records that the body is not a form.
func (f *Form) breakOff(why *brokenFormError) {
	f.broken = true
	f.faults.Add("", why.code, why.message)
}

func (f *Form) readParts(parts *multipart.Reader, src *formSource, file func() (File, error)) error {
	for {
		in, err := parts.NextRawPart()
		switch {
		case err == io.EOF: //nolint:errorlint // a wrapped one means that a part was cut short
			return nil
		case err != nil:
			return noPart(err)
		case len(f.parts) == maxParts:
			return &brokenFormError{billing.FaultTooMany, "A form may have at most " + strconv.Itoa(maxParts) + " parts."}
		}
		p, err := newPart(in.Header)
		if err != nil {
			return err
		}
		if encoding := in.Header.Get("Content-Transfer-Encoding"); !isIdentity(encoding) {
			f.faults.Add(p.name, billing.FaultNotAllowed, "Send the part without a Content-Transfer-Encoding.")
		}
		if f.find(p.name) != nil {
			f.faults.Add(p.name, billing.FaultConflict, "Duplicate part. Send it once.")
		} else if p.name == filePart {
			if p.content, err = file(); err != nil {
				return err
			}
		}
		if err := p.read(in, src); err != nil {
			return err
		}
		f.parts = append(f.parts, p)
	}
}

// noPart is the error when mime/multipart cannot read a part, unless the
// source stopped it. It replaces the package's own errors, because they quote
// the body.
func noPart(err error) error {
	if _, stopped := errors.AsType[*brokenFormError](err); stopped || errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if errors.Is(err, multipart.ErrMessageTooLarge) {
		return longHeader()
	}
	return &brokenFormError{billing.FaultFormat, "The form is not valid: a part is missing, or its header cannot be read."}
}

// newPart reads the header of a part.
func newPart(h textproto.MIMEHeader) (*part, error) {
	if n, size := measure(h); n > maxHeaders || size > headerLimit {
		return nil, longHeader()
	}
	lines := h["Content-Disposition"]
	if len(lines) != 1 {
		return nil, &brokenFormError{billing.FaultFormat, "Each part must have exactly one Content-Disposition."}
	}
	kind, params, err := mime.ParseMediaType(lines[0])
	if err != nil || kind != "form-data" || params["name"] == "" {
		return nil, &brokenFormError{billing.FaultFormat, "The Content-Disposition of each part must be form-data, with a name."}
	}
	p := &part{name: params["name"]}
	p.fileName, p.isFile = params["filename"]
	return p, nil
}

func longHeader() error {
	return &brokenFormError{billing.FaultTooLong, "A part may have at most 16 headers, of 8 KiB together."}
}

// measure returns the lines and the bytes of a header.
func measure(h textproto.MIMEHeader) (lines, size int) {
	for name, values := range h {
		for _, v := range values {
			lines, size = lines+1, size+len(name)+len(": ")+len(v)+len("\r\n")
		}
	}
	return lines, size
}

// isIdentity reports whether the transfer encoding leaves the content
// unchanged.
func isIdentity(encoding string) bool {
	return encoding == "" || slices.ContainsFunc([]string{"binary", "8bit", "7bit"}, func(identity string) bool {
		return strings.EqualFold(encoding, identity)
	})
}

// read reads the content of the part, into its file if it has one.
func (p *part) read(in io.Reader, src *formSource) (err error) {
	sum := sha256.New()
	if p.content != nil {
		src.inFile = true
		p.size, err = spool(io.MultiWriter(p.content, sum), in)
		src.inFile, src.file = false, p.size
	} else {
		var text bytes.Buffer
		p.size, err = io.Copy(io.MultiWriter(&text, sum), in)
		p.text = text.Bytes()
	}
	p.sum = [sha256.Size]byte(sum.Sum(nil))
	return err
}

// spool copies in large pieces, to write less often.
func spool(to io.Writer, from io.Reader) (int64, error) {
	out := bufio.NewWriterSize(to, fileBuffer)
	n, err := io.Copy(out, from)
	return n, errors.Join(err, out.Flush())
}

// Meaning returns the bytes that the fingerprint of a form covers. They depend
// on neither its boundary nor the order of its parts. A broken form is rejected
// and never stored, so its meaning only has to differ from all others.
func (f *Form) Meaning() []byte {
	if f.broken {
		return []byte("broken:")
	}
	sorted := slices.SortedFunc(slices.Values(f.parts), func(a, b *part) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.fileName, b.fileName), bytes.Compare(a.sum[:], b.sum[:]))
	})
	meaning := []byte("form:")
	for _, p := range sorted {
		meaning = strconv.AppendQuote(meaning, p.name)
		if p.isFile {
			meaning = strconv.AppendQuote(append(meaning, ';'), p.fileName)
		}
		meaning = append(append(meaning, '='), p.sum[:]...)
	}
	return meaning
}

// formSource is the body as mime/multipart reads it.
type formSource struct {
	body   io.Reader
	last   string // follows the body
	ended  bool
	err    error // of the body
	read   int64 // bytes
	file   int64 // bytes of those that are the file
	inFile bool
}

// Read adds a line break after the body, which the last boundary need not
// have. It ends with an error and not with io.EOF: to mime/multipart, the end
// of the body within a part's header is the end of the form.
func (s *formSource) Read(b []byte) (int, error) {
	switch {
	case !s.inFile && s.read-s.file > FormLimit:
		return 0, &brokenFormError{billing.FaultTooLong, "A form may have at most 64 KiB besides its file."}
	case s.ended && s.last == "":
		return 0, io.ErrUnexpectedEOF
	case s.ended:
		n := copy(b, s.last)
		s.last = s.last[n:]
		return n, nil
	}
	n, err := s.body.Read(b)
	s.read += int64(n)
	if s.ended = errors.Is(err, io.EOF); !s.ended {
		s.err = err
	}
	return n, s.err
}
