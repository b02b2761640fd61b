package network

import (
	"errors"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Transaction is a type of message that a network carries between practices and
// payers.
type Transaction string

// The transactions, each with its responses.
const (
	Eligibility Transaction = "eligibility"  // 270; 271
	Claims      Transaction = "claims"       // 837D; TA1, 997, 999, 277, 835
	Attachments Transaction = "attachments"  // narratives and images
	ClaimStatus Transaction = "claim_status" // 276; 277
)

// Unavailable returns the error for a caller when no network carries the
// transaction.
func (t Transaction) Unavailable() error {
	switch t {
	case Eligibility:
		return &billing.Error{Code: billing.CodeEligibilityUnavailable, Message: "No connection carries this eligibility check in live mode. Ask the operator of this service to add one, or use a test key."}
	case Attachments:
		return &billing.Error{Code: billing.CodeAttachmentsUnavailable, Message: "Attachments are not available in live mode yet. Use a test key."}
	case ClaimStatus:
		return &billing.Error{Code: billing.CodeUnavailable, Message: "No connection asks this payer about claims in live mode. Ask the operator of this service to add claim_status to one, or call the payer."}
	case Claims:
	}
	return &billing.Error{Code: billing.CodeUnavailable, Message: "No clearinghouse is configured for live mode."}
}

// ErrPaused is the cause of Transaction.Interrupted.
var ErrPaused = errors.New("the connection is paused, or cannot be opened")

// Interrupted returns the error for a caller while the connection that carries the
// transaction is paused, or cannot be opened. It has the code of Unavailable.
func (t Transaction) Interrupted() error {
	return &billing.Error{
		Cause:   ErrPaused,
		Code:    billing.CodeOf(t.Unavailable()),
		Message: "The connection to this payer is paused. The operator of this service can see why, and enable it again.",
	}
}

// Route lists the practices and payers that a network serves.
type Route struct {
	Mode   billing.Mode
	Org    billing.OrgID                     // zero for every organization
	Payers map[billing.PayerID][]Transaction // by payer; nil for all the network's transactions, to every payer

	// PayerIDs are the network's own IDs of payers, which may differ by transaction. A
	// payer without one has the same ID as here.
	PayerIDs map[billing.PayerID]map[Transaction]string
}

// Serves reports whether the route carries the transaction for the scope to at
// least one payer.
func (r *Route) Serves(scope billing.Scope, t Transaction) bool {
	if r.Mode != scope.Mode || !r.Org.IsZero() && r.Org != scope.Org {
		return false
	}
	for _, carried := range r.Payers {
		if slices.Contains(carried, t) {
			return true
		}
	}
	return r.Payers == nil
}

// Reaches reports whether the route carries the transaction from the scope to the
// payer.
func (r *Route) Reaches(scope billing.Scope, payer billing.PayerID, t Transaction) bool {
	return r.Serves(scope, t) && (r.Payers == nil || slices.Contains(r.Payers[payer], t))
}

// PayerID returns the ID of a payer in the network's messages.
func (r *Route) PayerID(payer directory.PayerSummary, t Transaction) string {
	if id := r.PayerIDs[payer.ID][t]; id != "" {
		return id
	}
	return payer.PayerID
}

// Payer returns a reference to the payer with an ID in files of the network: our ID
// of the payer, if the network has its own one for it, or else the ID as it is.
func (r *Route) Payer(id string) string {
	found := id
	for payer, own := range r.PayerIDs {
		switch stated := own[Claims]; {
		case stated == "" || !strings.EqualFold(stated, id):
		case found != id:
			return id // several payers share it
		default:
			found = payer.String()
		}
	}
	return found
}

// Envelope names the two ends of the interchanges on a network.
type Envelope struct {
	Sender   End
	Receiver End    // without an ID: the payer itself, under its payer ID
	Usage    string // ISA15: P for production, T for a test; empty for that of the mode
}

// Test reports whether interchanges of the mode are marked as a test.
func (e *Envelope) Test(mode billing.Mode) bool {
	if e.Usage != "" {
		return e.Usage != "P"
	}
	return mode != billing.ModeLive
}

// End is one end of an interchange (ISA05 and ISA06, ISA07 and ISA08).
type End struct {
	Qualifier string // such as "ZZ", mutually defined
	ID        string
}
