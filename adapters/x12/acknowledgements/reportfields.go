package acknowledgements

import (
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// header goes through BHT. The structure and the transaction are the kind's.
func (r *Report) header(f *x12.Fields, structure, transaction x12.Element) {
	if f.Segment("BHT") {
		f.Const(1, structure).Const(2, "08").Text(3, &r.Reference, x12.MaxReference)
		f.Time(4, &r.CreatedAt, "20060102", "150405").Const(6, transaction)
	}
}

// fields goes through the numbers and the charges of claims that a level accepts and
// rejects. Senders use two qualifiers for each number.
func (t *Totals) fields(f *x12.Fields, accepted, rejected string) {
	count(f, accepted, &t.Accepted)
	count(f, rejected, &t.Rejected)
	amount(f, "YU", &t.AcceptedAmount)
	amount(f, "YY", &t.RejectedAmount)
}

func count(f *x12.Fields, qualifier string, n *int) {
	if (f.Reading() || *n > 0) && f.Qualified("QTY", qualifier) {
		f.Number(2, n)
	}
}

func amount(f *x12.Fields, qualifier string, m *billing.Money) {
	if (f.Reading() || *m != 0) && f.Qualified("AMT", qualifier) {
		f.OptionalAmount(2, m)
	}
}

// dates goes through the days of a source.
func (s *Source) dates(f *x12.Fields) {
	date(f, "050", &s.Received)
	date(f, "009", &s.Processed)
}

// loop goes through the segments under the statuses of a claim. The number is that of
// REF EJ.
func (c *Claim) loop(f *x12.Fields, number *string) {
	f.Reference("1K", &c.PayerClaimNumber)
	f.Reference("EJ", number)
	f.Reference("D9", &c.ClearinghouseNumber)
	dates(f, "472", &c.Service)
	date(f, "106", &c.Due)
}

// loop goes through the segments under the statuses of a line.
func (l *Line) loop(f *x12.Fields) {
	f.Reference("FJ", &l.Number)
	dates(f, "472", &l.Service)
}

// fields goes through the elements of the SVC. The charge is written if it is stated, or
// the guide requires it.
func (l *Line) fields(f *x12.Fields, required bool) {
	f.Component(1, 1, &l.Qualifier, maxCode).Component(1, 2, &l.Procedure, x12.MaxProcedure)
	charge(f, 2, &l.Charge, required)
	f.AmountIf(3, &l.Paid)
}

// fields goes through the elements of the STC.
func (s *Status) fields(f *x12.Fields, charged bool) {
	s.codes(f)
	f.Day(2, &s.Effective).Code(3, &s.Action).Text(12, &s.Text, x12.MaxMessage)
	charge(f, 4, &s.Charge, charged)
	f.AmountIf(5, &s.Paid).Day(6, &s.Decided).Day(8, &s.PaymentDate).Text(9, &s.Payment, x12.MaxReference)
}

func charge(f *x12.Fields, n int, m *billing.Money, required bool) {
	if f.Reading() || required || *m != 0 {
		f.OptionalAmount(n, m)
	}
}

// codes goes through STC01, STC10 and STC11.
func (s *Status) codes(f *x12.Fields) {
	at := [...]int{1, 10, 11}
	if f.Reading() {
		for _, n := range at {
			var c Code
			if c.fields(f, n); c != (Code{}) {
				s.Codes = append(s.Codes, c)
			}
		}
		return
	}
	n := 0
	for i := range s.Codes {
		if c := &s.Codes[i]; n < len(at) && x12.Text(c.Category+c.Status+c.Entity+c.List) != "" {
			c.fields(f, at[n])
			n++
		}
	}
}

func (c *Code) fields(f *x12.Fields, n int) {
	f.Component(n, 1, &c.Category, maxCode).Component(n, 2, &c.Status, 30).Component(n, 3, &c.Entity, maxCode).
		Component(n, 4, &c.List, maxCode)
}

// date goes through a DTP of one day, and dates through one of a day or a range.
func date(f *x12.Fields, qualifier string, day *billing.Date) {
	span := billing.DateSpan{From: *day}
	dates(f, qualifier, &span)
	*day = span.From
}

func dates(f *x12.Fields, qualifier string, span *billing.DateSpan) {
	if f.Qualified("DTP", qualifier) {
		f.Span(2, span)
	}
}

// maxCode is the length of the longest code.
const maxCode = 3
