package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
)

func batchCommands(b Backend) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the batches whose outcome is unknown", Args: cobra.NoArgs,
		Long: "Lists the batches that a clearinghouse may or may not have: the connection broke while it took the file, and the\n" +
			"file is gone. Molar never resends such a batch by itself. Most are settled by an acknowledgement within\n" +
			"hours. For the others, ask the clearinghouse for the file, then run molar batches sent or molar batches resend.",
		Example: "  molar batches list",
		RunE: func(c *cobra.Command, _ []string) error {
			return withBatches(c, b, func(s *batches.Service) error {
				all, err := s.Unknown(c.Context())
				if err != nil {
					return err
				}
				return printUnknown(c, all)
			})
		},
	}
	resend := onUnknown(b, &cobra.Command{
		Use: "resend BATCH_ID", Short: "Resend a batch that the clearinghouse does not have",
		Long: "Resends a batch whose outcome is unknown. Ask the clearinghouse first: if it has the file, every claim of the\n" +
			"batch becomes a duplicate.",
		Example: "  molar batches resend fil_...",
	}, (*batches.Service).Resend, "%s (%s) is queued and goes out again.\n")
	sent := onUnknown(b, &cobra.Command{
		Use: "sent BATCH_ID", Short: "Record that the clearinghouse has a batch",
		Long: "Records that the clearinghouse has a batch whose outcome was unknown. Ask the clearinghouse first: if it does not have the file,\n" +
			"no payer receives the claims of the batch.",
		Example: "  molar batches sent fil_...",
	}, (*batches.Service).MarkSent, "%s (%s) is recorded as sent. Its claims are submitted.\n")
	return group("batches", "Batches whose outcome is unknown: list, resend, sent", list, resend, sent)
}

// withBatches runs fn on the database.
func withBatches(c *cobra.Command, b Backend, fn func(s *batches.Service) error) error {
	s, done, err := b.Batches(c.Context())
	if err != nil {
		return err
	}
	return errors.Join(fn(s), done())
}

// onUnknown completes a command that decides on the batch that its argument names, and
// then prints it.
func onUnknown(
	b Backend, c *cobra.Command, decide func(s *batches.Service, ctx context.Context, id billing.FileID) (*billing.Batch, error), done string,
) *cobra.Command {
	c.Args = oneOf("batch (fil_...)", "molar batches list")
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := billing.ParseID[billing.FileID](args[0])
		if err != nil {
			return fmt.Errorf("%q is not a fil_ ID; molar batches list lists them", args[0])
		}
		return withBatches(c, b, func(s *batches.Service) error {
			batch, err := decide(s, c.Context(), id)
			if billing.IsNotFound(err) {
				return fmt.Errorf("the outcome of %s is known; molar batches list lists the batches that wait for a decision", id)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), done, batch.ID, batch.File.Name)
			return err
		})
	}
	return c
}

func printUnknown(c *cobra.Command, all []*billing.Batch) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(c.OutOrStdout(), "The outcome of every batch is known.")
		return err
	}
	var rows []string
	for _, m := range all {
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%d\t%s", m.ID, m.Scope.Org, m.Scope.Mode, m.Network, m.File.Name, m.ClaimCount,
			billing.Timestamp(m.UnknownSince)))
	}
	return table(c, "ID\tORG\tMODE\tNETWORK\tFILE\tCLAIMS\tUNKNOWN SINCE", rows)
}
