package edi_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports/networktest"
)

// incoming reads a file of testdata/claims.
func incoming(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "claims", name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// goldenJSON compares v with what a person has checked against the file beside:
// amounts are in cents.
func goldenJSON(t *testing.T, name string, v any) {
	t.Helper()
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	x12test.Golden(t, filepath.Join("claims", name), append(b, '\n'))
}

func TestClaimsEDI(t *testing.T) {
	t.Parallel()
	networktest.RunClaimsEDI(t, networktest.ClaimsEDIFixture{
		EDI: edi.New(), File: claimsFile(), Detailed: detailedFile(), Acknowledgement: incoming(t, "payer.277"), Remittance: incoming(t, "remittance.835"),
	})
}

func TestAcknowledgementGolden(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"functional.999", "clearinghouse.277", "payer.277"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := edi.New().Acknowledgement(name, incoming(t, name))
			if err != nil {
				t.Fatal(err)
			}
			goldenJSON(t, name+".json", a)
		})
	}
}

// readPayment is a payment with its claims, without what no person checks.
type readPayment struct {
	remit.Remittance

	Claims   []*remit.Claim
	Identity string `json:",omitempty"` // left out, as the others are
	Outline  string `json:",omitempty"`
	Content  []byte `json:",omitempty"`
	ERALater string `json:",omitempty"`
}

func readPayments(t *testing.T, name string, content []byte) (all []readPayment) {
	t.Helper()
	payments, err := edi.New().Payments(name, content, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range payments {
		p := readPayment{Remittance: payments[i]}
		for c, err := range edi.New().Claims(payments[i].Content) {
			if err != nil {
				t.Fatal(err)
			}
			p.Claims = append(p.Claims, c)
		}
		all = append(all, p)
	}
	return all
}

func TestRemittanceGolden(t *testing.T) {
	t.Parallel()
	goldenJSON(t, "remittance.835.json", readPayments(t, "remittance.835", incoming(t, "remittance.835")))
}

// positioned proves that an error says where, and names no person.
func positioned(t *testing.T, err error, size int) {
	t.Helper()
	if e, ok := errors.AsType[*x12.Error](err); !ok || e.Reason == "" || e.Offset < 0 || e.Offset > size {
		t.Fatalf("error %v without a position in %d bytes", err, size)
	}
}
