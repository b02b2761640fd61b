package scenarios

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
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

	// Simulate writes the message of a step, and takes the claim out of those that wait.
	Simulate func(*scenario.Simulation) (*scenario.Simulated, error)

	// Networks lists the networks of the sandbox that carry claims of a scope.
	Networks func(billing.Scope) []string
}

// network is the name of the sandbox's own network.
const network = "sandbox"

// SendERA puts an 835 into the clearinghouse of the sandbox, as if a payer had sent it. It
// returns the name of the file.
//
// Errors: those of the idempotency key, and CodeInvalidRequest for a file that is no 835.
func (s *Service) SendERA(ctx context.Context, call idempotency.Write[string], in intake.SandboxERA) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (string, error) {
		if err := in.Check().Err(); err != nil {
			return "", err
		}
		file := scenario.Message{Content: []byte(in.X12), Due: tx.Clock.Now()}
		if err := s.outside.ReadERA(file.Content); err != nil {
			return "", err
		}
		file.Name = billing.NewID[billing.FileID](tx.Real.Now()).String() + ".835"
		return file.Name, tx.SandboxMail.Put(ctx, network, file)
	})
}
