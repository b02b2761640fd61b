package networktest

import (
	"bytes"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	stdimage "image"
	"image/jpeg"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// The values that no error may contain.
const (
	firstName = "Ottoline"
	lastName  = "Quillfeather"
	memberID  = "W998877"
	fileName  = "quillfeather-bitewing.jpg"
	narrative = "Old filling lost on tooth 30."
)

func newNumber() string { return "MLR" + rand.Text() }

// transmission returns a transmission that every network accepts, for a claim
// and with a unique number.
func (f Fixture) transmission(documents int) attachment.Transmission {
	return attachment.Transmission{
		Number: newNumber(), Kind: attachment.Unsolicited, Payer: f.Payer, Office: f.Office,
		About: attachment.Subject{
			Patient: attachment.Patient{
				FirstName: firstName, LastName: lastName, DateOfBirth: billing.Date{Year: 1985, Month: time.April, Day: 12},
			},
			Subscriber: attachment.Subscriber{
				FirstName: firstName, LastName: lastName, MemberID: memberID, Relationship: coverage.RelationSelf,
			},
			ServiceDates: billing.DateSpan{
				From: billing.Date{Year: 2026, Month: time.March, Day: 2}, To: billing.Date{Year: 2026, Month: time.March, Day: 16},
			},
		},
		Narrative: narrative, ControlNumber: "PCN-1", Documents: documents,
		SendingSince: time.Date(2026, time.March, 20, 9, 30, 0, 0, time.UTC),
	}
}

// image is a document with its bytes.
type image struct {
	document *attachment.Document
	content  []byte
}

// newImage returns a film that no other test has.
func newImage(t *testing.T) image {
	t.Helper()
	picture := stdimage.NewGray(stdimage.Rect(0, 0, 32, 24))
	_, _ = rand.Read(picture.Pix)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture, nil); err != nil {
		t.Fatal(err)
	}
	i := image{
		document: &attachment.Document{
			ID: billing.NewID[billing.DocumentID](billing.RealAt(time.Now())), Type: "11", Medium: attachment.MediumFilm,
			ImageDate: billing.Date{Year: 2026, Month: time.March, Day: 1}, Orientation: attachment.OrientationRight, FileName: fileName,
		},
		content: b.Bytes(),
	}
	i.sum()
	return i
}

// sum sets the document's size and sums from its bytes.
func (i image) sum() {
	i.document.Size = int64(len(i.content))
	i.document.MD5 = md5.Sum(i.content)
	i.document.SHA256 = sha256.Sum256(i.content)
}

// paper makes the document a paper document.
func (i image) paper() {
	d := i.document
	d.Type, d.Medium, d.ImageDate, d.Orientation = "7", attachment.MediumPaper, billing.Date{}, ""
}

func (i image) copy() *attachment.Document { return new(*i.document) }

// refused checks that there is an error without patient data.
func (s *sender) refused(t *testing.T, err error, what string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: not refused", what)
		return
	}
	text := strings.ToLower(err.Error())
	for _, secret := range []string{firstName, lastName, memberID, fileName, narrative, "1985"} {
		if strings.Contains(text, strings.ToLower(secret)) {
			t.Errorf("%s: the error contains %q: %v", what, secret, err)
		}
	}
}

// failing is content that cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// doing is empty content that runs a function when it is read.
type doing func()

func (d doing) Read([]byte) (int, error) {
	d()
	return 0, io.EOF
}
