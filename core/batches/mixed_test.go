package batches_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/ports/porttest"
)

// payment returns an 835 that pays a claim of the practice.
func (b *fixture) payment(p *practice, c *claim.Claim, control int) string {
	b.t.Helper()
	r := remittance.Remittance{
		Payment: remittance.Payment{
			Handling: "I", CreditDebit: "C", Method: "ACH", Date: billing.DateOf(b.clock.Now()),
			Trace: remittance.Trace{Number: fmt.Sprintf("T%06d", control), Originator: "1999999999"},
			Payer: remittance.Party{Name: "AETNA", IDQualifier: "XV", ID: quietPayer},
			Payee: remittance.Party{Name: "MAIN", IDQualifier: "XX", ID: p.office.NPI},
		},
		Claims: []remittance.Claim{{
			ControlNumber: c.PatientControlNumber, Status: "1", PayerControlNumber: "P1",
			Services: []remittance.Service{{Procedure: remittance.Procedure{Qualifier: "AD", Code: "D0120"}, Charge: 50_00, Units: "1"}},
		}},
	}
	r.Settle()
	i, g := b.envelope(control)
	i.Version = "00501"
	var out bytes.Buffer
	if err := remittance.Encode(&out, i, g, []remittance.Remittance{r}); err != nil {
		b.t.Fatal(err)
	}
	return out.String()
}

// groups returns what is between the ISA and the IEA.
func groups(file string) string {
	return file[strings.Index(file, "~GS*")+1 : strings.Index(file, "IEA*")]
}

// together returns one interchange with the groups of all files.
func together(files []string) string {
	out := files[0][:strings.Index(files[0], "~GS*")+1]
	for _, f := range files {
		out += groups(f)
	}
	return out + fmt.Sprintf("IEA*%d*", len(files)) + files[0][strings.LastIndex(files[0], "*")+1:]
}

// orders returns the files in every order.
func orders(files []string) (all [][]string) {
	if len(files) == 1 {
		return [][]string{files}
	}
	for i := range files {
		for _, rest := range orders(slices.Delete(slices.Clone(files), i, i+1)) {
			all = append(all, append([]string{files[i]}, rest...))
		}
	}
	return all
}

func wrap(file string, width int) string {
	var out strings.Builder
	for line := range slices.Chunk([]byte(file), width) {
		out.WriteString(string(line) + "\r\n")
	}
	return out.String()
}

// passedOn returns the remittances that were passed on, without line breaks, each once.
func (b *fixture) passedOn() (all []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, content := range b.contents {
		if content = strings.NewReplacer("\r", "", "\n", "").Replace(content); !slices.Contains(all, content) {
			all = append(all, content)
		}
	}
	return all
}

// TestFileOfSeveralKinds gives a 999, a 277CA and an 835 in one file, in every order, as
// several interchanges and as one, and in the forms in which files come. Each is applied,
// and the file that comes again changes nothing.
func TestFileOfSeveralKinds(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	control := 0
	for _, form := range []struct {
		name string
		file func(files []string) string
	}{
		{"interchanges", func(files []string) string { return strings.Join(files, "\n") }},
		{"one interchange", together},
		{"80 columns", func(files []string) string { return wrap(strings.Join(files, ""), 80) }},
		{"one interchange of 80 columns", func(files []string) string { return wrap(together(files), 80) }},
		{"text between and behind", func(files []string) string { return strings.Join(files, "\nNEXT\n") + "\nEND OF FILE\n" }},
		{"no terminators", func(files []string) string {
			return strings.TrimSuffix(strings.ReplaceAll(strings.Join(files, "\n"), "~\nISA", "\nISA"), "~")
		}},
	} {
		for n := range orders([]string{"999", "277CA", "835"}) {
			c, sent := b.submitted(b.practice)
			control += 3
			trace := fmt.Sprintf("T%06d", control)
			files := orders([]string{
				string(b.functional(sent, "A", control-2).Content),
				string(b.report("PR", control-1, b.about(b.practice, sent, said{control: c.PatientControlNumber, category: "A2"})).Content),
				b.payment(b.practice, c, control),
			})[n]
			f := clearing.IncomingFile{Name: fmt.Sprintf("mixed-%d.edi", control), Content: []byte(form.file(files))}
			if err := b.codec.Whole(f.Content); err != nil {
				t.Errorf("%s: %v", form.name, err)
			}
			b.give(f, f)
			b.wantClaim(b.practice, c.ID, claim.AcceptedPayer, "queued submitted accepted")
			if got := b.batch(b.practice, sent.ID); got.Result != clearing.BatchAccepted || len(got.Acknowledgements) == 0 {
				t.Errorf("%s, order %d: the batch has %d acknowledgements, result %q", form.name, n, len(got.Acknowledgements), got.Result)
			}
			eras := b.passedOn()
			if era := eras[len(eras)-1]; !strings.Contains(era, trace) || strings.Contains(era, "~ST*999*") || strings.Contains(era, "~ST*277*") {
				t.Errorf("%s, order %d: the remittance is %q", form.name, n, era)
			}
		}
	}
	if n := len(b.passedOn()); n != control/3 {
		t.Errorf("%d remittances, want %d", n, control/3)
	}
	for _, q := range b.quarantined() {
		t.Errorf("in quarantine: %s", q.Reason)
	}
}

// TestPartThatCannotBeRead sets aside what cannot be read of a file, each part with its
// own reason, and applies the rest. The process dies at each commit.
func TestPartThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, one := range []bool{false, true} {
		b := newFixture(t)
		c, sent := b.submitted(b.practice)
		report := string(b.report("PR", 2, b.about(b.practice, sent, said{control: c.PatientControlNumber, category: "A2"})).Content)
		files := []string{
			strings.Replace(report, "~HL*2*1*21*", "~HL*2*1*99*", 1),
			string(b.functional(sent, "A", 3).Content),
			report,
			strings.NewReplacer("ST*835*", "ST*837*", "GS*HP*", "GS*HC*").Replace(b.payment(b.practice, c, 4)),
			b.payment(b.practice, c, 5),
		}
		want := []string{"(HL03)", "837"}
		content := together(files)
		if !one {
			cut := b.payment(b.practice, c, 6)
			content = strings.Join(files[:2], "") + cut[:len(cut)/2] + strings.Join(files[2:], "") + cut[:len(cut)-30]
			want = append(want, "trailer (SE)", "ends before")
		}
		f := clearing.IncomingFile{Name: "parts.edi", Content: []byte(content)}
		for commit := range 12 {
			porttest.Dies(func() {
				_, _ = b.build(porttest.Store{Store: b.store, Fault: &porttest.Fault{At: commit, How: porttest.DiesAfter}}, inbox{b.network, []clearing.IncomingFile{f}}).Receive(t.Context(), sandboxnet.Name)
			})
		}
		b.give(f)
		b.wantClaim(b.practice, c.ID, claim.AcceptedPayer, "queued submitted accepted")
		if got := b.passedOn(); len(got) != 1 || !strings.Contains(got[0], "T000005") {
			t.Errorf("remittances %q", got)
		}
		aside := b.quarantined()
		for _, why := range want {
			n := 0
			for _, q := range aside {
				if strings.Contains(q.Reason, why) {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%d files are in quarantine because of %s", n, why)
			}
		}
		if len(aside) != len(want) {
			for _, q := range aside {
				t.Errorf("in quarantine: %s %s", q.Cause, q.Reason)
			}
		}
	}
}

// TestInterchangeAcknowledged takes a TA1 that stands beside a remittance.
func TestInterchangeAcknowledged(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, sent := b.submitted(b.practice)
	rejected := string(b.interchangeRejected(sent, 1).Content)
	ta1 := rejected[strings.Index(rejected, "~TA1*")+1:]
	file := b.payment(b.practice, c, 2)
	at := strings.Index(file, "~GS*") + 1
	got := b.give(clearing.IncomingFile{Name: "ta1.835", Content: []byte(file[:at] + ta1[:strings.Index(ta1, "~")+1] + file[at:])})
	if len(got) != 1 || got[0].Batch != sent.ID || len(b.passedOn()) != 1 {
		t.Errorf("rejected: %v, remittances: %v", got, b.passedOn())
	}
}

// TestNoInterchange sets aside an empty file under each of its names, and bytes that are
// no text, and reads a file behind a MIME header.
func TestNoInterchange(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, sent := b.submitted(b.practice)
	for range 2 {
		b.give(
			clearing.IncomingFile{Name: "a.999"}, clearing.IncomingFile{Name: "b.999", Content: []byte{}}, clearing.IncomingFile{Name: "c.999", Content: []byte("\r\n\x1a")},
			clearing.IncomingFile{Name: "d.zip", Content: []byte("PK\x03\x04")}, clearing.IncomingFile{Name: "e.txt", Content: []byte("a report")},
		)
	}
	var got []string
	for _, q := range b.quarantined() {
		got = append(got, q.Name+" "+string(q.Cause))
	}
	slices.Sort(got)
	if fmt.Sprint(got) != "[a.999 empty b.999 empty c.999 empty d.zip unreadable e.txt report]" {
		t.Errorf("in quarantine: %v", got)
	}
	f := b.functional(sent, "R", 1)
	f.Content = slices.Concat([]byte("MIME-Version: 1.0\r\nContent-Type: application/EDI-X12\r\n\r\n"), f.Content)
	if rejected := b.give(f); len(rejected) != 1 {
		t.Errorf("rejected: %v; the claim is %s", rejected, b.get(b.practice, c.ID).State)
	}
}

// TestQuarantineIsReported returns each file that entered the quarantine once.
func TestQuarantineIsReported(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	c, _ := b.submitted(b.practice)
	unknown := &practice{office: &directory.Office{NPI: "1902809049"}}
	files := []clearing.IncomingFile{
		{Name: "empty.999"},
		{Name: "report.txt", Content: []byte("a report")},
		b.report("PR", 2, b.about(unknown, nil, said{control: c.PatientControlNumber, category: "A7"})),
	}
	service := b.build(b.store, inbox{b.network, files})
	for _, want := range []string{"[empty report unplaced]", "[]"} {
		all, err := service.Receive(t.Context(), sandboxnet.Name)
		got := []quarantine.Cause{}
		for _, q := range all.Quarantined {
			got = append(got, q.Cause)
		}
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("quarantined: %v, %v, want %s", got, err, want)
		}
	}
}
