package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// onBatches returns a store, and a function that runs a command of a group with it.
func onBatches(t *testing.T, group string) (ports.Store, func(args ...string) (string, error)) {
	t.Helper()
	store := pgtest.Open(t)
	s := batches.New(store, batches.Outside{}, porttest.Payers(t))
	b := Backend{Batches: func(context.Context) (*batches.Service, func() error, error) {
		return s, func() error { return nil }, nil
	}}
	return store, func(args ...string) (string, error) {
		c := New(b)
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetArgs(append([]string{group}, args...))
		err := c.ExecuteContext(t.Context())
		return out.String(), err
	}
}

// TestBatches lists batches whose outcome is unknown and decides on them.
func TestBatches(t *testing.T) {
	t.Parallel()
	store, run := onBatches(t, "batches")
	if out, err := run("list"); err != nil || !strings.Contains(out, "No batch waits") {
		t.Errorf("%q, %v", out, err)
	}
	scope := porttest.Organization(t, store, billing.ModeLive)
	now := time.Now()
	var ids []string
	for n := range 2 {
		m := clearing.NewBatch(scope, "con_1", int64(n+1), 3, billing.RealAt(now.Add(time.Duration(n)*time.Second)), now.Add(time.Duration(n)*time.Second))
		m.UnknownSince = now
		ids = append(ids, m.ID.String())
		porttest.In(t, store, scope, func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Batches.Insert(ctx, m, []byte("ISA"))
			return err
		})
	}
	out, err := run("list")
	for _, want := range append(ids, scope.Org.String(), "con_1", "live", ".837") {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("the list has no %s: %v\n%s", want, err, out)
		}
	}
	late := clearing.NewBatch(scope, "con_1", 3, 3, billing.RealAt(now.Add(2*time.Second)), now.Add(2*time.Second))
	porttest.In(t, store, scope, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Batches.Insert(ctx, late, []byte("ISA"))
		late.Sent(now.Add(-48 * time.Hour))
		late.Unreported = true
		late.Review((&network.Options{}).Expected(), billing.AcknowledgementsAfter, now)
		return errors.Join(err, tx.Batches.Save(ctx, late))
	})
	out, err = run("list")
	for _, want := range []string{"PROBLEM", "unknown outcome", late.ID.String(), "no 999, no 277CA", event.Timestamp(late.SentAt)} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("the list has no %s: %v\n%s", want, err, out)
		}
	}
	if _, err := run("resend", late.ID.String()); err == nil || !strings.Contains(err.Error(), "would duplicate") {
		t.Errorf("resend a batch whose claims have moved on: %v", err)
	}
	if out, err := run("sent", late.ID.String()); err != nil || !strings.Contains(out, "recorded as sent") {
		t.Errorf("sent: %q, %v", out, err)
	}
	for command, want := range map[string]string{"resend " + ids[0]: "goes out again", "sent " + ids[1]: "recorded as sent"} {
		if out, err := run(strings.Fields(command)...); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %q, %v", command, out, err)
		}
		if _, err := run(strings.Fields(command)...); err == nil || !strings.Contains(err.Error(), "molar batches list") {
			t.Errorf("%s again: %v", command, err)
		}
	}
	if due := porttest.Due(t, store, time.Hour); len(due) != 1 {
		t.Errorf("%d jobs, want that of the batch to send again", len(due))
	}
}
