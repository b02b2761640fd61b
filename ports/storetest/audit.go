package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
)

// auditEntry returns an entry of the audit, n microseconds after the start of the test.
func (b *scoped) auditEntry(n int) *caller.AuditEntry {
	at := b.now.Add(time.Duration(n) * time.Microsecond)
	return &caller.AuditEntry{
		ID: billing.NewID[billing.AuditEntryID](billing.RealAt(at)), Org: b.scope.Org, Mode: b.scope.Mode, User: billing.UserID{15: 7}, Address: "192.0.2.1",
		Operation: "GET /claims/{id}", Resource: id[billing.ClaimID]().String(), Shown: []string{id[billing.PatientID]().String()},
		Status: 200, CreatedAt: at,
	}
}

func (b *scoped) insertAudit(entries ...*caller.AuditEntry) {
	b.t.Helper()
	b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.AuditLog.Insert(ctx, entries) })
}

func (b *scoped) listAudit(f caller.AuditFilter, p billing.Page) []*caller.AuditEntry {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) ([]*caller.AuditEntry, error) { return tx.Audit.List(ctx, f, p) })
}

func testAudit(b *scoped) {
	t, all := b.t, billing.Page{Limit: 25}
	b.organization()
	ann := b.user(b.scope, "ann@example.com", caller.RoleOwner, 1)
	b.addUser(b.scope, ann)
	key := &caller.APIKey{ID: id[billing.KeyID](), Scope: b.scope, Name: "Front desk", LastFour: "abcd", CreatedAt: b.now}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.APIKeys.Insert(ctx, key, [32]byte{1}) })
	full, bare, program, operator, deployment, rule := b.auditEntry(0), b.auditEntry(1), b.auditEntry(2), b.auditEntry(3), b.auditEntry(4), b.auditEntry(5)
	full.User, full.Background, full.Agent = ann.ID, true, "Browser/1.0"
	bare.Mode, bare.Resource, bare.Shown = "", "", nil // a sign-in that was refused
	program.User, program.Key = billing.UserID{}, key.ID
	operator.User, operator.Operator, operator.Status = billing.UserID{}, "ben", 0
	deployment.User, deployment.Operator, deployment.Org = billing.UserID{}, "ben", billing.OrgID{}
	rule.User, rule.Rule, rule.Status = billing.UserID{}, "exceptions", 0
	b.insertAudit(full, bare, program, operator, deployment, rule)
	full.Name, program.Name = "ann@example.com", key.Name // as they are when the entry is read
	equal(t, "entries", b.listAudit(caller.AuditFilter{}, all), []*caller.AuditEntry{rule, operator, program, bare, full})

	// What operators did, in all organizations and in one.
	for of, want := range map[billing.OrgID][]*caller.AuditEntry{{}: {deployment, operator}, b.scope.Org: {operator}} {
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			got, err := tx.AuditLog.Operators(ctx, of, caller.AuditFilter{}, all)
			equal(t, "entries of operators", got, want)
			return err
		})
	}

	// An entry never changes.
	later := *full
	later.Status, later.Operation = 500, "POST /claims"
	b.insertAudit(&later)
	equal(t, "the entry inserted again", b.listAudit(caller.AuditFilter{User: ann.ID}, all), []*caller.AuditEntry{full})

	// It belongs to both modes of its organization.
	for _, scope := range []billing.Scope{{Org: b.scope.Org, Mode: billing.ModeLive}, newScope()} {
		got, err := try(b, scope, func(ctx context.Context, tx ports.Tx) ([]*caller.AuditEntry, error) {
			return tx.Audit.List(ctx, caller.AuditFilter{}, all)
		})
		if want := map[bool]int{true: 5}[scope.Org == b.scope.Org]; err != nil || len(got) != want {
			t.Errorf("%d entries in %v, %v, want %d", len(got), scope, err, want)
		}
		for _, resource := range []string{full.Resource, full.Shown[0]} {
			got, err := try(b, newScope(), func(ctx context.Context, tx ports.Tx) ([]*caller.AuditEntry, error) {
				return tx.Audit.List(ctx, caller.AuditFilter{Resource: resource}, all)
			})
			if err != nil || len(got) > 0 {
				t.Errorf("another organization's entries of %s: %d, %v", resource, len(got), err)
			}
		}
	}
}

// testAuditOfWrites commits entries with the use of a key.
func testAuditOfWrites(b *scoped) {
	t, all := b.t, billing.Page{Limit: 25}
	made := b.auditEntry(0)
	made.Status, made.Shown = 0, nil
	record := func(use caller.KeyUse) {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Keys.Record(ctx, use) })
	}
	req := caller.Request{Key: "k", Audit: made}
	record(req.Waiting(id[billing.JobID](), b.now))
	equal(t, "an entry without a reply", b.listAudit(caller.AuditFilter{}, all), []*caller.AuditEntry{made})
	equal(t, "its resource", b.listAudit(caller.AuditFilter{Resource: made.Resource}, all), []*caller.AuditEntry{made})
	// The work's own commit has no entry. The reply comes later.
	record(caller.KeyUse{Key: "k", Reply: &caller.Reply{Status: 200}, CreatedAt: b.now})
	shown := id[billing.PatientID]().String()
	done := made.Replied(caller.Reply{Status: 422, Shown: []string{shown}})
	b.insertAudit(done)
	b.insertAudit(made)
	for name, f := range map[string]caller.AuditFilter{"all": {}, "resource": {Resource: made.Resource}, "shown": {Resource: shown}, "user": {User: made.User}} {
		equal(t, "the entry with its reply, "+name, b.listAudit(f, all), []*caller.AuditEntry{done})
	}
	// A reply in the commit of its write needs no other row.
	one := b.auditEntry(1)
	one.Status, one.Resource, one.Shown = 0, "", nil
	reply := caller.Reply{Status: 201, Resource: id[billing.ClaimID]().String(), Shown: []string{shown}}
	record(caller.Request{Key: "one", Audit: one}.Replied(reply, b.now))
	equal(t, "the entry of a write", b.listAudit(caller.AuditFilter{Resource: reply.Resource}, all), []*caller.AuditEntry{one.Replied(reply)})
	// No entry without its write.
	lost := b.auditEntry(2)
	err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Keys.Record(ctx, caller.Request{Key: "lost", Audit: lost}.Replied(reply, b.now)); err != nil {
			return err
		}
		_, err := tx.Claims.Get(ctx, id[billing.ClaimID]()) // sends what is queued, and fails
		return err
	})
	wantCode(t, "a write that fails", err, billing.CodeNotFound)
	equal(t, "the entries", len(b.listAudit(caller.AuditFilter{}, all)), 2)
}

func testListAudit(b *scoped) {
	at := func(e *caller.AuditEntry) billing.Position { return billing.Position{Time: e.CreatedAt, ID: e.ID} }
	for _, f := range []caller.AuditFilter{{}, {Resource: id[billing.PatientID]().String()}} {
		showing := func(n int) *caller.AuditEntry {
			e := b.auditEntry(n)
			if e.Shown = nil; f.Resource != "" {
				e.Shown = []string{f.Resource}
			}
			return e
		}
		listed(b, showing, b.insertAudit, func(p billing.Page) []*caller.AuditEntry { return b.listAudit(f, p) }, at)
	}
}

func testAuditFilters(b *scoped) {
	t := b.t
	one, two, three := b.auditEntry(0), b.auditEntry(10), b.auditEntry(20)
	two.User = billing.UserID{15: 8}
	three.Resource, three.Shown = two.Resource, nil
	four, five, six, seven := b.auditEntry(30), b.auditEntry(40), b.auditEntry(50), b.auditEntry(60)
	four.User, four.Key, four.Operation = billing.UserID{}, billing.KeyID{15: 8}, "POST /claims/search"
	five.User, five.Operator, five.Operation, five.Status = billing.UserID{}, "ben", "molar era show", 0
	six.Operation, six.Background = "PATCH /claims/{id}", true
	seven.User, seven.Rule, seven.Operation, seven.Status = billing.UserID{}, "automatic", "POST /eras/{id}/post", 0
	b.insertAudit(one, two, three, four, five, six, seven)
	for name, test := range map[string]struct {
		f    caller.AuditFilter
		want []*caller.AuditEntry
	}{
		"none":        {caller.AuditFilter{}, []*caller.AuditEntry{seven, six, five, four, three, two, one}},
		"key":         {caller.AuditFilter{Key: four.Key}, []*caller.AuditEntry{four}},
		"people":      {caller.AuditFilter{Actor: caller.ActorUser}, []*caller.AuditEntry{six, three, two, one}},
		"keys":        {caller.AuditFilter{Actor: caller.ActorKey}, []*caller.AuditEntry{four}},
		"operators":   {caller.AuditFilter{Actor: caller.ActorOperator}, []*caller.AuditEntry{five}},
		"rules":       {caller.AuditFilter{Actor: caller.ActorRule}, []*caller.AuditEntry{seven}},
		"changes":     {caller.AuditFilter{Changes: true}, []*caller.AuditEntry{seven, six}},
		"background":  {caller.AuditFilter{Background: new(true)}, []*caller.AuditEntry{six}},
		"foreground":  {caller.AuditFilter{Background: new(false), Actor: caller.ActorUser}, []*caller.AuditEntry{three, two, one}},
		"user":        {caller.AuditFilter{User: two.User}, []*caller.AuditEntry{two}},
		"resource":    {caller.AuditFilter{Resource: two.Resource}, []*caller.AuditEntry{three, two}},
		"shown":       {caller.AuditFilter{Resource: two.Shown[0]}, []*caller.AuditEntry{two}},
		"from":        {caller.AuditFilter{CreatedAfter: two.CreatedAt}, []*caller.AuditEntry{seven, six, five, four, three, two}},
		"before":      {caller.AuditFilter{CreatedBefore: two.CreatedAt}, []*caller.AuditEntry{one}},
		"all at once": {caller.AuditFilter{User: two.User, Resource: two.Resource, CreatedAfter: two.CreatedAt, CreatedBefore: three.CreatedAt}, []*caller.AuditEntry{two}},
		"nothing":     {caller.AuditFilter{Resource: id[billing.ClaimID]().String()}, []*caller.AuditEntry{}},
	} {
		equal(t, "filter by "+name, b.listAudit(test.f, billing.Page{Limit: 25}), test.want)
	}
}

// testForgetAudit deletes what is older than the six years of a new database, and
// nothing younger.
func testForgetAudit(b *scoped) {
	old := func(days int) *caller.AuditEntry {
		e := b.auditEntry(0)
		e.CreatedAt = e.CreatedAt.AddDate(0, 0, -days)
		e.ID = billing.NewID[billing.AuditEntryID](billing.RealAt(e.CreatedAt))
		return e
	}
	fresh, almost, expired, ancient := old(0), old(2189), old(2191), old(4000)
	waiting := *expired
	waiting.Status = 0
	b.insertAudit(fresh, almost, &waiting, expired, ancient)
	forgets := func(before time.Time, want int) {
		b.t.Helper()
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			n, err := tx.AuditLog.Forget(ctx, before)
			equal(b.t, "deleted entries", n, want)
			return err
		})
	}
	forgets(b.now.AddDate(-10, 0, 0), 1)
	equal(b.t, "those that are left", b.listAudit(caller.AuditFilter{}, billing.Page{Limit: 9}), []*caller.AuditEntry{fresh, almost, expired})
	forgets(b.now.Add(time.Hour), 2) // both rows of the expired one
	equal(b.t, "the last six years", b.listAudit(caller.AuditFilter{}, billing.Page{Limit: 9}), []*caller.AuditEntry{fresh, almost})
	for _, e := range []*caller.AuditEntry{almost, expired, ancient} {
		for _, resource := range []string{e.Resource, e.Shown[0]} {
			got := b.listAudit(caller.AuditFilter{Resource: resource}, billing.Page{Limit: 9})
			equal(b.t, "entries of the resource", len(got), map[bool]int{true: 1}[e == almost])
		}
	}
}
