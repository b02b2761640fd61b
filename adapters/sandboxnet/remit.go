package sandboxnet

import (
	"bytes"
	"strconv"
	"time"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// unbalancedBy is the excess of a line and its claim in a remittance that does
// not add up.
const unbalancedBy billing.Money = 1_00

// paid writes the payer's remittances: one for each payee, a separate one for
// unbalanced claims, and later one that reverses payments. The reversal of a
// replaced claim comes before its correction in the same remittance
// (005010X221A1, 1.10.2.8).
func (o *outbox) paid(b *batch, of []*received, delay time.Duration) {
	var due []*received
	for _, r := range of {
		if r.decided != nil {
			due = append(due, r)
		}
	}
	type transfer struct {
		payee

		unbalanced bool
	}
	for _, group := range grouped(due, func(r *received) transfer { return transfer{r.payee(), r.scenario.unbalanced} }) {
		var all, back []remittance.Claim
		for _, r := range group {
			if r.takeBack != nil {
				all = append(all, *r.takeBack)
			}
			all = append(all, *r.decided)
			if r.scenario.reversed {
				back = append(back, *r.decided.Reversed())
			}
		}
		o.remit(o.letter("payment", "835", untilAccepted+delay), b, group[0], all)
		if len(back) > 0 {
			o.remit(o.letter("reversal", "835", untilAccepted+2*delay), b, group[0], back)
		}
	}
}

// remit writes the remittance of the claims and computes their figures. First
// is one of the claims.
func (o *outbox) remit(l letter, b *batch, first *received, all []remittance.Claim) {
	trace := digits(12, "trace", l.name)
	r := remittance.Remittance{
		Payment: remittance.Payment{
			// A check needs no bank accounts, and the sandbox has none.
			Handling: "I", CreditDebit: "C", Method: "CHK", Date: l.day(), Produced: l.day(),
			Trace:      remittance.Trace{Number: trace, Originator: "1999999999"},
			References: []remittance.Reference{{Qualifier: "EV", Value: b.Submitter.ID}},
			Payer:      payerOf(first.Payer), Payee: payeeOf(&first.Billing),
		},
		Claims: all,
	}
	r.Settle()
	for i := range all {
		if first.scenario.unbalanced && all[i].Status != remittance.StatusReversal {
			all[i].Paid += unbalancedBy
			all[i].Services[0].Paid += unbalancedBy
			r.Total += unbalancedBy
		}
	}
	if r.Total == 0 {
		r.Handling, r.Method = "H", "NON"
	}
	i, g := l.envelope(b.Interchange, b.Group)
	var file bytes.Buffer
	_ = remittance.Encode(&file, i, g, []remittance.Remittance{r}) // a bytes.Buffer never fails
	o.put(l, file.Bytes())
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
	p := remittance.Party{Name: o.Name, IDQualifier: "XX", ID: o.NPI, Address: remittance.Address(o.Address)}
	switch {
	case o.NPI == "":
		p.IDQualifier, p.ID = "FI", o.TaxID
	case o.TaxID != "":
		p.References = []remittance.Reference{{Qualifier: "TJ", Value: o.TaxID}}
	}
	return p
}

// decision returns the payer's decision on a claim that came in on the day. Its
// figures are computed later.
func decision(r *received, came billing.Date) *remittance.Claim {
	c := &remittance.Claim{
		ControlNumber: r.PatientControlNumber, Status: statusOf(r), FilingCode: "12", PayerControlNumber: r.payerNumber,
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
		c.Services = append(c.Services, service(r, i))
	}
	return c
}

// The codes of claims (CLP02) that the codec does not define.
const statusProcessed = "1" // processed as the primary payer

func statusOf(r *received) string {
	switch {
	case r.Predetermination:
		return remittance.StatusPredetermination
	case r.scenario.decision.denied:
		return remittance.StatusDenied
	default:
		return statusProcessed
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

// service returns the payer's decision on a line. A predetermination is not
// paid: an adjustment has the estimated payment.
func service(r *received, i int) remittance.Service {
	line, t := &r.Lines[i], r.scenario.decision
	s := remittance.Service{
		Procedure: remittance.Procedure{Qualifier: "AD", Code: line.Procedure}, Charge: line.Fee, Units: strconv.Itoa(line.Quantity),
		References: []remittance.Reference{{Qualifier: "6R", Value: strconv.Itoa(i + 1)}},
	}
	estimate := r.Predetermination
	if !line.ServiceDate.IsZero() || estimate {
		s.Dates = []remittance.Date{{Qualifier: "472", Day: line.ServiceDate}}
	}
	var allowed billing.Money
	s.Adjustments, allowed = t.adjust(line.Fee)
	if t.denied {
		s.Remarks = []remittance.Remark{{Qualifier: "HE", Code: remarkPlan}}
	} else {
		s.Amounts = []remittance.Amount{{Qualifier: "B6", Amount: allowed}}
	}
	if pay := line.Fee - s.Adjusted("", ""); estimate && pay != 0 {
		s.Adjustments = append(s.Adjustments, remittance.Adjustment{
			Group: remittance.GroupOther, Reason: remittance.ReasonEstimate, Amount: pay,
		})
	}
	return s
}
