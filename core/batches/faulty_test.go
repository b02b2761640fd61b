package batches_test

import (
	"context"

	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

type faultyNetwork struct {
	ports.Clearinghouse
	*porttest.Fault
}

func (n faultyNetwork) Send(ctx context.Context, f clearing.OutgoingFile, mark func(context.Context, string) error) error {
	return n.Call("Send", func() error { return n.Clearinghouse.Send(ctx, f, mark) })
}

func (n faultyNetwork) Receive(ctx context.Context, limit int) (files []clearing.IncomingFile, err error) {
	err = n.Call("Receive", func() (err error) {
		files, err = n.Clearinghouse.Receive(ctx, limit)
		return err
	})
	return files, err
}

func (n faultyNetwork) Remove(ctx context.Context, name string) error {
	return n.Call("Remove", func() error { return n.Clearinghouse.Remove(ctx, name) })
}
