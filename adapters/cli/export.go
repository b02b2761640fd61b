package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/records"
)

func exportOrg(b Backend) *cobra.Command {
	var out, mode string
	c := &cobra.Command{
		Use: "export ORG", Short: "Write everything that an organization has into an archive",
		Args: exactlyOne("name one organization (org_...); molar orgs list shows them"),
		Long: "Writes everything that an organization has in one mode into an archive (tar, gzip): offices, patients, checks with their\n" +
			"messages, claims, remittances, attachments with their images, the files that were sent and received, events, users and the\n" +
			"audit, as the API shows them, one JSON object a line. README.txt in it explains each folder. Passwords and secrets are left\n" +
			"out. The service may run meanwhile.\n\n" +
			"Only you can read the file, and it is not encrypted. The audit of the organization shows that you wrote it.",
		Example: "  molar orgs export org_01JZ8M6H4TQ6WJ1V3Z5X7Y9ABC --out /backup\n  molar orgs export org_01JZ8M6H4TQ6WJ1V3Z5X7Y9ABC --mode test --out cedar-test.tar.gz",
		RunE: b.Records.run(func(c *cobra.Command, s *records.Service, args []string) error {
			scope, err := (&scopeFlags{args[0], mode}).scope()
			if err != nil {
				return err
			}
			return exportScope(c, s, scope, out)
		}),
	}
	c.Flags().StringVar(&out, "out", "", "the file to write, which must not exist, or a folder for it (default: ORG-MODE.tar.gz)")
	c.Flags().StringVar(&mode, "mode", "live", "test or live")
	return c
}

func exportScope(c *cobra.Command, s *records.Service, scope billing.Scope, out string) error {
	op := audit.OperationOf(c.Context())
	op.Shows, op.Resource = true, scope.Org.String()
	own := fmt.Sprintf("%s-%s.tar.gz", scope.Org, scope.Mode)
	out = cmp.Or(out, own)
	if in, err := os.Stat(out); err == nil && in.IsDir() {
		out = filepath.Join(out, own)
	}
	line := newBar(c, "Writing the archive")
	totals, err := writeFile(out, func(f *os.File) (records.Totals, error) {
		return s.ExportOrganization(c.Context(), scope, f, func(at records.Progress) { line.at(min(at.Done, at.All), at.All, at.Part) })
	})
	line.end()
	if billing.IsNotFound(err) {
		return fmt.Errorf("there is no organization %s; molar orgs list shows them", scope.Org)
	}
	if err != nil {
		return err
	}
	n := totals.Rows
	err = say(c, "%s has %d patients, %d checks, %d claims, %d remittances, %d images, %d files and messages, and the rest that README.txt in it lists.",
		out, n["patients"], n["eligibility_checks"], n["claims"], n["eras"], totals.Images, totals.Files)
	if err == nil && totals.Missing > 0 {
		err = say(c, "The blob store does not have %d images, which missing_images in it names. Get them from its backup and run the command again.", totals.Missing)
	}
	return err
}

// absent returns an error if there is a file of the name.
func absent(name string) error {
	if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("%s is there already; name another file with --out", name)
	}
	return nil
}

// writeFile writes a file that only this user can read. After an error there is none.
func writeFile[T any](name string, write func(*os.File) (T, error)) (written T, err error) {
	if err := absent(name); err != nil {
		return written, err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".molar-*")
	if err != nil {
		return written, fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(f.Name()) //nolint:errcheck // it has its name by then
	written, err = write(f)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	return written, err
}
