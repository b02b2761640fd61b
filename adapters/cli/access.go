package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/intake"
)

func orgs(b Backend) *cobra.Command {
	create := &cobra.Command{
		Use: "create NAME", Short: "Create an organization", Example: "  molar orgs create 'Smile Dental'",
		Args: exactlyOne("name one organization, in quotes, such as: molar orgs create 'Smile Dental'"),
		RunE: b.Access.run(func(c *cobra.Command, s *access.Service, args []string) error {
			o, err := s.CreateOrganization(c.Context(), args[0])
			if err != nil {
				return err
			}
			return say(c, "%s", o.ID)
		}),
	}
	all := &cobra.Command{
		Use: "list", Short: "List the organizations", Args: cobra.NoArgs,
		RunE: b.Access.run(func(c *cobra.Command, s *access.Service, _ []string) error {
			all, err := s.ListOrganizations(c.Context())
			if err != nil {
				return err
			}
			return list(c, "", "ID\tNAME\tCREATED\tSECOND FACTOR", all, func(o *caller.Organization) []any {
				totp := "-"
				if o.RequireTOTP {
					totp = "required"
				}
				return []any{o.ID, o.Name, event.Timestamp(o.CreatedAt), totp}
			})
		}),
	}
	return group("orgs", "Organizations", create, all, exportOrg(b), deleteOrg(b), deletedOrgs(b))
}

// scopeFlags are the flags of a scope.
type scopeFlags struct{ org, mode string }

func (f *scopeFlags) on(c *cobra.Command) {
	c.Flags().StringVar(&f.org, "org", "", "organization (org_...), see: molar orgs list")
	c.Flags().StringVar(&f.mode, "mode", "test", "test or live")
	_ = c.MarkFlagRequired("org")
}

func (f *scopeFlags) scope() (billing.Scope, error) {
	org, err := parseOrg(f.org)
	if err != nil {
		return billing.Scope{}, err
	}
	mode := billing.Mode(f.mode)
	if mode != billing.ModeTest && mode != billing.ModeLive {
		return billing.Scope{}, fmt.Errorf("--mode %q is neither test nor live", f.mode)
	}
	return billing.Scope{Org: org, Mode: mode}, nil
}

func parseOrg(flag string) (billing.OrgID, error) {
	org, err := billing.ParseID[billing.OrgID](flag)
	if err != nil {
		return org, fmt.Errorf("--org %q is not an org_ ID; list them with: molar orgs list", flag)
	}
	return org, nil
}

// printed prints the reply of a use case on one line.
func printed(c *cobra.Command) func(caller.Reply, error) error {
	return func(r caller.Reply, err error) error {
		if err != nil {
			return err
		}
		return say(c, "%s", r.Body)
	}
}

func providers(b Backend) *cobra.Command {
	var in intake.ProviderRequest
	create := b.Access.scoped(&cobra.Command{
		Use: "create", Short: "Create a provider", Args: cobra.NoArgs,
		Example: "  molar providers create --org org_... --mode test --first-name Ann --last-name Lee --npi 1234567893",
	}, func(c *cobra.Command, s *access.Service, scope billing.Scope) error {
		show := func(p *directory.Provider) string { return p.ID.String() }
		return printed(c)(s.CreateProvider(c.Context(), administration(c, scope, show), in))
	})
	create.Flags().StringVar(&in.FirstName, "first-name", "", "first name")
	create.Flags().StringVar(&in.LastName, "last-name", "", "last name")
	create.Flags().StringVar(&in.NPI, "npi", "", "national provider identifier, ten digits")
	create.Flags().StringVar(&in.Taxonomy, "taxonomy", intake.DefaultTaxonomy, "taxonomy code of the provider's specialty")
	return group("providers", "Providers", create)
}

func keys(b Backend) *cobra.Command {
	var in intake.KeyRequest
	var lasts time.Duration
	create := b.Access.scoped(&cobra.Command{
		Use: "create", Short: "Create an API key and print its secret, once", Args: cobra.NoArgs,
		Example: "  molar keys create --org org_... --mode test --name 'front desk' --permissions read,submit",
	}, func(c *cobra.Command, s *access.Service, scope billing.Scope) error {
		in.Mode = string(scope.Mode)
		if c.Flags().Changed("expires-in") {
			in.ExpiresAt = time.Now().Add(lasts)
		}
		show := func(i access.Issued) string { return i.Key.ID.String() + "\n" + i.Secret }
		return printed(c)(s.CreateKey(c.Context(), administration(c, scope, show), in))
	})
	create.Flags().StringVar(&in.Name, "name", "", "what the key is for")
	create.Flags().StringSliceVar(&in.Permissions, "permissions", []string{"read", "submit"}, "read, submit or both")
	create.Flags().DurationVar(&lasts, "expires-in", 0, "how long the key works, such as 2160h for 90 days; without it, until it is revoked")
	create.Flags().StringSliceVar(&in.AllowedAddresses, "allow", nil, "CIDRs from which the key works, such as 203.0.113.0/24; without it, from everywhere")

	revoke := &cobra.Command{
		Use: "revoke KEY_ID", Short: "Revoke an API key; it stops working within two seconds",
		Args: oneOf("key (key_...)", "molar keys list --org org_..."),
		RunE: b.Access.run(func(c *cobra.Command, s *access.Service, args []string) error {
			id, err := billing.ParseID[billing.KeyID](args[0])
			if err != nil {
				return fmt.Errorf("%q is not a key_ ID; molar keys list --org org_... lists them", args[0])
			}
			k, err := s.FindKey(c.Context(), id)
			if err != nil {
				return err
			}
			show := func(k *caller.APIKey) string {
				return fmt.Sprintf("%s revoked at %s", k.ID, event.Timestamp(k.RevokedAt))
			}
			return printed(c)(s.RevokeKey(c.Context(), administration(c, k.Scope, show), id))
		}),
	}

	var org string
	all := &cobra.Command{
		Use: "list", Short: "List the API keys of an organization", Args: cobra.NoArgs,
		RunE: b.Access.run(func(c *cobra.Command, s *access.Service, _ []string) error {
			id, err := parseOrg(org)
			if err != nil {
				return err
			}
			if _, err := s.GetOrganization(c.Context(), id); err != nil {
				return err
			}
			all, err := every(func(p billing.Page) ([]*caller.APIKey, *billing.Position, error) {
				return s.ListKeys(c.Context(), billing.Scope{Org: id, Mode: billing.ModeTest}, p)
			})
			if err != nil {
				return err
			}
			return list(c, "", "ID\tNAME\tMODE\tPERMISSIONS\tENDS IN\tSTATUS\tWORKS FROM\tCREATED BY\tLAST USED", all, keyRow)
		}),
	}
	all.Flags().StringVar(&org, "org", "", "organization (org_...), see: molar orgs list")
	_ = all.MarkFlagRequired("org")
	return group("keys", "API keys", create, revoke, all)
}

func keyRow(k *caller.APIKey) []any {
	status := "good"
	switch {
	case !k.RevokedAt.IsZero():
		status = "revoked " + event.Timestamp(k.RevokedAt)
	case !k.Works(time.Now()):
		status = "expired " + event.Timestamp(k.ExpiresAt)
	case !k.ExpiresAt.IsZero():
		status = "good until " + event.Timestamp(k.ExpiresAt)
	}
	from, by, used := "everywhere", "operator", "never"
	if len(k.AllowedAddresses) > 0 {
		from = strings.Trim(fmt.Sprint(k.AllowedAddresses), "[]")
	}
	if !k.CreatedBy.IsZero() {
		by = k.CreatedBy.String()
	}
	if !k.LastUsedAt.IsZero() {
		used = event.Timestamp(k.LastUsedAt) + " from " + k.LastUsedFrom
	}
	return []any{k.ID, k.Name, k.Scope.Mode, joined(k.Permissions, ","), "…" + k.LastFour, status, from, by, used}
}
