package cli

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/adapters/sdk/go"
)

// appealCommands ask payers to decide claims again.
func appealCommands(b Backend) *cobra.Command {
	return group("appeals", "Appeals of claims: write, send, decide",
		makeAppeal(b), listAppeals(b), showAppeal(b), editAppeal(b), appealSent(b), appealDecided(b))
}

// appealText says how an appeal stands.
func appealText(a *molar.Appeal) string {
	text := fmt.Sprintf("%s of %s: %s, level %s", a.ID, a.ClaimID, a.State, a.Level)
	switch {
	case a.Decided != nil:
		text += fmt.Sprintf(", %s on %s", a.Decided.Outcome, a.Decided.On)
	case a.Sent != nil:
		text += fmt.Sprintf(", sent on %s by %s, its decision is due on %s", a.Sent.On, a.Sent.By, *a.DueOn)
	case a.DueOn != nil:
		text += ", to be sent by " + *a.DueOn
		if a.Deadline.Source == molar.DeadlineSourceProposed {
			text += " (a proposal: confirm the day with the payer)"
		}
	}
	for _, p := range a.Payments {
		text += fmt.Sprintf("\npaid after it: %s on %s, by %s", p.Paid, p.On, p.ERAID)
	}
	return text
}

// withAppeal is a command about one appeal, which it prints.
func withAppeal(b Backend, c *cobra.Command, what, where string, do func(c *cobra.Command, api *client, id string) (*molar.Appeal, error), show func(*molar.Appeal) string) *cobra.Command {
	var f connection
	c.Args = oneOf(what, where)
	c.RunE = func(c *cobra.Command, args []string) error {
		api, err := f.open(c, b)
		if err != nil {
			return err
		}
		a, err := do(c, api, url.PathEscape(args[0]))
		if err != nil {
			return api.inWords(c.Context(), err)
		}
		return say(c, "%s", show(a))
	}
	f.on(c)
	return c
}

const (
	ofClaim, whereClaims   = "claim (clm_...)", "GET /claims, or the dashboard,"
	ofAppeal, whereAppeals = "appeal (apl_...)", "molar appeals list"
)

// draftFlags are the parts of a draft.
type draftFlags struct {
	level, reason, letter, deadline string
	documents                       []string
}

func (d *draftFlags) on(c *cobra.Command) {
	c.Flags().StringVar(&d.level, "level", "", "first, second or external; first if none is given")
	c.Flags().StringVar(&d.reason, "reason", "", "why the payer should pay")
	c.Flags().StringVar(&d.letter, "letter", "", "a file with the letter; written by the service if none is given")
	c.Flags().StringVar(&d.deadline, "deadline", "", "the last day, YYYY-MM-DD; without it by the contract or the payer's limit, else in 180 days")
	c.Flags().StringArrayVar(&d.documents, "document", nil, "an attachment (att_...) of the claim, or an image (doc_...) of one; repeat it")
}

// body returns the parts that were given.
func (d *draftFlags) body() (u molar.AppealUpdate, err error) {
	for text, into := range map[string]*molar.Optional[string]{d.reason: &u.Reason, d.deadline: &u.DeadlineOn} {
		if text != "" {
			*into = molar.Value(text)
		}
	}
	if d.level != "" {
		u.Level = molar.Value(molar.AppealLevel(d.level))
	}
	if len(d.documents) > 0 {
		u.Documents = molar.Value(d.documents)
	}
	if d.letter != "" {
		letter, err := os.ReadFile(d.letter)
		if err != nil {
			return u, err
		}
		u.Letter = molar.Value(strings.TrimSpace(string(letter)))
	}
	return u, nil
}

func makeAppeal(b Backend) *cobra.Command {
	var d draftFlags
	c := &cobra.Command{
		Use: "create CLAIM", Short: "Make an appeal, with its letter",
		Long: "Makes an appeal of a claim that its payer decided, and prints the letter, which is filled from the claim and its remittances. The\n" +
			"appeal is a draft until molar appeals sent records that you sent it. It needs a key with the submit permission.",
		Example: "  molar appeals create clm_... --reason 'The X-ray shows decay.' --document att_...",
	}
	d.on(c)
	return withAppeal(b, c, ofClaim, whereClaims, func(c *cobra.Command, api *client, id string) (*molar.Appeal, error) {
		u, err := d.body()
		if err != nil {
			return nil, err
		}
		return api.Appeals.Create(c.Context(), id, molar.AppealRequest{Reason: d.reason, Level: u.Level, Letter: u.Letter, Documents: u.Documents, DeadlineOn: u.DeadlineOn})
	}, letterOf)
}

// letterOf shows an appeal with its letter.
func letterOf(a *molar.Appeal) string { return appealText(a) + "\n\n" + a.Letter }

func listAppeals(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "list CLAIM", Short: "List the appeals of a claim", Args: oneOf(ofClaim, whereClaims),
		Long: "Lists the appeals of a claim, newest first. It needs a key with the read permission.",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			found := false
			for a, err := range api.Appeals.List(url.PathEscape(args[0]), molar.AppealsListParams{}).All(c.Context()) {
				if err != nil {
					return api.inWords(c.Context(), err)
				}
				found = true
				if err := say(c, "%s", appealText(a)); err != nil {
					return err
				}
			}
			if !found {
				return say(c, "The claim has no appeals.")
			}
			return nil
		},
	}
	f.on(c)
	return c
}

func showAppeal(b Backend) *cobra.Command {
	c := &cobra.Command{
		Use: "show APPEAL", Short: "Print an appeal with its letter",
		Long: "Prints an appeal with its letter, and what remittances paid after it was sent. It needs a key with the read permission.",
	}
	return withAppeal(b, c, ofAppeal, whereAppeals, func(c *cobra.Command, api *client, id string) (*molar.Appeal, error) {
		return api.Appeals.Get(c.Context(), id)
	}, letterOf)
}

func editAppeal(b Backend) *cobra.Command {
	var d draftFlags
	c := &cobra.Command{
		Use: "edit APPEAL", Short: "Change an appeal that is a draft",
		Long:    "Changes an appeal that was not sent; what is not given stays. --deadline also confirms a day that was proposed. It needs a key with\nthe submit permission.",
		Example: "  molar appeals edit apl_... --letter letter.txt --deadline 2026-09-01",
	}
	d.on(c)
	return withAppeal(b, c, ofAppeal, whereAppeals, func(c *cobra.Command, api *client, id string) (*molar.Appeal, error) {
		u, err := d.body()
		if err != nil {
			return nil, err
		}
		return api.Appeals.Update(c.Context(), id, u)
	}, appealText)
}

func appealSent(b Backend) *cobra.Command {
	var on, by, reference string
	c := &cobra.Command{
		Use: "sent APPEAL", Short: "Record that an appeal was sent",
		Long:    "Records that you sent an appeal. Its decision is then due in 60 days. It needs a key with the submit permission.",
		Example: "  molar appeals sent apl_... --on 2026-03-10 --by mail --reference '9400 1000 0000 0000'",
	}
	c.Flags().StringVar(&on, "on", "", "the day, YYYY-MM-DD; today at the claim's office if none is given")
	c.Flags().StringVar(&by, "by", "mail", "mail, fax, portal or other")
	c.Flags().StringVar(&reference, "reference", "", "the number by which to find it")
	return withAppeal(b, c, ofAppeal, whereAppeals, func(c *cobra.Command, api *client, id string) (*molar.Appeal, error) {
		body := molar.AppealSentRequest{By: molar.AppealWay(by)}
		if on != "" {
			body.On = molar.Value(on)
		}
		if reference != "" {
			body.Reference = molar.Value(reference)
		}
		return api.Appeals.RecordSent(c.Context(), id, body)
	}, appealText)
}

func appealDecided(b Backend) *cobra.Command {
	var on, outcome string
	c := &cobra.Command{
		Use: "decided APPEAL", Short: "Record what became of an appeal",
		Long:    "Records what the payer decided, or that the appeal was withdrawn. Money comes with a remittance. It needs a key with the submit\npermission.",
		Example: "  molar appeals decided apl_... --on 2026-04-20 --outcome overturned",
	}
	c.Flags().StringVar(&on, "on", "", "the day, YYYY-MM-DD; today at the claim's office if none is given")
	c.Flags().StringVar(&outcome, "outcome", "", "overturned, partly, upheld or withdrawn")
	_ = c.MarkFlagRequired("outcome")
	return withAppeal(b, c, ofAppeal, whereAppeals, func(c *cobra.Command, api *client, id string) (*molar.Appeal, error) {
		body := molar.AppealDecidedRequest{Outcome: molar.AppealOutcome(outcome)}
		if on != "" {
			body.On = molar.Value(on)
		}
		return api.Appeals.RecordDecided(c.Context(), id, body)
	}, appealText)
}

// payerLimits are the commands for until when payers accept claims and appeals.
func payerLimits(b Backend) *cobra.Command {
	return group("limits", "Until when payers accept claims and appeals", listPayerLimits(b), setPayerLimits(b), removePayerLimits(b))
}

// limitsText says until when a payer accepts claims and appeals.
func limitsText(l *molar.PayerLimits) string {
	var parts []string
	for _, of := range []struct {
		what   string
		days   *int
		source *string
	}{
		{"claims %d days from the service", l.FilingDays, l.FilingSource},
		{"secondary claims %d days from the primary decision", l.SecondaryFilingDays, l.SecondaryFilingSource},
		{"appeals %d days from the decision", l.AppealDays, l.AppealSource},
	} {
		if of.days == nil {
			continue
		}
		text := fmt.Sprintf(of.what, *of.days)
		if of.source != nil {
			text += " (" + *of.source + ")"
		}
		parts = append(parts, text)
	}
	return fmt.Sprintf("%s (%s) accepts %s.", l.Payer.Name, l.Payer.PayerID, strings.Join(parts, ", "))
}

func listPayerLimits(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "list", Short: "List the limits of payers", Args: cobra.NoArgs,
		Long: "Lists until when payers accept claims and appeals. Limits of contracts are with the fee schedules.",
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			for l, err := range api.PayerLimits.List(molar.PayerLimitsListParams{}).All(c.Context()) {
				if err != nil {
					return api.inWords(c.Context(), err)
				}
				if err := say(c, "%s", limitsText(l)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.on(c)
	return c
}

func setPayerLimits(b Backend) *cobra.Command {
	var f connection
	var days [3]int
	var sources [3]string
	c := &cobra.Command{
		Use: "set PAYER", Short: "Record until when a payer accepts claims and appeals", Args: oneOf("payer", "GET /payers"),
		Long: "Records the limits of a payer, in place of those that there were. A limit that is left out is unknown. It needs a key with the\n" +
			"submit permission.",
		Example: "  molar claims limits set CHTEST --filing 365 --filing-source 'Provider manual 2026, page 12' --appeal 180",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var body molar.PayerLimitsRequest
			for i, into := range []*molar.Optional[int]{&body.FilingDays, &body.SecondaryFilingDays, &body.AppealDays} {
				if days[i] != 0 {
					*into = molar.Value(days[i])
				}
			}
			for i, into := range []*molar.Optional[string]{&body.FilingSource, &body.SecondaryFilingSource, &body.AppealSource} {
				if sources[i] != "" {
					*into = molar.Value(sources[i])
				}
			}
			l, err := api.PayerLimits.Put(c.Context(), url.PathEscape(args[0]), body)
			if err != nil {
				return api.inWords(c.Context(), err)
			}
			return say(c, "%s", limitsText(l))
		},
	}
	for i, of := range []struct{ flag, days string }{
		{"filing", "days from the service in which the primary payer accepts a claim"},
		{"secondary", "days from the primary payer's decision in which a later payer accepts a claim"},
		{"appeal", "days from the decision in which the payer accepts an appeal"},
	} {
		c.Flags().IntVar(&days[i], of.flag, 0, of.days)
		c.Flags().StringVar(&sources[i], of.flag+"-source", "", "where you read that")
	}
	f.on(c)
	return c
}

func removePayerLimits(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "remove PAYER", Short: "Forget the limits of a payer", Args: oneOf("payer", "molar claims limits list"),
		Long: "Removes the limits of a payer. Those of contracts stay. It needs a key with the submit permission.",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			if err := api.PayerLimits.Delete(c.Context(), url.PathEscape(args[0])); err != nil {
				return api.inWords(c.Context(), err)
			}
			return say(c, "The limits of %s are removed.", args[0])
		},
	}
	f.on(c)
	return c
}
