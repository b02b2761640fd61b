package sandboxnet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// errNoClaim is the error of a simulation whose file has another claim.
var errNoClaim = errors.New("sandboxnet: the file does not have the claim")

// Simulate writes the message of a step that comes now, and takes the claim out of the
// messages that wait. It stores nothing. What the claim's ending would do does not count.
// The decision on a replacement reverses what stands in the same remittance, as that of an
// ending does.
//
// Errors: scenario.ErrUnderWay if a message about the claim has come, and that of a step
// that cannot follow.
func Simulate(s *scenario.Simulation) (*scenario.Simulated, error) {
	f, err := readSent(s.Batch.Content)
	if err != nil {
		return nil, fmt.Errorf("read the file of a claim: %w", err)
	}
	b, r, err := f.claim(s.Numbers)
	if err != nil {
		return nil, err
	}
	stated, err := decidedClaims(s.Decided)
	if err != nil {
		return nil, fmt.Errorf("read the decision on a claim: %w", err)
	}
	if r.stated = standing("", stated); r.Frequency == claims.FrequencyReplacement {
		r.takeBack = reversals(r.stated)
	}
	made := scenario.Simulated{Step: s.Step}
	for _, m := range s.Waiting {
		rest, dropped, err := r.leave(m)
		if err != nil {
			return nil, fmt.Errorf("read a message that waits: %w", err)
		}
		if m.Given || !m.Due.After(s.Now) {
			if aboutFile := !strings.HasSuffix(m.Name, ".835") && !strings.HasSuffix(m.Name, ".277"); aboutFile || len(dropped) > 0 {
				return nil, scenario.ErrUnderWay
			}
		} else if len(dropped) > 0 {
			m.Content = rest
			made.Changed, made.Dropped = append(made.Changed, m), append(made.Dropped, dropped...)
		}
	}
	if !s.Follows {
		return nil, s.Step.CannotFollow()
	}
	o := outbox{base: strings.TrimSuffix(s.Batch.Name, ".837"), sent: s.Batch.At.UTC(), number: s.Number, counts: map[string]int{}}
	o.do(b, r, &s.Step, s.Now.Sub(s.Batch.At))
	made.Message = scenario.Message{Name: o.files[0].Name, Content: o.files[0].Content, Due: s.Now}
	if !r.Predetermination {
		made.Note = &scenario.Note{Key: noteKey(&s.Batch, r.subject()), By: made.Message.Name, Content: r.standing()}
	}
	return &made, nil
}

// claim returns the claim with one of the control numbers. It follows no ending, and has
// passed the edits.
func (f *sentFile) claim(numbers []string) (*batch, *received, error) {
	for _, accepted := range f.accepted() {
		b, err := newBatch(accepted, nil)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range b.claims {
			if slices.ContainsFunc(numbers, func(n string) bool { return strings.EqualFold(n, r.PatientControlNumber) }) {
				r.scenario, r.faults = claimScenario{}, nil
				return b, r, nil
			}
		}
	}
	return nil, nil, errNoClaim
}

// decidedClaims reads claims of 835s.
func decidedClaims(all []scenario.DecidedClaim) (stated []remittance.Claim, err error) {
	for _, one := range all {
		d := remittance.NewDecoder(bytes.NewReader(one.File))
		if _, err := d.Next(); err != nil {
			return nil, err
		}
		var c *remittance.Claim
		for range one.Ordinal {
			if c, err = d.NextClaim(); err != nil {
				return nil, err
			}
		}
		stated = append(stated, *c.Clone())
	}
	return stated, nil
}

// leave takes the claim out of a message that waits. It returns the rest, which is nil if
// the message says nothing else, and the steps that it had about the claim.
func (r *received) leave(m scenario.Message) (rest []byte, dropped []scenario.Dropped, err error) {
	drop := func(do scenario.Action, by clearing.Side) {
		dropped = append(dropped, scenario.Dropped{Do: do, By: by, Due: m.Due})
	}
	switch {
	case strings.HasSuffix(m.Name, ".835"):
		rest, err = r.leaveRemittance(m.Content, drop)
	case strings.HasSuffix(m.Name, ".277"):
		rest, err = r.leaveReport(m.Content, drop)
	}
	return rest, dropped, err
}

func (r *received) leaveRemittance(content []byte, drop func(scenario.Action, clearing.Side)) ([]byte, error) {
	d := remittance.NewDecoder(bytes.NewReader(content))
	p, err := d.Next()
	if err != nil {
		return nil, err
	}
	var rest []remittance.Claim
	for {
		c, err := d.NextClaim()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if c.ControlNumber == r.PatientControlNumber || slices.Contains([]string{r.payerNumber, secondaryNumber(r.payerNumber)}, c.PayerControlNumber) {
			drop(actionOf(c), clearing.SidePayer)
		} else {
			rest = append(rest, *c.Clone())
		}
	}
	to := remittance.Remittance{Payment: *p, Claims: rest}
	to.Adjustments = slices.DeleteFunc(to.Adjustments, func(a remittance.ProviderAdjustment) bool {
		if a.Reference != r.PatientControlNumber {
			return false
		}
		drop(scenario.TakeBack, clearing.SidePayer)
		return true
	})
	to.SumUp()
	if len(to.Claims)+len(to.Adjustments) == 0 {
		return nil, nil
	}
	_, _ = d.Next() // the counts of the trailers
	return written(&to, d.Miscounted(p)), nil
}

// actionOf returns what a payer does by a claim of a remittance.
func actionOf(c *remittance.Claim) scenario.Action {
	switch c.Status {
	case remittance.StatusReversal:
		return scenario.Reverse
	case remittance.StatusPredetermination:
		return scenario.Estimate
	case remittance.StatusDenied:
		return scenario.Deny
	case statusForwarded:
		return scenario.ForwardClaim
	}
	return scenario.Pay
}

func (r *received) leaveReport(content []byte, drop func(scenario.Action, clearing.Side)) ([]byte, error) {
	reports, _, err := acknowledgements.DecodeReports(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	from := &reports[0].Sources[0]
	to, side := &from.Receivers[0], clearing.Side(from.Side())
	for i := range to.Providers {
		p := &to.Providers[i]
		p.Claims = slices.DeleteFunc(p.Claims, func(c acknowledgements.Claim) bool {
			if c.ControlNumber != r.PatientControlNumber {
				return false
			}
			switch {
			case reports[0].Kind == acknowledgements.KindRequest:
				drop(scenario.RequestInformation, side)
			case c.Statuses[0].Action == actionReject:
				drop(scenario.Reject, side)
			default:
				drop(scenario.Accept, side)
			}
			return true
		})
	}
	to.Providers = slices.DeleteFunc(to.Providers, func(p acknowledgements.Provider) bool { return len(p.Claims) == 0 })
	if len(to.Providers) == 0 {
		return nil, nil
	}
	if reports[0].Kind == acknowledgements.KindAcknowledgement {
		total(to, from.Name, from.Processed)
	}
	return acknowledgements.EncodeReport(&reports[0]), nil
}

// subject is the key of what a payer remembers of the claim.
func (r *received) subject() digest { return digestOf("decided", r.Payer.PayerID, r.payerNumber) }

// noteKey returns the key of a note about a subject, for the scope of a file.
func noteKey(f *clearing.OutgoingFile, subject [32]byte) [32]byte {
	return digestOf(f.Scope.Org.UUID(), string(f.Scope.Mode), string(subject[:]))
}
