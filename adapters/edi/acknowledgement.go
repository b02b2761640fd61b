package edi

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// functionalOfClaims is GS01 of a group of claims.
const functionalOfClaims = "HC"

// maxWhy is the maximum number of faults that are stored for a file.
const maxWhy = 100

// Acknowledgement reads a file of acknowledgements. It refuses a file that also
// has remittances, because they would be lost.
func (c *Codec) Acknowledgement(name string, content []byte) (a *clearing.Acknowledgement, err error) {
	defer refuse(&err)
	functional, reports := false, false
	var kind clearing.AcknowledgementKind
	numbers, err := walk(content, func(s *x12.Segment, set string) error {
		switch {
		case s.ID == "TA1":
			functional, kind = true, cmp.Or(kind, clearing.AcknowledgementTA1)
		case s.ID != "ST":
		case set == setRemittance:
			return s.Fault("a file of acknowledgements must not contain a remittance (835)")
		case set == setStatus:
			reports = true
			kind = firstSet(kind, clearing.Acknowledgement277)
		case isFunctional(set):
			functional = true
			kind = firstSet(kind, clearing.AcknowledgementKind(set))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	a = &clearing.Acknowledgement{Kind: kind, File: clearing.FileRef{Name: name, ControlNumbers: numbers}}
	if functional || !reports {
		f, warnings, err := acknowledgements.DecodeFunctional(bytes.NewReader(content))
		if err != nil {
			return nil, err
		}
		c.warned("acknowledgement", name, warnings)
		a.Verdicts = verdicts(f)
	}
	if reports {
		all, warnings, err := acknowledgements.DecodeReports(bytes.NewReader(content))
		if err != nil {
			return nil, err
		}
		c.warned("277", name, warnings)
		if kind == clearing.Acknowledgement277 && len(all) > 0 && all[0].Kind == acknowledgements.KindAcknowledgement {
			a.Kind = clearing.Acknowledgement277CA
		}
		for i := range all {
			a.Reports = append(a.Reports, claimReports(&all[i])...)
		}
	}
	return a, nil
}

// firstSet returns the kind of the first transaction set. A TA1 counts only in a file
// without any.
func firstSet(have, next clearing.AcknowledgementKind) clearing.AcknowledgementKind {
	if have == "" || have == clearing.AcknowledgementTA1 {
		return next
	}
	return have
}

// verdicts returns the verdicts on files of claims. Rejections come first, because
// only the first verdict on a batch counts. Accepted interchanges come last, without a
// result.
func verdicts(f *acknowledgements.Functional) (all []clearing.FileVerdict) {
	add := func(about clearing.ControlNumbers, v acknowledgements.Verdict, why []string) {
		if r := resultOf(v); r != "" {
			all = append(all, clearing.FileVerdict{About: about, Result: r, Why: why[:min(len(why), maxWhy)]})
		}
	}
	for i := range f.Interchanges {
		t := &f.Interchanges[i]
		about := clearing.ControlNumbers{Interchange: padded(t.Control)}
		switch t.Verdict() {
		case acknowledgements.VerdictRejected:
			add(about, t.Verdict(), []string{t.Words()})
		case acknowledgements.VerdictAccepted:
			all = append(all, clearing.FileVerdict{About: about})
		case acknowledgements.VerdictPartial:
		}
	}
	for i := range f.Groups {
		g := &f.Groups[i]
		if id := strings.ToUpper(g.FunctionalID); id != functionalOfClaims && id != "" {
			continue
		}
		about := clearing.ControlNumbers{Group: padded(g.Control)}
		if len(g.Sets) == 0 { // our files have one set, which has its group's number
			v, why := g.Set(g.Control)
			add(about, v, why)
		}
		for k := range g.Sets {
			v, why := g.Set(g.Sets[k].Control)
			about.Transaction = padded(g.Sets[k].Control)
			add(about, v, why)
		}
	}
	slices.SortStableFunc(all, func(a, b clearing.FileVerdict) int { return strings.Compare(string(b.Result), string(a.Result)) })
	return all
}

func resultOf(v acknowledgements.Verdict) clearing.BatchResult {
	switch v {
	case acknowledgements.VerdictAccepted:
		return clearing.BatchAccepted
	case acknowledgements.VerdictRejected:
		return clearing.BatchRejected
	case acknowledgements.VerdictPartial:
	}
	return ""
}
