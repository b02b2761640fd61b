package edi

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/network"
)

// claimSize is the typical size of a claim in a file. The buffer is allocated
// once, at this size for each claim.
const claimSize = 1 << 10

// errFile is the error for a batch that cannot be written as a file.
var errFile = errors.New("edi: a file of claims needs a sender, a receiver, control numbers of at most nine digits, and claims with their offices")

// File writes the 837D of a batch as one transaction set. The set's number is
// also its reference (BHT03), so that every reply to the file names the batch.
// File sorts the claims by office and ID, because the claims of an office share
// a level. It writes at most ten attachments and five notes for each claim, or fewer
// notes by the network's options. The notes for attachments come first; the claim's
// own note gets the space left.
func (*Codec) File(f network.ClaimsFile) ([]byte, error) {
	from, to, o := f.Envelope.Sender, f.Envelope.Receiver, &f.Options
	if f.Batch == nil || len(f.Claims) == 0 || from.ID == "" || to.ID == "" {
		return nil, errFile
	}
	numbers, created := f.Batch.File.ControlNumbers, f.Batch.CreatedAt.UTC()
	interchange, group := controlOf(numbers.Interchange), controlOf(numbers.Group)
	if interchange == 0 || group == 0 || controlOf(numbers.Transaction) == 0 {
		return nil, errFile
	}
	all, err := outgoing(&f)
	if err != nil {
		return nil, err
	}
	b := claims.Batch{
		Interchange: x12.Interchange{
			SenderQualifier: from.Qualifier, Sender: from.ID, ReceiverQualifier: to.Qualifier, Receiver: to.ID,
			Created: created, Control: interchange, Test: f.Envelope.Test(f.Batch.Scope.Mode),
		},
		Group:   x12.Group{Sender: cmp.Or(o.GroupSender, from.ID), Receiver: cmp.Or(o.GroupReceiver, to.ID), Created: created, Control: group},
		Control: numbers.Transaction, Reference: numbers.Transaction, CreatedAt: created,
		Submitter: submitterOf(cmp.Or(o.SubmitterName, from.ID), cmp.Or(o.SubmitterID, from.ID), all),
		Receiver:  claims.Receiver{Name: cmp.Or(o.ReceiverName, to.ID), ID: cmp.Or(o.ReceiverID, to.ID)},
		MostNotes: o.MaxNotes(),
		Claims:    all,
	}
	var out bytes.Buffer
	out.Grow(len(all) * claimSize)
	if err := claims.Encode(&out, &b); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// submitterOf returns the sender of the file. Its contact is the first office that has
// a telephone.
func submitterOf(name, id string, all []claims.Claim) claims.Submitter {
	s := claims.Submitter{Name: name, ID: id}
	for i := range all {
		if o := &all[i].Billing; o.Phone != "" {
			s.Contact, s.Phone = o.Contact, o.Phone
			if s.Contact == "" {
				s.Contact = o.Name
			}
			break
		}
	}
	return s
}

// outgoing translates the claims in the order of the file.
func outgoing(f *network.ClaimsFile) ([]claims.Claim, error) {
	list := f.Claims
	order := make([]*claim.OutgoingClaim, len(list))
	for i := range list {
		if order[i] = &list[i]; list[i].Claim == nil || list[i].Office == nil {
			return nil, errFile
		}
	}
	slices.SortStableFunc(order, func(a, b *claim.OutgoingClaim) int {
		if order := bytes.Compare(a.Office.ID[:], b.Office.ID[:]); order != 0 {
			return order
		}
		return bytes.Compare(a.Claim.ID[:], b.Claim.ID[:])
	})
	w := claimWriter{&f.Route, &f.Options}
	all := make([]claims.Claim, len(order))
	for i, o := range order {
		all[i] = w.claim(o)
	}
	return all, nil
}

// maxControl is the maximum number of digits in the control number of an
// interchange or a group.
const maxControl = 9

// controlOf parses a control number. It returns 0 if s is not one.
func controlOf(s string) int {
	if s == "" || len(s) > maxControl || keep(s, isDigit) != s {
		return 0
	}
	n, _ := strconv.Atoi(s)
	return n
}
