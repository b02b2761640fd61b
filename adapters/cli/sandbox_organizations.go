package cli

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
)

const organizationsPath = "/sandbox/organizations"

// sandboxOrganizations are the commands of throw-away organizations.
func sandboxOrganizations(b Backend) *cobra.Command {
	list := sandboxCommand(b, &cobra.Command{
		Use: "list", Short: "List the throw-away organizations of yours", Args: cobra.NoArgs,
		Long: "Lists the organizations that the key's organization made, newest first.\n" + sandboxKey,
	}, func(c *cobra.Command, api *client, _ []string) error {
		var all struct {
			Data []listedOrganization `json:"data"`
		}
		if err := api.get(c.Context(), organizationsPath, nil, &all); err != nil {
			return err
		}
		return list(c, "no throw-away organizations", "ID\tNAME\tMADE BY\tEXPIRES", all.Data, func(o listedOrganization) []any {
			return []any{o.ID, o.Name, o.MadeBy, o.ExpiresAt}
		})
	})
	var lasts string
	var asJSON bool
	create := sandboxCommand(b, &cobra.Command{
		Use: "create NAME", Short: "Make a throw-away organization", Args: cobra.ExactArgs(1),
		Long: "Makes an organization in test mode for a test run, a pull request or a trainee, with two offices and two providers. It prints an\n" +
			"API key and a link by which its owner signs in, each once. It is removed when it expires.\n" + sandboxKey,
		Example: "  molar sandbox organizations create \"Pull request 4711\" --expires-in 1d\n" +
			"  molar sandbox organizations create run --json | jq -r .api_key",
	}, func(c *cobra.Command, api *client, args []string) error {
		body := map[string]string{"name": args[0]}
		if lasts != "" {
			body["expires_in"] = isoDuration(lasts)
		}
		var raw json.RawMessage
		if err := api.post(c.Context(), organizationsPath, body, &raw); err != nil {
			return err
		}
		if asJSON {
			return say(c, "%s", strings.TrimSpace(string(raw)))
		}
		var made listedOrganization
		if err := json.Unmarshal(raw, &made); err != nil {
			return err
		}
		return say(c, "%s, until %s\nAPI key  %s\nSign in  %s", made.ID, made.ExpiresAt, made.APIKey, made.SignInURL)
	})
	create.Flags().StringVar(&lasts, "expires-in", "", "how long it lasts, such as 12h or 7d, at most 30d (default 7d)")
	create.Flags().BoolVar(&asJSON, "json", false, "print the reply of the API")
	remove := sandboxCommand(b, &cobra.Command{
		Use: "remove ID", Short: "Remove a throw-away organization, with all that it has", Args: cobra.ExactArgs(1), Long: sandboxKey,
		Example: "  molar sandbox organizations remove org_01JGFJJZ00FC1R3ZY5N7Q8Z4VK",
	}, func(c *cobra.Command, api *client, args []string) error {
		return api.remove(c.Context(), organizationsPath+"/"+url.PathEscape(args[0]))
	})
	return group("organizations", "Throw-away organizations, one for each test run", list, create, remove)
}

type listedOrganization struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	MadeBy    string `json:"made_by"`
	ExpiresAt string `json:"expires_at"`
	APIKey    string `json:"api_key"`
	SignInURL string `json:"sign_in_url"`
}

// sandboxCommand completes a command that calls the API.
func sandboxCommand(b Backend, c *cobra.Command, do func(c *cobra.Command, api *client, args []string) error) *cobra.Command {
	var f connection
	c.RunE = func(c *cobra.Command, args []string) error {
		api, err := f.open(c, b)
		if err != nil {
			return err
		}
		return do(c, api, args)
	}
	f.on(c)
	return c
}
