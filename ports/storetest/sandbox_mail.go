package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/ports"
)

// testSandboxMail stores, finds and changes messages about files, which no other scope sees.
func testSandboxMail(b *scoped) {
	prefix := id[billing.FileID]().String()[4:] // names are those of every scope
	message := func(name string, due time.Duration) scenario.Message {
		return scenario.Message{Name: prefix + name, Content: []byte("about " + name), Due: b.now.Add(due)}
	}
	later, sooner, another := message("1-payment-12.835", time.Hour), message("1.997", time.Minute), message("2-payer-1.277", time.Second)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		for _, m := range []scenario.Message{later, sooner, another} {
			if err := tx.SandboxMail.Put(ctx, "sandbox", m); err != nil {
				return err
			}
		}
		return nil
	})
	waiting := func(network string, files ...string) []scenario.Message {
		for i := range files {
			files[i] = prefix + files[i]
		}
		all, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) ([]scenario.Message, error) {
			return tx.SandboxMail.Waiting(ctx, network, files)
		})
		if err != nil {
			b.t.Fatal(err)
		}
		return all
	}
	equal(b.t, "of two files", waiting("sandbox", "2.837", "1.837", "3.837"), []scenario.Message{another, sooner, later})
	equal(b.t, "of one", waiting("sandbox", "1.837"), []scenario.Message{sooner, later})
	equal(b.t, "of another network", len(waiting("other", "1.837")), 0)
	later.Content, sooner.Content = []byte("less"), nil
	b.elsewhere(func(ctx context.Context, tx ports.Tx, mode billing.Mode) error {
		all, err := tx.SandboxMail.Waiting(ctx, "sandbox", []string{prefix + "1.837"})
		equal(b.t, "in "+string(mode), len(all), 0)
		if err != nil {
			return err
		}
		return tx.SandboxMail.Change(ctx, []scenario.Message{later, sooner})
	})
	if err := b.try(billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive}, func(ctx context.Context, tx ports.Tx) error {
		return tx.SandboxMail.Put(ctx, "sandbox", message("3.997", 0))
	}); err == nil {
		b.t.Error("live mode puts a message into the mail of the sandbox")
	}
	equal(b.t, "after others", len(waiting("sandbox", "1.837")), 2)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		if err := tx.SandboxMail.Note(ctx, scenario.Note{Key: [32]byte{1}, By: prefix, Content: nil}); err != nil {
			return err
		}
		return tx.SandboxMail.Change(ctx, []scenario.Message{later, sooner})
	})
	equal(b.t, "changed", waiting("sandbox", "1.837"), []scenario.Message{later})
}
