package edi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

var _ ports.ClaimsEDI = (*Codec)(nil)

// Kind tells what a file is by its first transaction set that is of use here. A
// file with nothing but a TA1 is an acknowledgement.
func (*Codec) Kind(content []byte) (kind billing.FileKind, err error) {
	defer refuse(&err)
	_, err = walk(content, func(s *x12.Segment, set string) error {
		switch {
		case s.ID == "TA1":
			kind = billing.FileAcknowledgement
		case s.ID != "ST":
		case set == setRemittance:
			kind = billing.FileRemittance
			return io.EOF
		case isFunctional(set) || set == setStatus:
			kind = billing.FileAcknowledgement
			return io.EOF
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if kind == "" {
		return "", &x12.Error{Segment: 1, Reason: "the file has neither acknowledgements (997, 999, TA1, 277) nor remittances (835)"}
	}
	return kind, nil
}

// The transaction sets that come back for claims, beside 997 and 999.
const (
	setStatus     = "277"
	setRemittance = "835"
)

func isFunctional(set string) bool { return set == "997" || set == "999" }

// walk shows the segments to look, with the transaction set that they are in,
// until the file ends or look gives io.EOF. It gives the control numbers of the
// first interchange, group and transaction set. What follows the last
// interchange and is none is of no interest.
func walk(content []byte, look func(s *x12.Segment, set string) error) (billing.ControlNumbers, error) {
	in := x12.NewReader(bytes.NewReader(content), x12.Limits{})
	var numbers billing.ControlNumbers
	for {
		s, err := in.Next()
		if e, ok := errors.AsType[*x12.Error](err); ok && e.Reason == x12.ReasonTrailing || errors.Is(err, io.EOF) {
			return numbers, nil
		}
		if err != nil {
			return billing.ControlNumbers{}, err
		}
		set := in.Set().ID
		switch {
		case s.ID == "ISA" && numbers.Interchange == "":
			numbers.Interchange = clip(s.Element(13))
		case s.ID == "GS" && numbers.Group == "":
			numbers.Group = clip(s.Element(6))
		case s.ID == "ST" && numbers.Transaction == "":
			numbers.Transaction = clip(s.Element(2))
		}
		if err := look(s, set); errors.Is(err, io.EOF) {
			return numbers, nil
		} else if err != nil {
			return billing.ControlNumbers{}, err
		}
	}
}

// padded is a control number as files of ours have it, with nine digits:
// whoever repeats one may leave out the zeros in front. Others stay as they are.
func padded(s string) string {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || keep(s, isDigit) != s || len(s) > maxControl {
		return clip(s)
	}
	return fmt.Sprintf("%0*d", maxControl, n)
}

// maxIdentifier bounds what things are looked up by. No guide has a longer
// identifier, and no index takes one of any length.
const maxIdentifier = 100

// clip cuts an identifier that is too long for one.
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

// refuse is deferred by what reads files from outside: one on which a reader
// itself fails is refused like any other that cannot be read, so that it is kept
// for a person to look at and stops nothing behind it.
func refuse(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the service failed on the file (%T): keep it, and report the fault", p)
	}
}
