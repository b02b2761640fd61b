package appeal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Facts are what a letter is filled from.
type Facts struct {
	Claim   *claim.Record
	Office  *directory.Office
	Decided []claim.Adjudication // what payers decided about the claim
	On      billing.Date         // the date of the letter
	Level   Level
	Reason  string // in the words of the practice
	Papers  int    // enclosed
}

// argument is what a letter says about a reason of the payer.
type argument struct {
	reasons []string
	text    string
}

// arguments are the texts of letters, in words of our own. The first one that fits counts. A letter
// claims nothing that the practice has to show itself: it says what is enclosed only if something is.
//
//nolint:gochecknoglobals // a constant table
var arguments = []argument{
	{[]string{"29", "B4"}, "The claim was sent in time. Our record of sending it, and the acknowledgement of the clearinghouse, show the day. Please decide the claim on its merits."},
	{[]string{"50", "55", "56", "58", "150", "151", "152", "153", "154"}, "The treatment was necessary and appropriate for the condition of the patient, as the treating dentist found and recorded. " +
		"Please have a licensed dentist with experience in this procedure review the records."},
	{[]string{"97", "234", "236", "231"}, "The service is separate from the others of that day. It was done for a reason of its own, and the code's description does not include it in another one."},
	{[]string{"119", "149", "222", "273"}, "Please show which services were counted toward the limit, with their dates, and compare them with the records of the patient."},
	{[]string{"197", "198", "15"}, "Please consider the circumstances of the visit, in which the approval of the treatment could not be asked for, or was given."},
	{[]string{"38", "170", "171", "172", "183", "184", "185", "186", "B7"}, "The treating dentist was licensed and entitled to provide the service on that day. Please compare the identifiers on the claim with your records."},
	{[]string{"96", "204", "B1"}, "Please show the provision of the plan that excludes the service. We read the plan as covering it under the code that was billed."},
}

const anyArgument = "We ask you to review the decision with the records of the visit."

// Letter returns the text of an appeal, filled from the claim and its remittances.
func Letter(f Facts) string {
	c := f.Claim
	about := c.Subject()
	parts := []string{
		f.sender(), words(f.On), c.Payer.Name + "\nAppeals", "Re: " + f.Level.words() + " of a decision about a claim\n" + f.reference(),
		"To the reviewer:", f.decision(),
	}
	if text := strings.TrimSpace(f.Reason); text != "" {
		parts = append(parts, text)
	}
	parts = append(parts, f.argue()...)
	if f.Papers > 0 {
		parts = append(parts, "Enclosed: "+count(f.Papers, "document", "documents")+" from the records of "+name(about.Patient.FirstName, about.Patient.LastName)+".")
	}
	parts = append(parts,
		"Please decide the claim again and pay what is due. If you stay with your decision, please send the provision of the plan and the clinical criteria "+
			"on which it rests, the qualifications of the reviewer, and how to appeal further.",
		"Sincerely,\n\n\n"+f.signer())
	return strings.Join(parts, "\n\n") + "\n"
}

func (f Facts) sender() string {
	lines := []string{f.Office.Name, f.Office.Address.Line1, f.Office.Address.Line2, f.place(), telephone(f.Office.Phone)}
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), "\n")
}

func (f Facts) place() string {
	a := f.Office.Address
	return strings.Trim(a.City+", "+a.State+" "+grouped(a.ZIP, 5, 9), ", ")
}

func telephone(number string) string {
	if number == "" {
		return ""
	}
	return "Telephone " + grouped(grouped(number, 3, 10), 7, 11)
}

// grouped puts a hyphen after the first digits of a number that has as many as its form, and leaves any other as it is.
func grouped(number string, first, all int) string {
	if len(number) != all || strings.Contains(number[first:], "-") {
		return number
	}
	return number[:first] + "-" + number[first:]
}

// reference returns the lines by which the payer finds the claim.
func (f Facts) reference() string {
	c := f.Claim
	about := c.Subject()
	lines := []string{"Patient: " + name(about.Patient.FirstName, about.Patient.LastName)}
	if !about.Patient.DateOfBirth.IsZero() {
		lines[0] += ", born " + words(about.Patient.DateOfBirth)
	}
	lines = append(lines, "Subscriber: "+name(c.Subscriber.FirstName, c.Subscriber.LastName)+", member ID "+c.Subscriber.MemberID)
	if c.Subscriber.GroupNumber != "" {
		lines = append(lines, "Group: "+c.Subscriber.GroupNumber)
	}
	if c.PayerClaimNumber != "" {
		lines = append(lines, "Your claim number: "+c.PayerClaimNumber)
	}
	lines = append(lines, "Our claim number: "+c.PatientControlNumber, "Dates of service: "+span(c.ServiceDates()), "Charge: "+c.Charge().Dollars())
	return strings.Join(lines, "\n")
}

// decision says what the payer decided, and lists what it refuses.
func (f Facts) decision() string {
	text := "We appeal your decision"
	if s := f.Claim.Standing; s != nil && !s.PaymentDate.IsZero() {
		text += " of " + words(s.PaymentDate)
	}
	lines := f.refused()
	if len(lines) == 0 {
		return text + "."
	}
	return text + ". You do not pay:\n\n" + strings.Join(lines, "\n")
}

// refused returns a line for each amount that payers refuse.
func (f Facts) refused() (lines []string) {
	for _, e := range f.standing() {
		for i := range e.Lines {
			about := f.service(e.Numbers[i])
			for _, a := range e.Lines[i].Adjustments {
				if a.NotPaid() {
					lines = append(lines, "- "+about+": "+refusal(a, slices.Concat(e.Lines[i].Remarks, e.Remarks)))
				}
			}
		}
		for _, a := range e.Adjustments {
			if a.NotPaid() {
				lines = append(lines, "- the claim: "+refusal(a, e.Remarks))
			}
		}
	}
	return lines
}

// standing returns the decisions that are not taken back.
func (f Facts) standing() (all []claim.Adjudication) {
	for _, e := range f.Decided {
		if e.CancelledBy == nil && !e.Reverses() {
			all = append(all, e)
		}
	}
	return all
}

// service names the line of the claim with the number; 0 for one that is not found.
func (f Facts) service(number int) string {
	if number < 1 || number > len(f.Claim.Lines) {
		return "a service"
	}
	l := &f.Claim.Lines[number-1]
	text := l.ProcedureCode
	if teeth := l.AllTeeth(); len(teeth) > 0 {
		text += " on tooth " + strings.Join(teeth, ", ")
	}
	if !l.ServiceDate.IsZero() {
		text += " of " + words(l.ServiceDate)
	}
	return text + ", charged " + l.Fee.Dollars()
}

// refusal says what the payer does not pay, and why in its own codes.
func refusal(a remit.Adjustment, remarks []string) string {
	text := fmt.Sprintf("%s, reason %s-%s", a.Amount.Dollars(), a.Group, a.Reason)
	if label := remit.ReasonLabel(a.Reason); label != "" {
		text += " (" + label + ")"
	}
	for _, r := range slices.Compact(remarks) {
		text += ", remark " + r
		if label := remit.RemarkLabel(r); label != "" {
			text += " (" + label + ")"
		}
	}
	return text
}

// argue returns what the letter says about the payer's reasons, each once.
func (f Facts) argue() (all []string) {
	var reasons []string
	for _, e := range f.standing() {
		for a := range e.AllAdjustments() {
			if a.NotPaid() {
				reasons = append(reasons, strings.ToUpper(a.Reason))
			}
		}
	}
	for _, a := range arguments {
		if slices.ContainsFunc(a.reasons, func(r string) bool { return slices.Contains(reasons, r) }) {
			all = append(all, a.text)
		}
	}
	if len(all) == 0 {
		all = append(all, anyArgument)
	}
	return all
}

func (f Facts) signer() string {
	p := f.Claim.Provider
	return strings.TrimSpace(cmp.Or(name(p.FirstName, p.LastName), f.Office.Name) + "\n" + npi(cmp.Or(p.NPI, f.Office.NPI)))
}

func npi(number string) string {
	if number == "" {
		return ""
	}
	return "NPI " + number
}

// words returns the level as a letter names it.
func (l Level) words() string {
	switch l {
	case Second:
		return "Second-level appeal"
	case External:
		return "Request for an external review"
	case First:
	}
	return "Appeal"
}

func words(d billing.Date) string { return d.Time().Format("January 2, 2006") }

func span(s billing.DateSpan) string {
	if s.From == s.To {
		return words(s.From)
	}
	return words(s.From) + " to " + words(s.To)
}

func name(first, last string) string { return strings.TrimSpace(first + " " + last) }

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
