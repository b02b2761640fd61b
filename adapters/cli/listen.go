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

	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
)

// listening holds the flags of molar listen.
type listening struct {
	connection
	forward, since, secret        string
	types                         []string
	json, printData, secretAndEnd bool
}

const listenHelp = `Forwards events to a receiver on this machine as they happen, signed like webhook deliveries. It needs no tunnel and no
webhook endpoint. At the start it prints the secret that verifies the signatures. The secret stays the same.

Events arrive in order. They wait while the receiver is not running or the API does not respond. A 502, 503 or 504 of a
proxy counts as not running. If the receiver returns another status than 2xx, or no reply, the command posts the event 5
more times, within seconds. Then it skips the event and prints a message.

The command saves its position for each API, key and receiver, and the next run continues there. If a run is interrupted,
an event may arrive twice, with the same webhook-id.

The first run starts now. --since changes the start. 10m starts ten minutes ago, or where the last run stopped if that is
earlier. evt_... starts with that event. now starts with the next event. It needs a key with the read permission.`

func listen(b Backend) *cobra.Command {
	var f listening
	c := &cobra.Command{
		Use: "listen --forward-to URL", Short: "Forward events to a receiver on this machine", Args: cobra.NoArgs, Long: listenHelp,
		Example: "  molar listen --forward-to http://localhost:3000/hooks\n" +
			"  molar listen --forward-to http://localhost:3000/hooks --events eligibility.completed,claim.paid --since 10m\n" +
			"  export MOLAR_WEBHOOK_SECRET=$(molar listen --print-secret)",
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, b) },
	}
	f.on(c)
	c.Flags().StringVar(&f.forward, "forward-to", "", "URL of the receiver, such as http://localhost:3000/hooks")
	c.Flags().StringSliceVar(&f.types, "events", nil, "only events of these types, separated by commas")
	c.Flags().StringVar(&f.since, "since", "", "where to start: 10m, evt_... or now (default: where the last run stopped)")
	c.Flags().StringVar(&f.secret, "secret", "", "secret to sign with, whsec_... (default $MOLAR_WEBHOOK_SECRET, else the one kept on this machine)")
	c.Flags().BoolVar(&f.secretAndEnd, "print-secret", false, "print only the secret")
	c.Flags().BoolVar(&f.printData, "print-data", false, "also print the events")
	c.Flags().BoolVar(&f.json, "json", false, "print a line of JSON for each attempt")
	return c
}

func (f *listening) run(c *cobra.Command, b Backend) error {
	dir, err := b.Config()
	if err != nil {
		return fmt.Errorf("molar listen needs a folder for its position: %w", err)
	}
	dir = filepath.Join(dir, "listen")
	secret, err := f.signingSecret(b, dir)
	if err != nil {
		return err
	}
	if f.secretAndEnd {
		return say(c, "%s", secret)
	}
	if f.forward == "" {
		return errors.New("name the receiver, such as --forward-to http://localhost:3000/hooks")
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
		fetch: api.after, post: newForwarder(target, secret, b.Build.Version).post, save: state.save, report: f.reporter(c, b),
		wants: func(t event.Type) bool { return types == nil || slices.Contains(types, t) },
	}
	err = l.start(c.Context(), api, begin, state.kept.Position, func() { f.banner(c, api, target, secret, l.at) })
	if errors.Is(err, context.Canceled) {
		l.report.note("Stopped. The same command continues from here; events that happen until then wait for it.")
		err = nil
	}
	return errors.Join(err, state.close())
}

// start chooses the first position, saves it, and runs.
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

func (f *listening) signingSecret(b Backend, dir string) (webhook.Secret, error) {
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

func (f *listening) banner(c *cobra.Command, api *client, target *url.URL, secret webhook.Secret, at position) {
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
	_, _ = fmt.Fprintf(w, "Listening at %s, %s\nForwarding events to %s\nSecret %s\nStop with Ctrl-C.\n\n", api.base, from, target.Redacted(), secret)
}
