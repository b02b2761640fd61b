package remittance

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
)

// enterClaim starts a claim. It reuses the memory of the claim before the last one,
// because the caller no longer needs that. Lists keep their capacity.
func (d *Decoder) enterClaim(s *x12.Segment) {
	c := &d.two[d.claims%2]
	d.claims++
	d.claim, d.since = c, s.Offset
	c.empty()
	c.Ordinal, c.Segment, c.Offset = d.claims, s.Ordinal, s.Offset
	f := d.read(s)
	if c.fields(f); d.unread {
		d.unreadable(s)
	}
	d.unread = false
	if c.responsibility(f); d.unread {
		c.PatientResponsibility = nil
		d.warnings.Add(s, ReasonResponsibility)
	}
}

// empty clears the optional fields one by one. Overwriting the whole Claim would take
// longer than reading a claim.
func (c *Claim) empty() {
	c.PatientResponsibility, c.Inpatient, c.Outpatient, c.Findings = nil, nil, nil, nil
	c.Names, c.Adjustments, c.Amounts, c.Dates = c.Names[:0], c.Adjustments[:0], c.Amounts[:0], c.Dates[:0]
	c.References, c.Contacts, c.Services = c.References[:0], c.Contacts[:0], c.Services[:0]
}

// claimSegment reads a segment of the claim's latest line, or of the claim itself
// before the first line. Names and contacts always belong to the claim.
func (d *Decoder) claimSegment(s *x12.Segment) {
	f, c := d.read(s), d.claim
	amounts := &c.Amounts
	if f.Segment("SVC") {
		d.svc(s)
	} else if line := d.line(); line != nil {
		amounts = &line.Amounts
		line.loop(f)
	}
	if !f.Taken() {
		c.loop(f)
	}
	switch {
	case !d.unread:
	case s.ID == "AMT":
		*amounts = (*amounts)[:len(*amounts)-1]
		d.warnings.Add(s, "an amount beside the balance (AMT) cannot be read")
	default:
		d.unreadable(s)
	}
}

// line returns the latest line of the claim, or nil before the first.
func (d *Decoder) line() *Service {
	if n := len(d.claim.Services); n > 0 {
		return &d.claim.Services[n-1]
	}
	return nil
}

// svc starts a line. It reuses the memory of an earlier claim's line if possible.
func (d *Decoder) svc(s *x12.Segment) {
	c := d.claim
	c.Services = slices.Grow(c.Services, 1)[:len(c.Services)+1]
	line := d.line()
	line.Segment, line.Dates, line.Adjustments = s.Ordinal, line.Dates[:0], line.Adjustments[:0]
	line.References, line.Amounts, line.Remarks = line.References[:0], line.Amounts[:0], line.Remarks[:0]
	component := d.in.Delimiters().Component
	line.Procedure, line.Submitted = d.procedure(s, 1, component), d.procedure(s, 6, component)
	line.fields(&d.fields)
}

// unreadable records that an amount of the claim is unreadable, once for each segment. The
// claim then does not count as balanced.
func (d *Decoder) unreadable(s *x12.Segment) {
	c := d.claim
	if n := len(c.Findings); n > 0 && c.Findings[n-1].Segment == s.Ordinal {
		return
	}
	f := Finding{Level: LevelClaim, Claim: c.Ordinal, ControlNumber: c.ControlNumber, Segment: s.Ordinal, Unread: true}
	if n := len(c.Services); n > 0 {
		f.Level, f.Line = LevelLine, n
	}
	c.Findings = append(c.Findings, f)
}

// The reasons of warnings about a claim that is still read.
const (
	ReasonResponsibility = "the patient's responsibility (CLP05) cannot be read"
	ReasonProcedure      = "a procedure (SVC) has no qualifier, or another component separator"
)

// procedure reads a procedure. Some payers send no qualifier, and some separate the
// components with a character other than that of the ISA.
func (d *Decoder) procedure(s *x12.Segment, n int, by byte) Procedure {
	e := s.Element(n)
	p := procedureOf(e, by)
	if e == "" || p.Code != "" && p.Qualifier != "" && len(p.Qualifier) < shortestCode {
		return p
	}
	if i := strings.IndexAny(e, ":>|^;/\\+&"); p.Code == "" && i > 0 {
		by = e[i]
		p = procedureOf(e, by)
	}
	if len(p.Qualifier) >= shortestCode {
		p = procedureOf(string(by)+e, by)
	}
	d.warnings.Add(s, ReasonProcedure)
	return p
}

// shortestCode is the length of the shortest procedure code. Qualifiers have two
// characters.
const shortestCode = 4

// procedureOf splits a composite: qualifier, code, four modifiers, description.
func procedureOf(composite string, by byte) (p Procedure) {
	for n := 0; composite != "" && n < 7; n++ {
		part := composite
		if i := strings.IndexByte(composite, by); i >= 0 {
			part, composite = composite[:i], composite[i+1:]
		} else {
			composite = ""
		}
		part = strings.TrimSpace(part)
		switch n {
		case 0:
			p.Qualifier = strings.ToUpper(part)
		case 1:
			p.Code = strings.ToUpper(part)
		case 6:
			p.Description = part
		default:
			if part != "" {
				p.Modifiers = append(p.Modifiers, strings.ToUpper(part))
			}
		}
	}
	return p
}
