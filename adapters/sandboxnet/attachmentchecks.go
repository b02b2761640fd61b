package sandboxnet

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
)

// The scenarios that a narrative can select. Any other narrative is accepted. A
// failure comes at the commit, after every file was accepted: the worst case for a
// sender. SLOW is followed by one to three digits, the seconds until the network
// starts.
const (
	narrativeFails  = "SANDBOX-NETWORK-ERROR"
	narrativeSlowly = "SANDBOX-SLOW-"
)

var narrativeSlow = regexp.MustCompile(narrativeSlowly + `([0-9]{1,3})(?:[^0-9]|$)`)

// scenarioOf returns how the network treats an attachment with the narrative.
func scenarioOf(narrative string) (wait time.Duration, fails bool) {
	if m := narrativeSlow.FindStringSubmatch(narrative); m != nil {
		n, _ := strconv.Atoi(m[1]) // three digits at most
		wait = time.Duration(n) * time.Second
	}
	return wait, strings.Contains(narrative, narrativeFails)
}

// digest identifies equal details or equal files.
type digest [sha256.Size]byte

// detailsOf returns the digest of the details that must stay the same under an
// attachment's number. It excludes the claim's control number and earlier
// attachment. They belong to the claim and may differ at the next attempt.
func detailsOf(t *attachment.Transmission) digest {
	p, s, span := t.About.Patient, t.About.Subscriber, t.About.ServiceDates
	return digestOf(
		string(t.Kind), t.Payer.PayerID, t.Office.ID.String(), t.Narrative, t.PayerReference, strconv.Itoa(t.Documents),
		p.FirstName, p.LastName, p.DateOfBirth.String(),
		s.FirstName, s.LastName, s.MemberID, string(s.Relationship), span.From.String(), span.To.String(),
	)
}

func digestOf(parts ...string) digest {
	var b []byte
	for _, p := range parts {
		b = strconv.AppendQuote(b, p)
	}
	return sha256.Sum256(b)
}

// complete reports the first required detail that is missing. A claim may have
// no service dates: a predetermination is sent before treatment.
func complete(t *attachment.Transmission) error {
	p, s, span := t.About.Patient, t.About.Subscriber, t.About.ServiceDates
	noDates := span.From.IsZero() && span.To.IsZero()
	for _, detail := range []struct {
		name    string
		missing bool
	}{
		{"number", t.Number == ""},
		{"kind", t.Kind != attachment.Unsolicited && t.Kind != attachment.Solicited},
		{"payer.payer_id", t.Payer.PayerID == ""},
		{"payer.name", t.Payer.Name == ""},
		{"office.name", t.Office.Name == ""},
		{"office.npi", t.Office.NPI == ""},
		{"patient.first_name", p.FirstName == ""},
		{"patient.last_name", p.LastName == ""},
		{"patient.date_of_birth", p.DateOfBirth.IsZero()},
		{"subscriber.first_name", s.FirstName == ""},
		{"subscriber.last_name", s.LastName == ""},
		{"subscriber.member_id", s.MemberID == ""},
		{"subscriber.relationship", s.Relationship == ""},
		{"service_dates", noDates && t.ControlNumber == ""},
		{"service_dates.from", span.From.IsZero() && !noDates},
		{"service_dates.to", span.To.IsZero() && !noDates},
		{"payer_reference", t.Kind == attachment.Solicited && t.PayerReference == ""},
		{"documents or narrative", t.Documents == 0 && strings.TrimSpace(t.Narrative) == ""},
	} {
		if detail.missing {
			return fmt.Errorf("sandboxnet: the transmission lacks %s", detail.name)
		}
	}
	if t.Documents < 0 || t.Documents > attachment.MaxDocuments {
		return fmt.Errorf("sandboxnet: the transmission announces %d documents, above the maximum of %d", t.Documents, attachment.MaxDocuments)
	}
	return nil
}

// file identifies a file whose content the network has checked and dropped.
type file struct {
	document billing.DocumentID
	digest   digest
}

// fileOf returns the digest of a document whose content has been checked.
func fileOf(d *attachment.Document) file {
	return file{d.ID, digestOf(d.Type, d.ImageDate.String(), string(d.Orientation), strconv.FormatInt(d.Size, 10), string(d.MD5[:]))}
}

// The faults of a document. None includes the file's name.
var (
	errType        = errors.New("sandboxnet: the document is of no known type")
	errImageDate   = errors.New("sandboxnet: the document is a film and lacks image_date")
	errOrientation = errors.New("sandboxnet: the document is a film and lacks orientation")
	errSize        = errors.New("sandboxnet: the file's size differs from its document's")
	errMD5         = errors.New("sandboxnet: the file's MD5 sum differs from its document's")
	errNoJPEG      = errors.New("sandboxnet: the file is not a complete JPEG")
)

// described checks the details of a document, before its content.
func described(d *attachment.Document) error {
	t, known := attachment.FindDocumentType(d.Type)
	switch {
	case !known:
		return errType
	case t.Medium != attachment.MediumFilm:
		return nil
	case d.ImageDate.IsZero():
		return errImageDate
	case d.Orientation != attachment.OrientationLeft && d.Orientation != attachment.OrientationRight:
		return errOrientation
	}
	return nil
}

// check reads a file to its end, or until it is longer than its document says,
// and checks it.
func check(ctx context.Context, d *attachment.Document, content io.Reader) error {
	p := &picture{md5: md5.New()}
	if _, err := io.Copy(p, io.LimitReader(&cancellable{ctx, content}, d.Size+1)); err != nil {
		return fmt.Errorf("sandboxnet: read the file: %w", err)
	}
	switch {
	case p.size != d.Size:
		return errSize
	case [md5.Size]byte(p.md5.Sum(nil)) != d.MD5:
		return errMD5
	case string(p.head) != "\xff\xd8\xff" || string(p.tail) != "\xff\xd9":
		return errNoJPEG
	}
	return nil
}

// picture collects the properties of a file that the network checks.
type picture struct {
	size       int64
	md5        hash.Hash
	head, tail []byte // the first three bytes and the last two
}

func (p *picture) Write(b []byte) (int, error) {
	p.size += int64(len(b))
	p.md5.Write(b)
	p.head = append(p.head, b[:min(len(b), 3-len(p.head))]...)
	p.tail = append(p.tail, b[max(0, len(b)-2):]...)
	p.tail = p.tail[max(0, len(p.tail)-2):]
	return len(b), nil
}

// cancellable reads until its context ends.
type cancellable struct {
	ctx     context.Context // a reader has no context of its own
	content io.Reader
}

func (c *cancellable) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.content.Read(b)
}
