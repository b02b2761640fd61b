package molar

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"
)

// UnmarshalJSON reads an event. The data of a type that this version does not know stays as it is.
func (e *Event) UnmarshalJSON(b []byte) error {
	type plain Event
	var data struct {
		Data json.RawMessage `json:"data"`
	}
	if err := errors.Join(json.Unmarshal(b, (*plain)(e)), json.Unmarshal(b, &data)); err != nil {
		return err
	}
	e.Raw, e.Data = append(json.RawMessage(nil), b...), data.Data
	if typed := newData(e.Type); typed != nil {
		if err := json.Unmarshal(data.Data, typed); err != nil {
			return err
		}
		e.Data = typed
	}
	return nil
}

// pollEvery is how often Tail asks for events when there are no more.
const pollEvery = time.Second

// Tail returns the events after one, in their order, and then those that happen, until the context ends. After is the ID of the last event that
// you have dealt with, or empty to begin with the oldest that is kept. Store the ID of each event when you are done
// with it: Tail then goes on after it. It survives lost connections, and never skips an event: if those after the
// one are no longer kept, it ends with EVENT_EXPIRED.
func (s EventsOperations) Tail(ctx context.Context, after string, params EventsListParams, options ...CallOption) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		params.Order, params.Limit = EventsListParamsOrderAsc, 100
		for {
			params.After = after
			p, err := s.List(params, options...).Page(ctx, "")
			if err != nil && (ctx.Err() != nil || !passes(err)) {
				yield(nil, errors.Join(context.Cause(ctx), err))
				return
			}
			if err == nil {
				for i := range p.Data {
					if after = p.Data[i].ID; !yield(&p.Data[i], nil) {
						return
					}
				}
				if len(p.Data) > 0 {
					continue
				}
			}
			if !pause(ctx, pollEvery) {
				yield(nil, context.Cause(ctx))
				return
			}
		}
	}
}

// passes tells whether what failed may succeed a little later.
func passes(err error) bool {
	var lost *ConnectionError
	var refused *Error
	return errors.As(err, &lost) || errors.As(err, &refused) && refused.Retryable
}

// pause waits, and reports whether the context goes on.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
