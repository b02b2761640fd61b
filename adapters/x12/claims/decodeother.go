package claims

import (
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// startOther starts another payer of the current claim. Those above MaxOtherPayers are
// skipped.
func (d *decoder) startOther(s *x12.Segment, rank string) {
	d.others, d.other, d.line, d.entity, d.address = true, nil, nil, "", nil
	c := d.claim
	if len(c.OtherPayers) >= MaxOtherPayers {
		return
	}
	o := OtherPayer{
		Coverage: rank, Relationship: s.Element(2), GroupNumber: s.Element(3), GroupName: s.Element(4), FilingIndicator: s.Element(9),
	}
	if o.Relationship != "" && o.Relationship != RelationSelf {
		o.Relationship = relationshipOf(o.Relationship)
	}
	c.OtherPayers = append(c.OtherPayers, o)
	d.other = &c.OtherPayers[len(c.OtherPayers)-1]
}

// inOther reads a segment of another payer.
func (d *decoder) inOther(s *x12.Segment) (err error) {
	o := d.other
	if o == nil {
		return nil
	}
	switch s.ID {
	case "CAS":
		o.Adjustments, err = adjustments(o.Adjustments, s)
	case "AMT":
		switch s.Element(1) {
		case "D":
			o.Paid, err = moneyRef(s, 2)
		case "EAF":
			o.Remaining, err = moneyRef(s, 2)
		}
	case "OI":
		o.BenefitsAssigned = known(s.Element(3), BenefitsToProvider, BenefitsToPatient, BenefitsRefused)
		o.Release = known(s.Element(6), ReleaseSigned, ReleaseInformed)
	case "NM1":
		d.otherEntity(s)
	case "N3", "N4":
		d.place(s)
	case "DTP":
		if d.entity == "PR" && s.Element(1) == "573" {
			o.PaymentDate, err = day(s, s.Element(3))
		}
	case "REF":
		if d.entity == "PR" && s.Element(1) == "F8" {
			o.PayerClaimNumber = s.Element(2)
		}
	}
	return err
}

func (d *decoder) otherEntity(s *x12.Segment) {
	d.entity, d.address = s.Element(1), nil
	switch d.entity {
	case "IL":
		p := &d.other.Subscriber
		*p = OtherSubscriber{
			FirstName: s.Element(4), MiddleName: s.Element(5), LastName: s.Element(3), Suffix: s.Element(7), MemberID: s.Element(9),
		}
		d.address = &p.Address
	case "PR":
		d.other.Payer = Payer{Name: s.Element(3), PayerID: s.Element(9)}
	}
}

// adjudication returns the line's latest, or nil before the first SVD.
func (l *Line) adjudication() *Adjudication {
	if len(l.Adjudications) == 0 {
		return nil
	}
	return &l.Adjudications[len(l.Adjudications)-1]
}

func (l *Line) svd(s *x12.Segment) error {
	if len(l.Adjudications) >= MaxAdjudications {
		return s.Fault("the service has too many adjudications (SVD)")
	}
	a := Adjudication{PayerID: s.Element(1), Procedure: s.Component(3, 2)}
	var err error
	if a.Paid, err = money(s, 2); err != nil {
		return err
	}
	if a.Quantity = 1; s.Element(5) != "" {
		if a.Quantity, err = number(s, s.Element(5), 0); err != nil {
			return err
		}
	}
	l.Adjudications = append(l.Adjudications, a)
	return nil
}

// adjustments adds those of a CAS.
func adjustments(all []Adjustment, s *x12.Segment) ([]Adjustment, error) {
	for n := 2; n <= s.Len() && n < 2+3*perCAS; n += 3 {
		if s.Element(n) == "" && s.Element(n+1) == "" {
			continue
		}
		amount, err := money(s, n+1)
		if err != nil {
			return nil, err
		}
		if len(all) >= MaxAdjustments*perCAS {
			return nil, s.Fault("there are too many adjustments (CAS)")
		}
		all = append(all, Adjustment{Group: s.Element(1), Reason: s.Element(n), Amount: amount, Quantity: s.Element(n + 2)})
	}
	return all, nil
}

func moneyRef(s *x12.Segment, element int) (*billing.Money, error) {
	m, err := money(s, element)
	return &m, err
}
