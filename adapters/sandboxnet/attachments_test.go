package sandboxnet_test

import (
	"bytes"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/networktest"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestAttachmentNetwork(t *testing.T) {
	t.Parallel()
	networktest.Run(t, func(*testing.T) networktest.Fixture {
		another := func() ports.AttachmentNetwork { return sandboxnet.NewAttachments(porttest.At(asked, 0)) }
		return networktest.Fixture{
			Network: another(), Another: another,
			Payer: sending(0).Payer, Office: sending(0).Office,
		}
	})
}

// sending returns a complete transmission.
func sending(documents int) attachment.Transmission {
	return attachment.Transmission{
		Number: "MLR000000001", Kind: attachment.Unsolicited,
		Payer:  directory.PayerSummary{ID: billing.PayerID{1}, PayerID: "CHTEST", Name: "Molar Test Payer"},
		Office: directory.Office{ID: billing.OfficeID{2}, Name: "Bright Smiles", NPI: "1234567893"},
		About: attachment.Subject{
			Patient:      attachment.Patient{FirstName: "Kim", LastName: "Roe", DateOfBirth: billing.Date{Year: 2016, Month: 5, Day: 6}},
			Subscriber:   attachment.Subscriber{FirstName: "Jane", LastName: "Roe", MemberID: "W1", Relationship: coverage.RelationChild},
			ServiceDates: billing.DateSpan{From: billing.Date{Year: 2026, Month: 3, Day: 2}, To: billing.Date{Year: 2026, Month: 3, Day: 2}},
		},
		Narrative: "Fractured cusp.", Documents: documents, SendingSince: asked,
	}
}

const shortJPEG = "\xff\xd8\xff\xe0 as far as this network looks \xff\xd9"

// film returns a document with the content.
func film(id byte, content string) *attachment.Document {
	return &attachment.Document{
		ID: billing.DocumentID{id}, Type: "12", Medium: attachment.MediumFilm, ImageDate: billing.Date{Year: 2026, Month: 3, Day: 1},
		Orientation: attachment.OrientationLeft, FileName: "kim-roe.jpg", Size: int64(len(content)),
		MD5: md5.Sum([]byte(content)),
	}
}

// send runs every step for documents of shortJPEG and returns the first error.
func send(t *testing.T, n *sandboxnet.Attachments, s attachment.Transmission) error {
	t.Helper()
	if err := n.Open(t.Context(), s); err != nil {
		return fmt.Errorf("open: %w", err)
	}
	for i := range s.Documents {
		if err := n.Add(t.Context(), s.Number, film(byte(i+1), shortJPEG), strings.NewReader(shortJPEG)); err != nil {
			return fmt.Errorf("add: %w", err)
		}
	}
	if err := n.Commit(t.Context(), s.Number); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

func TestIncompleteTransmissions(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*attachment.Transmission){
		"number":                  func(s *attachment.Transmission) { s.Number = "" },
		"kind":                    func(s *attachment.Transmission) { s.Kind = "" },
		"payer.payer_id":          func(s *attachment.Transmission) { s.Payer.PayerID = "" },
		"payer.name":              func(s *attachment.Transmission) { s.Payer.Name = "" },
		"office.name":             func(s *attachment.Transmission) { s.Office.Name = "" },
		"office.npi":              func(s *attachment.Transmission) { s.Office.NPI = "" },
		"patient.first_name":      func(s *attachment.Transmission) { s.About.Patient.FirstName = "" },
		"patient.last_name":       func(s *attachment.Transmission) { s.About.Patient.LastName = "" },
		"patient.date_of_birth":   func(s *attachment.Transmission) { s.About.Patient.DateOfBirth = billing.Date{} },
		"subscriber.first_name":   func(s *attachment.Transmission) { s.About.Subscriber.FirstName = "" },
		"subscriber.last_name":    func(s *attachment.Transmission) { s.About.Subscriber.LastName = "" },
		"subscriber.member_id":    func(s *attachment.Transmission) { s.About.Subscriber.MemberID = "" },
		"subscriber.relationship": func(s *attachment.Transmission) { s.About.Subscriber.Relationship = "" },
		"service_dates":           func(s *attachment.Transmission) { s.About.ServiceDates = billing.DateSpan{} },
		"service_dates.from":      func(s *attachment.Transmission) { s.About.ServiceDates.From = billing.Date{}; s.ControlNumber = "1" },
		"service_dates.to":        func(s *attachment.Transmission) { s.About.ServiceDates.To = billing.Date{} },
		"payer_reference":         func(s *attachment.Transmission) { s.Kind = attachment.Solicited },
		"documents or narrative":  func(s *attachment.Transmission) { s.Documents, s.Narrative = 0, " \n" },
		"announces 128 documents": func(s *attachment.Transmission) { s.Documents = 128 },
		"announces -1 documents":  func(s *attachment.Transmission) { s.Documents = -1 },
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			s := sending(2)
			change(&s)
			err := sandboxnet.NewAttachments(porttest.At(asked, 0)).Open(t.Context(), s)
			if err == nil || !strings.Contains(err.Error()+" ", " "+want+" ") && !strings.Contains(err.Error(), want+",") {
				t.Fatalf("error %v does not name it", err)
			}
			for _, secret := range []string{"Kim", "Roe", "Jane", "W1", "2016", "cusp", "1234567893"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("error %v contains %q", err, secret)
				}
			}
		})
	}
}

func TestCompleteTransmissions(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*attachment.Transmission){
		"as it is":                     func(*attachment.Transmission) {},
		"a predetermination's, undone": func(s *attachment.Transmission) { s.About.ServiceDates, s.ControlNumber = billing.DateSpan{}, "PCN-1" },
		"words alone":                  func(s *attachment.Transmission) { s.Documents = 0 },
		"images alone":                 func(s *attachment.Transmission) { s.Narrative = "" },
		"as many files as can be":      func(s *attachment.Transmission) { s.Documents = attachment.MaxDocuments },
		"an answer":                    func(s *attachment.Transmission) { s.Kind, s.PayerReference = attachment.Solicited, "R1" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sending(2)
			change(&s)
			if err := send(t, sandboxnet.NewAttachments(porttest.At(asked, 0)), s); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	n := sandboxnet.NewAttachments(porttest.At(asked, 0))
	if err := n.Open(t.Context(), sending(1)); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		content string
		change  func(*attachment.Document)
	}{
		"no known type":       {shortJPEG, func(d *attachment.Document) { d.Type = "17" }},
		"lacks image_date":    {shortJPEG, func(d *attachment.Document) { d.ImageDate = billing.Date{} }},
		"lacks orientation":   {shortJPEG, func(d *attachment.Document) { d.Orientation = "" }},
		"size differs":        {shortJPEG, func(d *attachment.Document) { d.Size++ }},
		"MD5 sum differs":     {shortJPEG, func(d *attachment.Document) { d.MD5[0]++ }},
		"a complete JPEG":     {shortJPEG[:len(shortJPEG)-1], func(*attachment.Document) {}},
		"not a complete JPEG": {shortJPEG[1:], func(*attachment.Document) {}},
		"file is not":         {"", func(*attachment.Document) {}},
		"the file's size":     {shortJPEG, func(d *attachment.Document) { d.Size = 0 }},
		"from its document":   {shortJPEG, func(d *attachment.Document) { d.Size = -5 }},
		"the file is not a":   {"\xff\xd8\xd9", func(*attachment.Document) {}},
		"sandboxnet: the fil": {"\xff\xd8\xff", func(*attachment.Document) {}},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			d := film(1, c.content)
			c.change(d)
			err := n.Add(t.Context(), sending(1).Number, d, strings.NewReader(c.content))
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "kim") {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}

func TestNarrativeScenarios(t *testing.T) {
	t.Parallel()
	for narrative, c := range map[string]struct {
		wait  time.Duration
		fails bool
	}{
		"Fractured cusp.":                             {},
		"sandbox-network-error":                       {},
		"please SANDBOX-NETWORK-ERROR, dear network":  {fails: true},
		"SANDBOX-SLOW-0":                              {},
		"SANDBOX-SLOW-":                               {},
		"SANDBOX-SLOW-x":                              {},
		"SANDBOX-SLOW-1234":                           {}, // four digits
		"SANDBOX-SLOW-7":                              {wait: 7 * time.Second},
		"SANDBOX-SLOW-007.":                           {wait: 7 * time.Second},
		"at best SANDBOX-SLOW-999 or so":              {wait: 999 * time.Second},
		"SANDBOX-SLOW-1234 SANDBOX-SLOW-12":           {wait: 12 * time.Second},
		"SANDBOX-SLOW-3SANDBOX-NETWORK-ERROR":         {wait: 3 * time.Second, fails: true},
		"SANDBOX-NETWORK-ERROR\tSANDBOX-SLOW-30\nand": {wait: 30 * time.Second, fails: true},
	} {
		t.Run(narrative, func(t *testing.T) {
			t.Parallel()
			h := porttest.At(asked, 0)
			n := sandboxnet.NewAttachments(h)
			s := sending(2)
			s.Narrative = narrative
			if c.wait > 0 {
				h.To(asked.Add(c.wait - time.Microsecond))
				later, ok := errors.AsType[*billing.LaterError](send(t, n, s))
				if !ok || !later.Until.Equal(asked.Add(c.wait)) {
					t.Fatalf("later %v, want %s after the sending began", later, c.wait)
				}
				if open, _, _ := n.Kept(); open != 0 {
					t.Error("the delayed transmission is kept")
				}
				h.To(later.Until)
			}
			for range 2 { // as a repetition
				err := send(t, n, s)
				if (err != nil) != c.fails || err != nil && !strings.HasPrefix(err.Error(), "commit: ") {
					t.Fatalf("error %v, want one on committing: %t", err, c.fails)
				}
			}
		})
	}
}

func TestOpeningAgain(t *testing.T) {
	t.Parallel()
	n := sandboxnet.NewAttachments(porttest.At(asked, 0))
	s := sending(2)
	add := func(id byte) error {
		return n.Add(t.Context(), s.Number, film(id, shortJPEG), strings.NewReader(shortJPEG))
	}
	if err := errors.Join(n.Open(t.Context(), s), add(1), n.Open(t.Context(), s), add(2), n.Open(t.Context(), s)); err != nil {
		t.Fatal(err)
	}
	s.Narrative = "Not committed yet, so this is what counts."
	if err := errors.Join(n.Open(t.Context(), s), add(2)); err != nil {
		t.Fatal(err)
	}
	if err := n.Commit(t.Context(), s.Number); err == nil || !strings.Contains(err.Error(), "has 1 files, 2 were announced") {
		t.Errorf("commit: %v", err)
	}
	if err := errors.Join(n.Open(t.Context(), s), add(1), n.Open(t.Context(), s), n.Commit(t.Context(), s.Number)); err != nil {
		t.Error(err)
	}
}

// reached calls do when it is read.
type reached struct{ do func() error }

func (r reached) Read([]byte) (int, error) {
	if err := r.do(); err != nil {
		return 0, err
	}
	return 0, io.EOF
}

func TestChangesDuringAdd(t *testing.T) {
	t.Parallel()
	again := func(n *sandboxnet.Attachments, s attachment.Transmission) func() error {
		return func() error { return n.Open(t.Context(), s) }
	}
	changed := func(n *sandboxnet.Attachments, s attachment.Transmission) func() error {
		s.Narrative += " And more."
		return func() error { return n.Open(t.Context(), s) }
	}
	commit := func(n *sandboxnet.Attachments, s attachment.Transmission) func() error {
		return func() error { return n.Commit(t.Context(), s.Number) }
	}
	for name, c := range map[string]struct {
		coming byte // the document; 1 is already added
		do     func(*sandboxnet.Attachments, attachment.Transmission) func() error
		want   string
	}{
		"opened again":              {1, again, ""},
		"opened again, file is new": {2, again, "all of its announced files"},
		"changed":                   {2, changed, "reopened"},
		"committed with the file":   {1, commit, ""},
		"committed without it":      {2, commit, "committed without"},
		"changed, file was added":   {1, changed, "reopened"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, s := sandboxnet.NewAttachments(porttest.At(asked, 0)), sending(1)
			if err := n.Open(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			if err := n.Add(t.Context(), s.Number, film(1, shortJPEG), strings.NewReader(shortJPEG)); err != nil {
				t.Fatal(err)
			}
			content := io.MultiReader(strings.NewReader(shortJPEG), reached{c.do(n, s)})
			err := n.Add(t.Context(), s.Number, film(c.coming, shortJPEG), content)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("add: %v, want %q", err, c.want)
			}
		})
	}
}

func TestAbandonedTransmissionsExpire(t *testing.T) {
	t.Parallel()
	h := porttest.At(asked, 0)
	n := sandboxnet.NewAttachments(h)
	committed, left := sending(1), sending(0)
	left.Number = "MLR000000002"
	if err := errors.Join(send(t, n, committed), n.Open(t.Context(), left)); err != nil {
		t.Fatal(err)
	}
	h.To(asked.Add(time.Hour - time.Nanosecond))
	if open, _, _ := n.Kept(); open != 1 {
		t.Fatalf("%d open", open)
	}
	h.To(asked.Add(time.Hour))
	if err := n.Commit(t.Context(), left.Number); err == nil || !strings.Contains(err.Error(), "start again") {
		t.Errorf("commit after an hour: %v", err)
	}
	if open, done, files := n.Kept(); open != 0 || done != 1 || files != 1 {
		t.Errorf("kept: %d open, %d committed with %d files", open, done, files)
	}
	if err := errors.Join(send(t, n, committed), send(t, n, left)); err != nil {
		t.Error(err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	n := sandboxnet.NewAttachments(porttest.At(asked, 0))
	n.Bound(3, 5, 8)
	numbered := func(i, documents int) attachment.Transmission {
		s := sending(documents)
		s.Number = fmt.Sprintf("MLR%09d", i)
		return s
	}
	for i := range 9 {
		if err := send(t, n, numbered(i, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, done, files := n.Kept(); done != 5 || files != 5 {
		t.Errorf("%d committed with %d files", done, files)
	}
	if err := send(t, n, numbered(9, 7)); err != nil {
		t.Fatal(err)
	}
	if _, done, files := n.Kept(); done != 2 || files != 8 {
		t.Errorf("%d committed with %d files, want the last two", done, files)
	}
	for i := range 5 {
		if err := n.Open(t.Context(), numbered(20+i, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if open, _, _ := n.Kept(); open != 3 {
		t.Errorf("%d open", open)
	}
	if err := n.Commit(t.Context(), numbered(21, 0).Number); err == nil {
		t.Error("the oldest was not forgotten")
	}
	if err := n.Commit(t.Context(), numbered(22, 0).Number); err != nil {
		t.Error(err)
	}
	other := numbered(9, 7)
	other.Narrative = "Something else."
	if err := n.Open(t.Context(), other); err == nil {
		t.Error("a number was used again")
	}
}

func TestExtraFilesAreNotKept(t *testing.T) {
	t.Parallel()
	for _, announced := range []int{1, attachment.MaxDocuments} {
		n := sandboxnet.NewAttachments(porttest.At(asked, 0))
		if err := n.Open(t.Context(), sending(announced)); err != nil {
			t.Fatal(err)
		}
		for i := range announced + 1 {
			err := n.Add(t.Context(), sending(announced).Number, film(byte(i+1), shortJPEG), strings.NewReader(shortJPEG))
			if (err != nil) != (i == announced) {
				t.Fatalf("file %d of %d: %v", i+1, announced, err)
			}
		}
	}
}

// endless counts the bytes that are read of it.
type endless struct{ read int64 }

func (e *endless) Read(b []byte) (int, error) {
	e.read += int64(len(b))
	return len(b), nil
}

func TestReadingStopsAtTheSize(t *testing.T) {
	t.Parallel()
	n := sandboxnet.NewAttachments(porttest.At(asked, 0))
	if err := n.Open(t.Context(), sending(1)); err != nil {
		t.Fatal(err)
	}
	var e endless
	d := film(1, shortJPEG)
	if err := n.Add(t.Context(), sending(1).Number, d, &e); err == nil || e.read > d.Size+1 {
		t.Errorf("error %v after %d bytes, want one after %d", err, e.read, d.Size+1)
	}
}

func FuzzAddJudgesBytes(f *testing.F) {
	for _, b := range []string{"", shortJPEG, shortJPEG[1:], "\xff\xd8\xff\xd9", "\xff\xd8\xff", "\xff\xd9"} {
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n := sandboxnet.NewAttachments(porttest.At(asked, 0))
		if err := n.Open(t.Context(), sending(1)); err != nil {
			t.Fatal(err)
		}
		want := bytes.HasPrefix(b, []byte("\xff\xd8\xff")) && bytes.HasSuffix(b, []byte("\xff\xd9"))
		for _, content := range []io.Reader{bytes.NewReader(b), iotest.OneByteReader(bytes.NewReader(b)), iotest.DataErrReader(bytes.NewReader(b))} {
			if err := n.Add(t.Context(), sending(1).Number, film(1, string(b)), content); (err == nil) != want {
				t.Fatalf("add: %v, want it accepted: %t", err, want)
			}
		}
	})
}
