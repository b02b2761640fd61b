package advice

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing/directory"
)

// Need is what goes with a claim.
type Need string

// The needs.
const (
	XRay             Need = "xray"
	PeriodontalChart Need = "periodontal_chart"
	PathologyReport  Need = "pathology_report"
	OperativeReport  Need = "operative_report"
	Narrative        Need = "narrative"
	PrimaryDecision  Need = "primary_decision" // what the payer before paid, by line
	Photo            Need = "photo"
)

// Needs returns every need, in the order of advice.
func Needs() []Need {
	return []Need{XRay, PeriodontalChart, PathologyReport, OperativeReport, Narrative, PrimaryDecision, Photo}
}

// Code names what a claim lacks, or has too much.
type Code string

// The codes: those of the needs in their order, and that the payer wants no documents before it
// asks for them.
const (
	XRayMissing             Code = "xray_missing"
	PeriodontalChartMissing Code = "periodontal_chart_missing"
	PathologyReportMissing  Code = "pathology_report_missing"
	OperativeReportMissing  Code = "operative_report_missing"
	NarrativeMissing        Code = "narrative_missing"
	PrimaryDecisionMissing  Code = "primary_decision_missing"
	PhotoMissing            Code = "photo_missing"
	DocumentsUnwanted       Code = "documents_unwanted"
)

// Codes returns every code, in the order of advice.
func Codes() []Code {
	return []Code{
		XRayMissing, PeriodontalChartMissing, PathologyReportMissing, OperativeReportMissing, NarrativeMissing, PrimaryDecisionMissing, PhotoMissing,
		DocumentsUnwanted,
	}
}

// missing returns the code for a need that a claim does not meet.
func (n Need) missing() Code { return Codes()[slices.Index(Needs(), n)] }

// words says what a need is, and how it is met.
type words struct {
	what, fix string
	types     []string // of the documents that meet it; see attachment.DocumentTypes
}

func (n Need) words() words {
	switch n {
	case XRay:
		return words{"an X-ray", "Attach an X-ray, such as bitewings or a periapical.", []string{"10", "11", "12", "13", "14", "15", "16"}}
	case PeriodontalChart:
		return words{"a periodontal chart", "Attach the periodontal chart.", []string{"7"}}
	case PathologyReport:
		return words{"a pathology report", "Attach the pathology report, as a report or a diagnosis.", []string{"5", "6"}}
	case OperativeReport:
		return words{"an operative report", "Attach the operative report, as a report or progress notes.", []string{"6", "8"}}
	case Narrative:
		return words{"a narrative", "Write a note on the claim, or attach a narrative.", []string{"2"}}
	case PrimaryDecision:
		return words{"the decision of the payer before, by line", "Enter what that payer decided, or attach its explanation of benefits.", []string{"1"}}
	case Photo:
		return words{"an intraoral photo", "Attach an intraoral photo.", []string{"9"}}
	}
	return words{string(n), "Attach it.", nil}
}

// Advice is what a payer wants to see and a claim does not have, or the reverse.
type Advice struct {
	Code    Code
	Message string
	Fix     string
	Rule    Source
}

// Ignored is advice that a person sent a claim without.
type Ignored struct {
	Code   Code
	Reason string
	By     string // the key or the user
	At     time.Time
}

// Case is a claim as advice sees it.
type Case struct {
	Payer      directory.PayerSummary
	Later      bool     // it goes to a payer after another one
	Rejected   bool     // its payer or the clearinghouse rejected it
	Procedures []string // by line, in capitals; empty for a line without one
	Documents  []string // the types of what is attached
	Narrative  bool     // a text goes with it
	Itemized   bool     // it says what the payer before decided, by line
}

// meets reports whether what goes with the claim meets a need.
func (k *Case) meets(n Need) bool {
	switch {
	case n == Narrative && k.Narrative, n == PrimaryDecision && k.Itemized:
		return true
	}
	return slices.ContainsFunc(k.Documents, func(kind string) bool { return slices.Contains(n.words().types, kind) })
}

// is reports whether the claim is at the point at which a rule asks.
func (k *Case) is(at When) bool {
	switch at {
	case Initial:
		return !k.Later && !k.Rejected
	case Secondary:
		return k.Later
	case Rejected:
		return k.Rejected
	case Always:
		return true
	}
	return false
}

// wanted is a need, and the lines that have it.
type wanted struct {
	by    Source
	codes []string
	lines []string
}

// Advise returns what the claim lacks, by the first rules that fit each line: the organization's
// for the payer, else its rules for all payers, else what the payer publishes. A rule without
// needs says that its procedures need nothing.
func (k *Case) Advise(own []*Rule) (all []Advice) {
	wants := map[Need]*wanted{}
	var nothing *Source
	for i, code := range k.Procedures {
		for _, s := range k.first(own, code) {
			if len(s.needs) == 0 && nothing == nil {
				nothing = &s
			}
			for _, n := range s.needs {
				if k.meets(n) {
					continue
				}
				w := wants[n]
				if w == nil {
					w = &wanted{by: s}
					wants[n] = w
				}
				w.add(code, i+1)
			}
		}
	}
	for _, n := range Needs() {
		if w := wants[n]; w != nil {
			all = append(all, w.advice(n, k.Payer.Name))
		}
	}
	if nothing != nil && len(all) == 0 && len(k.Documents) > 0 && k.onlyNothing(own) {
		all = append(all, nothing.unwanted(k.Payer.Name))
	}
	return all
}

// first returns the highest rules that fit a line. Rules of one rank add up.
func (k *Case) first(own []*Rule, code string) (found []Source) {
	if code == "" {
		return nil
	}
	for _, every := range []bool{false, true} {
		for _, r := range own {
			if r.Payer.ID.IsZero() == every && (every || r.Payer.ID == k.Payer.ID) && k.is(r.When) && includes(r.Codes, code) {
				found = append(found, r.source())
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	for _, r := range published() {
		if r.of(k.Payer) && k.is(r.when) && includes(r.codes, code) {
			found = append(found, r.source())
		}
	}
	return found
}

// onlyNothing reports whether a rule says of every line that it needs nothing.
func (k *Case) onlyNothing(own []*Rule) bool {
	for _, code := range k.Procedures {
		found := k.first(own, code)
		if code != "" && (len(found) == 0 || slices.ContainsFunc(found, func(s Source) bool { return len(s.needs) > 0 })) {
			return false
		}
	}
	return true
}

func (w *wanted) add(code string, line int) {
	if n := fmt.Sprint(line); !slices.Contains(w.lines, n) {
		w.lines = append(w.lines, n)
	}
	if !slices.Contains(w.codes, code) {
		w.codes = append(w.codes, code)
	}
}

func (w *wanted) advice(n Need, payer string) Advice {
	lines := "line "
	if len(w.lines) > 1 {
		lines = "lines "
	}
	text := n.words()
	return Advice{
		Code: n.missing(), Fix: text.fix, Rule: w.by,
		Message: w.by.begin(payer) + " " + text.what + " with " + listed(w.codes) + " (" + lines + listed(w.lines) + ")." + w.by.more(),
	}
}

func (s *Source) unwanted(payer string) Advice {
	return Advice{
		Code: DocumentsUnwanted, Rule: *s,
		Message: payer + " wants no documents before it asks for them: they delay the claim." + s.more(),
		Fix:     "Remove the documents while their attachment is open, unless the payer asked for them.",
	}
}

// begin begins a message about a need.
func (s *Source) begin(payer string) string {
	if s.Origin == Organization {
		return "Your rule asks for"
	}
	return payer + " wants to see"
}

// more returns what a rule says besides.
func (s *Source) more() string {
	if s.note == "" {
		return ""
	}
	return " " + s.note
}

// listed joins words as in a sentence.
func listed(all []string) string {
	if last := len(all) - 1; last > 0 {
		return strings.Join(all[:last], ", ") + " and " + all[last]
	}
	return strings.Join(all, "")
}
