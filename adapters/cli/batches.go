package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
)

func batchCommands(b Backend) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the batches that a clearinghouse may or may not have", Args: cobra.NoArgs,
		Long: "Lists the batches that a clearinghouse may or may not have:\n\n" +
			"  unknown outcome   the upload may have ended, and the clearinghouse does not show whether it has the file\n" +
			"  no 999, no 277CA  these acknowledgements have not come within the time of the option acknowledgement_after\n\n" +
			"Molar never resends such a batch by itself. An acknowledgement that comes later removes it from the list. For the\n" +
			"others, ask the clearinghouse for the file by its name, then run molar batches sent or molar batches resend.",
		Example: "  molar batches list",
		RunE: func(c *cobra.Command, _ []string) error {
			return withBatches(c, b, func(s *batches.Service) error {
				all, err := s.Undecided(c.Context())
				if err != nil {
					return err
				}
				return printUndecided(c, all)
			})
		},
	}
	resend := onUndecided(b, &cobra.Command{
		Use: "resend BATCH_ID", Short: "Resend a batch that the clearinghouse does not have",
		Long: "Resends a batch of molar batches list, under the same name. Ask the clearinghouse first: if it has the file, every\n" +
			"claim of the batch becomes a duplicate. It is refused once the clearinghouse has reported on a claim of the batch.\n" +
			"A whole file of that name that is still in the outbox counts as sent: if they do not read it, remove it there first.",
		Example: "  molar batches resend fil_...",
	}, (*batches.Service).Resend, "%s (%s) is queued and goes out again.\n")
	sent := onUndecided(b, &cobra.Command{
		Use: "sent BATCH_ID", Short: "Record that the clearinghouse has a batch",
		Long: "Records that the clearinghouse has a batch of molar batches list. Molar waits for no more acknowledgements of it; one\n" +
			"that comes still counts. Ask the clearinghouse first: if it does not have the file, no payer receives the claims\n" +
			"of the batch.",
		Example: "  molar batches sent fil_...",
	}, (*batches.Service).MarkSent, "%s (%s) is recorded as sent.\n")
	return group("batches", "Batches that a clearinghouse may or may not have: list, resend, sent", list, resend, sent)
}

// withBatches runs fn on the database.
func withBatches(c *cobra.Command, b Backend, fn func(s *batches.Service) error) error {
	s, done, err := b.Batches(c.Context())
	if err != nil {
		return err
	}
	return errors.Join(fn(s), done())
}

// onUndecided completes a command that decides on the batch that its argument names, and
// then prints it.
func onUndecided(
	b Backend, c *cobra.Command, decide func(s *batches.Service, ctx context.Context, id billing.FileID) (*clearing.Batch, error), done string,
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
				return fmt.Errorf("%s waits for no decision; molar batches list lists the batches that do", id)
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

func printUndecided(c *cobra.Command, all []batches.Undecided) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(c.OutOrStdout(), "No batch waits for a decision: none has an unknown outcome or an overdue acknowledgement.")
		return err
	}
	var rows []string
	for _, b := range all {
		since, problem := b.UnknownSince, "unknown outcome"
		if since.IsZero() {
			missing := make([]string, len(b.Overdue))
			for i, kind := range b.Overdue {
				missing[i] = "no " + string(kind)
			}
			since, problem = b.SentAt, strings.Join(missing, ", ")
		}
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s", b.ID, b.Scope.Org, b.Scope.Mode, b.Connection, b.File.Name, b.ClaimCount,
			problem, event.Timestamp(since)))
	}
	return table(c, "ID\tORG\tMODE\tCONNECTION\tFILE\tCLAIMS\tPROBLEM\tSINCE", rows)
}
