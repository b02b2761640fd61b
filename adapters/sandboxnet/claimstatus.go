package sandboxnet

import (
	"time"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// batch is a transaction set of claims.
type batch struct {
	*claims.Batch

	claims    []*received
	forwarded []*received // those that pass the edits
	own       []*received // those that pass the edits and follow steps of their organization's own
}

// received is a claim with its scenario and the numbers that it gets.
type received struct {
	*claims.Claim

	scenario            claimScenario
	faults              []fault
	own                 []scenario.ClaimStep
	clearinghouseNumber string
	payerNumber         string

	left     []billing.Money    // of each line, by the earlier payers; nil for a primary payer
	takeBack []remittance.Claim // the reversals of the claim that this one replaces or voids
	stated   []remittance.Claim // the decision as the first remittance states it
	later    []remittance.Claim // the claims of the later remittance

	// The same for the payer to which the claim was forwarded. Its only remittance
	// is the later one.
	secondaryTakeBack, secondaryStated []remittance.Claim

	onLines  []scenario.OnLine               // of the step that is performed
	withheld []remittance.ProviderAdjustment // as above
}

// newBatch numbers the claims. A payer keeps its own number for a claim that is
// replaced or voided. It derives other numbers from the control numbers, so
// that a resent claim gets the same number.
func newBatch(b *claims.Batch, own ownSteps) (*batch, error) {
	all := batch{Batch: b}
	for i := range b.Claims {
		c := &b.Claims[i]
		r := received{
			Claim: c, scenario: scenarioOfClaim(c), faults: faultsOf(c), payerNumber: c.PayerClaimNumber,
			clearinghouseNumber: "SC" + digits(12, "clearinghouse", b.Reference, c.PatientControlNumber),
		}
		if c.Frequency == claims.FrequencyOriginal || r.payerNumber == "" {
			r.payerNumber = "SP" + digits(12, "payer", c.Payer.PayerID, c.Billing.NPI, c.Billing.TaxID, c.PatientControlNumber)
		}
		if own != nil && len(r.faults) == 0 && !isVoid(c) {
			var err error
			if r.own, err = own(c.Subscriber.MemberID); err != nil {
				return nil, err
			}
		}
		switch {
		case r.own != nil:
			r.scenario = claimScenario{}
			all.own = append(all.own, &r)
			continue
		case len(r.faults) == 0:
			all.forwarded = append(all.forwarded, &r)
		}
		all.claims = append(all.claims, &r)
	}
	return &all, nil
}

// byPayer groups the forwarded claims by payer.
func (b *batch) byPayer() [][]*received {
	return grouped(b.forwarded, func(c *received) string { return c.Payer.PayerID })
}

// payee is the practice that is paid.
type payee struct{ npi, taxID string }

func (r *received) payee() payee { return payee{r.Billing.NPI, r.Billing.TaxID} }

// grouped groups items by key and keeps their order.
func grouped[K comparable](all []*received, key func(*received) K) (groups [][]*received) {
	at := map[K]int{}
	for _, c := range all {
		k := key(c)
		n, known := at[k]
		if !known {
			n = len(groups)
			at[k], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], c)
	}
	return groups
}

// The statuses of the sandbox (STC01), and the resulting actions (STC03).
const (
	entityClearinghouse = "AY"
	entityPayer         = "PR"
	entitySubscriber    = "IL"
	entityNextPayer     = "TT"
	entityBilling       = "85"

	actionAccept = "WQ"
	actionReject = "U"
)

// rankedPayers are the entities of payers by rank: primary, secondary and tertiary.
//
//nolint:gochecknoglobals // a constant table
var rankedPayers = [...]string{"PRP", "SEP", "TTP"}

func status(day billing.Date, action string, charge billing.Money, c acknowledgements.Code) acknowledgements.Status {
	return acknowledgements.Status{Codes: []acknowledgements.Code{c}, Effective: day, Action: action, Charge: charge}
}

// edited writes the clearinghouse's report: it has forwarded a claim, or rejected it.
func (o *outbox) edited(b *batch, of []*received, after time.Duration) {
	if len(of) == 0 {
		return
	}
	l := o.letter("clearinghouse", "277", after)
	o.report(l, acknowledgements.KindAcknowledgement, b, of, o.house(b), func(r *received, c *acknowledgements.Claim) {
		if refuse(r, l.day(), c); len(r.faults) == 0 {
			c.Statuses = []acknowledgements.Status{
				status(l.day(), actionAccept, r.Charge(), acknowledgements.Code{Category: "A1", Status: "16", Entity: entityPayer}),
			}
		}
	})
}

// house names the clearinghouse in its reports.
func (o *outbox) house(b *batch) acknowledgements.Name {
	return acknowledgements.Name{Entity: entityClearinghouse, Kind: "2", Last: sandboxName, IDQualifier: "46", ID: o.name(b.Interchange)}
}

// accepted writes the payer's report: it has accepted the claims whose
// subscriber it knows.
func (o *outbox) accepted(b *batch, of []*received, after time.Duration) {
	l := o.letter("payer", "277", after)
	o.report(l, acknowledgements.KindAcknowledgement, b, of, payerName(of), func(r *received, c *acknowledgements.Claim) {
		if r.scenario.rejected {
			s := status(l.day(), actionReject, r.Charge(), acknowledgements.Code{Category: "A7", Status: "164", Entity: entitySubscriber})
			s.Text = "The member ID is not on file"
			c.Statuses = []acknowledgements.Status{s}
			return
		}
		if !r.scenario.numberless {
			c.PayerClaimNumber = r.payerNumber
		}
		c.Statuses = []acknowledgements.Status{
			status(l.day(), actionAccept, r.Charge(), acknowledgements.Code{Category: "A2", Status: "20", Entity: entityPayer}),
		}
	})
}

// daysToRespond is the time that a payer allows for information.
const daysToRespond = 30

// asked writes the payer's request for a radiologist's report (LOINC 18748-4)
// on the claims whose scenario has one.
func (o *outbox) asked(b *batch, of []*received) {
	var about []*received
	for _, r := range of {
		if r.scenario.asked {
			about = append(about, r)
		}
	}
	if len(about) > 0 {
		o.request(b, about, untilAccepted+untilAsked)
	}
}

// request writes a payer's request for a report on the claims.
func (o *outbox) request(b *batch, about []*received, after time.Duration) {
	l := o.letter("request", "277", after)
	o.report(l, acknowledgements.KindRequest, b, about, payerName(about), func(r *received, c *acknowledgements.Claim) {
		c.PayerReference, c.PayerClaimNumber = "SR"+digits(12, l.name, r.PatientControlNumber), r.payerNumber
		c.Due = l.day().AddDays(daysToRespond)
		c.Statuses = []acknowledgements.Status{
			status(l.day(), "", r.Charge(), acknowledgements.Code{Category: "R4", Status: "18748-4", List: "LOI"}),
		}
	})
}

func payerName(of []*received) acknowledgements.Name {
	p := of[0].Payer
	return acknowledgements.Name{Entity: entityPayer, Kind: "2", Last: p.Name, IDQualifier: "PI", ID: p.PayerID}
}

// report writes a 277 of the source about claims of a batch. Say adds the
// status to a claim that report has identified.
func (o *outbox) report(
	l letter, kind acknowledgements.Kind, b *batch, of []*received, source acknowledgements.Name, say func(*received, *acknowledgements.Claim),
) {
	from := acknowledgements.Source{Level: acknowledgements.Level{Name: source}}
	to := acknowledgements.Receiver{Level: acknowledgements.Level{
		Name: acknowledgements.Name{Entity: "41", Kind: "2", Last: b.Submitter.Name, IDQualifier: "46", ID: b.Submitter.ID},
	}}
	for _, group := range grouped(of, (*received).payee) {
		to.Providers = append(to.Providers, provider(kind, group, say))
	}
	if kind == acknowledgements.KindAcknowledgement {
		from.Trace, from.Received, from.Processed = digits(9, l.name), billing.DateOf(o.sent), l.day()
		to.Trace = b.Reference
		for i := range to.Providers {
			dated(to.Providers[i].Claims, from.Received)
		}
		total(&to, source, l.day())
	}
	from.Receivers = []acknowledgements.Receiver{to}
	r := acknowledgements.Report{
		Kind: kind, Reference: digits(9, "report", l.name), CreatedAt: l.due, Sources: []acknowledgements.Source{from},
	}
	r.Interchange, r.Group = o.envelope(l, b.Interchange, b.Group)
	o.put(l, acknowledgements.EncodeReport(&r))
}

// provider returns the level of one payee with its claims.
func provider(kind acknowledgements.Kind, of []*received, say func(*received, *acknowledgements.Claim)) acknowledgements.Provider {
	from := of[0].Billing
	p := acknowledgements.Provider{Level: acknowledgements.Level{
		Name: acknowledgements.Name{Entity: entityBilling, Kind: "2", Last: from.Name, IDQualifier: "XX", ID: from.NPI},
	}}
	if from.Person {
		p.Name.Kind, p.Name.Last, p.Name.First = "1", from.LastName, from.FirstName
	}
	if from.NPI == "" {
		p.Name.IDQualifier, p.Name.ID = "FI", from.TaxID
	}
	for _, r := range of {
		s := &r.Subscriber
		c := acknowledgements.Claim{
			Patient:       acknowledgements.Name{Entity: "QC", Kind: "1", Last: s.LastName, First: s.FirstName, IDQualifier: "MI", ID: s.MemberID},
			ControlNumber: r.PatientControlNumber, ClearinghouseNumber: r.clearinghouseNumber, Service: r.ServiceDates(),
		}
		if d := r.Patient; d != nil {
			c.Patient.Last, c.Patient.First = d.LastName, d.FirstName
		}
		say(r, &c)
		p.Claims = append(p.Claims, c)
	}
	if kind != acknowledgements.KindAcknowledgement {
		p.Name.Entity = "1P"
	}
	return p
}

// total adds up the claims of an acknowledgement.
func total(to *acknowledgements.Receiver, source acknowledgements.Name, day billing.Date) {
	to.Totals = acknowledgements.Totals{}
	for i := range to.Providers {
		p := &to.Providers[i]
		p.Totals = acknowledgements.Totals{}
		count(&p.Totals, p.Claims)
		count(&to.Totals, p.Claims)
		receipt(&p.Level, source, billing.Date{}) // the guide has no date here
	}
	receipt(&to.Level, source, day)
}

// receipt adds the status that the source has received the claims of a level.
func receipt(l *acknowledgements.Level, source acknowledgements.Name, day billing.Date) {
	charge := l.Totals.AcceptedAmount + l.Totals.RejectedAmount
	l.Statuses = []acknowledgements.Status{
		status(day, actionAccept, charge, acknowledgements.Code{Category: "A1", Status: "19", Entity: source.Entity}),
	}
}

// dated gives predeterminations the day on which they came in: the guide requires a
// service date, and they have none.
func dated(all []acknowledgements.Claim, came billing.Date) {
	for i := range all {
		if s := &all[i].Service; s.From.IsZero() {
			*s = billing.DateSpan{From: came, To: came}
		}
	}
}

// count adds up the accepted and the rejected claims.
func count(t *acknowledgements.Totals, all []acknowledgements.Claim) {
	for i := range all {
		if s := all[i].Statuses[0]; s.Action == actionReject {
			t.Rejected++
			t.RejectedAmount += s.Charge
		} else {
			t.Accepted++
			t.AcceptedAmount += s.Charge
		}
	}
}
