package batches_test

import (
	"fmt"
	"strconv"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// envelope returns the envelope of a file with the control number.
func (b *fixture) envelope(control int) (x12.Interchange, x12.Group) {
	return x12.Interchange{
			SenderQualifier: "ZZ", Sender: "NETWORK", ReceiverQualifier: "ZZ", Receiver: "MOLAR", Created: b.clock.Now(), Control: control, Test: true,
		}, x12.Group{
			Sender: "NETWORK", Receiver: "MOLAR", Created: b.clock.Now(), Control: control,
		}
}

func fileOf(control int, content []byte) clearing.IncomingFile {
	return clearing.IncomingFile{Name: fmt.Sprintf("file-%d.edi", control), Content: content}
}

// functional returns a 999 about a batch: A for accepted, R for rejected.
func (b *fixture) functional(about *clearing.Batch, verdict string, control int) clearing.IncomingFile {
	n := about.File.ControlNumbers
	f := acknowledgements.Functional{Standard: acknowledgements.Standard999, Groups: []acknowledgements.GroupVerdict{{
		FunctionalID: "HC", Control: n.Group, Code: verdict, Included: 1, Received: 1,
		Sets: []acknowledgements.SetVerdict{{ID: "837", Control: n.Transaction, Code: verdict}},
	}}}
	f.Interchange, f.Group = b.envelope(control)
	return fileOf(control, acknowledgements.EncodeFunctional(&f))
}

// status returns a status category, dated that day.
func (b *fixture) status(category string) []acknowledgements.Status {
	return []acknowledgements.Status{{
		Codes:     []acknowledgements.Code{{Category: category, Status: "20", Entity: "PR"}},
		Effective: billing.DateOf(b.clock.Now()), Action: map[bool]string{true: "WQ", false: "U"}[category < "A3"],
	}}
}

// said is a 277's report on a claim: a status category, as of a day, and
// perhaps the payer's number.
type said struct {
	control  string
	category string
	number   string
	days     int // after today
}

// about returns the level of a receiver with claims of the practice. The batch
// may be nil.
func (b *fixture) about(p *practice, batch *clearing.Batch, all ...said) acknowledgements.Receiver {
	office := acknowledgements.Provider{Level: acknowledgements.Level{
		Name: acknowledgements.Name{Entity: "85", Kind: "2", Last: "Main Street Dental", IDQualifier: "XX", ID: p.office.NPI},
	}}
	for _, s := range all {
		c := acknowledgements.Claim{
			Patient:       acknowledgements.Name{Entity: "QC", Kind: "1", Last: "Doe", First: "Jane", IDQualifier: "MI", ID: "M1"},
			ControlNumber: s.control, PayerClaimNumber: s.number, Statuses: b.status(s.category),
		}
		c.Statuses[0].Effective = c.Statuses[0].Effective.AddDays(s.days)
		office.Claims = append(office.Claims, c)
	}
	r := acknowledgements.Receiver{
		Level:     acknowledgements.Level{Name: acknowledgements.Name{Entity: "41", Kind: "2", Last: "Molar", IDQualifier: "46", ID: "MOLAR"}},
		Providers: []acknowledgements.Provider{office},
	}
	if batch != nil {
		r.Trace = batch.File.ControlNumbers.Transaction
	}
	return r
}

// report returns a 277CA of a payer (PR) or a clearinghouse (AY).
func (b *fixture) report(entity string, control int, about ...acknowledgements.Receiver) clearing.IncomingFile {
	r := acknowledgements.Report{
		Kind: acknowledgements.KindAcknowledgement, Reference: strconv.Itoa(control), CreatedAt: b.clock.Now(),
		Sources: []acknowledgements.Source{{
			Level:     acknowledgements.Level{Name: acknowledgements.Name{Entity: entity, Kind: "2", Last: "Aetna", IDQualifier: "PI", ID: quietPayer}, Trace: strconv.Itoa(control)},
			Receivers: about,
		}},
	}
	r.Interchange, r.Group = b.envelope(control)
	return fileOf(control, acknowledgements.EncodeReport(&r))
}

// request returns a 277 of a payer that asks for information about a claim.
func (b *fixture) request(p *practice, control int, c *claim.Claim, reference string) clearing.IncomingFile {
	about := b.about(p, nil, said{control: c.PatientControlNumber, category: "R4", number: "PAYER-1"})
	asks := &about.Providers[0].Claims[0]
	asks.PayerReference, asks.Due = reference, billing.DateOf(b.clock.Now()).AddDays(30)
	asks.Statuses[0].Action = ""
	r := acknowledgements.Report{
		Kind: acknowledgements.KindRequest, Reference: strconv.Itoa(control), CreatedAt: b.clock.Now(),
		Sources: []acknowledgements.Source{{
			Level:     acknowledgements.Level{Name: acknowledgements.Name{Entity: "PR", Kind: "2", Last: "Aetna", IDQualifier: "PI", ID: quietPayer}},
			Receivers: []acknowledgements.Receiver{about},
		}},
	}
	r.Interchange, r.Group = b.envelope(control)
	return fileOf(control, acknowledgements.EncodeReport(&r))
}
