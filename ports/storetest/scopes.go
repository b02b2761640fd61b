package storetest

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/ports"
)

// testAttachmentScopes reads and writes one scope's claims, attachments and
// payer requests from other scopes.
func testAttachmentScopes(b *scoped) {
	t := b.t
	c, r, a, d, u := b.claim(0), b.payerRequest(0), b.attachment(0), b.document(0), b.upload(0)
	b.insertAttachments(a)
	b.addDocument(a, d)
	b.receive(u)
	b.insertRequests(r)
	if err := b.insertClaim(c); err != nil {
		t.Fatal(err)
	}
	announced, answered, settled := *a, *r, *u
	announced.Narrative, settled.State = "changed", attachment.UploadDone
	announced.Documents = nil // as when it was stored: another task of it would be a write of its own, which is refused as an error
	answeredRequest(&answered)
	b.elsewhere(func(ctx context.Context, tx ports.Tx, mode billing.Mode) error {
		for what, read := range map[string]func() error{
			"claim":              func() error { _, err := tx.Claims.Get(ctx, c.ID); return err },
			"attachment":         func() error { _, err := tx.Attachments.Get(ctx, a.ID); return err },
			"attachment to lock": func() error { _, err := tx.Attachments.Lock(ctx, a.ID); return err },
			"upload":             func() error { _, err := tx.Documents.Upload(ctx, u.Document.ID); return err },
			"request":            func() error { _, err := tx.PayerRequests.Get(ctx, r.ID); return err },
			"request to lock":    func() error { _, err := tx.PayerRequests.Lock(ctx, r.ID); return err },
		} {
			wantCode(t, what, read(), billing.CodeNotFound)
		}
		attachments, err1 := tx.Attachments.List(ctx, attachment.Filter{}, billing.Page{Limit: 10})
		requests, err2 := tx.PayerRequests.List(ctx, attachment.PayerRequestFilter{}, billing.Page{Limit: 10})
		did, err3 := tx.Documents.Settle(ctx, &settled)
		if len(attachments)+len(requests) > 0 || did {
			t.Errorf("%s sees another scope's rows", mode)
		}
		return errors.Join(err1, err2, err3, tx.Attachments.Save(ctx, &announced), tx.PayerRequests.Save(ctx, &answered),
			tx.Documents.Delete(ctx, d.ID))
	})
	for _, other := range b.others() { // neither scope sees a document for another scope's attachment
		_ = b.try(other, func(ctx context.Context, tx ports.Tx) error { return tx.Documents.Insert(ctx, a.ID, b.document(1)) })
	}
	equal(t, "attachment", b.getAttachment(a.ID), a)
	equal(t, "upload", b.getUpload(u.Document.ID), u)
	equal(t, "payer request", b.getRequest(r.ID), r)
}
