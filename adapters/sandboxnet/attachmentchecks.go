package sandboxnet

import (
	"context"
	"crypto/md5" //nolint:gosec // G501: networks compare MD5 sums
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
)

// The scenarios of a narrative; any other is accepted. Failing comes last, when
// every file was taken, which is the worst that a network can do. Slow is
// followed by one to three digits: the seconds until the network begins.
const narrativeFails = "SANDBOX-NETWORK-ERROR"

var narrativeSlow = regexp.MustCompile(`SANDBOX-SLOW-([0-9]{1,3})(?:[^0-9]|$)`)

// scenarioOf tells how the network treats an attachment with the narrative.
func scenarioOf(narrative string) (wait time.Duration, fails bool) {
	if m := narrativeSlow.FindStringSubmatch(narrative); m != nil {
		n, _ := strconv.Atoi(m[1]) // three digits at most
		wait = time.Duration(n) * time.Second
	}
	return wait, strings.Contains(narrative, narrativeFails)
}

// digest is a digest that makes two details or two files the same.
type digest [sha256.Size]byte

// detailsOf is the digest of what an attachment cannot change without getting
// another number. The claim's control number and its earlier attachment are
// left out, because they are the claim's, and may be others at the next try.
func detailsOf(t *billing.Transmission) digest {
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

// complete judges whether the network is told all that it needs. A claim may
// have no service dates: a predetermination is sent before treatment.
func complete(t *billing.Transmission) error {
	p, s, span := t.About.Patient, t.About.Subscriber, t.About.ServiceDates
	noDates := span.From.IsZero() && span.To.IsZero()
	for _, detail := range []struct {
		name    string
		missing bool
	}{
		{"number", t.Number == ""},
		{"kind", t.Kind != billing.AttachmentUnsolicited && t.Kind != billing.AttachmentSolicited},
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
		{"payer_reference", t.Kind == billing.AttachmentSolicited && t.PayerReference == ""},
		{"documents or narrative", t.Documents == 0 && strings.TrimSpace(t.Narrative) == ""},
	} {
		if detail.missing {
			return fmt.Errorf("sandboxnet: the transmission lacks %s", detail.name)
		}
	}
	if t.Documents < 0 || t.Documents > billing.MaxDocuments {
		return fmt.Errorf("sandboxnet: the transmission announces %d documents, at most %d are taken", t.Documents, billing.MaxDocuments)
	}
	return nil
}

// file is what is kept of one.
type file struct {
	document billing.DocumentID
	digest   digest
}

// fileOf is the digest of a document whose content has been checked.
func fileOf(d *billing.Document) file {
	return file{d.ID, digestOf(d.Type, d.ImageDate.String(), string(d.Orientation), strconv.FormatInt(d.Size, 10), string(d.MD5[:]))}
}

// The faults of a document. None has the file's name.
var (
	errType        = errors.New("sandboxnet: the document is of no known type")
	errImageDate   = errors.New("sandboxnet: the document is a film and lacks image_date")
	errOrientation = errors.New("sandboxnet: the document is a film and lacks orientation")
	errSize        = errors.New("sandboxnet: the file has another size than its document says")
	errMD5         = errors.New("sandboxnet: the file has another MD5 sum than its document says")
	errNoJPEG      = errors.New("sandboxnet: the file is no whole JPEG")
)

// described judges what is said of a file, before its content.
func described(d *billing.Document) error {
	t, known := billing.FindDocumentType(d.Type)
	switch {
	case !known:
		return errType
	case t.Medium != billing.MediumFilm:
		return nil
	case d.ImageDate.IsZero():
		return errImageDate
	case d.Orientation != billing.OrientationLeft && d.Orientation != billing.OrientationRight:
		return errOrientation
	}
	return nil
}

// check reads a file to its end, or to where it is longer than its document
// says, and judges it.
func check(ctx context.Context, d *billing.Document, content io.Reader) error {
	p := &picture{md5: md5.New()} //nolint:gosec // G401: see the import
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

// picture is what a network looks at while a file goes through it.
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
	ctx     context.Context //nolint:containedctx // a reader has nowhere else to take it from
	content io.Reader
}

func (c *cancellable) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.content.Read(b)
}
