package cli

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	molar "github.com/molar-billing/molar/adapters/sdk/go"
)

// eligibilityCommands check many patients, and add to checks what payers said otherwise.
func eligibilityCommands(b Backend) *cobra.Command {
	return group("eligibility", "Checks of coverage", checkFile(b), group("batches", "Batches of checks",
		listCheckBatches(b), showCheckBatch(b), listCheckItems(b), retryCheckBatch(b), cancelCheckBatch(b)), addToCheck(b), strikeAddition(b))
}

// batchesKey explains the keys that the commands need.
const batchesKey = "It needs a key with the read permission, and to ask or to cancel one with the submit permission."

// checkBatch is a batch as the API shows it.
type checkBatch struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	State        string `json:"state"`
	Items        int    `json:"items"`
	Pending      int    `json:"pending"`
	NeedsAPerson int    `json:"needs_a_person"`
	CreatedAt    string `json:"created_at"`
}

const checkBatchTitles = "ID\tNAME\tSTATE\tITEMS\tPENDING\tNEED A PERSON\tCREATED"

func (b checkBatch) cells() []any {
	return []any{b.ID, b.Name, b.State, b.Items, b.Pending, b.NeedsAPerson, b.CreatedAt}
}

func printBatch(c *cobra.Command, b checkBatch) error {
	return list(c, "", checkBatchTitles, []checkBatch{b}, checkBatch.cells)
}

func batchPath(args []string, more ...string) string {
	return "/eligibility/batches/" + url.PathEscape(args[0]) + strings.Join(more, "")
}

func listCheckBatches(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "list", Short: "List batches of checks", Args: cobra.NoArgs, Long: "Lists the latest batches of checks. " + batchesKey,
		Example: "  molar eligibility batches list",
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var all struct {
				Data []checkBatch `json:"data"`
			}
			if err := api.get(c.Context(), "/eligibility/batches", url.Values{"limit": {"100"}}, &all); err != nil {
				return err
			}
			return list(c, "", checkBatchTitles, all.Data, checkBatch.cells)
		},
	}
	f.on(c)
	return c
}

func showCheckBatch(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "show BATCH", Short: "Show a batch of checks with its counts", Args: oneOf("batch (bat_...)", "molar eligibility batches list"),
		Long: "Shows a batch of checks as the API does. " + batchesKey, Example: "  molar eligibility batches show bat_...",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var raw json.RawMessage
			if err := api.get(c.Context(), batchPath(args), nil, &raw); err != nil {
				return err
			}
			return say(c, "%s", strings.TrimSpace(string(raw)))
		},
	}
	f.on(c)
	return c
}

// checkItem is an item as the API shows it, without names.
type checkItem struct {
	ItemID       string                            `json:"item_id"`
	State        string                            `json:"state"`
	Outcome      *string                           `json:"outcome"`
	NeedsAPerson bool                              `json:"needs_a_person"`
	CheckID      *string                           `json:"eligibility_id"`
	Attempts     int                               `json:"attempts"`
	NextAt       *string                           `json:"next_attempt_at"`
	Errors       []molar.EligibilityBatchItemError `json:"errors"`
}

func listCheckItems(b Backend) *cobra.Command {
	var f connection
	var outcome string
	var person bool
	c := &cobra.Command{
		Use: "items BATCH", Short: "List the items of a batch of checks", Args: oneOf("batch (bat_...)", "molar eligibility batches list"),
		Long:    "Lists the items of a batch, without names, with what to change of an invalid one. " + batchesKey,
		Example: "  molar eligibility batches items bat_...\n  molar eligibility batches items bat_... --needs-a-person",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			q := url.Values{"limit": {"100"}}
			if outcome != "" {
				q.Set("outcome", outcome)
			}
			if person {
				q.Set("needs_a_person", "true")
			}
			var all []checkItem
			for next := new(string); next != nil; {
				var page struct {
					Data []checkItem `json:"data"`
					Next *string     `json:"next_cursor"`
				}
				if err := api.get(c.Context(), batchPath(args, "/items"), q, &page); err != nil {
					return err
				}
				if all, next = append(all, page.Data...), page.Next; next != nil {
					q.Set("cursor", *next)
				}
			}
			return list(c, "", "ITEM\tSTATE\tOUTCOME\tNEEDS A PERSON\tCHECK\tATTEMPTS\tNEXT\tTO CHANGE", all, func(i checkItem) []any {
				return []any{
					i.ItemID, i.State, shownOr(i.Outcome, "-"), map[bool]string{true: "yes", false: "-"}[i.NeedsAPerson], shownOr(i.CheckID, "-"), i.Attempts, shownOr(i.NextAt, "-"),
					faultsOf(i.Errors, func(f molar.EligibilityBatchItemError) (string, string) { return f.Field, f.Message }),
				}
			})
		},
	}
	f.on(c)
	c.Flags().StringVar(&outcome, "outcome", "", "only those with the outcome, such as rejected")
	c.Flags().BoolVar(&person, "needs-a-person", false, "only those that a person should look at")
	return c
}

// shownOr returns a text that may be null, or what stands in its place.
func shownOr[T ~string](text *T, without string) string {
	if text == nil {
		return without
	}
	return string(*text)
}

func retryCheckBatch(b Backend) *cobra.Command {
	var f connection
	var body struct {
		ItemIDs []string `json:"item_ids"`
	}
	c := &cobra.Command{
		Use: "retry BATCH", Short: "Ask again for items of a batch", Args: oneOf("batch (bat_...)", "molar eligibility batches list"),
		Long:    "Asks the payer again for completed items of a batch. Each gets a new check. " + batchesKey,
		Example: "  molar eligibility batches retry bat_... --item 4711 --item 4712",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var after checkBatch
			if err := api.post(c.Context(), batchPath(args, "/retry"), body, &after); err != nil {
				return err
			}
			return printBatch(c, after)
		},
	}
	f.on(c)
	c.Flags().StringArrayVar(&body.ItemIDs, "item", nil, "your ID of an item; again for each")
	_ = c.MarkFlagRequired("item")
	return c
}

func cancelCheckBatch(b Backend) *cobra.Command {
	var f connection
	var item string
	c := &cobra.Command{
		Use: "cancel BATCH", Short: "Ask for nothing more of a batch, or of one of its items", Args: oneOf("batch (bat_...)", "molar eligibility batches list"),
		Long:    "Ends a batch, or one of its items. Answers of payers that are being asked still count. " + batchesKey,
		Example: "  molar eligibility batches cancel bat_...\n  molar eligibility batches cancel bat_... --item 4711",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			path := batchPath(args, "/cancel")
			if item != "" {
				path = batchPath(args, "/items/", url.PathEscape(item), "/cancel")
			}
			var after checkBatch
			if err := api.post(c.Context(), path, struct{}{}, &after); err != nil {
				return err
			}
			return printBatch(c, after)
		},
	}
	f.on(c)
	c.Flags().StringVar(&item, "item", "", "only the item with this ID of yours")
	return c
}
