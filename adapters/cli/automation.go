package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/automation"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/remittances"
)

// automationCommands show and set what is done with remittances without a person.
func automationCommands(b Backend) *cobra.Command {
	return group("automation", "What is done with remittances without a person", showAutomation(b), setAutomation(b))
}

func showAutomation(b Backend) *cobra.Command {
	return b.Remittances.scoped(&cobra.Command{
		Use: "show", Short: "Show what is done with remittances without a person", Args: cobra.NoArgs,
		Example: "  molar automation show --org org_... --mode test",
	}, func(c *cobra.Command, s *remittances.Service, scope billing.Scope) error {
		set, err := s.Automation(c.Context(), scope)
		if err != nil {
			return err
		}
		return say(c, "%s", automationText(set))
	})
}

func setAutomation(b Backend) *cobra.Command {
	var payers []string
	var in intake.AutomationRequest
	c := b.Remittances.scoped(&cobra.Command{
		Use: "set LEVEL", Short: "Set what is done with remittances without a person", Args: oneOf("level", "review, exceptions and automatic"),
		Long: "Sets the level for all payers, and for those of --payer another one. It replaces what was set before.\n\n" +
			"  review      a person posts every remittance\n" +
			"  exceptions  Molar posts a remittance that balances, whose claims are all applied without a warning, a review or\n" +
			"              a person, and that has no provider adjustment and no reversal\n" +
			"  automatic   Molar also reconciles its settled claims, once its deposits are matched, or at once if none is expected",
		Example: "  molar automation set --org org_... --mode test exceptions --payer CHTEST=automatic",
	}, func(c *cobra.Command, s *remittances.Service, scope billing.Scope) error {
		in.Level = c.Flags().Arg(0)
		for _, text := range payers {
			payer, level, found := strings.Cut(text, "=")
			if !found {
				return fmt.Errorf("--payer %q is not PAYER=LEVEL; write for example --payer CHTEST=review", text)
			}
			in.Payers = append(in.Payers, intake.AutomationPayer{PayerID: payer, Level: level})
		}
		return printed(c)(s.PutAutomation(c.Context(), administration(c, scope, automationText), in))
	})
	c.Flags().StringArrayVar(&payers, "payer", nil, "PAYER=LEVEL, with a payer ID such as CHTEST; again for each")
	return c
}

// automationText says what is done without a person.
func automationText(s *automation.Settings) string {
	text := "All payers: " + string(s.Level)
	if len(s.Payers) > 0 {
		text = "All other payers: " + string(s.Level)
	}
	for _, p := range s.Payers {
		text += fmt.Sprintf("\n%s (%s): %s", p.Payer.Name, p.Payer.PayerID, p.Level)
	}
	return text
}
