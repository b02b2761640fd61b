package records

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/automation"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/retention"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// part is a part of the archive of an organization. Its name is that of the table.
type part struct {
	name  string
	what  string
	write func(*organization) error
	more  []string // parts that it writes, too
}

// organizationParts has the parts in the order of the archive. They are those that the table of
// tables (ADR 118) exports.
func organizationParts() []part {
	return []part{
		{name: "organizations", what: "the organization"},
		{name: "offices", what: "offices", write: listed("offices", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*directory.Office, error) {
			return tx.Offices.List(ctx, p)
		})},
		{name: "providers", what: "providers", write: listed("providers", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*directory.Provider, error) {
			return tx.Providers.List(ctx, p)
		})},
		{name: "enrollments", what: "enrollments with payers", write: listed("enrollments", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*network.Enrollment, error) {
			return tx.Enrollments.List(ctx, network.EnrollmentFilter{}, p)
		})},
		{name: "fee_schedules", what: "fee schedules with their rows", write: (*organization).feeSchedules},
		{name: "import_mappings", what: "what files of other programs mean", write: (*organization).importMappings},
		{name: "automation", what: "what is done with remittances without a person", write: (*organization).automation},
		{name: "patients", what: "patients", write: listed("patients", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*directory.Patient, error) {
			return tx.Patients.List(ctx, p)
		})},
		{name: "eligibility_checks", what: "checks; messages/ has what was sent and received. check_additions has what people added", write: (*organization).checks, more: []string{"check_additions"}},
		{name: "estimates", what: "estimates of what patients pay", write: listed("estimates", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*estimate.Record, error) {
			return tx.Estimates.List(ctx, estimate.Filter{}, p)
		})},
		{name: "check_batches", what: "batches of checks", write: listed("check_batches", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*coverage.Batch, error) {
			return tx.CheckBatches.List(ctx, p)
		})},
		{name: "check_batch_items", what: "the items of batches of checks", write: listed("check_batch_items", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*coverage.BatchItem, error) {
			return tx.CheckItems.List(ctx, coverage.ItemFilter{}, p)
		})},
		{name: "claims", what: "claims with their payments and history", write: (*organization).claims},
		{name: "status_inquiries", what: "what payers answered about claims; messages/ has what was sent and received", write: (*organization).statusInquiries},
		{name: "status_policies", what: "by which payers are asked about claims without a person", write: listed("status_policies", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*claimstatus.Policy, error) {
			return tx.StatusPolicies.List(ctx, p)
		})},
		{name: "appeals", what: "appeals of claims, with their letters", write: listed("appeals", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*appeal.Appeal, error) {
			return appealsOf(ctx, tx, appeal.Filter{}, p)
		})},
		{name: "payer_limits", what: "until when payers accept claims and appeals", write: listed("payer_limits", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*limit.OfPayer, error) {
			return tx.PayerLimits.List(ctx, p)
		})},
		{name: "attachment_rules", what: "what goes with claims, by the organization's own rules", write: listed("attachment_rules", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*advice.Rule, error) {
			return tx.AttachmentRules.List(ctx, billing.PayerID{}, p)
		})},
		{name: "attachments", what: "attachments; images/ has their images", write: (*organization).attachments},
		{name: "payer_requests", what: "what payers asked for", write: listed("payer_requests", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*attachment.PayerRequest, error) {
			return tx.PayerRequests.List(ctx, attachment.PayerRequestFilter{}, p)
		})},
		{name: "notes", what: "what people wrote about claims, remittances, payer requests, attachments, enrollments, deposits, items of batches of checks, files in quarantine and connections", write: listed("notes", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*task.Note, error) {
			return tx.Notes.List(ctx, [16]byte{}, p)
		})},
		{name: "batches", what: "files of claims; files/ has them", write: (*organization).batches},
		{name: "acknowledgements", what: "files about them; files/ has what is this organization's", write: (*organization).acknowledgements},
		{name: "eras", what: "remittances; files/ has them. era_claims has their claims", write: (*organization).remittances, more: []string{"era_claims"}},
		{name: "deposits", what: "what arrived at the bank", write: listed("deposits", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*deposit.Deposit, error) {
			return tx.Deposits.List(ctx, deposit.Filter{}, p)
		})},
		{name: "deposit_accounts", what: "the bank accounts of which files were imported, by their last four digits", write: (*organization).depositAccounts},
		{name: "quarantine", what: "files that wait for a person; files/ has them", write: (*organization).quarantine},
		{name: "received_files", what: "files from the organization's own connections; files/ has them", write: (*organization).received},
		{name: "connections", what: "the organization's own connections, without passwords and keys", write: (*organization).connections},
		{name: "webhook_endpoints", what: "webhook endpoints, without their secrets", write: (*organization).endpoints},
		{name: "sandbox_scenarios", what: "own scenarios of the sandbox (test mode)", write: (*organization).scenarios},
		{name: "events", what: "events", write: listed("events", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*event.Event, error) {
			return tx.Events.List(ctx, event.Filter{}, p)
		})},
		{name: "requests", what: "the request log", write: listed("requests", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*caller.LoggedRequest, error) {
			return tx.Requests.List(ctx, caller.RequestFilter{}, p)
		})},
		{name: "users", what: "users of both modes, without passwords", write: listed("users", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*caller.User, error) {
			return tx.Users.List(ctx, p)
		})},
		{name: "sessions", what: "open sessions of users", write: listed("sessions", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*caller.Session, error) {
			return tx.Sessions.List(ctx, billing.UserID{}, tx.Real.Now().Time, p)
		})},
		{name: "api_keys", what: "API keys of both modes, without their secrets", write: listed("api_keys", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*caller.APIKey, error) {
			return tx.APIKeys.List(ctx, p)
		})},
		{name: "holds", what: "what is held", write: (*organization).holds},
		{name: "erasures", what: "patients that were erased, and the files that stay", write: (*organization).erasures},
		{name: "disclosures", what: "to whom records were given", write: (*organization).disclosures},
		{name: "audit_entries", what: "the audit of both modes", write: listed("audit_entries", func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*caller.AuditEntry, error) {
			return tx.Audit.List(ctx, caller.AuditFilter{}, p)
		})},
	}
}

// ofRemittance is a claim of a remittance, with the ID of the latter.
type ofRemittance struct {
	Remittance billing.ERAID   `json:"era_id"`
	Claim      json.RawMessage `json:"claim"`
}

// ofPatient is a disclosure with its patient.
type ofPatient struct {
	Patient billing.PatientID `json:"patient_id"`

	disclosureJSON
}

// missingImage names an image that the blob store does not have.
type missingImage struct {
	Attachment billing.AttachmentID `json:"attachment_id"`
	Document   billing.DocumentID   `json:"document_id"`
}

// fileJSON is a file that the archive has, and the API does not show alone.
type fileJSON struct {
	ID         billing.FileID `json:"id"`
	Name       string         `json:"file_name"`
	State      string         `json:"state,omitempty"`
	ReceivedAt string         `json:"received_at"`
}

type connectionJSON struct {
	ID        billing.ConnectionID  `json:"id"`
	Name      string                `json:"name"`
	Kind      string                `json:"kind"`
	Carries   []network.Transaction `json:"carries"`
	Settings  network.Settings      `json:"settings"`
	Enabled   bool                  `json:"enabled"`
	CreatedAt string                `json:"created_at"`
}

type depositAccountJSON struct {
	Account    string       `json:"account"`
	From       billing.Date `json:"from"`
	To         billing.Date `json:"to"`
	PayerNames []string     `json:"payer_names"`
}

type holdJSON struct {
	Patient  *billing.PatientID `json:"patient_id"` // null for the whole organization
	Reason   string             `json:"reason"`
	PlacedAt string             `json:"placed_at"`
}

// filesAtOnce is how many files with their content are in memory.
const filesAtOnce = 10

func (o *organization) acknowledgements() error {
	for after := (billing.FileID{}); ; {
		found, err := lists.Read(o.ctx, o.store, o.scope, func(ctx context.Context, tx ports.Tx) ([]clearing.KeptFile, error) {
			return tx.Acknowledgements.List(ctx, after, filesAtOnce)
		})
		if err != nil || len(found) == 0 {
			return err
		}
		for _, f := range found {
			after = f.ID
			if err := o.file("files/"+f.ID.String()+".txt", f.Content); err != nil {
				return err
			}
			if err := o.add("acknowledgements", fileJSON{f.ID, f.Name, "", event.Timestamp(f.ReceivedAt)}); err != nil {
				return err
			}
		}
	}
}

func (o *organization) quarantine() error {
	return every(o.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*quarantine.File, error) {
		return tx.Quarantine.List(ctx, p)
	}, func(f *quarantine.File) error {
		whole, err := lists.Across(o.ctx, o.store, func(ctx context.Context, tx ports.SystemTx) (*quarantine.File, error) {
			return tx.Quarantine.Get(ctx, f.ID)
		})
		if billing.IsNotFound(err) {
			return nil // it has become a remittance meanwhile
		}
		if err != nil {
			return err
		}
		if err := o.file("files/"+f.ID.String()+".txt", whole.Content); err != nil {
			return err
		}
		return o.shown("quarantine", whole)
	})
}

// received writes the files of the organization's own connections. The content of old ones is gone.
func (o *organization) received() error {
	for after := (billing.FileID{}); ; {
		found, err := lists.Across(o.ctx, o.store, func(ctx context.Context, tx ports.SystemTx) ([]*clearing.ReceivedFile, error) {
			return tx.Contents.Owned(ctx, o.scope, after, billing.MaxPageLimit)
		})
		if err != nil || len(found) == 0 {
			return err
		}
		for _, f := range found {
			after = f.ID
			if err := o.receivedFile(f); err != nil {
				return err
			}
		}
	}
}

func (o *organization) receivedFile(f *clearing.ReceivedFile) error {
	if f.Digest != [32]byte{} {
		content, err := lists.Across(o.ctx, o.store, func(ctx context.Context, tx ports.SystemTx) ([]byte, error) {
			return tx.Contents.Read(ctx, f)
		})
		if err == nil {
			err = o.file("files/"+f.ID.String()+".txt", content)
		}
		if err != nil && !billing.IsNotFound(err) {
			return err
		}
	}
	return o.add("received_files", fileJSON{f.ID, f.Name, string(f.State), event.Timestamp(f.Since)})
}

// connection is a row of a list.
type connection struct{ *network.Connection }

// Position returns the place in a list.
func (c connection) Position() billing.Position { return billing.Position{Time: c.CreatedAt, ID: c.ID} }

func (o *organization) connections() error {
	return every(o.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) (rows []connection, err error) {
		all, err := tx.Connections.List(ctx, p)
		for _, c := range all {
			rows = append(rows, connection{c})
		}
		return rows, err
	}, func(c connection) error {
		if c.Org != o.scope.Org { // the deployment's
			return nil
		}
		return o.add("connections", connectionJSON{c.ID, c.Name, c.Kind, c.Carries, c.Settings, c.Enabled, event.Timestamp(c.CreatedAt)})
	})
}

func (o *organization) endpoints() error {
	return o.few("webhook_endpoints", func(ctx context.Context, tx ports.Tx) (all []any, err error) {
		found, err := tx.Endpoints.List(ctx)
		for _, e := range found {
			all = append(all, e)
		}
		return all, err
	})
}

func (o *organization) scenarios() error {
	return o.few("sandbox_scenarios", func(ctx context.Context, tx ports.Tx) (all []any, err error) {
		found, err := tx.Scenarios.List(ctx)
		for _, s := range found {
			if err == nil {
				s, err = tx.Scenarios.Get(ctx, s.Ending) // with its content
				all = append(all, s)
			}
		}
		return all, err
	})
}

// few writes resources of which an organization has few.
func (o *organization) few(part string, read func(ctx context.Context, tx ports.Tx) ([]any, error)) error {
	all, err := lists.Read(o.ctx, o.store, o.scope, read)
	for _, one := range all {
		if err == nil {
			err = o.shown(part, one)
		}
	}
	return err
}

func (o *organization) holds() error {
	all, err := lists.Across(o.ctx, o.store, func(ctx context.Context, tx ports.SystemTx) ([]retention.Hold, error) { return tx.Retention.Holds(ctx) })
	for _, h := range all {
		if err != nil || h.Org != o.scope.Org {
			continue
		}
		row := holdJSON{Reason: h.Reason, PlacedAt: event.Timestamp(h.PlacedAt)}
		if !h.Patient.IsZero() {
			row.Patient = &h.Patient
		}
		err = o.add("holds", row)
	}
	return err
}

// erasureJSON is an erasure in an archive, which is the only place that shows one to the organization.
type erasureJSON struct {
	Patient billing.PatientID `json:"patient_id"`
	Reason  string            `json:"reason"`
	By      string            `json:"erased_by"`
	BegunAt string            `json:"begun_at"`
	Removed map[string]int    `json:"removed"`
	Blanked map[string]int    `json:"blanked"`
	Files   []string          `json:"files"`
}

func (o *organization) feeSchedules() error {
	return every(o.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*fee.Schedule, error) {
		return tx.FeeSchedules.List(ctx, fee.Filter{}, p)
	}, func(listed *fee.Schedule) error {
		s, err := lists.Read(o.ctx, o.store, o.scope, func(ctx context.Context, tx ports.Tx) (*fee.Schedule, error) {
			return tx.FeeSchedules.Get(ctx, listed.ID)
		})
		if err != nil {
			return err
		}
		o.totals.Rows["fee_schedule_rows"] += int64(len(s.Rows))
		return o.shown("fee_schedules", s)
	})
}

func (o *organization) importMappings() error {
	for _, kind := range directory.ImportKinds() {
		m, err := lists.Read(o.ctx, o.store, o.scope, func(ctx context.Context, tx ports.Tx) (*directory.ImportMapping, error) {
			return tx.ImportMappings.Get(ctx, kind)
		})
		if err == nil && !m.UpdatedAt.IsZero() {
			err = o.shown("import_mappings", m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *organization) automation() error {
	set, err := lists.Read(o.ctx, o.store, o.scope, func(ctx context.Context, tx ports.Tx) (*automation.Settings, error) {
		return tx.Automation.Get(ctx)
	})
	if err != nil || set.UpdatedAt.IsZero() {
		return err
	}
	return o.shown("automation", set)
}

func (o *organization) depositAccounts() error {
	all, err := lists.Read(o.ctx, o.store, o.scope, func(ctx context.Context, tx ports.Tx) ([]*deposit.Account, error) {
		return tx.DepositAccounts.List(ctx)
	})
	for _, a := range all {
		if err == nil {
			err = o.add("deposit_accounts", depositAccountJSON{a.Number, a.From, a.To, a.Names})
		}
	}
	return err
}

func (o *organization) erasures() error {
	all, err := o.Erasures(o.ctx)
	for _, e := range all {
		if err != nil || e.Scope != o.scope {
			continue
		}
		row := erasureJSON{e.Patient, e.Reason, e.By, event.Timestamp(e.BegunAt), map[string]int{}, map[string]int{}, e.Files}
		for _, n := range e.Removed {
			row.Removed[n.Kind] = n.Count
		}
		for _, n := range e.Blanked {
			row.Blanked[n.Kind] = n.Count
		}
		err = o.add("erasures", row)
	}
	return err
}

// readme explains the archive to the organization.
func (o *organization) readme(self *caller.Organization) []byte {
	var b bytes.Buffer
	_, _ = fmt.Fprintf(&b, "Everything that Molar keeps of %s (%s) in %s mode.\nWritten at %s.\n\n"+
		"Each folder below has files with one JSON object a line, in the form of the API.\n\n", self.Name, self.ID, o.scope.Mode, event.Timestamp(o.out.at))
	for _, p := range organizationParts() {
		_, _ = fmt.Fprintf(&b, "%-20s %9d  %s\n", p.name+"/", o.totals.Rows[p.name], p.what)
		for _, more := range p.more {
			_, _ = fmt.Fprintf(&b, "%-20s %9d\n", more+"/", o.totals.Rows[more])
		}
	}
	_, _ = fmt.Fprintf(&b, "%-20s %9d  X12 files and messages, by the ID of what they belong to\n%-20s %9d  images, by the IDs of their attachment and document\n",
		"files/, messages/", o.totals.Files, "images/", o.totals.Images)
	if o.totals.Missing > 0 {
		_, _ = fmt.Fprintf(&b, "\nThe store of images does not have %d images; missing_images/ names them.\n", o.totals.Missing)
	}
	return b.Bytes()
}
