package billing

import (
	"bytes"
	"log/slog"
	"strings"
	"time"
	"unicode"
)

// Quarantined is a file, or one payment of it, that waits for a person: its payee
// is uncertain, or it cannot be read. A file of an organization's own connection or
// import is in the quarantine of that organization. Only the operator sees the others.
type Quarantined struct {
	ID         FileID
	Scope      Scope // without an organization for a file of the deployment's connections
	Origin     FileOrigin
	Name       string
	Cause      QuarantineCause
	Reason     string              // for people, without patient data
	Payment    *QuarantinedPayment // nil for a file that is not one payment
	Content    []byte
	ReceivedAt time.Time
}

// Position returns the place in a list, by the time and the ID.
func (q *Quarantined) Position() Position { return Position{Time: q.ReceivedAt, ID: q.ID} }

// QuarantinedPayment is the part of a remittance that shows a person what it is, and
// what its content alone does not say.
type QuarantinedPayment struct {
	PayerName  string
	PayerIDs   []string // those of its network as ours
	PayeeName  string
	PayeeNPI   string
	PayeeTaxID string
	Payment    ERAPayment
	ClaimCount int
	Numbers    ControlNumbers
}

// Restore gives the payments of the file, which were read again, its origin, and the
// payer IDs with which it came.
func (q *Quarantined) Restore(payments []Remittance) {
	for i := range payments {
		payments[i].Origin = q.Origin
		if q.Payment != nil {
			payments[i].PayerIDs = q.Payment.PayerIDs
		}
	}
}

// Quarantine returns a file with the reason for which it waits. A file without a scope
// belongs to the operator.
func Quarantine(f IncomingFile, mode Mode, cause QuarantineCause, reason string, at time.Time) *Quarantined {
	return &Quarantined{
		ID: NewID[FileID](at), Scope: Scope{Org: f.Scope.Org, Mode: mode}, Origin: FileFromNetwork, Name: f.Name, Cause: cause, Reason: reason,
		Content: f.Content, ReceivedAt: at,
	}
}

// LogValue shows what is no patient data. The name is not: people put patients into it.
func (q *Quarantined) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("id", q.ID.String()), slog.String("mode", string(q.Scope.Mode)), slog.String("cause", string(q.Cause)), slog.Int("bytes", len(q.Content)),
	)
}

// QuarantineCause is why a file is in quarantine, for metrics and logs.
type QuarantineCause string

// The causes.
const (
	QuarantineEmpty      QuarantineCause = "empty"
	QuarantineReport     QuarantineCause = "report"     // text for people
	QuarantineUnreadable QuarantineCause = "unreadable" // broken, or not EDI
	QuarantineOther      QuarantineCause = "other"      // EDI for which Molar has no use
	QuarantineUnplaced   QuarantineCause = "unplaced"   // it names no batch, office or organization with certainty
)

// QuarantineCauses lists every cause.
func QuarantineCauses() []QuarantineCause {
	return []QuarantineCause{QuarantineEmpty, QuarantineReport, QuarantineUnreadable, QuarantineOther, QuarantineUnplaced}
}

// Unread returns why a file without an interchange is in quarantine. What a report in
// text says is never an acknowledgement.
func Unread(f IncomingFile) (cause QuarantineCause, reason string) {
	text := bytes.Trim(bytes.TrimPrefix(f.Content, []byte("\xef\xbb\xbf")), " \t\r\n\x00\x1a")
	switch {
	case len(text) == 0:
		return QuarantineEmpty, "The file is empty. Ask the sender for it again, then remove it."
	case bytes.HasPrefix(text, []byte("ISA")), bytes.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n\f\x1a", r)
	}):
		return QuarantineUnreadable, "The file cannot be read: it is neither X12 nor text. Ask the sender for it again, then remove it."
	}
	return QuarantineReport, "The file is a report in text. Molar stores it and does not interpret it. Read it, then remove it."
}

// UnreadPart returns why a part of a file is in quarantine.
func UnreadPart(p FilePart) (cause QuarantineCause, reason string) {
	if p.Kind == FileOther {
		return QuarantineOther, "Molar has no use for transaction set " + strings.Join(p.Sets, ", ") +
			": it takes acknowledgements (997, 999, TA1, 277) and remittances (835). Read the file, then remove it."
	}
	return QuarantineUnreadable, "The file cannot be read: " + p.Err.Error() + "."
}

// QuarantinePayment returns one payment of a file with the reason for which it waits.
func QuarantinePayment(r *Remittance, f IncomingFile, mode Mode, reason string, at time.Time) *Quarantined {
	q := Quarantine(IncomingFile{Scope: f.Scope, Name: f.Name, Content: r.Content}, mode, QuarantineUnplaced, reason, at)
	q.Payment = &QuarantinedPayment{
		PayerName: r.PayerName, PayerIDs: r.PayerIDs, PayeeName: r.PayeeName, PayeeNPI: r.PayeeNPI, PayeeTaxID: r.PayeeTaxID, Payment: r.Payment,
		ClaimCount: r.ClaimCount, Numbers: r.File.ControlNumbers,
	}
	return q
}
