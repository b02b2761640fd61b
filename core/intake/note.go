package intake

import (
	"slices"
	"strings"
	"unicode"

	"github.com/molar-billing/molar/core/billing"
)

// maxNote bounds a note about a resource, in characters.
const maxNote = 2000

// AddNoteRequest is a note about a resource, as a caller wrote it.
type AddNoteRequest struct {
	Text   string
	Faults billing.Faults // found when the body was decoded
}

// Parsed validates the request and returns the text.
func (r AddNoteRequest) Parsed() (text string, f billing.Faults) {
	f = slices.Clone(r.Faults)
	return written(&f, "text", r.Text, maxNote), f
}

// StrikeNoteRequest says why a note is struck, as a caller wrote it.
type StrikeNoteRequest struct {
	Reason string
	Faults billing.Faults // found when the body was decoded
}

// Parsed validates the request and returns the reason.
func (r StrikeNoteRequest) Parsed() (reason string, f billing.Faults) {
	f = slices.Clone(r.Faults)
	return written(&f, "reason", r.Reason, maxRemittanceNote), f
}

// written reads the words of a person, which may have several lines.
func written(f *billing.Faults, field, value string, limit int) string {
	if f.Required(field, value, limit) && strings.ContainsFunc(value, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		f.Add(field, billing.FaultFormat, "The value must be text without control characters other than line feeds and tabs.")
	}
	return strings.TrimSpace(value)
}
