package edi

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/adapters/x12/statusrequest"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/network"
)

// The errors for an unusable response, in addition to those of the x12 codecs.
var (
	errNoStatus      = errors.New("edi: the 277 has no status of a claim and no reason why there is none")
	errForeignStatus = errors.New("edi: the trace numbers (TRN) of the 277 belong to another inquiry")
)

// maxPayerClaims is the number of claims that are read of a response.
const maxPayerClaims = 200

// StatusAnswer reads the 277 of an inquiry about a claim. A trace of type 2 repeats the
// inquiry's, so claims with another one are left out, unless the network's options accept
// any trace. Payers may omit traces.
func (c *Codec) StatusAnswer(q network.StatusInquiry, reply []byte) (claimstatus.Answer, error) {
	reports, warnings, err := statusrequest.DecodeResponse(reply)
	if err != nil {
		return claimstatus.Answer{}, err
	}
	c.warned("277", q.ID.String(), warnings)
	a := answered{ours: statusTrace(q.ID), any: q.Options.TraceByExchange}
	for i := range reports {
		for k := range reports[i].Sources {
			a.source(&reports[i], &reports[i].Sources[k])
		}
	}
	switch {
	case len(a.found) > 0:
		return claimstatus.Answer{Outcome: claimstatus.Found, Claims: a.found}, nil
	case len(a.search) > 0:
		return claimstatus.Answer{Outcome: searched(a.search, a.above), Search: a.search}, nil
	case a.foreign:
		return claimstatus.Answer{}, errForeignStatus
	default:
		return claimstatus.Answer{}, errNoStatus
	}
}

// answered collects what a response says.
type answered struct {
	ours    string // how our traces begin
	any     bool   // traces do not count
	found   []claimstatus.PayerClaim
	search  []claimstatus.Status // why claims were not found
	above   bool                 // the first of these is about the provider or the one who asks
	foreign bool                 // a claim had the trace of another inquiry
}

func (a *answered) source(r *acknowledgements.Report, s *acknowledgements.Source) {
	by := reporter{report: r, source: s, side: acknowledgements.SidePayer}
	a.level(&s.Level)
	for i := range s.Receivers {
		to := &s.Receivers[i]
		a.level(&to.Level)
		for k := range to.Providers {
			p := &to.Providers[k]
			a.level(&p.Level)
			for n := range p.Claims {
				a.claim(&by, &p.Claims[n])
			}
		}
	}
}

// level takes the statuses of a level above the claims, which say why there are none.
func (a *answered) level(l *acknowledgements.Level) {
	if len(l.Statuses) > 0 && len(a.search) == 0 {
		a.above = true
	}
	a.search = append(a.search, statusesOf(l.Statuses, 0, "")...)
}

func (a *answered) claim(by *reporter, c *acknowledgements.Claim) {
	if c.Trace != "" && !a.any && !strings.HasPrefix(strings.ToUpper(strings.TrimSpace(c.Trace)), a.ours) {
		a.foreign = true
		return
	}
	all := statusesOf(c.Statuses, 0, "")
	for i := range c.Lines {
		l := &c.Lines[i]
		number, _ := strconv.Atoi(l.Number)
		of := statusesOf(l.Statuses, max(number, 0), clip(l.Procedure))
		for k := range of {
			if of[k].Charge == nil && l.Charge != 0 {
				of[k].Charge = new(l.Charge)
			}
			if of[k].Paid == nil {
				of[k].Paid = l.Paid
			}
		}
		all = append(all, of...)
	}
	switch outcome := c.Outcome(acknowledgements.SidePayer); {
	case len(all) == 0:
		return
	case outcome == acknowledgements.OutcomeNotFound, outcome == acknowledgements.OutcomeFailed:
		a.search = append(a.search, all...)
		return
	}
	if len(a.found) == maxPayerClaims {
		return
	}
	about := by.about("")
	report, _ := by.claim(c, about)
	report.Batch = ""
	a.found = append(a.found, claimstatus.PayerClaim{
		ControlNumber: clip(c.ControlNumber), PayerClaimNumber: clip(c.PayerClaimNumber), Charge: report.Charge, Service: c.Service,
		Statuses: all, Report: report,
	})
}

// statusesOf converts statuses that have a code.
func statusesOf(all []acknowledgements.Status, line int, procedure string) (out []claimstatus.Status) {
	for i := range all {
		s := &all[i]
		one := claimstatus.Status{
			Line: line, Procedure: procedure, Effective: s.Effective, Paid: s.Paid, Decided: s.Decided, PaymentDate: s.PaymentDate, Payment: clip(s.Payment),
		}
		if s.Charge != 0 {
			one.Charge = new(s.Charge)
		}
		for _, c := range s.Codes {
			if c.Category != "" {
				one.Codes = append(one.Codes, claimstatus.Code{Category: clip(strings.ToUpper(c.Category)), Status: clip(c.Status), Entity: clip(strings.ToUpper(c.Entity))})
			}
		}
		if len(one.Codes) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// statusRefusals are the status codes by which a payer does not know the provider or the patient,
// or refuses the provider. Other failed searches found no claim.
//
//nolint:gochecknoglobals // a constant table
var statusRefusals = []string{
	"24", "25", "29", "30", "31", "32", "33", "34", "88", "91", "97", "109", "116", "132", "135", "153", "158", "164", "496", "562",
}

// searched returns why a payer returns no claim. A status above the claims is about who asks.
func searched(all []claimstatus.Status, above bool) claimstatus.Outcome {
	for i := range all {
		for _, c := range all[i].Codes {
			switch {
			case c.Category == "E1", c.Category == "E2":
				return claimstatus.Unavailable
			case strings.HasPrefix(c.Category, "E"):
				return claimstatus.Refused
			case c.Category == "D0" && (above || slices.Contains(statusRefusals, c.Status)):
				return claimstatus.Refused
			}
		}
	}
	return claimstatus.NotFound
}
