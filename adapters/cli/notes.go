package cli

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
)

// noteCommands write, list and strike notes.
func noteCommands(b Backend) *cobra.Command {
	return group("notes", "What people write about claims and their work", addNote(b), listNotes(b), strikeNote(b))
}

// shownNote is a note as the API shows it.
type shownNote struct {
	ID     string `json:"id"`
	At     string `json:"at"`
	By     string `json:"by"`
	Text   string `json:"text"`
	Struck *struct {
		Reason string `json:"reason"`
	} `json:"struck"`
}

const noteTitles = "ID\tAT\tBY\tSTRUCK\tTEXT"

func (n shownNote) cells() []any {
	struck := "-"
	if n.Struck != nil {
		struck = oneLine(n.Struck.Reason)
	}
	return []any{n.ID, n.At, n.By, struck, oneLine(n.Text)}
}

// notesPath returns the path of the notes of a resource.
func notesPath(id string) (string, error) {
	if batch, item, ok := strings.Cut(id, "/"); ok && strings.HasPrefix(batch, "bat_") {
		return "/eligibility/batches/" + url.PathEscape(batch) + "/items/" + url.PathEscape(item) + "/notes", nil
	}
	for prefix, list := range map[string]string{"clm_": "claims", "era_": "eras", "prq_": "payer_requests", "att_": "attachments", "enr_": "enrollments", "dep_": "deposits", "fil_": "quarantine", "con_": "connections"} {
		if strings.HasPrefix(id, prefix) {
			return "/" + list + "/" + url.PathEscape(id) + "/notes", nil
		}
	}
	return "", fmt.Errorf("%q has no notes; name a claim (clm_...), a remittance (era_...), a payer request (prq_...), an attachment (att_...), an enrollment (enr_...), a deposit (dep_...), a file in quarantine (fil_...), a connection (con_...) or an item of a batch of checks (bat_.../ITEM)", id)
}

func addNote(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "add RESOURCE TEXT", Short: "Add a note", Args: cobra.ExactArgs(2),
		Long: "Adds a note to a claim, a remittance, a payer request, an attachment, an enrollment, a deposit, a file in quarantine, a connection or an item of a batch of checks. Its words never change; strike one that is wrong. " +
			"It needs a key with the submit permission.",
		Example: "  molar notes add clm_... 'Dana says that the claim is in process.'",
		RunE: func(c *cobra.Command, args []string) error {
			path, err := notesPath(args[0])
			if err != nil {
				return err
			}
			return f.writeNote(c, b, path, map[string]any{"text": args[1]})
		},
	}
	f.on(c)
	return c
}

// writeNote changes a note, and prints it.
func (f *connection) writeNote(c *cobra.Command, b Backend, path string, body map[string]any) error {
	api, err := f.open(c, b)
	if err != nil {
		return err
	}
	var after shownNote
	if err := api.post(c.Context(), path, body, &after); err != nil {
		return err
	}
	return list(c, "", noteTitles, []shownNote{after}, shownNote.cells)
}

func listNotes(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "list RESOURCE", Short: "List the notes of a resource", Args: cobra.ExactArgs(1),
		Long:    "Lists the notes of a resource, the oldest first, with those that are struck. It needs a key with the read permission.",
		Example: "  molar notes list clm_...",
		RunE: func(c *cobra.Command, args []string) error {
			path, err := notesPath(args[0])
			if err != nil {
				return err
			}
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var rows []shownNote
			for q := (url.Values{"limit": {"100"}}); ; {
				var page struct {
					Data       []shownNote `json:"data"`
					NextCursor *string     `json:"next_cursor"`
				}
				if err := api.get(c.Context(), path, q, &page); err != nil {
					return err
				}
				if rows = append(rows, page.Data...); page.NextCursor == nil {
					return list(c, "", noteTitles, rows, shownNote.cells)
				}
				q.Set("cursor", *page.NextCursor)
			}
		},
	}
	f.on(c)
	return c
}

func strikeNote(b Backend) *cobra.Command {
	var f connection
	var reason string
	c := &cobra.Command{
		Use: "strike NOTE", Short: "Strike a note", Args: oneOf("note (not_...)", "molar notes list"),
		Long:    "Strikes a note, such as one on the wrong patient. It stays in the list as struck, with the reason. It needs a key with the submit permission.",
		Example: "  molar notes strike not_... --reason 'It is about another patient.'",
		RunE: func(c *cobra.Command, args []string) error {
			return f.writeNote(c, b, "/notes/"+url.PathEscape(args[0])+"/strike", map[string]any{"reason": reason})
		},
	}
	f.on(c)
	c.Flags().StringVar(&reason, "reason", "", "why it is struck (required)")
	cobra.CheckErr(c.MarkFlagRequired("reason"))
	return c
}
