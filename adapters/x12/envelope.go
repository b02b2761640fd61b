package x12

import (
	"strconv"
	"time"
)

// Delimiters are the four characters that structure an interchange.
// Repetition is 0 in versions before 00402, which have none.
type Delimiters struct {
	Element, Component, Repetition, Segment byte
}

// Interchange is an ISA segment. Created is precise to the minute and read as
// UTC.
type Interchange struct {
	SenderQualifier   string // such as "ZZ", mutually defined
	Sender            string
	ReceiverQualifier string
	Receiver          string
	Created           time.Time
	Version           string // such as "00501"
	Control           int    // ISA13, at most nine digits
	Test              bool   // ISA15 is T
}

// Group is a GS segment. Created is read as UTC.
type Group struct {
	FunctionalID string // GS01, such as "HS" for a 270
	Sender       string
	Receiver     string
	Created      time.Time
	Control      int    // GS06, at most nine digits
	Version      string // GS08, such as "005010X279A1"
}

// Set is an ST segment.
type Set struct {
	ID      string // the transaction set, such as "271"
	Control string // ST02
	Version string // ST03; empty before 5010
}

// Warning reports a harmless fault, such as a segment count that does not match.
type Warning struct {
	Segment int
	Offset  int
	Reason  string
}

// Warnings are the first hundred.
type Warnings []Warning

// Add adds a fault of a segment.
func (w *Warnings) Add(s *Segment, reason string) { w.AddAt(s.Ordinal, s.Offset, reason) }

// AddAt adds a fault of an earlier segment.
func (w *Warnings) AddAt(segment, offset int, reason string) {
	if len(*w) < 100 {
		*w = append(*w, Warning{segment, offset, reason})
	}
}

// Error reports where and why the input is not X12, or lacks the requested
// transaction set. Its text never quotes an element.
type Error struct {
	Segment int // ordinal, from 1; 0 when the input has no segment
	Offset  int // of the first byte of the segment
	Reason  string
}

// ReasonTrailing is the Reason of the Error if text that is not an interchange follows
// a whole one. The interchanges before it are valid.
const ReasonTrailing = "there is more after the interchange trailer (IEA)"

// The reasons of warnings.
const (
	ReasonControl = "the control number is not the header's"
	ReasonInvalid = "a segment with an invalid ID was skipped"
	ReasonUnknown = "a segment outside transaction sets was skipped"
	ReasonMIME    = "a MIME header before the interchange was skipped"
)

func (e *Error) Error() string {
	return "x12: segment " + strconv.Itoa(e.Segment) + " at byte " + strconv.Itoa(e.Offset) + ": " + e.Reason
}

// ParseTime reads a date (CCYYMMDD or YYMMDD) and a time (HHMM, HHMMSS,
// HHMMSSD or HHMMSSDD, D for tenths and hundredths) as UTC. It returns the zero
// Time when it cannot read them.
func ParseTime(date, clock string) time.Time {
	layout := "20060102"
	if len(date) == 6 {
		layout = "060102"
	}
	day, err := time.Parse(layout, date)
	if err != nil || day.Year() < 1 {
		return time.Time{}
	}
	if !digits(clock) || len(clock) != 4 && (len(clock) < 6 || len(clock) > 8) {
		return time.Time{}
	}
	field := func(i int) int {
		n, _ := strconv.Atoi((clock + "00000000")[i : i+2])
		return n
	}
	h, m, s := field(0), field(2), field(4)
	if h > 23 || m > 59 || s > 59 {
		return time.Time{}
	}
	return day.Add(time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second +
		time.Duration(field(6))*10*time.Millisecond)
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
