// Package records answers a patient who asks what is stored, and lets an organization leave.
package records

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of the records of a patient, and of an organization.
type Service struct {
	store ports.Store
	blobs ports.Blobs
	Outside
}

// Outside is what other parts know of the records.
type Outside struct {
	// Claim reads a claim with all that is kept of it.
	Claim func(ctx context.Context, scope billing.Scope, id billing.ClaimID) (*claim.Record, error)

	// Remittance reads a remittance as GET /eras/{id} shows it.
	Remittance func(ctx context.Context, scope billing.Scope, id billing.ERAID) (*remit.Record, error)

	// Render returns a resource as the API shows it.
	Render func(resource any) (json.RawMessage, error)

	// Remember keeps, encrypted and outside the database, what a restored one must learn.
	Remember func(ctx context.Context, name string, what any) error

	// BeginErasure stores an erasure as the owner of the database.
	BeginErasure func(ctx context.Context, e *directory.Erasure) error
}

// New creates the use cases.
func New(store ports.Store, blobs ports.Blobs, outside Outside) *Service {
	return &Service{store, blobs, outside}
}

// Counts is what an archive has.
type Counts struct {
	Checks, Messages, Visits, Estimates, Claims, Inquiries, Answers, Appeals, Payments, Attachments, Images, PayerRequests, Notes, Events, Reads, Disclosures int

	Missing []string // images that the blob store does not have
	Files   []string // in which other patients may be, too; their content is left out
}

// archive is an archive that is being written.
type archive struct {
	person

	zip    *zip.Writer
	at     time.Time
	counts Counts
	about  [][16]byte // resources, whose events are written
	files  []string
}

// Export writes all that is kept about a patient into a ZIP archive: JSON as the API shows
// it, the messages of checks as they were sent, images, and who saw it. If the archive is for
// somebody else, it stores the disclosure first. It returns CodeNotFound if there is no such
// patient.
func (s *Service) Export(
	ctx context.Context, scope billing.Scope, patient billing.PatientID, to io.Writer, disclosed *directory.Disclosure,
) (Counts, error) {
	a := &archive{person: person{reading{s, ctx, scope}, patient}, zip: zip.NewWriter(to)}
	person, err := lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*directory.Patient, error) {
		a.at = tx.Real.Now().Time
		return tx.Patients.Get(ctx, patient)
	})
	if err != nil {
		return Counts{}, err
	}
	if disclosed != nil {
		d := *disclosed
		d.Patient, d.At = patient, a.at
		if err := s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error { return tx.Records.Disclose(ctx, &d) }); err != nil {
			return Counts{}, err
		}
	}
	a.about = append(a.about, patient)
	if err := a.add("patient.json", person); err != nil {
		return Counts{}, err
	}
	for _, part := range []func() error{a.checks, a.visits, a.estimates, a.claims, a.payments, a.attachments, a.payerRequests, a.notes, a.events, a.access, a.disclosures, a.readme} {
		if err := part(); err != nil {
			return Counts{}, err
		}
	}
	if err := a.zip.Close(); err != nil {
		return Counts{}, fmt.Errorf("write the archive: %w", err)
	}
	return a.counts, nil
}

// add writes a resource as the API shows it.
func (a *archive) add(name string, resource any) error {
	shown, err := a.Render(resource)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return a.addJSON(name, shown)
}

func (a *archive) addJSON(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return a.write(name, append(text, '\n'))
}

func (a *archive) create(name string) (io.Writer, error) {
	return a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at})
}

func (a *archive) write(name string, content []byte) error {
	w, err := a.create(name)
	if err == nil {
		_, err = w.Write(content)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (a *archive) checks() error {
	return a.eachCheck(func(c *coverage.Check) error {
		a.counts.Checks++
		a.about = append(a.about, c.ID)
		var sent coverage.CheckExchange
		amended, err := lists.Read(a.ctx, a.store, a.scope, func(ctx context.Context, tx ports.Tx) (_ *coverage.Amended, err error) {
			if sent, err = tx.Exchanges.Get(ctx, c.ID); err != nil {
				return nil, err
			}
			return lists.Amend(ctx, tx, c)
		})
		if err == nil {
			err = a.add(fmt.Sprintf("checks/%s.json", c.ID), amended)
		}
		if err != nil {
			return err
		}
		return a.messages(&a.counts.Messages, "checks/"+c.ID.String(), sent.Messages)
	})
}

// visits writes the items of batches of checks: what the schedule of a day had of the patient. Those
// that were not asked have no check.
func (a *archive) visits() error {
	return a.eachVisit(func(i *coverage.BatchItem) error {
		a.counts.Visits++
		a.about = append(a.about, i.ID)
		return a.add(fmt.Sprintf("visits/%s.json", i.ID), i)
	})
}

// messages writes and counts what was sent to a payer and received, under the beginning of a name.
func (a *archive) messages(count *int, name string, all []coverage.Exchange) error {
	for i, m := range all {
		for what, content := range map[string][]byte{"sent": m.Request, "received": m.Reply} {
			if len(content) == 0 {
				continue
			}
			*count++
			if err := a.write(fmt.Sprintf("%s-%d-%s.txt", name, i+1, what), content); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *archive) claims() error {
	return a.eachClaim(func(c *claim.Record) error {
		a.counts.Claims++
		a.about = append(a.about, c.ID)
		whole, err := a.Claim(a.ctx, a.scope, c.ID)
		if err != nil {
			return err
		}
		for _, h := range whole.History {
			if h.File != "" && !slices.Contains(a.files, h.File) {
				a.files = append(a.files, h.File)
			}
		}
		if err := a.add(fmt.Sprintf("claims/%s.json", c.ID), whole); err != nil {
			return err
		}
		if err := a.asked(c.ID); err != nil {
			return err
		}
		return a.appeals(c.ID)
	})
}

// appeals writes the appeals of a claim, with their letters.
func (a *archive) appeals(id billing.ClaimID) error {
	return a.eachAppeal(id, func(one *appeal.Appeal) error {
		a.counts.Appeals++
		return a.add(fmt.Sprintf("appeals/%s.json", one.ID), one)
	})
}

// asked writes what the payer answered about a claim, with the messages as they were.
func (a *archive) asked(id billing.ClaimID) error {
	return every(a.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]asked, error) {
		return askedOf(ctx, tx, claimstatus.Filter{ClaimID: id}, p)
	}, func(one asked) error {
		a.counts.Inquiries++
		if err := a.messages(&a.counts.Answers, "status_inquiries/"+one.ID.String(), one.messages); err != nil {
			return err
		}
		return a.add(fmt.Sprintf("status_inquiries/%s.json", one.ID), one.Inquiry)
	})
}

// payments writes the claims of remittances that are applied to the patient's claims, or may be.
func (a *archive) payments() error {
	return a.eachRemittance(func(e *remit.ERA) error {
		a.files = append(a.files, "remittance "+e.ID.String())
		for after := 0; ; {
			found, err := lists.Read(a.ctx, a.store, a.scope, func(ctx context.Context, tx ports.Tx) ([]*remit.Claim, error) {
				return tx.RemittanceClaims.List(ctx, e.ID, after, billing.MaxPageLimit)
			})
			if err != nil || len(found) == 0 {
				return err
			}
			for _, c := range found {
				after = c.Ordinal
				if !slices.ContainsFunc(a.about, func(id [16]byte) bool { return id == [16]byte(c.ClaimID) }) {
					continue
				}
				a.counts.Payments++
				if err := a.add(fmt.Sprintf("payments/%s-%d.json", e.ID, c.Ordinal), c); err != nil {
					return err
				}
			}
		}
	})
}

func (a *archive) attachments() error { return a.eachAttachment(a.attachment) }

func (a *archive) attachment(of *attachment.Attachment) error {
	a.counts.Attachments++
	a.about = append(a.about, of.ID)
	if err := a.add(fmt.Sprintf("attachments/%s.json", of.ID), of); err != nil {
		return err
	}
	for _, d := range of.Documents {
		if err := a.image(of, d); err != nil {
			return err
		}
	}
	return nil
}

func (a *archive) image(of *attachment.Attachment, d *attachment.Document) error {
	content, _, err := a.blobs.Open(a.ctx, d.Blob())
	if billing.IsNotFound(err) {
		a.counts.Missing = append(a.counts.Missing, d.ID.String())
		return nil
	}
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // it is only read
	w, err := a.create(fmt.Sprintf("attachments/%s-%s.jpg", of.ID, d.ID))
	if err == nil {
		_, err = io.Copy(w, content)
	}
	if err != nil {
		return fmt.Errorf("write image %s: %w", d.ID, err)
	}
	a.counts.Images++
	return nil
}

func (a *archive) estimates() error {
	return a.eachEstimate(func(r *estimate.Record) error {
		a.counts.Estimates++
		return a.add(fmt.Sprintf("estimates/%s.json", r.ID), r)
	})
}

func (a *archive) payerRequests() error {
	return a.eachPayerRequest(func(r *attachment.PayerRequest) error {
		a.counts.PayerRequests++
		a.about = append(a.about, r.ID)
		return a.add(fmt.Sprintf("payer_requests/%s.json", r.ID), r)
	})
}

// notes writes what people wrote about it.
func (a *archive) notes() error {
	all := []json.RawMessage{}
	for _, id := range a.about {
		err := every(a.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*task.Note, error) {
			return tx.Notes.List(ctx, id, p)
		}, func(n *task.Note) error {
			shown, err := a.Render(n)
			all = append(all, shown)
			return err
		})
		if err != nil {
			return err
		}
	}
	a.counts.Notes = len(all)
	return a.addJSON("notes.json", all)
}

func (a *archive) events() error {
	all := []json.RawMessage{}
	for _, id := range a.about {
		err := every(a.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*event.Event, error) {
			return tx.Events.List(ctx, event.Filter{Resource: id}, p)
		}, func(e *event.Event) error {
			shown, err := a.Render(e)
			all = append(all, shown)
			return err
		})
		if err != nil {
			return err
		}
	}
	a.counts.Events = len(all)
	return a.addJSON("events.json", all)
}

// access writes who saw or changed the records.
func (a *archive) access() error {
	all := []json.RawMessage{}
	err := every(a.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*caller.AuditEntry, error) {
		return tx.Audit.List(ctx, caller.AuditFilter{Patient: a.patient}, p)
	}, func(e *caller.AuditEntry) error {
		shown, err := a.Render(e)
		all = append(all, shown)
		return err
	})
	a.counts.Reads = len(all)
	if err != nil {
		return err
	}
	return a.addJSON("access.json", all)
}

// disclosureJSON is a disclosure in an archive, which is the only place that shows one.
type disclosureJSON struct {
	DisclosedTo string `json:"disclosed_to"`
	Purpose     string `json:"purpose"`
	DisclosedBy string `json:"disclosed_by"`
	DisclosedAt string `json:"disclosed_at"`
}

func (a *archive) disclosures() error {
	found, err := lists.Read(a.ctx, a.store, a.scope, func(ctx context.Context, tx ports.Tx) ([]*directory.Disclosure, error) {
		return tx.Records.Disclosures(ctx, a.patient)
	})
	if err != nil {
		return err
	}
	shown := make([]disclosureJSON, len(found))
	for i, d := range found {
		shown[i] = disclosureJSON{d.To, d.Purpose, d.By, event.Timestamp(d.At)}
	}
	a.counts.Disclosures = len(shown)
	return a.addJSON("disclosures.json", shown)
}
