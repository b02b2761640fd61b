package eligibility

import (
	"context"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// officeTTL is the time for which checks use an office without reading it
// again. mostOffices limits the number of remembered offices.
const (
	officeTTL   = 2 * time.Second
	mostOffices = 4096
)

// offices remembers offices for a moment, because the checks of a practice name
// the same one.
type offices struct {
	mu    sync.Mutex
	known map[officeKey]knownOffice
}

type officeKey struct {
	scope billing.Scope
	id    billing.OfficeID
}

type knownOffice struct {
	office *directory.Office
	until  time.Time
}

func (o *offices) recall(key officeKey) *directory.Office {
	o.mu.Lock()
	defer o.mu.Unlock()
	if k, ok := o.known[key]; ok && time.Now().Before(k.until) {
		return k.office
	}
	return nil
}

func (o *offices) remember(key officeKey, office *directory.Office) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil || len(o.known) >= mostOffices {
		o.known = map[officeKey]knownOffice{}
	}
	o.known[key] = knownOffice{office, time.Now().Add(officeTTL)}
}

// enrolled refuses a live check of an office that its payer has not enrolled.
func enrolled(ctx context.Context, tx ports.Tx, scope billing.Scope, office billing.OfficeID, payer billing.PayerID) error {
	if scope.Mode != billing.ModeLive {
		return nil
	}
	found, err := tx.Enrollments.Find(ctx, network.Eligibility, []billing.OfficeID{office}, []billing.PayerID{payer})
	if err != nil {
		return err
	}
	var faults billing.Faults
	for _, e := range found {
		if message, fix := e.State.Refusal(); message != "" {
			faults.Add("payer_id", billing.FaultNotAllowed, message+" "+fix)
		}
	}
	return faults.Err()
}

// office returns the office that the request names. With CodeNotFound it also
// returns an empty office, whose day is the day in UTC.
func (s *Service) office(ctx context.Context, tx ports.Tx, scope billing.Scope, ref string) (*directory.Office, error) {
	id, err := billing.ParseID[billing.OfficeID](ref)
	if err != nil {
		return &directory.Office{}, billing.NotFound("office", "office_id")
	}
	key := officeKey{scope, id}
	if known := s.offices.recall(key); known != nil {
		return known, nil
	}
	o, err := tx.Offices.Get(ctx, id)
	if billing.IsNotFound(err) {
		return &directory.Office{}, billing.NotFound("office", "office_id")
	}
	if err == nil {
		s.offices.remember(key, o)
	}
	return o, err
}
