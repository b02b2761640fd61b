package httpapi

import (
	"context"
	"slices"
	"testing"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/records"
	"github.com/molar-billing/molar/core/recovery"
)

// TestErasureTakesKeptReplies replays the requests about an erased patient, of keys and of people:
// no reply that was kept is left of them, and those about others are.
func TestErasureTakesKeptReplies(t *testing.T) {
	t.Parallel()
	blobs, err := fileblob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	s := startService(t, func(with *setup) { with.blobs = blobs })
	s.clear(t)
	biller := s.visits(t, s.org, "biller@example.com", caller.RoleBiller)
	var gone []string
	mine := func(status int, c call) response {
		t.Helper()
		gone = append(gone, c.idem)
		return s.must(t, status, c)
	}

	submitted := with("submit", true)
	claim := mine(201, call{path: "/claims", idem: "claim", body: s.crown("PAID-ERA", func(o anObject) { submitted(o); ofZebulon(o) })})
	patient, paid := claim.text(t, "patient_id"), "/claims/"+claim.text(t, "id")
	era := "/eras/" + s.until(t, paid, "paid").text(t, "payment", "era_id")
	mine(201, biller.call(call{path: paid + "/notes", idem: "note-of-a-person", body: `{"text":"Mr. Quagmire called."}`}))
	appeal := "/appeals/" + mine(201, call{path: paid + "/appeals", idem: "appeal", body: `{"reason":"Mr. Quagmire needs it."}`}).text(t, "id")
	mine(200, call{method: "PATCH", path: appeal, idem: "letter", body: `{"letter":"Zebulon Quagmire needs it."}`})
	mine(200, biller.call(call{path: appeal + "/sent", idem: "sent", body: `{"on":"` + lately(0) + `","by":"mail"}`}))
	mine(200, call{method: "POST", path: era + "/post", idem: "post"})
	visit := s.item(t, "visit", "ACTIVE-FULL")
	ofZebulon(visit)
	batch := "/eligibility/batches/" + s.must(t, 201, call{path: "/eligibility/batches", body: checksBody([]anObject{visit, s.item(t, "other", "INACTIVE")})}).text(t, "id")
	s.settledBatch(t, batch[len("/eligibility/batches/"):])
	check := s.items(t, batch[len("/eligibility/batches/"):], "")["visit"]["eligibility_id"].(string)
	mine(201, call{path: batch + "/items/visit/notes", idem: "note-of-a-visit", body: `{"text":"Mr. Quagmire called."}`})
	mine(201, call{path: "/eligibility/" + check + "/additions", idem: "addition", body: `{"source":"phone","person":"Dana","on":"` + lately(0) + `",
		"values":[{"path":"plan_rules.missing_tooth_clause","value":"Applies for 12 months"}]}`})
	mine(201, call{path: "/estimates", idem: "estimate", body: `{"eligibility_id":"` + check + `","network":"in","lines":[{"procedure_code":"D1110","fee":"104.00"}]}`})
	s.must(t, 201, call{path: batch + "/items/other/notes", idem: "note-of-another", body: `{"text":"The neighbor called."}`})
	s.must(t, 201, call{path: era + "/notes", idem: "note-of-all", body: `{"text":"The bank called."}`})

	asked := call{path: "/eligibility", idem: "check", body: s.question("MINE-ACTIVE-FULL", func(_, who anObject) {
		who["first_name"], who["last_name"], who["date_of_birth"] = claim.text(t, "subscriber", "first_name"), claim.text(t, "subscriber", "last_name"), claim.text(t, "subscriber", "date_of_birth")
	})}
	s.must(t, 200, asked).shows(t, "patient_id", patient)
	kept := func() (keys []string) {
		for _, key := range append(slices.Clone(gone), "note-of-another", "note-of-all") {
			if s.count(t, "SELECT count(*) FROM idempotency_keys WHERE length(body) > 0 AND key LIKE '%"+key+"'") > 0 {
				keys = append(keys, key)
			}
		}
		return keys
	}
	if n := len(kept()); n != len(gone)+2 {
		t.Fatalf("before the erasure, %d replies are kept of %d", n, len(gone)+2)
	}
	id, err := billing.ParseID[billing.PatientID](patient)
	if err != nil {
		t.Fatal(err)
	}
	service := records.New(audit.Operated{Store: s.store}, blobs, records.Outside{
		Remember:     recovery.New(s.store, blobs, s.store, recovery.Replay{}).Keep,
		BeginErasure: func(ctx context.Context, e *directory.Erasure) error { return pgstore.BeginErasure(ctx, s.database, e) },
	})
	ctx := audit.Operating(t.Context(), &audit.Operation{Operator: "ann", Command: "molar patients erase", Resource: patient})
	e, err := service.PlanErasure(ctx, s.test, id)
	if err == nil {
		e.Reason, e.By = "request 7", "ann"
		err = service.Erase(ctx, e)
	}
	if err != nil {
		t.Fatal(err)
	}
	if left := kept(); !slices.Equal(left, []string{"note-of-another", "note-of-all"}) {
		t.Errorf("the replies that are kept: %q", left)
	}
	claims := "SELECT (SELECT count(*) FROM claims) + (SELECT count(*) FROM eligibility_checks)"
	n := s.count(t, claims)
	wantStatus(t, s.do(t, asked), 422, billing.CodeIdempotencyKeyReused)
	wantStatus(t, s.do(t, call{path: "/claims", idem: "claim", body: s.crown("PAID-ERA", func(o anObject) { submitted(o); ofZebulon(o) })}), 422, billing.CodeIdempotencyKeyReused)
	if after := s.count(t, claims); after != n {
		t.Errorf("the request of the erased reply made %d claims or checks", after-n)
	}
}
