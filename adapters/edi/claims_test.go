package edi_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
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
	billing.Remittance

	Claims   []*billing.ERAClaim
	Identity string `json:",omitempty"` // left out, as Content is
	Content  []byte `json:",omitempty"`
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

func TestKinds(t *testing.T) {
	t.Parallel()
	const head = "ISA*00*          *00*          *ZZ*PAYER          *ZZ*MOLAR          *260304*0506*^*00501*000000907*0*T*:~"
	set := func(id string) string { return "GS*XX*A*B*20260304*0506*1*X*1~ST*" + id + "*1~SE*2*1~GE*1*1~" }
	for name, c := range map[string]struct {
		content string
		want    billing.FileKind
	}{
		"only a TA1":         {head + "TA1*000000900*260304*0500*A*000~IEA*0*000000907~", billing.FileAcknowledgement},
		"a TA1 and an 835":   {head + "TA1*000000900*260304*0500*A*000~" + set("835") + "IEA*1*000000907~", billing.FileRemittance},
		"997":                {head + set("997") + "IEA*1*000000907~", billing.FileAcknowledgement},
		"a 271 and a 999":    {head + set("271") + set("999") + "IEA*2*000000907~", billing.FileAcknowledgement},
		"277 with a tail":    {head + set("277") + "IEA*1*000000907~ and more", billing.FileAcknowledgement},
		"271":                {head + set("271") + "IEA*1*000000907~", ""},
		"a TA1 and no IEA":   {head + "TA1*000000900*260304*0500*A*000~", ""},
		"an 835, as HTML":    {"<html>ST*835*1~", ""},
		"nothing":            {"", ""},
		"an 837 of our own":  {string(mustFile(t, claimsFile())), ""},
		"an 835 that breaks": {head + "GS*HP*A*B*20260304*0506*1*X*1~ST*835*1~", billing.FileRemittance},
	} {
		kind, err := edi.New().Kind([]byte(c.content))
		if kind != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: kind %q, error %v", name, kind, err)
		}
		if err != nil {
			positioned(t, err, len(c.content))
		}
	}
}

// TestMixedFile refuses remittances among acknowledgements, which would be lost.
func TestMixedFile(t *testing.T) {
	t.Parallel()
	content := append(incoming(t, "payer.277"), incoming(t, "remittance.835")...)
	_, err := edi.New().Acknowledgement("mixed", content)
	if err == nil {
		t.Fatal("no error")
	}
	positioned(t, err, len(content))
	if !strings.Contains(err.Error(), "835") {
		t.Error(err)
	}
}
