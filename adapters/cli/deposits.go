package cli

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/adapters/sdk/go"
)

// depositCommands import the files of a bank, and match deposits with remittances.
func depositCommands(b Backend) *cobra.Command {
	return group("deposits", "What arrived at the bank: import, match", importDeposits(b), listDeposits(b), showDeposit(b), matchDeposit(b), unmatchDeposit(b))
}

const depositTitles = "ID\tDATE\tACCOUNT\tAMOUNT\tSTATE\tMETHOD\tTRACE\tTEXT"

// depositCells are the cells of a deposit in a list.
func depositCells(d molar.DepositSummary) []any {
	trace := "-"
	if d.TraceNumber != nil {
		trace = *d.TraceNumber
	}
	return []any{d.ID, d.Date, d.Account, d.Amount, d.State, d.Method, trace, oneLine(d.Text)}
}

func importDeposits(b Backend) *cobra.Command {
	var f connection
	var form struct {
		format, account string
		names, columns  []string
	}
	c := &cobra.Command{
		Use: "import FILE", Short: "Import a bank's file", Args: cobra.ExactArgs(1),
		Long: "Imports a NACHA file with CCD+ entries, a BAI2 file or a CSV file of a bank, and matches what it can. The same file, or one that\n" +
			"overlaps, adds nothing twice. --column names a column of a CSV file whose header has other words than the usual ones: date, amount, credit,\n" +
			"debit, text, company, reference, check_number, account, method. --payer-name keeps names whose entries wait for a remittance.\n" +
			"It needs a key with the submit permission.",
		Example: "  molar deposits import march.ach\n  molar deposits import activity.csv --account 6789 --column date='Posted on' --payer-name 'SUNNY DENTAL'",
		RunE: func(c *cobra.Command, args []string) error {
			parts, err := columnParts(form.columns)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			if form.format != "" {
				parts.Format = molar.Value(molar.DepositsImportFormFormat(form.format))
			}
			if form.account != "" {
				parts.Account = molar.Value(form.account)
			}
			if len(form.names) > 0 {
				parts.PayerNames = molar.Value(strings.Join(form.names, "\n"))
			}
			done, err := api.Deposits.Import(c.Context(), molar.Bytes(filepath.Base(args[0]), content), parts)
			if err != nil {
				return api.inWords(c.Context(), err)
			}
			return printDepositImport(c, done)
		},
	}
	f.on(c)
	c.Flags().StringVar(&form.format, "format", "", "nacha, bai2 or csv; found without it")
	c.Flags().StringVar(&form.account, "account", "", "the last four digits of the account, for a CSV file that does not say")
	c.Flags().StringArrayVar(&form.names, "payer-name", nil, "a name that means a payer in the text of an entry; repeat it")
	c.Flags().StringArrayVar(&form.columns, "column", nil, "FIELD=NAME, a column of a CSV file; repeat it")
	return c
}

// columnParts reads FIELD=NAME.
func columnParts(given []string) (parts molar.DepositsImportForm, err error) {
	to := map[string]*molar.Optional[string]{
		"date": &parts.DateColumn, "amount": &parts.AmountColumn, "credit": &parts.CreditColumn, "debit": &parts.DebitColumn, "text": &parts.TextColumn,
		"company": &parts.CompanyColumn, "reference": &parts.ReferenceColumn, "check_number": &parts.CheckNumberColumn, "account": &parts.AccountColumn,
		"method": &parts.MethodColumn,
	}
	for _, g := range given {
		field, name, found := strings.Cut(g, "=")
		if !found || to[field] == nil || name == "" {
			return parts, fmt.Errorf("--column %q: write FIELD=NAME, where FIELD is date, amount, credit, debit, text, company, reference, check_number, account or method", g)
		}
		*to[field] = molar.Value(name)
	}
	return parts, nil
}

func printDepositImport(c *cobra.Command, done *molar.DepositImport) error {
	err := say(c, "%d entries: %d new, %d known. %d matched, %d waiting for a remittance, %d taken back.",
		done.Entries, done.Added, done.Known, done.Matched, done.Waiting, done.Returned)
	if done.Traced > 0 {
		err = errors.Join(err, say(c, "%d known deposits have their trace number now.", done.Traced))
	}
	for _, w := range done.Warnings {
		where := "the file"
		if w.Line != nil {
			where = fmt.Sprintf("line %d", *w.Line)
		}
		err = errors.Join(err, say(c, "warning, %s: %s", where, w.Message))
	}
	return err
}

func listDeposits(b Backend) *cobra.Command {
	var f connection
	var p molar.DepositsListParams
	var state string
	c := &cobra.Command{
		Use: "list", Short: "List deposits, the last day first", Args: cobra.NoArgs,
		Long:    "Lists deposits, the last day first. It needs a key with the read permission.",
		Example: "  molar deposits list --state unmatched",
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			p.State = molar.DepositState(state)
			var rows []molar.DepositSummary
			for d, err := range api.Deposits.List(p).All(c.Context()) {
				if err != nil {
					return api.inWords(c.Context(), err)
				}
				rows = append(rows, *d)
			}
			return list(c, "There are no such deposits.", depositTitles, rows, depositCells)
		},
	}
	f.on(c)
	c.Flags().StringVar(&state, "state", "", "unmatched, matched, other or returned")
	c.Flags().StringVar(&p.Account, "account", "", "the last four digits of the account")
	c.Flags().StringVar(&p.TraceNumber, "trace-number", "", "a trace number, or the number of a check")
	c.Flags().StringVar(&p.ERAID, "era", "", "the remittance that they pay")
	return c
}

// onDeposit is a command about one deposit, which it prints.
func onDeposit(b Backend, c *cobra.Command, do func(c *cobra.Command, api *client, id string) (*molar.Deposit, error)) *cobra.Command {
	var f connection
	c.Args = oneOf("deposit (dep_...)", "molar deposits list")
	c.RunE = func(c *cobra.Command, args []string) error {
		api, err := f.open(c, b)
		if err != nil {
			return err
		}
		d, err := do(c, api, url.PathEscape(args[0]))
		if err != nil {
			return api.inWords(c.Context(), err)
		}
		return printDeposit(c, d)
	}
	f.on(c)
	return c
}

func printDeposit(c *cobra.Command, d *molar.Deposit) error {
	err := say(c, "%s of %s on account %s: %s, %s, %s left\n%s", d.ID, d.Date, d.Account, d.Amount, d.State, d.Rest, oneLine(d.Text))
	for _, p := range d.Parts {
		err = errors.Join(err, say(c, "pays %s: %s, fee %s, by %s", p.ERAID, p.Amount, p.Fee, p.MatchedBy))
	}
	for _, one := range d.Candidates {
		err = errors.Join(err, say(c, "%s", proposal(one)))
	}
	return err
}

// proposal says what a deposit may pay, alone or with others.
func proposal(one molar.DepositCandidate) string {
	line := "may pay " + string(one.Total) + ":"
	for _, e := range one.ERAs {
		line += fmt.Sprintf(" %s (%s, %s)", e.ERAID, e.PayerName, e.Awaited)
	}
	for i, o := range one.OtherDeposits {
		between := ","
		if i == 0 {
			between = ", together with"
		}
		line += fmt.Sprintf("%s %s (%s, %s)", between, o.DepositID, o.Date, o.Rest)
	}
	return line
}

func showDeposit(b Backend) *cobra.Command {
	return onDeposit(b, &cobra.Command{
		Use: "show DEPOSIT", Short: "Show a deposit, and what it can be matched with",
		Long: "Shows a deposit, what it pays, and what a person may match it with: remittances, several that add up to it, and others of the deposits with\n" +
			"which it adds up to a remittance. It needs a key with the read permission.",
		Example: "  molar deposits show dep_...",
	}, func(c *cobra.Command, api *client, id string) (*molar.Deposit, error) {
		return api.Deposits.Get(c.Context(), id)
	})
}

func matchDeposit(b Backend) *cobra.Command {
	var parts []string
	c := onDeposit(b, &cobra.Command{
		Use: "match DEPOSIT", Short: "Match a deposit with remittances",
		Long: "Records which remittances a deposit pays. Without an amount it pays all that the remittance awaits; a fee is what the processor of a virtual\n" +
			"card kept. Where several deposits pay one remittance, match each of them with it. It needs a key with the submit permission.",
		Example: "  molar deposits match dep_... --era era_... --era era_...\n  molar deposits match dep_... --era era_...=97.00+3.00",
	}, func(c *cobra.Command, api *client, id string) (*molar.Deposit, error) {
		body := molar.DepositMatchRequest{}
		for _, part := range parts {
			body.Parts = append(body.Parts, depositPart(part))
		}
		return api.Deposits.Match(c.Context(), id, body)
	})
	c.Flags().StringArrayVar(&parts, "era", nil, "ERA_ID, ERA_ID=AMOUNT or ERA_ID=AMOUNT+FEE; repeat it (required)")
	cobra.CheckErr(c.MarkFlagRequired("era"))
	return c
}

// depositPart reads ERA_ID, ERA_ID=AMOUNT or ERA_ID=AMOUNT+FEE.
func depositPart(text string) (p molar.DepositMatchRequestPart) {
	var amounts string
	p.ERAID, amounts, _ = strings.Cut(text, "=")
	amount, fee, withFee := strings.Cut(amounts, "+")
	if amount != "" {
		p.Amount = molar.Value(molar.Amount(amount))
	}
	if withFee {
		p.Fee = molar.Value(molar.Amount(fee))
	}
	return p
}

func unmatchDeposit(b Backend) *cobra.Command {
	return onDeposit(b, &cobra.Command{
		Use: "unmatch DEPOSIT", Short: "Undo the match of a deposit",
		Long:    "Undoes the match of a deposit. It is never matched by itself again. It needs a key with the submit permission.",
		Example: "  molar deposits unmatch dep_...",
	}, func(c *cobra.Command, api *client, id string) (*molar.Deposit, error) {
		return api.Deposits.Unmatch(c.Context(), id)
	})
}
