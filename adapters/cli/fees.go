package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/fees"
	"github.com/molar-billing/molar/core/intake"
)

// feeCommands manage the fee schedules of organizations.
func feeCommands(b Backend) *cobra.Command {
	return group("fees", "Fee schedules: what offices charge, and what payers allow", createFees(b), listFees(b), showFees(b), matchFees(b))
}

func createFees(b Backend) *cobra.Command {
	var in intake.FeeScheduleRequest
	var office, payer, network, replaces, file string
	var limits bool
	c := b.Fees.scoped(&cobra.Command{
		Use: "create", Short: "Create a fee schedule from a CSV file", Args: cobra.NoArgs,
		Long: "Creates a fee schedule from a CSV file, and prints its ID.\n\n" +
			"The first line of the file names the columns procedure_code and amount. Names that spreadsheets use, such as ADA Code and Fee,\n" +
			"work too, and other columns are left out. Commas, semicolons or tabs are between the columns, and the text is UTF-8 or\n" +
			"Windows-1252. A file has at most 5,000 rows.\n\n" +
			"A fee schedule never changes. To correct it, or to end it, create another one that replaces it from its own date on.",
		Example: "  molar fees create --org org_... --mode test --name 'Office fees 2026' --kind office_fees --from 2026-01-01 --file fees.csv\n" +
			"  molar fees create --org org_... --mode test --name 'Contract 2026' --kind allowed --payer CHTEST --network in --from 2026-01-01 --file allowed.csv",
	}, func(c *cobra.Command, s *fees.Service, scope billing.Scope) (err error) {
		in.OfficeID, in.PayerID, in.Network, in.Replaces = givenFlag(c, "office", &office), givenFlag(c, "payer", &payer), givenFlag(c, "network", &network), givenFlag(c, "replaces", &replaces)
		if c.Flags().Changed("write-off-beyond-limits") {
			in.WriteOffBeyondLimits = &limits
		}
		if in.CSV, err = tableFile(c, "fee schedule", file, maxTableFile); err != nil {
			return err
		}
		return printed(c)(s.Create(c.Context(), administration(c, scope, func(f *fee.Schedule) string { return f.ID.String() }), in))
	})
	flags := c.Flags()
	flags.StringVar(&in.Name, "name", "", "name, for people")
	flags.StringVar(&in.Kind, "kind", "", "office_fees (what offices charge) or allowed (what a payer allows)")
	flags.StringVar(&in.EffectiveFrom, "from", "", "first service date that it counts on, as YYYY-MM-DD")
	flags.StringVar(&file, "file", "", "CSV file with the rows; - for standard input")
	flags.StringVar(&office, "office", "", "office (off_...) (default: all), see: molar offices list")
	flags.StringVar(&payer, "payer", "", "payer ID, such as CHTEST, or pyr_ ID (default: all)")
	flags.StringVar(&network, "network", "", "in or out of the payer's network (default: both)")
	flags.StringVar(&replaces, "replaces", "", "fee schedule (fee_...) in whose place it counts from its date on")
	flags.BoolVar(&limits, "write-off-beyond-limits", true, "of kind allowed: charge the patient no more than the amount also beyond a maximum, a frequency or an age")
	for _, required := range []string{"name", "kind", "from", "file"} {
		_ = c.MarkFlagRequired(required)
	}
	return c
}

// givenFlag returns the value of a flag, or nil if it was left out.
func givenFlag(c *cobra.Command, name string, value *string) *string {
	if c.Flags().Changed(name) {
		return value
	}
	return nil
}

// maxTableFile is the size of a body of the API, in bytes.
const maxTableFile = 1 << 20

// tableFile reads a file with rows of what it is, such as a fee schedule, and with so many bytes at most.
func tableFile(c *cobra.Command, what, name string, most int64) (content []byte, err error) {
	from := c.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read the file of the %s: %w", what, err)
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	if content, err = io.ReadAll(io.LimitReader(from, most+1)); err != nil {
		return nil, fmt.Errorf("read the file of the %s: %w", what, err)
	}
	if int64(len(content)) > most {
		return nil, fmt.Errorf("%s has more than %d MB. Remove columns that a %s does not need", name, most>>20, what)
	}
	return content, nil
}

func listFees(b Backend) *cobra.Command {
	var f fee.Filter
	var kind string
	var current, asJSON bool
	c := b.Fees.scoped(&cobra.Command{
		Use: "list", Short: "List the fee schedules of an organization in a mode", Args: cobra.NoArgs,
		Example: "  molar fees list --org org_... --mode test --current",
	}, func(c *cobra.Command, s *fees.Service, scope billing.Scope) error {
		if f.Kind = fee.Kind(kind); current {
			f.Current = &current
		}
		all, err := every(func(p billing.Page) ([]*fee.Schedule, *billing.Position, error) {
			return s.List(c.Context(), scope, f, p)
		})
		if err != nil {
			return err
		}
		if asJSON {
			for _, s := range all {
				if err := say(c, "%s", feeLine(s)); err != nil {
					return err
				}
			}
			return nil
		}
		return list(c, "", "ID\tNAME\tKIND\tOFFICE\tPAYER\tNETWORK\tFROM\tREPLACED\tROWS", all, func(s *fee.Schedule) []any {
			return []any{s.ID, oneLine(s.Name), s.Kind, cmp.Or(s.OfficeID.String(), "all"), cmp.Or(s.Payer.PayerID, "all"), cmp.Or(string(s.Network), "both"), s.EffectiveFrom, orDash(s.ReplacedFrom), s.Count}
		})
	})
	c.Flags().StringVar(&kind, "kind", "", "office_fees or allowed (default: both)")
	c.Flags().BoolVar(&current, "current", false, "only versions in force today, in UTC")
	c.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each")
	return c
}

// feeLine returns a fee schedule as a line of JSON.
func feeLine(s *fee.Schedule) string {
	line, err := json.Marshal(struct {
		ID            billing.FeeScheduleID `json:"id"`
		Name          string                `json:"name"`
		Kind          fee.Kind              `json:"kind"`
		OfficeID      billing.OfficeID      `json:"office_id"`
		PayerID       string                `json:"payer_id"`
		Network       fee.Network           `json:"network"`
		EffectiveFrom billing.Date          `json:"effective_from"`
		Replaces      billing.FeeScheduleID `json:"replaces"`
		ReplacedBy    billing.FeeScheduleID `json:"replaced_by"`
		ReplacedFrom  billing.Date          `json:"replaced_from"`
		Rows          int                   `json:"row_count"`
	}{s.ID, s.Name, s.Kind, s.OfficeID, s.Payer.PayerID, s.Network, s.EffectiveFrom, s.Replaces, s.ReplacedBy, s.ReplacedFrom, s.Count})
	if err != nil {
		panic(err) // these always encode
	}
	return string(line)
}

func showFees(b Backend) *cobra.Command {
	var id string
	c := b.Fees.scoped(&cobra.Command{
		Use: "show", Short: "Print the rows of a fee schedule as a CSV file", Args: cobra.NoArgs,
		Example: "  molar fees show --org org_... --mode test --id fee_... > fees.csv",
	}, func(c *cobra.Command, s *fees.Service, scope billing.Scope) error {
		which, err := billing.ParseID[billing.FeeScheduleID](id)
		if err != nil {
			return fmt.Errorf("%q is not a fee_ ID; molar fees list --org %s --mode %s lists them", id, scope.Org, scope.Mode)
		}
		f, err := s.Get(c.Context(), scope, which)
		if err != nil {
			return err
		}
		_, err = c.OutOrStdout().Write(f.CSV())
		return err
	})
	c.Flags().StringVar(&id, "id", "", "fee schedule (fee_...), see: molar fees list")
	_ = c.MarkFlagRequired("id")
	return c
}

func matchFees(b Backend) *cobra.Command {
	var procedure, date, office, payer, network string
	c := b.Fees.scoped(&cobra.Command{
		Use: "match", Short: "Find the fee of a procedure, and why it counts", Args: cobra.NoArgs,
		Long: "Finds what an office charges for a procedure on a service date, and what a payer allows. It says of each fee schedule why its\n" +
			"row counts or not. A schedule for one office, one payer or one network does not count while that is not given.",
		Example: "  molar fees match --org org_... --mode test --procedure D0120 --date 2026-05-04 --payer CHTEST --network in",
	}, func(c *cobra.Command, s *fees.Service, scope billing.Scope) error {
		q, err := feeQuestion(s, office, payer, network)
		if err != nil {
			return err
		}
		on, err := billing.ParseDate(cmp.Or(date, time.Now().Format(time.DateOnly)))
		if err != nil {
			return fmt.Errorf("%q is no date; write it as YYYY-MM-DD", date)
		}
		m, err := s.Match(c.Context(), scope, q, fee.Line{ProcedureCode: strings.ToUpper(procedure), On: on})
		if err != nil {
			return err
		}
		return list(c, "The organization has no fee schedule.", "COUNTS\tAMOUNT\tKIND\tNAME\tFROM\tBECAUSE", m.Schedules, func(m fee.Match) []any {
			counts, amount := "no", "-"
			if m.Counts {
				counts = "yes"
			}
			if m.Amount != nil {
				amount = m.Amount.String()
			}
			return []any{counts, amount, m.Schedule.Kind, oneLine(m.Schedule.Name), m.Schedule.EffectiveFrom, oneLine(m.Because)}
		})
	})
	flags := c.Flags()
	flags.StringVar(&procedure, "procedure", "", "procedure code, such as D0120")
	flags.StringVar(&date, "date", "", "service date, as YYYY-MM-DD (default: today)")
	flags.StringVar(&office, "office", "", "office (off_...), see: molar offices list")
	flags.StringVar(&payer, "payer", "", "payer ID, such as CHTEST, or pyr_ ID")
	flags.StringVar(&network, "network", "", "in or out of the payer's network")
	_ = c.MarkFlagRequired("procedure")
	return c
}

// feeQuestion reads what a fee is for. Empty texts are unknown.
func feeQuestion(s *fees.Service, office, payer, network string) (q fee.Question, err error) {
	if q.Network = fee.Network(network); network != "" && !slices.Contains(fee.Networks(), q.Network) {
		return q, fmt.Errorf("the network is in or out, not %q", network)
	}
	if office != "" {
		if q.OfficeID, err = billing.ParseID[billing.OfficeID](office); err != nil {
			return q, fmt.Errorf("%q is not an off_ ID; molar offices list lists them", office)
		}
	}
	if payer != "" {
		q.PayerID, err = s.Payer(payer)
	}
	return q, err
}
