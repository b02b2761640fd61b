package claims

import (
	"cmp"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
)

// detail writes loop 2300, the claim without its lines.
func (e *encoder) detail(c *Claim) {
	place := x12.Composite(cmp.Or(code(c.PlaceOfService), "11"), "B", cmp.Or(code(c.Frequency), FrequencyOriginal))
	// CLM06: the provider's signature is on file.
	elements := [19]x12.Element{
		0: x12.Clip(c.PatientControlNumber, maxControl), 1: x12.Cents(int64(c.Charge())), 4: place,
		5: "Y", 6: cmp.Or(code(c.Assignment), AssignmentAccepted), 7: cmp.Or(code(c.BenefitsAssigned), BenefitsToProvider), 8: cmp.Or(code(c.Release), ReleaseSigned),
	}
	if a := c.Accident; a != nil {
		elements[10] = x12.Composite(cmp.Or(code(a.Cause), CauseOther), "", "", x12.Clip(a.State, maxState))
	}
	if c.Predetermination {
		elements[18] = "PB"
	}
	e.Segment("CLM", elements[:]...)
	if c.Accident != nil {
		e.date("439", c.Accident.Date)
	}
	if o := c.Orthodontics; o != nil {
		e.date("452", o.ApplianceDate)
	}
	if !c.Predetermination {
		e.date("472", c.ServiceDate)
	}
	if o := c.Orthodontics; o != nil {
		e.orthodontics(o)
	}
	e.teeth(c)
	attachments := c.Attachments[:min(len(c.Attachments), MaxAttachments)]
	for _, a := range attachments {
		if number := x12.Clip(a.Number, maxReference); number != "" {
			e.Segment("PWK", cmp.Or(code(a.ReportType), ReportOther), "EL", "", "", "AC", number)
		}
	}
	if c.PatientPaid != 0 {
		e.amount("F5", c.PatientPaid)
	}
	e.reference("G3", x12.Clip(c.PredeterminationNumber, maxReference))
	e.reference("F8", x12.Clip(c.PayerClaimNumber, maxReference))
	e.reference("9F", x12.Clip(c.ReferralNumber, maxReference))
	e.reference("G1", x12.Clip(c.PriorAuthorization, maxReference))
	e.notes(attachments, c.Note)
	e.diagnoses(c.Diagnoses)
}

// orthodontics writes DN1. DN104 says that the services are orthodontic
// when no months do.
func (e *encoder) orthodontics(o *Orthodontics) {
	var months [4]x12.Element
	if o.TotalMonths > 0 {
		months[0] = x12.Int(o.TotalMonths)
	}
	if o.MonthsRemaining > 0 {
		months[1] = x12.Int(o.MonthsRemaining)
	}
	if months == [4]x12.Element{} {
		months[3] = "Y"
	}
	e.Segment("DN1", months[:]...)
}

// teeth writes DN2, at most MaxTeethStatus.
func (e *encoder) teeth(c *Claim) {
	room := MaxTeethStatus
	add := func(teeth []string, status x12.Element) {
		for _, tooth := range teeth {
			if t := code(tooth); t != "" && room > 0 {
				e.Segment("DN2", t, status, "", "", "", "JP")
				room--
			}
		}
	}
	add(c.MissingTeeth, "M")
	add(c.TeethToExtract, "E")
}

// diagnoses writes HI. The guide wants codes without their point.
func (e *encoder) diagnoses(all []string) {
	var codes [MaxDiagnoses]x12.Element
	n := 0
	for _, d := range all {
		t := x12.Clip(strings.ReplaceAll(d, ".", ""), maxDiagnosis)
		if t == "" || n == MaxDiagnoses {
			continue
		}
		qualifier := x12.Element("ABF")
		if n == 0 {
			qualifier = "ABK"
		}
		codes[n] = x12.Composite(qualifier, t)
		n++
	}
	if n > 0 {
		e.Segment("HI", codes[:n]...)
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
		if t := x12.Clip(a.Note, maxNote); isAbout(string(t), string(x12.Clip(a.Number, maxReference))) {
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
	l, number := &c.Lines[i], x12.Int(i+1)
	e.Segment("LX", number)
	place := code(l.PlaceOfService)
	if place == cmp.Or(code(c.PlaceOfService), "11") {
		place = "" // the guide wants only a place that differs
	}
	e.Segment("SV3", service(l), x12.Cents(int64(l.Fee)), place, codes(l.OralCavity, maxCavities), code(l.Prosthesis), x12.Int(max(l.Quantity, 1)),
		"", "", "", "", pointers(l.DiagnosisPointers))
	for _, t := range l.Teeth[:min(len(l.Teeth), MaxTeeth)] {
		if number := code(t.Number); number != "" {
			e.Segment("TOO", "JP", number, codes(t.Surfaces, maxSurfaces))
		}
	}
	if !c.Predetermination {
		e.date("472", l.ServiceDate)
	}
	e.date("441", l.PriorPlacement)
	e.reference("6R", number)
	e.provider("82", "PE", &l.Rendering)
	for j := range l.Adjudications[:min(len(l.Adjudications), MaxAdjudications)] {
		e.adjudication(l, &l.Adjudications[j])
	}
}

// service returns SV301.
func service(l *Line) x12.Element {
	all := [2 + MaxModifiers]x12.Element{"AD", x12.Clip(l.Procedure, maxProcedure)}
	n := 2
	for _, m := range l.Modifiers {
		if t := x12.Clip(m, maxModifier); t != "" && n < len(all) {
			all[n] = t
			n++
		}
	}
	return x12.Composite(all[:n]...)
}

// pointers returns SV311.
func pointers(all []int) x12.Element {
	var to [MaxDiagnoses]x12.Element
	n := 0
	for _, p := range all {
		if p >= 1 && p <= MaxDiagnoses && n < MaxDiagnoses {
			to[n] = x12.Int(p)
			n++
		}
	}
	return x12.Composite(to[:n]...)
}

// codes returns a composite of at most limit codes.
func codes(values []string, limit int) x12.Element {
	var all [max(maxCavities, maxSurfaces)]x12.Element
	n := 0
	for _, v := range values {
		if t := code(v); t != "" && n < limit {
			all[n] = t
			n++
		}
	}
	return x12.Composite(all[:n]...)
}
