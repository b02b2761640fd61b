package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/remittances"
)

func parseERA(arg string) (billing.ERAID, error) {
	id, err := billing.ParseID[billing.ERAID](arg)
	if err != nil {
		return id, fmt.Errorf("%q is not an era_ ID; molar era list lists them", arg)
	}
	return id, nil
}

// finishing is a command that finishes a remittance claim.
type finishing struct {
	use, short, long, example string
	claim                     bool // the command names a claim of ours too
	flags                     func(c *cobra.Command)
	do                        func(ctx context.Context, s *remittances.Service, call idempotency.Write[*remit.Claim], era billing.ERAID, n int, args []string) (caller.Reply, error)
}

func (f finishing) command(b Backend) *cobra.Command {
	var scoped scopeFlags
	args, needs := 2, "a remittance (era_...) and the number of its claim"
	if f.claim {
		args, needs = 3, "a remittance (era_...), the number of its claim and a claim (clm_...)"
	}
	c := &cobra.Command{
		Use: f.use, Short: f.short, Long: f.long, Example: f.example,
		Args: func(c *cobra.Command, given []string) error {
			if len(given) == args {
				return nil
			}
			return fmt.Errorf("%s needs %s; molar era show lists them. See: %[1]s --help", c.CommandPath(), needs)
		},
		RunE: func(c *cobra.Command, args []string) error {
			scope, err := scoped.scope()
			if err != nil {
				return err
			}
			id, err := parseERA(args[0])
			if err != nil {
				return err
			}
			n, err := strconv.ParseInt(args[1], 10, 32)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is not the number of a claim; molar era show lists them", args[1])
			}
			return b.Remittances.with(c, func(s *remittances.Service) error {
				call := administration(c, scope, finished)
				reply, err := f.do(c.Context(), s, call, id, int(n), args[2:])
				return printed(c)(reply, explainERA(err, scope, id, args[1]))
			})
		},
	}
	scoped.on(c)
	if f.flags != nil {
		f.flags(c)
	}
	return c
}

// finished says what became of a remittance claim.
func finished(r *remit.Claim) string {
	status, _ := r.Shown()
	became := map[remit.Status]string{
		remit.StatusApplied:     fmt.Sprintf("is applied to %s: %s of %s is paid.", orDash(r.ClaimID), r.Paid, r.Charge),
		remit.StatusNeedsReview: "is no longer applied.",
		remit.StatusIgnored:     "is ignored.",
	}[status]
	return strings.TrimSuffix(fmt.Sprintf("#%d %s\n%s", r.Ordinal, became, remarksOn(r)), "\n")
}

func matchERA(b Backend) *cobra.Command {
	var lines []string
	return finishing{
		use: "match ERA_ID NUMBER CLAIM_ID", short: "Match a remittance claim to a claim, and apply it", claim: true,
		long: "Matches a remittance claim to the claim that you name, and applies it. It works in every status except applied.\n" +
			"Lines are matched by their content. --line says that a line of the remittance pays another line of the claim, or none.",
		example: "  molar era match --org org_... --mode test era_... 2 clm_...\n" +
			"  molar era match --org org_... --mode test era_... 2 clm_... --line 1=3 --line 2=none",
		flags: func(c *cobra.Command) {
			c.Flags().StringArrayVar(&lines, "line", nil, "ERA_LINE=LINE: a line of the remittance, and the claim's line or none, from 1 (repeatable)")
		},
		do: func(ctx context.Context, s *remittances.Service, call idempotency.Write[*remit.Claim], era billing.ERAID, n int, args []string) (caller.Reply, error) {
			in := intake.MatchRequest{ClaimID: &args[0]}
			for _, text := range lines {
				line, err := parseLine(text)
				if err != nil {
					return caller.Reply{}, err
				}
				in.Lines = append(in.Lines, line)
			}
			return s.MatchClaim(ctx, call, era, n, in)
		},
	}.command(b)
}

func parseLine(text string) (in intake.MatchLineInput, err error) {
	of, to, _ := strings.Cut(text, "=")
	if in.ERALine, err = strconv.Atoi(of); err == nil && to != "none" {
		var n int
		n, err = strconv.Atoi(to)
		in.LineNumber = &n
	}
	if err != nil {
		return in, fmt.Errorf("--line %q is not ERA_LINE=LINE, such as 1=3 or 2=none", text)
	}
	return in, nil
}

// noted completes a command that finishes a remittance claim with a note.
func (f finishing) noted(
	b Backend,
	do func(*remittances.Service, context.Context, idempotency.Write[*remit.Claim], billing.ERAID, int, intake.NoteRequest) (caller.Reply, error),
) *cobra.Command {
	var in intake.NoteRequest
	f.flags = func(c *cobra.Command) {
		in.Note = c.Flags().String("note", "", "why, at most 400 characters; the history of the claim keeps it")
	}
	f.do = func(ctx context.Context, s *remittances.Service, call idempotency.Write[*remit.Claim], era billing.ERAID, n int, _ []string) (caller.Reply, error) {
		return do(s, ctx, call, era, n, in)
	}
	return f.command(b)
}

func applyERA(b Backend) *cobra.Command {
	return finishing{
		use: "apply ERA_ID NUMBER", short: "Apply a remittance claim that needs review",
		long: "Applies a remittance claim to the claim that it matches, although it needs review. You take responsibility\n" +
			"for what differs. It works in every status except applied.",
		example: "  molar era apply --org org_... --mode test era_... 2 --note 'The payer confirmed both payments.'",
	}.noted(b, (*remittances.Service).ApplyClaim)
}

func ignoreERA(b Backend) *cobra.Command {
	return finishing{
		use: "ignore ERA_ID NUMBER", short: "Finish a remittance claim without applying it",
		long: "Marks a remittance claim as finished without applying it, such as one for a claim that was not sent with Molar.\n" +
			"You can still match or apply it later.",
		example: "  molar era ignore --org org_... --mode test era_... 2 --note 'Billed before we used Molar.'",
	}.noted(b, (*remittances.Service).IgnoreClaim)
}

func unapplyERA(b Backend) *cobra.Command {
	return finishing{
		use: "unapply ERA_ID NUMBER", short: "Reverse the application of a remittance claim",
		long: "Reverses the application of a remittance claim. It needs review then, and is never applied again automatically.\n" +
			"For a posted remittance, run molar era unpost first.",
		example: "  molar era unapply --org org_... --mode test era_... 2 --note 'Applied to the wrong visit.'",
	}.noted(b, (*remittances.Service).UnapplyClaim)
}

// explainERA says what to do about an error. Number is that of a remittance claim;
// empty when the command names none.
func explainERA(err error, scope billing.Scope, id billing.ERAID, number string) error {
	e, ok := errors.AsType[*billing.Error](err)
	switch {
	case !ok:
		return err
	case e.Code == billing.CodeNotFound && slices.ContainsFunc(e.Faults, func(f billing.FieldFault) bool { return f.Field == "claim_id" }):
		return fmt.Errorf("there is no such claim in %s mode of that organization; GET /claims lists them", scope.Mode)
	case e.Code == billing.CodeNotFound && number != "":
		return fmt.Errorf("there is no claim #%s of %s in %s mode of that organization; molar era list and molar era show list them", number, id, scope.Mode)
	case e.Code == billing.CodeNotFound:
		return fmt.Errorf("there is no %s in %s mode of that organization; molar era list lists them", id, scope.Mode)
	case e.Code == billing.CodeInvalidRequest:
		var all []string
		for _, f := range e.Faults {
			all = append(all, f.Field+": "+f.Message)
		}
		return errors.New(strings.Join(all, "\n"))
	case e.Code == billing.CodeConflict:
		return fmt.Errorf("%s\nSee: molar era show --org %s --mode %s %s", e.Message, scope.Org, scope.Mode, id)
	default:
		return err
	}
}
