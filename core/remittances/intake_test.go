package remittances_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/remittances"
)

const (
	theirNPI   = "1457898765"
	sharedNPI  = "1003000126"
	unknownNPI = "1999999992"
)

// TestRoutes gives the payments of one file to whom they are for.
func TestRoutes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	theirs := b.organization(billing.ModeTest, theirNPI, "111111111")
	live := b.organization(billing.ModeLive, unknownNPI, "222222222")
	b.office(b.scope, sharedNPI, "")
	b.office(theirs, sharedNPI, "")
	first := b.office(b.scope, "1000000004", "333333333")
	b.office(b.scope, "1000000012", "333333333")

	payee := func(qualifier, id string, refs ...remittance.Reference) func(*remittance.Remittance) {
		return func(r *remittance.Remittance) {
			r.Payee.IDQualifier, r.Payee.ID, r.Payee.References = qualifier, id, refs
		}
	}
	for name, c := range map[string]struct {
		payee func(*remittance.Remittance)
		of    billing.Scope
		alone bool   // one office matches
		why   string // it is in quarantine
	}{
		"by NPI":                     {payee("XX", ourNPI), b.scope, true, ""},
		"by another's NPI":           {payee("XX", theirNPI), theirs, true, ""},
		"by tax ID":                  {payee("FI", "98-7654321"), b.scope, true, ""},
		"by tax ID in a reference":   {payee("XX", unknownNPI, ref("TJ", "111111111")), theirs, true, ""},
		"NPI before tax ID":          {payee("XX", ourNPI, ref("TJ", "111111111")), b.scope, true, ""},
		"one of an office's own NPI": {payee("XX", "1000000004", ref("TJ", "333333333")), b.scope, true, ""},
		"several offices":            {payee("FI", "333333333"), b.scope, false, ""},
		"nobody's":                   {payee("XX", unknownNPI), billing.Scope{}, false, "which no office has"},
		"two organizations'":         {payee("XX", sharedNPI), billing.Scope{}, false, "of several organizations"},
		"unnamed":                    {payee("", ""), billing.Scope{}, false, "neither NPI nor tax ID"},
	} {
		p := b.payment(paid("X", "", 0))
		c.payee(&p)
		other := b.payment(paid("Y", "", 0)) // the file has another one, for us
		had := map[billing.Scope]int{b.scope: len(b.eras(b.scope)), theirs: len(b.eras(theirs)), live: len(b.eras(live))}
		kept := len(b.quarantined())
		f := b.file(p, other)
		for range 2 {
			if err := b.service.Receive(t.Context(), billing.ModeTest, f); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		b.settle()
		had[b.scope]++ // the other one
		if c.why == "" {
			had[c.of]++
		}
		for scope, want := range had {
			if n := len(b.eras(scope)); n != want {
				t.Errorf("%s: %d remittances, want %d", name, n, want)
			}
		}
		files := b.quarantined()
		if c.why != "" {
			if len(files) != kept+1 || !strings.Contains(files[0].Reason, c.why) || files[0].Name != f.Name || files[0].Mode != billing.ModeTest {
				t.Errorf("%s: in quarantine %+v", name, files)
			}
			continue
		}
		if len(files) != kept {
			t.Errorf("%s: it is in quarantine: %s", name, files[0].Reason)
		}
		for _, e := range b.eras(c.of) {
			if e.Payment.TraceNumber == p.Trace.Number && (e.OfficeID.IsZero() == c.alone || e.OfficeID == first && name != "one of an office's own NPI") {
				t.Errorf("%s: of the office %s", name, e.OfficeID)
			}
		}
	}
}

// TestUnreadable puts what is no whole 835 into the quarantine, once, and
// keeps nothing of it.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	whole := b.file(b.payment(paid("A-1", "", 0)), b.payment(paid("B-1", "", 0))).Content
	for name, content := range map[string][]byte{
		"nothing":   {},
		"no X12":    []byte("hello"),
		"half":      whole[:len(whole)-len(whole)/4],
		"bad money": bytes.Replace(whole, []byte("*150*"), []byte("*1x0*"), 1),
		"no 835":    bytes.ReplaceAll(whole, []byte("ST*835"), []byte("ST*999")),
	} {
		for range 2 {
			if err := b.service.Receive(t.Context(), billing.ModeTest, billing.IncomingFile{Name: name, Content: content}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		_, err := b.service.Import(t.Context(), b.scope, name, content)
		if e, ok := errors.AsType[*billing.Error](err); !ok || e.Code != billing.CodeInvalidRequest || e.Cause == nil {
			t.Errorf("%s: import: %v", name, err)
		}
	}
	b.settle()
	files := b.quarantined()
	if len(files) != 5 || len(b.eras(b.scope)) != 0 {
		t.Errorf("%d files in quarantine, %d remittances", len(files), len(b.eras(b.scope)))
	}
	for _, q := range files {
		if !strings.HasPrefix(q.Reason, "It cannot be read as an 835: ") || strings.Contains(q.Reason, "BYRON") {
			t.Errorf("%s: %s", q.Name, q.Reason)
		}
	}
}

// TestTooLarge refuses a file that the store could not keep, before it is read.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := b.service.Import(t.Context(), b.scope, "large.835", make([]byte, remittances.MaxFile+1))
	e, ok := errors.AsType[*billing.Error](err)
	if !ok || e.Code != billing.CodeInvalidRequest || e.Cause == nil || !strings.Contains(e.Cause.Error(), "more than 128 MB") {
		t.Fatal(err)
	}
}

// TestReasonIsShort cuts in what an operator reads the names that a sender made
// up.
func TestReasonIsShort(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.payment(paid("A-1", "", 0))
	p.Payer.Name, p.Payee.IDQualifier, p.Payee.ID = strings.Repeat("LONG ", 1000), "FI", "000000000"
	if err := b.service.Receive(t.Context(), billing.ModeTest, b.file(p)); err != nil {
		t.Fatal(err)
	}
	q := b.quarantined()
	if len(q) != 1 || len(q[0].Reason) > 200 || !strings.HasSuffix(q[0].Reason, "is to tax ID 000000000, which no office has.") {
		t.Errorf("%+v", q)
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ours, id := b.claim("A-1"), b.claim("B-1")
	known := b.payment(paid("A-1", "", 0))
	b.apply(b.receiveFile(b.file(known)))
	nobodys := b.payment(paid("B-1", "", 0))
	nobodys.Payee.ID = unknownNPI
	f := b.file(known, nobodys)
	if err := b.service.Receive(t.Context(), billing.ModeTest, f); err != nil {
		t.Fatal(err)
	}
	q := b.quarantined()
	if len(q) != 1 {
		t.Fatalf("%d files in quarantine", len(q))
	}

	report, err := b.service.Import(t.Context(), b.scope, f.Name, f.Content)
	if err != nil || len(report) != 2 || report[0].New || !report[1].New || report[1].ID != report[1].ERA.ID || report[1].ERA.Payment.TraceNumber != nobodys.Trace.Number {
		t.Fatalf("%+v, %v", report, err)
	}
	b.settle()
	if b.stands(ours) != "paid paid 150.00" || b.stands(id) != "paid paid 150.00" || b.events(ours) != "claim.paid" {
		t.Errorf("claims %s, %s", b.stands(ours), b.stands(id))
	}
	if e := b.eras(b.scope); len(e) != 2 || !e[0].OfficeID.IsZero() || e[0].ID != report[1].ID || e[1].ID != report[0].ID {
		t.Errorf("%d remittances", len(e))
	}

	live := billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive}
	if _, err := b.service.ImportQuarantined(t.Context(), live, q[0].ID); codeOf(err) != billing.CodeConflict {
		t.Errorf("in the other mode: %v", err)
	}
	nobody := billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeTest}
	if _, err := b.service.ImportQuarantined(t.Context(), nobody, q[0].ID); codeOf(err) != billing.CodeNotFound {
		t.Errorf("for nobody: %v", err)
	}
	if len(b.quarantined()) != 1 {
		t.Fatal("the file is not in quarantine any more")
	}
	theirs := b.organization(billing.ModeTest, theirNPI, "")
	report, err = b.service.ImportQuarantined(t.Context(), theirs, q[0].ID)
	if err != nil || len(report) != 1 || !report[0].New || len(b.quarantined()) != 0 {
		t.Fatalf("%+v, %v, %d in quarantine", report, err, len(b.quarantined()))
	}
	if _, err := b.service.ImportQuarantined(t.Context(), theirs, q[0].ID); codeOf(err) != billing.CodeNotFound {
		t.Errorf("once more: %v", err)
	}
	b.settle()
	if e := b.eras(theirs); len(e) != 1 || e[0].MatchedCount != 0 || e[0].ClaimCount != 1 {
		t.Errorf("the other organization has %+v", e)
	}
}

// TestImportDiesAnywhere ends the process of an operator who imports a file of
// the quarantine. It is there until it is imported.
func TestImportDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	everyEnding(t, 4, func(t *testing.T, f *fate) {
		t.Helper()
		p := b.payment(paid("X", "", 0))
		p.Payee.ID = unknownNPI
		had := len(b.eras(b.scope))
		if err := b.service.Receive(t.Context(), billing.ModeTest, b.file(p)); err != nil {
			t.Fatal(err)
		}
		id := b.quarantined()[0].ID
		var report []remittances.Imported
		var err error
		died := dies(func() { report, err = b.process(f).ImportQuarantined(t.Context(), b.scope, id) })
		if !died && err == nil && !report[0].New {
			t.Error("it is not new")
		}
		if died || err != nil {
			if _, err := b.service.ImportQuarantined(t.Context(), b.scope, id); err != nil && codeOf(err) != billing.CodeNotFound {
				t.Errorf("once more: %v", err)
			}
		}
		b.settle()
		if n := len(b.eras(b.scope)); n != had+1 || len(b.quarantined()) != 0 {
			t.Errorf("%d remittances, had %d; %d in quarantine", n, had, len(b.quarantined()))
		}
	})
}

func codeOf(err error) billing.Code {
	if err == nil {
		return ""
	}
	return billing.CodeOf(err)
}
