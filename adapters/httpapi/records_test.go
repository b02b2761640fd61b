package httpapi

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/records"
)

// TestPatientsRecords exports a patient, and compares the archive with what the API has about
// the patient, resource by resource.
func TestPatientsRecords(t *testing.T) {
	t.Parallel()
	blobs, err := fileblob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	s := startService(t, func(with *setup) { with.blobs = blobs })
	s.clear(t)
	claim := s.must(t, 201, call{path: "/claims", body: s.crown("PAID-ERA", func(o anObject) { o["submit"] = true })})
	patient := claim.text(t, "patient_id")
	s.until(t, "/claims/"+claim.text(t, "id"), "paid")
	path := "/attachments/" + s.must(t, 201, call{path: "/attachments", body: `{"claim_id":"` + claim.text(t, "id") + `"}`}).text(t, "id")
	image := s.must(t, 201, upload(path, chart(jpegOf(1)))).documents(t)[0]["id"].(string)
	for _, to := range []string{"/claims/" + claim.text(t, "id"), path} {
		s.must(t, 201, call{path: to + "/notes", body: noteBody})
	}
	s.must(t, 201, call{path: "/claims/" + claim.text(t, "id") + "/appeals", body: appealBody})
	s.must(t, 201, call{method: "POST", path: "/claims/" + claim.text(t, "id") + "/status_inquiries"})
	unasked := s.item(t, "visit", "ACTIVE-FULL", "payer_id", "NOBODY")
	of := unasked["subscriber"].(anObject)
	for _, name := range []string{"first_name", "last_name", "date_of_birth"} {
		of[name] = claim.get(t, "subscriber", name)
	}
	batch := s.must(t, 201, call{path: "/eligibility/batches", body: checksBody([]anObject{unasked, s.item(t, "other", "ACTIVE-FULL")})}).text(t, "id")
	s.settledBatch(t, batch)
	s.must(t, 201, call{path: "/eligibility/batches/" + batch + "/items/visit/notes", body: noteBody})
	other := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)}).text(t, "patient_id")
	if other == patient {
		t.Fatal("the check is about the same patient")
	}

	id, err := billing.ParseID[billing.PatientID](patient)
	if err != nil {
		t.Fatal(err)
	}
	export := func(scope billing.Scope, d *directory.Disclosure) (map[string][]byte, records.Counts, error) {
		op := &audit.Operation{Operator: "ann", Command: "molar patients export", Resource: patient, Shows: true}
		var to bytes.Buffer
		counts, err := records.New(audit.Operated{Store: s.store}, blobs, records.Outside{Claim: s.options.Claims.Get, Render: Render}).
			Export(audit.Operating(t.Context(), op), scope, id, &to, d)
		if err != nil {
			return nil, counts, err
		}
		z, err := zip.NewReader(bytes.NewReader(to.Bytes()), int64(to.Len()))
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if files[f.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		return files, counts, nil
	}
	if _, _, err := export(billing.Scope{Org: s.org, Mode: billing.ModeLive}, nil); !billing.IsNotFound(err) {
		t.Errorf("in the other mode: %v", err)
	}
	if _, _, err := export(s.test, &directory.Disclosure{To: "Dr. Lee", Purpose: "second opinion", By: "ann"}); err != nil {
		t.Fatal(err)
	}
	files, counts, err := export(s.test, nil)
	if err != nil {
		t.Fatal(err)
	}

	same := func(name, path string) {
		t.Helper()
		var got, want any
		if err := json.Unmarshal(files[name], &got); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := json.Unmarshal([]byte(s.must(t, 200, call{path: path}).body), &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is not what %s is: %s", name, path, files[name])
		}
	}
	same("patient.json", "/patients/"+patient)
	for kind, list := range map[string]string{
		"claims": "/claims", "attachments": "/attachments", "payer_requests": "/payer_requests", "checks": "/eligibility",
	} {
		ids := s.walk(t, list+"?patient_id="+patient)
		for _, one := range ids {
			same(kind+"/"+one+".json", list+"/"+one)
		}
		n := 0
		for name := range files {
			if strings.HasPrefix(name, kind+"/") && strings.HasSuffix(name, ".json") {
				n++
			}
		}
		if n != len(ids) || kind == "claims" && n == 0 {
			t.Errorf("%d %s in the archive, the API lists %d", n, kind, len(ids))
		}
	}
	attachment := strings.TrimPrefix(path, "/attachments/")
	if len(files["attachments/"+attachment+"-"+image+".jpg"]) == 0 || counts.Images != 1 || len(counts.Missing) != 0 {
		t.Errorf("the image is not there: %+v", counts)
	}
	if counts.Appeals != 1 {
		t.Errorf("%d appeals", counts.Appeals)
	}
	if counts.Inquiries != 1 || counts.Answers != 2 || counts.Visits != 1 {
		t.Errorf("%d inquiries with %d messages, %d visits", counts.Inquiries, counts.Answers, counts.Visits)
	}
	if counts.Notes != 3 {
		t.Errorf("%d notes", counts.Notes)
	}
	if counts.Payments != 1 || len(counts.Files) < 2 {
		t.Errorf("%d payments, files %q", counts.Payments, counts.Files)
	}
	for name, want := range map[string][]string{
		"events.json": {`"claim.paid"`}, "notes.json": {"Call the payer again.", "att_"}, "access.json": {"molar patients export", "POST /claims"},
		"disclosures.json": {"Dr. Lee", "second opinion", "ann"}, "README.txt": append(slices.Clone(counts.Files), patient, "status_inquiries/", "visits/"),
	} {
		for _, w := range want {
			if !bytes.Contains(files[name], []byte(w)) {
				t.Errorf("%s lacks %s: %s", name, w, files[name])
			}
		}
	}

	// An image that the store lost is named, and the rest is there.
	if err := blobs.Delete(t.Context(), "documents/"+image); err != nil {
		t.Fatal(err)
	}
	if files, counts, err = export(s.test, nil); err != nil || !slices.Equal(counts.Missing, []string{image}) || !bytes.Contains(files["README.txt"], []byte(image)) {
		t.Errorf("without the image: %+v, %v", counts, err)
	}
}
