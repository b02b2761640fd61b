// Package batches carries claims to payers and applies what comes back before
// any payment. It cuts queued claims into files (837D), hands the files to the
// clearinghouse, and reads the acknowledgements (997, 999, 277). Remittances
// (835) that it receives go to package remittances.
//
// Cutting and handing over are two commits with the network between them, and
// either can be repeated: the network identifies a file by its name. An
// acknowledgement is applied in one commit for each organization that it is
// about. That commit also stores the file, so that no file counts twice.
// Callers read batches here, too.
package batches

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of batches.
type Service struct {
	store    ports.Store
	edi      ports.ClaimsEDI
	networks ports.Networks
	payers   *directory.PayerDirectory
	remit    Remit
	keepCopy Keep
	interval time.Duration
}

// Remit imports a remittance that came by the route, and returns what entered the quarantine. It may be called
// again with the same file.
type Remit func(ctx context.Context, by *network.Route, f clearing.IncomingFile) ([]*quarantine.File, error)

// Keep stores the copy of a live file outside the database, under a name. A file whose copy
// is not stored neither leaves nor is removed at its network.
type Keep func(ctx context.Context, name string, file any) error

// Outside has the dependencies of the use cases besides the store: the
// networks, the codec of their files, and the importer of remittances.
type Outside struct {
	EDI      ports.ClaimsEDI
	Networks ports.Networks
	Remit    Remit
	Keep     Keep
	Interval time.Duration // how often queued claims leave
}

// New creates the use cases.
func New(store ports.Store, o Outside, payers *directory.PayerDirectory) *Service {
	return &Service{store, o.EDI, o.Networks, payers, o.Remit, o.Keep, o.Interval}
}

// live reports whether copies are kept of the network's files. The sandbox's mailbox is in
// the database, and so is restored with it.
func live(n *ports.Network) bool { return n.Route.Mode == billing.ModeLive && n.Replies == nil }

// ErrClosed is the error for a network that is not open, or no longer open.
var ErrClosed = errors.New("the network is not open; molar connections list shows whether its connection is disabled or paused")

// network returns the network with the name that carries claims. The log has it already
// when one is not open: each batch and each attempt would repeat it.
func (s *Service) network(name string) (*ports.Network, error) {
	for _, n := range s.networks.Clearinghouses() {
		if n.Name == name {
			return n, nil
		}
	}
	return nil, &network.ObservedError{Err: fmt.Errorf("%s: %w", name, ErrClosed)}
}
