package billing

import "time"

// Hold is the reason for which a queued claim of live mode is in no batch. The claim
// goes out with the first batch after the reason has gone.
type Hold string

// The reasons.
const (
	HoldNoClearinghouse Hold = "no_clearinghouse" // no network carries the organization's claims
	HoldNoRoute         Hold = "no_route"         // none carries claims to the payer
	HoldPaused          Hold = "paused"           // the connection to the payer is paused
	HoldOffice          Hold = "office"           // the operator has not verified the office
	HoldEnrollment      Hold = "enrollment"       // the payer has not enrolled the office
)

// Held returns the reason for which a claim of live mode that a network can carry is
// not sent; empty for none. The store selects claims for batches by the same rule.
func Held(o *Office, e EnrollmentState) Hold {
	switch {
	case o.VerifiedAt.IsZero():
		return HoldOffice
	case e.Blocks():
		return HoldEnrollment
	}
	return ""
}

// nextStep returns what a biller does about the reason.
func (h Hold) nextStep() string {
	switch h {
	case HoldNoClearinghouse:
		return "The claim goes out with the next batch once a clearinghouse is configured for live mode."
	case HoldNoRoute:
		return "The claim goes out with the next batch once a clearinghouse is configured for this payer."
	case HoldPaused:
		return "The claim waits for the connection to this payer, which is paused: ask the operator of the service to enable it again."
	case HoldOffice:
		return "The claim waits for its office: ask the operator of the service to verify the office."
	case HoldEnrollment:
		return "The claim waits for the enrollment of its office with the payer: record it as active once the network confirms it."
	}
	return ""
}

// lateStep returns what a biller does when the operator has to look after the claim's
// file; empty otherwise.
func (r *ClaimRecord) lateStep() string {
	switch b := r.Batch; {
	case b == nil:
	case r.State == ClaimQueued && !b.UnknownSince.IsZero():
		return "It has been unknown since " + day(b.UnknownSince) +
			" whether the clearinghouse has the claim: ask the operator of the service to ask the clearinghouse."
	case r.State == ClaimQueued && b.Delayed():
		return "The clearinghouse has not taken the claim's file since " + day(b.DelayedSince) +
			": ask the operator of the service to check the connection."
	case r.State == ClaimSubmitted && len(b.Overdue) > 0:
		return "The clearinghouse has not acknowledged the claim since it was sent on " + day(b.SentAt) +
			": ask the operator of the service to ask the clearinghouse."
	}
	return ""
}

func day(t time.Time) string { return t.UTC().Format("January 2, 2006") }
