package sandboxnet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// Own finds an organization's own scenario with one of the endings: the longest that it
// has; nil if it has none.
type Own func(ctx context.Context, scope billing.Scope, o scenario.Operation, endings []string) (*scenario.Own, error)

// planNumbers are the qualifiers of the REFs under an EB that number a plan, and no person.
//
//nolint:gochecknoglobals // a constant table
var planNumbers = []string{"18", "6P", "CE", "N6", "ALS", "CLI"}

// ReadReply reads a 271 as a payer sent it. It returns the 271 without the names,
// addresses, birth dates, numbers and contacts of people and of the provider, and the
// texts of its MSGs.
func ReadReply(content []byte) (kept []byte, messages []string, err error) {
	r, err := eligibility.Decode(content)
	if err != nil {
		return nil, nil, unusable("271", err)
	}
	if r.CreatedAt.IsZero() {
		r.CreatedAt = r.Interchange.Created
	}
	r.Interchange, r.Group, r.Reference = x12.Interchange{}, x12.Group{}, ""
	if r.Source != nil {
		r.Source.References, r.Source.Traces = nil, nil
		messages = append(messages, r.Source.Messages...)
	}
	if r.Receiver != nil {
		r.Receiver = &eligibility.Party{Name: eligibility.Name{Entity: "1P", Kind: "2"}, Rejections: r.Receiver.Rejections, Messages: r.Receiver.Messages}
	}
	for _, m := range []*eligibility.Member{r.Subscriber, r.Dependent} {
		if m == nil {
			continue
		}
		m.Party = eligibility.Party{
			Name: eligibility.Name{Entity: "IL", Kind: "1"}, Dates: m.Dates, Rejections: m.Rejections, Messages: m.Messages,
		}
		messages = append(messages, m.Messages...)
		for i := range m.Benefits {
			b := &m.Benefits[i]
			b.References = slices.DeleteFunc(b.References, func(n eligibility.Reference) bool { return !slices.Contains(planNumbers, n.Qualifier) })
			messages = append(messages, b.Messages...)
			for k := range b.Related {
				b.Related[k] = related(&b.Related[k])
			}
		}
	}
	slices.Sort(messages)
	return eligibility.Encode(r), slices.Compact(messages), nil
}

// related returns a party of a benefit: an organization, or that there is a person.
func related(p *eligibility.Party) eligibility.Party {
	if p.Name.Kind == "2" {
		return eligibility.Party{Name: p.Name, Contacts: p.Contacts, Role: p.Role, Taxonomy: p.Taxonomy}
	}
	return eligibility.Party{Name: eligibility.Name{Entity: p.Name.Entity, Kind: "1"}, Role: p.Role, Taxonomy: p.Taxonomy}
}

// ReadERA returns nil for a file with an 835 that can be read.
func ReadERA(content []byte) error {
	d := remittance.NewDecoder(bytes.NewReader(content))
	for {
		switch _, err := d.Next(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return unusable("835", err)
		}
	}
}

// unusable returns the fault of a file that cannot be read.
func unusable(set string, err error) error {
	reason := "The " + set + " cannot be read. Send it as the payer sent it, from ISA to IEA."
	if at, ok := errors.AsType[*x12.Error](err); ok {
		reason = "Segment " + strconv.Itoa(at.Segment) + " of the " + set + " is at fault: " + at.Reason + "."
	}
	var f billing.Faults
	f.Add("x12", billing.FaultFormat, reason)
	return f.Err()
}

// stored replies as the plan of an organization's own scenario says, or as its payer did:
// to the people of the inquiry, with its dates moved to the day of the inquiry.
func (a *answer) stored(o *scenario.Own) error {
	if plan, err := o.Plan(); plan != nil || err != nil {
		if err == nil {
			a.planned(plan)
		}
		return err
	}
	as, err := eligibility.Decode(o.Content)
	if err != nil {
		return err
	}
	r := &a.reply
	if as.Source != nil {
		r.Source.Rejections, r.Source.Messages, r.Source.Contacts = as.Source.Rejections, as.Source.Messages, as.Source.Contacts
	}
	if as.Receiver != nil {
		r.Receiver.Rejections, r.Receiver.Messages = as.Receiver.Rejections, as.Receiver.Messages
	}
	if as.Patient() == nil { // the payer stopped before
		if r.Subscriber, r.Dependent = nil, nil; as.Receiver == nil {
			r.Receiver = nil
		}
		return nil
	}
	days := 0
	if o.Dates == scenario.Move {
		asked, sent := billing.DateOf(a.inquiry.CreatedAt), billing.DateOf(as.CreatedAt)
		days = int(asked.Time().Sub(sent.Time()).Hours() / 24)
	}
	if as.Dependent != nil && as.Subscriber != nil && r.Dependent != nil {
		a.fill(r.Subscriber, as.Subscriber, days)
	}
	a.fill(r.Patient(), as.Patient(), days)
	a.insured()
	return nil
}

// fill gives a member of the reply what the payer said about one.
func (a *answer) fill(m, as *eligibility.Member, days int) {
	m.Rejections, m.Messages, m.Benefits, m.Dates = as.Rejections, as.Messages, as.Benefits, moved(as.Dates, days)
	for i := range m.Benefits {
		b := &m.Benefits[i]
		b.Dates = moved(b.Dates, days)
		for k := range b.Related {
			if p := &b.Related[k]; p.Name.Kind == "1" {
				name := a.inquiry.Provider.Name
				if p.Name.Entity == "IL" || p.Name.Entity == "03" {
					name = a.inquiry.Subscriber.Name
				}
				name.Entity = p.Name.Entity
				p.Name = name
			}
		}
	}
}

// moved returns the dates, later by a number of days. What is no day, or stands for none,
// stays as it is.
func moved(all []eligibility.Date, days int) []eligibility.Date {
	out := slices.Clone(all)
	for i := range out {
		ends := strings.Split(out[i].Value, "-")
		for k, end := range ends {
			if day, err := billing.ParseX12Date(end); err == nil && day.Year >= 1900 && day.Year < 9999 {
				ends[k] = day.AddDays(days).X12()
			}
		}
		out[i].Value = strings.Join(ends, "-")
	}
	return out
}
