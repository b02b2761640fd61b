package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// resetSandbox is the command that resets test mode.
func resetSandbox(b Backend) *cobra.Command {
	var confirm string
	c := clockCommand(b, "reset", "Remove all data of test mode", func(ctx context.Context, api *client) (*shownClock, error) {
		if confirm == "" {
			return nil, api.unconfirmed(ctx)
		}
		var shown shownClock
		err := api.post(ctx, "/sandbox/reset", map[string]string{"confirm": confirm}, &shown)
		for err == nil && shown.State == "resetting" {
			if err = pause(ctx, 200*time.Millisecond); err == nil {
				err = api.get(ctx, "/sandbox/clock", nil, &shown)
			}
		}
		return &shown, err
	})
	c.Long = "Removes what the key's organization has in test mode, and waits for the end. Offices, providers, webhook endpoints, users, keys,\n" +
		"connections, the request log and the audit stay. The clock shows real time. Live mode is not touched."
	c.Example = "  molar sandbox reset --confirm org_01JGFJJZ00FC1R3ZY5N7Q8Z4VK"
	c.Flags().StringVar(&confirm, "confirm", "", "the ID of the organization; without it the command shows the ID, and removes nothing")
	return c
}

// unconfirmed returns the error of a reset that was not confirmed. It names the organization.
func (c *client) unconfirmed(ctx context.Context) error {
	var me struct {
		Organization struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"organization"`
	}
	if err := c.get(ctx, "/me", nil, &me); err != nil {
		return err
	}
	o := me.Organization
	return fmt.Errorf("this removes all data that %s has in test mode; to do it: molar sandbox reset --confirm %s", o.Name, o.ID)
}
