package scenarios

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Outside is what the use cases need of the sandbox itself.
type Outside struct {
	// ReadReply reads a payer's reply to a check. It returns the reply without the people
	// in it, and what the payer says there in words. The error of a reply that cannot be
	// used is CodeInvalidRequest, about the field x12, with the position.
	ReadReply func(x12 []byte) (content []byte, messages []string, err error)

	// ReadPlan makes a check of a payer with the plan. The error is CodeInvalidRequest with
	// each field of the plan that the check does not show.
	ReadPlan func(ctx context.Context, plan *scenario.Plan, now time.Time) error

	// ReadERA returns nil if a file can be read as an 835, or an error as that of ReadReply.
	ReadERA func(x12 []byte) error

	// Post puts a file into the clearinghouse, which returns it once it is due. It does
	// nothing for a name that it had in the last days.
	Post func(ctx context.Context, f clearing.IncomingFile, due time.Time) error
}

// SendERA puts an 835 into the clearinghouse of the sandbox, as if a payer had sent it. It
// returns the name of the file.
//
// Errors: those of the idempotency key, and CodeInvalidRequest for a file that is no 835.
func (s *Service) SendERA(ctx context.Context, call idempotency.Write[string], in intake.SandboxERA) (caller.Reply, error) {
	key := sha256.Sum256([]byte(call.Scope.Org.UUID() + " " + call.Request.Key))
	name := billing.FileID(key[:16]).String() + ".835"
	reply, err := idempotency.Once(ctx, s.store, call, func(context.Context, ports.Tx) (string, error) {
		if err := in.Check().Err(); err != nil {
			return "", err
		}
		return name, s.outside.ReadERA([]byte(in.X12))
	})
	if err != nil {
		return reply, err
	}
	now, err := lists.Read(ctx, s.store, call.Scope, func(_ context.Context, tx ports.Tx) (time.Time, error) { return tx.Clock.Now(), nil })
	if err != nil {
		return reply, err
	}
	// A repeated request posts again, because the first one may have ended before. The name
	// is the key's, so the clearinghouse has the file once.
	return reply, s.outside.Post(ctx, clearing.IncomingFile{Scope: call.Scope, Name: name, Content: []byte(in.X12)}, now)
}
