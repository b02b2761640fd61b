package cli

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"
)

// statusPolicies are the commands for the payers that are asked about claims without a person.
func statusPolicies(b Backend) *cobra.Command {
	return group("policies", "Payers that are asked about claims without a person", listStatusPolicies(b), setStatusPolicy(b), removeStatusPolicy(b))
}

const policiesPath = "/status_policies"

// shownPolicy is a policy as the API shows it.
type shownPolicy struct {
	Payer struct {
		PayerID string `json:"payer_id"`
		Name    string `json:"name"`
	} `json:"payer"`
	After string `json:"status_after"`
	Every string `json:"status_every"`
}

func (p *shownPolicy) text() string {
	return fmt.Sprintf("%s (%s) is asked %s after a claim was sent, then every %s.", p.Payer.Name, p.Payer.PayerID, p.After, p.Every)
}

func listStatusPolicies(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "list", Short: "List the payers that are asked without a person", Args: cobra.NoArgs,
		Long: "Lists the payers that are asked about claims without a person, with the days as durations of ISO 8601.",
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			for query := (url.Values{"limit": {"100"}}); ; {
				var page struct {
					Data []shownPolicy `json:"data"`
					Next *string       `json:"next_cursor"`
				}
				if err := api.get(c.Context(), policiesPath, query, &page); err != nil {
					return err
				}
				for i := range page.Data {
					if err := say(c, "%s", page.Data[i].text()); err != nil {
						return err
					}
				}
				if page.Next == nil {
					return nil
				}
				query.Set("cursor", *page.Next)
			}
		},
	}
	f.on(c)
	return c
}

func setStatusPolicy(b Backend) *cobra.Command {
	var f connection
	var after, every int
	c := &cobra.Command{
		Use: "set PAYER", Short: "Let a payer be asked about claims without a person", Args: oneOf("payer", "GET /payers"),
		Long: "Lets a payer be asked about claims that have no decision: some days after they were sent, and then again. It replaces the policy\n" +
			"that there was for the payer. It needs a key with the submit permission.",
		Example: "  molar claims policies set CHTEST --after 14 --every 7",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var p shownPolicy
			body := map[string]any{"status_after": fmt.Sprintf("P%dD", after), "status_every": fmt.Sprintf("P%dD", every)}
			if err := api.call(c.Context(), http.MethodPut, policiesPath+"/"+url.PathEscape(args[0]), nil, body, &p); err != nil {
				return err
			}
			return say(c, "%s", p.text())
		},
	}
	c.Flags().IntVar(&after, "after", 14, "days from the sending to the first question, from 7 to 180")
	c.Flags().IntVar(&every, "every", 7, "days from an answer to the next question, from 1 to 28")
	f.on(c)
	return c
}

func removeStatusPolicy(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "remove PAYER", Short: "Ask a payer about claims only when a person does", Args: oneOf("payer", "molar claims policies list"),
		Long: "Removes the policy for a payer. What was asked already is answered. It needs a key with the submit permission.",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			if err := api.call(c.Context(), http.MethodDelete, policiesPath+"/"+url.PathEscape(args[0]), nil, nil, nil); err != nil {
				return err
			}
			return say(c, "%s is asked about claims only when a person does.", args[0])
		},
	}
	f.on(c)
	return c
}
