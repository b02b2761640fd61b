package claims

import (
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
)

// detail writes loop 2300, the claim without its lines.
func (e *encoder) detail(c *Claim) {
	place := x12.Composite(or(code(c.PlaceOfService), "11"), "B", or(code(c.Frequency), FrequencyOriginal))
	// The provider's signature is on file, the benefits are assigned to the
	// provider, and the patient has agreed to the release of information.
	elements := [19]x12.Element{
		0: x12.Clip(c.PatientControlNumber, maxControl), 1: x12.Cents(int64(c.Charge())), 4: place,
		5: "Y", 6: "A", 7: "Y", 8: "Y",
	}
	if a := c.Accident; a != nil {
		elements[10] = x12.Composite(or(code(a.Cause), CauseOther), "", "", x12.Clip(a.State, maxState))
	}
	if c.Predetermination {
		elements[18] = "PB"
	}
	e.Segment("CLM", elements[:]...)
	if c.Accident != nil {
		e.date("439", c.Accident.Date)
	}
	attachments := c.Attachments[:min(len(c.Attachments), MaxAttachments)]
	for _, a := range attachments {
		if number := x12.Clip(a.Number, maxReference); number != "" {
			e.Segment("PWK", or(code(a.ReportType), ReportOther), "EL", "", "", "AC", number)
		}
	}
	e.reference("F8", x12.Clip(c.PayerClaimNumber, maxReference))
	e.reference("G1", x12.Clip(c.PriorAuthorization, maxReference))
	e.notes(attachments, c.Note)
}

// notes writes the NTE segments. The attachments' notes come first, because payers
// look there for attachment numbers. The claim's own note gets the space left, at
// most 400 characters.
func (e *encoder) notes(attachments []Attachment, own string) {
	room := MaxNotes
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
		parts = chop(text, maxNote)
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

// chop cuts a text into parts of limit characters. It may split a word, because a
// split word is still readable and an omitted one is lost.
func chop(text string, limit int) (parts []string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		n := min(limit, len(text))
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
	e.Segment("SV3", x12.Composite("AD", x12.Clip(l.Procedure, maxProcedure)), x12.Cents(int64(l.Fee)), "",
		codes(l.OralCavity, maxCavities), placement(l), x12.Int(max(l.Quantity, 1)))
	if tooth := code(l.Tooth); tooth != "" {
		e.Segment("TOO", "JP", tooth, codes(l.Surfaces, maxSurfaces))
	}
	if !c.Predetermination {
		e.date("472", l.ServiceDate)
	}
	e.date("441", l.PriorPlacement)
	e.reference("6R", number)
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

// placement returns SV305. R is a replacement of an earlier prosthesis, crown or
// inlay; I is an initial placement. Other services have no code.
func placement(l *Line) x12.Element {
	switch {
	case !l.PriorPlacement.IsZero():
		return "R"
	case isPlaced(l.Procedure):
		return "I"
	default:
		return ""
	}
}

// isPlaced reports whether the procedure's category is inlays, onlays and
// crowns, dentures, or implants and fixed bridges.
func isPlaced(procedure string) bool {
	return len(procedure) == 5 &&
		(procedure >= "D2500" && procedure < "D2800" ||
			procedure >= "D5100" && procedure < "D5300" ||
			procedure >= "D6050" && procedure < "D6080" ||
			procedure >= "D6200" && procedure < "D6800")
}
