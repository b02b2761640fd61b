package sandboxnet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/adapters/x12/statusrequest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// Sent returns the file that carried a claim last, and the time by the clock of its scope. It
// returns CodeNotFound if none did.
type Sent func(ctx context.Context, scope billing.Scope, id billing.ClaimID) (f clearing.OutgoingFile, now time.Time, err error)

// The endings of member IDs that decide how an inquiry about a claim is answered, beside what
// the claim's own ending decides.
const (
	statusNotFound  = "-STATUS-NOT-FOUND"
	statusRequested = "-STATUS-REQUESTED"
	statusDown      = "-STATUS-DOWN"
)

// payers answer inquiries about claims from the files that carried them.
type payers struct{ Options }

// AskStatus asks a payer about a claim. The answer is what the payer's messages about the claim
// say until now, as if it remembered nothing of earlier files.
func (p payers) AskStatus(ctx context.Context, q network.StatusInquiry) (claimstatus.Answer, []coverage.Exchange, error) {
	f, now, err := p.Sent(ctx, q.Scope, q.Claim.ID)
	var files []clearing.OutgoingFile // none for a claim that no file carried
	switch {
	case err == nil:
		files = append(files, f)
	case !billing.IsNotFound(err):
		return claimstatus.Answer{}, nil, fmt.Errorf("sandboxnet: find the file of a claim: %w", err)
	}
	return p.StatusOver(func(ctx context.Context, request []byte) ([]byte, error) {
		return AnswerStatus(ctx, request, files, now, p.Options)
	}).AskStatus(ctx, q)
}

// AnswerStatus returns the 277 for a 276, from the files that were sent to the payers before
// now. A request that is not a 276 is an error.
func AnswerStatus(ctx context.Context, request []byte, files []clearing.OutgoingFile, now time.Time, o Options) ([]byte, error) {
	q, err := statusrequest.Decode(request)
	if err != nil {
		return nil, fmt.Errorf("sandboxnet: %w", err)
	}
	r := newResponse(q, now)
	switch id := strings.ToUpper(q.Subscriber.Name.ID); {
	case strings.HasSuffix(id, statusDown):
		r.above("E1", "484")
		return r.bytes(), nil
	case strings.HasSuffix(id, statusNotFound):
		r.none("35")
		return r.bytes(), nil
	}
	house := NewClearinghouse(nil, nil, o)
	for i := range files {
		if err := r.file(ctx, house, &files[i]); err != nil {
			return nil, fmt.Errorf("sandboxnet: %w", err)
		}
	}
	if len(r.claims) == 0 {
		r.none("35")
	}
	return r.bytes(), nil
}

// response builds a 277 with the parties and the trace number of the inquiry.
type response struct {
	inquiry *statusrequest.Inquiry
	now     time.Time
	claims  []acknowledgements.Claim
	levels  []acknowledgements.Status // of the one who asks
}

func newResponse(q *statusrequest.Inquiry, now time.Time) *response {
	return &response{inquiry: q, now: now.UTC()}
}

func (r *response) status(category, code string) acknowledgements.Status {
	return acknowledgements.Status{Codes: []acknowledgements.Code{{Category: category, Status: code}}, Effective: billing.DateOf(r.now)}
}

// above says why there is no answer, at the level of the one who asks.
func (r *response) above(category, code string) {
	r.levels = append(r.levels, r.status(category, code))
}

// none says that no claim was found.
func (r *response) none(code string) {
	c := r.about()
	c.Statuses = []acknowledgements.Status{r.status("D0", code)}
	r.claims = append(r.claims, c)
}

// about returns an empty answer about a claim of the patient.
func (r *response) about() acknowledgements.Claim {
	q := r.inquiry
	c := acknowledgements.Claim{Patient: q.Subscriber.Name}
	if len(q.Claims) > 0 {
		c.Trace, c.Service = q.Claims[0].Trace, q.Claims[0].Service
	}
	if q.Dependent != nil {
		c.Subscriber, c.Patient = q.Subscriber.Name, q.Dependent.Name
		c.Patient.IDQualifier, c.Patient.ID = c.Subscriber.IDQualifier, c.Subscriber.ID
	}
	return c
}

func (r *response) bytes() []byte {
	q := r.inquiry
	i, g := q.Interchange, q.Group
	i.Sender, i.SenderQualifier, i.Receiver, i.ReceiverQualifier = i.Receiver, i.ReceiverQualifier, i.Sender, i.SenderQualifier
	g.Sender, g.Receiver = g.Receiver, g.Sender
	i.Created, g.Created = r.now, r.now
	to := acknowledgements.Receiver{Level: acknowledgements.Level{Name: q.Receiver, Statuses: r.levels}}
	if len(r.levels) > 0 {
		to.Trace = q.Reference
	} else {
		to.Providers = []acknowledgements.Provider{{Level: acknowledgements.Level{Name: q.Provider}, Claims: r.claims}}
	}
	return acknowledgements.EncodeReport(&acknowledgements.Report{
		Interchange: i, Group: g, Kind: acknowledgements.KindResponse, Reference: q.Reference, CreatedAt: r.now,
		Sources: []acknowledgements.Source{{Level: acknowledgements.Level{Name: q.Payer}, Receivers: []acknowledgements.Receiver{to}}},
	})
}

// file adds the claims of a file that the inquiry is about.
func (r *response) file(ctx context.Context, house *Clearinghouse, f *clearing.OutgoingFile) error {
	sent, err := readSent(f.Content)
	if err != nil {
		return err
	}
	var own ownSteps
	if house.options.Own != nil {
		own = house.steps(func(endings []string) (*scenario.Own, error) {
			return house.options.Own(ctx, f.Scope, scenario.Claim, endings)
		})
	}
	var messages []MailFile
	for _, accepted := range sent.accepted() {
		b, err := newBatch(accepted, own)
		if err != nil {
			return err
		}
		for _, one := range slices.Concat(b.claims, b.own) {
			if !r.asks(one) {
				continue
			}
			if messages == nil {
				if messages, err = house.replies(f.Name, f.Content, f.At, forgetful(f.Name), own); err != nil {
					return err
				}
			}
			c, err := r.of(one, messages)
			if err != nil {
				return err
			}
			r.claims = append(r.claims, c)
		}
	}
	return nil
}

// forgetful is the memory of a payer that has decided nothing before. The first file with
// -BATCH-REJECTED was rejected before the one that it is asked about.
func forgetful(file string) memory {
	return func(notes []Note) ([][]byte, error) {
		before := make([][]byte, len(notes))
		for i, n := range notes {
			if string(n.Content) == file {
				before[i] = n.Content
			}
		}
		return before, nil
	}
}

// asks reports whether the inquiry is about the claim: it has the payer, the provider, the
// member and a service in the days.
func (r *response) asks(c *received) bool {
	q := r.inquiry
	if !strings.EqualFold(q.Payer.ID, c.Payer.PayerID) || q.Provider.ID != c.Billing.NPI && q.Provider.ID != c.Billing.TaxID ||
		!strings.EqualFold(q.Subscriber.Name.ID, c.Subscriber.MemberID) || len(q.Claims) == 0 || isVoid(c.Claim) {
		return false
	}
	asked, span := q.Claims[0].Service, c.ServiceDates()
	return !span.From.IsZero() && !span.To.Before(asked.From) && !asked.To.Before(span.From)
}

// of returns the answer about a claim: what its messages say that are due.
func (r *response) of(one *received, messages []MailFile) (acknowledgements.Claim, error) {
	c := r.about()
	c.ControlNumber, c.PayerClaimNumber, c.Service = one.PatientControlNumber, one.payerNumber, one.ServiceDates()
	charge := one.Charge()
	pending := r.status("P1", "20")
	pending.Charge = charge
	c.Statuses = []acknowledgements.Status{pending}
	if strings.HasSuffix(strings.ToUpper(one.Subscriber.MemberID), statusRequested) {
		asked := r.status("R4", "297")
		asked.Charge, c.Statuses = charge, []acknowledgements.Status{asked}
		return c, nil
	}
	slices.SortStableFunc(messages, func(a, b MailFile) int { return a.Due.Compare(b.Due) })
	for _, m := range messages {
		if m.Due.After(r.now) {
			continue
		}
		var err error
		switch {
		case strings.HasSuffix(m.Name, ".277"):
			err = r.reported(&c, one, m.Content)
		case strings.HasSuffix(m.Name, ".835"):
			err = r.remitted(&c, one, m.Content)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// reported takes over what a 277 says, unless it accepts the claim.
func (r *response) reported(c *acknowledgements.Claim, one *received, content []byte) error {
	reports, _, err := acknowledgements.DecodeReports(bytes.NewReader(content))
	if err != nil {
		return err
	}
	for i := range reports {
		for _, said := range reports[i].Claims() {
			if said.ControlNumber != one.PatientControlNumber {
				continue
			}
			switch outcome := said.Outcome(acknowledgements.SidePayer); {
			case reports[i].Kind == acknowledgements.KindRequest:
				asked := r.status("R4", "297")
				asked.Charge, c.Statuses = one.Charge(), []acknowledgements.Status{asked}
			case outcome == acknowledgements.OutcomeRejected:
				c.Statuses = said.Statuses
				for k := range c.Statuses { // a response has neither
					c.Statuses[k].Action, c.Statuses[k].Text = "", ""
				}
			}
		}
	}
	return nil
}

// remitted takes over the decision of an 835.
func (r *response) remitted(c *acknowledgements.Claim, one *received, content []byte) error {
	d := remittance.NewDecoder(bytes.NewReader(content))
	for {
		p, err := d.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for {
			paid, err := d.NextClaim()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			if paid.ControlNumber == one.PatientControlNumber || paid.PayerControlNumber == one.payerNumber {
				r.decided(c, paid, p)
			}
		}
	}
}

// decided states a decision of a remittance, with the payment that it announces.
func (r *response) decided(c *acknowledgements.Claim, paid *remittance.Claim, p *remittance.Payment) {
	category, code := "F1", "65"
	switch {
	case paid.Status == remittance.StatusReversal:
		category, code = "F3", "101"
	case paid.Status == remittance.StatusDenied:
		category, code = "F2", "585"
	case paid.Status == statusForwarded:
		category, code = "F4", "16"
	case paid.Paid == 0:
		category, code = "F4", "104"
	}
	final := func(charge, amount billing.Money) acknowledgements.Status {
		s := r.status(category, code)
		s.Charge, s.Paid, s.Decided = charge, new(amount), p.Date
		if category == "F1" {
			s.PaymentDate, s.Payment = p.Date, p.Trace.Number
		}
		return s
	}
	if c.Lines = nil; paid.Status == remittance.StatusReversal {
		c.Statuses = []acknowledgements.Status{final(-paid.Charge, 0)}
		return
	}
	c.Statuses = []acknowledgements.Status{final(paid.Charge, paid.Paid)}
	for i := range paid.Services {
		s := &paid.Services[i]
		l := acknowledgements.Line{Qualifier: s.Procedure.Qualifier, Procedure: s.Procedure.Code, Charge: s.Charge, Paid: new(s.Paid)}
		for _, n := range s.References {
			if n.Qualifier == "6R" {
				l.Number = n.Value
			}
		}
		l.Statuses = []acknowledgements.Status{r.status(category, code)}
		c.Lines = append(c.Lines, l)
	}
}
