package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
)

// userFlags select a user and the origin of links.
type userFlags struct{ org, origin string }

func (f *userFlags) onOrg(c *cobra.Command, required bool) {
	c.Flags().StringVar(&f.org, "org", "", "organization (org_...), see: molar orgs list")
	if required {
		_ = c.MarkFlagRequired("org")
	}
}

func (f *userFlags) onOrigin(c *cobra.Command) {
	c.Flags().StringVar(&f.origin, "origin", "", "origin of the link, such as https://molar.example (default: that of the service that started last)")
}

// users manages the people who sign in.
func users(b Backend) *cobra.Command {
	return group("users", "People who sign in", inviteUser(b), listUsers(b), disableUser(b), resetUser(b), linkUser(b))
}

func inviteUser(b Backend) *cobra.Command {
	var f userFlags
	var role, name string
	c := &cobra.Command{
		Use: "invite EMAIL", Short: "Invite a person, and print the sign-in link, which works once within 48 hours",
		Example: "  molar users invite ann@example.com --org org_... --role owner",
		Args:    exactlyOne("name one email address, such as: molar users invite ann@example.com --org org_... --role owner"),
		RunE: b.Access.run(func(c *cobra.Command, s *access.Service, args []string) error {
			org, err := parseOrg(f.org)
			if err != nil {
				return err
			}
			return f.offer(c, s, org, func(call idempotency.Write[access.Invited]) (caller.Reply, error) {
				return s.InviteUser(c.Context(), call, args[0], name, caller.Role(role))
			})
		}),
	}
	f.onOrg(c, true)
	f.onOrigin(c)
	c.Flags().StringVar(&role, "role", string(caller.RoleBiller), "owner, biller or viewer")
	c.Flags().StringVar(&name, "name", "", "name of the person, which the person can change")
	return c
}

func listUsers(b Backend) *cobra.Command {
	var f userFlags
	c := &cobra.Command{
		Use: "list", Short: "List the users of an organization", Args: cobra.NoArgs,
		RunE: b.Access.run(func(c *cobra.Command, s *access.Service, _ []string) error {
			org, err := parseOrg(f.org)
			if err != nil {
				return err
			}
			all, err := every(func(p billing.Page) ([]*caller.User, *billing.Position, error) {
				return s.ListUsers(c.Context(), billing.Scope{Org: org, Mode: billing.ModeTest}, p)
			})
			if err != nil {
				return err
			}
			return list(c, "", "ID\tEMAIL\tNAME\tROLE\tSTATE\tSIGNED IN", all, func(u *caller.User) []any {
				return []any{u.ID, u.Email, cmp.Or(u.Name, "-"), u.Role, u.State, timeOrDash(u.SignedInAt)}
			})
		}),
	}
	f.onOrg(c, true)
	return c
}

const nameOneUser = "name one email address; molar users list --org org_... lists them"

func disableUser(b Backend) *cobra.Command {
	var f userFlags
	c := &cobra.Command{
		Use: "disable EMAIL", Short: "Disable a user, whose sessions end within two seconds", Args: exactlyOne(nameOneUser),
		RunE: b.Access.run(func(c *cobra.Command, s *access.Service, args []string) error {
			u, err := f.user(c.Context(), s, args[0])
			if err != nil {
				return err
			}
			show := func(d access.Changed) string {
				lines := []string{fmt.Sprintf("%s %s is disabled.", d.User.ID, d.User.Email)}
				for _, k := range d.Keys {
					lines = append(lines, fmt.Sprintf("The API key %s, which this user made, still works. To end it: molar keys revoke %s", k.Name, k.ID))
				}
				return strings.Join(lines, "\n")
			}
			call := administration(c, billing.Scope{Org: u.Org, Mode: billing.ModeTest}, show)
			return printed(c)(s.ChangeUser(c.Context(), call, u.ID, caller.UserChange{State: caller.UserDisabled}))
		}),
	}
	f.onOrg(c, false)
	return c
}

func resetUser(b Backend) *cobra.Command {
	c := userLink(b, "reset EMAIL", "Remove the password and the second factor of a user, and print a sign-in link", (*access.Service).ResetUser)
	c.Long = "Removes the password and the second factor of a user, such as one whose phone is lost, and prints a sign-in link,\n" +
		"which works once within 10 minutes. Where the organization requires a second factor, it leads to a new one."
	c.Example = "  molar users reset ann@example.com"
	return c
}

func linkUser(b Backend) *cobra.Command {
	c := userLink(b, "link EMAIL", "Print a sign-in link for a user, which works once within 10 minutes", (*access.Service).LinkUser)
	c.Long = "Prints a sign-in link for a user, which works once within 10 minutes. Where the organization requires a second factor,\n" +
		"it leads to a new one, which needs the password. For a user without a password, run molar users reset."
	c.Example = "  molar users link ann@example.com"
	return c
}

// userLink is a command that prints a link for an existing user.
func userLink(
	b Backend, use, short string,
	offer func(*access.Service, context.Context, idempotency.Write[access.Invited], billing.UserID) (caller.Reply, error),
) *cobra.Command {
	var f userFlags
	c := &cobra.Command{
		Use: use, Short: short, Args: exactlyOne(nameOneUser),
		RunE: b.Access.run(func(c *cobra.Command, s *access.Service, args []string) error {
			u, err := f.user(c.Context(), s, args[0])
			if err != nil {
				return err
			}
			return f.offer(c, s, u.Org, func(call idempotency.Write[access.Invited]) (caller.Reply, error) {
				return offer(s, c.Context(), call, u.ID)
			})
		}),
	}
	f.onOrg(c, false)
	f.onOrigin(c)
	return c
}

// offer prints the link that a use case creates.
func (f *userFlags) offer(
	c *cobra.Command, s *access.Service, org billing.OrgID, create func(idempotency.Write[access.Invited]) (caller.Reply, error),
) error {
	origin := strings.TrimSuffix(f.origin, "/")
	if origin == "" {
		var err error
		if origin, err = s.Origin(c.Context()); err != nil {
			return err
		}
	}
	if origin == "" {
		return errors.New("no service has started yet: name the origin of the link, such as --origin https://molar.example")
	}
	show := func(i access.Invited) string { return origin + caller.SignInPath(i.Token) }
	return printed(c)(create(administration(c, billing.Scope{Org: org, Mode: billing.ModeTest}, show)))
}

// user returns the user with the email address. With users in several
// organizations, --org selects one.
func (f *userFlags) user(ctx context.Context, s *access.Service, email string) (*caller.User, error) {
	found, err := s.FindUsers(ctx, email)
	if err != nil {
		return nil, err
	}
	if f.org != "" {
		org, err := parseOrg(f.org)
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(found, func(u *caller.User) bool { return u.Org != org })
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no user has the address %s; molar users list --org org_... lists them", email)
	case 1:
		return found[0], nil
	}
	var orgs []string
	for _, u := range found {
		orgs = append(orgs, u.Org.String())
	}
	return nil, fmt.Errorf("%s has users in several organizations; choose one with --org: %s", email, strings.Join(orgs, ", "))
}
