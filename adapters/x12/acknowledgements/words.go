package acknowledgements

import (
	"strconv"

	"github.com/molar-billing/molar/adapters/x12"
)

// Words explains why the interchange was rejected.
func (i *InterchangeVerdict) Words() string {
	return "The interchange was rejected: " + orCode(interchangeFault(i.Note), i.Note) + "."
}

// words lists the faults of the group itself.
func (g *GroupVerdict) words() (all []string) {
	for _, f := range g.Faults {
		all = append(all, "The functional group: "+orCode(groupFault(f), f)+".")
	}
	return all
}

// Words lists the faults of the set, a sentence for each, in the order of the
// file. It quotes no value that was sent.
func (s *SetVerdict) Words() (all []string) {
	for _, f := range s.Faults {
		if f != "5" && f != "I5" || len(s.Segments) == 0 { // the segments themselves say that segments are in error
			all = append(all, "The transaction set: "+orCode(setFault(f), f)+".")
		}
	}
	for i := range s.Segments {
		all = append(all, s.Segments[i].words()...)
	}
	return all
}

func (f *SegmentFault) words() (all []string) {
	where := "Segment " + strconv.Itoa(f.Position)
	if id := code(f.ID); id != "" {
		where += " (" + string(id) + ")"
	}
	if loop := x12.Clip(f.Loop, maxLoop); loop != "" {
		where += " in loop " + string(loop)
	}
	if f.Code != "8" || len(f.Elements) == 0 { // the elements themselves say that elements are in error
		all = append(all, where+": "+orCode(segmentFault(f.Code), f.Code)+".")
	}
	for _, e := range f.Elements {
		at := ", element " + strconv.Itoa(e.Position)
		if e.Component > 0 {
			at += ", component " + strconv.Itoa(e.Component)
		}
		if e.Repetition > 0 {
			at += ", repetition " + strconv.Itoa(e.Repetition)
		}
		all = append(all, where+at+": "+orCode(elementFault(e.Code), e.Code)+".")
	}
	return all
}

// orCode returns the words with the code behind them. It drops a value that is
// too long for a code.
func orCode(words, sent string) string {
	c := string(code(sent))
	switch {
	case words == "" && c == "":
		return "no reason was given"
	case words == "":
		return "fault " + c
	default:
		return words + " (" + c + ")"
	}
}

// interchangeFault describes TA105.
func interchangeFault(code string) string {
	switch code {
	case "001", "018":
		return "its control number is wrong, or differs between header and trailer"
	case "002", "003", "017":
		return "its version is not supported"
	case "004", "026", "027":
		return "a delimiter is invalid"
	case "005", "006":
		return "the sender is unknown"
	case "007", "008":
		return "the receiver is unknown"
	case "010", "011", "012", "013":
		return "its authorization or security information is invalid"
	case "014", "015":
		return "its date or time is invalid"
	case "019", "020":
		return "its acknowledgement or usage indicator is invalid"
	case "021":
		return "the number of functional groups is wrong"
	case "022":
		return "its envelopes are not nested correctly"
	case "009", "016", "023", "024":
		return "it is damaged or ends too early"
	case "025":
		return "its control number was used before"
	default:
		return ""
	}
}

// groupFault describes AK905 to AK909.
func groupFault(code string) string {
	switch code {
	case "1":
		return "its kind is not supported"
	case "2":
		return "its version is not supported"
	case "3":
		return "its trailer is missing"
	case "4":
		return "its control number differs between header and trailer"
	case "5":
		return "the number of transaction sets is wrong"
	case "6":
		return "its control number is malformed"
	case "10", "11", "12", "13", "14", "15", "16", "17", "18":
		return "its security could not be checked"
	case "19":
		return "its control number was used before"
	default:
		return ""
	}
}

// setFault describes IK502 to IK506 and AK502 to AK506.
func setFault(code string) string {
	switch code {
	case "1":
		return "its kind is not supported"
	case "2":
		return "its trailer is missing"
	case "3":
		return "its control number differs between header and trailer"
	case "4":
		return "the number of segments is wrong"
	case "5", "I5":
		return "it has faulty segments"
	case "6":
		return "its kind is missing or malformed"
	case "7":
		return "its control number is missing or malformed"
	case "8", "9", "10", "11", "12", "13", "15", "16", "17":
		return "its security could not be checked"
	case "18":
		return "it does not belong in its functional group"
	case "19", "I6":
		return "its implementation guide is not supported"
	case "23":
		return "its control number was used before in the functional group"
	default:
		return ""
	}
}

// segmentFault describes IK304 and AK304.
func segmentFault(code string) string {
	switch code {
	case "1":
		return "there is no such segment"
	case "2":
		return "the segment is not expected here"
	case "3":
		return "a required segment is missing"
	case "4":
		return "the loop occurs too often"
	case "5":
		return "the segment occurs too often"
	case "6":
		return "the segment does not belong to the transaction set"
	case "7":
		return "the segment is out of order"
	case "8":
		return "the segment has faulty elements"
	case "I4", "I9":
		return "the guide does not use the segment here"
	case "I6":
		return "a segment that the guide requires here is missing"
	case "I7":
		return "the loop occurs too rarely"
	case "I8":
		return "the segment occurs too rarely"
	default:
		return ""
	}
}

// elementFault describes IK403 and AK403.
func elementFault(code string) string {
	switch code {
	case "1":
		return "a required value is missing"
	case "2", "I9":
		return "a value that is required here is missing"
	case "3":
		return "there are too many elements"
	case "4":
		return "the value is too short"
	case "5":
		return "the value is too long"
	case "6":
		return "the value has a character that is not allowed"
	case "7":
		return "the code is not one of the list"
	case "8":
		return "the date is invalid"
	case "9":
		return "the time is invalid"
	case "10":
		return "the value excludes another"
	case "12":
		return "there are too many repetitions"
	case "13":
		return "there are too many components"
	case "I6":
		return "the guide does not use the code"
	case "I10", "I13":
		return "the guide does not use the element here"
	case "I11":
		return "there are too few repetitions"
	case "I12":
		return "the value does not have the form that the guide requires"
	default:
		return ""
	}
}
