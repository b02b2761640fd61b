package remit

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Shares are the figures of an adjudication or of one of its lines.
type Shares struct {
	Allowed               *billing.Money // nil when the remittance does not say
	PatientResponsibility billing.Money
	Deductible            billing.Money // PR-1
	Coinsurance           billing.Money // PR-2
	Copay                 billing.Money // PR-3
	OtherPatient          billing.Money // any other PR
	Contractual           billing.Money
	NotPaid               billing.Money
}

// Shares returns the figures of the adjudication, its lines included.
func (r *Claim) Shares() (s Shares) {
	s.add(r.Adjustments)
	if len(r.Lines) > 0 {
		s.Allowed = new(r.allowedByLines())
	} else if allowed, ok := r.AllowedByLevel(); ok {
		s.Allowed = &allowed
	}
	for i := range r.Lines {
		s.add(r.Lines[i].Adjustments)
	}
	return s
}

// Shares returns the figures of the line.
func (l *Line) Shares() (s Shares) {
	s.add(l.Adjustments)
	s.Allowed = new(l.AllowedAmount())
	return s
}

func (s *Shares) add(all []Adjustment) {
	for _, a := range all {
		switch {
		case a.OfPatient():
			s.PatientResponsibility += a.Amount
			*s.ofReason(a.Reason) += a.Amount
		case a.Contractual():
			s.Contractual += a.Amount
		case a.NotPaid():
			s.NotPaid += a.Amount
		}
	}
}

func (s *Shares) ofReason(reason string) *billing.Money {
	switch reason {
	case "1":
		return &s.Deductible
	case "2":
		return &s.Coinsurance
	case "3":
		return &s.Copay
	default:
		return &s.OtherPatient
	}
}

// AllowedByLevel returns what a claim without lines allows. A denied one allows
// nothing. Ok is false when the remittance does not say.
func (r *Claim) AllowedByLevel() (allowed billing.Money, ok bool) {
	switch {
	case r.Outcome() == OutcomeDenied && !r.Reverses():
		return 0, true
	case r.Allowed == nil:
		return 0, false
	default:
		return *r.Allowed, true
	}
}

// allowedByLines returns the sum of what the lines allow. When none states it,
// the contractual adjustments of the claim reduce it too.
func (r *Claim) allowedByLines() (sum billing.Money) {
	stated := false
	for i := range r.Lines {
		sum += r.Lines[i].AllowedAmount()
		stated = stated || r.Lines[i].Allowed != nil
	}
	if !stated {
		sum -= Sum(r.Adjustments, Adjustment.ReducesAllowed)
	}
	return sum
}

// AllowedAmount returns the allowed amount of the line: as stated (AMT B6), else
// the charge less the agreed discounts. A denied line allows nothing.
func (l *Line) AllowedAmount() billing.Money {
	switch {
	case l.Paid == 0 && !slices.ContainsFunc(l.Adjustments, Adjustment.ExplainsZero):
		return 0
	case l.Allowed != nil:
		return *l.Allowed
	default:
		return l.Charge - Sum(l.Adjustments, Adjustment.ReducesAllowed)
	}
}

// Outcome returns the decision. A claim paid with zero is denied unless the plan
// explains the zero, whatever its status code, because payers report such denials
// as processed.
func (r *Claim) Outcome() PaymentOutcome {
	if r.Paid > 0 || r.explainsZero() {
		return OutcomePaid
	}
	return OutcomeDenied
}

// explainsZero reports whether the plan explains a payment of zero: it leaves the
// amount to the patient as deductible, coinsurance or copay, or capitation covers
// it.
func (r *Claim) explainsZero() bool {
	for a := range r.AllAdjustments() {
		if a.ExplainsZero() {
			return true
		}
	}
	return false
}

// Estimate returns the payer's estimate from the remittance with the ID. Numbers are
// those of the claim's lines, by line. The payer states what it would pay as an
// adjustment, or as the payment.
func (r *Claim) Estimate(era billing.ERAID, numbers []int) ClaimEstimate {
	e := ClaimEstimate{ERAID: era, Pay: Sum(r.Adjustments, Adjustment.estimated), Patient: Sum(r.Adjustments, Adjustment.OfPatient)}
	for i := range r.Lines {
		l := &r.Lines[i]
		pay, patient := l.estimate(), Sum(l.Adjustments, Adjustment.OfPatient)
		e.Pay, e.Patient = e.Pay+pay, e.Patient+patient
		e.Lines = append(e.Lines, LineEstimate{Number: numbers[i], Allowed: new(pay + patient), Pay: pay, Patient: patient})
	}
	if e.Pay == 0 {
		e.Pay = r.Paid
	}
	e.Allowed = new(e.Pay + e.Patient)
	return e
}

// estimate returns what the payer would pay for the line.
func (l *Line) estimate() billing.Money {
	if slices.ContainsFunc(l.Adjustments, Adjustment.estimated) {
		return Sum(l.Adjustments, Adjustment.estimated)
	}
	return l.Paid
}

// OfPatient reports whether the patient owes the amount (group PR).
func (a Adjustment) OfPatient() bool { return a.Group == "PR" }

// ExplainsZero reports whether the adjustment explains a payment of zero:
// deductible, coinsurance, copay or capitation.
func (a Adjustment) ExplainsZero() bool {
	switch a.Reason {
	case "1", "2", "3":
		return a.Group == "PR" && a.Amount != 0
	case "24":
		return a.Group == "CO" && a.Amount != 0
	default:
		return false
	}
}

// ReducesAllowed reports whether the adjustment is an agreed discount that the
// allowed amount leaves out. Sequestration (253) reduces the payment, not the
// allowed amount.
func (a Adjustment) ReducesAllowed() bool { return a.Contractual() && a.Reason != "253" }

// estimated reports whether the amount is a predetermination's estimate (reason
// 101).
func (a Adjustment) estimated() bool { return a.Reason == "101" && a.Group != "PR" }

// AllAdjustments returns the adjustments of the claim and of its lines.
func (r *Claim) AllAdjustments() iter.Seq[Adjustment] {
	return func(yield func(Adjustment) bool) {
		for _, a := range r.Adjustments {
			if !yield(a) {
				return
			}
		}
		for i := range r.Lines {
			for _, a := range r.Lines[i].Adjustments {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// Adjusted returns the sum of the adjustments of the claim and its lines for
// which fits returns true.
func (r *Claim) Adjusted(fits func(Adjustment) bool) (sum billing.Money) {
	for a := range r.AllAdjustments() {
		if fits(a) {
			sum += a.Amount
		}
	}
	return sum
}

// Sum returns the sum of the adjustments for which fits returns true.
func Sum(all []Adjustment, fits func(Adjustment) bool) (sum billing.Money) {
	for _, a := range all {
		if fits(a) {
			sum += a.Amount
		}
	}
	return sum
}

// PaymentOutcome is the payer's decision on a claim.
type PaymentOutcome string

// The outcomes.
const (
	OutcomePaid   PaymentOutcome = "paid"
	OutcomeDenied PaymentOutcome = "denied"
)

// ClaimEstimate is a payer's response to a predetermination: the amounts that
// it would pay.
type ClaimEstimate struct {
	ERAID      billing.ERAID
	Allowed    *billing.Money // nil when the remittance has none
	Pay        billing.Money
	Patient    billing.Money
	ReturnedAt time.Time
	Lines      []LineEstimate
}

// LineEstimate is the estimate for a line.
type LineEstimate struct {
	Number  int            // of the claim's line, from 1; 0 when the remittance's line matches none
	Allowed *billing.Money // nil when the remittance has none
	Pay     billing.Money
	Patient billing.Money
}

// ClaimPayment is the effect of one remittance on a claim, as events state it.
type ClaimPayment struct {
	ERAID                 billing.ERAID
	StatusCode            string         // CLP02
	Paid                  billing.Money  // negative for a reversal
	Allowed               *billing.Money // nil when the remittance has none
	PatientResponsibility billing.Money
}

// Payment returns the effect of the entry.
func (e *LedgerEntry) Payment() ClaimPayment {
	s := e.Shares()
	return ClaimPayment{e.ERA.ID, e.StatusCode, e.Paid, s.Allowed, s.PatientResponsibility}
}

// SettledBefore reports whether the payer says that an earlier one settled a part.
func (r *Claim) SettledBefore() bool {
	for a := range r.AllAdjustments() {
		if a.SettledBefore() && a.Amount != 0 {
			return true
		}
	}
	return false
}

// ReversalsFirst compares claims of one remittance: a reversal comes before any other.
func ReversalsFirst(a, b *Claim) int {
	switch {
	case a.Reverses() && !b.Reverses():
		return -1
	case b.Reverses() && !a.Reverses():
		return 1
	default:
		return cmp.Compare(a.Ordinal, b.Ordinal)
	}
}

// PayerKey identifies the payer among the payers of a claim: by its entry in the
// directory, or else by its name.
func (s *Source) PayerKey() string {
	if !s.Payer.ID.IsZero() {
		return s.Payer.ID.String()
	}
	return strings.ToUpper(strings.Join(strings.Fields(s.PayerName), " "))
}
