package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/adapters/sdk/go"
)

// attachmentRules are the commands for an organization's own rules about what goes with claims.
func attachmentRules(b Backend) *cobra.Command {
	return group("attachment-rules", "What payers want to see with claims: your own rules", listAttachmentRules(b), addAttachmentRule(b), changeAttachmentRule(b), removeAttachmentRule(b))
}

const ruleTitles = "ID\tPAYER\tPROCEDURES\tNEEDS\tWHEN\tNOTE"

// ruleCells are the cells of a rule in a list.
func ruleCells(r *molar.AttachmentRule) []any {
	payer, note := "all", "-"
	if r.Payer != nil {
		payer = r.Payer.PayerID
	}
	if r.Note != nil {
		note = oneLine(*r.Note)
	}
	needs := make([]string, len(r.Needs))
	for i, n := range r.Needs {
		needs[i] = string(n)
	}
	return []any{r.ID, payer, orWord(r.ProcedureCodes, "all"), orWord(needs, "nothing"), r.When, note}
}

// orWord joins texts, or returns the word for none.
func orWord(all []string, none string) string {
	if len(all) == 0 {
		return none
	}
	return strings.Join(all, ",")
}

func listAttachmentRules(b Backend) *cobra.Command {
	var f connection
	var p molar.AttachmentRulesListParams
	c := &cobra.Command{
		Use: "list", Short: "List your attachment rules, newest first", Args: cobra.NoArgs,
		Long: "Lists the rules of your organization about what goes with claims, newest first. They come before what payers publish. It needs a\n" +
			"key with the read permission.",
		Example: "  molar attachment-rules list --payer CHTEST",
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var rows []*molar.AttachmentRule
			for r, err := range api.AttachmentRules.List(p).All(c.Context()) {
				if err != nil {
					return api.inWords(c.Context(), err)
				}
				rows = append(rows, r)
			}
			return list(c, "There are no such rules.", ruleTitles, rows, ruleCells)
		},
	}
	f.on(c)
	c.Flags().StringVar(&p.PayerID, "payer", "", "only rules for this payer")
	return c
}

// ruleForm has the flags of a rule.
type ruleForm struct {
	payer, when, note string
	codes, needs      []string
}

func (m *ruleForm) on(c *cobra.Command) {
	c.Flags().StringVar(&m.payer, "payer", "", "the payer; empty for all payers")
	c.Flags().StringSliceVar(&m.codes, "codes", nil, "procedures: D2740, D2710-D2794 or Dxx99, where x is any digit; none for all")
	c.Flags().StringSliceVar(&m.needs, "needs", nil, "xray, periodontal_chart, pathology_report, operative_report, narrative, primary_decision or photo; none for nothing")
	c.Flags().StringVar(&m.when, "when", "initial", "initial, secondary, rejected or always")
	c.Flags().StringVar(&m.note, "note", "", "what the advice says besides")
}

func (m *ruleForm) kinds() []molar.AttachmentNeed {
	all := make([]molar.AttachmentNeed, len(m.needs))
	for i, n := range m.needs {
		all[i] = molar.AttachmentNeed(n)
	}
	return all
}

// orNull returns a text as a field of a request, and null for an empty one.
func orNull[T ~string](text T) molar.Optional[T] {
	if text == "" {
		return molar.Null[T]()
	}
	return molar.Value(text)
}

func addAttachmentRule(b Backend) *cobra.Command {
	var f connection
	var m ruleForm
	c := &cobra.Command{
		Use: "add", Short: "Add a rule about what goes with claims", Args: cobra.NoArgs,
		Long: "Adds a rule. From now on the advice of claims follows it, also of those that were created before. Without --needs it says that\n" +
			"the procedures need nothing. It needs a key with the submit permission.",
		Example: "  molar attachment-rules add --payer CHTEST --codes D2740,D2950-D2954 --needs xray,narrative --note 'Denied in May.'",
		RunE: func(c *cobra.Command, _ []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			r, err := api.AttachmentRules.Create(c.Context(), molar.AttachmentRuleRequest{
				PayerID: orNull(m.payer), ProcedureCodes: molar.Value(append([]string{}, m.codes...)), Needs: m.kinds(),
				When: molar.Value(molar.AttachmentRuleWhen(m.when)), Note: orNull(m.note),
			})
			if err != nil {
				return api.inWords(c.Context(), err)
			}
			return list(c, "", ruleTitles, []*molar.AttachmentRule{r}, ruleCells)
		},
	}
	f.on(c)
	m.on(c)
	return c
}

const ruleArgument, ruleSource = "attachment rule (rul_...)", "molar attachment-rules list"

func changeAttachmentRule(b Backend) *cobra.Command {
	var f connection
	var m ruleForm
	c := &cobra.Command{
		Use: "change RULE", Short: "Change a rule", Args: oneOf(ruleArgument, ruleSource),
		Long:    "Changes what the flags name; the rest stays. An empty value means the same as for a new rule. It needs a key with the submit permission.",
		Example: "  molar attachment-rules change rul_... --needs xray",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			var body molar.AttachmentRuleChange
			for flag, set := range map[string]func(){
				"payer": func() { body.PayerID = orNull(m.payer) },
				"codes": func() { body.ProcedureCodes = molar.Value(append([]string{}, m.codes...)) },
				"needs": func() { body.Needs = molar.Value(m.kinds()) },
				"when":  func() { body.When = orNull(molar.AttachmentRuleWhen(m.when)) },
				"note":  func() { body.Note = orNull(m.note) },
			} {
				if c.Flags().Changed(flag) {
					set()
				}
			}
			r, err := api.AttachmentRules.Update(c.Context(), args[0], body)
			if err != nil {
				return api.inWords(c.Context(), err)
			}
			return list(c, "", ruleTitles, []*molar.AttachmentRule{r}, ruleCells)
		},
	}
	f.on(c)
	m.on(c)
	return c
}

func removeAttachmentRule(b Backend) *cobra.Command {
	var f connection
	c := &cobra.Command{
		Use: "remove RULE", Short: "Remove a rule", Args: oneOf(ruleArgument, ruleSource),
		Long:    "Removes a rule. The advice of claims follows the rules that are left. It needs a key with the submit permission.",
		Example: "  molar attachment-rules remove rul_...",
		RunE: func(c *cobra.Command, args []string) error {
			api, err := f.open(c, b)
			if err != nil {
				return err
			}
			if err := api.AttachmentRules.Delete(c.Context(), args[0]); err != nil {
				return api.inWords(c.Context(), err)
			}
			return say(c, "The rule %s is removed.", args[0])
		},
	}
	f.on(c)
	return c
}
