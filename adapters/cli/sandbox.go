package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// sandboxed is the commands of the sandbox.
func sandboxed(b Backend) *cobra.Command {
	var halt, run bool
	clock := clockCommand(b, "clock", "Show the clock of test mode, stop it, or let it run", func(ctx context.Context, api *client) (*shownClock, error) {
		switch {
		case halt && run:
			return nil, errors.New("send one of --stop and --run")
		case halt || run:
			return api.set(ctx, run)
		}
		return api.clock(ctx)
	})
	clock.Long = "Shows the clock of the key's organization in test mode, and what is due. A clock that is stopped shows one instant until you advance it."
	clock.Example = "  molar sandbox clock\n  molar sandbox clock --stop"
	clock.Flags().BoolVar(&halt, "stop", false, "stop the clock")
	clock.Flags().BoolVar(&run, "run", false, "let the clock run on")
	stop := clockCommand(b, "stop", "End an advance of the clock", func(ctx context.Context, api *client) (*shownClock, error) {
		return api.moved(ctx, "/stop", struct{}{})
	})
	stop.Long = "Ends an advance at the instant that the clock shows. A clock that runs is stopped by: molar sandbox clock --stop"
	return group("sandbox", "Make test mode do what you want to test", clock, advanceClock(b), stop, sandboxScenarios(b), simulateStep(b), faultCommands(b), resetSandbox(b), sandboxOrganizations(b))
}

func advanceClock(b Backend) *cobra.Command {
	var by, to, until string
	var c *cobra.Command
	c = clockCommand(b, "advance", "Advance the clock of test mode", func(ctx context.Context, api *client) (*shownClock, error) {
		body := map[string]string{}
		for name, value := range map[string]string{"by": isoDuration(by), "to": to, "until": until} {
			if value != "" {
				body[name] = value
			}
		}
		shown, err := api.moved(ctx, "/advance", body)
		said := "not yet"
		for err == nil && shown.State == "advancing" {
			if said != shown.Blocked {
				said = shown.Blocked
				_, _ = fmt.Fprintf(c.ErrOrStderr(), "%s It goes on without this command; molar sandbox stop ends it.\n", shown)
			}
			if err = pause(ctx, time.Second); err == nil {
				shown, err = api.clock(ctx)
			}
		}
		return shown, err
	})
	c.PreRunE = func(*cobra.Command, []string) error { return howFar(by, to, until) }
	c.Long = "Advances the clock of the key's organization in test mode: it moves from one instant at which something is due to the next,\n" +
		"and stands at each until all that is due is done, deliveries of webhooks included."
	c.Example = "  molar sandbox advance --by 14d\n  molar sandbox advance --to 2027-01-01T00:00:00-06:00\n  molar sandbox advance --until idle"
	c.Flags().StringVar(&by, "by", "", "how far, such as 14d, 90s or 2d3h, or a duration of ISO 8601")
	c.Flags().StringVar(&to, "to", "", "an instant, such as 2027-01-01T00:00:00-06:00")
	c.Flags().StringVar(&until, "until", "", "next: to what is due next; idle: until nothing is due")
	return c
}

// howFar checks the flags of an advance.
func howFar(by, to, until string) error {
	if given := slices.DeleteFunc([]string{by, to, until}, func(s string) bool { return s == "" }); len(given) != 1 {
		return errors.New("say how far with one of --by, --to and --until, such as --by 14d")
	}
	if by != "" && !strings.HasPrefix(isoDuration(by), "P") {
		return fmt.Errorf("--by %s is not a duration: send one such as 14d, 90s or 2d3h (months and years have no fixed length)", by)
	}
	return nil
}

// shortDuration is a duration as people type it.
var shortDuration = regexp.MustCompile(`^(\d+d)?(\d+h)?(\d+m)?(\d+s)?$`)

// isoDuration returns a duration as the API takes it. Any other text stays as it is.
func isoDuration(text string) string {
	m := shortDuration.FindStringSubmatch(text)
	if text == "" || m == nil {
		return text
	}
	iso := "P" + m[1]
	if hours := m[2] + m[3] + m[4]; hours != "" {
		iso += "T" + hours
	}
	return strings.ToUpper(iso)
}

// shownClock is a clock as the API returns it.
type shownClock struct {
	raw     json.RawMessage
	Now     string `json:"now"`
	Running bool   `json:"running"`
	State   string `json:"state"`
	Pending int    `json:"pending"`
	Blocked string `json:"blocked"`
	Next    *struct {
		At   string `json:"at"`
		Kind string `json:"kind"`
	} `json:"next"`
}

// UnmarshalJSON also keeps the bytes.
func (s *shownClock) UnmarshalJSON(b []byte) error {
	type plain shownClock
	s.raw = append(s.raw[:0], b...)
	return json.Unmarshal(b, (*plain)(s))
}

func (c *client) clock(ctx context.Context) (*shownClock, error) {
	var s shownClock
	return &s, c.get(ctx, "/sandbox/clock", nil, &s)
}

func (c *client) moved(ctx context.Context, path string, body any) (*shownClock, error) {
	var s shownClock
	return &s, c.post(ctx, "/sandbox/clock"+path, body, &s)
}

// set stops the clock, or lets it run.
func (c *client) set(ctx context.Context, running bool) (*shownClock, error) {
	var s shownClock
	return &s, c.call(ctx, http.MethodPatch, "/sandbox/clock", nil, map[string]bool{"running": running}, &s)
}

// clockCommand is a command that shows the clock in the end.
func clockCommand(b Backend, use, short string, do func(context.Context, *client) (*shownClock, error)) *cobra.Command {
	var f connection
	var asJSON bool
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		api, err := f.open(c, b)
		if err != nil {
			return err
		}
		shown, err := do(c.Context(), api)
		if err != nil {
			return err
		}
		if asJSON {
			return say(c, "%s", shown.raw)
		}
		return say(c, "%s", shown)
	}}
	c.Flags().BoolVar(&asJSON, "json", false, "print the clock as a line of JSON")
	f.on(c)
	return c
}

// String describes the clock in a line.
func (s *shownClock) String() string {
	does := "is stopped"
	switch {
	case s.State == "resetting":
		does = "waits while test mode is being reset"
	case s.State == "advancing":
		does = "advances"
	case s.Running:
		does = "runs"
	}
	text := "The clock shows " + s.Now + " and " + does + "."
	if s.Blocked != "" {
		text += " Nothing has happened for a minute (blocked: " + s.Blocked + ")."
	}
	if s.Next == nil {
		return text + " Nothing is due."
	}
	return text + fmt.Sprintf(" Next: %s at %s, %d due in all.", s.Next.Kind, s.Next.At, s.Pending)
}
