package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/claims"
)

func showPatient(b Backend) *cobra.Command {
	var id billing.PatientID
	return b.Claims.scoped(&cobra.Command{
		Use: "show PATIENT", Short: "Show a patient with plans, checks, claims and what they owe",
		Args: patientArg(&id),
		Long: "Shows who a patient is, who may be the same person under another name, what the patient owes, the plans that payers returned,\n" +
			"and the newest checks, estimates and claims, ten of each. The audit of the organization shows that you read it.",
		Example: "  molar patients show pat_... --org org_... --mode live",
	}, func(c *cobra.Command, s *claims.Service, scope billing.Scope) error {
		audit.OperationOf(c.Context()).Shows = true
		o, err := s.Overview(c.Context(), scope, id)
		if billing.IsNotFound(err) {
			return fmt.Errorf("the organization has no patient %s in %s mode", id, scope.Mode)
		}
		if err != nil {
			return err
		}
		return printOverview(c, o)
	})
}

func printOverview(c *cobra.Command, o *claim.Overview) error {
	head := []string{fmt.Sprintf("%s, born %s, owes %s", personName(o.Patient.FirstName, o.Patient.LastName), o.Patient.DateOfBirth, o.Owed)}
	for _, p := range o.Alike {
		head = append(head, fmt.Sprintf("May be the same person: %s, %s", personName(p.FirstName, p.LastName), p.ID))
	}
	if err := say(c, "%s\n", strings.Join(head, "\n")); err != nil {
		return err
	}
	err := list(c, "No plan is known.", "PLAN\tPAYER\tMEMBER ID\tSTATUS\tUNTIL\tCHECK", o.Coverages, func(p claim.Covered) []any {
		return []any{oneLine(orText(p.Benefits.Plan.Name)), p.Check.Payer.PayerID, oneLine(p.Check.Inquiry.Subscriber.MemberID), p.Benefits.Status, orDash(p.Benefits.CoverageTerminationDate), p.Check.ID}
	})
	if err != nil {
		return err
	}
	err = list(c, "\nNo checks.", "\nCHECK\tMADE\tPAYER\tOUTCOME\tSTATUS", o.Checks, func(k *coverage.Check) []any {
		return []any{k.ID, billing.DateOf(k.CreatedAt), k.Payer.PayerID, orText(string(k.Outcome)), orText(string(k.Status))}
	})
	if err != nil {
		return err
	}
	err = list(c, "\nNo estimates.", "\nESTIMATE\tMADE\tPAYER\tFEE\tPATIENT PAYS", o.Estimates, func(r *estimate.Record) []any {
		return []any{r.ID, billing.DateOf(r.CreatedAt), r.Payer.PayerID, r.Estimate.Least.Fee, patientPays(r.Estimate.Least, r.Estimate.Most)}
	})
	if err != nil {
		return err
	}
	return list(c, "\nNo claims.", "\nCLAIM\tNUMBER\tPAYER\tSTATE\tCHARGE", o.Claims, func(r *claim.Record) []any {
		return []any{r.ID, oneLine(r.PatientControlNumber), r.Payer.PayerID, r.State, r.Charge()}
	})
}

func personName(first, last string) string { return oneLine(strings.TrimSpace(first + " " + last)) }

// orText returns a text, or a dash for none.
func orText(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
