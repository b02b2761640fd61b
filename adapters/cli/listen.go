package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
)

// listening is the flags of molar listen.
type listening struct {
	connection
	forward, since, secret        string
	types                         []string
	json, printData, secretAndEnd bool
}

const listenHelp = `Passes events on to a receiver on this machine, as they happen, posted and signed as they are to webhook endpoints: no
tunnel, and no endpoint to make. The secret to check the signatures with is printed at the start; it stays the same.

Events come in order, each until the receiver has answered 2xx. While the receiver is away (a 502, 503 or 504
of a proxy is that too) they wait, and while the API is away molar listen waits; where it left off is kept (for each API, key and receiver), so that the next run goes on from there,
however this one ended. An event may come twice then: its webhook-id tells. A receiver that answers, but not with 2xx, is
asked 5 times more, within some seconds; then the event is passed over, aloud.

The first run begins now. --since begins elsewhere: 10m begins ten minutes ago (or where the last run left off, if that is
earlier), evt_... with that event, now with what happens next. It needs a key that may read.`

func listen(b Backend) *cobra.Command {
	var f listening
	c := &cobra.Command{
		Use: "listen --forward-to URL", Short: "Pass events on to a receiver on this machine", Args: cobra.NoArgs, Long: listenHelp,
		Example: "  molar listen --forward-to http://localhost:3000/hooks\n" +
			"  molar listen --forward-to http://localhost:3000/hooks --events eligibility.completed,claim.paid --since 10m\n" +
			"  export MOLAR_WEBHOOK_SECRET=$(molar listen --print-secret)",
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, b) },
	}
	f.on(c)
	c.Flags().StringVar(&f.forward, "forward-to", "", "URL of the receiver, such as http://localhost:3000/hooks")
	c.Flags().StringSliceVar(&f.types, "events", nil, "only events of these types, with commas between them")
	c.Flags().StringVar(&f.since, "since", "", "where to begin: 10m, evt_... or now (default: where the last run left off)")
	c.Flags().StringVar(&f.secret, "secret", "", "secret to sign with, whsec_... (default $MOLAR_WEBHOOK_SECRET, else one that is kept for this machine)")
	c.Flags().BoolVar(&f.secretAndEnd, "print-secret", false, "print the secret, and nothing else")
	c.Flags().BoolVar(&f.printData, "print-data", false, "print the events themselves too")
	c.Flags().BoolVar(&f.json, "json", false, "print a line of JSON for each attempt")
	return c
}

func (f *listening) run(c *cobra.Command, b Backend) error {
	dir, err := b.Config()
	if err != nil {
		return fmt.Errorf("molar listen keeps its place in a folder of yours: %w", err)
	}
	dir = filepath.Join(dir, "listen")
	secret, err := f.signingSecret(b, dir)
	if err != nil {
		return err
	}
	if f.secretAndEnd {
		_, err := fmt.Fprintln(c.OutOrStdout(), secret)
		return err
	}
	if f.forward == "" {
		return errors.New("--forward-to says where events go, such as --forward-to http://localhost:3000/hooks")
	}
	target, errTarget := parseTarget(f.forward)
	types, errTypes := parseTypes("events", f.types)
	begin, errSince := parseBeginning(f.since, time.Now())
	if err := errors.Join(errTarget, errTypes, errSince); err != nil {
		return err
	}
	api, err := f.open(c, b)
	if err != nil {
		return err
	}
	state, err := openState(dir, api.base, api.key, target.Redacted())
	if err != nil {
		return err
	}
	l := &listener{
		fetch: api.after, post: newForwarder(target, secret).post, save: state.save, report: f.reporter(c, b),
		takes: func(t billing.EventType) bool { return types == nil || slices.Contains(types, t) },
	}
	err = l.start(c.Context(), api, begin, state.kept.Position, func() { f.banner(c, api, target, secret, l.at) })
	if errors.Is(err, context.Canceled) {
		l.report.note("Stopped. The same command goes on from here: events that happen meanwhile wait for it.")
		err = nil
	}
	return errors.Join(err, state.close())
}

// start settles where to begin, keeps that, and runs.
func (l *listener) start(ctx context.Context, api *client, b beginning, left *position, ready func()) error {
	err := l.reach(ctx, func(ctx context.Context) (err error) {
		l.at, err = api.begin(ctx, b, left)
		return err
	})
	if err == nil {
		err = l.save(l.at)
	}
	if err != nil {
		return err
	}
	ready()
	return l.run(ctx)
}

func (f *listening) signingSecret(b Backend, dir string) (billing.WebhookSecret, error) {
	if given := cmp.Or(f.secret, b.Getenv("MOLAR_WEBHOOK_SECRET")); given != "" {
		return parseSecret(given)
	}
	return localSecret(dir)
}

func (f *listening) reporter(c *cobra.Command, b Backend) *reporter {
	out := c.OutOrStdout()
	return &reporter{
		out: out, err: c.ErrOrStderr(), json: f.json, data: f.printData,
		colour: terminal(out) && b.Getenv("NO_COLOR") == "" && b.Getenv("TERM") != "dumb",
	}
}

func (f *listening) banner(c *cobra.Command, api *client, target *url.URL, secret billing.WebhookSecret, at position) {
	w := c.OutOrStdout()
	if f.json {
		w = c.ErrOrStderr()
	}
	from := "from the first event on"
	switch {
	case !at.After.IsZero():
		from = "after " + at.After.String()
	case !at.At.IsZero():
		from = "with what was created at " + at.At.Format(time.RFC3339)
	}
	_, _ = fmt.Fprintf(w, "Listening at %s, %s\nPassing events on to %s\nSecret %s\nStop with Ctrl-C.\n\n", api.base, from, target.Redacted(), secret)
}
