package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/adapters/sdk/go"
)

// reportCommands print reports.
func reportCommands(b Backend) *cobra.Command {
	return group("reports", "What is open, was collected and refused", reportAging(b), reportCollections(b), reportDenials(b), reportPayers(b))
}

// reportFlags are the filters of reports.
type reportFlags struct {
	connection

	by, group, from, to     string
	office, payer, provider string
	zone                    string
}

// reporting is a command that prints a report.
func reporting(b Backend, c *cobra.Command, grouped, period bool, show func(*cobra.Command, *client, *reportFlags) error) *cobra.Command {
	var f reportFlags
	c.Args = cobra.NoArgs
	c.RunE = func(c *cobra.Command, _ []string) error {
		api, err := f.open(c, b)
		if err != nil {
			return err
		}
		if err := show(c, api, &f); err != nil {
			return api.inWords(c.Context(), err)
		}
		return nil
	}
	f.on(c)
	days := "submission (default) or service: the day from which the age counts"
	if period {
		days = "decision (default), submission or service: the day that is in the period"
		c.Flags().StringVar(&f.from, "from", "", "the first day of the period, such as 2026-01-01")
		c.Flags().StringVar(&f.to, "to", "", "the last day of the period")
	}
	if grouped {
		c.Flags().StringVar(&f.group, "group-by", "", "payer (default), office or provider")
	}
	c.Flags().StringVar(&f.by, "by", "", days)
	c.Flags().StringVar(&f.office, "office", "", "only claims of this office (off_...)")
	c.Flags().StringVar(&f.payer, "payer", "", "only claims to this payer: its ID, its payer ID or an alias")
	c.Flags().StringVar(&f.provider, "provider", "", "only claims of this provider (prv_...)")
	c.Flags().StringVar(&f.zone, "time-zone", "", "the zone in which days begin, such as America/Los_Angeles (default: UTC)")
	return c
}

// calledRow returns the name of a row of a report.
func calledRow(id, name *string) string {
	switch {
	case name != nil:
		return oneLine(*name)
	case id == nil:
		return "no provider"
	}
	return *id
}

func reportAging(b Backend) *cobra.Command {
	return reporting(b, &cobra.Command{
		Use: "aging", Short: "What is open, by age",
		Long: "Prints what is open of claims that were sent, in columns of 30 days: what payers owe, then what patients owe. The last column has\n" +
			"what is open of claims that were not sent. It needs a key with the read permission.",
		Example: "  molar reports aging\n  molar reports aging --by service --group-by office",
	}, true, false, func(c *cobra.Command, api *client, f *reportFlags) error {
		r, err := api.Reports.Aging(c.Context(), molar.ReportsAgingParams{
			By: molar.ReportsAgingParamsBy(f.by), GroupBy: molar.ReportsAgingParamsGroupBy(f.group), OfficeID: f.office, PayerID: f.payer, ProviderID: f.provider, TimeZone: f.zone,
		})
		if err != nil {
			return err
		}
		var rows [][]any
		add := func(name string, row molar.AgingRow) {
			for who, of := range []molar.ReportAges{row.Insurance, row.Patient} {
				unsent := molar.Amount("-")
				if who == 0 {
					unsent = row.Unsent.Amount
				}
				rows = append(rows, []any{
					name, []string{"insurance", "patient"}[who], of.Days030.Amount, of.Days3160.Amount, of.Days6190.Amount, of.Days91120.Amount, of.Over120.Amount,
					of.Total.Amount, unsent,
				})
			}
		}
		for _, row := range r.Rows {
			add(calledRow(row.ID, row.Name), row)
		}
		add("TOTAL", r.Total)
		return list(c, "", "FOR\tFROM\t0-30\t31-60\t61-90\t91-120\tOVER 120\tTOTAL\tNOT SENT", rows, cellsOf)
	})
}

// cellsOf returns cells as they are.
func cellsOf(cells []any) []any { return cells }

func reportCollections(b Backend) *cobra.Command {
	return reporting(b, &cobra.Command{
		Use: "collections", Short: "What was paid and written off",
		Long: "Prints what was paid, written off and left to patients, of the claims of a period. Each claim counts with its figures as they are\n" +
			"now. It needs a key with the read permission.",
		Example: "  molar reports collections --from 2026-01-01 --to 2026-03-31",
	}, true, true, func(c *cobra.Command, api *client, f *reportFlags) error {
		r, err := api.Reports.Collections(c.Context(), molar.ReportsCollectionsParams{
			By: molar.ReportBy(f.by), GroupBy: molar.ReportsCollectionsParamsGroupBy(f.group), From: f.from, To: f.to,
			OfficeID: f.office, PayerID: f.payer, ProviderID: f.provider, TimeZone: f.zone,
		})
		if err != nil {
			return err
		}
		cells := func(name string, row molar.CollectionsRow) []any {
			return []any{
				name, row.Claims.Claims, row.Paid.Amount, row.Contractual.Amount, row.WriteOff.Amount, row.Other.Amount, row.BillPatient.Amount, row.PatientOwes.Amount,
			}
		}
		var rows [][]any
		for _, row := range r.Rows {
			rows = append(rows, cells(calledRow(row.ID, row.Name), row))
		}
		rows = append(rows, cells("TOTAL", r.Total))
		err = list(c, "", "FOR\tCLAIMS\tPAID\tCONTRACTS\tWRITTEN OFF\tOTHER\tBILLED TO PATIENTS\tPATIENTS OWE", rows, cellsOf)
		if p := r.Payments; p != nil {
			err = errors.Join(err, printPayments(c, p))
		}
		if u := r.Unapplied; u != nil {
			err = errors.Join(err,
				say(c, "on no claim: %s of %d remittance claims that were ignored, %s of %d that are not finished", u.Ignored.Amount, u.Ignored.Claims, u.Unfinished.Amount, u.Unfinished.Claims))
		}
		return err
	})
}

// printPayments prints what the remittances of a period pay, and by what that differs from what they pay on claims.
func printPayments(c *cobra.Command, p *molar.ReportPayments) error {
	err := say(c, "payments of the period: %s in %s", p.Amount, countRemittances(p.Remittances))
	for _, a := range p.ProviderAdjustments.Reasons {
		did, amount := "reduced by", strings.TrimPrefix(string(a.Amount), "-")
		if amount != string(a.Amount) {
			did = "raised by"
		}
		err = errors.Join(err, say(c, "  %s %s: %s (%s), in %s", did, amount, oneLine(a.Label), oneLine(a.Reason), countRemittances(a.Remittances)))
	}
	return err
}

func countRemittances(n int) string {
	if n == 1 {
		return "1 remittance"
	}
	return strconv.Itoa(n) + " remittances"
}

func reportDenials(b Backend) *cobra.Command {
	return reporting(b, &cobra.Command{
		Use: "denials", Short: "What payers refuse, and why",
		Long: "Prints what payers refuse to pay of the claims of a period, by reason and what to do about it, the largest amount first. It needs a\n" +
			"key with the read permission.",
		Example: "  molar reports denials --from 2026-01-01",
	}, false, true, func(c *cobra.Command, api *client, f *reportFlags) error {
		r, err := api.Reports.Denials(c.Context(), molar.ReportsDenialsParams{
			By: molar.ReportBy(f.by), From: f.from, To: f.to, OfficeID: f.office, PayerID: f.payer, ProviderID: f.provider, TimeZone: f.zone,
		})
		if err != nil {
			return err
		}
		if len(r.Rows) == 0 {
			return say(c, "No payer refuses anything of these claims.")
		}
		rows := make([][]any, 0, len(r.Rows)+1)
		for _, d := range r.Rows {
			rows = append(rows, []any{d.Group + "-" + d.Reason, oneLine(d.Label), strings.ReplaceAll(string(d.Act), "_", " "), d.Refused.Claims, d.Refused.Amount})
		}
		rows = append(rows, []any{"TOTAL", "", "", "", r.Total.Refused})
		return list(c, "", "CODE\tREASON\tWHAT TO DO\tCLAIMS\tREFUSED", rows, cellsOf)
	})
}

func reportPayers(b Backend) *cobra.Command {
	return reporting(b, &cobra.Command{
		Use: "payers", Short: "How payers decide",
		Long: "Prints for each payer, of its decided claims of a period, how long it takes, how many claims pass the first time, and how far\n" +
			"estimates are from what patients owe. It needs a key with the read permission.",
		Example: "  molar reports payers --by submission --from 2026-01-01",
	}, false, true, func(c *cobra.Command, api *client, f *reportFlags) error {
		r, err := api.Reports.Payers(c.Context(), molar.ReportsPayersParams{
			By: molar.ReportBy(f.by), From: f.from, To: f.to, OfficeID: f.office, PayerID: f.payer, ProviderID: f.provider, TimeZone: f.zone,
		})
		if err != nil {
			return err
		}
		cells := func(name string, p molar.PayersRow) []any {
			off := "-"
			if p.Estimates.Compared > 0 {
				off = fmt.Sprintf("%s (%d of %d right)", p.Estimates.MeanAbsoluteError, p.Estimates.Within, p.Estimates.Compared)
			}
			return []any{name, p.Decided.Claims, fmt.Sprintf("%.1f%%", p.FirstPassRate), fmt.Sprintf("%.1f", p.DaysToPay.Mean), p.DaysToPay.Median, off}
		}
		var rows [][]any
		for _, p := range r.Rows {
			rows = append(rows, cells(calledRow(p.ID, p.Name), p))
		}
		if r.Total != nil {
			rows = append(rows, cells("TOTAL", *r.Total))
		}
		return list(c, "No payer has decided a claim.", "PAYER\tDECIDED\tFIRST TIME\tDAYS\tMEDIAN\tESTIMATES OFF BY", rows, cellsOf)
	})
}
