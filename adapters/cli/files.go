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

func fileCommands(b Backend) *cobra.Command {
	problems := &cobra.Command{
		Use: "list", Short: "List the files of connections that were not received", Args: cobra.NoArgs,
		Long: "Lists the files of connections that were not received, or not applied:\n\n" +
			"  lost       its download began, and then it was gone from the clearinghouse: ask for it again\n" +
			"  refused    the server does not send it, or it is too large; Molar asks again each hour\n" +
			"  set_aside  Molar stopped three times while it downloaded the file, or failed five times to apply it\n\n" +
			"A file that is not whole is in the quarantine instead; see molar era quarantine.",
		Example: "  molar files list",
		RunE: b.Batches.run(func(c *cobra.Command, s *batches.Service, _ []string) error {
			all, err := s.FileProblems(c.Context())
			if err != nil {
				return err
			}
			return list(c, "Every file of the connections was received.", "ID\tCONNECTION\tMODE\tFILE\tBYTES\tCHANGED\tPROBLEM\tSINCE\tREASON", all,
				func(f batches.FileProblem) []any {
					return []any{f.ID, f.Connection, f.Scope.Mode, f.Name, f.Size, event.Timestamp(f.Time), f.State, event.Timestamp(f.Since), f.Reason}
				})
		}),
	}
	retry := onProblem(b, &cobra.Command{
		Use: "retry FILE_ID", Short: "Try a file again",
		Long: "Tries a file of the list again. Molar applies it again if it has all of the file. Otherwise it downloads the file again,\n" +
			"if the clearinghouse still has it.",
		Example: "  molar files retry fil_...",
	}, (*batches.Service).RetryFile, "%s (%s) is tried again.\n")
	dismiss := onProblem(b, &cobra.Command{
		Use: "dismiss FILE_ID", Short: "Take a file off the list",
		Long: "Takes a file off the list and deletes what Molar has of it. Do this once the clearinghouse has sent the file again, or\n" +
			"when it is no longer needed.",
		Example: "  molar files dismiss fil_...",
	}, (*batches.Service).DismissFile, "%s (%s) is dismissed.\n")
	return group("files", "Files of connections that were not received: list, retry, dismiss", problems, retry, dismiss)
}

// onProblem completes a command that changes the file that its argument names.
func onProblem(
	b Backend, c *cobra.Command, change func(s *batches.Service, ctx context.Context, id billing.FileID) (*clearing.ReceivedFile, error), done string,
) *cobra.Command {
	return onFile(b.Batches, c, "file", "molar files list", "%s has no problem; molar files list lists the files that do", change,
		func(out io.Writer, f *clearing.ReceivedFile) (int, error) {
			return fmt.Fprintf(out, done, f.ID, f.Name)
		})
}
