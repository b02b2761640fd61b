package e2e_test

import (
	"fmt"
	"testing"
	"time"
)

// idleSpan is how long an idle fleet is watched: long enough for several of the slowest polls.
const idleSpan = 20 * time.Second

// BenchmarkIdle measures what an api and eight payer workers cost, with their servers, while
// nothing is to be done.
func BenchmarkIdle(b *testing.B) {
	for b.Loop() {
		startSystem(b, 1, 8)
		time.Sleep(idleSpan) // what a start leaves behind
		before := cpu(b)
		time.Sleep(idleSpan)
		after := cpu(b)
		b.ReportMetric(after.sum(before)/1000/idleSpan.Seconds(), "cpu-ms/s")
		fmt.Println("an idle second:", after.since(before, idleSpan.Seconds()))
	}
}
