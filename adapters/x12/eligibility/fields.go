package eligibility

import (
	"math"

	"github.com/molar-billing/molar/adapters/x12"
)

// header goes through BHT. Structure 0022 nests information source, receiver, subscriber
// and dependent.
func (r *Reply) header(f *x12.Fields) {
	if f.Segment("BHT") {
		f.Const(1, "0022").CodeOr(2, &r.Purpose, "11").Text(3, &r.Reference, x12.MaxReference)
		f.Time(4, &r.CreatedAt, "20060102", "150405.00")
	}
}

// loop goes through the segments of a party. Its name and its rejections are only
// written here, because a reader takes them to find the loop.
func (p *Party) loop(f *x12.Fields) {
	x12.List(f, "TRN", &p.Traces, (*Trace).fields)
	p.writeRejections(f, func(loop string) bool { return loop == loopSource })
	if !f.Reading() && p.Name != (Name{}) {
		p.writeName(f)
	}
	p.whereabouts(f)
	p.writeRejections(f, func(loop string) bool { return loop != loopSource })
	p.specialty(f)
	if f.Optional("DMG") {
		f.Day(2, &p.BirthDate).Code(3, &p.Gender)
		if !p.BirthDate.IsZero() {
			f.Const(1, "D8")
		}
	}
	if f.Optional("INS") {
		f.Code(1, &p.Insured).Code(2, &p.Relationship)
	}
	x12.List(f, "DTP", &p.Dates, (*Date).fields)
	x12.List(f, "MSG", &p.Messages, message)
}

// writeName writes an NM1. A name without ASCII letters becomes X, so that the loop
// keeps its first segment.
func (p *Party) writeName(f *x12.Fields) {
	n := p.Name
	if x12.Text(n.Last) == "" && (n.Last != "" || x12.Text(n.Entity+n.Kind+n.First+n.ID) == "") {
		n.Last = "X"
	}
	f.Segment("NM1")
	n.Fields(f)
}

func (p *Party) writeRejections(f *x12.Fields, in func(loop string) bool) {
	for i := range p.Rejections {
		if a := &p.Rejections[i]; !f.Reading() && in(a.Loop) && f.Segment("AAA") {
			a.fields(f)
		}
	}
}

// whereabouts goes through the references, the address and the contacts.
func (p *Party) whereabouts(f *x12.Fields) {
	x12.List(f, "REF", &p.References, (*Reference).fields)
	p.Address.Loop(f)
	f.Contacts(&p.Contacts, math.MaxInt16)
}

func (p *Party) specialty(f *x12.Fields) {
	if f.Optional("PRV") {
		f.Code(1, &p.Role).ID(2, "PXC", &p.Taxonomy, x12.MaxReference)
	}
}

func (t *Trace) fields(f *x12.Fields) {
	f.Code(1, &t.Type).Text(2, &t.Number, x12.MaxReference).Text(3, &t.Originator, 10).Text(4, &t.Division, x12.MaxReference)
}

func (r *Reference) fields(f *x12.Fields) {
	f.Code(1, &r.Qualifier).Text(2, &r.Value, x12.MaxReference).Text(3, &r.Description, x12.MaxDescription)
}

func (d *Date) fields(f *x12.Fields) {
	f.Code(1, &d.Qualifier).Code(2, &d.Format).Text(3, &d.Value, 35)
}

func (a *Rejection) fields(f *x12.Fields) {
	f.Code(1, &a.Valid).Code(3, &a.Reason).Code(4, &a.FollowUp)
}

func message(m *string, f *x12.Fields) { f.Text(1, m, x12.MaxMessage) }

func (q *Query) fields(f *x12.Fields) {
	q.Procedure.fields(f.Repetitions(1, &q.ServiceTypes), 2).Code(3, &q.Level)
}

// fields goes through the elements of the EB.
func (b *Benefit) fields(f *x12.Fields) {
	f.Code(1, &b.Code).Code(2, &b.Level).Repetitions(3, &b.ServiceTypes).Code(4, &b.InsuranceType).Text(5, &b.Plan, 50)
	f.Code(6, &b.Period).Text(7, &b.Amount, maxAmount).Text(8, &b.Percent, maxAmount)
	f.Code(9, &b.QuantityQualifier).Text(10, &b.Quantity, x12.MaxQuantity).Code(11, &b.Authorization).Code(12, &b.InNetwork)
	b.Procedure.fields(f, 13).Components(14, 1, &b.Diagnoses, x12.MaxProcedure)
}

// loop goes through the segments under an EB, except the parties that it refers to. A
// reader finds the loop of a rejection.
func (b *Benefit) loop(f *x12.Fields) {
	x12.List(f, "HSD", &b.Deliveries, (*Delivery).fields)
	x12.List(f, "REF", &b.References, (*Reference).fields)
	x12.List(f, "DTP", &b.Dates, (*Date).fields)
	if !f.Reading() {
		x12.List(f, "AAA", &b.Rejections, (*Rejection).fields)
	}
	x12.List(f, "MSG", &b.Messages, message)
	x12.List(f, "III", &b.Information, (*Information).fields)
}

func (d *Delivery) fields(f *x12.Fields) {
	f.Code(1, &d.Quantifier).Text(2, &d.Quantity, x12.MaxQuantity).Code(3, &d.Per).Text(4, &d.Every, x12.MaxQuantity)
	f.Code(5, &d.Period).Text(6, &d.Periods, x12.MaxQuantity).Code(7, &d.Pattern).Code(8, &d.TimePattern)
}

func (i *Information) fields(f *x12.Fields) {
	f.Code(1, &i.Qualifier).Text(2, &i.Code, 30).Code(3, &i.Category).Text(4, &i.Text, x12.MaxMessage)
}

// fields goes through the composite at an element.
func (p *Procedure) fields(f *x12.Fields, n int) *x12.Fields {
	return f.Component(n, 1, &p.Qualifier, x12.MaxProcedure).Component(n, 2, &p.Code, x12.MaxProcedure).
		Components(n, 3, &p.Modifiers, x12.MaxProcedure)
}
