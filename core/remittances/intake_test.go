package remittances_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports/porttest"
)

const (
	theirNPI   = "1457898765"
	sharedNPI  = "1003000126"
	unknownNPI = "1999999992"
)

// TestRoutes routes the payments of one file to their organizations.
func TestRoutes(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
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
		"by tax ID in a reference":   {payee("", "", ref("TJ", "111111111")), theirs, true, ""},
		"by both":                    {payee("XX", ourNPI, ref("TJ", ourTaxID)), b.scope, true, ""},
		"an unknown NPI":             {payee("XX", unknownNPI, ref("TJ", "111111111")), billing.Scope{}, false, "which no verified office has"},
		"two that do not go along":   {payee("XX", ourNPI, ref("TJ", "111111111")), billing.Scope{}, false, "which no verified office has"},
		"one of an office's own NPI": {payee("XX", "1000000004", ref("TJ", "333333333")), b.scope, true, ""},
		"several offices":            {payee("FI", "333333333"), b.scope, false, ""},
		"a payee of none":            {payee("XX", unknownNPI), billing.Scope{}, false, "which no verified office has"},
		"two organizations'":         {payee("XX", sharedNPI), billing.Scope{}, false, "do not show which organization sent them"},
		"unnamed":                    {payee("", ""), billing.Scope{}, false, "neither an NPI nor a tax ID"},
	} {
		p := b.payment(paid("X", "", 0))
		c.payee(&p)
		other := b.payment(paid("Y", "", 0)) // the file has another one, of ours
		had := map[billing.Scope]int{b.scope: len(b.eras(b.scope)), theirs: len(b.eras(theirs)), live: len(b.eras(live))}
		kept := len(b.quarantined())
		f := b.file(p, other)
		for range 2 {
			if _, err := b.service.Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, f); err != nil {
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
			if len(files) != kept+1 || !strings.Contains(files[0].Reason, c.why) || files[0].Name != f.Name || files[0].Scope != (billing.Scope{Mode: billing.ModeTest}) {
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

// TestPartsOfARemittance imports the payments that can be read, and sets the others aside
// by themselves. The process dies at each commit.
func TestPartsOfARemittance(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	porttest.EveryEnding(t, 4, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		have, had := len(b.eras(b.scope)), len(b.quarantined())
		file := b.file(b.payment(paid("A", "", 0)), b.payment(paid("B", "", 0)), b.payment(paid("C", "", 0)))
		parts := bytes.Split(file.Content, []byte("~BPR*"))
		file.Content = slices.Concat(parts[0], []byte("~BPR*"), parts[1], []byte("~BPX*"), parts[2], []byte("~BPR*"), parts[3])
		porttest.Dies(func() { _, _ = b.process(f).Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, file) })
		for range 2 {
			if _, err := b.service.Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, file); err != nil {
				t.Fatal(err)
			}
		}
		b.settle()
		if n := len(b.eras(b.scope)) - have; n != 2 {
			t.Errorf("%d remittances", n)
		}
		aside := b.quarantined()
		if len(aside) != had+1 || !strings.Contains(aside[0].Reason, "BPR") || aside[0].Cause != quarantine.Unreadable {
			t.Errorf("in quarantine: %+v", aside)
		}
	})
}

// TestAnothersNumbers has another organization create offices with NPIs that
// are not theirs: ours, and one that we have not registered.
func TestAnothersNumbers(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for _, mode := range []billing.Mode{billing.ModeTest, billing.ModeLive} {
		ours := billing.Scope{Org: b.scope.Org, Mode: mode}
		if mode == billing.ModeLive {
			b.office(ours, ourNPI, ourTaxID)
		}
		thief := b.organization(mode, "1993999998", "")
		b.claimedOffice(thief, ourNPI, ourTaxID)
		b.claimedOffice(thief, unknownNPI, "")
		mine, unregistered := b.payment(paid("A", "", 0)), b.payment(paid("B", "", 0))
		unregistered.Payee.ID = unknownNPI
		kept := len(b.quarantined())
		if _, err := b.service.Receive(t.Context(), &network.Route{Mode: mode}, b.file(mine, unregistered)); err != nil {
			t.Fatal(err)
		}
		b.settle()
		if all := b.eras(ours); len(all) != 1 || all[0].Payment.TraceNumber != mine.Trace.Number {
			t.Errorf("%s: we have %d remittances", mode, len(all))
		}
		if n := len(b.eras(thief)); n != 0 {
			t.Errorf("%s: the other organization has %d remittances", mode, n)
		}
		if q := b.quarantined(); len(q) != kept+1 || !strings.HasSuffix(q[0].Reason, "NPI "+unknownNPI+", which no verified office has.") {
			t.Errorf("%s: in quarantine %+v", mode, q)
		}
	}
}

// TestFileOfAScope applies a file of a scope there and nowhere else, whichever
// organizations have verified offices with the payee's numbers.
func TestFileOfAScope(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	twin := b.organization(billing.ModeTest, ourNPI, ourTaxID)
	for name, npi := range map[string]string{"a shared NPI": ourNPI, "an unknown NPI": unknownNPI} {
		p := b.payment(paid("X", "", 0))
		p.Payee.ID = npi
		f := b.file(p)
		f.Scope = twin
		had := len(b.eras(twin))
		for range 2 {
			if _, err := b.service.Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, f); err != nil {
				t.Fatal(err)
			}
		}
		b.settle()
		if all := b.eras(twin); len(all) != had+1 || all[0].OfficeID.IsZero() == (npi == ourNPI) {
			t.Errorf("%s: %d remittances, had %d", name, len(all), had)
		}
	}
	if n := len(b.eras(b.scope)) + len(b.quarantined()); n != 0 {
		t.Errorf("%d remittances for another scope, or in quarantine", n)
	}
}

// TestOwnLiveNetwork receives payments on a live network of the organization's own. It
// gets those to its verified offices, and may assign the others.
func TestOwnLiveNetwork(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	live := b.organization(billing.ModeLive, ourNPI, ourTaxID)
	b.claimedOffice(live, theirNPI, "")
	var payments []remittance.Remittance
	for _, npi := range []string{ourNPI, theirNPI, unknownNPI} {
		p := b.payment(paid("X", "", 0))
		p.Payee.ID = npi
		payments = append(payments, p)
	}
	f := b.file(payments...)
	f.Scope = live
	for range 2 {
		if _, err := b.service.Receive(t.Context(), &network.Route{Mode: billing.ModeLive}, f); err != nil {
			t.Fatal(err)
		}
	}
	b.settle()
	if all := b.eras(live); len(all) != 1 || all[0].OfficeID.IsZero() || all[0].Origin != clearing.FileFromNetwork {
		t.Errorf("%d remittances, %+v", len(all), all)
	}
	own, _, err := b.service.OwnQuarantine(t.Context(), live, billing.Page{Limit: 10})
	if err != nil || len(own) != 2 {
		t.Fatalf("%d in quarantine, %v", len(own), err)
	}
	for _, q := range own {
		if q.Origin != clearing.FileFromNetwork || !strings.HasSuffix(q.Reason, "which no verified office has.") {
			t.Errorf("%s: %s", q.Origin, q.Reason)
		}
	}
}

// TestSeveralCandidates routes a payment among several organizations with a
// verified office of the payee to the sender of one of its claims.
func TestSeveralCandidates(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.service.InPieces(2)
	twin := b.organization(billing.ModeTest, ourNPI, ourTaxID)
	of := func(c *claim.Claim) { c.Scope = twin }
	charging := func(m billing.Money) func(*claim.Claim) {
		return func(c *claim.Claim) { c.Lines[0].Fee = m }
	}
	called := func(first, last string) func(*claim.Claim) {
		return func(c *claim.Claim) { c.Subscriber.FirstName, c.Subscriber.LastName = first, last }
	}
	b.claim("CHARGE", charging(1), called("Bo", "Li"))
	b.claim("CHARGE", of, called("Bo", "Li"))
	b.claim("NAME", charging(1), called("Áda", "Byron"))
	b.claim("NAME", of, charging(1), called("Bo", "Li"))
	b.claim("CHILD", charging(1), func(c *claim.Claim) { c.Patient = &claim.Patient{FirstName: "Kim", LastName: "Byron"} })
	b.claim("CHILD", of, charging(1), called("Bo", "Li"), func(c *claim.Claim) { c.Patient = &claim.Patient{FirstName: "Ada", LastName: "Byron"} })
	b.claim("BOTH")
	b.claim("BOTH", of)
	b.claim("NEITHER", charging(1), called("Bo", "Li"))
	b.claim("NEITHER", of, charging(2), called("Bo", "Li"))
	none := billing.Scope{}
	for name, c := range map[string]struct {
		claims []saying
		of     billing.Scope
	}{
		"the charge":                  {[]saying{paid("CHARGE", "", 0)}, twin},
		"the charge of a reversal":    {[]saying{reversed(paid("charge", "", 0))}, twin},
		"the patient's name":          {[]saying{paid("NAME", "", 0)}, b.scope},
		"the name of a dependent":     {[]saying{paid("CHILD", "", 0)}, twin},
		"a claim after many others":   {[]saying{paid("X", "", 0), paid("Y", "", 0), paid("NEITHER", "", 0), paid("Z", "", 0), paid("NAME", "", 0)}, b.scope},
		"both fit":                    {[]saying{paid("BOTH", "", 0)}, none},
		"one claim of each":           {[]saying{paid("CHARGE", "", 0), paid("NAME", "", 0)}, none},
		"the control number alone":    {[]saying{paid("NEITHER", "", 0)}, none},
		"neither has the claim":       {[]saying{paid("UNKNOWN", "", 0)}, none},
		"a claim without a number":    {[]saying{paid("", "", 0)}, none},
		"no claims, provider's money": {nil, none},
	} {
		had := map[billing.Scope]int{b.scope: len(b.eras(b.scope)), twin: len(b.eras(twin)), none: len(b.quarantined())}
		if _, err := b.service.Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, b.file(b.payment(c.claims...))); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b.settle()
		had[c.of]++
		got := map[billing.Scope]int{b.scope: len(b.eras(b.scope)), twin: len(b.eras(twin)), none: len(b.quarantined())}
		if !maps.Equal(got, had) {
			t.Errorf("%s: remittances here, there and in quarantine: %v, want %v", name, got, had)
		}
	}
}

// TestUnreadable quarantines files that are no complete 835, once, and stores
// nothing of them.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	whole := b.file(b.payment(paid("A-1", "", 0)), b.payment(paid("B-1", "", 0))).Content
	for name, content := range map[string][]byte{
		"nothing":   {},
		"no X12":    []byte("hello"),
		"half":      whole[:len(whole)-len(whole)/4],
		"bad money": bytes.Replace(whole, []byte("*150*"), []byte("*1x0*"), 1),
		"no 835":    bytes.ReplaceAll(whole, []byte("ST*835"), []byte("ST*999")),
	} {
		for range 2 {
			if _, err := b.service.Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, clearing.IncomingFile{Name: name, Content: content}); err != nil {
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
	if len(files) != 6 || len(b.eras(b.scope)) != 1 { // one payment of bad money, and two of no 835
		t.Errorf("%d files in quarantine, %d remittances", len(files), len(b.eras(b.scope)))
	}
	for _, q := range files {
		if !strings.HasPrefix(q.Reason, "The file cannot be read as an 835: ") || strings.Contains(q.Reason, "BYRON") {
			t.Errorf("%s: %s", q.Name, q.Reason)
		}
	}
}

// TestTooLarge refuses a file that the store could not hold, before it is read.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	_, err := b.service.Import(t.Context(), b.scope, "large.835", make([]byte, remittances.MaxFile+1))
	e, ok := errors.AsType[*billing.Error](err)
	if !ok || e.Code != billing.CodeInvalidRequest || e.Cause == nil || !strings.Contains(e.Cause.Error(), "more than 128 MB") {
		t.Fatal(err)
	}
}

// TestReasonIsShort truncates the sender's names in the reason for the
// operator.
func TestReasonIsShort(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	p := b.payment(paid("A-1", "", 0))
	p.Payer.Name, p.Payee.IDQualifier, p.Payee.ID = strings.Repeat("LONG ", 1000), "FI", "000000000"
	if _, err := b.service.Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, b.file(p)); err != nil {
		t.Fatal(err)
	}
	q := b.quarantined()
	if len(q) != 1 || len(q[0].Reason) > 200 || !strings.HasSuffix(q[0].Reason, "is to tax ID 000000000, which no verified office has.") {
		t.Errorf("%+v", q)
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	ours, id := b.claim("A-1"), b.claim("B-1")
	known := b.payment(paid("A-1", "", 0))
	b.apply(b.receiveFile(b.file(known)))
	unknown := b.payment(paid("B-1", "", 0))
	unknown.Payee.ID = unknownNPI
	f := b.file(known, unknown)
	if _, err := b.service.Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, f); err != nil {
		t.Fatal(err)
	}
	q := b.quarantined()
	if len(q) != 1 {
		t.Fatalf("%d files in quarantine", len(q))
	}

	report, err := b.service.Import(t.Context(), b.scope, f.Name, f.Content)
	if err != nil || len(report) != 2 || report[0].New || !report[1].New || report[1].ID != report[1].ERA.ID || report[1].ERA.Payment.TraceNumber != unknown.Trace.Number {
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
	absent := billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeTest}
	if _, err := b.service.ImportQuarantined(t.Context(), absent, q[0].ID); codeOf(err) != billing.CodeNotFound {
		t.Errorf("for an absent organization: %v", err)
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

// TestImportDiesAnywhere ends the process of an operator who imports a file
// from the quarantine. The file stays until it is imported.
func TestImportDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	porttest.EveryEnding(t, 4, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		p := b.payment(paid("X", "", 0))
		p.Payee.ID = unknownNPI
		had := len(b.eras(b.scope))
		if _, err := b.service.Receive(t.Context(), &network.Route{Mode: billing.ModeTest}, b.file(p)); err != nil {
			t.Fatal(err)
		}
		id := b.quarantined()[0].ID
		var report []remittances.Imported
		var err error
		died := porttest.Dies(func() { report, err = b.process(f).ImportQuarantined(t.Context(), b.scope, id) })
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
