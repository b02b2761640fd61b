package molar

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// WaitError is the error of a claim that did not come to a state in time.
type WaitError struct {
	Claim *Claim // as it was read last
	Cause error
}

// Error says where the claim is.
func (e *WaitError) Error() string {
	return fmt.Sprintf("molar: claim %s is still %s: %v", e.Claim.ID, e.Claim.State, e.Cause)
}

// Unwrap returns the cause.
func (e *WaitError) Unwrap() error { return e.Cause }

const readAgain = 5 * time.Second

// Wait waits until a claim is in one of the states, and returns it. It follows the claim's events, and also reads the
// claim again every 5 s. A lost connection does not end it. If the context ends first, the error is a [*WaitError] with the claim as it was.
func (s ClaimsOperations) Wait(ctx context.Context, id string, until ...ClaimState) (*Claim, error) {
	newest := ""
	var last *Claim
	for {
		c, err := s.Get(ctx, id)
		switch {
		case err != nil && (last == nil || !passes(err)):
			return nil, err
		case err == nil && slices.Contains(until, c.State):
			return c, nil
		case err == nil:
			last = c
		}
		for deadline := time.Now().Add(readAgain); time.Now().Before(deadline); {
			if !pause(ctx, pollEvery/2) {
				return nil, &WaitError{last, context.Cause(ctx)}
			}
			p, err := s.c.Events.List(EventsListParams{ResourceID: id, Limit: 1}).Page(ctx, "")
			if err == nil && len(p.Data) > 0 && p.Data[0].ID != newest {
				newest = p.Data[0].ID
				break
			}
		}
	}
}
