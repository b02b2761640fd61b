package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/estimates"
	"github.com/molar-billing/molar/core/intake"
)

// estimateCommands tell what patients will pay.
func estimateCommands(b Backend) *cobra.Command {
	return group("estimates", "Estimates: what patients will pay", createEstimate(b), listEstimates(b), showEstimate(b), estimateAccuracy(b))
}

func createEstimate(b Backend) *cobra.Command {
	var in intake.EstimateRequest
	var network, second, coordination string
	var services []string
	var preview bool
	c := b.Estimates.scoped(&cobra.Command{
		Use: "create", Short: "Estimate what a patient pays for services", Args: cobra.NoArgs,
		Long: "Computes what a patient pays for services, from the answer of a completed check, stores it, and prints it with its steps.\n\n" +
			"Each --line is a procedure, with your fee and what the plan allows if no fee schedule has them, and with the tooth: CODE[:FEE[:ALLOWED]][@TOOTH].\n" +
			"The lines use what is left of the benefits in their order.",
		Example: "  molar estimates create --org org_... --mode test --check elg_... --network in --line D1110:104.00 --line D2740:1250.00:890.00@14",
	}, func(c *cobra.Command, s *estimates.Service, scope billing.Scope) error {
		in.Network, in.SecondaryEligibilityID, in.Coordination = givenFlag(c, "network", &network), givenFlag(c, "second-check", &second), givenFlag(c, "coordination", &coordination)
		in.Lines = []intake.EstimateLineInput{}
		for _, text := range services {
			in.Lines = append(in.Lines, estimateLine(text))
		}
		asked, faults := in.Estimate()
		if preview {
			r, err := s.Preview(c.Context(), scope, asked, faults)
			if err != nil {
				return err
			}
			return say(c, "%s", estimateText(r))
		}
		return printed(c)(s.Make(c.Context(), administration(c, scope, estimateText), asked, faults))
	})
	flags := c.Flags()
	flags.StringVar(&in.EligibilityID, "check", "", "completed check (elg_...) of the plan")
	flags.StringArrayVar(&services, "line", nil, "a service: CODE[:FEE[:ALLOWED]][@TOOTH]; again for each")
	flags.StringVar(&network, "network", "", "in or out of the plan's network (default: what the payer says)")
	flags.StringVar(&second, "second-check", "", "completed check (elg_...) of the plan that pays second")
	flags.StringVar(&coordination, "coordination", "", "standard, basic, carve_out or non_duplication (default: standard)")
	flags.BoolVar(&preview, "preview", false, "store nothing")
	_ = c.MarkFlagRequired("check")
	_ = c.MarkFlagRequired("line")
	return c
}

// estimateLine reads a service as a flag has it.
func estimateLine(text string) (in intake.EstimateLineInput) {
	text, tooth, atTooth := strings.Cut(text, "@")
	if atTooth {
		in.Tooth = &tooth
	}
	parts := strings.SplitN(text, ":", 3)
	in.ProcedureCode = strings.ToUpper(parts[0])
	if len(parts) > 1 && parts[1] != "" {
		in.Fee = &parts[1]
	}
	if len(parts) > 2 {
		in.Allowed = &parts[2]
	}
	return in
}

func listEstimates(b Backend) *cobra.Command {
	var patient, check string
	c := b.Estimates.scoped(&cobra.Command{
		Use: "list", Short: "List the estimates of an organization in a mode", Args: cobra.NoArgs,
		Example: "  molar estimates list --org org_... --mode test",
	}, func(c *cobra.Command, s *estimates.Service, scope billing.Scope) (err error) {
		var f estimate.Filter
		if patient != "" {
			if f.PatientID, err = billing.ParseID[billing.PatientID](patient); err != nil {
				return fmt.Errorf("%q is not a pat_ ID", patient)
			}
		}
		if check != "" {
			if f.CheckID, err = billing.ParseID[billing.CheckID](check); err != nil {
				return fmt.Errorf("%q is not an elg_ ID", check)
			}
		}
		all, err := every(func(p billing.Page) ([]*estimate.Record, *billing.Position, error) {
			return s.List(c.Context(), scope, f, p)
		})
		if err != nil {
			return err
		}
		return list(c, "", "ID\tPATIENT\tPAYER\tLINES\tFEE\tPATIENT PAYS\tCREATED", all, func(r *estimate.Record) []any {
			return []any{r.ID, r.PatientID, r.Payer.PayerID, len(r.Services), r.Estimate.Least.Fee, patientPays(r.Estimate.Least, r.Estimate.Most), event.Timestamp(r.CreatedAt)}
		})
	})
	c.Flags().StringVar(&patient, "patient", "", "only those of a patient (pat_...)")
	c.Flags().StringVar(&check, "check", "", "only those from a check (elg_...)")
	return c
}

func showEstimate(b Backend) *cobra.Command {
	var id string
	c := b.Estimates.scoped(&cobra.Command{
		Use: "show", Short: "Print an estimate with its steps", Args: cobra.NoArgs,
		Example: "  molar estimates show --org org_... --mode test --id est_...",
	}, func(c *cobra.Command, s *estimates.Service, scope billing.Scope) error {
		which, err := billing.ParseID[billing.EstimateID](id)
		if err != nil {
			return fmt.Errorf("%q is not an est_ ID; molar estimates list --org %s --mode %s lists them", id, scope.Org, scope.Mode)
		}
		r, err := s.Get(c.Context(), scope, which)
		if err != nil {
			return err
		}
		return say(c, "%s", estimateText(r))
	})
	c.Flags().StringVar(&id, "id", "", "estimate (est_...), see: molar estimates list")
	_ = c.MarkFlagRequired("id")
	return c
}

// estimateText returns an estimate with the steps of each line.
func estimateText(r *estimate.Record) string {
	var b strings.Builder
	if !r.ID.IsZero() {
		fmt.Fprintln(&b, r.ID)
	}
	for i := range r.Services {
		s, l := &r.Services[i], &r.Estimate.Lines[i]
		place := ""
		if s.Tooth != "" {
			place = ", tooth " + s.Tooth
		}
		fmt.Fprintf(&b, "\n%s%s on %s: the patient pays %s\n", s.Code, place, s.ServiceDate, patientPays(l.Least, l.Most))
		for _, step := range l.Because {
			fmt.Fprintf(&b, "  %s\n", oneLine(step.Text))
		}
		for _, u := range l.Unless {
			fmt.Fprintf(&b, "  If %s, the patient pays %s.\n", oneLine(u.Text), u.PatientPays)
		}
		for _, text := range append(l.Warnings, l.Uncertain...) {
			fmt.Fprintf(&b, "  Note: %s\n", oneLine(text))
		}
	}
	fmt.Fprintf(&b, "\nIn all the patient pays %s of %s. This is an estimate: the payer decides when it has the claim.\n",
		patientPays(r.Estimate.Least, r.Estimate.Most), r.Estimate.Least.Fee.Dollars())
	for _, text := range r.Estimate.Uncertain {
		fmt.Fprintf(&b, "Note: %s\n", oneLine(text))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func patientPays(least, most estimate.Scenario) string {
	return estimate.Range{Least: least.PatientPays, Most: most.PatientPays}.String()
}
