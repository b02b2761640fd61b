package remittances

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// siblings locks the payment, and reads the other remittances of the scope for it.
func (s *Service) siblings(ctx context.Context, tx ports.Tx, p *remit.Remittance) (all []*remit.Remittance, err error) {
	found, err := tx.Corrections.OfPayment(ctx, p.Payment.TraceNumber, p.Payment.Date)
	for _, e := range found {
		if e.ID == p.ID {
			continue
		}
		o, err := s.outlined(ctx, tx, e)
		if err != nil {
			return nil, err
		}
		if p.SamePayer(o) {
			all = append(all, o)
		}
	}
	return all, err
}

// outlined reads a stored remittance with its outline and its content.
func (s *Service) outlined(ctx context.Context, tx ports.Tx, e *remit.ERA) (*remit.Remittance, error) {
	content, err := tx.ERAs.Content(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	payments, err := s.payments("", content, 0)
	if err != nil {
		return nil, err
	}
	r := &payments[0]
	r.ERA = *e
	return r, nil
}

// known returns the remittance of the scope that the payment repeats, or else its
// siblings.
func (s *Service) known(ctx context.Context, tx ports.Tx, p *remit.Remittance) (id billing.ERAID, siblings []*remit.Remittance, err error) {
	for _, ref := range p.PayerIDs {
		if payer, ok := s.payers.Find(ref); ok {
			p.Payer = payer.PayerSummary
			break
		}
	}
	if id, err = tx.Quarantine.Known(ctx, p.Identity); err != nil || !id.IsZero() {
		return id, nil, err
	}
	if siblings, err = s.siblings(ctx, tx, p); err != nil {
		return id, nil, err
	}
	for _, o := range siblings {
		if o.Outline.Figures == p.Outline.Figures {
			return o.ID, nil, nil
		}
	}
	if p.Payment.TraceNumber == "" {
		return id, nil, nil // nothing says that they are of one payment
	}
	return id, siblings, nil
}

// relate says what a new payment is to its siblings: a part beside them, or a correction.
// It stores what changes about them.
func (s *Service) relate(ctx context.Context, tx ports.Tx, p *remit.Remittance, siblings []*remit.Remittance) error {
	corrects, superseded := p.Relate(siblings)
	for _, o := range superseded {
		o.Supersede(p.ID)
		if err := discard(ctx, tx, &o.ERA); err != nil {
			return err
		}
	}
	if len(corrects) > 0 {
		var err error
		if p.Difference, err = s.compare(p, corrects); err != nil {
			return err
		}
	}
	return arrange(ctx, tx, &p.ERA, siblings)
}

// compare returns the difference between a correction and what it corrects.
func (s *Service) compare(p *remit.Remittance, corrects []*remit.Remittance) (*remit.Difference, error) {
	var was []*remit.Outline
	var eras []*remit.ERA
	for _, o := range corrects {
		was, eras = append(was, &o.Outline), append(eras, &o.ERA)
	}
	c := remit.Compare(was, &p.Outline)
	for r, err := range s.edi.Claims(p.Content) {
		if err != nil {
			return nil, err
		}
		c.Is(r)
	}
	for _, o := range corrects {
		for r, err := range s.edi.Claims(o.Content) {
			if err != nil {
				return nil, err
			}
			c.Was(r)
		}
	}
	return c.Difference(eras), nil
}

// arrange relates a remittance and its siblings to each other, and stores the siblings.
func arrange(ctx context.Context, tx ports.Tx, e *remit.ERA, siblings []*remit.Remittance) error {
	all := []*remit.ERA{e}
	for _, o := range siblings {
		all = append(all, &o.ERA)
	}
	remit.Arrange(all)
	for _, o := range siblings {
		if err := tx.ERAs.Save(ctx, &o.ERA); err != nil {
			return err
		}
	}
	return nil
}

// discard finishes the claims of a correction that a person no longer decides on.
func discard(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	n, err := tx.Corrections.Discard(ctx, e.ID)
	e.Progress.NeedsReview -= n
	e.Progress.Ignored += n
	return err
}

// rivals returns those of the siblings in whose place the remittance can stand: they
// stand, and have one of its claims.
func (s *Service) rivals(ctx context.Context, tx ports.Tx, e *remit.ERA) (rivals []*remit.ERA, siblings []*remit.Remittance, err error) {
	p, err := s.outlined(ctx, tx, e)
	if err != nil {
		return nil, nil, err
	}
	if siblings, err = s.siblings(ctx, tx, p); err != nil {
		return nil, nil, err
	}
	for _, o := range siblings {
		if o.Stands() && o.Outline.Shares(&p.Outline) {
			rivals = append(rivals, &o.ERA)
		}
	}
	return rivals, siblings, nil
}
