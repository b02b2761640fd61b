package attachments

import (
	"cmp"
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Make creates an open attachment without documents: for a claim, for a payer
// request, or on its own.
//
// Errors: those of the idempotency key, CodeAttachmentsUnavailable,
// CodeInvalidRequest with every fault, CodeNotFound for resources that the
// request names, and CodeConflict when the payer request has an open attachment
// or an answer.
func (s *Service) Make(
	ctx context.Context, call idempotency.Write[*attachment.Attachment], in intake.AttachmentRequest,
) (caller.Reply, error) {
	return s.change(ctx, call, func(ctx context.Context, tx ports.Tx) (*attachment.Attachment, error) {
		names := in.IDs()
		var request *attachment.PayerRequest
		var absent billing.Absent
		if !names.PayerRequest.IsZero() {
			r, err := tx.PayerRequests.Lock(ctx, names.PayerRequest)
			if err := absent.Note(err, "payer request", "payer_request_id"); err != nil {
				return nil, err
			}
			request = r
		}
		return s.make(ctx, tx, call.Call, in, request, absent)
	})
}

// make validates the request, finds the resources that it names, and stores the
// attachment. Request is the payer request that it answers, locked; nil for
// none. Absent collects the resources that were not found.
func (s *Service) make(
	ctx context.Context, tx ports.Tx, call caller.Call, in intake.AttachmentRequest,
	request *attachment.PayerRequest, absent billing.Absent,
) (*attachment.Attachment, error) {
	names := in.IDs()
	c, err := s.claim(ctx, tx, names.Claim, request)
	if err := absent.Note(err, "claim", "claim_id"); err != nil {
		return nil, err
	}
	if c != nil {
		if err := c.HasPatient(); err != nil {
			return nil, err
		}
	}
	if c != nil && in.OfficeID == nil {
		names.Office = c.OfficeID
	}
	// The faults of dates depend on the office's day, so the office is read
	// first. An absent one is reported after the faults.
	office := directory.NoOffice()
	if !names.Office.IsZero() {
		found, err := tx.Offices.Get(ctx, names.Office)
		if err == nil {
			office = found
		} else if err := absent.Note(err, "office", "office_id"); err != nil {
			return nil, err
		}
	}
	now := tx.Clock.Now()
	a, faults := in.Attachment(c, request, office.Today(now))
	if c != nil && !names.Office.IsZero() && names.Office != c.OfficeID {
		faults.Add("office_id", billing.FaultConflict, "The claim belongs to another office. Leave out office_id.")
	}
	payer := s.payer(&faults, &absent, in.PayerID, c, request)
	if err := cmp.Or(faults.Err(), absent.Err()); err != nil {
		return nil, err
	}
	if request != nil && request.State == attachment.PayerRequestAnswered {
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The payer request has an answer already."}
	}
	a.ID, a.Scope, a.OfficeID, a.Payer = billing.NewID[billing.AttachmentID](tx.Real.Now()), call.Scope, names.Office, payer
	a.RequestID, a.CreatedAt, a.UpdatedAt = call.Request.ID, now, now
	return &a, tx.Attachments.Insert(ctx, &a)
}

// claim returns the claim that the request or its payer request names; nil for
// none.
func (s *Service) claim(
	ctx context.Context, tx ports.Tx, named billing.ClaimID, request *attachment.PayerRequest,
) (*claim.Claim, error) {
	id := named
	if id.IsZero() && request != nil {
		id = request.ClaimID
	}
	if id.IsZero() {
		return nil, nil // no claim, and no error
	}
	c, err := tx.Claims.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.Claim, nil
}

// payer returns the payer that the request names, else that of the claim or of
// the payer request. They must agree, and the payer must accept attachments.
func (s *Service) payer(
	faults *billing.Faults, absent *billing.Absent, ref *string, c *claim.Claim, request *attachment.PayerRequest,
) (payer directory.PayerSummary) {
	switch {
	case c != nil:
		payer = c.Payer
	case request != nil:
		payer = request.Payer
	}
	if ref != nil {
		named, ok := s.payers.Find(*ref)
		switch {
		case !ok:
			absent.Add("payer", "payer_id")
			return payer
		case c != nil && named.ID != c.Payer.ID:
			faults.Add("payer_id", billing.FaultConflict, "The claim is for another payer. Leave out payer_id.")
		case request != nil && named.ID != request.Payer.ID:
			faults.Add("payer_id", billing.FaultConflict, "The payer request is from another payer. Leave out payer_id.")
		}
		payer = named.PayerSummary
	}
	if known, ok := s.payers.Find(payer.ID.String()); payer != (directory.PayerSummary{}) && (!ok || !known.Capabilities.Attachments) {
		faults.Add("payer_id", billing.FaultNotAllowed, "The payer accepts no attachments.")
	}
	return payer
}
