package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// listener forwards events, one after another, until the receiver accepts each.
// Its position moves past an event only when the receiver has accepted it, or
// when a message says that it is skipped.
type listener struct {
	fetch  func(ctx context.Context, after position) ([]listedEvent, error) // the next events, oldest first
	post   func(ctx context.Context, e listedEvent) outcome
	save   func(p position) error
	wants  func(t event.Type) bool
	report *reporter
	at     position
}

const (
	pollEvery   = 250 * time.Millisecond
	pollWait    = 10 * time.Second // for a reply of the API
	maxAttempts = 6                // without a 2xx status: the first and 5 more
	firstPause  = 250 * time.Millisecond
	absentPause = time.Second // a connection on one machine costs nothing
	badPause    = 5 * time.Second
)

// backoff returns how long to wait after the nth failure, from 0.
func backoff(n int, most time.Duration) time.Duration {
	return min(firstPause<<min(n, 8), most)
}

// run forwards events until ctx ends.
func (l *listener) run(ctx context.Context) error {
	for {
		var page []listedEvent
		err := l.reach(ctx, func(ctx context.Context) (err error) {
			page, err = l.fetch(ctx, l.at)
			return err
		})
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := l.passOn(ctx, e); err != nil {
				return err
			}
		}
		if len(page) > 0 {
			continue
		}
		if err := pause(ctx, pollEvery); err != nil {
			return err
		}
	}
}

// reach calls the API until it responds. It returns only errors that a retry would
// not change.
func (l *listener) reach(ctx context.Context, ask func(context.Context) error) error {
	for failures := 0; ; failures++ {
		within, cancel := context.WithTimeout(ctx, pollWait)
		err := ask(within)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e, ok := errors.AsType[*apiError](err); ok && e.lasting() {
			return err
		}
		if err == nil {
			if failures > 0 {
				l.report.note("The API responds again.")
			}
			return nil
		}
		if failures == 0 {
			l.report.note("%s", "Waiting: "+err.Error())
		}
		if err := pause(ctx, backoff(failures, absentPause)); err != nil {
			return err
		}
	}
}

// passOn posts an event until the receiver accepts it. If the receiver rejects it
// or does not reply, passOn retries a few times, and then skips the event.
func (l *listener) passOn(ctx context.Context, e listedEvent) error {
	for attempts := 1; l.wants(e.Type); attempts++ {
		o, err := l.meet(ctx, e)
		if err != nil {
			return err
		}
		wait := backoff(attempts-1, badPause)
		l.report.attempt(e, o, attempts, wait)
		if o.taken() || attempts == maxAttempts {
			break
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
	l.at = position{After: e.ID, At: e.CreatedAt}
	return l.save(l.at)
}

// meet posts an event until a receiver replies, however long that takes.
func (l *listener) meet(ctx context.Context, e listedEvent) (outcome, error) {
	for absences := 0; ; absences++ {
		o := l.post(ctx, e)
		switch {
		case ctx.Err() != nil:
			return o, ctx.Err()
		case errors.Is(o.err, errNotLoopback):
			return o, o.err
		case !o.absent():
			if absences > 0 {
				l.report.note("The receiver is back.")
			}
			return o, nil
		case absences == 0:
			l.report.note("The receiver is not running (%s). Waiting for it; no event is lost.", o)
		}
		if err := pause(ctx, backoff(absences, absentPause)); err != nil {
			return o, err
		}
	}
}

// after reads the events after a position.
func (c *client) after(ctx context.Context, p position) ([]listedEvent, error) {
	q := url.Values{"order": {"asc"}, "limit": {strconv.Itoa(maxPage)}}
	switch {
	case !p.After.IsZero():
		q.Set("after", p.After.String())
	case !p.At.IsZero():
		q.Set("created_after", event.Timestamp(p.At))
	}
	var page eventPage
	err := c.get(ctx, "/events", q, &page)
	if e, ok := errors.AsType[*apiError](err); ok && (e.Status == http.StatusNotFound || e.Status == http.StatusGone) && e.Code != "" && !p.After.IsZero() {
		err = fmt.Errorf("%w\nThe service does not have %s, the last event passed on. Its data may have been wiped.\nStart over with --since now or --since 1h", err, p.After)
	}
	return page.Data, err
}

// newest returns the position after all events so far. It is a time and not an
// event: an event that commits late may come before a listed one, unless that one
// was read with order=asc.
func (c *client) newest(ctx context.Context) (position, error) {
	all, err := c.events(ctx, url.Values{}, 1)
	if err != nil || len(all) == 0 {
		return position{}, err
	}
	return position{At: all[0].CreatedAt.Add(time.Microsecond)}, nil
}

// beginning is the start of molar listen, from --since. The zero value means where
// the last run stopped, or else now.
type beginning struct {
	now  bool
	id   billing.EventID
	from time.Time
}

func parseBeginning(flag string, now time.Time) (b beginning, err error) {
	if flag == "now" || flag == "" {
		return beginning{now: flag != ""}, nil
	}
	if b.id, err = billing.ParseID[billing.EventID](flag); err == nil {
		return b, nil
	}
	b.from, err = parseWhen("since", flag, now)
	if err != nil {
		err = fmt.Errorf("%w,\nor an event (evt_...), or now", err)
	}
	return b, err
}

// begin returns the first position. A --since of a time never starts after the
// point where the last run stopped, so that running the same command again loses
// no event.
func (c *client) begin(ctx context.Context, b beginning, left *position) (position, error) {
	switch {
	case !b.id.IsZero():
		e, err := c.event(ctx, b.id)
		return position{At: e.CreatedAt}, err
	case left != nil && !b.now && (b.from.IsZero() || left.At.Before(b.from)):
		return *left, nil
	}
	if !b.from.IsZero() {
		return position{At: b.from}, nil
	}
	return c.newest(ctx)
}
