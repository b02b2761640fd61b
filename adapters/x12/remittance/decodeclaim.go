package remittance

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// enterClaim starts a claim. It reuses the memory of the claim before the last one,
// because the caller no longer needs that. Lists keep their capacity.
func (d *Decoder) enterClaim(s *x12.Segment) {
	c := &d.two[d.claims%2]
	d.claims++
	d.claim, d.since = c, s.Offset
	c.empty()
	c.Ordinal, c.Segment, c.Offset = d.claims, s.Ordinal, s.Offset
	c.ControlNumber, c.Status = s.Element(1), s.Element(2)
	c.FilingCode, c.PayerControlNumber, c.PlaceOfService, c.Frequency = code(s, 6), s.Element(7), s.Element(8), s.Element(9)
	c.Charge, c.Paid = d.required(s, s.Element(3)), d.required(s, s.Element(4))
	if e := s.Element(5); e == "" {
		return
	} else if share, err := parseMoney(e); err == nil {
		c.PatientResponsibility = &share
	} else {
		d.warnAt(s.Ordinal, s.Offset, ReasonResponsibility)
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
// before the first line.
func (d *Decoder) claimSegment(s *x12.Segment) {
	c := d.claim
	switch s.ID {
	case "SVC":
		d.svc(s)
	case "NM1":
		c.Names = append(c.Names, Name{
			Entity: code(s, 1), Kind: s.Element(2), Last: s.Element(3), First: s.Element(4), Middle: s.Element(5),
			Suffix: s.Element(7), IDQualifier: code(s, 8), ID: s.Element(9),
		})
	case "PER":
		c.Contacts = append(c.Contacts, contactOf(s))
	case "MIA":
		c.Inpatient = elements(s)
	case "MOA":
		c.Outpatient = elements(s)
	default:
		d.detail(s)
	}
}

// detail reads a segment that both claims and lines have.
func (d *Decoder) detail(s *x12.Segment) {
	c := d.claim
	adjustments, dates, references, amounts := &c.Adjustments, &c.Dates, &c.References, &c.Amounts
	line := d.line()
	if line != nil {
		adjustments, dates, references, amounts = &line.Adjustments, &line.Dates, &line.References, &line.Amounts
	}
	switch s.ID {
	case "CAS":
		*adjustments = d.cas(*adjustments, s)
	case "DTM":
		*dates = append(*dates, Date{s.Element(1), day(s, 2)})
	case "REF":
		*references = append(*references, Reference{code(s, 1), s.Element(2)})
	case "AMT":
		if value, err := parseMoney(s.Element(2)); err == nil {
			*amounts = append(*amounts, Amount{code(s, 1), value})
		} else {
			d.warnAt(s.Ordinal, s.Offset, "an amount beside the balance (AMT) cannot be read")
		}
	case "LQ":
		if line != nil {
			line.Remarks = append(line.Remarks, Remark{code(s, 1), code(s, 2)})
		}
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
	line.Charge, line.Paid = d.optional(s, s.Element(2)), d.optional(s, s.Element(3))
	line.Revenue, line.Units, line.SubmittedUnits = code(s, 4), s.Element(5), s.Element(7)
}

// cas appends the adjustments of a CAS: up to six triples, any of which may be
// empty.
func (d *Decoder) cas(list []Adjustment, s *x12.Segment) []Adjustment {
	group := code(s, 1)
	for n := 2; n <= s.Len(); n += 3 {
		if reason, value := code(s, n), s.Element(n+1); reason != "" || value != "" {
			list = append(list, Adjustment{group, reason, d.optional(s, value), s.Element(n + 2)})
		}
	}
	return list
}

// required reads a mandatory amount of the claim.
func (d *Decoder) required(s *x12.Segment, e string) billing.Money {
	value, err := parseMoney(e)
	if err != nil {
		d.unread(s)
	}
	return value
}

// optional reads an amount of the claim, zero when absent.
func (d *Decoder) optional(s *x12.Segment, e string) billing.Money {
	if e == "" {
		return 0
	}
	return d.required(s, e)
}

// unread records that an amount of the claim is unreadable, once for each segment. The
// claim then does not count as balanced.
func (d *Decoder) unread(s *x12.Segment) {
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
	d.warnAt(s.Ordinal, s.Offset, ReasonProcedure)
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

// elements returns all elements of a segment, or nil when all are empty.
func elements(s *x12.Segment) []string {
	var all []string
	for n := range s.Len() {
		if e := s.Element(n + 1); e != "" {
			all = append(all, make([]string, n+1-len(all))...)
			all[n] = e
		}
	}
	return all
}
