package claims

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
)

// The longest values that the guide allows, in characters, and the most of a list.
const (
	maxNote      = 80
	maxDiagnosis = 30
	maxCode      = 3 // for values of code lists
	maxCavities  = 5
	maxSurfaces  = 5
)

// The codes of HL03.
const (
	levelBilling    = "20"
	levelSubscriber = "22"
	levelPatient    = "23"
)

// bufferSize is the number of bytes that the encoder collects for one write.
const bufferSize = 64 << 10

// Encode writes the batch as an interchange of one transaction set. The error is the
// writer's. A name without ASCII letters becomes X, because it must not be empty.
// Encode cuts values to the guide's lengths.
func Encode(w io.Writer, b *Batch) error {
	out := bufio.NewWriterSize(w, bufferSize)
	var e encoder
	e.open(b)
	for i := range b.Claims {
		e.claim(&b.Claims[i])
		if err := e.Flush(out); err != nil {
			return err
		}
	}
	if _, err := out.Write(e.Bytes()); err != nil {
		return err
	}
	return out.Flush()
}

// encoder writes loops. Consecutive claims of the same billing provider share one
// level.
type encoder struct {
	x12.Writer
	notesOf int    // the most NTE segments of a claim
	billing int    // the HL of the billing provider; 0 before the first
	source  sender // the billing provider, as the claim states it

	draft x12.Writer // of a billing provider
	from  []byte     // the billing provider as the file states it
}

type sender struct {
	provider BillingProvider
	payTo    Address
}

func (e *encoder) open(b *Batch) {
	if e.notesOf = MaxNotes; b.MostNotes > 0 {
		e.notesOf = min(b.MostNotes, MaxNotes)
	}
	control := string(cmp.Or(x12.Clip(b.Control, 9), "0001"))
	g := b.Group
	g.FunctionalID, g.Version = "HC", Version
	e.Open(b.Interchange, g, x12.Set{ID: "837", Control: control, Version: Version})
	head := Batch{Reference: string(cmp.Or(x12.Text(b.Reference), x12.Element(control))), CreatedAt: b.CreatedAt, Submitter: b.Submitter, Receiver: b.Receiver}
	head.Submitter.Phone = phone(b.Submitter.Phone)
	head.header(e.Fields())
}

func (e *encoder) claim(c *Claim) {
	e.biller(c)
	f := e.Fields()
	subscriber := e.Level(e.billing, levelSubscriber, x12.Child(c.Patient != nil))
	f.Segment("SBR")
	if c.Patient == nil {
		f.Put(2, RelationSelf)
	}
	plan(f, &c.Coverage, CoveragePrimary, &c.Subscriber.GroupNumber, &c.Subscriber.GroupName, &c.FilingIndicator)
	c.parties(f)
	if c.Patient != nil {
		e.Level(subscriber, levelPatient, x12.Child(false))
		p := *c.Patient
		if blank(&p.Address) {
			p.Address = c.Subscriber.Address
		}
		p.loop(f)
	}
	e.detail(c)
	c.providers(f)
	for i := range c.OtherPayers[:min(len(c.OtherPayers), MaxOtherPayers)] {
		o := &c.OtherPayers[i]
		f.Segment("SBR")
		f.Code(2, &o.Relationship)
		plan(f, &o.Coverage, coverageUnknown, &o.GroupNumber, &o.GroupName, &o.FilingIndicator)
		o.loop(f, datedIn(c.Lines, o.Payer.PayerID))
	}
	for i := range c.Lines {
		e.line(c, i)
	}
}

// biller writes the level of the billing provider, unless the one before has the same.
// A provider that is spelled differently may have the same form in the file.
func (e *encoder) biller(c *Claim) {
	source := sender{c.Billing, c.PayTo}
	if e.billing > 0 && source == e.source {
		return
	}
	e.source = source
	c.writeBilling(e.draft.Fields())
	if from := e.draft.Bytes(); e.billing == 0 || !bytes.Equal(e.from, from) {
		e.from = append(e.from[:0], from...)
		e.billing = e.Level(0, levelBilling, x12.Child(true))
		e.Append(from)
	}
	_ = e.draft.Flush(io.Discard) // which never fails
}

func (c *Claim) writeBilling(f *x12.Fields) {
	o := c.Billing
	name := cmp.Or(x12.Clip(o.Name, x12.MaxLast), noName)
	o.Name = string(name)
	if o.Person {
		last := cmp.Or(x12.Clip(o.LastName, x12.MaxLast), noName)
		o.LastName, name = string(last), x12.Clip(o.FirstName, x12.MaxFirst)+" "+last
	}
	o.Contact = string(cmp.Or(x12.Text(o.Contact), name))
	o.TaxID, o.Phone = strings.ReplaceAll(o.TaxID, "-", ""), phone(o.Phone)
	specialty(f, "BI", &o.Taxonomy)
	o.loop(f)
	c.payTo(f)
}

// phone returns the digits of a telephone number in the United States.
func phone(s string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	if len(digits) == 11 && digits[0] == '1' {
		digits = digits[1:]
	}
	return digits
}

// detail writes loop 2300, the claim without its providers and lines.
func (e *encoder) detail(c *Claim) {
	f := e.Fields()
	f.Segment("CLM")
	c.fields(f)
	f.Put(2, x12.Cents(int64(c.Charge()))).Put(6, "Y") // the provider's signature is on file
	f.Put(5, x12.Composite(cmp.Or(code(c.PlaceOfService), "11"), "B", cmp.Or(code(c.Frequency), FrequencyOriginal)))
	if a := c.Accident; a != nil {
		f.Put(11, x12.Composite(cmp.Or(code(a.Cause), CauseOther), "", "", x12.Clip(a.State, x12.MaxState)))
	}
	if c.Predetermination {
		f.Put(19, "PB")
	}
	c.dates(f)
	if o := c.Orthodontics; o != nil {
		o.write(f)
	}
	c.writeTeeth(f)
	attachments := c.Attachments[:min(len(c.Attachments), MaxAttachments)]
	for _, a := range attachments {
		if number := x12.Clip(a.Number, x12.MaxReference); number != "" {
			e.Segment("PWK", cmp.Or(code(a.ReportType), ReportOther), "EL", "", "", "AC", number)
		}
	}
	if c.PatientPaid != 0 {
		paid := &c.PatientPaid
		amount(f, "F5", &paid)
	}
	c.references(f)
	e.notes(attachments, c.Note)
	e.diagnoses(c.Diagnoses)
}

// write writes DN1. DN104 says that the services are orthodontic when no months do.
func (o *Orthodontics) write(f *x12.Fields) {
	f.Segment("DN1")
	for i, months := range []int{o.TotalMonths, o.MonthsRemaining} {
		if months > 0 {
			f.Put(i+1, x12.Int(months))
		}
	}
	if o.TotalMonths <= 0 && o.MonthsRemaining <= 0 {
		f.Put(4, "Y")
	}
}

// writeTeeth writes DN2, at most MaxTeethStatus.
func (c *Claim) writeTeeth(f *x12.Fields) {
	room := MaxTeethStatus
	add := func(teeth []string, status x12.Element) {
		for _, tooth := range teeth {
			if t := code(tooth); t != "" && room > 0 {
				f.Segment("DN2")
				f.Put(1, t).Put(2, status).Put(6, "JP")
				room--
			}
		}
	}
	add(c.MissingTeeth, "M")
	add(c.TeethToExtract, "E")
}

// diagnoses writes HI. The guide wants codes without their point.
func (e *encoder) diagnoses(all []string) {
	n, f := 0, e.Fields()
	f.Optional("HI")
	for _, d := range all {
		t := x12.Clip(strings.ReplaceAll(d, ".", ""), maxDiagnosis)
		if t == "" || n == MaxDiagnoses {
			continue
		}
		qualifier := x12.Element("ABF")
		if n == 0 {
			qualifier = "ABK"
		}
		n++
		f.Put(n, x12.Composite(qualifier, t))
	}
}

// notes writes the NTE segments. The attachments' notes come first, because payers
// look there for attachment numbers. The claim's own note gets the space left, at
// most 80 characters for each segment.
func (e *encoder) notes(attachments []Attachment, own string) {
	room := e.notesOf
	add := func(t x12.Element) {
		if room > 0 {
			e.Segment("NTE", "ADD", t)
			room--
		}
	}
	var unnumbered string // notes that do not start with an attachment's number
	for _, a := range attachments {
		if t := x12.Clip(a.Note, maxNote); isAbout(string(t), string(x12.Clip(a.Number, x12.MaxReference))) {
			add(t)
		} else {
			unnumbered += string(t) + " "
		}
	}
	text := unnumbered + string(x12.Text(own))
	parts := split(text, maxNote)
	if len(parts) > room {
		parts = chop(text)
	}
	for _, part := range parts {
		add(x12.Element(part))
	}
}

// isAbout reports whether a note starts with the number of an attachment.
func isAbout(note, number string) bool {
	rest, ok := strings.CutPrefix(note, number)
	return ok && number != "" && (rest == "" || rest[0] == ' ')
}

// chop cuts a text into parts of maxNote characters. It may split a word, because a
// split word is still readable and an omitted one is lost.
func chop(text string) (parts []string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		n := min(maxNote, len(text))
		parts, text = append(parts, strings.TrimSpace(text[:n])), text[n:]
	}
	return parts
}

// split cuts a text into parts of at most limit characters, between words if
// possible.
func split(text string, limit int) (parts []string) {
	var part string
	for word := range strings.FieldsSeq(text) {
		for len(word) > limit {
			if part != "" {
				parts, part = append(parts, part), ""
			}
			parts, word = append(parts, word[:limit]), word[limit:]
		}
		switch {
		case word == "":
		case part == "":
			part = word
		case len(part)+1+len(word) <= limit:
			part += " " + word
		default:
			parts, part = append(parts, part), word
		}
	}
	if part != "" {
		parts = append(parts, part)
	}
	return parts
}

// line writes loop 2400. The payer repeats the line's number in an 835 (REF 6R).
func (e *encoder) line(c *Claim, i int) {
	l, f, number := &c.Lines[i], e.Fields(), strconv.Itoa(i+1)
	e.Segment("LX", x12.Element(number))
	f.Segment("SV3")
	l.fields(f)
	if place := code(l.PlaceOfService); place != cmp.Or(code(c.PlaceOfService), "11") { // the guide wants only a place that differs
		f.Put(3, place)
	}
	at := 1
	for _, p := range l.DiagnosisPointers {
		if p >= 1 && p <= MaxDiagnoses && at <= MaxDiagnoses {
			f.PutComponent(11, at, x12.Int(p))
			at++
		}
	}
	for k := range l.Teeth[:min(len(l.Teeth), MaxTeeth)] {
		if t := &l.Teeth[k]; code(t.Number) != "" {
			f.Segment("TOO")
			t.fields(f)
		}
	}
	l.loop(f, number, c.Predetermination)
	for j := range l.Adjudications[:min(len(l.Adjudications), MaxAdjudications)] {
		e.adjudication(l, &l.Adjudications[j])
	}
}

// adjudication writes loop 2430. Without a payer's ID it would say nothing.
func (e *encoder) adjudication(l *Line, a *Adjudication) {
	payer := x12.Clip(a.PayerID, x12.MaxID)
	if payer == "" {
		return
	}
	procedure := cmp.Or(x12.Clip(a.Procedure, x12.MaxProcedure), x12.Clip(l.Procedure, x12.MaxProcedure))
	e.Segment("SVD", payer, x12.Cents(int64(a.Paid)), x12.Composite("AD", procedure), "", x12.Int(max(a.Quantity, 0)))
	a.loop(e.Fields())
}

// datedIn reports whether a line states when the payer adjudicated it.
func datedIn(lines []Line, id string) bool {
	payer := x12.Clip(id, x12.MaxID)
	for i := range lines {
		l := &lines[i]
		for j := range l.Adjudications[:min(len(l.Adjudications), MaxAdjudications)] {
			if a := &l.Adjudications[j]; !a.PaymentDate.IsZero() && x12.Clip(a.PayerID, x12.MaxID) == payer && payer != "" {
				return true
			}
		}
	}
	return false
}

func code(s string) x12.Element { return x12.Clip(s, maxCode) }
