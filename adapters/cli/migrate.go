package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
)

// MigrationStep is a migration of this release.
type MigrationStep struct {
	Number  int64
	Name    string
	Applied bool
	Stops   bool // releases before it do not work with the schema after it
}

func migrate(b Backend) *cobra.Command {
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database schema up to date",
		Long: "Brings the schema of MOLAR_DATABASE_URL up to date. You can run it at any time, even twice at once, beside the service.\n" +
			"molar migrate plan lists the steps that are missing, and those that earlier releases do not work with: their\n" +
			"processes stop working by themselves and say so in /readyz. A process of this release waits for the schema.\n\n" +
			"It records in a new database which MOLAR_SECRET_KEY belongs to it. Every process of the service then needs the same key.",
		Example: "  molar migrate plan\n  molar migrate",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := b.Migrate(c.Context()); err != nil {
				return err
			}
			return say(c, "The schema is up to date.")
		},
	}
	c.AddCommand(
		onSteps(b, &cobra.Command{
			Use: "status", Short: "Show which step the database has", Long: "Shows which step the schema of MOLAR_DATABASE_URL has, and how many of this release are missing.",
		}, printStatus),
		onSteps(b, &cobra.Command{
			Use: "plan", Short: "List the steps that molar migrate would run", Long: "Lists the steps that molar migrate would run now, and which of them stop earlier releases. It changes nothing.",
		}, printPlan),
	)
	return c
}

// onSteps completes a command that prints the steps.
func onSteps(b Backend, c *cobra.Command, show func(io.Writer, []MigrationStep) error) *cobra.Command {
	c.Example, c.Args = "  molar migrate "+c.Use, cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error {
		steps, err := b.Steps(c.Context())
		if err != nil {
			return err
		}
		return show(c.OutOrStdout(), steps)
	}
	return c
}

func missing(steps []MigrationStep) []MigrationStep {
	return slices.DeleteFunc(slices.Clone(steps), func(s MigrationStep) bool { return s.Applied })
}

func printStatus(w io.Writer, steps []MigrationStep) error {
	have, left := int64(0), missing(steps)
	for _, s := range steps {
		if s.Applied {
			have = s.Number
		}
	}
	_, err := fmt.Fprintf(w, "The database is at step %d of %d.\n", have, steps[len(steps)-1].Number)
	if err == nil && len(left) > 0 {
		_, err = fmt.Fprintf(w, "Missing steps: %d. molar migrate plan lists them, molar migrate runs them.\n", len(left))
	}
	return err
}

func printPlan(w io.Writer, steps []MigrationStep) error {
	left := missing(steps)
	if len(left) == 0 {
		_, err := fmt.Fprintln(w, "The schema is up to date. Nothing would run.")
		return err
	}
	for _, s := range left {
		note := ""
		if s.Stops {
			note = "; earlier releases stop working here"
		}
		if _, err := fmt.Fprintf(w, "%4d  %s%s\n", s.Number, s.Name, note); err != nil {
			return err
		}
	}
	return nil
}
