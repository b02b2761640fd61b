package estimate_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing/estimate"
)

// BenchmarkTwentyLines computes 20 lines under two plans. Nothing is missing in the first
// run, and all that can be in the second.
func BenchmarkTwentyLines(b *testing.B) {
	for name, in := range map[string]*estimate.Case{
		"known": {
			Plan:   plan(pays("", 80), maximum(person, "9000", "8000"), maximum(family, "9000", "8000"), deductible(person, "50", "50")),
			Second: plan(pays("", 50), maximum(person, "1500", "1500")),
			Lines:  []estimate.Line{line("D2740 fee 1000 allowed 800 second 700")},
		},
		"missing": {
			Plan:   plan(lacks("maximums", "deductibles")),
			Second: plan(lacks("maximums", "deductibles")),
			Lines:  []estimate.Line{line("D2740 fee 1000 allowed ? alternate ?")},
		},
	} {
		for len(in.Lines) < 20 {
			in.Lines = append(in.Lines, in.Lines[0])
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				estimate.Compute(in)
			}
		})
	}
}
