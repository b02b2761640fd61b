// Package unavailablenet is the networks of live mode until a clearinghouse is
// configured. Every call returns an error that says so, and nothing is received.
package unavailablenet

import (
	"context"
	"errors"
	"io"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Eligibility refuses every inquiry.
type Eligibility struct{}

var _ ports.EligibilityNetwork = Eligibility{}

// Name is "unavailable".
func (Eligibility) Name() string { return "unavailable" }

// Available is always CodeEligibilityUnavailable.
func (Eligibility) Available() error {
	return &billing.Error{
		Code:    billing.CodeEligibilityUnavailable,
		Message: "Eligibility checks are not available in live mode yet. Use a test key.",
	}
}

// Inquire is always CodeEligibilityUnavailable.
func (e Eligibility) Inquire(context.Context, []byte) ([]byte, error) { return nil, e.Available() }

// Attachments refuses every attachment.
type Attachments struct{}

var _ ports.AttachmentNetwork = Attachments{}

// Available is always CodeAttachmentsUnavailable.
func (Attachments) Available() error {
	return &billing.Error{
		Code:    billing.CodeAttachmentsUnavailable,
		Message: "Attachments are not available in live mode yet. Use a test key.",
	}
}

// Open is always CodeAttachmentsUnavailable.
func (a Attachments) Open(context.Context, billing.Transmission) error { return a.Available() }

// Add is always CodeAttachmentsUnavailable. It does not read the content.
func (a Attachments) Add(context.Context, string, *billing.Document, io.Reader) error {
	return a.Available()
}

// Commit is always CodeAttachmentsUnavailable.
func (a Attachments) Commit(context.Context, string) error { return a.Available() }

// errNoClearinghouse is the error of live mode until a clearinghouse is
// configured.
var errNoClearinghouse = errors.New("unavailablenet: no clearinghouse is configured for live mode")

// Clearinghouse refuses every file and receives none.
type Clearinghouse struct{}

var _ ports.Clearinghouse = Clearinghouse{}

// Available is always an error: claims wait until a clearinghouse is configured.
func (Clearinghouse) Available() error { return errNoClearinghouse }

// Send always fails. It may be called again when a clearinghouse is configured.
func (c Clearinghouse) Send(context.Context, billing.Scope, string, []byte) error {
	return c.Available()
}

// Receive returns nothing.
func (Clearinghouse) Receive(context.Context, int) ([]billing.IncomingFile, error) { return nil, nil }

// Remove does nothing.
func (Clearinghouse) Remove(context.Context, string) error { return nil }
