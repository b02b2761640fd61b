package cli

import (
	"fmt"
	"os/user"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
)

func orgs(b Backend) *cobra.Command {
	create := &cobra.Command{
		Use: "create NAME", Short: "Create an organization", Example: "  molar orgs create 'Smile Dental'",
		Args: exactlyOne("name one organization, in quotes, such as: molar orgs create 'Smile Dental'"),
		RunE: withAccess(b, func(c *cobra.Command, s *access.Service, args []string) error {
			o, err := s.CreateOrganization(c.Context(), args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), o.ID)
			return err
		}),
	}
	list := &cobra.Command{
		Use: "list", Short: "List the organizations", Args: cobra.NoArgs,
		RunE: withAccess(b, func(c *cobra.Command, s *access.Service, _ []string) error {
			all, err := s.ListOrganizations(c.Context())
			if err != nil {
				return err
			}
			var rows []string
			for _, o := range all {
				rows = append(rows, fmt.Sprintf("%s\t%s\t%s", o.ID, o.Name, billing.Timestamp(o.CreatedAt)))
			}
			return table(c, "ID\tNAME\tCREATED", rows)
		}),
	}
	return group("orgs", "Organizations", create, list)
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

// operator returns the account on this machine that runs the command.
func operator() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

// printed prints the reply of a use case on one line.
func printed(c *cobra.Command) func(billing.Reply, error) error {
	return func(r billing.Reply, err error) error {
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s\n", r.Body)
		return err
	}
}

func offices(b Backend) *cobra.Command {
	var f scopeFlags
	var in intake.OfficeRequest
	var address intake.AddressInput
	create := &cobra.Command{
		Use: "create", Short: "Create an office", Args: cobra.NoArgs,
		Example: "  molar offices create --org org_... --mode test --name 'Main Street' --npi 1234567893 --time-zone America/Chicago",
		RunE: withAccess(b, func(c *cobra.Command, s *access.Service, _ []string) error {
			scope, err := f.scope()
			if err != nil {
				return err
			}
			if address != (intake.AddressInput{}) {
				in.Address = &address
			}
			show := func(o *billing.Office) string { return o.ID.String() }
			return printed(c)(s.CreateOffice(c.Context(), idempotency.Administration(scope, operator(), show), in))
		}),
	}
	f.on(create)
	create.Flags().StringVar(&in.Name, "name", "", "name")
	create.Flags().StringVar(&in.NPI, "npi", "", "national provider identifier, ten digits")
	create.Flags().StringVar(&in.TaxID, "tax-id", "", "tax ID, nine digits")
	in.TimeZone = create.Flags().String("time-zone", intake.DefaultTimeZone, "IANA time zone")
	create.Flags().StringVar(&in.Phone, "phone", "", "telephone number")
	create.Flags().StringVar(&address.Line1, "line1", "", "first line of the address")
	create.Flags().StringVar(&address.Line2, "line2", "", "second line of the address")
	create.Flags().StringVar(&address.City, "city", "", "city")
	create.Flags().StringVar(&address.State, "state", "", "state, two letters")
	create.Flags().StringVar(&address.ZIP, "zip", "", "ZIP code, 5 or 9 digits")

	var lf scopeFlags
	list := &cobra.Command{
		Use: "list", Short: "List the offices of an organization in a mode", Args: cobra.NoArgs,
		RunE: withAccess(b, func(c *cobra.Command, s *access.Service, _ []string) error {
			scope, err := lf.scope()
			if err != nil {
				return err
			}
			var rows []string
			for p := (billing.Page{Limit: billing.MaxPageLimit}); ; {
				page, next, err := s.ListOffices(c.Context(), scope, p)
				if err != nil {
					return err
				}
				for _, o := range page {
					verified := "-"
					if !o.VerifiedAt.IsZero() {
						verified = billing.Timestamp(o.VerifiedAt)
					}
					rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s\t%s", o.ID, o.Name, o.NPI, o.TimeZone, verified))
				}
				if p.After = next; next == nil {
					break
				}
			}
			return table(c, "ID\tNAME\tNPI\tTIME ZONE\tVERIFIED", rows)
		}),
	}
	lf.on(list)
	verify := &cobra.Command{
		Use: "verify OFFICE_ID", Short: "Record that an office is the practice with its NPI and tax ID",
		Long: "Records that an office is the practice with its NPI and tax ID.\n\n" +
			"Anyone can look up an NPI, so only verified offices receive remittances and payer requests from outside.\n" +
			"Check the practice's letter from the IRS and its NPPES record first. Test offices are verified when they are created.",
		Args: oneOf("office (off_...)", "molar offices list --org org_... --mode live"),
		RunE: withAccess(b, func(c *cobra.Command, s *access.Service, args []string) error {
			id, err := billing.ParseID[billing.OfficeID](args[0])
			if err != nil {
				return fmt.Errorf("%q is not an off_ ID; molar offices list --org org_... --mode live lists them", args[0])
			}
			o, err := s.VerifyOffice(c.Context(), id)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s verified at %s: %s, NPI %s, of %s in %s mode\n",
				o.ID, billing.Timestamp(o.VerifiedAt), o.Name, o.NPI, o.Scope.Org, o.Scope.Mode)
			return err
		}),
	}
	return group("offices", "Offices", create, list, verify)
}

func providers(b Backend) *cobra.Command {
	var f scopeFlags
	var in intake.ProviderRequest
	create := &cobra.Command{
		Use: "create", Short: "Create a provider", Args: cobra.NoArgs,
		Example: "  molar providers create --org org_... --mode test --first-name Ann --last-name Lee --npi 1234567893",
		RunE: withAccess(b, func(c *cobra.Command, s *access.Service, _ []string) error {
			scope, err := f.scope()
			if err != nil {
				return err
			}
			show := func(p *billing.Provider) string { return p.ID.String() }
			return printed(c)(s.CreateProvider(c.Context(), idempotency.Administration(scope, operator(), show), in))
		}),
	}
	f.on(create)
	create.Flags().StringVar(&in.FirstName, "first-name", "", "first name")
	create.Flags().StringVar(&in.LastName, "last-name", "", "last name")
	create.Flags().StringVar(&in.NPI, "npi", "", "national provider identifier, ten digits")
	create.Flags().StringVar(&in.Taxonomy, "taxonomy", intake.DefaultTaxonomy, "taxonomy code of the provider's specialty")
	return group("providers", "Providers", create)
}

func keys(b Backend) *cobra.Command {
	var f scopeFlags
	var name string
	var permissions []string
	create := &cobra.Command{
		Use: "create", Short: "Create an API key and print its secret, once", Args: cobra.NoArgs,
		Example: "  molar keys create --org org_... --mode test --name 'front desk' --permissions read,submit",
		RunE: withAccess(b, func(c *cobra.Command, s *access.Service, _ []string) error {
			scope, err := f.scope()
			if err != nil {
				return err
			}
			var may []billing.Permission
			for _, p := range permissions {
				may = append(may, billing.Permission(p))
			}
			k, secret, err := s.CreateKey(c.Context(), scope, name, may)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s\n%s\n", k.ID, secret)
			return err
		}),
	}
	f.on(create)
	create.Flags().StringVar(&name, "name", "", "what the key is for")
	create.Flags().StringSliceVar(&permissions, "permissions", []string{"read", "submit"}, "read, submit or both")

	revoke := &cobra.Command{
		Use: "revoke KEY_ID", Short: "Revoke an API key; it stops working within two seconds",
		Args: oneOf("key (key_...)", "molar keys list --org org_..."),
		RunE: withAccess(b, func(c *cobra.Command, s *access.Service, args []string) error {
			id, err := billing.ParseID[billing.KeyID](args[0])
			if err != nil {
				return fmt.Errorf("%q is not a key_ ID; molar keys list --org org_... lists them", args[0])
			}
			k, err := s.RevokeKey(c.Context(), id)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s revoked at %s\n", k.ID, billing.Timestamp(k.RevokedAt))
			return err
		}),
	}

	var org string
	list := &cobra.Command{
		Use: "list", Short: "List the API keys of an organization", Args: cobra.NoArgs,
		RunE: withAccess(b, func(c *cobra.Command, s *access.Service, _ []string) error {
			id, err := parseOrg(org)
			if err != nil {
				return err
			}
			all, err := s.ListKeys(c.Context(), id)
			if err != nil {
				return err
			}
			var rows []string
			for _, k := range all {
				rows = append(rows, keyRow(k))
			}
			return table(c, "ID\tNAME\tMODE\tPERMISSIONS\tENDS IN\tSTATUS", rows)
		}),
	}
	list.Flags().StringVar(&org, "org", "", "organization (org_...), see: molar orgs list")
	_ = list.MarkFlagRequired("org")
	return group("keys", "API keys", create, revoke, list)
}

func keyRow(k *billing.APIKey) string {
	status := "good"
	if !k.RevokedAt.IsZero() {
		status = "revoked " + billing.Timestamp(k.RevokedAt)
	}
	may := make([]string, len(k.Permissions))
	for i, p := range k.Permissions {
		may[i] = string(p)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t…%s\t%s", k.ID, k.Name, k.Scope.Mode, strings.Join(may, ","), k.LastFour, status)
}
