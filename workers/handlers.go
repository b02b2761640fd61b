package workers

import (
	"context"
	"log/slog"

	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/claimstatus"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/core/sandbox"
	"github.com/molar-billing/molar/core/tasks"
	"github.com/molar-billing/molar/core/webhooks"
	"github.com/molar-billing/molar/ports"
)

// checksPerPlace is how many checks a process asks payers about for each job of another
// kind. A check is little more than a call that waits, mostly for a second or more.
const checksPerPlace = 8

// Places returns how many jobs of a kind one process runs at once, for the relay. The kinds
// that are left out run few.
func Places(parallel int) map[jobs.Kind]int {
	return map[jobs.Kind]int{
		jobs.KindEligibility: checksPerPlace * parallel, jobs.KindBatchEligibility: checksPerPlace * parallel, jobs.KindCheckBatch: parallel, jobs.KindClaimStatus: checksPerPlace * parallel, jobs.KindStatusPolicy: parallel, jobs.KindAttachmentSend: parallel, jobs.KindBatchSend: parallel,
		jobs.KindEnrollment: parallel, jobs.KindERA: parallel, jobs.KindPosting: parallel, jobs.KindTasks: parallel, jobs.KindSecondPlan: parallel,
	}
}

// Eligibility asks payers about checks, checksPerPlace times as many at once as parallel.
func Eligibility(s *eligibility.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindEligibility, Parallel: checksPerPlace * parallel, Do: s.Answer, Fail: s.Fail}
}

// BatchEligibility asks payers about checks of batches. They have places of their own, so that
// a check for which a person waits stands behind none of them.
func BatchEligibility(s *eligibility.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindBatchEligibility, Parallel: checksPerPlace * parallel, Do: s.Answer, Fail: s.Fail}
}

// CheckBatch finds the next checks of up to parallel batches at once.
func CheckBatch(s *eligibility.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindCheckBatch, Parallel: parallel, Do: s.Feed, Fail: s.FailFeed}
}

// ClaimStatus asks payers about claims, as many at once as about coverage.
func ClaimStatus(s *claimstatus.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindClaimStatus, Parallel: checksPerPlace * parallel, Do: s.Answer, Fail: s.Fail}
}

// StatusPolicy finds the claims that up to parallel policies have asked about.
func StatusPolicy(s *claimstatus.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindStatusPolicy, Parallel: parallel, Do: s.Feed, Fail: s.FailFeed}
}

// AttachmentSend sends up to parallel attachments at once.
func AttachmentSend(s *attachments.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindAttachmentSend, Parallel: parallel, Do: s.Send, Fail: s.FailSend}
}

// PNGConvert converts one PNG at a time: each needs a processor and much
// memory. To convert more at once, run more processes.
func PNGConvert(s *attachments.Service) Handler {
	return Handler{Kind: jobs.KindPNGConvert, Parallel: 1, Do: s.Convert, Fail: s.FailConvert}
}

// Thumbnail makes one thumbnail at a time.
func Thumbnail(s *attachments.Service) Handler {
	return Handler{Kind: jobs.KindThumbnail, Parallel: 1, Do: s.MakeThumbnail, Fail: s.FailThumbnail}
}

// BatchSend hands up to parallel batches to the clearinghouse at once.
func BatchSend(s *batches.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindBatchSend, Parallel: parallel, Do: s.Send, Fail: s.FailSend}
}

// Enrolled checks the claims again that waited for up to parallel enrollments at once.
func Enrolled(s *claims.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindEnrollment, Parallel: parallel, Do: s.Enrolled, Fail: s.FailEnrolled}
}

// Advance drives the advances of up to parallel sandbox clocks at once.
func Advance(s *sandbox.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindAdvance, Parallel: parallel, Do: s.Drive, Fail: s.FailDrive}
}

// Reset removes what up to parallel organizations have in test mode at once.
func Reset(s *sandbox.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindReset, Parallel: parallel, Do: s.DriveReset, Fail: s.FailReset}
}

// ReceivedFiles applies one received file at a time: a large one needs much memory. To
// apply those of several connections at once, run more processes.
func ReceivedFiles(s *batches.Service, log *slog.Logger) Handler {
	return Handler{Kind: jobs.KindReceivedFile, Parallel: 1, Fail: s.FailReceived, Do: func(ctx context.Context, j jobs.Job) error {
		got, err := s.ApplyReceived(ctx, j)
		logReceived(ctx, got, log)
		return err
	}}
}

// ERA matches up to parallel remittances at once and applies them to claims,
// those of one scope in turn.
func ERA(s *remittances.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindERA, Parallel: parallel, Do: s.Apply, Fail: s.FailApply}
}

// Posting goes on with the claims of up to parallel remittances that were posted or unposted, and
// posts those that a rule is for.
func Posting(s *remittances.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindPosting, Parallel: parallel, Do: s.FollowPosting, Fail: s.FailPosting}
}

// Tasks computes the tasks of up to parallel scopes again.
func Tasks(s *tasks.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindTasks, Parallel: parallel, Do: s.Follow, Fail: s.FailFollow}
}

// SecondPlan looks at the claims of up to parallel patients at once.
func SecondPlan(s *tasks.Service, parallel int) Handler {
	return Handler{Kind: jobs.KindSecondPlan, Parallel: parallel, Do: s.FollowChecks, Fail: s.FailFollow}
}

// laneCalls is the number of calls of webhook lanes that are read from the
// queue at once. They cost no time: a call has no row, no lease and is never
// tried again.
const laneCalls = 64

// Webhooks passes the calls of webhook lanes to the dispatcher until ctx ends.
func Webhooks(ctx context.Context, queue ports.Queue, d *webhooks.Dispatcher) error {
	return queue.Consume(ctx, jobs.KindWebhook, laneCalls, func(_ context.Context, call ports.Message) ports.Verdict {
		d.Call(call.Job) //nolint:contextcheck // a lane outlives the call
		return ports.Finished
	})
}
