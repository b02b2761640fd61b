package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// event is an event as the API returns it.
type listedEvent struct {
	raw       json.RawMessage
	ID        billing.EventID `json:"id"`
	Type      event.Type      `json:"type"`
	Sequence  int             `json:"sequence"`
	CreatedAt time.Time       `json:"created_at"`
	Data      struct {
		ID string `json:"id"`
	} `json:"data"`
}

// UnmarshalJSON also keeps the bytes.
func (e *listedEvent) UnmarshalJSON(b []byte) error {
	type plain listedEvent
	e.raw = slices.Clone(b)
	return json.Unmarshal(b, (*plain)(e))
}

// body returns the event byte for byte as webhook endpoints receive it.
func (e *listedEvent) body() []byte { return e.raw }

type eventPage struct {
	Data       []listedEvent `json:"data"`
	NextCursor *string       `json:"next_cursor"`
}

func (c *client) event(ctx context.Context, id billing.EventID) (e listedEvent, err error) {
	err = c.get(ctx, "/events/"+id.String(), nil, &e)
	return e, err
}

const maxPage = 100

// events reads up to limit events.
func (c *client) events(ctx context.Context, q url.Values, limit int) (all []listedEvent, err error) {
	for len(all) < limit {
		q.Set("limit", strconv.Itoa(min(limit-len(all), maxPage)))
		var p eventPage
		if err := c.get(ctx, "/events", q, &p); err != nil {
			return nil, err
		}
		all = append(all, p.Data...)
		if p.NextCursor == nil {
			break
		}
		q.Set("cursor", *p.NextCursor)
	}
	return all, nil
}

func events(b Backend) *cobra.Command {
	return group("events", "What happened", listEvents(b), resendEvents(b))
}

func parseTypes(flag string, names []string) ([]event.Type, error) {
	var types []event.Type
	for _, n := range names {
		t := event.Type(n)
		if !slices.Contains(event.Types(), t) {
			return nil, fmt.Errorf("--%s %q: there is no such event type; the types are\n  %s", flag, n, joined(event.Types(), "\n  "))
		}
		types = append(types, t)
	}
	return types, nil
}

// span has the flags of a period.
type span struct{ after, before string }

func (f *span) on(c *cobra.Command) {
	c.Flags().StringVar(&f.after, "after", "", "only events at or after this: how long ago (10m), or a time (2026-01-02T15:04:05Z)")
	c.Flags().StringVar(&f.before, "before", "", "only events before this, in the same form (default: now)")
}

func (f *span) parse(now time.Time) (after, before time.Time, err error) {
	after, errAfter := parseWhen("after", f.after, now)
	before, errBefore := parseWhen("before", f.before, now)
	if err = errors.Join(errAfter, errBefore); err == nil && f.after != "" && f.before != "" && !after.Before(before) {
		err = errors.New("--after is not before --before, so there is nothing between them")
	}
	return after, before, err
}

func listEvents(b Backend) *cobra.Command {
	var f connection
	var when span
	var kind, resource string
	var limit int
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List events, newest first", Args: cobra.NoArgs,
		Long:    "Lists the events of the key's organization and mode, newest first. It needs a key with the read permission.",
		Example: "  molar events list\n  molar events list --type eligibility.completed --after 1h\n  molar events list --resource elg_... --json | jq .data",
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := listQuery(kind, resource, &when)
			if err != nil {
				return err
			}
			if limit < 1 {
				return errors.New("--limit must be at least 1")
			}
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			all, err := api.events(c.Context(), q, limit)
			if err != nil {
				return err
			}
			return printEvents(c, all, asJSON)
		},
	}
	f.on(c)
	when.on(c)
	c.Flags().StringVar(&kind, "type", "", "only events of this type")
	c.Flags().StringVar(&resource, "resource", "", "only events of this resource, by its ID")
	c.Flags().IntVar(&limit, "limit", 25, "maximum number of events")
	c.Flags().BoolVar(&asJSON, "json", false, "print each event as the API returns it, one per line")
	return c
}

func listQuery(kind, resource string, when *span) (url.Values, error) {
	q := url.Values{}
	if kind != "" {
		if _, err := parseTypes("type", []string{kind}); err != nil {
			return nil, err
		}
		q.Set("type", kind)
	}
	if resource != "" {
		q.Set("resource_id", resource)
	}
	after, before, err := when.parse(time.Now())
	if !after.IsZero() {
		q.Set("created_after", event.Timestamp(after))
	}
	if !before.IsZero() {
		q.Set("created_before", event.Timestamp(before))
	}
	return q, err
}

func printEvents(c *cobra.Command, all []listedEvent, asJSON bool) error {
	if asJSON {
		for _, e := range all {
			if err := say(c, "%s", e.raw); err != nil {
				return err
			}
		}
		return nil
	}
	return list(c, "", "CREATED\tTYPE\tID\tRESOURCE\tSEQUENCE", all, func(e listedEvent) []any {
		return []any{event.Timestamp(e.CreatedAt), e.Type, e.ID, e.Data.ID, e.Sequence}
	})
}

// resend has the flags of molar events resend.
type resend struct {
	when     span
	endpoint string
	types    []string
}

func resendEvents(b Backend) *cobra.Command {
	var f connection
	var r resend
	var asJSON bool
	c := &cobra.Command{
		Use: "resend [EVENT_ID]", Short: "Send events to webhook endpoints again", Args: cobra.MaximumNArgs(1),
		Long: "Queues one event, or all events of a period, for the webhook endpoints that receive them, or for one of them.\n" +
			"It prints the number of deliveries. A receiver recognizes a repeated event by its webhook-id.\n" +
			"It needs a key with the submit permission.",
		Example: "  molar events resend evt_...\n  molar events resend evt_... --endpoint whe_...\n" +
			"  molar events resend --after 2h --before 30m\n  molar events resend --after 2026-01-02T15:00:00Z --type claim.paid --type claim.denied",
		RunE: func(c *cobra.Command, args []string) error {
			path, body, err := r.request(args, time.Now())
			if err != nil {
				return err
			}
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var answer json.RawMessage
			if err := api.post(c.Context(), path, body, &answer); err != nil {
				return err
			}
			return printQueued(c, answer, asJSON)
		},
	}
	f.on(c)
	r.when.on(c)
	c.Flags().StringVar(&r.endpoint, "endpoint", "", "only to this webhook endpoint (whe_...)")
	c.Flags().StringSliceVar(&r.types, "type", nil, "only events of this type (repeatable)")
	c.Flags().BoolVar(&asJSON, "json", false, "print the API's reply")
	return c
}

func printQueued(c *cobra.Command, answer json.RawMessage, asJSON bool) error {
	if asJSON {
		return say(c, "%s", answer)
	}
	var parsed struct {
		Queued int `json:"queued"`
	}
	if err := json.Unmarshal(answer, &parsed); err != nil {
		return err
	}
	err := say(c, "%d queued", parsed.Queued)
	if parsed.Queued == 0 {
		_, _ = fmt.Fprintln(c.ErrOrStderr(), "No enabled webhook endpoint receives these events; GET /webhook_endpoints lists the endpoints.")
	}
	return err
}

// resendBody is the body of the request.
type resendBody struct {
	EndpointID    string       `json:"endpoint_id,omitempty"`
	CreatedAfter  string       `json:"created_after,omitempty"`
	CreatedBefore string       `json:"created_before,omitempty"`
	EventTypes    []event.Type `json:"event_types,omitempty"`
}

// request returns the path and the body, for one event or for a period.
func (r *resend) request(args []string, now time.Time) (path string, body resendBody, err error) {
	if r.endpoint != "" {
		id, err := billing.ParseID[billing.WebhookEndpointID](r.endpoint)
		if err != nil {
			return "", body, fmt.Errorf("--endpoint %q is not a whe_ ID", r.endpoint)
		}
		body.EndpointID = id.String()
	}
	narrowed := r.when.after != "" || r.when.before != "" || len(r.types) > 0
	switch {
	case len(args) == 1 && narrowed:
		return "", body, errors.New("name an event, or use --after, --before and --type, not both")
	case len(args) == 1:
		id, err := billing.ParseID[billing.EventID](args[0])
		if err != nil {
			return "", body, fmt.Errorf("%q is not an evt_ ID; molar events list lists them", args[0])
		}
		return "/events/" + id.String() + "/resend", body, nil
	case r.when.after == "":
		return "", body, errors.New("name an event, or a start with --after, such as --after 2h")
	}
	after, before, err := r.when.parse(now)
	if err != nil {
		return "", body, err
	}
	if before.IsZero() {
		before = now // set here, so that a retry sends the same period
	}
	body.CreatedAfter, body.CreatedBefore = event.Timestamp(after), event.Timestamp(before)
	body.EventTypes, err = parseTypes("type", r.types)
	return "/events/resend", body, err
}
