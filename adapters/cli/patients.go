package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/records"
)

func patients(b Backend) *cobra.Command {
	var out string
	var d directory.Disclosure
	var id billing.PatientID
	export := b.Records.scoped(&cobra.Command{
		Use: "export PATIENT", Short: "Write everything about a patient into an archive",
		Args: patientArg(&id),
		Long: "Writes everything that the service keeps about a patient into a ZIP archive: the checks with their messages, visits\n" +
			"of schedules, estimates, claims, questions about claims with their messages, appeals, payments, attachments with their\n" +
			"images, payer requests, notes, events, who saw them, and to whom they were given. README.txt in it explains each part. Files\n" +
			"that may have other patients in them are named, and left out.\n\n" +
			"--disclosed-to records that somebody other than the patient gets the archive; 45 CFR 164.528 lets a patient ask for that\n" +
			"list. The audit of the organization shows that you wrote the archive.",
		Example: "  molar patients export pat_... --org org_... --mode live\n" +
			"  molar patients export pat_... --org org_... --mode live --disclosed-to \"Dr. Ann Lee, Albany\" --purpose \"second opinion\"",
	}, func(c *cobra.Command, s *records.Service, scope billing.Scope) error {
		audit.OperationOf(c.Context()).Shows = true
		if out == "" {
			out = id.String() + ".zip"
		}
		disclosed := &d
		if d.By = audit.OperationOf(c.Context()).Operator; d.To == "" {
			disclosed = nil
		}
		counts, err := writeFile(out, func(f *os.File) (records.Counts, error) { return s.Export(c.Context(), scope, id, f, disclosed) })
		if billing.IsNotFound(err) {
			return fmt.Errorf("the organization has no patient %s in %s mode", id, scope.Mode)
		}
		if err != nil {
			return err
		}
		return printArchive(c, out, counts)
	})
	export.Flags().StringVar(&out, "out", "", "the file to write, which must not exist (default: PATIENT.zip)")
	export.Flags().StringVar(&d.To, "disclosed-to", "", "name and, if known, address of who gets the archive, if not the patient")
	export.Flags().StringVar(&d.Purpose, "purpose", "", "why they get it")
	export.MarkFlagsRequiredTogether("disclosed-to", "purpose")
	return group("patients", "What is stored about a patient: show, export, erase, erasures", showPatient(b), export, erase(b), erasures(b))
}

// patientArg reads the ID of one patient.
func patientArg(id *billing.PatientID) cobra.PositionalArgs {
	return cobra.MatchAll(oneOf("a patient (pat_...)", "the dashboard"), func(_ *cobra.Command, args []string) (err error) {
		if *id, err = billing.ParseID[billing.PatientID](args[0]); err != nil {
			return fmt.Errorf("%s is not the ID of a patient; such an ID begins with pat_", args[0])
		}
		return nil
	})
}

// some returns a number with what it counts, such as "2 checks".
func some(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + one
	case len(many) > 0:
		return fmt.Sprintf("%d %s", n, many[0])
	}
	return fmt.Sprintf("%d %ss", n, one)
}

func printArchive(c *cobra.Command, name string, n records.Counts) error {
	err := say(c, "%s has %s, %s, %s, %s with %s, and who saw them.", name, some(n.Checks, "check"), some(n.Claims, "claim"),
		some(n.Payments, "payment"), some(n.Attachments, "attachment"), some(n.Images, "image"))
	if err == nil && len(n.Missing) > 0 {
		err = say(c, "The blob store does not have these images: %s. Get them from its backup and run the command again.", strings.Join(n.Missing, ", "))
	}
	if err == nil && len(n.Files) > 0 {
		err = say(c, "%s, because they may have other patients in them; README.txt names them.", some(len(n.Files), "file is left out", "files are left out"))
	}
	return err
}
