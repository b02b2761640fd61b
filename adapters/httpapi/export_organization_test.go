package httpapi

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/records"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// notExported are the tables that an archive of an organization leaves out: the service rebuilds
// them, or they last for days, or have keys.
func notExported() []string {
	return []string{
		"changes", "check_members", "claim_changes", "claim_figures", "claim_totals", "data_keys", "deletions", "eligibility_answers", "event_numbers", "idempotency_keys", "jobs",
		"patient_words", "retention", "sandbox_clocks", "sandbox_faults", "sandbox_mail", "sandbox_notes", "sign_in_links", "tasks", "uploads", "watches", "webhook_deliveries",
	}
}

// TestExportOrganization exports an organization, and compares the rows of each table with the
// archive. It has nothing of another organization.
func TestExportOrganization(t *testing.T) {
	t.Parallel()
	blobs, err := fileblob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	s := startService(t, func(with *setup) { with.blobs = blobs })
	s.clear(t)
	work(t, s.queue, jobs.KindTasks, s.options.Tasks.Follow)
	ours, office, dentist, key := s.test, s.office, s.dentist, s.key
	other := s.neighbor(t)
	s.test, s.office, s.dentist, s.key = ours, office, dentist, key
	own := s.practice(t)
	s.connection(t)
	s.must(t, 200, call{method: "PUT", path: "/import_mappings/schedule", body: mappingBody})
	s.must(t, 200, call{method: "PUT", path: "/status_policies/CHTEST", body: "{}"})
	s.must(t, 200, call{method: "PUT", path: "/payer_limits/CHTEST", body: `{"filing_days":400}`})
	s.must(t, 201, call{path: "/claims/" + s.denied(t, 1) + "/appeals", body: appealBody})
	s.must(t, 200, call{method: "PUT", path: "/automation", body: `{"level":"exceptions"}`})
	s.must(t, 201, call{path: "/attachment_rules", body: ruleBody()})
	s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	s.exec(t, "UPDATE connections SET mode = 'test'")
	s.exec(t, "INSERT INTO holds (org_id, reason, placed_at) VALUES ($1, 'case 1', now())", s.org.UUID())
	s.exec(t, "INSERT INTO erasures (patient_id, org_id, mode, reason, erased_by, record) VALUES ($1, $1, 'test', 'request 7', 'ann', '{}')", s.org.UUID())
	patient, err := billing.ParseID[billing.PatientID](own.patient)
	if err != nil {
		t.Fatal(err)
	}
	porttest.In(t, s.store, s.test, func(ctx context.Context, tx ports.Tx) error {
		return tx.Records.Disclose(ctx, &directory.Disclosure{Patient: patient, To: "Dr. Lee", Purpose: "second opinion", By: "ann", At: tx.Real.Now().Time})
	})
	file := s.receives(t)
	bothModes := func(table string) int {
		return s.count(t, "SELECT count(DISTINCT id) FROM "+table+" WHERE org_id = '"+s.org.UUID()+"'")
	}
	before := s.rest(t)
	before["api_keys"], before["audit_entries"] = bothModes("api_keys"), bothModes("audit_entries")

	op := &audit.Operation{Operator: "ann", Command: "molar orgs export", Resource: s.org.String(), Shows: true}
	ctx := audit.Operating(t.Context(), op)
	store := audit.Operated{Store: s.store}
	service := records.New(store, blobs, records.Outside{
		Claim: s.options.Claims.Get, Remittance: remittances.New(store, edi.New(), s.options.Payers).Get, Render: Render,
	})
	var to bytes.Buffer
	var last records.Progress
	totals, err := service.ExportOrganization(ctx, s.test, &to, func(at records.Progress) { last = at })
	if err != nil {
		t.Fatal(err)
	}
	after, _ := s.tables(t, s.org)
	after["audit_entries"] = bothModes("audit_entries")
	files := untar(t, &to)
	rows := linesOf(files)
	for folder, n := range totals.Rows {
		if rows[folder] != int(n) && folder != "documents" && folder != "batch_acknowledgements" && folder != "fee_schedule_rows" {
			t.Errorf("%s has %d lines, the totals say %d", folder, rows[folder], n)
		}
	}
	rows["documents"], rows["batch_acknowledgements"] = int(totals.Images), int(totals.Rows["batch_acknowledgements"])
	rows["fee_schedule_rows"] = int(totals.Rows["fee_schedule_rows"]) // in their schedules
	for table, n := range before {
		switch {
		case slices.Contains(notExported(), table) || table == "audit_resources": // a part of the audit's entries
		case table == "requests" || table == "audit_entries": // they are written after the reply
			if rows[table] < n || rows[table] > after[table] {
				t.Errorf("%s: %d rows in the archive, %d to %d in the database", table, rows[table], n, after[table])
			}
		case rows[table] != n || n == 0:
			t.Errorf("%s: %d rows in the archive, %d in the database", table, rows[table], n)
		}
	}
	if last.Done < last.All || last.All < 20 {
		t.Errorf("the progress ended at %+v", last)
	}
	for name, want := range map[string]string{
		"README.txt": "Example Dental", "files/" + file.String() + ".txt": "ISA*00", "audit_entries/000001.jsonl": "molar orgs export",
		"connections/000001.jsonl": "Our clearinghouse", "disclosures/000001.jsonl": "second opinion", "holds/000001.jsonl": "case 1", "erasures/000001.jsonl": "request 7",
		"files/" + own.batch + ".837": "ISA", "files/" + own.quarantined + ".txt": "", "images/" + own.attachment + "-" + own.document + ".jpg": "\xff\xd8",
		"sandbox_scenarios/000001.jsonl": "DELTA", "users/000001.jsonl": "owner@example.com",
	} {
		if content, is := files[name]; !is || !bytes.Contains(content, []byte(want)) {
			t.Errorf("%s lacks %q: %.300s", name, want, content)
		}
	}
	foreign := []string{other.check, other.claim, other.patient, other.attachment, other.document, other.era, other.batch, other.request, other.key, other.endpoint, other.delivery, other.quarantined, "Shared clearinghouse", "hunter2"}
	for name, content := range files {
		for _, id := range foreign {
			if id == "" || strings.Contains(name, id) || bytes.Contains(content, []byte(id)) {
				t.Errorf("%s has %q, which is not the organization's", name, id)
			}
		}
	}

	// The other mode has none of it, an image that is lost is named, and a strange ID is refused.
	s.exec(t, "UPDATE connections SET mode = 'live'")
	if err := blobs.Delete(t.Context(), "documents/"+own.document); err != nil {
		t.Fatal(err)
	}
	to.Reset()
	if totals, err = service.ExportOrganization(ctx, s.test, &to, func(records.Progress) {}); err != nil || totals.Missing != 1 {
		t.Errorf("%d images are missing, want 1: %v", totals.Missing, err)
	}
	if lost := untar(t, &to)["missing_images/000001.jsonl"]; !bytes.Contains(lost, []byte(own.document)) {
		t.Errorf("the missing image is not named: %s", lost)
	}
	to.Reset()
	if totals, err = service.ExportOrganization(ctx, billing.Scope{Org: s.org, Mode: billing.ModeLive}, &to, func(records.Progress) {}); err != nil ||
		totals.Rows["claims"] != 0 || totals.Rows["connections"] != 2 || totals.Rows["users"] != 1 {
		t.Errorf("in live mode: %+v, %v", totals, err)
	}
	if _, err := service.ExportOrganization(ctx, billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeLive}, io.Discard, func(records.Progress) {}); !billing.IsNotFound(err) {
		t.Errorf("a strange organization: %v", err)
	}
}

// neighbor makes another organization that has the same.
func (s *service) neighbor(t *testing.T) made {
	t.Helper()
	o, err := s.access.CreateOrganization(t.Context(), "Next Door Dental")
	if err != nil {
		t.Fatal(err)
	}
	s.test = billing.Scope{Org: o.ID, Mode: billing.ModeTest}
	s.furnish(t, "Next Door Dental")
	return s.practice(t)
}

// receives stores a file that came over the organization's own connection, and one that came
// over the deployment's.
func (s *service) receives(t *testing.T) billing.FileID {
	t.Helper()
	var id billing.FileID
	porttest.System(t, s.store, func(ctx context.Context, tx ports.SystemTx) error {
		for _, scope := range []billing.Scope{{Mode: billing.ModeTest}, s.test} {
			f := &clearing.ReceivedFile{
				ID: billing.NewID[billing.FileID](tx.Real.Now()), Network: "own " + scope.Org.String(), Scope: scope, State: clearing.FileApplied,
				RemoteFile: clearing.RemoteFile{Name: "a.835", Size: 6, Time: time.Now()}, Since: time.Now(), Listed: true, Holder: billing.JobID{1},
			}
			content := []byte("ISA*00")
			f.Digest = sha256.Sum256(content)
			if err := errors.Join(tx.Received.Put(ctx, f), tx.Contents.Add(ctx, f, 0, content)); err != nil {
				return err
			}
			id = f.ID
		}
		return nil
	})
	return id
}

// rest waits until the organization's work has ended, and counts its rows.
func (s *service) rest(t *testing.T) map[string]int {
	t.Helper()
	var own map[string]int
	porttest.Await(t, "the work ends", func() bool {
		own, _ = s.tables(t, s.org)
		return own["jobs"] == 0
	})
	return own
}

func untar(t *testing.T, from io.Reader) map[string][]byte {
	t.Helper()
	packed, err := gzip.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for all := tar.NewReader(packed); ; {
		h, err := all.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name] != nil {
			t.Errorf("%s is there twice", h.Name)
		}
		if files[h.Name], err = io.ReadAll(all); err != nil {
			t.Fatal(err)
		}
	}
}

// linesOf counts the lines of each folder.
func linesOf(files map[string][]byte) map[string]int {
	rows := map[string]int{}
	for name, content := range files {
		if folder, file, _ := strings.Cut(name, "/"); strings.HasSuffix(file, ".jsonl") {
			rows[folder] += bytes.Count(content, []byte("\n"))
		}
	}
	return rows
}
