package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

func sandboxScenarios(b Backend) *cobra.Command {
	return group("scenarios", "What the payers of test mode can be made to do", listScenarios(b), addScenario(b), removeScenario(b))
}

// sandboxKey explains the key that the commands need.
const sandboxKey = "It needs a test key with the submit permission."

type listedScenario struct {
	Ending    string   `json:"ending"`
	Operation string   `json:"operation"`
	Summary   string   `json:"summary"`
	BuiltIn   bool     `json:"built_in"`
	Messages  []string `json:"messages"`
}

func listScenarios(b Backend) *cobra.Command {
	var f connection
	var about string
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List scenarios", Args: cobra.NoArgs,
		Long:    "Lists the endings of member IDs, and what the payers of test mode do then. --json also shows what follows, and an example of each.\n" + sandboxKey,
		Example: "  molar sandbox scenarios list\n  molar sandbox scenarios list --operation claim\n  molar sandbox scenarios list --json | jq .data",
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			q := url.Values{}
			if about != "" {
				q.Set("operation", about)
			}
			var raw json.RawMessage
			if err := api.get(c.Context(), "/sandbox/scenarios", q, &raw); err != nil {
				return err
			}
			if asJSON {
				return say(c, "%s", strings.TrimSpace(string(raw)))
			}
			var all struct {
				Data []listedScenario `json:"data"`
			}
			if err := json.Unmarshal(raw, &all); err != nil {
				return err
			}
			return list(c, "", "OPERATION\tENDING\tOWN\tSUMMARY", all.Data, func(s listedScenario) []any {
				return []any{s.Operation, s.Ending, map[bool]string{true: "-", false: "yes"}[s.BuiltIn], s.Summary}
			})
		},
	}
	f.on(c)
	c.Flags().StringVar(&about, "operation", "", "only those of eligibility, claim or attachment")
	c.Flags().BoolVar(&asJSON, "json", false, "print the reply of the API")
	return c
}

func addScenario(b Backend) *cobra.Command {
	var f connection
	body := struct {
		Ending    string `json:"ending"`
		Operation string `json:"operation"`
		Summary   string `json:"summary,omitempty"`
		X12       string `json:"x12"`
		Dates     string `json:"dates"`
	}{Operation: "eligibility"}
	c := &cobra.Command{
		Use: "add FILE", Short: "Make a payer of your own", Args: exactlyOne("name a file, or - for the standard input"),
		Long: "A file of JSON is a scenario as POST /sandbox/scenarios takes it: with the steps of a claim, or with a plan. A plan has the fields\n" +
			"that an answered check shows, from status to not_returned; what it leaves out is not returned. The last example makes one of a check.\n\n" +
			"Any other file is a 271 as a payer sent it: checks of member IDs with the ending then get its reply, about the person who was\n" +
			"asked for. The service keeps no names, addresses, birth dates or numbers of people. It keeps the payer's messages (MSG) and\n" +
			"shows them once: remove the scenario if they name a person. " + sandboxKey,
		Example: "  molar sandbox scenarios add delta.271 --ending -DELTA\n  molar sandbox scenarios add - --ending -DELTA --dates keep < delta.271\n" +
			"  molar sandbox scenarios add steps.json\n  molar sandbox scenarios add plan.json\n" +
			"  jq '{ending: \"-PREMIER\", operation: \"eligibility\", plan: {status, coverage_effective_date, coverage_termination_date, plan,\n" +
			"    network_status, maximums, deductibles, coverage, procedures, plan_rules, payer_notes, not_returned}}' check.json | molar sandbox scenarios add -",
		RunE: func(c *cobra.Command, args []string) error {
			content, err := contentOf(c, args[0])
			if err != nil {
				return err
			}
			var sent any = json.RawMessage(content)
			switch whole := strings.HasPrefix(strings.TrimSpace(string(content)), "{"); {
			case whole && (body.Ending+body.Summary != "" || c.Flags().Changed("dates")):
				return errors.New("--ending, --summary and --dates are for a 271; a file of JSON has all of the scenario")
			case !whole && body.Ending == "":
				return errors.New("name the ending of member IDs for this 271, such as --ending -DELTA")
			case !whole:
				body.X12 = string(content)
				sent = body
			}
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var made listedScenario
			if err := api.post(c.Context(), "/sandbox/scenarios", sent, &made); err != nil {
				return err
			}
			for _, m := range made.Messages {
				if err := say(c, "  %s", m); err != nil {
					return err
				}
			}
			return say(c, "Member IDs that end in %s now have this payer.", made.Ending)
		},
	}
	f.on(c)
	c.Flags().StringVar(&body.Ending, "ending", "", "the ending of member IDs for a 271, such as -DELTA")
	c.Flags().StringVar(&body.Summary, "summary", "", "what it is, in a sentence")
	c.Flags().StringVar(&body.Dates, "dates", "move", "move the dates to the day of the check, or keep them")
	return c
}

// contentOf reads a file, or the standard input for "-".
func contentOf(c *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(c.InOrStdin())
	}
	return os.ReadFile(name)
}

func removeScenario(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "remove -- ENDING", Short: "Remove a scenario of your own", Args: oneOf("ending, such as -DELTA", "molar sandbox scenarios list"),
		Long: "Removes a scenario that your organization has made. " + sandboxKey, Example: "  molar sandbox scenarios remove -- -DELTA",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			return api.remove(c.Context(), "/sandbox/scenarios/"+url.PathEscape(args[0]))
		},
	}
	f.on(c)
	return c
}

// remove deletes a resource.
func (c *client) remove(ctx context.Context, path string) error {
	return c.call(ctx, http.MethodDelete, path, nil, nil, nil)
}
