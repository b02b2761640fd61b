package networktest

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// ClaimsEDIFixture is a codec of claims, with the files that a test needs.
type ClaimsEDIFixture struct {
	EDI ports.ClaimsEDI

	// File is a batch of at least two claims of at least one office, with a
	// patient named Quillfeather.
	File network.ClaimsFile

	// Detailed is a batch whose claims and offices have every value of their types,
	// each in one of them at least.
	Detailed network.ClaimsFile

	// Acknowledgement and Remittance are received files. The remittance has at
	// least two payments with claims of a patient named Quillfeather.
	Acknowledgement []byte
	Remittance      []byte
}

// RunClaimsEDI runs the contract of ports.ClaimsEDI.
func RunClaimsEDI(t *testing.T, f ClaimsEDIFixture) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, ClaimsEDIFixture){
		"the same arguments return the same bytes": testFileStable,
		"a file has its mode and its numbers":      testFileNumbers,
		"a file without claims is refused":         testFileEmpty,
		"a file has all that its claims state":     testContent,
		"kinds of files are recognized":            testKinds,
		"an acknowledgement has content":           testAcknowledgement,
		"payments come with their claims":          testPayments,
		"a payment is the same in another file":    testPaymentAlone,
		"the caller may keep claims":               testClaimsKept,
		"reading claims may stop at any":           testClaimsStop,
		"a file that breaks off is refused":        testCutOff,
		"files are whole in many forms":            testWhole,
		"other bytes are refused":                  testGarbage,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, f)
		})
	}
}

func testFileStable(t *testing.T, f ClaimsEDIFixture) {
	first, err := f.EDI.File(f.File)
	if err != nil || len(first) == 0 {
		t.Fatalf("%d bytes, error %v", len(first), err)
	}
	turned := f.File
	turned.Claims = nil
	for _, c := range f.File.Claims {
		turned.Claims = append([]claim.OutgoingClaim{c}, turned.Claims...)
	}
	for _, again := range []network.ClaimsFile{f.File, turned} {
		if b, err := f.EDI.File(again); err != nil || !bytes.Equal(b, first) {
			t.Errorf("other bytes, or error %v", err)
		}
	}
}

func testFileNumbers(t *testing.T, f ClaimsEDIFixture) {
	base, err := f.EDI.File(f.File)
	if err != nil {
		t.Fatal(err)
	}
	live, other := *f.File.Batch, *f.File.Batch
	live.Scope.Mode = billing.ModeLive
	if f.File.Batch.Scope.Mode == billing.ModeLive {
		live.Scope.Mode = billing.ModeTest
	}
	other.File.ControlNumbers = clearing.ControlNumbers{Interchange: "987654321", Group: "987654321", Transaction: "987654321"}
	for name, batch := range map[string]*clearing.Batch{"mode": &live, "number": &other} {
		b, err := f.EDI.File(network.ClaimsFile{Batch: batch, Envelope: f.File.Envelope, Claims: f.File.Claims})
		if err != nil || bytes.Equal(b, base) {
			t.Errorf("another %s returns the same file, or error %v", name, err)
		}
	}
	for name, change := range map[string]func(*network.Envelope){
		"sender":             func(e *network.Envelope) { e.Sender.ID = "OTHER" },
		"sender qualifier":   func(e *network.Envelope) { e.Sender.Qualifier = "30" },
		"receiver":           func(e *network.Envelope) { e.Receiver.ID = "OTHER" },
		"receiver qualifier": func(e *network.Envelope) { e.Receiver.Qualifier = "30" },
	} {
		file := f.File
		change(&file.Envelope)
		if b, err := f.EDI.File(file); err != nil || bytes.Equal(b, base) {
			t.Errorf("another %s returns the same file, or error %v", name, err)
		}
	}
}

func testFileEmpty(t *testing.T, f ClaimsEDIFixture) {
	nameless := *f.File.Batch
	nameless.File.ControlNumbers = clearing.ControlNumbers{}
	for name, change := range map[string]func(*network.ClaimsFile){
		"no claims":   func(f *network.ClaimsFile) { f.Claims = nil },
		"no numbers":  func(f *network.ClaimsFile) { f.Batch = &nameless },
		"no batch":    func(f *network.ClaimsFile) { f.Batch = nil },
		"no office":   func(f *network.ClaimsFile) { f.Claims = []claim.OutgoingClaim{{Claim: f.Claims[0].Claim}} },
		"no sender":   func(f *network.ClaimsFile) { f.Envelope.Sender.ID = "" },
		"no receiver": func(f *network.ClaimsFile) { f.Envelope.Receiver.ID = "" },
	} {
		file := f.File
		change(&file)
		if _, err := f.EDI.File(file); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func testKinds(t *testing.T, f ClaimsEDIFixture) {
	other, err := f.EDI.File(f.File)
	if err != nil {
		t.Fatal(err)
	}
	all := map[clearing.FileKind][]byte{
		clearing.FileAcknowledgement: f.Acknowledgement, clearing.FileRemittance: f.Remittance, clearing.FileOther: other,
	}
	for want, content := range all {
		parts := slices.Collect(f.EDI.Parts(content))
		if len(parts) != 1 || parts[0].Kind != want || len(parts[0].Sets) == 0 || parts[0].Err != nil || !bytes.Equal(parts[0].Content, content) {
			t.Errorf("%d parts, %+v, want one %s", len(parts), parts[0].Kind, want)
		}
		// Behind each kind, another one is a part of its own, and what is cut is a part with
		// its error.
		for kind, behind := range all {
			if kind == want {
				continue
			}
			for half := range 2 {
				behind := behind[:len(behind)>>half]
				parts := slices.Collect(f.EDI.Parts(slices.Concat(content, behind)))
				if len(parts) != 2 || parts[0].Kind != want || !bytes.Equal(parts[0].Content, content) || !bytes.Equal(parts[1].Content, behind) {
					t.Fatalf("%d parts of %s and %s", len(parts), want, kind)
				}
				if (parts[1].Kind == kind) != (half == 0) || (parts[1].Err == nil) != (half == 0) {
					t.Errorf("%s behind %s, halved %d times, is %s, %v", kind, want, half, parts[1].Kind, parts[1].Err)
				}
			}
		}
	}
	if _, err := f.EDI.Acknowledgement("a", f.Remittance); err == nil {
		t.Error("a remittance is no acknowledgement")
	}
	if _, err := f.EDI.Payments("a", f.Acknowledgement, 0); err == nil {
		t.Error("an acknowledgement has no payments")
	}
}

func testAcknowledgement(t *testing.T, f ClaimsEDIFixture) {
	a, err := f.EDI.Acknowledgement("answer", f.Acknowledgement)
	if err != nil {
		t.Fatal(err)
	}
	if a.File.Name != "answer" || a.File.ControlNumbers.Interchange == "" || len(a.Verdicts)+len(a.Reports) == 0 {
		t.Errorf("%+v", a)
	}
}

// all collects the claims of a payment.
func all(t *testing.T, edi ports.ClaimsEDI, content []byte) (claims []*remit.Claim) {
	t.Helper()
	for c, err := range edi.Claims(content) {
		if err != nil {
			t.Fatal(err)
		}
		claims = append(claims, c)
	}
	return claims
}

func testPayments(t *testing.T, f ClaimsEDIFixture) {
	payments, err := f.EDI.Payments("answer", f.Remittance, 0)
	if err != nil || len(payments) < 2 {
		t.Fatalf("%d payments, error %v", len(payments), err)
	}
	identities := map[[32]byte]bool{}
	for i := range payments {
		p := &payments[i]
		identities[p.Identity] = true
		if p.File.Name != "answer" || p.File.ControlNumbers.Transaction == "" {
			t.Errorf("file %+v", p.File)
		}
		claims := all(t, f.EDI, p.Content)
		if len(claims) == 0 || len(claims) != p.ClaimCount || p.Balance.Claims.Checked != p.ClaimCount {
			t.Errorf("%d claims, want %d", len(claims), p.ClaimCount)
		}
		balanced := p.Balance.Payment.Failed == 0
		for k, c := range claims {
			balanced = balanced && c.Balanced
			if c.Ordinal != k+1 || c.Date != p.Payment.Date || c.ControlNumber == "" {
				t.Errorf("claim %d is %+v", k+1, c)
			}
		}
		if balanced != p.Balanced || p.Balanced != (len(p.Balance.Findings) == 0) {
			t.Errorf("balanced %v with %+v", p.Balanced, p.Balance)
		}
		for _, finding := range p.Balance.Findings {
			if finding.Explanation == "" || strings.Contains(strings.ToLower(finding.Explanation), "quillfeather") {
				t.Errorf("finding %+v", finding)
			}
		}
	}
	if len(identities) != len(payments) {
		t.Error("two payments have one identity")
	}
}

func testPaymentAlone(t *testing.T, f ClaimsEDIFixture) {
	payments, err := f.EDI.Payments("answer", f.Remittance, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range payments {
		want := payments[i]
		again, err := f.EDI.Payments("answer", want.Content, 0)
		if err != nil || len(again) != 1 {
			t.Fatalf("%d payments, error %v", len(again), err)
		}
		got := again[0]
		for k := range got.Balance.Findings { // positions refer to the file
			got.Balance.Findings[k].Segment = want.Balance.Findings[k].Segment
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("payment\n%+v became\n%+v", want.ERA, got.ERA)
		}
	}
}

func testClaimsKept(t *testing.T, f ClaimsEDIFixture) {
	payments, err := f.EDI.Payments("answer", f.Remittance, 0)
	if err != nil {
		t.Fatal(err)
	}
	kept := all(t, f.EDI, payments[0].Content)
	i := 0
	for c, err := range f.EDI.Claims(payments[0].Content) {
		if err != nil || !reflect.DeepEqual(c, kept[i]) {
			t.Fatalf("claim %d became\n%+v\nerror %v", i+1, kept[i], err)
		}
		i++
	}
}

func testClaimsStop(t *testing.T, f ClaimsEDIFixture) {
	payments, err := f.EDI.Payments("answer", f.Remittance, 0)
	if err != nil {
		t.Fatal(err)
	}
	for c, err := range f.EDI.Claims(payments[0].Content) {
		if c == nil || err != nil {
			t.Error(err)
		}
		break
	}
}

// testCutOff truncates all files at every byte up to the last significant one.
func testCutOff(t *testing.T, f ClaimsEDIFixture) {
	end := len(bytes.TrimSpace(f.Remittance)) - 20
	for n := 0; n < end; n += 1 + n/500 {
		payments, err := f.EDI.Payments("answer", f.Remittance[:n], 0)
		if err == nil || len(payments) > 0 {
			t.Fatalf("%d payments of the first %d bytes, error %v", len(payments), n, err)
		}
		noPatient(t, err)
		notWhole(t, f.EDI, f.Remittance[:n])
	}
	end = len(bytes.TrimSpace(f.Acknowledgement)) - 20
	for n := 0; n < end; n += 1 + n/500 {
		_, err := f.EDI.Acknowledgement("answer", f.Acknowledgement[:n])
		if err == nil {
			t.Fatalf("an acknowledgement of the first %d bytes", n)
		}
		noPatient(t, err)
		notWhole(t, f.EDI, f.Acknowledgement[:n])
	}
}

func notWhole(t *testing.T, edi ports.ClaimsEDI, content []byte) {
	t.Helper()
	err := edi.Whole(content)
	if err == nil {
		t.Fatalf("the first %d bytes are whole", len(content))
	}
	noPatient(t, err)
}

// testWhole reads the forms in which files come.
func testWhole(t *testing.T, f ClaimsEDIFixture) {
	for _, file := range [][]byte{f.Acknowledgement, f.Remittance, []byte("a report")} {
		for _, as := range [][]byte{file, slices.Concat(file, []byte("\nEND OF FILE\n")), bytes.TrimRight(file, "~\r\n")} {
			if err := f.EDI.Whole(as); err != nil {
				t.Errorf("%.20q is not whole: %v", as, err)
			}
		}
	}
}

func testGarbage(t *testing.T, f ClaimsEDIFixture) {
	file, err := f.EDI.File(f.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{nil, []byte("quillfeather"), bytes.Repeat([]byte("ISA*"), 1000), {0, 0xff, 0xfe}, file} {
		for p := range f.EDI.Parts(b) {
			if p.Kind == clearing.FileAcknowledgement || p.Kind == clearing.FileRemittance {
				t.Fatalf("%.20q has a part of the kind %s", b, p.Kind)
			}
			if p.Err != nil {
				noPatient(t, p.Err)
			}
		}
		_, answer := f.EDI.Acknowledgement("a", b)
		_, payments := f.EDI.Payments("a", b, 0)
		var claims error
		for _, err := range f.EDI.Claims(b) {
			claims = err
		}
		for _, err := range []error{answer, payments, claims} {
			if err == nil {
				t.Fatalf("no error for %.20q", b)
			}
			noPatient(t, err)
		}
	}
}

// noPatient checks that an error names no patient.
func noPatient(t *testing.T, err error) {
	t.Helper()
	if strings.Contains(strings.ToLower(err.Error()), "quillfeather") {
		t.Fatalf("the error names a patient: %v", err)
	}
}
