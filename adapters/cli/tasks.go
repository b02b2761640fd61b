package cli

import (
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/tasks"
)

// taskCommands list what needs a person, and share the work.
func taskCommands(b Backend) *cobra.Command {
	return group("tasks", "What needs a person", listTasks(b), actOnTask(b, "snooze", "Take a task from the list"), actOnTask(b, "wake", "Bring back a task that is snoozed, or that was settled"),
		actOnTask(b, "assign", "Give a task to a user"), actOnTask(b, "settle", "Settle a task with a decision"), rebuildTasks(b))
}

// tasksKey explains the keys that the commands need.
const tasksKey = "It needs a key with the read permission, and to change one with the submit permission."

// shownTask is a task as the API shows it, without names.
type shownTask struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	State    string `json:"state"`
	Resource struct {
		ID      string `json:"id"`
		BatchID string `json:"batch_id"`
		ItemID  string `json:"item_id"`
	} `json:"resource"`
	Amount   *string `json:"amount"`
	DueOn    *string `json:"due_on"`
	Assignee *string `json:"assignee"`
	Reason   string  `json:"reason"`
}

const taskTitles = "ID\tKIND\tSTATE\tRESOURCE\tAMOUNT\tDUE\tASSIGNEE\tREASON"

func (t shownTask) cells() []any {
	of := t.Resource.ID
	if t.Resource.BatchID != "" { // as the notes of an item are named
		of = t.Resource.BatchID + "/" + oneLine(t.Resource.ItemID)
	}
	return []any{t.ID, t.Kind, t.State, of, shownOr(t.Amount, "-"), shownOr(t.DueOn, "-"), shownOr(t.Assignee, "-"), t.Reason}
}

func listTasks(b Backend) *cobra.Command {
	var f connection
	filters := map[string]*string{}
	c := &cobra.Command{
		Use: "list", Short: "List tasks", Args: cobra.NoArgs, Long: "Lists the first hundred tasks: those due first, then the largest amounts. " + tasksKey,
		Example: "  molar tasks list\n  molar tasks list --kind denied --assignee nobody\n  molar tasks list --state snoozed",
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			q := url.Values{"limit": {"100"}}
			for name, value := range filters {
				if *value != "" {
					q.Set(name, *value)
				}
			}
			var all struct {
				Data []shownTask `json:"data"`
			}
			if err := api.get(c.Context(), "/tasks", q, &all); err != nil {
				return err
			}
			return list(c, "", taskTitles, all.Data, shownTask.cells)
		},
	}
	f.on(c)
	for _, filter := range [][2]string{
		{"state", "open, snoozed or done; open without it"},
		{"kind", "only those of the kind, such as claim_rejected"},
		{"assignee", "nobody, or the ID of a user"},
		{"office_id", "only those of the office"},
		{"payer_id", "only those of the payer"},
		{"due_before", "only those due on or before the day"},
		{"amount_from", "only those of the amount or more"},
		{"resource_id", "only those of the resource"},
	} {
		filters[filter[0]] = c.Flags().String(strings.ReplaceAll(filter[0], "_", "-"), "", filter[1])
	}
	return c
}

// actOnTask is a command that changes a task.
func actOnTask(b Backend, act, short string) *cobra.Command {
	var f connection
	var until, user, as, note string
	c := &cobra.Command{
		Use: act + " TASK", Short: short, Args: oneOf("task (tsk_...)", "molar tasks list"), Long: short + ". " + tasksKey,
		Example: "  molar tasks " + act + " tsk_...",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			body := map[string]any{}
			switch {
			case act == "assign" && user == "":
				body["user_id"] = nil
			case act == "assign":
				body["user_id"] = user
			case act == "settle":
				if body["as"] = as; note != "" {
					body["note"] = note
				}
			case until != "":
				body["until"] = until
			}
			var after shownTask
			if err := api.post(c.Context(), "/tasks/"+url.PathEscape(args[0])+"/"+act, body, &after); err != nil {
				return err
			}
			return list(c, "", taskTitles, []shownTask{after}, shownTask.cells)
		},
	}
	f.on(c)
	switch act {
	case "snooze":
		c.Flags().StringVar(&until, "until", "", "the day on which it comes back (default: when its resource changes)")
	case "settle":
		c.Example += " --as will_not_send --note 'The patient left.'"
		c.Flags().StringVar(&as, "as", "", "accepted, not_billed, will_not_send, handled or canceled, as settles of the task allows (required)")
		c.Flags().StringVar(&note, "note", "", "why")
		cobra.CheckErr(c.MarkFlagRequired("as"))
	case "assign":
		c.Flags().StringVar(&user, "user", "", "the user's ID (default: nobody)")
	}
	return c
}

// rebuildTasks computes the tasks of an organization again.
func rebuildTasks(b Backend) *cobra.Command {
	return b.Tasks.scoped(&cobra.Command{
		Use: "rebuild", Short: "Compute the tasks of an organization again", Args: cobra.NoArgs,
		Long: "Computes the tasks of all that the organization has. The service keeps them as things change: this is for what was there before it did, " +
			"after an upgrade. It works in steps beside the service, and can be repeated.",
		Example: "  molar tasks rebuild --org org_... --mode live",
	}, func(c *cobra.Command, s *tasks.Service, scope billing.Scope) error {
		sum, err := s.Renew(c.Context(), scope, func(sum task.Renewed) { c.PrintErrf("%d resources\n", sum.Resources) })
		if err != nil {
			return err
		}
		return say(c, "The tasks of %d resources are computed. Those of %d were not as they should be.", sum.Resources, sum.Differed)
	})
}
