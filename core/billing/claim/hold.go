package claim

import "github.com/molar-billing/molar/core/billing/directory"

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
	HoldRestore         Hold = "restore"          // the operator has not resumed the service after a restore of its database
)

// Held returns the reason for which a claim of live mode that a network can carry is
// not sent; empty for none. The store selects claims for batches by the same rule.
func Held(o *directory.Office, e directory.EnrollmentState) Hold {
	switch {
	case o.VerifiedAt.IsZero():
		return HoldOffice
	case e.Blocks():
		return HoldEnrollment
	}
	return ""
}
