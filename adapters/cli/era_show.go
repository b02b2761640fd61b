package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/remittances"
)

func listERAs(b Backend) *cobra.Command {
	var filter remit.Filter
	var unfinished bool
	c := b.Remittances.scoped(&cobra.Command{
		Use: "list", Short: "List remittances, the last received first", Args: cobra.NoArgs,
		Long: "Lists the remittances of an organization in a mode, the last received first. UNFINISHED counts the claims that\n" +
			"need review or match no claim here. --needs-attention lists remittances with such claims, and those whose payment\n" +
			"does not add up.",
		Example: "  molar era list --org org_... --mode test --needs-attention",
	}, func(c *cobra.Command, s *remittances.Service, scope billing.Scope) error {
		if unfinished {
			filter.NeedsAttention = &unfinished
		}
		all, err := every(func(p billing.Page) ([]*remit.ERA, *billing.Position, error) {
			return s.List(c.Context(), scope, filter, p)
		})
		if err != nil {
			return err
		}
		return printERAs(c, all)
	})
	c.Flags().BoolVar(&unfinished, "needs-attention", false, "only those that a person must look at")
	return c
}

func printERAs(c *cobra.Command, all []*remit.ERA) error {
	if len(all) == 0 {
		return say(c, "There are no such remittances.")
	}
	return columns(c, len(all), []column{
		{"ID", func(i int) string { return all[i].ID.String() }, false},
		{"STATE", func(i int) string { return string(all[i].State) }, false},
		{"PAYER", func(i int) string { return cmp.Or(all[i].PayerName, "-") }, false},
		{"TRACE", func(i int) string { return cmp.Or(all[i].Payment.TraceNumber, "-") }, false},
		{"DATE", func(i int) string { return orDash(all[i].Payment.Date) }, false},
		{"TOTAL", func(i int) string { return all[i].Payment.Total.String() }, true},
		{"CLAIMS", func(i int) string { return strconv.Itoa(all[i].ClaimCount) }, true},
		{"UNFINISHED", func(i int) string { return strconv.Itoa(all[i].Unfinished()) }, true},
	})
}

// column is a column of a table.
type column struct {
	head  string
	cell  func(row int) string
	right bool // aligned to the right, as amounts are
}

// columns prints a table.
func columns(c *cobra.Command, rows int, of []column) error {
	lines := make([]string, rows+1) // the first is the header
	for n, col := range of {
		cells := make([]string, rows+1)
		cells[0] = col.head
		width := len(col.head)
		for i := range rows {
			cells[i+1] = col.cell(i)
			width = max(width, len(cells[i+1]))
		}
		for i, cell := range cells {
			if col.right {
				cell = fmt.Sprintf("%*s", width, cell)
			}
			if n > 0 {
				cell = "\t" + cell
			}
			lines[i] += cell
		}
	}
	return table(c, lines[0], lines[1:])
}

func showERA(b Backend) *cobra.Command {
	return onERA(b, &cobra.Command{
		Use: "show ERA_ID", Short: "Show a remittance, its claims and what is left to do",
		Long: "Shows a remittance and its claims, and what to do about each unfinished one. It names patients.\n" +
			"The first column is the number that molar era match, apply, ignore and unapply accept.",
		Example: "  molar era show --org org_... --mode test era_...",
	}, func(c *cobra.Command, s *remittances.Service, scope billing.Scope, id billing.ERAID) error {
		audit.OperationOf(c.Context()).Shows = true
		r, err := s.Get(c.Context(), scope, id)
		if err != nil {
			return explainERA(err, scope, id, "")
		}
		claims := r.Claims
		for more := r.More; more; {
			var next []*remit.Claim
			next, more, err = s.Claims(c.Context(), scope, id, claims[len(claims)-1].Ordinal, billing.MaxPageLimit)
			if err != nil {
				return err
			}
			claims = append(claims, next...)
		}
		return printERA(c, r, claims)
	})
}

func printERA(c *cobra.Command, r *remit.Record, claims []*remit.Claim) error {
	e := r.ERA
	p := e.Counted()
	var head strings.Builder
	fmt.Fprintf(&head, "%s from %s, %s\n", e.ID, cmp.Or(e.PayerName, "an unnamed payer"), e.State)
	fmt.Fprintf(&head, "%s %s of %s: %s\n", e.Payment.Method, cmp.Or(e.Payment.TraceNumber, "-"), orDash(e.Payment.Date), e.Payment.Total)
	fmt.Fprintf(&head, "%d applied, %d need review, %d unmatched, %d ignored, %d forwarded\n", p.Applied, p.NeedsReview, p.Unmatched, p.Ignored, p.Forwarded)
	if u := r.Unapplied; u != (remit.Unapplied{}) {
		fmt.Fprintf(&head, "On no claim: %s ignored, %s not finished\n", u.Ignored.Paid, u.Unfinished.Paid)
	}
	if balance := e.PaymentBalance(); balance.Failed > 0 {
		fmt.Fprintf(&head, "The payment does not add up: it is off by %s.\n", balance.Off)
	}
	if s := e.ReconcileStage(); s != remit.ReconcileNotAsked {
		fmt.Fprintf(&head, "Reconciling its claims: %s. %d reconciled, %d left out.\n", s, e.Posting.Reconciled, e.Posting.Left)
	}
	head.WriteString(adjustments(r))
	head.WriteString(siblings(e))
	for _, w := range e.Warnings {
		head.WriteString(w.Message() + "\n")
	}
	if _, err := fmt.Fprintln(c.OutOrStdout(), head.String()); err != nil {
		return err
	}
	err := columns(c, len(claims), []column{
		{"#", func(i int) string { return strconv.Itoa(claims[i].Ordinal) }, true},
		{"STATUS", func(i int) string { status, _ := claims[i].Shown(); return string(status) }, false},
		{"CONTROL NUMBER", func(i int) string { return cmp.Or(claims[i].ControlNumber, "-") }, false},
		{"PATIENT", func(i int) string { return patientName(claims[i]) }, false},
		{"SERVICE", func(i int) string { return orDash(claims[i].ServiceDates.From) }, false},
		{"CHARGE", func(i int) string { return claims[i].Charge.String() }, true},
		{"PAID", func(i int) string { return claims[i].Paid.String() }, true},
		{"CLAIM", func(i int) string { return orDash(claims[i].ClaimID) }, false},
	})
	if err != nil {
		return err
	}
	var rest strings.Builder
	for _, r := range claims {
		rest.WriteString(remarksOn(r))
	}
	if rest.Len() > 0 {
		_, err = fmt.Fprint(c.OutOrStdout(), "\n", rest.String())
	}
	return err
}

// adjustments says what the payer adjusted outside the claims, a line each, and what it
// carries to later payments.
func adjustments(r *remit.Record) string {
	var b strings.Builder
	for i, a := range r.ProviderAdjustments {
		fmt.Fprintf(&b, "Provider adjustment %s (%s): %s, reference %s", a.Reason, remit.ProviderAdjustmentLabel(a.Reason), -a.Amount, cmp.Or(a.Reference, "-"))
		if !r.About[i].IsZero() {
			b.WriteString(", about " + r.About[i].String())
		}
		b.WriteString(".\n")
	}
	if f := r.Forwarded; f != nil {
		fmt.Fprintf(&b, "The payer will take %s from later payments.\n", f.Balance)
	}
	return b.String()
}

func patientName(r *remit.Claim) string {
	return cmp.Or(strings.TrimSpace(r.PatientFirstName+" "+r.PatientLastName), "-")
}

// remarksOn returns what to know and to do about a remittance claim, a line
// each.
func remarksOn(r *remit.Claim) string {
	var b strings.Builder
	if _, review := r.Shown(); review != "" {
		fmt.Fprintf(&b, "#%d %s: %s %s\n", r.Ordinal, review, review.Message(), review.Fix())
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "#%d %s: %s\n", r.Ordinal, w, w.Message())
	}
	return b.String()
}

// siblings says what a remittance is to others of its payment, and what a person decided,
// a line each.
func siblings(e *remit.ERA) string {
	var b strings.Builder
	list := func(says string, ids ...billing.ERAID) {
		for _, id := range ids {
			fmt.Fprintf(&b, says+"\n", id)
		}
	}
	if n := e.Acknowledged; n != nil {
		fmt.Fprintf(&b, "%s acknowledged that: %s\n", cmp.Or(n.By, "-"), n.Note)
	}
	list("It is a part of one payment with %s.", e.Parts...)
	list("It corrects %s.", e.Corrects...)
	if d := e.Difference; d != nil {
		fmt.Fprintf(&b, "Total: %s, was %s. Claims: %d changed, %d added, %d removed.\n", e.Payment.Total, d.Total, d.Changed, d.Added, d.Removed)
		for _, c := range d.Claims {
			fmt.Fprintf(&b, "  %s: paid %s, was %s\n", cmp.Or(c.ControlNumber, "-"), paidOrDash(c.Is), paidOrDash(c.Was))
		}
	}
	if e.Undecided() {
		b.WriteString("It waits for a decision: molar era replace, or molar era keep.\n")
	}
	if !e.ReplacedBy.IsZero() {
		list("It was replaced by %s.", e.ReplacedBy)
	}
	list("It is corrected by %s, which waits for a decision.", e.Corrections...)
	return b.String()
}

func paidOrDash(s *remit.Stated) string {
	if s == nil {
		return "-"
	}
	return s.Paid.String()
}
