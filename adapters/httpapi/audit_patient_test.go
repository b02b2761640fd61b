package httpapi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestAuditOfAPatient reads everything that shows a patient, as a person and with a key.
// The patient's ID finds each reply, and finds no other patient's.
func TestAuditOfAPatient(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	cl := s.must(t, 201, call{path: "/claims", body: s.crown("1", nil)})
	of := cl.text(t, "patient_id")
	id, err := billing.ParseID[billing.ClaimID](cl.text(t, "id"))
	if err != nil {
		t.Fatal(err)
	}
	first, second := s.batch(t, 7, "ISA*first"), s.batch(t, 8, "ISA*second")
	porttest.In(t, s.store, s.test, func(ctx context.Context, tx ports.Tx) error { // sent twice
		c, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		c.State, c.SentAt, c.BatchID = claim.AcceptedPayer, time.Now(), second.ID
		c.History = append(c.History, claim.Move{State: claim.Submitted, At: time.Now(), Cause: claim.TriggerSend, File: first.File.Name})
		return tx.Claims.Save(ctx, c.Claim)
	})
	image := func(body string) string {
		path := "/attachments/" + s.must(t, 201, call{path: "/attachments", body: body}).text(t, "id")
		return path + "/documents/" + s.must(t, 201, upload(path, chart(jpegOf(1)))).documents(t)[0]["id"].(string) + "/content"
	}
	claimed := image(jsonOf(anObject{"claim_id": id.String(), "narrative": "The chart."}, nil))
	unclaimed := image(s.own(with("patient", anObject{
		"first_name": "SÁM", "last_name": cl.text(t, "subscriber", "last_name"), "date_of_birth": "1984-02-29",
	})))
	era := s.remitted(t, s.key, s.test, paying("EFT-1", 800, crownPaid("SOMEBODY-1")))

	byID := map[string]string{}
	read := func(paths ...string) {
		for _, path := range paths {
			byID["aud_"+s.must(t, 200, call{path: path}).Header.Get("X-Request-Id")[4:]] = "a key: " + path
			byID["aud_"+s.must(t, 200, owner.call(call{path: path})).Header.Get("X-Request-Id")[4:]] = "a person: " + path
		}
	}
	read("/claims?limit=1", "/claims/"+id.String(), "/patients/"+of, "/patients/"+of+"/overview", "/batches/"+first.ID.String()+"/file", "/batches/"+second.ID.String()+"/file",
		"/attachments?limit=2", claimed, unclaimed, era, era+"/claims", era+"/file")
	missing := func(filter string) []string {
		found := s.must(t, 200, owner.call(call{path: "/audit_entries?limit=100&" + filter})).body
		var left []string
		for id, what := range byID {
			if !strings.Contains(found, id) {
				left = append(left, what)
			}
		}
		slices.Sort(left)
		return left
	}
	var left []string
	wantsERA := []string{"a key: " + era, "a key: " + era + "/claims", "a key: " + era + "/file", "a person: " + era, "a person: " + era + "/claims", "a person: " + era + "/file"}
	slices.Sort(wantsERA)
	porttest.Await(t, "the entries, without those of a payment that is not matched yet", func() bool {
		left = missing("patient_id=" + of)
		return len(left) <= len(wantsERA)
	})
	if !slices.Equal(left, wantsERA) {
		t.Fatalf("not found before the match: %s", strings.Join(left, ", "))
	}
	// Matched later.
	s.must(t, 200, call{path: era + "/claims/1/match", body: jsonOf(anObject{"claim_id": id.String()}, nil)})
	for _, filter := range []string{"patient_id=" + of, "resource_id=" + of} {
		porttest.Await(t, "every entry, by "+filter, func() bool { return len(missing(filter)) == 0 })
	}
	// The messages of a check are its patient's.
	byID = map[string]string{}
	read("/eligibility/"+check.text(t, "id")+"/exchange", "/eligibility?limit=1")
	porttest.Await(t, "the entries of the check", func() bool { return len(missing("patient_id="+check.text(t, "patient_id"))) == 0 })
	if other := porttest.Read(t, s.store, s.test, func(ctx context.Context, tx ports.Tx) ([]*caller.AuditEntry, error) {
		return tx.Audit.List(ctx, caller.AuditFilter{Patient: billing.PatientID{1}}, billing.Page{Limit: 9})
	}); len(other) > 0 {
		t.Errorf("another patient has %v", fmt.Sprint(other))
	}
	if strings.Contains(fmt.Sprint(s.audited(t, caller.AuditFilter{})), "xample") {
		t.Error("the audit names a patient")
	}
}
