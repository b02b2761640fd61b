package quarantine

import (
	"bytes"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// File is a file, or one payment of it, that waits for a person: its payee
// is uncertain, or it cannot be read. A file of an organization's own connection or
// import is in the quarantine of that organization. Only the operator sees the others.
type File struct {
	ID         billing.FileID
	Scope      billing.Scope // without an organization for a file of the deployment's connections
	Origin     clearing.FileOrigin
	Name       string
	Cause      Cause
	Reason     string   // for people, without patient data
	Payment    *Payment // nil for a file that is not one payment
	Content    []byte
	ReceivedAt time.Time
}

// Position returns the place in a list, by the time and the ID.
func (q *File) Position() billing.Position { return billing.Position{Time: q.ReceivedAt, ID: q.ID} }

// Payment is the part of a remittance that shows a person what it is, and
// what its content alone does not say.
type Payment struct {
	PayerName  string
	Payer      directory.PayerSummary // whose IDs these are; zero for an unknown one
	PayerIDs   []string               // those of its network as ours
	PayeeName  string
	PayeeNPI   string
	PayeeTaxID string
	Payment    remit.Payment
	ClaimCount int
	Numbers    clearing.ControlNumbers
}

// Restore gives the payments of the file, which were read again, its origin, and the
// payer IDs with which it came.
func (q *File) Restore(payments []remit.Remittance) {
	for i := range payments {
		payments[i].Origin = q.Origin
		if q.Payment != nil {
			payments[i].PayerIDs = q.Payment.PayerIDs
		}
	}
}

// New returns a file with the reason for which it waits. A file without a scope
// belongs to the operator.
func New(f clearing.IncomingFile, mode billing.Mode, cause Cause, reason string, stamp billing.Real, at time.Time) *File {
	return &File{
		ID: billing.NewID[billing.FileID](stamp), Scope: billing.Scope{Org: f.Scope.Org, Mode: mode}, Origin: clearing.FileFromNetwork, Name: f.Name, Cause: cause, Reason: reason,
		Content: f.Content, ReceivedAt: at,
	}
}

// LogValue shows what is no patient data. The name is not: people put patients into it.
func (q *File) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("id", q.ID.String()), slog.String("mode", string(q.Scope.Mode)), slog.String("cause", string(q.Cause)), slog.Int("bytes", len(q.Content)),
	)
}

// Cause is why a file is in quarantine, for metrics and logs.
type Cause string

// The causes.
const (
	Empty      Cause = "empty"
	Report     Cause = "report"     // text for people
	Unreadable Cause = "unreadable" // broken, or not EDI
	Other      Cause = "other"      // EDI for which Molar has no use
	Unplaced   Cause = "unplaced"   // it names no batch, office or organization with certainty
)

// Causes lists every cause.
func Causes() []Cause {
	return []Cause{Empty, Report, Unreadable, Other, Unplaced}
}

// Unread returns why a file without an interchange is in quarantine. What a report in
// text says is never an acknowledgement.
func Unread(f clearing.IncomingFile) (cause Cause, reason string) {
	text := bytes.Trim(bytes.TrimPrefix(f.Content, []byte("\xef\xbb\xbf")), " \t\r\n\x00\x1a")
	switch {
	case len(text) == 0:
		return Empty, "The file is empty. Ask the sender for it again, then remove it."
	case bytes.HasPrefix(text, []byte("ISA")), bytes.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n\f\x1a", r)
	}):
		return Unreadable, "The file cannot be read: it is neither X12 nor text. Ask the sender for it again, then remove it."
	}
	return Report, "The file is a report in text. Molar stores it and does not interpret it. Read it, then remove it."
}

// UnreadPart returns why a part of a file is in quarantine.
func UnreadPart(p clearing.FilePart) (cause Cause, reason string) {
	if p.Kind == clearing.FileOther {
		return Other, "Molar has no use for transaction set " + strings.Join(p.Sets, ", ") +
			": it takes acknowledgements (997, 999, TA1, 277) and remittances (835). Read the file, then remove it."
	}
	return Unreadable, "The file cannot be read: " + p.Err.Error() + "."
}

// NewPayment returns one payment of a file with the reason for which it waits.
func NewPayment(r *remit.Remittance, f clearing.IncomingFile, mode billing.Mode, reason string, stamp billing.Real, at time.Time) *File {
	q := New(clearing.IncomingFile{Scope: f.Scope, Name: f.Name, Content: r.Content}, mode, Unplaced, reason, stamp, at)
	q.Payment = &Payment{
		PayerName: r.PayerName, Payer: r.Payer, PayerIDs: r.PayerIDs, PayeeName: r.PayeeName, PayeeNPI: r.PayeeNPI, PayeeTaxID: r.PayeeTaxID, Payment: r.Payment,
		ClaimCount: r.ClaimCount, Numbers: r.File.ControlNumbers,
	}
	return q
}
