package batches

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/ports"
)

// receiveAtOnce is the number of files that are fetched in one turn.
const receiveAtOnce = 100

// Received is the result of asking a network for files, or of applying some.
type Received struct {
	Files       int
	Rejected    []Rejection
	Problems    []*clearing.ReceivedFile
	Quarantined []*quarantine.File // that entered the quarantine
	Poll        time.Duration      // how often to ask the network
}

// Rejection is a rejected batch with the reasons, for the operator. The claims of
// the batch go out again: in test mode until the cause is fixed, in live mode once.
type Rejection struct {
	Batch billing.FileID
	Why   []string // no patient data
}

// Clearinghouses lists the names of the networks to ask for files.
func (s *Service) Clearinghouses() (names []string) {
	for _, n := range s.networks.Clearinghouses() {
		names = append(names, n.Name)
	}
	return names
}

// Looked returns a channel that is closed at the next look of the store. Networks may come then.
func (s *Service) Looked() <-chan struct{} { return s.store.Seen().Next }

// Receive asks the network with the name for files. Those of a connection are stored, and
// a job applies each. Those of the sandbox are applied at once, and removed there after;
// one that could not be applied stays, and the error states the reason. It leaves out what
// was observed unless there is nothing else. What take cannot use goes to the quarantine,
// each content once. A file of an organization's own network concerns that organization
// alone.
func (s *Service) Receive(ctx context.Context, name string) (all Received, err error) {
	n, err := s.network(name)
	if err != nil {
		return all, err
	}
	all.Poll = n.Poll
	var errs, observed []error
	failed := func(err error) {
		switch {
		case err == nil:
		case network.Observed(err):
			observed = append(observed, err)
		default:
			errs = append(errs, err)
		}
	}
	if n.Inbox != nil {
		failed(s.fetch(ctx, n, &all, failed))
	} else {
		s.empty(ctx, n, &all, failed)
	}
	if len(errs) == 0 {
		errs = observed
	}
	return all, errors.Join(errs...)
}

// empty applies the replies that a network has, and removes them there.
func (s *Service) empty(ctx context.Context, n *ports.Network, all *Received, failed func(error)) {
	got, err := n.Replies.Receive(ctx, receiveAtOnce)
	if err != nil {
		failed(fmt.Errorf("ask %s for files: %w", n.Name, err))
	}
	for _, f := range got {
		if !n.Route.Org.IsZero() {
			f.Scope = billing.Scope{Org: n.Route.Org, Mode: n.Route.Mode}
		}
		err := s.take(ctx, n, f, all)
		if err == nil {
			err = n.Replies.Remove(ctx, f.Name)
		}
		switch {
		case billing.IsResetting(err): // the reset removes the file
			continue
		case err != nil:
			failed(fmt.Errorf("import %s: %w", f.Name, err))
			continue
		}
		all.Files++
	}
}

// take imports a file, each part of it by its kind. A part that cannot be read, is of no
// use, or names no batch or office here, goes to the quarantine with its reason, and does
// not hold up the others.
func (s *Service) take(ctx context.Context, n *ports.Network, f clearing.IncomingFile, all *Received) error {
	parts := 0
	for p := range s.edi.Parts(f.Content) {
		parts++
		if err := s.takePart(ctx, n, f, p, all); err != nil {
			return err
		}
	}
	if parts > 0 {
		return nil
	}
	cause, reason := quarantine.Unread(f)
	return s.quarantine(ctx, n.Route.Mode, f, cause, reason, all)
}

func (s *Service) takePart(ctx context.Context, n *ports.Network, f clearing.IncomingFile, p clearing.FilePart, all *Received) error {
	f.Content = p.Content
	switch p.Kind {
	case clearing.FileAcknowledgement:
		return s.acknowledgement(ctx, n, f, all)
	case clearing.FileRemittance:
		aside, err := s.remit(ctx, &n.Route, f)
		all.Quarantined = append(all.Quarantined, aside...)
		return err
	case clearing.FileOther:
	}
	cause, reason := quarantine.UnreadPart(p)
	return s.quarantine(ctx, n.Route.Mode, f, cause, reason, all)
}

// acknowledgement applies a file of acknowledgements. One that cannot be read is taken
// apart by transaction set.
func (s *Service) acknowledgement(ctx context.Context, n *ports.Network, f clearing.IncomingFile, all *Received) error {
	a, err := s.edi.Acknowledgement(f.Name, f.Content)
	if err != nil {
		parts := slices.Collect(s.edi.Apart(f.Content))
		if len(parts) < 2 {
			cause, reason := quarantine.UnreadPart(clearing.FilePart{Err: err})
			return s.quarantine(ctx, n.Route.Mode, f, cause, reason, all)
		}
		for _, p := range parts {
			if err := s.takePart(ctx, n, f, p, all); err != nil {
				return err
			}
		}
		return nil
	}
	obey(n, a)
	parts, unrouted, err := s.route(ctx, n, f.Scope, a)
	if err != nil {
		return err
	}
	if err := s.excerpts(ctx, n, f, parts, unrouted); err != nil {
		return err
	}
	for _, p := range parts {
		of, err := s.apply(ctx, &n.Options, f, p)
		if err != nil {
			return err
		}
		all.Rejected = append(all.Rejected, of...)
	}
	if unrouted == 0 {
		return nil
	}
	reason := "%d of the parts of the file name no batch and no verified office, or verified offices of several organizations."
	if f.Scope != (billing.Scope{}) {
		reason = "%d of the parts of the file name no batch of the organization."
	}
	return s.quarantine(ctx, n.Route.Mode, f, quarantine.Unplaced, fmt.Sprintf(reason, unrouted), all)
}

// obey reads an acknowledgement as the network means it. An accepted interchange (TA1)
// is the verdict on a file if the network sends no other. Payers have their own IDs.
func obey(n *ports.Network, a *clearing.Acknowledgement) {
	last := !n.Options.Expects(clearing.Acknowledgement997) && !n.Options.Expects(clearing.Acknowledgement999)
	for i := range a.Verdicts {
		if v := &a.Verdicts[i]; v.Result == "" && last {
			v.Result = clearing.BatchAccepted
		}
	}
	for i := range a.Reports {
		a.Reports[i].PayerID = n.Route.Payer(a.Reports[i].PayerID)
	}
}

// quarantine stores a file in the quarantine of its organization, or in the operator's.
func (s *Service) quarantine(
	ctx context.Context, mode billing.Mode, f clearing.IncomingFile, cause quarantine.Cause, reason string, all *Received,
) error {
	var q *quarantine.File
	var id billing.FileID
	var err error
	if f.Scope == (billing.Scope{}) {
		err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
			stamp := tx.Real.Now()
			q = quarantine.New(f, mode, cause, reason, stamp, stamp.Time)
			id, err = tx.Quarantine.Insert(ctx, q)
			return err
		})
	} else {
		err = s.store.InTx(ctx, f.Scope, func(ctx context.Context, tx ports.Tx) (err error) {
			q = quarantine.New(f, mode, cause, reason, tx.Real.Now(), tx.Clock.Now())
			id, err = tx.Quarantine.Insert(ctx, q)
			return err
		})
	}
	if err == nil && id == q.ID {
		all.Quarantined = append(all.Quarantined, q)
	}
	return err
}

// part is the part of an acknowledgement that concerns one organization.
type part struct {
	scope    billing.Scope
	kind     clearing.AcknowledgementKind
	file     clearing.FileRef
	verdicts []verdict
	reports  []report

	excerpt  []byte           // what the organization may read of the file; nil for all of it
	readable []billing.FileID // the batches that it is about
}

// verdict is the result for a batch.
type verdict struct {
	*clearing.FileVerdict

	batch billing.FileID
}

// report is a report on claims: those of the batch, if it has one.
type report struct {
	*clearing.ClaimReport

	batch billing.FileID
}

// route assigns the parts of an acknowledgement to organizations: to the scope
// unless that is zero, else by the batch that they answer, else by the provider
// that they name. Unrouted counts the parts without an organization.
func (s *Service) route(
	ctx context.Context, n *ports.Network, only billing.Scope, a *clearing.Acknowledgement,
) (parts []*part, unrouted int, err error) {
	r := router{network: n, only: only, batches: map[clearing.ControlNumbers]*clearing.Batch{}, payees: map[[2]string][]billing.Scope{}}
	verdicts, reports := make([]*clearing.Batch, len(a.Verdicts)), make([]origin, len(a.Reports))
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		for i := range a.Verdicts {
			if verdicts[i], err = r.batch(ctx, tx.Routes, a.Verdicts[i].About); err != nil {
				return err
			}
		}
		for i := range a.Reports {
			if reports[i], err = r.report(ctx, tx.Routes, &a.Reports[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = s.senders(ctx, a.Reports, reports)
	}
	if err != nil {
		return nil, 0, err
	}
	of := func(scope billing.Scope) *part {
		for _, p := range parts {
			if p.scope == scope {
				return p
			}
		}
		parts = append(parts, &part{scope: scope, kind: a.Kind, file: a.File})
		return parts[len(parts)-1]
	}
	for i, b := range verdicts {
		if b == nil {
			if a.Verdicts[i].Result != "" { // an accepted interchange changes nothing
				unrouted++
			}
			continue
		}
		p := of(b.Scope)
		p.verdicts = append(p.verdicts, verdict{&a.Verdicts[i], b.ID})
	}
	for i, o := range reports {
		if len(o.scopes) != 1 {
			unrouted++
			continue
		}
		p := of(o.scopes[0])
		p.reports = append(p.reports, report{&a.Reports[i], o.batch})
	}
	return parts, unrouted, nil
}

// excerpts decides what each organization may read of the file, and on which of its
// batches. A file of one organization's network, and a file with one transaction set
// about one organization, is readable as a whole. Of any other file, an organization
// reads the sets that are about it alone.
func (s *Service) excerpts(ctx context.Context, n *ports.Network, f clearing.IncomingFile, parts []*part, unrouted int) error {
	if f.Scope != (billing.Scope{}) {
		for _, p := range parts {
			p.readable = p.batches()
		}
		return nil
	}
	var sets [][]byte
	for set := range s.edi.Apart(f.Content) {
		if !slices.Equal(set.Sets, []string{string(clearing.AcknowledgementTA1)}) {
			sets = append(sets, set.Content)
		}
	}
	if len(sets) <= 1 && len(parts) == 1 && unrouted == 0 {
		parts[0].readable = parts[0].batches()
		return nil
	}
	for _, set := range sets {
		a, err := s.edi.Acknowledgement(f.Name, set)
		if err != nil {
			continue // of another kind
		}
		about, unrouted, err := s.route(ctx, n, f.Scope, a)
		if err != nil {
			return err
		}
		if len(about) != 1 || unrouted > 0 {
			continue
		}
		at := slices.IndexFunc(parts, func(p *part) bool { return p.scope == about[0].scope })
		if at < 0 {
			continue // the sender of a claim became certain in between
		}
		p := parts[at]
		p.excerpt, p.readable = append(p.excerpt, set...), append(p.readable, about[0].batches()...)
	}
	return nil
}

// origin lists the scopes that may have sent the claims of a report, and their
// batch. It has one scope when the sender is certain.
type origin struct {
	scopes []billing.Scope
	batch  billing.FileID // zero when the report names none
}

// router looks up each batch and each provider of a file once.
type router struct {
	network *ports.Network
	only    billing.Scope // when not zero, the file concerns this scope alone
	batches map[clearing.ControlNumbers]*clearing.Batch
	payees  map[[2]string][]billing.Scope
}

// batch returns the batch of the network with the numbers; nil for none.
func (r *router) batch(ctx context.Context, tx ports.Routes, n clearing.ControlNumbers) (*clearing.Batch, error) {
	if b, known := r.batches[n]; known {
		return b, nil
	}
	b, err := tx.Batch(ctx, r.network.Route.Mode, r.network.Name, n)
	if err != nil && !billing.IsNotFound(err) {
		return nil, err
	}
	if b != nil && r.only != (billing.Scope{}) && b.Scope != r.only {
		b = nil
	}
	r.batches[n] = b
	return b, nil
}

// report returns the scopes whose claims a report may be about, and its batch
// if it names one.
func (r *router) report(ctx context.Context, tx ports.Routes, c *clearing.ClaimReport) (o origin, err error) {
	if c.Batch != "" {
		b, err := r.batch(ctx, tx, clearing.ControlNumbers{Interchange: c.Batch, Group: c.Batch, Transaction: c.Batch})
		if err != nil {
			return o, err
		}
		if b != nil {
			return origin{[]billing.Scope{b.Scope}, b.ID}, nil
		}
	}
	if r.only != (billing.Scope{}) {
		return origin{scopes: []billing.Scope{r.only}}, nil
	}
	key := [2]string{c.ProviderNPI, c.ProviderTaxID}
	if scopes, known := r.payees[key]; known {
		return origin{scopes: scopes}, nil
	}
	offices, err := tx.Payees(ctx, r.network.Route.Mode, c.ProviderNPI, c.ProviderTaxID)
	if err != nil {
		return o, err
	}
	r.payees[key] = directory.ScopesOf(offices)
	return origin{scopes: r.payees[key]}, nil
}

// matchAtOnce is the number of claims per look-up.
const matchAtOnce = 300

// senders narrows the origin of each report that may be about claims of several
// scopes. It keeps the scopes that have the claim: by control number, and by
// charge or patient name.
func (s *Service) senders(ctx context.Context, reports []clearing.ClaimReport, origins []origin) error {
	asked, have := map[billing.Scope][]int{}, map[int][]billing.Scope{}
	for i := range origins {
		if len(origins[i].scopes) > 1 {
			have[i] = nil
			for _, scope := range origins[i].scopes {
				asked[scope] = append(asked[scope], i)
			}
		}
	}
	for scope, all := range asked {
		for some := range slices.Chunk(all, matchAtOnce) {
			var numbers []string
			for _, i := range some {
				if n := reports[i].ControlNumber; n != "" {
					numbers = append(numbers, n)
				}
			}
			var claims []*claim.Claim
			err := s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) (err error) {
				claims, err = tx.Clearing.Match(ctx, numbers, nil)
				return err
			})
			if err != nil {
				return err
			}
			for _, i := range some {
				if slices.ContainsFunc(claims, func(c *claim.Claim) bool { return c.Fits(reports[i].Mark()) }) {
					have[i] = append(have[i], scope)
				}
			}
		}
	}
	for i, scopes := range have {
		origins[i].scopes = scopes
	}
	return nil
}
