package remittance_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/adapters/x12/x12test"
)

// TestBalancer finds the same payments, figures and findings as a Decoder that
// reads everything.
func TestBalancer(t *testing.T) {
	t.Parallel()
	for _, input := range x12test.Samples(t) {
		whole, figures := remittance.NewDecoder(bytes.NewReader(input)), remittance.NewBalancer(bytes.NewReader(input))
		for {
			want, err := whole.Next()
			got, other := figures.Next()
			if (err == nil) != (other == nil) || err != nil && err.Error() != other.Error() {
				t.Fatalf("error %v, want %v", other, err)
			}
			if err != nil {
				break
			}
			sameFigures(t, whole, figures)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("payment\n%+v, want\n%+v", got, want)
			}
		}
	}
}

func sameFigures(t *testing.T, whole, figures *remittance.Decoder) {
	t.Helper()
	for {
		want, err := whole.NextClaim()
		got, other := figures.NextClaim()
		if (err == nil) != (other == nil) || errors.Is(err, io.EOF) != errors.Is(other, io.EOF) {
			t.Fatalf("error %v, want %v", other, err)
		}
		if err != nil {
			return
		}
		if got.ControlNumber != want.ControlNumber || got.Charge != want.Charge || got.Paid != want.Paid ||
			got.Adjusted("", "") != want.Adjusted("", "") || !reflect.DeepEqual(got.Amounts, want.Amounts) || len(got.Services) != len(want.Services) || !reflect.DeepEqual(got.Findings, want.Findings) {
			t.Fatalf("claim\n%+v, want\n%+v", got, want)
		}
	}
}
