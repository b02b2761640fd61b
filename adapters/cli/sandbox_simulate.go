package cli

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
)

// shownSimulation is a step that came, as the API returns it.
type shownSimulation struct {
	FileName string `json:"file_name"`
	At       string `json:"at"`
	Dropped  []struct {
		Action string `json:"action"`
		By     string `json:"by"`
		DueAt  string `json:"due_at"`
	} `json:"dropped"`
}

// simulateStep lets a step of a claim come now.
func simulateStep(b Backend) *cobra.Command {
	var f connection
	var by, reason, file string
	var codes []string
	var percent, patient int
	c := &cobra.Command{
		Use: "simulate CLAIM [ACTION]", Short: "Let a payer do something with a claim now", Args: cobra.RangeArgs(1, 2),
		Long: "The payer of a claim in test mode, or the clearinghouse, takes one step now, and the claim's steps that are due later do not come\n" +
			"any more. The actions are accept, reject, request-information, pay, deny, reverse, take-back, forward and estimate. A step that the\n" +
			"flags cannot say, such as a payment line by line, comes from a file of JSON, as POST /sandbox/claims/{id}/simulate takes it.\n" + sandboxKey,
		Example: "  molar sandbox simulate clm_01JGFJJZ00FC1R3ZY5N7Q8Z4VK pay --percent 80 --patient-percent 25\n" +
			"  molar sandbox simulate clm_01JGFJJZ00FC1R3ZY5N7Q8Z4VK reject --by clearinghouse --codes A7:164\n" +
			"  molar sandbox simulate clm_01JGFJJZ00FC1R3ZY5N7Q8Z4VK --step step.json",
		RunE: func(c *cobra.Command, args []string) error {
			var step any
			switch {
			case file != "":
				content, err := contentOf(c, file)
				if err != nil {
					return err
				}
				step = json.RawMessage(content)
			case len(args) == 1:
				return fmt.Errorf("name what the payer does, such as pay, or a file with --step")
			default:
				with := map[string]any{}
				for name, value := range map[string]any{"by": by, "reason": reason, "codes": codes, "percent": percent, "patient-percent": patient} {
					if c.Flags().Changed(name) {
						with[strings.ReplaceAll(name, "-", "_")] = value
					}
				}
				step = map[string]any{strings.ReplaceAll(args[1], "-", "_"): with}
			}
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var made shownSimulation
			if err := api.post(c.Context(), "/sandbox/claims/"+url.PathEscape(args[0])+"/simulate", step, &made); err != nil {
				return err
			}
			for _, d := range made.Dropped {
				if err := say(c, "  %s by the %s, due at %s, does not come any more", d.Action, d.By, d.DueAt); err != nil {
					return err
				}
			}
			return say(c, "%s comes at %s.", made.FileName, made.At)
		},
	}
	f.on(c)
	c.Flags().StringVar(&by, "by", "", "who accepts or rejects: clearinghouse or payer (the default)")
	c.Flags().StringSliceVar(&codes, "codes", nil, "up to three codes of a rejection, such as A7:164")
	c.Flags().StringVar(&reason, "reason", "", "the group and reason of a denial, such as CO-96")
	c.Flags().IntVar(&percent, "percent", 0, "how much of the charge is allowed by pay or estimate (100 if absent)")
	c.Flags().IntVar(&patient, "patient-percent", 0, "how much of what is allowed the patient owes")
	c.Flags().StringVar(&file, "step", "", "a file of JSON with the step, or - for the standard input")
	return c
}
