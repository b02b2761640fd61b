package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/remittances"
)

func postERA(b Backend) *cobra.Command {
	var in intake.PostRequest
	c := onERA(b, &cobra.Command{
		Use: "post ERA_ID", Short: "Record that a remittance is posted in the practice's books",
		Long: "Records that the payment is posted in the practice's books. While claims need review or are unmatched, it refuses;\n" +
			"finish them first, or use --accept-unfinished. With --reconcile it also reconciles the claims of which nothing is open,\n" +
			"no other payer is to be billed and no payer request is open, and prints the others with the reason.",
		Example: "  molar era post --org org_... --mode test --reconcile era_...",
	}, func(c *cobra.Command, s *remittances.Service, scope billing.Scope, id billing.ERAID) error {
		reply, err := s.Post(c.Context(), administration(c, scope, postedText), id, in)
		return printed(c)(reply, explainERA(err, scope, id, ""))
	})
	c.Flags().BoolVar(&in.AcceptUnfinished, "accept-unfinished", false, "post although claims need review or are unmatched")
	c.Flags().BoolVar(&in.Reconcile, "reconcile", false, "also reconcile the settled claims")
	return c
}

// postedText says what became of a remittance that was posted, and of its claims.
func postedText(r *remit.Record) string {
	text := r.ID.String() + " is posted."
	p := r.Posting
	if p == nil {
		return text
	}
	text += fmt.Sprintf("\nReconciled: %d. Left out: %d.", p.Reconciled, p.Left)
	for _, l := range p.LeftOut {
		text += "\n" + l.Claim.String() + "  " + l.Reason.Message()
	}
	if p.Stage == remit.ReconcileUnderWay {
		text += "\nA worker goes on with the other claims: molar era show says how far it is."
	}
	return text
}

func unpostERA(b Backend) *cobra.Command {
	return deciding(b, "unpost ERA_ID", "Unpost a remittance",
		"Records that a remittance is no longer posted, to correct a mistake. The claims that its posting reconciled are\n"+
			"reopened, except those that a person changed since.",
		"  molar era unpost --org org_... --mode test era_...", "is not posted.",
		func(ctx context.Context, s *remittances.Service, call idempotency.Write[*remit.Record], id billing.ERAID) (caller.Reply, error) {
			return s.Unpost(ctx, call, id, intake.NoteRequest{})
		})
}

func acknowledgeERA(b Backend) *cobra.Command {
	return noting(b, "acknowledge ERA_ID", "Acknowledge that a payment does not add up",
		"Records who knows that a payment does not add up, and why. It then needs no attention for that reason.",
		"  molar era acknowledge --org org_... --mode test era_... --note 'The payer took a late charge.'",
		"why the difference is right, at most 400 characters (required)", "is acknowledged.", (*remittances.Service).Acknowledge)
}

func replaceERA(b Backend) *cobra.Command {
	return noting(b, "replace ERA_ID", "Replace a remittance with the correction that you name",
		"Takes back what was applied of the remittances that this one corrects, and applies this one in their place.\n"+
			"molar era show compares them. While one of the others is posted, run molar era unpost first.",
		"  molar era replace --org org_... --mode test era_... --note 'The payer confirmed the correction.'",
		"why, at most 400 characters; the history of changed claims keeps it", "stands in the place of what it corrects.", (*remittances.Service).Replace)
}

func keepERA(b Backend) *cobra.Command {
	return noting(b, "keep ERA_ID", "Discard the correction that you name",
		"Discards a correction: the remittances that it corrects stay as they are. It stays in the list.",
		"  molar era keep --org org_... --mode test era_... --note 'The payer withdrew it.'",
		"why, at most 400 characters", "is discarded.", (*remittances.Service).Keep)
}

// noting is a command that decides about a remittance, with a note.
func noting(
	b Backend, use, short, long, example, why, done string,
	do func(*remittances.Service, context.Context, idempotency.Write[*remit.Record], billing.ERAID, intake.NoteRequest) (caller.Reply, error),
) *cobra.Command {
	var in intake.NoteRequest
	c := deciding(b, use, short, long, example, done,
		func(ctx context.Context, s *remittances.Service, call idempotency.Write[*remit.Record], id billing.ERAID) (caller.Reply, error) {
			return do(s, ctx, call, id, in)
		})
	in.Note = c.Flags().String("note", "", why)
	return c
}

// deciding is a command that decides about a remittance, such as to post it.
func deciding(
	b Backend, use, short, long, example, done string,
	do func(ctx context.Context, s *remittances.Service, call idempotency.Write[*remit.Record], id billing.ERAID) (caller.Reply, error),
) *cobra.Command {
	return onERA(b, &cobra.Command{Use: use, Short: short, Long: long, Example: example},
		func(c *cobra.Command, s *remittances.Service, scope billing.Scope, id billing.ERAID) error {
			show := func(r *remit.Record) string { return r.ID.String() + " " + done }
			reply, err := do(c.Context(), s, administration(c, scope, show), id)
			return printed(c)(reply, explainERA(err, scope, id, ""))
		})
}
