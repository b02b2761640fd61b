package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// explainUsage makes the command and its subcommands explain their usage when
// they are called incorrectly.
func explainUsage(root *cobra.Command) {
	root.Args, root.RunE = onlyCommands, help
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return needed(c) }
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if args := c.Flags().Args(); len(args) > 0 && c.HasSubCommands() {
			return onlyCommands(c, args) // the unknown word is the command, not the flag
		}
		return fmt.Errorf("%w; see: %s --help", err, c.CommandPath())
	})
}

// help runs a command that has only subcommands.
func help(c *cobra.Command, _ []string) error { return c.Help() }

// onlyCommands accepts no argument for a command that has subcommands.
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

// needed checks the required flags. If the organization is missing, the error says
// how to list organizations.
func needed(c *cobra.Command) error {
	err := c.ValidateRequiredFlags()
	if org := c.Flags().Lookup("org"); err != nil && org != nil && !org.Changed {
		return fmt.Errorf("--org is not set: %s", org.Usage)
	}
	return err
}

// exactlyOne accepts exactly one argument. For any other number it returns an
// error with the message.
func exactlyOne(message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return errors.New(message)
	}
}

// oneOf accepts exactly one argument. The command list prints the possible
// values.
func oneOf(what, list string) cobra.PositionalArgs {
	return exactlyOne("name one " + what + "; " + list + " lists them")
}
