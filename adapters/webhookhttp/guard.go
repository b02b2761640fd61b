package webhookhttp

import (
	"context"
	"fmt"
	"net/netip"
	"syscall"

	"github.com/molar-billing/molar/adapters/publicaddr"
)

// guard checks addresses, and the ports on which webhooks may be posted.
type guard struct {
	public *publicaddr.Guard
}

func newGuard(allow []netip.Prefix) (*guard, error) {
	public, err := publicaddr.New(allow...)
	if err != nil {
		return nil, fmt.Errorf("webhookhttp: %w", err)
	}
	return &guard{public}, nil
}

// judge returns nil if all of the addresses may be dialed.
func (g *guard) judge(addrs ...netip.Addr) error { return notAllowed(g.public.Judge(addrs...)) }

// control checks the address that a dialer is about to connect to.
func (g *guard) control(ctx context.Context, network, address string, c syscall.RawConn) error {
	if to, err := netip.ParseAddrPort(address); err == nil && !portAllowed(to.Port()) {
		return fmt.Errorf("%w: %s %s", errNotAllowed, network, address)
	}
	return notAllowed(g.public.Control(ctx, network, address, c))
}

func notAllowed(err error) error {
	if err != nil {
		err = fmt.Errorf("%w: %w", errNotAllowed, err)
	}
	return err
}
