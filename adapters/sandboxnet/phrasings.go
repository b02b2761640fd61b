package sandboxnet

import (
	"slices"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
)

// phrasing returns the claims with which a remittance states a payer's decision on a
// claim. Payers state one decision in many ways. The figures are computed later.
type phrasing func(decided *remittance.Claim) []remittance.Claim

// whole states the decision as one claim, with every line in order.
func whole(decided *remittance.Claim) []remittance.Claim { return []remittance.Claim{*decided} }

// shuffled lists the lines in reverse order, without their control numbers.
func shuffled(decided *remittance.Claim) []remittance.Claim {
	c := decided.Clone()
	slices.Reverse(c.Services)
	for i := range c.Services {
		c.Services[i].References = nil
	}
	return []remittance.Claim{*c}
}

// remarkSplit says that the payer has split the claim.
const remarkSplit = "MA15"

// split states a claim of several lines in two parts.
func split(decided *remittance.Claim) []remittance.Claim {
	half := len(decided.Services) / 2
	if half == 0 || decided.Status == remittance.StatusPredetermination {
		return whole(decided)
	}
	first, second := decided.Clone(), decided.Clone()
	first.Services, second.Services = first.Services[:half], second.Services[half:]
	for _, part := range []*remittance.Claim{first, second} {
		part.Outpatient = []string{"", "", remarkSplit}
	}
	return []remittance.Claim{*first, *second}
}

// maxNumber is the length to which numberCut cuts.
const maxNumber = 17

// numberCut cuts the control number, by one character at least.
func numberCut(decided *remittance.Claim) []remittance.Claim {
	c := decided.Clone()
	c.ControlNumber = c.ControlNumber[:min(maxNumber, max(len(c.ControlNumber), 1)-1)]
	return []remittance.Claim{*c}
}

// anotherPatient states a payment for another patient, with other services and
// another charge, under the control number of the claim.
func anotherPatient(decided *remittance.Claim) []remittance.Claim {
	if decided.Status == remittance.StatusPredetermination {
		return whole(decided)
	}
	c := decided.Clone()
	c.PayerControlNumber = "SP" + digits(12, "another patient", c.PayerControlNumber)
	c.Names = []remittance.Name{{Entity: "QC", Kind: "1", Last: "Mercer", First: "Otto", IDQualifier: "MI", ID: "W000000017"}}
	var charge billing.Money = 25_00
	for i := range c.Services {
		charge += c.Services[i].Charge
	}
	s := remittance.Service{Procedure: remittance.Procedure{Qualifier: "AD", Code: "D9995"}, Charge: charge, Units: "1"}
	inPart.decide(&s)
	c.References, c.Services = nil, []remittance.Service{s}
	return []remittance.Claim{*c}
}

// reversed states the reversal of the payment.
func reversed(decided *remittance.Claim) []remittance.Claim {
	return []remittance.Claim{*decided.Reversed()}
}

// lastLineReversed states the reversal of the last line.
func lastLineReversed(decided *remittance.Claim) []remittance.Claim {
	back := decided.Reversed()
	back.Services = back.Services[len(back.Services)-1:]
	return []remittance.Claim{*back}
}

// corrected writes off half of the patient's share, so that the payment stays as it
// is. The correction comes before the reversal.
func corrected(decided *remittance.Claim) []remittance.Claim {
	c := decided.Clone()
	for i := range c.Services {
		s := &c.Services[i]
		contract, share := s.Adjusted(groupContract, ""), s.Adjusted(remittance.GroupPatient, "")
		s.Adjustments = slices.DeleteFunc(s.Adjustments, func(a remittance.Adjustment) bool { return a.Reason != reasonEarlier })
		adjust(s, groupContract, reasonFee, contract+share-share/2)
		adjust(s, remittance.GroupPatient, reasonShare, share/2)
		if len(s.Amounts) > 0 {
			s.Amounts = []remittance.Amount{{Qualifier: "B6", Amount: s.Charge - s.Adjusted(groupContract, "")}}
		}
	}
	return []remittance.Claim{*c, *decided.Reversed()}
}

// restPercent is the part of the patient's share that the secondary payer leaves to
// the patient.
const restPercent = 25

// bySecondary returns the secondary payer's decision on a claim that the primary
// payer has decided. It pays most of what the primary payer left to the patient.
func bySecondary(decided *remittance.Claim) *remittance.Claim {
	c := decided.Clone()
	c.Status, c.PayerControlNumber = statusSecondary, secondaryNumber(c.PayerControlNumber)
	c.Names = slices.DeleteFunc(c.Names, func(n remittance.Name) bool { return n.Entity == entityNextPayer })
	for i := range c.Services {
		s := &c.Services[i]
		share := s.Adjusted(remittance.GroupPatient, "")
		s.Adjustments, s.Amounts = nil, nil
		adjust(s, remittance.GroupOther, reasonEarlier, s.Charge-share)
		adjust(s, remittance.GroupPatient, reasonShare, share*restPercent/100)
	}
	return c
}

// secondaryNumber returns the secondary payer's claim number.
func secondaryNumber(primary string) string { return "SP" + digits(12, "secondary", primary) }

// standing returns the claims whose payments no reversal has taken back, not even in
// part. Claims with another payer claim number do not count, unless it is empty.
func standing(number string, stated []remittance.Claim) (stand []remittance.Claim) {
	var back []remittance.Service
	for i := range stated {
		switch c := &stated[i]; {
		case number != "" && c.PayerControlNumber != number:
		case c.Status == remittance.StatusReversal:
			back = append(back, c.Services...)
		default:
			stand = append(stand, *c.Clone())
		}
	}
	for i := range back {
		for k := range stand {
			c := &stand[k]
			if n := slices.IndexFunc(c.Services, func(s remittance.Service) bool { return reverses(&back[i], &s) }); n >= 0 {
				c.Services = slices.Delete(c.Services, n, n+1)
				break
			}
		}
	}
	return slices.DeleteFunc(stand, func(c remittance.Claim) bool { return len(c.Services) == 0 })
}

// reverses reports whether the line of a reversal takes the other line back.
func reverses(back, s *remittance.Service) bool {
	return back.Procedure.Code == s.Procedure.Code && back.Charge == -s.Charge && slices.Equal(back.References, s.References) &&
		slices.EqualFunc(back.Adjustments, s.Adjustments, func(a, b remittance.Adjustment) bool {
			return a.Group == b.Group && a.Reason == b.Reason && a.Amount == -b.Amount
		})
}
