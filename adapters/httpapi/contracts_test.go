package httpapi

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/tasks"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// contractBody is a contract with CHTEST, which allows an amount for a crown.
func contractBody(amount string, fields ...any) string {
	return feesBody(append([]any{
		"name", "CHTEST " + amount, "kind", "allowed", "payer_id", "CHTEST", "effective_from", "2020-01-01",
		"rows",
		[]anObject{{"procedure_code": "D2740", "amount": amount}},
	}, fields...)...)
}

// catchUp computes the tasks that a change of the fee schedules asked for, as a sweep does, and
// returns of how many resources something differed.
func (s *service) catchUp(t *testing.T) (differed int) {
	t.Helper()
	for more := true; more; {
		var d int
		var err error
		if d, more, err = tasks.New(s.store, nil).CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		differed += d
	}
	return differed
}

// TestUnderpaid pays a claim less than its contract has, corrects the contract, and accepts the
// difference.
func TestUnderpaid(t *testing.T) {
	t.Parallel()
	s := startService(t)
	first := s.must(t, 201, call{path: "/fee_schedules", body: contractBody("1100.00")}).text(t, "id")
	path := "/claims/" + s.must(t, 201, call{path: "/claims", body: s.crown("SANDBOX-PAID-ERA", nil)}).text(t, "id")
	s.must(t, 200, call{path: path}).shows(t, "contract.underpaid", "0.00", "contract.lines.0.expected", "1100.00", "contract.lines.0.not_compared", "undecided",
		"contract.lines.0.fee_schedule_id", first, "contract.lines.0.allowed", nil, "contract.lines.0.difference", nil)
	s.must(t, 200, call{method: "POST", path: path + "/submit"})
	s.clear(t)
	s.until(t, path, "paid").shows(t, "contract.underpaid", "100.00", "contract.lines.0.allowed", "1000.00", "contract.lines.0.difference", "-100.00", "contract.lines.0.not_compared", nil)
	id := path[len("/claims/"):]
	due := s.tasks(t, "?kind=underpaid")["underpaid"]
	if due == nil || due["amount"] != "100.00" || due["settles"].([]any)[0] != "accepted" {
		t.Fatalf("the task is %v", due)
	}
	if n := s.catchUp(t); n != 0 {
		t.Errorf("%d resources are not as the rules say", n)
	}

	// The contract has another amount: the sweep finds the claim.
	second := s.must(t, 201, call{path: "/fee_schedules", body: contractBody("1050.00", "replaces", first)}).text(t, "id")
	if n := s.catchUp(t); n != 1 {
		t.Errorf("%d claims follow the contract, want 1", n)
	}
	taskPath := "/tasks/" + due["id"].(string)
	s.must(t, 200, call{path: taskPath}).shows(t, "state", "open", "amount", "50.00", "resource.id", id)
	s.must(t, 200, call{path: path}).shows(t, "contract.underpaid", "50.00", "contract.lines.0.fee_schedule_id", second)

	// A person accepts it, until the amount changes.
	s.must(t, 200, call{path: taskPath + "/settle", body: `{"as":"accepted","note":"Too little to call."}`}).shows(t, "state", "done", "settled.amount", "50.00")
	s.must(t, 201, call{path: "/fee_schedules", body: contractBody("900.00", "replaces", second, "effective_from", "2020-01-02")})
	// A worker does the same, as soon as the contract is stored.
	work(t, s.queue, jobs.KindTasks, s.options.Tasks.Follow)
	porttest.Await(t, "the claim follows its contract", func() bool {
		<-time.After(10 * time.Millisecond)
		return s.must(t, 200, call{path: path}).get(t, "contract", "underpaid") == "0.00"
	})
	s.must(t, 200, call{path: path}).shows(t, "contract.lines.0.difference", "100.00")
	porttest.Await(t, "the jobs end", func() bool {
		<-time.After(10 * time.Millisecond)
		return s.count(t, "SELECT count(*) FROM jobs WHERE kind = 'tasks'") == 0
	})
	if n := s.catchUp(t); n != 0 {
		t.Errorf("in the end, %d resources are not as the rules say", n)
	}
	s.must(t, 201, call{path: "/fee_schedules", body: feesBody("name", "Our fees")}) // no contract
	if n := s.catchUp(t); n != 0 {
		t.Errorf("%d claims follow office fees", n)
	}
}

// TestContractChangesDuringASweep stores a contract while the sweep is between two steps: it begins
// anew, and loses nothing.
func TestContractChangesDuringASweep(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.catchUp(t)
	c := s.claim(t, func(c *claim.Claim) { c.State = claim.Validated })
	var before billing.Scope
	err := s.store.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
		was, err := tx.TaskRules.Of(ctx, s.test)
		if err != nil {
			return err
		}
		before = was.Scope
		s.inTest(t, func(ctx context.Context, tx ports.Tx) error { //nolint:contextcheck // a transaction beside this one
			made := &fee.Schedule{
				ID: billing.NewID[billing.FeeScheduleID](billing.RealAt(time.Now())), Scope: s.test, CreatedAt: time.Now(), Name: "Late", Kind: fee.Allowed,
				Payer: c.Payer, EffectiveFrom: billing.Date{Year: 2020, Month: 1, Day: 1}, Rows: []fee.Row{{ProcedureCode: c.Lines[0].ProcedureCode, Amount: 1}},
			}
			if err := tx.FeeSchedules.Insert(ctx, made); err != nil {
				return err
			}
			return tx.Contracts.Changed(ctx)
		})
		was.Done = true
		return tx.TaskRules.Rebuilt(ctx, *was) // of the sweep that did not see the contract
	})
	if err != nil || before != s.test {
		t.Fatal(before, err)
	}
	if n := s.catchUp(t); n != 1 {
		t.Errorf("%d claims follow the contract, want 1", n)
	}
	s.must(t, 200, call{path: "/claims/" + c.ID.String()}).shows(t, "contract.lines.0.expected", "0.01", "contract.lines.0.fee_schedule_name", "Late")
}

func (s *service) inTest(t *testing.T, do func(context.Context, ports.Tx) error) {
	t.Helper()
	porttest.In(t, s.store, s.test, do)
}
