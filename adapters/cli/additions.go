package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/additions"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/intake"
)

func addToCheck(b Backend) *cobra.Command {
	var in intake.AdditionsRequest
	var id, person, reference string
	var values []string
	c := b.Additions.scoped(&cobra.Command{
		Use: "add", Short: "Add to a check what the payer said otherwise", Args: cobra.NoArgs,
		Long: "Adds values to an answered check, which the payer said by phone, on its portal or in a letter. The answer stays as it is.\n\n" +
			"Each --value is PATH=VALUE: the path in the check, and a value of its type, as JSON has it. Text needs no quotes, and an amount does.\n" +
			"A mistake is struck with molar eligibility strike.",
		Example: "  molar eligibility add --org org_... --mode test --check elg_... --source phone --on 2026-01-02 --person Dana --reference 4711 " +
			"--value coverage.implants.percent_paid=50 --value 'plan_rules.missing_tooth_clause=Applies for 12 months'",
	}, func(c *cobra.Command, s *additions.Service, scope billing.Scope) error {
		check, err := checkID(id)
		if err != nil {
			return err
		}
		in.Person, in.Reference = givenFlag(c, "person", &person), givenFlag(c, "reference", &reference)
		for _, text := range values {
			path, value, _ := strings.Cut(text, "=")
			in.Values = append(in.Values, intake.AdditionInput{Path: path, Value: jsonOrText(value)})
		}
		return printed(c)(s.Add(c.Context(), administration(c, scope, additionsText), check, in))
	})
	flags := c.Flags()
	flags.StringVar(&id, "check", "", "answered check (elg_...)")
	flags.StringArrayVar(&values, "value", nil, "a value: PATH=VALUE; again for each")
	flags.StringVar(&in.Source, "source", "", "phone, portal or letter")
	flags.StringVar(&in.On, "on", "", "the day on which the payer said it (YYYY-MM-DD)")
	flags.StringVar(&person, "person", "", "who said it")
	flags.StringVar(&reference, "reference", "", "reference number of the call or the letter")
	for _, name := range []string{"check", "value", "source", "on"} {
		_ = c.MarkFlagRequired(name)
	}
	return c
}

func strikeAddition(b Backend) *cobra.Command {
	var id string
	var number int
	c := b.Additions.scoped(&cobra.Command{
		Use: "strike", Short: "Strike an addition to a check", Args: cobra.NoArgs,
		Long:    "Takes an addition back. It stays in the list as struck, and no longer counts.",
		Example: "  molar eligibility strike --org org_... --mode test --check elg_... --number 1",
	}, func(c *cobra.Command, s *additions.Service, scope billing.Scope) error {
		check, err := checkID(id)
		if err != nil {
			return err
		}
		return printed(c)(s.Strike(c.Context(), administration(c, scope, additionsText), check, number))
	})
	c.Flags().StringVar(&id, "check", "", "check (elg_...) that it was added to")
	c.Flags().IntVar(&number, "number", 0, "number of the addition")
	_ = c.MarkFlagRequired("check")
	_ = c.MarkFlagRequired("number")
	return c
}

func checkID(text string) (billing.CheckID, error) {
	id, err := billing.ParseID[billing.CheckID](text)
	if err != nil {
		return id, fmt.Errorf("%q is not an elg_ ID", text)
	}
	return id, nil
}

// jsonOrText returns what a flag has as JSON: as it is, or as a text.
func jsonOrText(value string) []byte {
	if json.Valid([]byte(value)) {
		return []byte(value)
	}
	text, _ := json.Marshal(value)
	return text
}

// additionsText returns the additions of a check, one a line.
func additionsText(c *coverage.Amended) string {
	var b strings.Builder
	fmt.Fprintln(&b, c.ID)
	for _, p := range c.Additions {
		d := p.Data()
		fmt.Fprintf(&b, "%d  %s = %s  (%s, %s)", d.Number, d.Path, oneLine(string(d.Value)), d.Source, d.On)
		if d.EligibilityID != c.ID {
			fmt.Fprintf(&b, "  from %s", d.EligibilityID)
		}
		if d.Contradicts {
			b.WriteString("  the payer returned another value")
		}
		if d.StruckAt != nil {
			b.WriteString("  struck")
		}
		b.WriteString("\n")
	}
	return b.String()
}
