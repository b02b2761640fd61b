package httpapi

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// clear sends claims to the sandbox, and takes what comes back for them, until
// the test ends.
func (s *service) clear(t *testing.T) {
	t.Helper()
	during(t, func(ctx context.Context) {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			_, cut := s.batches.Cut(ctx)
			_, received := s.batches.Receive(ctx)
			for _, err := range []error{cut, received} {
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		}
	})
}

// until reads the resource until its state is what it will be.
func (s *service) until(t *testing.T, path, state string) answer {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 3000 {
		a := s.must(t, 200, call{path: path})
		if a.text(t, "state") == state {
			return a
		}
		<-tick.C
	}
	t.Fatalf("%s is not %s: %s", path, state, s.do(t, call{path: path}).body)
	return answer{}
}

// lately is a day in the last weeks, as claims have it.
func lately(daysAgo int) string { return billing.DateOf(time.Now().AddDate(0, 0, -daysAgo)).String() }

// crown is the body of a claim in which nothing is found; change may change it.
func (s *service) crown(member string, change func(o anObject)) string {
	return jsonOf(anObject{
		"office_id": s.office.String(), "payer_id": "CHTEST",
		"subscriber": anObject{
			"first_name": "Sam", "last_name": fmt.Sprint("Example", s.keys.Add(1)), "date_of_birth": "1984-02-29", "member_id": "SANDBOX-" + member,
			"group_number": "1000", "gender": "male",
			"address": anObject{"line1": "2 Oak St", "line2": nil, "city": "Albany", "state": "NY", "zip": "12207"},
		},
		"lines": []anObject{{"procedure_code": "D2740", "service_date": lately(9), "fee": "1250.00", "tooth": "14"}},
	}, change)
}

// asked makes it a predetermination.
func asked(o anObject) {
	o["kind"] = "predetermination"
	for _, l := range o["lines"].([]anObject) {
		delete(l, "service_date")
	}
}

// batch keeps a batch with the content.
func (s *service) batch(t *testing.T, serial int64, content string) *billing.Batch {
	t.Helper()
	b := billing.NewBatch(s.test, serial, 2, time.Now())
	err := s.store.InTx(t.Context(), s.test, func(ctx context.Context, tx ports.Tx) error {
		for at := b.CreatedAt; ; at = at.Add(time.Millisecond) {
			if ok, err := tx.Batches.Insert(ctx, b, []byte(content)); ok || err != nil {
				return err
			}
			b.Rename(at)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
