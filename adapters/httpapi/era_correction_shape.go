package httpapi

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// correctionJSON is what a remittance is to those that it corrects.
type correctionJSON struct {
	Of        []billing.ERAID `json:"of"`
	Undecided bool            `json:"undecided"`
	Decided   *eraNoteJSON    `json:"decided"`
}

// eraNoteJSON is a decision of a person about a remittance.
type eraNoteJSON struct {
	At   string  `json:"at"`
	By   *string `json:"by"`
	Note *string `json:"note"`
}

// eraDifferenceJSON is what a correction changes.
type eraDifferenceJSON struct {
	Was     eraTotalsJSON         `json:"was"`
	Changed int                   `json:"changed"`
	Added   int                   `json:"added"`
	Removed int                   `json:"removed"`
	Claims  []claimDifferenceJSON `json:"claims"`
}

type eraTotalsJSON struct {
	Total                    string `json:"total"`
	ProviderAdjustmentsTotal string `json:"provider_adjustments_total"`
}

type claimDifferenceJSON struct {
	PatientControlNumber string               `json:"patient_control_number"`
	PayerClaimNumber     *string              `json:"payer_claim_number"`
	PatientName          nameJSON             `json:"patient_name"`
	Was                  *statedClaimJSON     `json:"was"`
	Is                   *statedClaimJSON     `json:"is"`
	Lines                []lineDifferenceJSON `json:"lines"`
}

type statedClaimJSON struct {
	StatusCode            string           `json:"status_code"`
	Charge                string           `json:"charge"`
	Paid                  string           `json:"paid"`
	Allowed               *string          `json:"allowed"`
	PatientResponsibility *string          `json:"patient_responsibility"`
	Adjustments           []adjustmentJSON `json:"adjustments"`
}

type lineDifferenceJSON struct {
	ProcedureCode string          `json:"procedure_code"`
	ServiceDate   *billing.Date   `json:"service_date"`
	Was           *statedLineJSON `json:"was"`
	Is            *statedLineJSON `json:"is"`
}

type statedLineJSON struct {
	ProcedureCode string           `json:"procedure_code"`
	Charge        string           `json:"charge"`
	Paid          string           `json:"paid"`
	Allowed       *string          `json:"allowed"`
	Adjustments   []adjustmentJSON `json:"adjustments"`
}

// correctionShape returns null for a remittance that corrects none.
func correctionShape(e *remit.ERA) *correctionJSON {
	if len(e.Corrects) == 0 {
		return nil
	}
	return &correctionJSON{e.Corrects, e.Undecided(), eraNoteShape(e.Decided)}
}

func eraNoteShape(n *remit.Note) *eraNoteJSON {
	if n == nil {
		return nil
	}
	return &eraNoteJSON{event.Timestamp(n.At), orNull(n.By), orNull(n.Note)}
}

func eraDifferenceShape(d *remit.Difference) *eraDifferenceJSON {
	if d == nil {
		return nil
	}
	return &eraDifferenceJSON{
		eraTotalsJSON{d.Total.String(), d.ProviderAdjustmentsTotal.String()}, d.Changed, d.Added, d.Removed, mapped(d.Claims, claimDifferenceShape),
	}
}

func claimDifferenceShape(c remit.ClaimDifference) claimDifferenceJSON {
	return claimDifferenceJSON{
		c.ControlNumber, orNull(c.PayerClaimNumber),
		nameJSON{c.PatientFirstName, c.PatientLastName},
		statedClaimShape(c.Was), statedClaimShape(c.Is),
		mapped(c.Lines, func(l remit.LineDifference) lineDifferenceJSON {
			return lineDifferenceJSON{l.ProcedureCode, orNull(l.ServiceDate), statedLineShape(l.Was), statedLineShape(l.Is)}
		}),
	}
}

func statedClaimShape(s *remit.Stated) *statedClaimJSON {
	if s == nil {
		return nil
	}
	return &statedClaimJSON{
		s.StatusCode, s.Charge.String(), s.Paid.String(), money(s.Allowed), money(s.PatientResponsibility), mapped(s.Adjustments, adjustmentShape),
	}
}

func statedLineShape(s *remit.Stated) *statedLineJSON {
	if s == nil {
		return nil
	}
	return &statedLineJSON{s.ProcedureCode, s.Charge.String(), s.Paid.String(), money(s.Allowed), mapped(s.Adjustments, adjustmentShape)}
}
