package edi_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/sandboxnet"
)

// BenchmarkCheck is what a worker computes for a fresh check: it writes the
// 270, the sandbox reads it and writes a 271, and the worker reads that and
// writes the benefits as they are shown.
func BenchmarkCheck(b *testing.B) {
	q := inquiry270()
	q.Inquiry.Subscriber.MemberID = "SANDBOX-ACTIVE-FULL"
	network, codec := sandboxnet.NewEligibility(hour{}), edi.New()
	request, err := codec.Inquiry(q, q.Questions()[0], 0)
	if err != nil {
		b.Fatal(err)
	}
	reply, err := network.Inquire(b.Context(), request)
	if err != nil {
		b.Fatal(err)
	}
	answer, err := codec.Answer(q, [][]byte{reply})
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("270 of %d bytes, 271 of %d, %d bytes shown", len(request), len(reply), len(answer.Benefits.Data()))
	for name, step := range map[string]func(){
		"1 write 270":      func() { _, _ = codec.Inquiry(q, q.Questions()[0], 0) },
		"2 sandbox":        func() { _, _ = network.Inquire(b.Context(), request) },
		"3 read 271":       func() { _, _ = codec.Answer(q, [][]byte{reply}) },
		"4 write benefits": func() { _ = answer.Benefits.Data() },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}
