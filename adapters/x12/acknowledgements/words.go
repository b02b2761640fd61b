package acknowledgements

import (
	_ "embed" // the words that ship with the service
	"strconv"
	"strings"
	"sync"

	"github.com/molar-billing/molar/adapters/x12"
)

// Words explains why the interchange was rejected.
func (i *InterchangeVerdict) Words() string {
	return "The interchange was rejected: " + faultWords("TA105", i.Note) + "."
}

// words lists the faults of the group itself.
func (g *GroupVerdict) words() (all []string) {
	for _, f := range g.Faults {
		all = append(all, "The functional group: "+faultWords("AK905", f)+".")
	}
	return all
}

// Words lists the faults of the set, a sentence for each, in the order of the
// file. It quotes no value that was sent.
func (s *SetVerdict) Words() (all []string) {
	for _, f := range s.Faults {
		if f != "5" && f != "I5" || len(s.Segments) == 0 { // the segments themselves say that segments are in error
			all = append(all, "The transaction set: "+faultWords("AK502", f)+".")
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
		all = append(all, where+": "+faultWords("AK304", f.Code)+".")
	}
	for _, e := range f.Elements {
		at := ", element " + strconv.Itoa(e.Position)
		if e.Component > 0 {
			at += ", component " + strconv.Itoa(e.Component)
		}
		if e.Repetition > 0 {
			at += ", repetition " + strconv.Itoa(e.Repetition)
		}
		all = append(all, where+at+": "+faultWords("AK403", e.Code)+".")
	}
	return all
}

// faultWords describes a fault of an element, with its code. It drops a value that is too
// long for a code.
func faultWords(element, sent string) string {
	c := string(code(sent))
	switch said := wordsOf(element, sent); {
	case said == "" && c == "":
		return "no reason was given"
	case said == "":
		return "fault " + c
	default:
		return said + " (" + c + ")"
	}
}

//go:embed words.tsv
var shippedWords string

// words holds the entries of the file by list and code. The lists are the elements of the
// faults (a 999 has the codes of a 997, and more), what a payer asks for by status
// category, and the document types (LOINC) that payers request most often.
//
//nolint:gochecknoglobals // a constant table, read at first use
var words = sync.OnceValue(func() map[[2]string]string {
	table := map[[2]string]string{}
	for line := range strings.Lines(shippedWords) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		table[[2]string{columns[0], columns[1]}] = columns[2]
	}
	return table
})

// wordsOf describes a code of a list in this package's words. It returns an empty string
// for an unknown one.
func wordsOf(list, code string) string { return words()[[2]string{list, code}] }
