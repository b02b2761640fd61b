// Package attachmentsend sends attachments through their network.
package attachmentsend

import (
	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/workers"
)

// Handler sends up to parallel attachments at once.
func Handler(s *attachments.Service, parallel int) workers.Handler {
	return workers.Handler{Kind: jobs.KindAttachmentSend, Parallel: parallel, Do: s.Send, Fail: s.FailSend}
}
