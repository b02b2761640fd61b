package edi

import (
	"context"
	"errors"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// asker asks payers in 270s, and reads their 271s.
type asker struct {
	codec *Codec
	carry ports.Inquire
}

// Over returns what asks payers through a network that carries X12.
func (c *Codec) Over(carry ports.Inquire) ports.Eligibility { return &asker{c, carry} }

// Ask asks a payer.
func (a *asker) Ask(ctx context.Context, q network.Inquiry) (coverage.CheckResponse, []coverage.Exchange, error) {
	sent, incomplete, err := a.exchange(ctx, q)
	if err != nil {
		return coverage.CheckResponse{}, sent, err
	}
	replies := make([][]byte, len(sent))
	for i, e := range sent {
		replies[i] = e.Reply
	}
	response, err := a.codec.Answer(q, replies)
	if err != nil { // the bytes are no 271: the network corrupted them
		return coverage.CheckResponse{}, sent, &network.UnreadableError{Err: err}
	}
	return response, sent, incomplete
}

// exchange sends a 270 for each question of the check. If the payer responds to the
// first one but not to another, the check is still answered, and incomplete states why
// it has less.
func (a *asker) exchange(ctx context.Context, q network.Inquiry) (sent []coverage.Exchange, incomplete, err error) {
	for n, question := range q.Questions() {
		request, err := a.codec.Inquiry(q, question, n)
		if err != nil {
			return sent, nil, &network.UnaskableError{Err: err}
		}
		reply, err := a.carry(ctx, request)
		sent = append(sent, coverage.Exchange{MediaType: coverage.MediaX12, Request: request, Reply: reply})
		if err != nil && n == 0 {
			return sent, nil, err
		}
		if _, later := errors.AsType[*billing.LaterError](err); err != nil && !later {
			incomplete = fmt.Errorf("ask the payer another question: %w", err)
		}
		if errors.Is(err, network.ErrUnauthorized) { // accounts lock after repeated attempts
			break
		}
	}
	return sent, incomplete, nil
}
