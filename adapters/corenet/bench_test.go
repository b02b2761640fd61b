package corenet_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/corenet"
)

// BenchmarkInquire asks the simulator, eight inquiries at once for each processor, on
// kept-alive connections. The time is that of both sides.
func BenchmarkInquire(b *testing.B) {
	config := simulator(b)
	for _, envelope := range []corenet.Envelope{corenet.SOAP220, corenet.MIME220} {
		b.Run(string(envelope), func(b *testing.B) {
			e := newClient(b, config(envelope))
			b.ReportAllocs()
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := e.Inquire(b.Context(), request(b, quill("-ACTIVE-FULL"))); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
