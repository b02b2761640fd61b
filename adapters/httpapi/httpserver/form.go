package httpserver

import (
	"crypto/sha256"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
)

// Form reads the parts of a multipart/form-data body by name, as the API reads
// the fields of a JSON object. A part of the wrong kind, or with an unknown
// name, becomes a fault. A missing part reads as the zero value.
type Form struct {
	parts  []*part
	faults billing.Faults // of the form itself
	broken bool           // parts has only those before the fault

	into  *billing.Faults
	taken []string
}

// ReadInto lets faults have the faults of the form itself, and those of the
// parts that are read from now on.
func (f *Form) ReadInto(faults *billing.Faults) {
	f.into = faults
	for _, fault := range f.faults {
		faults.Add(fault.Field, fault.Code, fault.Message)
	}
}

func (f *Form) find(name string) *part {
	if i := slices.IndexFunc(f.parts, func(p *part) bool { return p.name == name }); i >= 0 {
		return f.parts[i]
	}
	return nil
}

func (f *Form) take(name string) *part {
	f.taken = append(f.taken, name)
	return f.find(name)
}

// Text returns the text of the part, or "" if it is missing.
func (f *Form) Text(name string) string {
	p := f.take(name)
	switch {
	case p == nil:
	case p.isFile:
		f.into.Add(name, billing.FaultType, "The value must be text. Send the part without a file name.")
	case !utf8.Valid(p.text) || slices.Contains(p.text, 0):
		f.into.Add(name, billing.FaultFormat, "The value must be UTF-8 text without U+0000.")
	default:
		return string(p.text)
	}
	return ""
}

// OptionalText returns the text of the part, or nil if it is missing or empty.
// A form has no null, and browsers send an empty part for an empty field.
func (f *Form) OptionalText(name string) *string {
	if s := f.Text(name); s != "" {
		return &s
	}
	return nil
}

// FormFile is a file as a client sent it.
type FormFile struct {
	Name    string // safe to display; never empty
	Size    int64  // bytes
	Content *io.SectionReader
	SHA256  [sha256.Size]byte
}

// File returns the part file. A missing file is a fault.
func (f *Form) File() *FormFile {
	p := f.take(filePart)
	if p == nil {
		f.into.Add(filePart, billing.FaultRequired, "A file is required.")
		return nil
	}
	return &FormFile{cleanFileName(p.fileName), p.size, io.NewSectionReader(p.content, 0, p.size), p.sum}
}

// End adds a fault for each unknown part.
func (f *Form) End() {
	for _, p := range f.parts {
		if !slices.Contains(f.taken, p.name) {
			f.into.Add(p.name, billing.FaultUnknown, "Unknown part.")
		}
	}
}

// maxFileName limits the stored file name, in characters.
const maxFileName = 255

// cleanFileName returns the last part of a path of any operating system. It
// removes control characters, and those that change the direction of text,
// which can disguise a name. Bytes that are not UTF-8 become U+FFFD.
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
	runes := []rune(name)
	return string(runes[:min(len(runes), maxFileName)])
}
