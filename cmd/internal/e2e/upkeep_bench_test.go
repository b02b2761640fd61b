package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkUpkeep compares fresh checks without other work with those beside a rotation of the
// data keys, and beside a sweep that removes old records, in turns. A worker whose sweep finds
// nothing starts and runs in the others, too, so that its own work is no difference.
func BenchmarkUpkeep(b *testing.B) {
	const connections, turns, span, before = 32, 6, 3 * time.Second, 40 * time.Second
	for b.Loop() {
		s := startSystem(b, 1, 1)
		s.measure(b, connections, before, "fresh") // what is encrypted anew, and removed
		checks := s.count("SELECT count(*) FROM eligibility_checks")
		if _, err := s.db.ExecContext(b.Context(), "ALTER TABLE retention DROP CONSTRAINT retention_keep_check"); err != nil {
			b.Fatal(err)
		}
		rows := []struct {
			name  string
			begin func() (end func())
		}{
			{"alone", s.working},
			{"rotation of data keys", func() func() {
				rest, end := s.working(), s.rotating()
				return func() { end(); rest() }
			}},
			{"sweep of records", s.sweeping},
		}
		rates := make([][]float64, len(rows))
		for range turns {
			for i, row := range rows {
				end := row.begin()
				pause(span / 2) // a process that starts takes time, too
				rates[i] = append(rates[i], s.measure(b, connections, span, "fresh").rate)
				end()
			}
		}
		fmt.Printf("%d checks at the start, %d at the end\n", checks, s.count("SELECT count(*) FROM eligibility_checks"))
		for i, row := range rows {
			fmt.Printf("%-22s %.0f/s, %.2f of alone\n", row.name, middle(rates[i]), middle(rates[i])/middle(rates[0]))
		}
	}
}

// rotating rotates data keys until the end. A rotation that is killed goes on at the next one.
func (s *system) rotating() (end func()) {
	ctx, cancel := context.WithCancel(s.tb.Context())
	cmd := exec.CommandContext(ctx, filepath.Join(s.dir, "molar"), "secrets", "rotate", "--data")
	cmd.Env = append(os.Environ(), s.env...)
	if err := cmd.Start(); err != nil {
		s.tb.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return func() {
		select {
		case err := <-ended:
			s.tb.Errorf("the rotation ended before the measurement: %v", err)
		default:
		}
		cancel()
		<-ended
	}
}

// working runs a worker that sweeps until the end.
func (s *system) working() (end func()) {
	worker := s.spawn("eraworker", 1)[0]
	return func() { worker.stop() }
}

// sweeping makes records old at once, and removes them until the end. It returns when the first
// are gone: a sweep looks at other data before.
func (s *system) sweeping() (end func()) {
	s.age("10 seconds")
	all := s.count("SELECT count(*) FROM eligibility_checks")
	stop := s.working()
	await(s.tb, "the removal of checks", func() bool { return s.count("SELECT count(*) FROM eligibility_checks") < all })
	return func() {
		stop()
		s.age("90 days")
	}
}

// age sets how long records of test mode stay.
func (s *system) age(keep string) {
	s.tb.Helper()
	if _, err := s.db.ExecContext(s.tb.Context(), "UPDATE retention SET keep = $1::interval WHERE kind = 'records' AND mode = 'test'", keep); err != nil {
		s.tb.Fatal(err)
	}
}
