package coverage

import (
	"crypto/sha256"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
)

var procedureCode = regexp.MustCompile(`^D[0-9]{4}$`)

// ValidProcedureCode reports whether s has the form of a CDT code.
func ValidProcedureCode(s string) bool { return procedureCode.MatchString(s) }

// Digest returns the same digest for identical checks. Identical checks have
// the same office, payer, subscriber, patient, service date, set of procedure
// codes and detail level. Names and IDs are trimmed and compared without case.
func (c *Check) Digest() [sha256.Size]byte {
	q := c.Inquiry
	fold := func(s string) string { return cases.Fold().String(strings.TrimSpace(s)) }
	group := ""
	if q.Subscriber.GroupNumber != nil {
		group = *q.Subscriber.GroupNumber
	}
	parts := []string{
		c.OfficeID.UUID(), c.Payer.ID.UUID(),
		fold(q.Subscriber.FirstName), fold(q.Subscriber.LastName), q.Subscriber.DateOfBirth.String(),
		fold(q.Subscriber.MemberID), fold(group), q.ServiceDate.String(), string(q.DetailLevel),
	}
	if p := q.Patient; p != nil {
		parts = append(parts, "patient", fold(p.FirstName), fold(p.LastName), p.DateOfBirth.String(), string(p.Relationship))
	}
	if q.Subscriber.Gender != GenderUnknown {
		parts = append(parts, "subscriber's gender", string(q.Subscriber.Gender))
	}
	if q.Patient != nil && q.Patient.Gender != GenderUnknown {
		parts = append(parts, "patient's gender", string(q.Patient.Gender))
	}
	codes := slices.Clone(q.ProcedureCodes)
	slices.Sort(codes)
	parts = append(append(parts, "procedures"), slices.Compact(codes)...)
	h := sha256.New()
	for _, p := range parts {
		h.Write(strconv.AppendQuote(nil, p))
	}
	return [sha256.Size]byte(h.Sum(nil))
}
