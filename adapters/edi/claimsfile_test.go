package edi_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

func mustFile(tb testing.TB, f network.ClaimsFile) []byte {
	tb.Helper()
	b, err := edi.New().File(f)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// claimOf is a claim of the office whose ID ends with the number.
func claimOf(id byte, office *directory.Office, controlNumber string) claim.OutgoingClaim {
	march := func(d int) billing.Date { return billing.Date{Year: 2026, Month: time.March, Day: d} }
	return claim.OutgoingClaim{
		Office: office,
		Claim: &claim.Claim{
			ID: billing.ClaimID{15: id}, Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal,
			PatientControlNumber: controlNumber,
			Content: claim.Content{
				OfficeID: office.ID, PlaceOfService: "11",
				Payer: directory.PayerSummary{PayerID: "CHTEST", Name: "Molar Test Payer"},
				Subscriber: claim.Subscriber{
					FirstName: "Ottoline", LastName: "Quillfeather", DateOfBirth: billing.Date{Year: 1985, Month: time.April, Day: 12},
					MemberID: "W123", Gender: claim.GenderFemale, Address: directory.Address{Line1: "5 Elm St", City: "Tulsa", State: "OK", ZIP: "74103"},
				},
				Lines: []claim.Line{
					{ProcedureCode: "D1110", ServiceDate: march(2), Fee: 95_00, Quantity: 1},
					{ProcedureCode: "D2392", ServiceDate: march(3), Fee: 210_50, Quantity: 1, Tooth: "14", Surfaces: []string{"M", "O"}},
				},
			},
			Progress: claim.Progress{PayerClaimNumber: "OLD-1"},
		},
		Provider: &directory.Provider{FirstName: "Ada", LastName: "Molina", NPI: "1467560003", Taxonomy: "1223G0001X"},
	}
}

func newOffice(id byte, name, npi string) *directory.Office {
	return &directory.Office{
		ID: billing.OfficeID{15: id}, Name: name, NPI: npi, TaxID: "12-3456789", Phone: "(555) 010-0100",
		Address: directory.Address{Line1: "1 Main St", City: "Tulsa", State: "OK", ZIP: "74101-0001"},
	}
}

func newBatch() *clearing.Batch {
	scope := billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeTest}
	return clearing.NewBatch(scope, "sandbox", 901, 5, billing.RealAt(time.Date(2026, 3, 4, 5, 6, 7, 891e6, time.UTC)), time.Date(2026, 3, 4, 5, 6, 7, 891e6, time.UTC))
}

// envelope is from us to a receiver; to none, it is to the payer itself.
func envelope(receiver string) (e network.Envelope) {
	e.Sender = network.End{Qualifier: "ZZ", ID: "MOLAR"}
	if receiver != "" {
		e.Receiver = network.End{Qualifier: "ZZ", ID: receiver}
	}
	return e
}

// claimsFile has all that a file can have: claims of two offices that take
// turns, a replacement, a void, a predetermination, and attachments.
func claimsFile() network.ClaimsFile {
	bright, other := newOffice(1, "Bright Smiles, P.C.", "1234567893"), newOffice(2, "Zähne & Söhne", "1467560003")
	first, replaced, voided, estimate := claimOf(1, bright, "PCN-1"), claimOf(2, other, "PCN-2"), claimOf(3, bright, "VOID-1"), claimOf(4, other, "PRE-1")
	first.Claim.Note = "Old filling lost."
	first.Claim.Patient = &claim.Patient{
		FirstName: "Zoë", LastName: "Núñez*~:^", DateOfBirth: on(2010, 1, 1), Relationship: coverage.RelationChild, Gender: claim.GenderUnknown,
	}
	first.Attachments = []*attachment.Attachment{
		{State: attachment.Closed, Kind: attachment.Unsolicited, Number: "MLR000000012", Narrative: "Bitewings, before", Documents: []*attachment.Document{{Type: "11"}}},
		{State: attachment.Open, Kind: attachment.Unsolicited, Number: "MLR000000013"},
		{State: attachment.Closed, Kind: attachment.Solicited, Number: "MLR000000014"},
	}
	replaced.Claim.Frequency, replaced.Claim.PayerClaimNumber = claim.FrequencyReplacement, "PAYER-55"
	voided.Claim.Frequency, voided.Claim.PayerClaimNumber = claim.FrequencyVoid, "PAYER-56"
	voided.Provider = nil
	estimate.Claim.Kind = claim.KindPredetermination
	for i := range estimate.Claim.Lines {
		estimate.Claim.Lines[i].ServiceDate = billing.Date{}
	}
	return network.ClaimsFile{Batch: newBatch(), Envelope: envelope("CLEARINGHOUSE"), Claims: []claim.OutgoingClaim{replaced, voided, estimate, first}}
}

func TestFileGolden(t *testing.T) {
	t.Parallel()
	x12test.Golden(t, filepath.Join("claims", "batch.837"), x12test.Lines(mustFile(t, claimsFile())))
}

// TestFileComesBack decodes a file and encodes it again.
func TestFileComesBack(t *testing.T) {
	t.Parallel()
	for _, mode := range []billing.Mode{billing.ModeTest, billing.ModeLive} {
		f := claimsFile()
		f.Batch.Scope.Mode = mode
		file := mustFile(t, f)
		all, warnings, err := claims.Decode(bytes.NewReader(file))
		if err != nil || len(warnings) > 0 || len(all) != 1 || len(all[0].Claims) != len(f.Claims) {
			t.Fatalf("%d batches, %v, %v", len(all), warnings, err)
		}
		b := &all[0]
		if b.Interchange.Control != 901 || b.Group.Control != 901 || b.Control != "000000901" || b.Reference != "000000901" {
			t.Errorf("numbers %d, %d, %s, %s", b.Interchange.Control, b.Group.Control, b.Control, b.Reference)
		}
		if b.Interchange.Test != (mode == billing.ModeTest) || !b.CreatedAt.Equal(f.Batch.CreatedAt.Truncate(time.Second)) {
			t.Errorf("test %v, made at %v", b.Interchange.Test, b.CreatedAt)
		}
		var order []string
		for i := range b.Claims {
			order = append(order, b.Claims[i].PatientControlNumber+" "+b.Claims[i].PayerClaimNumber)
		}
		if got, want := strings.Join(order, ", "), "PCN-1 , VOID-1 PAYER-56, PCN-2 PAYER-55, PRE-1 "; got != want {
			t.Errorf("claims %q, want %q", got, want)
		}
		var again bytes.Buffer
		if err := claims.Encode(&again, b); err != nil || !bytes.Equal(again.Bytes(), file) {
			t.Errorf("error %v, not stable:\n%s\n%s", err, file, again.Bytes())
		}
	}
}

// TestLongNote puts all that a note may have into the file, in whole words where
// they fit, and less beside attachments.
func TestLongNote(t *testing.T) {
	t.Parallel()
	plain := func(s string) string { return strings.ToUpper(strings.ReplaceAll(s, " ", "")) }
	note := strings.TrimSpace(strings.Repeat("A seventeen-letter ", 30))[:400]
	for attachments, limit := range []int{400, 320, 240, 160, 80, 0, 0} {
		f := claimsFile()
		c := &f.Claims[3]
		c.Claim.Note, c.Attachments = note, nil
		for n := range attachments {
			c.Attachments = append(c.Attachments, &attachment.Attachment{
				State: attachment.Closed, Kind: attachment.Unsolicited, Number: fmt.Sprintf("MLR%09d", n), Narrative: strings.Repeat("word ", 40),
			})
		}
		all, _, err := claims.Decode(bytes.NewReader(mustFile(t, f)))
		if err != nil {
			t.Fatal(err)
		}
		got := &all[0].Claims[0]
		if len(got.Attachments) != attachments || !strings.HasPrefix(plain(note), plain(got.Note)) || len(plain(got.Note)) < len(plain(note[:limit]))-1 {
			t.Errorf("%d attachments: %d, and the note %q", attachments, len(got.Attachments), got.Note)
		}
	}
}
