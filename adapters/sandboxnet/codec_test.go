package sandboxnet_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestTheServiceReadsEverything checks that the service's codec reads every
// message of the sandbox, finds its claim, and returns the intended content.
func TestTheServiceReadsEverything(t *testing.T) {
	t.Parallel()
	codec := edi.New()
	payers := porttest.Payers(t)
	for name, f := range replies(t, file(t, everything()...), before) {
		parts := slices.Collect(codec.Parts(f.Content))
		if want := strings.HasSuffix(name, ".835"); len(parts) != 1 || (parts[0].Kind == clearing.FileRemittance) != want {
			t.Fatalf("%s: %+v", name, parts)
		}
		if parts[0].Kind == clearing.FileAcknowledgement {
			readAcknowledgement(t, codec, name, f.Content)
			continue
		}
		all, err := codec.Payments(f.Name, f.Content, 0)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d payments, %v", name, len(all), err)
		}
		p := &all[0]
		known := false
		for _, id := range p.PayerIDs {
			_, found := payers.Find(id)
			known = known || found
		}
		if !known || p.PayeeNPI == "" {
			t.Errorf("%s: payers %v, payee %s", name, p.PayerIDs, p.PayeeNPI)
		}
		for c, err := range codec.Claims(p.Content) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			readClaim(t, c)
		}
	}
}

func readAcknowledgement(t *testing.T, codec *edi.Codec, name string, content []byte) {
	t.Helper()
	a, err := codec.Acknowledgement(name, content)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, v := range a.Verdicts {
		if v.Result != clearing.BatchAccepted || v.About.Transaction != "000000907" {
			t.Errorf("%s: %+v", name, v)
		}
	}
	for _, r := range a.Reports {
		asks := strings.Contains(name, "request")
		if asks != (r.Request != nil) || asks == (r.Batch != "") || r.ProviderNPI == "" || r.ControlNumber == "" && r.Outcome != clearing.ReportAccepted {
			t.Errorf("%s: %+v", name, r)
		}
		if q := r.Request; q != nil && (q.Due != on(4, 14) || q.Reference == "" || !strings.Contains(q.Requested, "imaging")) {
			t.Errorf("%s: %+v", name, q)
		}
	}
}

// readClaim checks the figures that a user sees.
func readClaim(t *testing.T, c *remit.Claim) {
	t.Helper()
	p, e := c.Shares(), c.Estimate(billing.ERAID{}, make([]int, len(c.Lines)))
	denied := strings.HasSuffix(c.ControlNumber, "-DENIED")
	if (c.Outcome() == remit.OutcomeDenied) != denied && !c.Estimates() && !c.Reverses() || c.PatientLastName != "ROE" || c.Lines[0].ControlNumber != "1" {
		t.Errorf("%s: %+v of %+v", c.ControlNumber, p, c)
	}
	switch c.ControlNumber {
	case "C-PART":
		if c.Paid != 198_75 || *c.Allowed != 248_43 || p.PatientResponsibility != 49_68 || c.PatientFirstName != "KIM" || c.Lines[1].ControlNumber != "2" {
			t.Errorf("paid in part: %+v", c)
		}
	case "P-ESTIMATE":
		if !c.Estimates() || e.Pay != 768_01 || e.Patient != 192_00 || *e.Allowed != 960_01 || !c.ServiceDates.From.IsZero() {
			t.Errorf("the estimate: %+v", e)
		}
	case "TP-FULL":
		if !c.Estimates() || e.Pay != 1200_01 || e.Patient != 0 {
			t.Errorf("the full estimate: %+v", e)
		}
	case "T-FULL":
		if c.Paid != c.Charge || *c.Allowed != c.Charge {
			t.Errorf("paid in full: %+v", c)
		}
	}
}
