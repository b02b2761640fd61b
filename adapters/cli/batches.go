package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
)

func batchCommands(b Backend) *cobra.Command {
	all := &cobra.Command{
		Use: "list", Short: "List the batches that a clearinghouse may or may not have", Args: cobra.NoArgs,
		Long: "Lists the batches that a clearinghouse may or may not have:\n\n" +
			"  unknown outcome   the upload may have ended, and the clearinghouse does not show whether it has the file\n" +
			"  no 999, no 277CA  these acknowledgements have not come within the time of the option acknowledgement_after\n\n" +
			"Molar never resends such a batch by itself. An acknowledgement that comes later removes it from the list. For the\n" +
			"others, ask the clearinghouse for the file by its name, then run molar batches sent or molar batches resend.",
		Example: "  molar batches list",
		RunE: b.Batches.run(func(c *cobra.Command, s *batches.Service, _ []string) error {
			all, err := s.Undecided(c.Context())
			if err != nil {
				return err
			}
			const none = "No batch waits for a decision: none has an unknown outcome or an overdue acknowledgement."
			return list(c, none, "ID\tORG\tMODE\tCONNECTION\tFILE\tCLAIMS\tPROBLEM\tSINCE", all, undecidedRow)
		}),
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
	return group("batches", "Batches that a clearinghouse may or may not have: list, resend, sent", all, resend, sent)
}

// onUndecided completes a command that decides on the batch that its argument names, and
// then prints it.
func onUndecided(
	b Backend, c *cobra.Command, decide func(s *batches.Service, ctx context.Context, id billing.FileID) (*clearing.Batch, error), done string,
) *cobra.Command {
	return onFile(b.Batches, c, "batch", "molar batches list", "%s waits for no decision; molar batches list lists the batches that do", decide,
		func(out io.Writer, batch *clearing.Batch) (int, error) {
			return fmt.Fprintf(out, done, batch.ID, batch.File.Name)
		})
}

func undecidedRow(b batches.Undecided) []any {
	since, problem := b.UnknownSince, "unknown outcome"
	if since.IsZero() {
		since, problem = b.SentAt, "no "+joined(b.Overdue, ", no ")
	}
	return []any{b.ID, b.Scope.Org, b.Scope.Mode, b.Connection, b.File.Name, b.ClaimCount, problem, event.Timestamp(since)}
}
