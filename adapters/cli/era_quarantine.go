package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/remittances"
)

func quarantineCommands(b Backend) *cobra.Command {
	c := &cobra.Command{
		Use: "quarantine", Short: "Files that wait for a person: 835s of no known organization, and reports: list, show, remove", Args: onlyCommands,
		Long: "Lists files, and single payments of files, that arrived from a clearinghouse but belong to no known organization.\n" +
			"Either the file cannot be read, or the payee's NPI or tax ID belongs to no office, or to several organizations.\n" +
			"A clearinghouse's reports in text are here, too: Molar stores each once and does not interpret them.\n" +
			"Files with an organization came from its own connection or import; its users can also assign or remove them.\n" +
			"molar era import removes a file from the quarantine.",
		Example: "  molar era quarantine\n  molar era quarantine show fil_...\n" +
			"  molar era import --org org_... --mode test --quarantined fil_...",
		RunE: func(c *cobra.Command, _ []string) error {
			return withRemittances(c, b, func(s *remittances.Service) error {
				all, err := s.Quarantined(c.Context())
				if err != nil {
					return err
				}
				return printQuarantined(c, all)
			})
		},
	}
	c.AddCommand(showQuarantined(b), removeQuarantined(b))
	return c
}

func showQuarantined(b Backend) *cobra.Command {
	return onQuarantined(b, &cobra.Command{
		Use: "show FILE_ID", Short: "Write a file of the quarantine to standard output, byte for byte",
		Long: "Writes a file of the quarantine to standard output as it arrived. It names patients: store it securely.\n" +
			"The file stays in quarantine.",
		Example: "  molar era quarantine show fil_... > payment.835",
	}, (*remittances.Service).QuarantinedFile, func(out io.Writer, q *quarantine.File) error {
		_, err := out.Write(q.Content)
		return err
	})
}

func removeQuarantined(b Backend) *cobra.Command {
	return onQuarantined(b, &cobra.Command{
		Use: "remove FILE_ID", Short: "Delete a file of the quarantine",
		Long: "Deletes a file of the quarantine. This cannot be undone: if you may need the file,\n" +
			"keep a copy with molar era quarantine show.",
		Example: "  molar era quarantine remove fil_...",
	}, (*remittances.Service).Discard, func(out io.Writer, q *quarantine.File) error {
		_, err := fmt.Fprintf(out, "%s (%s) is removed from the quarantine.\n", q.ID, q.Name)
		return err
	})
}

// onQuarantined completes a command that does something with the file of the quarantine
// that its argument names, and then prints it.
func onQuarantined(
	b Backend, c *cobra.Command, do func(s *remittances.Service, ctx context.Context, id billing.FileID) (*quarantine.File, error),
	show func(out io.Writer, q *quarantine.File) error,
) *cobra.Command {
	c.Args = oneOf("file of the quarantine (fil_...)", "molar era quarantine")
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := parseQuarantined(args[0])
		if err != nil {
			return err
		}
		return withRemittances(c, b, func(s *remittances.Service) error {
			q, err := do(s, c.Context(), id)
			if err != nil {
				return explainQuarantined(err, id)
			}
			return show(c.OutOrStdout(), q)
		})
	}
	return c
}

func parseQuarantined(arg string) (billing.FileID, error) {
	id, err := billing.ParseID[billing.FileID](arg)
	if err != nil {
		return id, fmt.Errorf("%q is not a fil_ ID; molar era quarantine lists them", arg)
	}
	return id, nil
}

// explainQuarantined says what to do when a file is not in quarantine.
func explainQuarantined(err error, id billing.FileID) error {
	if billing.IsNotFound(err) {
		return fmt.Errorf("%s is not in quarantine; molar era quarantine lists the files that are", id)
	}
	return err
}

func printQuarantined(c *cobra.Command, all []*quarantine.File) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(c.OutOrStdout(), "The quarantine is empty.")
		return err
	}
	var rows []string
	for _, q := range all {
		org := "-"
		if !q.Scope.Org.IsZero() {
			org = q.Scope.Org.String()
		}
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s", q.ID, org, q.Scope.Mode, event.Timestamp(q.ReceivedAt), q.Name, q.Reason))
	}
	return table(c, "ID\tORG\tMODE\tRECEIVED\tNAME\tREASON", rows)
}
