package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"
)

const faultsPath = "/sandbox/faults"

// faultCommands are the commands of fault rules.
func faultCommands(b Backend) *cobra.Command {
	set := onFaults(b, &cobra.Command{
		Use:   "set FILE",
		Short: "Let requests and webhooks fail",
		Long: "Replaces the fault rules of the key's organization in test mode with those in a file of JSON, or in the standard input for -:\n" +
			"an object with rules, as the body of PUT /sandbox/faults.",
		Example: "  molar sandbox faults set faults.json\n" +
			`  echo '{"rules": [{"operation": "createClaim", "kind": "drop_reply", "times": 1}]}' | molar sandbox faults set -`,
		Args: exactlyOne("name a file, or - for the standard input"),
	}, func(c *cobra.Command, api *client, args []string) (*shownFaults, error) {
		body, err := contentOf(c, args[0])
		if err != nil {
			return nil, err
		}
		return api.putFaults(c.Context(), body)
	})
	show := onFaults(b, &cobra.Command{Use: "show", Short: "Show the fault rules, and how often each struck", Args: cobra.NoArgs},
		func(c *cobra.Command, api *client, _ []string) (*shownFaults, error) {
			var shown shownFaults
			return &shown, api.get(c.Context(), faultsPath, nil, &shown)
		})
	none := onFaults(b, &cobra.Command{Use: "clear", Short: "Remove the fault rules", Args: cobra.NoArgs},
		func(c *cobra.Command, api *client, _ []string) (*shownFaults, error) {
			return api.putFaults(c.Context(), []byte(`{"rules": []}`))
		})
	return group("faults", "Let requests and webhooks of test mode fail, to test how your software handles it", set, show, none)
}

func (c *client) putFaults(ctx context.Context, body []byte) (*shownFaults, error) {
	var shown shownFaults
	return &shown, c.call(ctx, http.MethodPut, faultsPath, nil, json.RawMessage(body), &shown)
}

// shownFaults are fault rules as the API returns them.
type shownFaults struct {
	Rules []struct {
		Operation    string  `json:"operation"`
		Kind         string  `json:"kind"`
		Status       int     `json:"status"`
		Milliseconds int     `json:"milliseconds"`
		Times        int     `json:"times"`
		Probability  float64 `json:"probability"`
		Seed         int     `json:"seed"`
		ExpiresAt    string  `json:"expires_at"`
		Struck       int     `json:"struck"`
	} `json:"rules"`
}

// onFaults completes a command that shows fault rules in the end.
func onFaults(b Backend, c *cobra.Command, do func(c *cobra.Command, api *client, args []string) (*shownFaults, error)) *cobra.Command {
	var f connection
	c.RunE = func(c *cobra.Command, args []string) error {
		api, err := f.open(c, b)
		if err != nil {
			return err
		}
		shown, err := do(c, api, args)
		if err != nil {
			return err
		}
		if len(shown.Rules) == 0 {
			return say(c, "no fault rules")
		}
		rows := make([]string, len(shown.Rules))
		for i, r := range shown.Rules {
			how := "the first " + strconv.Itoa(r.Times)
			if r.Times == 0 {
				how = fmt.Sprintf("%v of all, seed %d", r.Probability, r.Seed)
			}
			detail := "-"
			switch {
			case r.Status != 0:
				detail = strconv.Itoa(r.Status)
			case r.Milliseconds != 0:
				detail = strconv.Itoa(r.Milliseconds) + " ms"
			}
			rows[i] = fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%s", cmp.Or(r.Operation, "*"), r.Kind, detail, how, r.Struck, r.ExpiresAt)
		}
		return table(c, "OPERATION\tKIND\tDETAIL\tSTRIKES\tSTRUCK\tUNTIL", rows)
	}
	f.on(c)
	return c
}
