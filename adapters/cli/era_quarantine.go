package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/remittances"
)

func quarantineCommands(b Backend) *cobra.Command {
	var oldest bool
	c := &cobra.Command{
		Use: "quarantine", Short: "Files that wait for a person: 835s of no known organization, and reports: list, show, remove", Args: onlyCommands,
		Long: "Lists files, and single payments of files, that arrived from a clearinghouse but belong to no known organization.\n" +
			"Either the file cannot be read, or the payee's NPI or tax ID belongs to no office, or to several organizations.\n" +
			"A clearinghouse's reports in text are here, too: Molar stores each once and does not interpret them.\n" +
			"Files with an organization came from its own connection or import; its users can also assign or remove them.\n" +
			"molar era import removes a file from the quarantine.",
		Example: "  molar era quarantine\n  molar era quarantine show fil_...\n" +
			"  molar era import --org org_... --mode test --quarantined fil_...",
		RunE: b.Remittances.run(func(c *cobra.Command, s *remittances.Service, _ []string) error {
			all, err := s.Quarantined(c.Context())
			if err != nil {
				return err
			}
			if oldest {
				slices.Reverse(all)
			}
			return list(c, "The quarantine is empty.", "ID\tORG\tMODE\tRECEIVED\tNAME\tREASON", all, func(q *quarantine.File) []any {
				return []any{q.ID, orDash(q.Scope.Org), q.Scope.Mode, event.Timestamp(q.ReceivedAt), q.Name, q.Reason}
			})
		}),
	}
	c.Flags().BoolVar(&oldest, "oldest", false, "list the oldest file first")
	c.AddCommand(showQuarantined(b), removeQuarantined(b))
	return c
}

func showQuarantined(b Backend) *cobra.Command {
	return onQuarantined(b, &cobra.Command{
		Use: "show FILE_ID", Short: "Write a file of the quarantine to standard output, byte for byte",
		Long: "Writes a file of the quarantine to standard output as it arrived. It names patients: store it securely.\n" +
			"The file stays in quarantine.",
		Example: "  molar era quarantine show fil_... > payment.835",
	}, (*remittances.Service).QuarantinedFile, func(out io.Writer, q *quarantine.File) (int, error) { return out.Write(q.Content) })
}

func removeQuarantined(b Backend) *cobra.Command {
	return onQuarantined(b, &cobra.Command{
		Use: "remove FILE_ID", Short: "Delete a file of the quarantine",
		Long: "Deletes a file of the quarantine. This cannot be undone: if you may need the file,\n" +
			"keep a copy with molar era quarantine show.",
		Example: "  molar era quarantine remove fil_...",
	}, (*remittances.Service).Discard, func(out io.Writer, q *quarantine.File) (int, error) {
		return fmt.Fprintf(out, "%s (%s) is removed from the quarantine.\n", q.ID, q.Name)
	})
}

const (
	listQuarantine = "molar era quarantine"
	notQuarantined = "%s is not in quarantine; " + listQuarantine + " lists the files that are"
)

// onQuarantined completes a command that does something with the file of the quarantine
// that its argument names, and then prints it.
func onQuarantined(
	b Backend, c *cobra.Command, do func(s *remittances.Service, ctx context.Context, id billing.FileID) (*quarantine.File, error),
	show func(out io.Writer, q *quarantine.File) (int, error),
) *cobra.Command {
	return onFile(b.Remittances, c, "file of the quarantine", listQuarantine, notQuarantined, do, show)
}
