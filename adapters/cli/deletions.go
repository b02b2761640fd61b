package cli

import (
	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/records"
)

func deleteOrg(b Backend) *cobra.Command {
	d := &caller.Deletion{}
	var name string
	var undo bool
	c := &cobra.Command{
		Use: "delete ORG", Short: "Delete an organization with all that it has, after 30 days",
		Args: exactlyOne("name one organization (org_...); molar orgs list shows them"),
		Long: "Deletes an organization with all that it has, in both modes: patients, claims, remittances, images, users, keys, its audit\n" +
			"and the key that encrypts its data. It waits 30 days. Until then everything works, and --undo takes it back. Afterwards the\n" +
			"record of the deletion says until which day backups have its data. If a backup is restored, molar restore begin deletes\n" +
			"the organization again. Before it goes, molar orgs export writes what it has into an archive.",
		Example: "  molar orgs delete org_01JZ8M6H4TQ6WJ1V3Z5X7Y9ABC --name \"Cedar Dental\" --backups-kept 35\n  molar orgs delete org_01JZ8M6H4TQ6WJ1V3Z5X7Y9ABC --undo",
		RunE: b.Records.run(func(c *cobra.Command, s *records.Service, args []string) (err error) {
			if d.Org, err = parseOrg(args[0]); err != nil {
				return err
			}
			if undo {
				if err := s.Keep(c.Context(), d.Org); err != nil {
					return err
				}
				return say(c, "%s stays.", d.Org)
			}
			d.AskedBy = audit.OperationOf(c.Context()).Operator
			if err := s.Delete(c.Context(), d, name); err != nil {
				return err
			}
			return say(c, "%s (%s) goes on %s. Backups have its data until %s.\nUntil it goes, write what it has into an archive with: molar orgs export %s\n"+
				"and take the deletion back with: molar orgs delete %s --undo",
				d.Name, d.Org, billing.DateOf(d.DueAt()), billing.DateOf(d.GoneAt()), d.Org, d.Org)
		}),
	}
	c.Flags().StringVar(&name, "name", "", "the name of the organization, as a check")
	c.Flags().IntVar(&d.BackupsDays, "backups-kept", 35, "for how many days you keep a backup")
	c.Flags().BoolVar(&undo, "undo", false, "take the deletion back")
	c.MarkFlagsOneRequired("name", "undo")
	return c
}

func deletedOrgs(b Backend) *cobra.Command {
	return &cobra.Command{
		Use: "deletions", Short: "List the organizations that go, and those that are gone", Args: cobra.NoArgs,
		RunE: b.Records.run(func(c *cobra.Command, s *records.Service, _ []string) error {
			all, err := s.Deletions(c.Context())
			if err != nil {
				return err
			}
			return list(c, "No deletion is asked for.", "ORG\tNAME\tASKED\tBY\tGOES\tGONE\tIN BACKUPS UNTIL", all, func(d *caller.Deletion) []any {
				gone := "-"
				if !d.RemovedAt.IsZero() {
					gone = event.Timestamp(d.RemovedAt)
				}
				return []any{d.Org, d.Name, event.Timestamp(d.AskedAt), d.AskedBy, billing.DateOf(d.DueAt()), gone, billing.DateOf(d.GoneAt())}
			})
		}),
	}
}
