package httpapi

import (
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
)

// form reads the parts of a multipart/form-data body by name, as an object
// reads the fields of a JSON object: what is of the wrong kind, or has a name
// that nobody asked for, becomes a fault, and what is missing reads as the zero
// value. The file and its content are there until the operation returns.
type form struct {
	parts  []*part
	faults billing.Faults // of the form itself
	broken bool           // parts are only those before the fault

	into  *billing.Faults
	taken []string
}

// form reads the body of an upload. It adds to the faults what is wrong with the
// query, where uploads have no parameters, and with the form itself.
func (x *exchange) form(faults *billing.Faults) *form {
	x.noQuery(faults)
	f := x.upload
	f.into = faults
	for _, fault := range f.faults {
		faults.Add(fault.Field, fault.Code, fault.Message)
	}
	return f
}

func (f *form) find(name string) *part {
	if i := slices.IndexFunc(f.parts, func(p *part) bool { return p.name == name }); i >= 0 {
		return f.parts[i]
	}
	return nil
}

func (f *form) take(name string) *part {
	f.taken = append(f.taken, name)
	return f.find(name)
}

// text is the text of the part, or "" when it is missing.
func (f *form) text(name string) string {
	p := f.take(name)
	switch {
	case p == nil:
	case p.isFile || p.content != nil:
		f.into.Add(name, billing.FaultType, "The value is text: send it without a file name.")
	case !utf8.Valid(p.text) || slices.Contains(p.text, 0):
		f.into.Add(name, billing.FaultFormat, "The value is text in UTF-8, without U+0000.")
	default:
		return string(p.text)
	}
	return ""
}

// optionalText is the text of the part, or nil when it is missing or empty: a
// form has no null, and browsers send a part for what was not filled in.
func (f *form) optionalText(name string) *string {
	if s := f.text(name); s != "" {
		return &s
	}
	return nil
}

// formFile is a file as a client sent it.
type formFile struct {
	name    string // in a form that is safe to show; never empty
	size    int64  // bytes
	content *io.SectionReader
}

// file is the part file; when there is none, that is a fault.
func (f *form) file() *formFile {
	p := f.take(filePart)
	if p == nil {
		f.into.Add(filePart, billing.FaultRequired, "A file is required.")
		return nil
	}
	return &formFile{cleanFileName(p.fileName), p.size, io.NewSectionReader(p.content, 0, p.size)}
}

// end tells of the parts that nobody asked for.
func (f *form) end() {
	for _, p := range f.parts {
		if !slices.Contains(f.taken, p.name) {
			f.into.Add(p.name, billing.FaultUnknown, "The operation does not know the part.")
		}
	}
}

// maxFileName is how many characters of a file name are kept.
const maxFileName = 255

// cleanFileName is the last part of a path of whatever system, without control
// characters and those that turn the direction of text, which can make a name
// look like another. What is not UTF-8 becomes U+FFFD.
func cleanFileName(path string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, path[strings.LastIndexAny(path, `/\`)+1:])
	if strings.TrimSpace(name) == "" {
		return filePart
	}
	return firstRunes(name, maxFileName)
}
