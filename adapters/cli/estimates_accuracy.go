package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/claims"
)

// estimateAccuracy compares an estimate with the payment, or all of them by payer.
func estimateAccuracy(b Backend) *cobra.Command {
	return b.Claims.scoped(&cobra.Command{
		Use: "accuracy [ESTIMATE]", Short: "Compare an estimate with the payment of its claim", Args: cobra.MaximumNArgs(1),
		Long: "Prints an estimate and what payers decided of its claim side by side, with the reason of each difference.\n" +
			"Without an estimate, it prints by payer how far off estimates are on average.",
		Example: "  molar estimates accuracy est_... --org org_... --mode live\n  molar estimates accuracy --org org_... --mode live",
	}, func(c *cobra.Command, s *claims.Service, scope billing.Scope) error {
		if c.Flags().NArg() == 0 {
			all, err := s.AccuracyByPayer(c.Context(), scope)
			if err != nil {
				return err
			}
			return list(c, "No estimate has a claim with a payment.", "PAYER\tESTIMATES\tWITHIN\tMEAN ERROR", all, func(a estimate.PayerAccuracy) []any {
				return []any{a.Payer.PayerID, a.Estimates, a.Within, a.MeanError}
			})
		}
		id, err := billing.ParseID[billing.EstimateID](c.Flags().Arg(0))
		if err != nil {
			return fmt.Errorf("%q is not an est_ ID; molar estimates list --org %s --mode %s lists them", c.Flags().Arg(0), scope.Org, scope.Mode)
		}
		a, err := s.Accuracy(c.Context(), scope, id)
		if err != nil {
			return err
		}
		return say(c, "%s", accuracyText(a))
	})
}

// accuracyText returns what was estimated and what payers decided, line by line.
func accuracyText(a *claim.Accuracy) string {
	var b strings.Builder
	e := a.Estimate.Estimate
	fmt.Fprintf(&b, "The patient owes %s of claim %s. The estimate had %s.\n", a.Standing.PatientResponsibility.Dollars(), a.Claim.ID, patientPays(e.Least, e.Most))
	for _, text := range a.Uncertain {
		fmt.Fprintf(&b, "%s\n", oneLine(text))
	}
	for i := range a.Lines {
		l, s, r := &a.Lines[i], &a.Estimate.Services[i], &e.Lines[i]
		owes := "not decided"
		if l.Decided != nil {
			owes = l.Decided.Patient.Dollars()
		}
		fmt.Fprintf(&b, "\n%s, %s: the patient owes %s, estimated %s\n", s.Code, s.Name(), owes, patientPays(r.Least, r.Most))
		for _, text := range l.Because {
			fmt.Fprintf(&b, "  %s\n", oneLine(text))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
