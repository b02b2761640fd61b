package records

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Progress is how far the archive of an organization is.
type Progress struct {
	Done, All int64  // rows of the large parts; All is of the start, so Done may be more in the end
	Part      string // what is being written, such as "claims"
}

// Totals is what the archive of an organization has.
type Totals struct {
	Rows    map[string]int64 // by part, which is also its folder
	Files   int64            // X12 files and messages
	Images  int64
	Missing int64 // images that the blob store does not have; missing_images names them
}

// organization is an archive of an organization that is being written.
type organization struct {
	reading

	out      *tarball
	totals   Totals
	sizes    map[string]int64
	at       Progress
	progress func(Progress)
}

// ExportOrganization writes all that an organization has in a mode into an archive (tar, gzip): resources
// as the API shows them, one JSON object a line, the files and messages as they were sent and
// received, and images. Memory does not grow with the archive. It reads a page at a time, so what
// changes meanwhile may be there in either state. Secrets and passwords are left out. It returns
// CodeNotFound if there is no such organization.
func (s *Service) ExportOrganization(ctx context.Context, scope billing.Scope, to io.Writer, progress func(Progress)) (Totals, error) {
	o := &organization{reading: reading{s, ctx, scope}, totals: Totals{Rows: map[string]int64{}}, progress: progress}
	var at time.Time
	self, err := lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (self *caller.Organization, err error) {
		at = tx.Real.Now().Time
		if self, err = tx.Organization.Get(ctx); err == nil {
			o.sizes, err = tx.Records.Sizes(ctx)
		}
		return self, err
	})
	if err != nil {
		return Totals{}, err
	}
	for _, n := range o.sizes {
		o.at.All += n
	}
	o.out = newTarball(to, at)
	if err := o.parts(self); err != nil {
		return Totals{}, err
	}
	if err := o.out.write("README.txt", o.readme(self)); err != nil {
		return Totals{}, err
	}
	return o.totals, o.out.close()
}

func (o *organization) parts(self *caller.Organization) error {
	for _, part := range organizationParts() {
		if part.name == "organizations" {
			if err := o.shown("organizations", self); err != nil {
				return err
			}
		} else if err := part.write(o); err != nil {
			return err
		}
		for _, folder := range append([]string{part.name}, part.more...) {
			if err := o.out.end(folder); err != nil {
				return err
			}
		}
	}
	return o.out.end("missing_images")
}

// add adds a row to a part.
func (o *organization) add(part string, row any) error {
	o.totals.Rows[part]++
	if _, large := o.sizes[part]; large {
		o.at.Done++
	}
	o.at.Part = part
	o.progress(o.at)
	return o.out.line(part, row)
}

// shown adds a resource as the API shows it.
func (o *organization) shown(part string, resource any) error {
	json, err := o.Render(resource)
	if err != nil {
		return fmt.Errorf("write %s: %w", part, err)
	}
	return o.add(part, json)
}

// file writes a file that was sent or received.
func (o *organization) file(name string, content []byte) error {
	o.totals.Files++
	return o.out.write(name, content)
}

// listed writes each row of a list as the API shows it.
func listed[T lists.Row](part string, list func(context.Context, ports.Tx, billing.Page) ([]T, error)) func(*organization) error {
	return func(o *organization) error {
		return every(o.reading, list, func(row T) error { return o.shown(part, row) })
	}
}

// exchanged is a check with its messages.
type exchanged struct {
	*coverage.Amended

	messages coverage.CheckExchange
}

func (o *organization) checks() error {
	return every(o.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]exchanged, error) {
		all, err := tx.Checks.List(ctx, coverage.CheckFilter{}, p)
		out := make([]exchanged, len(all))
		for i, c := range all {
			if err == nil {
				out[i].messages, err = tx.Exchanges.Get(ctx, c.ID)
			}
			if err == nil {
				out[i].Amended, err = lists.Amend(ctx, tx, c)
			}
		}
		return out, err
	}, func(e exchanged) error {
		if err := o.messages(e.ID.String(), e.messages.Messages); err != nil {
			return err
		}
		for _, a := range e.Additions {
			if a.CheckID == e.ID {
				if err := o.add("check_additions", a.Data()); err != nil {
					return err
				}
			}
		}
		return o.shown("eligibility_checks", e.Check)
	})
}

// messages writes what was sent to a payer and received, by the ID of what it is about.
func (o *organization) messages(of string, all []coverage.Exchange) error {
	for i, m := range all {
		for _, side := range []struct {
			name    string
			content []byte
		}{{"sent", m.Request}, {"received", m.Reply}} {
			if len(side.content) == 0 {
				continue
			}
			if err := o.file(fmt.Sprintf("messages/%s-%d-%s.txt", of, i+1, side.name), side.content); err != nil {
				return err
			}
		}
	}
	return nil
}

// asked is an inquiry about a claim with its messages.
type asked struct {
	*claimstatus.Inquiry

	messages []coverage.Exchange
}

func (o *organization) statusInquiries() error {
	return every(o.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]asked, error) {
		return askedOf(ctx, tx, claimstatus.Filter{}, p)
	}, func(a asked) error {
		if err := o.messages(a.ID.String(), a.messages); err != nil {
			return err
		}
		return o.shown("status_inquiries", a.Inquiry)
	})
}

// askedOf reads a page of inquiries about claims with their messages.
func askedOf(ctx context.Context, tx ports.Tx, f claimstatus.Filter, p billing.Page) ([]asked, error) {
	all, err := tx.StatusInquiries.List(ctx, f, p)
	out := make([]asked, len(all))
	for i, one := range all {
		var sent claimstatus.Exchanged
		if err == nil {
			sent, err = tx.StatusInquiries.Exchanged(ctx, one.ID)
		}
		out[i] = asked{one, sent.Messages}
	}
	return out, err
}

// appealsOf reads a page of appeals with what was paid after them.
func appealsOf(ctx context.Context, tx ports.Tx, f appeal.Filter, p billing.Page) ([]*appeal.Appeal, error) {
	all, err := tx.Appeals.List(ctx, f, p)
	if err != nil {
		return nil, err
	}
	return all, lists.PaidAfter(ctx, tx, all...)
}

func (o *organization) claims() error {
	return every(o.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*claim.Record, error) {
		return tx.Claims.List(ctx, claim.Filter{}, p)
	}, func(c *claim.Record) error {
		whole, err := o.Claim(o.ctx, o.scope, c.ID)
		if err != nil {
			return err
		}
		return o.shown("claims", whole)
	})
}

// remittances writes remittances, their claims, and their files. One that is still being imported
// comes when that has ended.
func (o *organization) remittances() error {
	return every(o.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*remit.ERA, error) {
		return tx.ERAs.List(ctx, remit.Filter{}, p)
	}, func(e *remit.ERA) error {
		whole, err := o.Remittance(o.ctx, o.scope, e.ID)
		if err != nil {
			return err
		}
		whole.Claims = nil // they are a part of their own
		if err := o.shown("eras", whole); err != nil {
			return err
		}
		content, err := lists.Read(o.ctx, o.store, o.scope, func(ctx context.Context, tx ports.Tx) ([]byte, error) {
			return tx.ERAs.Content(ctx, e.ID)
		})
		if err != nil {
			return err
		}
		if err := o.file("files/"+e.ID.String()+".835", content); err != nil {
			return err
		}
		return o.remittanceClaims(e.ID)
	})
}

func (o *organization) remittanceClaims(id billing.ERAID) error {
	for after := 0; ; {
		found, err := lists.Read(o.ctx, o.store, o.scope, func(ctx context.Context, tx ports.Tx) ([]*remit.Claim, error) {
			return tx.RemittanceClaims.List(ctx, id, after, billing.MaxPageLimit)
		})
		if err != nil || len(found) == 0 {
			return err
		}
		for _, c := range found {
			after = c.Ordinal
			shown, err := o.Render(c)
			if err != nil {
				return err
			}
			if err := o.add("era_claims", ofRemittance{id, shown}); err != nil {
				return err
			}
		}
	}
}

func (o *organization) attachments() error {
	return every(o.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*attachment.Attachment, error) {
		return tx.Attachments.List(ctx, attachment.Filter{}, p)
	}, func(a *attachment.Attachment) error {
		for _, d := range a.Documents {
			if err := o.image(a.ID, d); err != nil {
				return err
			}
		}
		return o.shown("attachments", a)
	})
}

// image copies an image, or notes that the blob store lacks it.
func (o *organization) image(of billing.AttachmentID, d *attachment.Document) error {
	o.totals.Rows["documents"]++
	if _, large := o.sizes["documents"]; large {
		o.at.Done++
	}
	content, size, err := o.blobs.Open(o.ctx, d.Blob())
	if billing.IsNotFound(err) {
		o.totals.Missing++
		return o.out.line("missing_images", missingImage{of, d.ID})
	}
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // it is only read
	o.totals.Images++
	return o.out.copy(fmt.Sprintf("images/%s-%s.jpg", of, d.ID), content, size)
}

func (o *organization) batches() error {
	return every(o.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*clearing.Batch, error) {
		return tx.Batches.List(ctx, p)
	}, func(b *clearing.Batch) error {
		content, err := lists.Read(o.ctx, o.store, o.scope, func(ctx context.Context, tx ports.Tx) ([]byte, error) {
			return tx.Batches.Content(ctx, b.ID)
		})
		if err != nil {
			return err
		}
		if err := o.file("files/"+b.ID.String()+".837", content); err != nil {
			return err
		}
		o.totals.Rows["batch_acknowledgements"] += int64(len(b.Acknowledgements))
		return o.shown("batches", b)
	})
}

// disclosures are few: a person orders each.
func (o *organization) disclosures() error {
	found, err := lists.Read(o.ctx, o.store, o.scope, func(ctx context.Context, tx ports.Tx) ([]*directory.Disclosure, error) {
		return tx.Records.Disclosures(ctx, billing.PatientID{})
	})
	for _, d := range found {
		if err == nil {
			err = o.add("disclosures", ofPatient{d.Patient, disclosureJSON{d.To, d.Purpose, d.By, event.Timestamp(d.At)}})
		}
	}
	return err
}
