package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/records"
)

func erase(b Backend) *cobra.Command {
	var reason string
	var yes bool
	var id billing.PatientID
	c := b.Records.scoped(&cobra.Command{
		Use: "erase PATIENT", Short: "Erase what is stored about a patient, but figures and control numbers",
		Args: patientArg(&id),
		Long: "Removes the patient, the checks with their messages, visits of schedules, estimates, appeals with their letters, notes, and images.\n" +
			"Removes names, birth dates, addresses, member numbers and references from claims, payments, attachments and payer requests; their\n" +
			"amounts, services and control numbers stay, so that a later remittance is still counted. Claims that were not sent, or were\n" +
			"rejected, are voided. Nothing brings it back.\n" +
			"MOLAR_MIGRATE_URL must name the owner of the tables.\n\n" +
			"Files that may have other patients in them stay until their time; the record names them (molar patients erasures). The audit\n" +
			"and the list of disclosures stay: they have only the patient's ID, and law asks for six years of them. Without --yes, the command\n" +
			"erases nothing, and counts.",
		Example: "  molar patients erase pat_... --org org_... --mode live\n" +
			"  molar patients erase pat_... --org org_... --mode live --reason \"request of 2026-03-02\" --yes",
	}, func(c *cobra.Command, s *records.Service, scope billing.Scope) error {
		e, err := s.PlanErasure(c.Context(), scope, id)
		if billing.IsNotFound(err) {
			return fmt.Errorf("the organization has no patient %s in %s mode", id, scope.Mode)
		}
		if err != nil {
			return err
		}
		if yes {
			e.Reason, e.By = reason, audit.OperationOf(c.Context()).Operator
			switch err := s.Erase(c.Context(), e); {
			case billing.CodeOf(err) == billing.CodeConflict:
				return fmt.Errorf("%w\nThe erasure has begun. It goes on by itself once it can; molar patients erasures shows whether it is done", err)
			case err != nil:
				return err
			}
		}
		return printErasure(c, e, yes)
	})
	c.Flags().StringVar(&reason, "reason", "", "why: the matter, and nothing about the patient (required with --yes)")
	c.Flags().BoolVar(&yes, "yes", false, "erase; without it, the command only counts")
	return c
}

func erasures(b Backend) *cobra.Command {
	return &cobra.Command{
		Use: "erasures", Short: "List the patients that were erased, with what stays", Args: cobra.NoArgs,
		Example: "  molar patients erasures",
		RunE: b.Records.run(func(c *cobra.Command, s *records.Service, _ []string) error {
			all, err := s.Erasures(c.Context())
			if err != nil {
				return err
			}
			return list(c, "No patient was erased.", "PATIENT\tORG\tMODE\tBEGUN\tDONE\tBY\tREASON\tREMOVED\tBLANKED\tFILES THAT STAY", all, func(e *directory.Erasure) []any {
				done := "-"
				if !e.DoneAt.IsZero() {
					done = event.Timestamp(e.DoneAt)
				}
				return []any{
					e.Patient, e.Scope.Org, e.Scope.Mode, event.Timestamp(e.BegunAt), done, e.By, e.Reason,
					numbers(e.Removed), numbers(e.Blanked), strings.Join(e.Files, ", "),
				}
			})
		}),
	}
}

// numbers returns what is counted, such as "2 checks, 1 images".
func numbers(all []directory.Erased) string {
	var words []string
	for _, e := range all {
		words = append(words, some(e.Count, strings.TrimSuffix(e.Kind, "s")))
	}
	return strings.Join(words, ", ")
}

func printErasure(c *cobra.Command, e *directory.Erasure, done bool) error {
	removed, blanked := "Would remove", "Would blank"
	if done {
		removed, blanked = "Removed", "Blanked"
	}
	err := say(c, "%s: the patient, %s.\n%s: %s.", removed, numbers(e.Removed), blanked, numbers(e.Blanked))
	if err == nil && len(e.Files) > 0 {
		err = say(c, "These files stay until their time, because other patients may be in them:\n  %s", strings.Join(e.Files, "\n  "))
	}
	if err == nil && !done {
		err = say(c, "Nothing was erased. To erase, add --yes and --reason.")
	}
	if err == nil && done {
		err = say(c, "Images go from the blob store within a day. molar patients erasures lists this record.")
	}
	return err
}
