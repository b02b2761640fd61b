package cli

import (
	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/recovery"
)

func restores(b Backend) *cobra.Command {
	check := &cobra.Command{
		Use: "check", Short: "Compare the database with the blob store", Args: cobra.NoArgs,
		Long: "Compares the database with the blob store, and changes nothing. It reports the highest numbers of both, the live files\n" +
			"that the database does not know, images without rows, and rows without images.",
		Example: "  molar restore check",
		RunE: b.Recovery.run(func(c *cobra.Command, s *recovery.Service, _ []string) error {
			r, err := s.Check(c.Context())
			if err != nil {
				return err
			}
			return printCheck(c, r)
		}),
	}
	var anyway bool
	begin := &cobra.Command{
		Use: "begin", Short: "Let the service work again on a restored database", Args: cobra.NoArgs,
		Long: "Does again what the live files did that the database does not know, and prints what became of each:\n\n" +
			"  known      the database has the claim, and now knows that it was sent\n" +
			"  recovered  the database lacked the claim, and has it again, as sent\n" +
			"  lost       the payer has the claim, but the database cannot have it again, because it lacks the claim's office or\n" +
			"             provider, or the claim that it follows: do not send it again\n\n" +
			"Files from clearinghouses are stored, and the era worker applies them. Numbers of files, batches and attachments continue\n" +
			"past those that were given out, and those of a resource's events 1,000 higher. Then the service works, but live claims\n" +
			"and webhooks wait for molar restore resume. If the command fails, run it again. Until then it prints the same report.",
		Example: "  molar restore begin",
		RunE: b.Recovery.run(func(c *cobra.Command, s *recovery.Service, _ []string) error {
			done, err := s.Begin(c.Context(), anyway)
			if err != nil {
				return err
			}
			return printBegun(c, done)
		}),
	}
	begin.Flags().BoolVar(&anyway, "anyway", false, "the database was restored, although it knows every live file")
	resume := &cobra.Command{
		Use: "resume", Short: "Let live claims and webhooks go out again", Args: cobra.NoArgs,
		Long: "Ends a restore: live claims and webhooks, which have waited since molar restore begin, go out again. First read the report\n" +
			"of that command, and wait until the era worker has applied the files.",
		Example: "  molar restore resume",
		RunE: b.Recovery.run(func(c *cobra.Command, s *recovery.Service, _ []string) error {
			ended, err := s.Resume(c.Context())
			switch {
			case err != nil:
				return err
			case ended == nil:
				return say(c, "No restore has begun; live claims and webhooks do not wait for one.")
			}
			return say(c, "Live claims and webhooks go out again. They have waited since %s.", event.Timestamp(ended.BegunAt))
		}),
	}
	return group("restore", "Continue after the database was restored from a backup: check, begin, resume", check, begin, resume)
}

// numbered is a row of the highest numbers.
type numbered struct {
	what       string
	have, want int64
}

func printCheck(c *cobra.Command, r *recovery.Report) error {
	rows := []numbered{
		{"live files", r.Have.LiveFile, r.Want.LiveFile}, {"batches", r.Have.Batch, r.Want.Batch}, {"attachments", r.Have.Attachment, r.Want.Attachment},
	}
	if err := list(c, "", "HIGHEST NUMBER OF\tDATABASE\tCOPIES", rows, func(n numbered) []any { return []any{n.what, n.have, n.want} }); err != nil {
		return err
	}
	if err := say(c, "%s", below(r.Newer, "\nLive files that the database does not know:")); err != nil {
		return err
	}
	if err := list(c, "The database knows every live file.", "NUMBER\tDIRECTION\tORG\tNETWORK\tFILE\tCLAIMS\tBYTES\tAT", r.Newer, copyRow); err != nil {
		return err
	}
	for _, images := range []struct {
		are string
		ids []billing.DocumentID
		do  string
	}{
		{"Images without rows", r.Unnamed, ". The era worker removes them after MOLAR_ORPHAN_AGE:"},
		{"Rows without images", r.Missing, ". Get these images from the backup of the blob store:"},
	} {
		if err := say(c, "\n%s: %d%s", images.are, len(images.ids), below(images.ids, images.do)); err != nil {
			return err
		}
		for _, id := range images.ids {
			if err := say(c, "  %s", id); err != nil {
				return err
			}
		}
	}
	switch {
	case len(r.Newer) > 0:
		return say(c, "\nThe database is behind: no process works before molar restore begin.")
	case r.Open != nil && r.Open.Replayed == 0:
		return say(c, "\nThe restore that began at %s is not finished: run molar restore begin again.", event.Timestamp(r.Open.BegunAt))
	case r.Open != nil:
		return say(c, "\nA restore began at %s: live claims and webhooks wait for molar restore resume.", event.Timestamp(r.Open.BegunAt))
	}
	return nil
}

// below returns the text if there is something below it.
func below[T any](all []T, text string) string {
	if len(all) == 0 {
		return ""
	}
	return text
}

func copyRow(f recovery.Copies) []any {
	if f.Sent != nil {
		b := f.Sent.Batch
		return []any{f.Number, "out", b.Scope.Org, b.Network, b.File.Name, b.ClaimCount, len(f.Sent.Content), event.Timestamp(f.Sent.At)}
	}
	direction := "in"
	if !f.Whole {
		direction = "in, not whole"
	}
	if len(f.Parts) == 0 {
		return []any{f.Number, direction, "-", "-", "-", "-", "-", "-"}
	}
	of := f.Parts[0].File
	return []any{f.Number, direction, orDash(of.Scope.Org), of.Network, of.Name, "-", of.Size, event.Timestamp(of.Since)}
}

// sentClaim is a claim of a live file that left.
type sentClaim struct {
	*claim.Claim

	file string
	fate restore.Fate
}

func printBegun(c *cobra.Command, b *recovery.Begun) error {
	var claims []sentClaim
	var received []recovery.Copies
	for _, f := range b.Newer {
		if f.Sent == nil {
			received = append(received, f)
			continue
		}
		for _, sent := range f.Sent.Claims {
			claims = append(claims, sentClaim{sent, f.Sent.Batch.File.Name, b.Restore.FateOf(sent, !b.Lost[sent.ID])})
		}
	}
	header := "CLAIM\tORG\tCONTROL NUMBER\tPAYER\tCHARGE\tFILE\tIS"
	if err := list(c, "No claim left that the database does not know.", header, claims, func(r sentClaim) []any {
		return []any{r.ID, r.Scope.Org, r.PatientControlNumber, r.Payer.Name, r.Charge(), r.file, r.fate}
	}); err != nil {
		return err
	}
	if err := say(c, ""); err != nil {
		return err
	}
	if err := list(c, "No file came that the database does not know.", "NUMBER\tNETWORK\tFILE\tBYTES\tIS", received, func(f recovery.Copies) []any {
		row, is := copyRow(f), "known"
		switch {
		case !f.Whole:
			is = "not whole: if the clearinghouse has it no longer, ask for it again"
		case b.Restore.Lacks(f.Parts[0].File.ID):
			is = "stored, to be applied"
		}
		return []any{row[0], row[3], row[4], row[6], is}
	}); err != nil {
		return err
	}
	return say(c, "\nThe service works again. Live claims and webhooks wait for molar restore resume.")
}
