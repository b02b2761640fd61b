package edi

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
)

// claimSize is what a claim of a few lines takes in a file, to make room once.
const claimSize = 1 << 10

// errFile is the error of a batch that no file can be made of.
var errFile = errors.New("edi: a file of claims needs a sender, a receiver, control numbers of at most nine digits, and claims with their offices")

// File writes the 837D of a batch: one transaction set, whose number is also
// its reference (BHT03), so that whatever comes back for it names the batch.
// Claims stand in the order of their offices and IDs, because those of an office
// share a level. A claim names at most ten attachments, and has room for five
// notes: those of attachments come first, then as much of its own as fits.
func (*Codec) File(f billing.ClaimsFile) ([]byte, error) {
	from, to := f.Envelope.Sender, f.Envelope.Receiver
	if f.Batch == nil || len(f.Claims) == 0 || from.ID == "" || to.ID == "" {
		return nil, errFile
	}
	numbers, created := f.Batch.File.ControlNumbers, f.Batch.CreatedAt.UTC()
	interchange, group := controlOf(numbers.Interchange), controlOf(numbers.Group)
	if interchange == 0 || group == 0 || controlOf(numbers.Transaction) == 0 {
		return nil, errFile
	}
	all, err := outgoing(f.Claims)
	if err != nil {
		return nil, err
	}
	contact := &all[0].Billing // the sender is the contact for the file
	b := claims.Batch{
		Interchange: x12.Interchange{
			SenderQualifier: from.Qualifier, Sender: from.ID, ReceiverQualifier: to.Qualifier, Receiver: to.ID,
			Created: created, Control: interchange, Test: f.Batch.Scope.Mode != billing.ModeLive,
		},
		Group:   x12.Group{Sender: from.ID, Receiver: to.ID, Created: created, Control: group},
		Control: numbers.Transaction, Reference: numbers.Transaction, CreatedAt: created,
		Submitter: claims.Submitter{Name: from.ID, ID: from.ID, Contact: contact.Name, Phone: contact.Phone},
		Receiver:  claims.Receiver{Name: to.ID, ID: to.ID},
		Claims:    all,
	}
	var out bytes.Buffer
	out.Grow(len(all) * claimSize)
	if err := claims.Encode(&out, &b); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// outgoing translates the claims, in the order of the file.
func outgoing(list []billing.OutgoingClaim) ([]claims.Claim, error) {
	list = slices.Clone(list)
	for i := range list {
		if list[i].Claim == nil || list[i].Office == nil {
			return nil, errFile
		}
	}
	slices.SortStableFunc(list, func(a, b billing.OutgoingClaim) int {
		if order := bytes.Compare(a.Office.ID[:], b.Office.ID[:]); order != 0 {
			return order
		}
		return bytes.Compare(a.Claim.ID[:], b.Claim.ID[:])
	})
	all := make([]claims.Claim, len(list))
	for i := range list {
		all[i] = outgoingClaim(&list[i])
	}
	return all, nil
}

// maxControl is how many digits control numbers of interchanges and groups have.
const maxControl = 9

// controlOf is a control number of ours; 0 for what is none.
func controlOf(s string) int {
	if s == "" || len(s) > maxControl || keep(s, isDigit) != s {
		return 0
	}
	n, _ := strconv.Atoi(s)
	return n
}
