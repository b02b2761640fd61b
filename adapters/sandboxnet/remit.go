package sandboxnet

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// unbalancedBy is the excess of a line and its claim in a remittance that does
// not add up.
const unbalancedBy billing.Money = 1_00

// paid writes the remittances of a payer: one for each payee, and separate ones for
// unbalanced claims and for wrong counts. Later ones follow: reversals, other
// changes, and the payments of the payer to which claims were forwarded. The reversal
// of a replaced claim comes before its correction in the same remittance
// (005010X221A1, 1.10.2.8).
func (o *outbox) paid(b *batch, of []*received) {
	var due []*received
	for _, r := range of {
		if len(r.takeBack)+len(r.stated) > 0 {
			due = append(due, r)
		}
	}
	type transfer struct {
		payee

		unbalanced, miscounted bool
	}
	for _, group := range grouped(due, func(r *received) transfer {
		return transfer{r.payee(), r.scenario.unbalanced, r.scenario.miscounted}
	}) {
		var first, reversals, changes []remittance.Claim
		for _, r := range group {
			first = append(append(first, r.takeBack...), r.stated...)
			if slices.ContainsFunc(r.later, func(c remittance.Claim) bool { return c.Status != remittance.StatusReversal }) {
				changes = append(changes, r.later...)
			} else {
				reversals = append(reversals, r.later...)
			}
		}
		at := untilAccepted + o.ERADelay
		payer := of[0].Payer
		o.remit("payment", at, b, group[0], payer, first)
		o.remit("reversal", at+o.ERADelay, b, group[0], payer, reversals)
		o.remit("change", at+o.ERADelay, b, group[0], payer, changes)
		for _, forwarded := range grouped(group, (*received).next) {
			var secondary []remittance.Claim
			for _, r := range forwarded {
				secondary = append(append(secondary, r.secondaryTakeBack...), r.secondaryStated...)
			}
			o.remit("crossover", at+o.ERADelay, b, group[0], forwarded[0].next(), secondary)
		}
	}
}

// remit writes the remittance of the claims, if there are any, and computes their
// figures. The payee and the scenario come from of, one of the claims.
func (o *outbox) remit(what string, after time.Duration, b *batch, of *received, payer claims.Payer, all []remittance.Claim) {
	if len(all) == 0 && len(of.withheld) == 0 {
		return
	}
	l := o.letter(what, "835", after)
	trace := digits(12, "trace", l.name)
	r := remittance.Remittance{
		Payment: remittance.Payment{
			// A check needs no bank accounts, and the sandbox has none.
			CreditDebit: "C", Date: l.day(), Produced: l.day(),
			Trace:      remittance.Trace{Number: trace, Originator: "1999999999"},
			References: []remittance.Reference{{Qualifier: "EV", Value: b.Submitter.ID}},
			Payer:      payerOf(payer), Payee: payeeOf(&of.Billing), Adjustments: of.withheld,
		},
		Claims: all,
	}
	r.Settle()
	of.restate(&r)
	for i := range all {
		if of.scenario.unbalanced && all[i].Status != remittance.StatusReversal {
			all[i].Paid += unbalancedBy
			all[i].Services[0].Paid += unbalancedBy
			r.Total += unbalancedBy
		}
	}
	r.Interchange, r.Group = o.envelope(l, b.Interchange, b.Group)
	o.put(l, written(&r, of.scenario.miscounted))
}

// written returns the file of a remittance. Without money it is a notice.
func written(r *remittance.Remittance, miscounted bool) []byte {
	if r.Handling, r.Method = "I", "CHK"; r.Total == 0 {
		r.Handling, r.Method = "H", "NON"
	}
	var file bytes.Buffer
	_ = remittance.Encode(&file, r.Interchange, r.Group, []remittance.Remittance{*r}) // a bytes.Buffer never fails
	if miscounted {
		return miscount(file.Bytes())
	}
	return file.Bytes()
}

// miscount makes the counts of the SE and the GE wrong, by another digit before them.
func miscount(content []byte) []byte {
	for _, trailer := range []string{"~SE*", "~GE*"} {
		content = bytes.Replace(content, []byte(trailer), []byte(trailer+"1"), 1)
	}
	return content
}

// next returns the payer to which the claim's payer forwards it: the secondary payer
// that the claim names, or else another one.
func (r *received) next() claims.Payer {
	for i := range r.OtherPayers {
		if o := &r.OtherPayers[i]; o.Coverage == claims.CoverageSecondary {
			return o.Payer
		}
	}
	if r.Payer.PayerID == "84105" {
		return claims.Payer{PayerID: "62308", Name: "Cigna Dental"}
	}
	return claims.Payer{PayerID: "84105", Name: "Anthem Dental"}
}

func payerOf(p claims.Payer) remittance.Party {
	return remittance.Party{
		Name: p.Name, IDQualifier: "XV", ID: p.PayerID,
		Address:    remittance.Address{Line1: "1 Sandbox Way", City: "Springfield", State: "IL", ZIP: "627010001"},
		References: []remittance.Reference{{Qualifier: "2U", Value: p.PayerID}},
		Contacts: []remittance.Contact{{
			Function: "BL", Name: "Sandbox Help", Numbers: []remittance.Number{{Qualifier: "TE", Value: "8005550100"}},
		}},
	}
}

func payeeOf(o *claims.BillingProvider) remittance.Party {
	p := remittance.Party{Name: o.Name, IDQualifier: "XX", ID: o.NPI, Address: o.Address}
	switch {
	case o.NPI == "":
		p.IDQualifier, p.ID = "FI", o.TaxID
	case o.TaxID != "":
		p.References = []remittance.Reference{{Qualifier: "TJ", Value: o.TaxID}}
	}
	return p
}

// decision returns the payer's decision on a claim that came in on the day, by the
// terms. Its figures are computed later.
func decision(r *received, t *terms, came billing.Date) *remittance.Claim {
	t = r.coordinate(t)
	c := &remittance.Claim{
		ControlNumber: r.PatientControlNumber, Status: statusOf(r, t), FilingCode: "12", PayerControlNumber: r.payerNumber,
		PlaceOfService: r.PlaceOfService, Frequency: r.Frequency, Names: namesOf(r),
	}
	if span := r.ServiceDates(); !span.From.IsZero() {
		c.Dates = []remittance.Date{{Qualifier: "232", Day: span.From}, {Qualifier: "233", Day: span.To}}
	}
	c.Dates = append(c.Dates, remittance.Date{Qualifier: "050", Day: came})
	if g := r.Subscriber.GroupNumber; g != "" {
		c.References = []remittance.Reference{{Qualifier: "1L", Value: g}}
	}
	for i := range r.Lines {
		c.Services = append(c.Services, service(r, t, i))
	}
	if c.Status == statusCrossed || c.Status == statusForwarded {
		next := r.next()
		c.Names = append(c.Names, remittance.Name{Entity: entityNextPayer, Kind: "2", Last: next.Name, IDQualifier: "PI", ID: next.PayerID})
	}
	return c
}

// statusOf returns CLP02. A payer that is not the first forwards no claim.
func statusOf(r *received, t *terms) string {
	switch {
	case t.status == statusForwarded:
		return t.status
	case r.Predetermination:
		return remittance.StatusPredetermination
	case t.refused != nil || rank(r.Coverage) == 0:
		return t.status
	case r.Coverage == claims.CoverageSecondary:
		return statusSecondary
	default:
		return statusTertiary
	}
}

// namesOf returns the patient, the subscriber if different, and the rendering
// provider.
func namesOf(r *received) []remittance.Name {
	s := &r.Subscriber
	names := []remittance.Name{{Entity: "QC", Kind: "1", Last: s.LastName, First: s.FirstName, IDQualifier: "MI", ID: s.MemberID}}
	if p := r.Patient; p != nil {
		insured := names[0]
		insured.Entity = entitySubscriber
		names = []remittance.Name{{Entity: "QC", Kind: "1", Last: p.LastName, First: p.FirstName}, insured}
	}
	if p := &r.Rendering; p.NPI != "" {
		names = append(names, remittance.Name{Entity: "82", Kind: "1", Last: p.LastName, First: p.FirstName, IDQualifier: "XX", ID: p.NPI})
	}
	return names
}

// noServiceDate is the service date of a predetermination (005010X221A1, DTM of 2110).
//
//nolint:gochecknoglobals // a constant
var noServiceDate = billing.Date{Year: 1900, Month: time.January, Day: 1}

// service returns the payer's decision on a line. A predetermination is not
// paid: an adjustment has the estimated payment.
func service(r *received, t *terms, i int) remittance.Service {
	line := &r.Lines[i]
	s := remittance.Service{
		Procedure: remittance.Procedure{Qualifier: "AD", Code: line.Procedure}, Charge: line.Fee, Units: strconv.Itoa(line.Quantity),
		References: []remittance.Reference{{Qualifier: "6R", Value: strconv.Itoa(i + 1)}},
	}
	estimate := r.Predetermination
	switch {
	case !line.ServiceDate.IsZero():
		s.Dates = []remittance.Date{{Qualifier: "472", Day: line.ServiceDate}}
	case statusOf(r, t) == remittance.StatusPredetermination:
		s.Dates = []remittance.Date{{Qualifier: "472", Day: noServiceDate}}
	}
	if r.left != nil {
		t.decideAfter(&s, r.left[i])
	} else {
		t.decide(&s)
	}
	if pay := line.Fee - s.Adjusted("", ""); estimate && pay != 0 {
		s.Adjustments = append(s.Adjustments, remittance.Adjustment{
			Group: remittance.GroupOther, Reason: remittance.ReasonEstimate, Amount: pay,
		})
	}
	return s
}
