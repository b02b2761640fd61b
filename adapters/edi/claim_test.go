package edi_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/network"
)

// attached is what the file of a claim says of its attachment.
func attached(t *testing.T, a *attachment.Attachment) []claims.Attachment {
	t.Helper()
	c := claimOf(1, newOffice(1, "Bright Smiles", "1234567893"), "PCN-1")
	c.Attachments = []*attachment.Attachment{a}
	all, _, err := claims.Decode(bytes.NewReader(mustFile(t, network.ClaimsFile{Batch: newBatch(), Envelope: envelope("CLEARINGHOUSE"), Claims: []claim.OutgoingClaim{c}})))
	if err != nil {
		t.Fatal(err)
	}
	return all[0].Claims[0].Attachments
}

func TestAttachmentsOfAClaim(t *testing.T) {
	t.Parallel()
	documents := func(codes ...string) (all []*attachment.Document) {
		for _, c := range codes {
			all = append(all, &attachment.Document{Type: c})
		}
		return all
	}
	for name, c := range map[string]struct {
		documents []*attachment.Document
		want      string
	}{
		"bitewings":                {documents("11"), "RB"},
		"radiographs":              {documents("11", "12"), "RB"},
		"radiograph and narrative": {documents("2", "11"), "RB"},
		"narrative":                {documents("2"), "OZ"}, // 03 and XP are not codes of the dental guide
		"photo":                    {documents("9"), "OZ"},
		"referral":                 {documents("4"), "B4"},
		"report":                   {documents("6"), "DG"},
		"chart and statement":      {documents("7", "1"), "P6"},
		"chart and referral":       {documents("7", "4"), "OZ"},
		"narrative and photo":      {documents("2", "9"), "OZ"},
		"narrative and referral":   {documents("2", "4"), "OZ"},
		"unknown":                  {documents("99"), "OZ"},
		"none":                     {nil, "OZ"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &attachment.Attachment{State: attachment.Closed, Kind: attachment.Unsolicited, Number: "MLR000000001", Narrative: "two words", Documents: c.documents}
			if got, want := attached(t, a), (claims.Attachment{ReportType: c.want, Number: "MLR000000001", Note: "MLR000000001 TWO WORDS"}); !slices.Equal(got, []claims.Attachment{want}) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
	for _, a := range []*attachment.Attachment{
		{State: attachment.Open, Kind: attachment.Unsolicited, Number: "MLR000000001"},
		{State: attachment.Closed, Kind: attachment.Solicited, Number: "MLR000000001"},
	} {
		if got := attached(t, a); len(got) > 0 {
			t.Errorf("an attachment that is %s and %s went onto a claim", a.State, a.Kind)
		}
	}
}
