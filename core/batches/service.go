// Package batches carries claims to payers and applies what comes back before
// any payment: it cuts queued claims into files (837D), hands the files to the
// clearinghouse, and reads the acknowledgements (997, 999, 277). A remittance
// (835) that it receives goes to package remittances.
//
// Cutting and handing over are two commits with the network between them, and
// either can be repeated: the network knows a file by its name. What comes back
// is applied in one commit for each organization that it is about, in which the
// file is kept, so that the same file never counts twice. Callers read batches
// here, too.
package batches

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Service is the use cases of batches.
type Service struct {
	store    ports.Store
	edi      ports.ClaimsEDI
	networks map[billing.Mode]ports.Clearinghouse
	payers   *billing.PayerDirectory
	remit    Remit
}

// Remit takes a remittance in. It may be called again with the same file.
type Remit func(ctx context.Context, mode billing.Mode, f billing.IncomingFile) error

// Outside is what the use cases need beside the store: a clearinghouse for each
// mode, the codec of their files, and whoever takes remittances.
type Outside struct {
	EDI      ports.ClaimsEDI
	Networks map[billing.Mode]ports.Clearinghouse
	Remit    Remit
}

// New makes the use cases.
func New(store ports.Store, o Outside, payers *billing.PayerDirectory) *Service {
	return &Service{store, o.EDI, o.Networks, payers, o.Remit}
}

// reachable lists the modes that have a clearinghouse.
func (s *Service) reachable() (modes []billing.Mode) {
	for _, m := range []billing.Mode{billing.ModeTest, billing.ModeLive} {
		if n, ok := s.networks[m]; ok && n.Available() == nil {
			modes = append(modes, m)
		}
	}
	return modes
}
