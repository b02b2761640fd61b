package edi_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

// segments returns the segments of a file without its envelopes, whose counts follow
// from the others.
func segments(file []byte) (all []string) {
	for s := range strings.SplitSeq(strings.TrimSpace(string(file)), "~") {
		if s = strings.TrimSpace(s); s != "" && !strings.HasPrefix(s, "SE*") {
			all = append(all, s)
		}
	}
	return all
}

// changes lists the segments that one file has and the other has not, in order: - for
// those of the first, + for those of the second.
func changes(from, to []byte) (all []string) {
	a, b := segments(from), segments(to)
	same := make([][]int, len(a)+1) // the length of the longest common rest
	for i := range same {
		same[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			if same[i][k] = max(same[i+1][k], same[i][k+1]); a[i] == b[k] {
				same[i][k] = same[i+1][k+1] + 1
			}
		}
	}
	i, k := 0, 0
	for i < len(a) || k < len(b) {
		switch {
		case i < len(a) && k < len(b) && a[i] == b[k]:
			i, k = i+1, k+1
		case k == len(b) || i < len(a) && same[i+1][k] >= same[i][k+1]:
			all, i = append(all, "- "+a[i]), i+1
		default:
			all, k = append(all, "+ "+b[k]), k+1
		}
	}
	return all
}

func wantChanges(t *testing.T, from, to []byte, want string) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(want) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if got := changes(from, to); strings.Join(got, "\n") != strings.Join(lines, "\n") {
		t.Errorf("the file changes by\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

// familyFile has two claims of an office: of a subscriber whose dentist is the billing
// provider, and of a child in the care of another dentist. Both have two lines.
func familyFile() network.ClaimsFile {
	office := newOffice(1, "BRIGHT SMILES", "1234567893")
	office.ProviderNumbers = []directory.ProviderNumber{{PayerID: "CHTEST", Number: "PN-7", LocationNumber: "LOC-2"}}
	own, child := claimOf(1, office, "PCN-1"), claimOf(2, office, "PCN-2")
	own.Provider = &directory.Provider{FirstName: "BEA", LastName: "BRIGHT", NPI: office.NPI, Taxonomy: "1223P0221X"}
	child.Claim.Patient = &claim.Patient{
		FirstName: "ZOE", LastName: "NUNEZ", DateOfBirth: on(2010, 1, 1), Relationship: coverage.RelationChild, Gender: claim.GenderFemale,
	}
	child.Claim.Note = strings.Repeat("a word or two ", 12)
	child.Claim.Payer.ID = billing.PayerID{1}
	return network.ClaimsFile{Batch: newBatch(), Envelope: envelope("CLEARINGHOUSE"), Claims: []claim.OutgoingClaim{own, child}}
}

// TestClaimOptions compares the file of each option with the default one.
func TestClaimOptions(t *testing.T) {
	t.Parallel()
	const bright, molina = "1234567893", "1467560003"
	for name, c := range map[string]struct {
		options network.Options
		change  func(*network.ClaimsFile) // besides the options
		want    string
	}{
		"defaults": {},
		"claim_service_date": {options: network.Options{ClaimDate: true}, want: `
			+ DTP*472*D8*20260302
			+ DTP*472*D8*20260302`},
		"line_service_dates": {options: network.Options{ClaimDate: true, LineDates: network.LineDatesDifferent}, want: `
			+ DTP*472*D8*20260302
			- DTP*472*D8*20260302
			+ DTP*472*D8*20260302
			- DTP*472*D8*20260302`},
		"billing_taxonomy always": {options: network.Options{Taxonomy: network.TaxonomyAlways}, want: `
			+ PRV*BI*PXC*1223P0221X
			- HL*3*1*22*1
			+ HL*3**20*1
			+ PRV*BI*PXC*1223G0001X
			+ NM1*85*2*BRIGHT SMILES*****XX*1234567893
			+ N3*1 MAIN ST
			+ N4*TULSA*OK*741010001
			+ REF*EI*123456789
			+ PER*IC*BRIGHT SMILES*TE*5550100100
			+ HL*4*3*22*1
			- HL*4*3*23*0
			+ HL*5*4*23*0`},
		"billing_taxonomy rendering": {
			options: network.Options{Taxonomy: network.TaxonomyIfRendering},
			change:  func(f *network.ClaimsFile) { f.Claims = f.Claims[:1] },
			want:    "+ PRV*BI*PXC*1223P0221X",
		},
		"billing_taxonomy rendering, of another": {
			options: network.Options{Taxonomy: network.TaxonomyIfRendering},
			change:  func(f *network.ClaimsFile) { f.Claims, f.Claims[1].Office.Taxonomy = f.Claims[1:], "1223G0001X" },
			want:    "- PRV*BI*PXC*1223G0001X",
		},
		"billing_taxonomy never": {
			options: network.Options{Taxonomy: network.TaxonomyNever},
			change:  func(f *network.ClaimsFile) { f.Claims[0].Office.Taxonomy = "1223G0001X" },
			want:    "- PRV*BI*PXC*1223G0001X",
		},
		"filing_indicators": {options: network.Options{Filings: map[string]string{"CHTEST": "MC"}}, want: `
			- SBR*P*18*******CI
			+ SBR*P*18*******MC
			- SBR*P********CI
			+ SBR*P********MC`},
		"subscriber_address_always": {options: network.Options{SubscriberAddressAsPatient: true}, want: `
			- N3*5 ELM ST
			- N4*TULSA*OK*74103
			- DMG*D8*19850412*F`},
		"rendering_provider_always": {options: network.Options{RenderingIfOther: true}, want: `
			- NM1*82*1*BRIGHT*BEA****XX*1234567893
			- PRV*PE*PXC*1223P0221X`},
		"max_notes": {options: network.Options{Notes: 1}, want: `
			- NTE*ADD*TWO A WORD OR TWO A WORD OR TWO A WORD OR TWO A WORD OR TWO A WORD OR TWO A WORD
			- NTE*ADD*OR TWO`},
		"provider_references": {options: network.Options{NoReferences: []network.ProviderReference{"G2", "LU"}}, want: `
			- REF*G2*PN-7
			- REF*LU*LOC-2
			- REF*G2*PN-7
			- REF*LU*LOC-2`},
		"provider_numbers": {
			options: network.Options{ProviderNumbers: []network.ProviderNumber{
				{NPI: bright, PayerID: "CHTEST", Reference: network.ReferencePayer, Number: "NET-1"},
				{NPI: bright, Reference: network.ReferenceLicense, Number: "TX-1"},
				{NPI: molina, Reference: network.ReferenceLicense, Number: "TX-9"},
				{NPI: molina, PayerID: "CHTEST", Reference: network.ReferencePayer, Number: "DR-3"},
				{NPI: molina, PayerID: "OTHER", Reference: network.ReferenceLocation, Number: "NO"},
			}},
			change: func(f *network.ClaimsFile) { f.Claims = f.Claims[1:] },
			want: `
			+ REF*0B*TX-1
			- REF*G2*PN-7
			+ REF*G2*NET-1
			+ REF*0B*TX-9
			+ REF*G2*DR-3`,
		},
		"group_sender_id, group_receiver_id": {options: network.Options{GroupSender: "GS2", GroupReceiver: "77016"}, want: `
			- GS*HC*MOLAR*CLEARINGHOUSE*20260304*050607*901*X*005010X224A2
			+ GS*HC*GS2*77016*20260304*050607*901*X*005010X224A2`},
		"submitter_name, submitter_id": {options: network.Options{SubmitterName: "Molar, Inc.", SubmitterID: "S1"}, want: `
			- NM1*41*2*MOLAR*****46*MOLAR
			+ NM1*41*2*MOLAR, INC.*****46*S1`},
		"file_receiver_name, file_receiver_id": {options: network.Options{ReceiverName: "DENTICAL", ReceiverID: "1822287119"}, want: `
			- NM1*40*2*CLEARINGHOUSE*****46*CLEARINGHOUSE
			+ NM1*40*2*DENTICAL*****46*1822287119`},
		"claim_number_characters": {options: network.Options{PlainNumbers: true, NumberLength: 12}, want: `
			- CLM*PCN-1*305.5***11:B:1*Y*A*Y*Y
			+ CLM*` + derived(1) + `*305.5***11:B:1*Y*A*Y*Y
			- CLM*PCN-2*305.5***11:B:1*Y*A*Y*Y
			+ CLM*` + derived(2) + `*305.5***11:B:1*Y*A*Y*Y`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := familyFile()
			if c.change != nil {
				c.change(&f)
			}
			before := mustFile(t, f)
			f.Options = c.options
			after := mustFile(t, f)
			wantChanges(t, before, after, c.want)
			comesBack(t, f, after)
		})
	}
}

// derived is the number of the claim with the ID when its own does not fit.
func derived(id byte) string {
	o := network.Options{PlainNumbers: true, NumberLength: 12}
	return o.SubmittedNumber(&claim.Claim{ID: billing.ClaimID{15: id}, PatientControlNumber: "PCN-1"})
}

// comesBack decodes a file: whatever the options, every line has its date, and the file
// is as a clearinghouse wants it.
func comesBack(t *testing.T, f network.ClaimsFile, file []byte) {
	t.Helper()
	all, warnings, err := claims.Decode(bytes.NewReader(file))
	if err != nil || len(warnings) > 0 || len(all) != 1 || len(all[0].Claims) != len(f.Claims) {
		t.Fatalf("%d batches, %v, %v", len(all), warnings, err)
	}
	for i := range all[0].Claims {
		for k, l := range all[0].Claims[i].Lines {
			if want := f.Claims[i].Claim.Lines[k].ServiceDate; l.ServiceDate != want {
				t.Errorf("claim %d, line %d: %s, want %s", i, k, l.ServiceDate, want)
			}
		}
	}
}

// TestProvidersOfLines leaves a provider out only where the claim states none: without
// one of its own, a line has the claim's.
func TestProvidersOfLines(t *testing.T) {
	t.Parallel()
	f := familyFile()
	f.Options.RenderingIfOther = true
	bright := f.Claims[0].Provider
	for i := range f.Claims {
		c := &f.Claims[i]
		c.Claim.ProviderID, c.Claim.Lines[0].ProviderID = billing.ProviderID{15: 1}, billing.ProviderID{15: 2}
		c.Claim.Lines[1].ProviderID = c.Claim.ProviderID
		c.Providers = map[billing.ProviderID]*directory.Provider{{15: 1}: c.Provider, {15: 2}: bright}
	}
	all, _, err := claims.Decode(bytes.NewReader(mustFile(t, f)))
	if err != nil {
		t.Fatal(err)
	}
	own, child := &all[0].Claims[0], &all[0].Claims[1]
	if own.Rendering.NPI != "" || own.Lines[0].Rendering.NPI != "" {
		t.Errorf("the claim of the billing provider states %+v, %+v", own.Rendering, own.Lines[0].Rendering)
	}
	if child.Rendering.NPI != "1467560003" || child.Lines[0].Rendering.NPI != bright.NPI || child.Lines[1].Rendering.NPI != "" {
		t.Errorf("the claim of another states %+v, %+v", child.Rendering, child.Lines)
	}
}

// TestNetworkOfFile writes the network's own IDs: of payers, of both ends, and ISA15.
func TestNetworkOfFile(t *testing.T) {
	t.Parallel()
	f := familyFile()
	f.Claims = f.Claims[1:]
	f.Claims[0].Claim.OtherCoverage = []claim.OtherCoverage{{
		Sequence: billing.SequenceSecondary, Payer: directory.PayerSummary{ID: billing.PayerID{2}, PayerID: "BLUE", Name: "BLUE DENTAL"},
		Subscriber: f.Claims[0].Claim.Subscriber, Relationship: coverage.RelationSelf, FilingIndicator: "CI",
	}}
	before := mustFile(t, f)
	f.Envelope = network.Envelope{
		Sender: network.End{Qualifier: "30", ID: "123456789"}, Receiver: network.End{Qualifier: "01", ID: "330897513"}, Usage: "P",
	}
	f.Route.PayerIDs = map[billing.PayerID]map[network.Transaction]string{
		{1}: {network.Claims: "SKUT0", network.Eligibility: "UTMCD"}, {2}: {network.Claims: "75177"},
	}
	wantChanges(t, before, mustFile(t, f), `
		- ISA*00*          *00*          *ZZ*MOLAR          *ZZ*CLEARINGHOUSE  *260304*0506*^*00501*000000901*0*T*:
		- GS*HC*MOLAR*CLEARINGHOUSE*20260304*050607*901*X*005010X224A2
		+ ISA*00*          *00*          *30*123456789      *01*330897513      *260304*0506*^*00501*000000901*0*P*:
		+ GS*HC*123456789*330897513*20260304*050607*901*X*005010X224A2
		- NM1*41*2*MOLAR*****46*MOLAR
		+ NM1*41*2*123456789*****46*123456789
		- NM1*40*2*CLEARINGHOUSE*****46*CLEARINGHOUSE
		+ NM1*40*2*330897513*****46*330897513
		- NM1*PR*2*MOLAR TEST PAYER*****PI*CHTEST
		+ NM1*PR*2*MOLAR TEST PAYER*****PI*SKUT0
		- NM1*PR*2*BLUE DENTAL*****PI*BLUE
		+ NM1*PR*2*BLUE DENTAL*****PI*75177`)
}

// TestInquiryOptions writes the 270s of a check by the options.
func TestInquiryOptions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options network.Options
		want    []string // the EQ segments of each 270
	}{
		"defaults":                     {want: []string{"EQ*35 EQ**AD:D1110", "EQ**AD:D1110"}},
		"procedures_in_inquiries":      {options: network.Options{NoProcedures: true}, want: []string{"EQ*35"}},
		"service_types":                {options: network.Options{ServiceTypes: []string{"30", "35"}}, want: []string{"EQ*30 EQ**AD:D1110", "EQ*35", "EQ**AD:D1110"}},
		"one_service_type_per_request": {options: network.Options{ServiceTypes: []string{"30", "35"}, TypesTogether: true}, want: []string{"EQ*30^35 EQ**AD:D1110", "EQ**AD:D1110"}},
	} {
		q := inquiry270()
		q.Options, q.Inquiry.DetailLevel, q.Inquiry.ProcedureCodes = c.options, coverage.DetailEnhanced, []string{"D1110"}
		var got []string
		for n, question := range q.Questions() {
			b, err := edi.New().Inquiry(q, question, n)
			if err != nil {
				t.Fatal(err)
			}
			var asked []string
			for _, s := range segments(b) {
				if strings.HasPrefix(s, "EQ*") {
					asked = append(asked, s)
				}
			}
			got = append(got, strings.Join(asked, " "))
		}
		if strings.Join(got, "; ") != strings.Join(c.want, "; ") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestNetworkOfInquiry sends a 270 to the payer itself: its ID on the network is in ISA,
// GS and NM1*PR. ISA15 is the connection's.
func TestNetworkOfInquiry(t *testing.T) {
	t.Parallel()
	q := inquiry270()
	q.Envelope = network.Envelope{Sender: network.End{Qualifier: "ZZ", ID: "MOLAR1"}, Usage: "P"}
	q.Payer.PayerID = "UTMCD"
	got := decodeInquiry(t, q, 0)
	equal(t, "ISA08", got.Interchange.Receiver, "UTMCD")
	equal(t, "GS03", got.Group.Receiver, "UTMCD")
	equal(t, "NM109", got.Payer.Name.ID, "UTMCD")
	equal(t, "ISA15", got.Interchange.Test, false)
	q.Envelope.Receiver = network.End{Qualifier: "01", ID: "OFFALLY"}
	q.Scope.Mode, q.Envelope.Usage = billing.ModeLive, "T"
	got = decodeInquiry(t, q, 0)
	equal(t, "ISA07", got.Interchange.ReceiverQualifier, "01")
	equal(t, "ISA08", got.Interchange.Receiver, "OFFALLY")
	equal(t, "GS03", got.Group.Receiver, "OFFALLY")
	equal(t, "NM109", got.Payer.Name.ID, "UTMCD")
	equal(t, "ISA15", got.Interchange.Test, true)
	q.Options = network.Options{GroupSender: "GS2", GroupReceiver: "77016"}
	got = decodeInquiry(t, q, 0)
	equal(t, "ISA08", got.Interchange.Receiver, "OFFALLY")
	equal(t, "GS02", got.Group.Sender, "GS2")
	equal(t, "GS03", got.Group.Receiver, "77016")
}

// TestTraceEcho accepts the trace of another inquiry only by the option.
func TestTraceEcho(t *testing.T) {
	t.Parallel()
	q := inquiry270()
	reply := message(payerLoop, providerLoop, "HL*3*2*22*0~TRN*2*ANOTHER*9XXXXXXXXX~NM1*IL*1*ROE*JANE****MI*SANDBOX-1", "EB*1**35")
	if _, err := edi.New().Answer(q, [][]byte{reply}); err == nil {
		t.Error("the trace of another inquiry is accepted")
	}
	q.Options.TraceByExchange = true
	if a, err := edi.New().Answer(q, [][]byte{reply}); err != nil || a.Outcome != coverage.OutcomeAnswered {
		t.Errorf("%s, %v", a.Outcome, err)
	}
}
