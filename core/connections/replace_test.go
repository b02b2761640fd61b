package connections_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestReplace rotates a password while a process runs. The connection stays the same one.
func TestReplace(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeLive)
	operator, service := newProcess(t, store), newProcess(t, store)
	service.run(t)
	c := operator.must(t, request("Main", nil))
	porttest.Await(t, "the connection is used", func() bool { _, err := service.open(scope); return err == nil })
	service.Observe(t.Context(), c, network.CallAsk, network.ErrUnauthorized)
	state := func() network.State {
		now, err := operator.Get(t.Context(), "main")
		if err != nil {
			t.Fatal(err)
		}
		return now.State()
	}
	porttest.Await(t, "the connection is paused", func() bool { return state() == network.Paused })

	rotated := func(change func(r *intake.ConnectionRequest)) intake.ConnectionRequest {
		return request("MAIN", func(r *intake.ConnectionRequest) {
			r.Own["password_file"], r.Own["url"] = []byte("rotated"), []byte("https://core2.example.com/soap")
			if change != nil {
				change(r)
			}
		})
	}
	after, err := operator.Replace(t.Context(), rotated(nil))
	if err != nil || after.ID != c.ID || after.Name != "Main" || !after.CreatedAt.Equal(c.CreatedAt) || after.State() != network.Enabled {
		t.Fatalf("%+v, %v", after, err)
	}
	porttest.Await(t, "the process uses the new password", func() bool {
		service.mu.Lock()
		defer service.mu.Unlock()
		return slices.Contains(service.opened, `{"Password":"rotated"}`)
	})
	if n, err := service.open(scope); err != nil || n.Name != c.Network() {
		t.Errorf("%+v, %v", n, err)
	}
	stored, err := operator.Get(t.Context(), "main")
	if err != nil || string(stored.Secrets) != `{"Password":"rotated"}` || !strings.Contains(string(stored.Settings.Own["CORE"]), `"URL":"https://core2.example.com/soap"`) || stored.Revision <= c.Revision {
		t.Errorf("stored %+v, %v", stored, err)
	}

	// What is disabled stays disabled, unless the document says otherwise.
	if _, err := operator.Disable(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		enabled *bool
		want    network.State
	}{{nil, network.Disabled}, {new(true), network.Enabled}, {nil, network.Enabled}, {new(false), network.Disabled}} {
		if _, err := operator.Replace(t.Context(), rotated(func(r *intake.ConnectionRequest) { r.Enabled = c.enabled })); err != nil || state() != c.want {
			t.Errorf("the connection is %s, want %s; %v", state(), c.want, err)
		}
	}

	for field, change := range map[string]func(r *intake.ConnectionRequest){
		"mode":   func(r *intake.ConnectionRequest) { r.Mode, r.Usage = "test", "T" },
		"org_id": func(r *intake.ConnectionRequest) { r.OrgID = new(scope.Org.String()) },
		"url":    func(r *intake.ConnectionRequest) { r.Own["url"] = []byte("http://core.example.com") },
	} {
		_, err := operator.Replace(t.Context(), rotated(change))
		wantFault(t, "another "+field, err, field)
	}
	_, err = operator.Replace(t.Context(), request("Other", nil))
	wantCode(t, "an unknown name", err, billing.CodeNotFound)
	_, err = operator.Replace(t.Context(), rotated(func(r *intake.ConnectionRequest) { r.Own["password_file"] = []byte("unreadable") }))
	wantCode(t, "a document that cannot be opened", err, billing.CodeInvalidRequest)
	if stored, err := operator.Get(t.Context(), "main"); err != nil || string(stored.Secrets) != `{"Password":"rotated"}` || stored.Mode != billing.ModeLive {
		t.Errorf("a refused document was stored: %+v, %v", stored, err)
	}
}

// TestRemoveWhatIsNeeded keeps a connection while batches need it.
func TestRemoveWhatIsNeeded(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeLive)
	p := newProcess(t, store)
	c := p.must(t, request("Main", nil))
	serial := int64(0)
	batch := func(change func(tx ports.Tx, b *clearing.Batch)) {
		t.Helper()
		porttest.In(t, store, scope, func(ctx context.Context, tx ports.Tx) error {
			serial++
			b := clearing.NewBatch(scope, c.Network(), serial, 1, billing.RealAt(tx.Clock.Now()), tx.Clock.Now())
			b.File.Name = b.ID.String()
			if _, err := tx.Batches.Insert(ctx, b, []byte("ISA")); err != nil {
				return err
			}
			change(tx, b)
			return tx.Batches.Save(ctx, b)
		})
	}
	batch(func(tx ports.Tx, b *clearing.Batch) { b.Sent(tx.Clock.Now()); b.Settle(tx.Clock.Now()) })
	for _, need := range []struct {
		change func(tx ports.Tx, b *clearing.Batch)
		want   string
	}{
		{func(ports.Tx, *clearing.Batch) {}, "1 not sent yet"},
		{func(tx ports.Tx, b *clearing.Batch) { b.Unknown(tx.Clock.Now()) }, "1 not sent yet, 1 with an unknown outcome"},
		{func(tx ports.Tx, b *clearing.Batch) { b.Sent(tx.Clock.Now()) }, "1 not sent yet, 1 with an unknown outcome, 1 without all acknowledgements"},
	} {
		batch(need.change)
		err := p.Remove(t.Context(), "main", false)
		wantCode(t, "remove", err, billing.CodeConflict)
		if !strings.Contains(err.Error(), "Batches still need Main: "+need.want+". ") || !strings.Contains(err.Error(), "--force") {
			t.Errorf("%v, want %s", err, need.want)
		}
	}
	if err := p.Remove(t.Context(), "main", true); err != nil {
		t.Error(err)
	}
	other := p.must(t, request("Main", nil))
	if err := p.Remove(t.Context(), other.Name, false); err != nil {
		t.Errorf("without batches of its own: %v", err)
	}
}
