package remittance

import "github.com/molar-billing/molar/adapters/x12"

// perPER is the number of ways to reach a contact that a PER states.
const perPER = 3

// header goes through the segments before the payer and the payee.
func (p *Payment) header(f *x12.Fields) {
	if f.Segment("BPR") {
		f.Code(1, &p.Handling).Amount(2, &p.Total).Code(3, &p.CreditDebit).Code(4, &p.Method).Text(15, &p.Account, 35).Day(16, &p.Date)
	}
	if f.Segment("TRN") {
		t := &p.Trace
		f.Const(1, "1").Text(2, &t.Number, x12.MaxReference).Text(3, &t.Originator, 10).Text(4, &t.Division, x12.MaxReference)
	}
	x12.List(f, "REF", &p.References, (*Reference).fields)
	if f.Qualified("DTM", "405") {
		f.Day(2, &p.Produced)
	}
}

// fields goes through the elements of the N1.
func (p *Party) fields(f *x12.Fields) {
	f.Text(2, &p.Name, x12.MaxLast).Code(3, &p.IDQualifier).Text(4, &p.ID, x12.MaxID)
}

// loop goes through the segments under the N1.
func (p *Party) loop(f *x12.Fields) {
	p.Address.Loop(f)
	x12.List(f, "REF", &p.References, (*Reference).fields)
	f.Contacts(&p.Contacts, perPER)
}

// fields goes through the elements of the CLP, except the patient's responsibility.
func (c *Claim) fields(f *x12.Fields) {
	f.Text(1, &c.ControlNumber, 38).Text(2, &c.Status, 3).Amount(3, &c.Charge).Amount(4, &c.Paid).Code(6, &c.FilingCode)
	f.Text(7, &c.PayerControlNumber, x12.MaxReference).Text(8, &c.PlaceOfService, 3).Text(9, &c.Frequency, 3)
}

// responsibility goes through CLP05.
func (c *Claim) responsibility(f *x12.Fields) { f.AmountIf(5, &c.PatientResponsibility) }

// loop goes through the segments of the claim itself.
func (c *Claim) loop(f *x12.Fields) {
	f.Adjustments(&c.Adjustments, 0)
	x12.List(f, "NM1", &c.Names, (*Name).Fields)
	if f.Optional("MIA") {
		f.All(&c.Inpatient, x12.MaxReference)
	}
	if f.Optional("MOA") {
		f.All(&c.Outpatient, x12.MaxReference)
	}
	x12.List(f, "REF", &c.References, (*Reference).fields)
	x12.List(f, "DTM", &c.Dates, (*Date).fields)
	f.Contacts(&c.Contacts, perPER)
	x12.List(f, "AMT", &c.Amounts, (*Amount).fields)
}

// fields goes through the elements of the SVC, except its procedures.
func (s *Service) fields(f *x12.Fields) {
	f.OptionalAmount(2, &s.Charge).OptionalAmount(3, &s.Paid).LongCode(4, &s.Revenue, x12.MaxProcedure)
	f.Text(5, &s.Units, x12.MaxQuantity).Text(7, &s.SubmittedUnits, x12.MaxQuantity)
}

// loop goes through the segments under the SVC.
func (s *Service) loop(f *x12.Fields) {
	x12.List(f, "DTM", &s.Dates, (*Date).fields)
	f.Adjustments(&s.Adjustments, 0)
	x12.List(f, "REF", &s.References, (*Reference).fields)
	x12.List(f, "AMT", &s.Amounts, (*Amount).fields)
	x12.List(f, "LQ", &s.Remarks, (*Remark).fields)
}

func (r *Reference) fields(f *x12.Fields) {
	f.Code(1, &r.Qualifier).Text(2, &r.Value, x12.MaxReference)
}

// fields writes a missing day as zeros, as payers do for the service date of a
// predetermination.
func (d *Date) fields(f *x12.Fields) {
	if f.Text(1, &d.Qualifier, 3).Day(2, &d.Day); !f.Reading() {
		f.Put(2, x12.Element(d.Day.X12()))
	}
}

func (a *Amount) fields(f *x12.Fields) { f.Code(1, &a.Qualifier).Amount(2, &a.Amount) }

func (r *Remark) fields(f *x12.Fields) { f.Code(1, &r.Qualifier).LongCode(2, &r.Code, 30) }

// pair goes through the reason and the reference of a PLB at an element, and the amount
// in the next one.
func (a *ProviderAdjustment) pair(f *x12.Fields, n int) {
	f.Component(n, 1, &a.Reason, x12.MaxReason).Component(n, 2, &a.Reference, x12.MaxReference).Amount(n+1, &a.Amount)
}

func (a *ProviderAdjustment) provider(f *x12.Fields) {
	f.Text(1, &a.Provider, x12.MaxReference).Day(2, &a.Period)
}
