package e2e_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// pair is a system of other binaries, such as an earlier release's, in the folder
// MOLAR_BENCH_BASE, beside one of those built here. Without other ones it compares these
// with themselves, which shows how far a ratio can be trusted. The two take short turns,
// A B B A: what else the machine does changes within a minute by more than they differ.
type pair struct {
	names   [2]string
	systems [2]*system
}

// startPair starts both systems, each with servers of its own.
func startPair(b *testing.B) *pair {
	b.Helper()
	built := binaries(b)
	base := cmp.Or(os.Getenv("MOLAR_BENCH_BASE"), built)
	return &pair{
		[2]string{filepath.Base(base), filepath.Base(built)},
		[2]*system{startSystemOf(b, base, 1, 1), startSystemOf(b, built, 1, 1)},
	}
}

// header prints the names of the columns of compare.
func (p *pair) header(what string) {
	fmt.Printf("%-28s  %24s  %24s  %s\n", what, p.names[0], p.names[1], "ratio of rate, of processor time")
}

// compare measures a rate of both systems in turns, prints the medians with the processor
// time of all processes for each of what is counted, then that time by command, and returns
// the ratio of the rates.
func (p *pair) compare(b *testing.B, name string, turns int, measure func(*system) float64) float64 {
	b.Helper()
	var rates, costs [2][]float64
	var counted [2]float64
	spent := [2]usage{{}, {}}
	for turn := range turns {
		for n := range 2 {
			i := (n + turn) % 2
			before, begun := cpu(b), time.Now()
			rate := measure(p.systems[i])
			rates[i] = append(rates[i], rate)
			used, n := cpu(b), rate*time.Since(begun).Seconds()
			costs[i] = append(costs[i], used.sum(before)/n)
			counted[i] += n
			for name := range used {
				spent[i][name] += used[name] - before[name]
			}
		}
	}
	var rate, cost [2]float64
	for i := range 2 {
		rate[i], cost[i] = middle(rates[i]), middle(costs[i])
	}
	fmt.Printf("%-28s  %12.0f/s %7.0f µs  %12.0f/s %7.0f µs  %.3f, %.3f\n", name, rate[0], cost[0], rate[1], cost[1], rate[1]/rate[0], cost[1]/cost[0])
	for i := range 2 {
		fmt.Println("   ", spent[i].since(nil, counted[i]))
	}
	return rate[1] / rate[0]
}
