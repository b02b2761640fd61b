// Package jobs defines the messages on the queue: the kinds of work and their
// payloads. A payload holds a scope and IDs, never patient data; the worker
// reads the rest from the store.
package jobs

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Kind is a kind of work, and the name of its queue.
type Kind string

// The kinds.
const (
	KindEligibility Kind = "eligibility" // ask the payer and complete the check

	KindBatchEligibility Kind = "batch_eligibility" // the same for a check of a batch
	KindCheckBatch       Kind = "check_batch"       // ask for the next checks of a batch
	KindClaimStatus      Kind = "claim_status"      // ask the payer about a claim and complete the inquiry
	KindStatusPolicy     Kind = "status_policy"     // ask a payer about the claims that are due
	KindAttachmentSend   Kind = "attachment_send"   // send an attachment and close it
	KindPNGConvert       Kind = "png_convert"       // convert an uploaded PNG to a document
	KindThumbnail        Kind = "thumbnail"         // make the thumbnail of a document
	KindBatchSend        Kind = "batch_send"        // hand a batch to the clearinghouse
	KindReceivedFile     Kind = "received_file"     // apply a file of a connection
	KindERA              Kind = "era"               // match a remittance and apply it
	KindPosting          Kind = "posting"           // post a remittance by a rule, and reconcile or reopen its claims
	KindTasks            Kind = "tasks"             // compute the tasks of an organization again
	KindSecondPlan       Kind = "second_plan"       // look again which plans of a patient its claims can be billed to
	KindEnrollment       Kind = "enrollment"        // check the claims again that waited for an enrollment
	KindAdvance          Kind = "advance"           // advance the sandbox clock of an organization
	KindReset            Kind = "reset"             // remove what an organization has in test mode
	KindWebhook          Kind = "webhook"           // post the due deliveries of an endpoint; see ports.Lanes
)

// Kinds lists every kind.
func Kinds() []Kind {
	return []Kind{
		KindEligibility, KindBatchEligibility, KindCheckBatch, KindClaimStatus, KindStatusPolicy, KindAttachmentSend, KindPNGConvert, KindThumbnail, KindBatchSend, KindReceivedFile, KindERA, KindPosting, KindTasks, KindSecondPlan, KindEnrollment, KindAdvance,
		KindReset, KindWebhook,
	}
}

// Together reports whether a process ends jobs of the kind together: those of a scope that end at the same time are
// stored by one transaction. So one process with many of them costs less than many with few.
func (k Kind) Together() bool { return k == KindEligibility || k == KindBatchEligibility }

// Job is a unit of work. It is staged in the commit that makes the work
// necessary, published after that commit, and removed in the commit of its
// effect.
type Job struct {
	ID        billing.JobID // the outbox gives one
	Kind      Kind
	Scope     billing.Scope // without an organization for a file of the deployment's connection
	Subject   [16]byte      // the ID of the resource that the work is on
	ReplyTo   string        // address of the instance that waits for the effect; empty for none
	NotBefore time.Time     // zero for immediately
	Together  bool          // of a Kind.Together, published while others of its stream are in flight; in no message
}

// ForERA returns a job that matches and applies the remittance.
func ForERA(scope billing.Scope, id billing.ERAID) Job {
	return Job{Kind: KindERA, Scope: scope, Subject: id}
}

// ForPosting returns a job that goes on with what the posting of the remittance does with claims,
// or posts it by a rule.
func ForPosting(scope billing.Scope, id billing.ERAID) Job {
	return Job{Kind: KindPosting, Scope: scope, Subject: id}
}

// ForTasks returns a job that computes the tasks of a scope again.
func ForTasks(scope billing.Scope) Job {
	return Job{Kind: KindTasks, Scope: scope, Subject: scope.Org}
}

// ForSecondPlan returns a job that looks again which plans of a patient its claims can be billed to.
func ForSecondPlan(scope billing.Scope, id billing.PatientID) Job {
	return Job{Kind: KindSecondPlan, Scope: scope, Subject: id}
}

// Resource returns the ID of the resource that the work is on, as clients see it.
func (j Job) Resource() string {
	switch j.Kind {
	case KindEligibility, KindBatchEligibility:
		return billing.CheckID(j.Subject).String()
	case KindCheckBatch:
		return billing.CheckBatchID(j.Subject).String()
	case KindClaimStatus:
		return billing.StatusInquiryID(j.Subject).String()
	case KindStatusPolicy:
		return billing.StatusPolicyID(j.Subject).String()
	case KindAttachmentSend:
		return billing.AttachmentID(j.Subject).String()
	case KindPNGConvert, KindThumbnail:
		return billing.DocumentID(j.Subject).String()
	case KindBatchSend, KindReceivedFile:
		return billing.FileID(j.Subject).String()
	case KindERA, KindPosting:
		return billing.ERAID(j.Subject).String()
	case KindSecondPlan:
		return billing.PatientID(j.Subject).String()
	case KindEnrollment:
		return billing.EnrollmentID(j.Subject).String()
	case KindAdvance, KindReset, KindTasks:
		return billing.OrgID(j.Subject).String()
	case KindWebhook:
		return billing.WebhookEndpointID(j.Subject).String()
	}
	return ""
}

// Stream is the jobs of one kind and scope. Streams take turns.
type Stream struct {
	Kind  Kind
	Scope billing.Scope
}

// Stream returns the stream of the job.
func (j Job) Stream() Stream { return Stream{j.Kind, j.Scope} }

// DoneError is the error of a job that its use case has nevertheless ended or
// postponed. The log shows the cause, and no attempt counts as failed.
type DoneError struct{ Cause error }

func (e *DoneError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause, for errors.Is and errors.AsType.
func (e *DoneError) Unwrap() error { return e.Cause }

// message is a Job as it crosses the queue. The version changes when an older
// worker could not read it.
type message struct {
	Version int           `json:"v"`
	ID      billing.JobID `json:"id"`
	Kind    Kind          `json:"kind"`
	Org     billing.OrgID `json:"org"`
	Mode    billing.Mode  `json:"mode"`
	Subject billing.JobID `json:"subject"`
	ReplyTo string        `json:"reply_to,omitempty"`
}

const version = 1

// Encode returns the message of the job.
func (j Job) Encode() []byte {
	b, err := json.Marshal(message{version, j.ID, j.Kind, j.Scope.Org, j.Scope.Mode, j.Subject, j.ReplyTo})
	if err != nil {
		panic("jobs: " + err.Error()) // every field is text
	}
	return b
}

// Decode reads a message. An error means that no worker of this version can
// ever do the work.
func Decode(b []byte) (Job, error) {
	var m message
	if err := json.Unmarshal(b, &m); err != nil {
		return Job{}, fmt.Errorf("decode job: %w", err)
	}
	if m.Version != version || m.ID.IsZero() || m.Subject.IsZero() {
		return Job{}, fmt.Errorf("decode job: version %d, want %d with an ID and a subject", m.Version, version)
	}
	return Job{ID: m.ID, Kind: m.Kind, Scope: billing.Scope{Org: m.Org, Mode: m.Mode}, Subject: m.Subject, ReplyTo: m.ReplyTo}, nil
}
