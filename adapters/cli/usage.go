package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// explainUsage has the command, and all below it, say what to do when they are
// called in the wrong way.
func explainUsage(root *cobra.Command) {
	root.Args, root.RunE = onlyCommands, help
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return needed(c) }
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if args := c.Flags().Args(); len(args) > 0 && c.HasSubCommands() {
			return onlyCommands(c, args) // what is not known is the command of the flag
		}
		return fmt.Errorf("%w; see: %s --help", err, c.CommandPath())
	})
}

// help is what a command does that only has others below it.
func help(c *cobra.Command, _ []string) error { return c.Help() }

// onlyCommands wants no argument of a command that has others below it.
func onlyCommands(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	return fmt.Errorf("%s has no command %q; it has: %s", c.CommandPath(), args[0], strings.Join(names, ", "))
}

// needed wants the flags that a command cannot do without, and says of the
// organization where to find it.
func needed(c *cobra.Command) error {
	err := c.ValidateRequiredFlags()
	if org := c.Flags().Lookup("org"); err != nil && org != nil && !org.Changed {
		return fmt.Errorf("--org is not set: %s", org.Usage)
	}
	return err
}

// wanting wants one argument, and says what it is about otherwise.
func exactlyOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return errors.New(what)
	}
}

// naming wants one argument, of what the list shows.
func oneOf(what, list string) cobra.PositionalArgs {
	return exactlyOne("name one " + what + "; " + list + " lists them")
}
