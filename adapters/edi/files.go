package edi

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports"
)

var _ ports.ClaimsEDI = (*Codec)(nil)

// Whole returns nil if all of a file can be read; see x12.Whole.
func (*Codec) Whole(content []byte) (err error) {
	defer refuse(&err)
	return x12.Whole(content)
}

// The transaction sets that reply to claims, in addition to 997 and 999.
const (
	setStatus     = "277"
	setRemittance = "835"
)

func isFunctional(set string) bool { return set == "997" || set == "999" }

// walk calls look for each segment with its transaction set. It stops at the end of
// the file, or if look returns io.EOF. It returns the control numbers of the first
// interchange, group and transaction set. It ignores anything after the last
// interchange.
func walk(content []byte, look func(s *x12.Segment, set string) error) (clearing.ControlNumbers, error) {
	in := x12.NewReader(bytes.NewReader(content), x12.Limits{SkipInvalid: true})
	var numbers clearing.ControlNumbers
	err := in.Each(func(s *x12.Segment) error {
		switch {
		case s.ID == "ISA" && numbers.Interchange == "":
			numbers.Interchange = clip(s.Element(13))
		case s.ID == "GS" && numbers.Group == "":
			numbers.Group = clip(s.Element(6))
		case s.ID == "ST" && numbers.Transaction == "":
			numbers.Transaction = clip(s.Element(2))
		}
		return look(s, in.Set().ID)
	})
	if err != nil && !x12.Ended(err) {
		return clearing.ControlNumbers{}, err
	}
	return numbers, nil
}

// padded restores the leading zeros of a control number, which senders may drop when
// they repeat it. Our files have nine digits. Other values stay unchanged.
func padded(s string) string {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || keep(s, isDigit) != s || len(s) > maxControl {
		return clip(s)
	}
	return fmt.Sprintf("%0*d", maxControl, n)
}

// maxIdentifier is the maximum length of an identifier for look-ups. No guide allows
// a longer one, and the length of a database index entry is limited.
const maxIdentifier = 100

// clip cuts an identifier to maxIdentifier.
func clip(s string) string {
	if len(s) <= maxIdentifier {
		return s
	}
	n := maxIdentifier
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}

// refuse turns a panic into an error. Functions that read incoming files defer it.
// The file is then kept for a person to review, and the next files are processed.
func refuse(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the service failed on the file (%T): keep it, and report the fault", p)
	}
}
