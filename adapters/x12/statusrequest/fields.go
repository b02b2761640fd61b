package statusrequest

import "github.com/molar-billing/molar/adapters/x12"

const (
	maxCode  = 3
	maxUnits = x12.MaxQuantity
)

// header goes through BHT. Structure 0010 nests source, receiver, provider, subscriber and
// dependent; purpose 13 is a request.
func (q *Inquiry) header(f *x12.Fields) {
	if f.Segment("BHT") {
		f.Const(1, "0010").Const(2, "13").Text(3, &q.Reference, x12.MaxReference)
		f.Time(4, &q.CreatedAt, "20060102", "150405")
	}
}

// loop goes through the segments of a person. The guide has DMG before NM1, which is only
// written here, because a reader takes it to find the loop.
func (p *Person) loop(f *x12.Fields) {
	if f.Optional("DMG") {
		f.Day(2, &p.BirthDate).Code(3, &p.Gender)
		if !p.BirthDate.IsZero() {
			f.Const(1, "D8")
		}
	}
}

// loop goes through the segments of a claim behind its TRN.
func (c *Claim) loop(f *x12.Fields) {
	f.Reference("1K", &c.PayerClaimNumber)
	f.Reference("BLT", &c.BillType)
	f.Reference("EJ", &c.ControlNumber)
	f.Reference("6P", &c.GroupNumber)
	f.Reference("D9", &c.ClearinghouseTrace)
	if (f.Reading() || c.Charge != nil) && f.Qualified("AMT", "T3") {
		f.AmountIf(2, &c.Charge)
	}
	if f.Qualified("DTP", "472") {
		f.Span(2, &c.Service)
	}
}

// fields goes through the elements of the SVC.
func (l *Line) fields(f *x12.Fields) {
	f.Component(1, 1, &l.Qualifier, maxCode).Component(1, 2, &l.Procedure, x12.MaxProcedure)
	f.Amount(2, &l.Charge).Text(7, &l.Units, maxUnits)
}

// loop goes through the segments of a line behind its SVC.
func (l *Line) loop(f *x12.Fields) {
	f.Reference("FJ", &l.Number)
	if f.Qualified("DTP", "472") {
		f.Span(2, &l.Service)
	}
}
