package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/intake"
)

func offices(b Backend) *cobra.Command {
	all := b.Access.scoped(&cobra.Command{
		Use: "list", Short: "List the offices of an organization in a mode", Args: cobra.NoArgs,
	}, func(c *cobra.Command, s *access.Service, scope billing.Scope) error {
		all, err := every(func(p billing.Page) ([]*directory.Office, *billing.Position, error) {
			return s.ListOffices(c.Context(), scope, p)
		})
		if err != nil {
			return err
		}
		return list(c, "", "ID\tNAME\tNPI\tTIME ZONE\tVERIFIED\tWAITS FOR YOU", all, func(o *directory.Office) []any {
			return []any{o.ID, o.Name, o.NPI, o.TimeZone, timeOrDash(o.VerifiedAt), cmp.Or(waiting(o), "-")}
		})
	})
	verify := &cobra.Command{
		Use: "verify OFFICE_ID", Short: "Record that an office is the practice with its NPI and tax ID",
		Long: "Records that an office is the practice with its NPI and tax ID, or that its new name or address for payments is right.\n\n" +
			"Anyone can look up an NPI, so only verified offices receive remittances and payer requests from outside.\n" +
			"Check the practice's letter from the IRS and its NPPES record first. Test offices are verified when they are created.\n\n" +
			"A new name or address for payments of a verified live office waits for you: molar offices list shows it, and files have the\n" +
			"verified values until then. Ask the practice by a telephone number that you know. molar offices withdraw drops the change.",
		Args: oneOf("office (off_...)", "molar offices list --org org_... --mode live"),
		RunE: b.Access.run(func(c *cobra.Command, s *access.Service, args []string) error {
			id, err := billing.ParseID[billing.OfficeID](args[0])
			if err != nil {
				return fmt.Errorf("%q is not an off_ ID; molar offices list --org org_... --mode live lists them", args[0])
			}
			o, err := s.VerifyOffice(c.Context(), id)
			if err != nil {
				return err
			}
			return say(c, "%s verified at %s: %s, NPI %s, of %s in %s mode, payments to %s",
				o.ID, event.Timestamp(o.VerifiedAt), o.Name, o.NPI, o.Scope.Org, o.Scope.Mode, payTo(o.PayTo))
		}),
	}
	withdraw := &cobra.Command{
		Use: "withdraw OFFICE_ID", Short: "Drop a change of an office that waits for the operator",
		Long: "Drops the new name or address for payments that waits for the operator. The office keeps the verified values.",
		Args: oneOf("office (off_...)", "molar offices list --org org_... --mode live"),
		RunE: b.Access.run(func(c *cobra.Command, s *access.Service, args []string) error {
			id, err := billing.ParseID[billing.OfficeID](args[0])
			if err != nil {
				return fmt.Errorf("%q is not an off_ ID; molar offices list --org org_... --mode live lists them", args[0])
			}
			o, err := s.FindOffice(c.Context(), id)
			if err != nil {
				return err
			}
			show := func(o *directory.Office) string {
				return fmt.Sprintf("%s: the change is dropped; its name is %s", o.ID, o.Name)
			}
			return printed(c)(s.WithdrawOfficeChange(c.Context(), administration(c, o.Scope, show), id))
		}),
	}
	return group("offices", "Offices", createOffice(b), all, verify, withdraw)
}

// waiting returns the change of an office that waits for the operator; empty for none.
func waiting(o *directory.Office) string {
	switch {
	case o.Pending == nil && o.VerifiedAt.IsZero():
		return "its verification: until then no claim leaves, and no remittance comes"
	case o.Pending == nil:
		return ""
	}
	var changes []string
	if o.Pending.Name != o.Name {
		changes = append(changes, fmt.Sprintf("name %q", o.Pending.Name))
	}
	if o.Pending.PayTo != o.PayTo {
		changes = append(changes, "payments to "+payTo(o.Pending.PayTo))
	}
	return fmt.Sprintf("%s, changed by %s at %s", strings.Join(changes, ", "), o.Pending.By, event.Timestamp(o.Pending.At))
}

// payTo returns an address for payments on one line.
func payTo(a directory.Address) string {
	if a == (directory.Address{}) {
		return "the office's address"
	}
	lines := slices.DeleteFunc([]string{a.Line1, a.Line2, a.City, a.State + " " + a.ZIP}, func(s string) bool { return s == "" })
	return strings.Join(lines, ", ")
}

func createOffice(b Backend) *cobra.Command {
	var in intake.OfficeRequest
	var address, payTo intake.AddressInput
	var numbers, locations []string
	create := b.Access.scoped(&cobra.Command{
		Use: "create", Short: "Create an office", Args: cobra.NoArgs,
		Long: "Creates an office and prints its ID.\n\n" +
			"Claims need its tax ID, its telephone number and its address, with a street and a ZIP code of 9 digits.\n" +
			"The other flags are for practices whose payers want more: a dentist who bills as a person, another address\n" +
			"for payments, and the numbers by which payers know the office.",
		Example: "  molar offices create --org org_... --mode test --name 'Main Street' --npi 1234567893 --tax-id 12-3456789 --phone 2175550100 \\\n" +
			"    --line1 '1 Main Street' --city Springfield --state IL --zip 627010001 --time-zone America/Chicago\n\n" +
			"  molar offices create --org org_... --mode test --name 'Ana Diaz DDS' --npi 1234567893 --tax-id 123456789 --phone 2175550100 \\\n" +
			"    --line1 '1 Main Street' --city Springfield --state IL --zip 627010001 --time-zone America/Chicago \\\n" +
			"    --first-name Ana --last-name Diaz --taxonomy 1223G0001X --contact-name 'Billing desk' \\\n" +
			"    --pay-to-line1 'P.O. Box 100' --pay-to-city Springfield --pay-to-state IL --pay-to-zip 627050100 \\\n" +
			"    --provider-number CHTEST=PN-7",
	}, func(c *cobra.Command, s *access.Service, scope billing.Scope) (err error) {
		if address != (intake.AddressInput{}) {
			in.Address = &address
		}
		if payTo != (intake.AddressInput{}) {
			in.PayToAddress = &payTo
		}
		if in.FirstName+in.LastName != "" {
			in.Entity = string(directory.EntityPerson)
		}
		if in.ProviderNumbers, err = providerNumbers(numbers, locations); err != nil {
			return err
		}
		show := func(o *directory.Office) string { return o.ID.String() }
		return printed(c)(s.CreateOffice(c.Context(), administration(c, scope, show), in))
	})
	flags := create.Flags()
	flags.StringVar(&in.Name, "name", "", "name")
	flags.StringVar(&in.NPI, "npi", "", "national provider identifier, ten digits")
	flags.StringVar(&in.TaxID, "tax-id", "", "tax ID, nine digits")
	in.TimeZone = flags.String("time-zone", intake.DefaultTimeZone, "IANA time zone")
	flags.StringVar(&in.Phone, "phone", "", "telephone number, ten digits")
	addressFlags(create, &address, "", "the address", "claims need all 9 digits")
	flags.StringVar(&in.FirstName, "first-name", "", "first name of a dentist who bills as a person")
	flags.StringVar(&in.LastName, "last-name", "", "last name of a dentist who bills as a person")
	flags.StringVar(&in.Taxonomy, "taxonomy", "", "taxonomy code of the practice")
	flags.StringVar(&in.ContactName, "contact-name", "", "contact for payers, if not the office")
	addressFlags(create, &payTo, "pay-to-", "the address for payments", "5 or 9 digits")
	flags.StringArrayVar(&numbers, "provider-number", nil, "a payer's number of the office, as PAYER=NUMBER; repeat for more payers")
	flags.StringArrayVar(&locations, "location-number", nil, "a payer's number of this location, as PAYER=NUMBER; repeat for more payers")
	return create
}

// addressFlags adds the flags of an address.
func addressFlags(c *cobra.Command, in *intake.AddressInput, prefix, of, zip string) {
	c.Flags().StringVar(&in.Line1, prefix+"line1", "", "first line of "+of)
	c.Flags().StringVar(&in.Line2, prefix+"line2", "", "second line of "+of)
	c.Flags().StringVar(&in.City, prefix+"city", "", "city of "+of)
	c.Flags().StringVar(&in.State, prefix+"state", "", "state of "+of+", two letters")
	c.Flags().StringVar(&in.ZIP, prefix+"zip", "", "ZIP code of "+of+"; "+zip)
}

// providerNumbers joins the numbers of offices and of locations by payer.
func providerNumbers(numbers, locations []string) (all []directory.ProviderNumber, err error) {
	at := map[string]int{}
	read := func(flag string, pairs []string, field func(n *directory.ProviderNumber) *string) error {
		for _, pair := range pairs {
			payer, number, ok := strings.Cut(pair, "=")
			if !ok || payer == "" || number == "" {
				return fmt.Errorf("--%s %q is not PAYER=NUMBER, such as CHTEST=PN-7", flag, pair)
			}
			i, known := at[payer]
			if !known {
				i = len(all)
				at[payer], all = i, append(all, directory.ProviderNumber{PayerID: payer})
			}
			if *field(&all[i]) != "" {
				return fmt.Errorf("--%s names %s twice", flag, payer)
			}
			*field(&all[i]) = number
		}
		return nil
	}
	if err := read("provider-number", numbers, func(n *directory.ProviderNumber) *string { return &n.Number }); err != nil {
		return nil, err
	}
	return all, read("location-number", locations, func(n *directory.ProviderNumber) *string { return &n.LocationNumber })
}
