package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
)

func fileCommands(b Backend) *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "List the files of connections that were not received", Args: cobra.NoArgs,
		Long: "Lists the files of connections that were not received, or not applied:\n\n" +
			"  lost       its download began, and then it was gone from the clearinghouse: ask for it again\n" +
			"  refused    the server does not send it, or it is too large; Molar asks again each hour\n" +
			"  set_aside  Molar stopped three times while it downloaded the file, or failed five times to apply it\n\n" +
			"A file that is not whole is in the quarantine instead; see molar era quarantine.",
		Example: "  molar files list",
		RunE: func(c *cobra.Command, _ []string) error {
			return withBatches(c, b, func(s *batches.Service) error {
				all, err := s.FileProblems(c.Context())
				if err != nil {
					return err
				}
				return printFileProblems(c, all)
			})
		},
	}
	retry := onFile(b, &cobra.Command{
		Use: "retry FILE_ID", Short: "Try a file again",
		Long: "Tries a file of the list again. Molar applies it again if it has all of the file. Otherwise it downloads the file again,\n" +
			"if the clearinghouse still has it.",
		Example: "  molar files retry fil_...",
	}, (*batches.Service).RetryFile, "%s (%s) is tried again.\n")
	dismiss := onFile(b, &cobra.Command{
		Use: "dismiss FILE_ID", Short: "Take a file off the list",
		Long: "Takes a file off the list and deletes what Molar has of it. Do this once the clearinghouse has sent the file again, or\n" +
			"when it is no longer needed.",
		Example: "  molar files dismiss fil_...",
	}, (*batches.Service).DismissFile, "%s (%s) is dismissed.\n")
	return group("files", "Files of connections that were not received: list, retry, dismiss", list, retry, dismiss)
}

// onFile completes a command that changes the file that its argument names.
func onFile(
	b Backend, c *cobra.Command, change func(s *batches.Service, ctx context.Context, id billing.FileID) (*clearing.ReceivedFile, error), done string,
) *cobra.Command {
	c.Args = oneOf("file (fil_...)", "molar files list")
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := billing.ParseID[billing.FileID](args[0])
		if err != nil {
			return fmt.Errorf("%q is not a fil_ ID; molar files list lists them", args[0])
		}
		return withBatches(c, b, func(s *batches.Service) error {
			f, err := change(s, c.Context(), id)
			if billing.IsNotFound(err) {
				return fmt.Errorf("%s has no problem; molar files list lists the files that do", id)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), done, f.ID, f.Name)
			return err
		})
	}
	return c
}

func printFileProblems(c *cobra.Command, all []batches.FileProblem) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(c.OutOrStdout(), "Every file of the connections was received.")
		return err
	}
	rows := make([]string, len(all))
	for i, f := range all {
		rows[i] = fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s", f.ID, f.Connection, f.Scope.Mode, f.Name, f.Size, event.Timestamp(f.Time),
			f.State, event.Timestamp(f.Since), f.Reason)
	}
	return table(c, "ID\tCONNECTION\tMODE\tFILE\tBYTES\tCHANGED\tPROBLEM\tSINCE\tREASON", rows)
}
