package remittances_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// fixture has the use cases on a real database, with one organization.
type fixture struct {
	t       testing.TB
	store   pgtest.Clocked
	payers  *directory.PayerDirectory
	clock   *porttest.Clock
	service *remittances.Service
	scope   billing.Scope
	npi     string // of its office
	traces  int
}

const (
	ourNPI   = "1234567893"
	ourTaxID = "987654321"
)

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	b := &fixture{t: tb, payers: porttest.Payers(tb), clock: &porttest.Clock{}, npi: ourNPI}
	b.store = pgtest.Clocked{Store: pgtest.Open(tb), Clock: b.clock}
	b.service = b.process(nil)
	b.scope = b.organization(billing.ModeTest, ourNPI, ourTaxID)
	tb.Cleanup(func() { porttest.Totals(tb, b.store, b.scope) })
	return b
}

// process returns the use cases of another process. The fault, when not nil,
// decides how its commits end.
func (b *fixture) process(f *porttest.Fault) *remittances.Service {
	return remittances.New(porttest.Store{Store: b.store, Fault: f}, edi.New(), b.payers)
}

// organization creates an organization with an office.
func (b *fixture) organization(mode billing.Mode, npi, taxID string) billing.Scope {
	b.t.Helper()
	scope := porttest.Organization(b.t, b.store, mode)
	b.office(scope, npi, taxID)
	return scope
}

// office creates a verified office.
func (b *fixture) office(scope billing.Scope, npi, taxID string) billing.OfficeID {
	b.t.Helper()
	return b.officeAsOf(scope, npi, taxID, b.clock.Now())
}

// claimedOffice creates an office that the operator has not verified.
func (b *fixture) claimedOffice(scope billing.Scope, npi, taxID string) {
	b.t.Helper()
	b.officeAsOf(scope, npi, taxID, time.Time{})
}

func (b *fixture) officeAsOf(scope billing.Scope, npi, taxID string, verified time.Time) billing.OfficeID {
	b.t.Helper()
	return porttest.Office(b.t, b.store, scope, func(o *directory.Office) { o.NPI, o.TaxID, o.VerifiedAt = npi, taxID, verified }).ID
}

func (b *fixture) in(fn func(ctx context.Context, tx ports.Tx) error) {
	b.t.Helper()
	b.inScope(b.scope, fn)
}

func (b *fixture) inScope(scope billing.Scope, fn func(ctx context.Context, tx ports.Tx) error) {
	b.t.Helper()
	porttest.In(b.t, b.store, scope, fn)
}

// fee is the fee of the claims of these tests.
const fee = billing.Money(20000)

// claim creates a claim to CHTEST that the payer has accepted.
func (b *fixture) claim(number string, changes ...func(*claim.Claim)) billing.ClaimID {
	b.t.Helper()
	c := b.newClaim(number, changes...)
	b.inScope(c.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, c) })
	return c.ID
}

func (b *fixture) newClaim(number string, changes ...func(*claim.Claim)) *claim.Claim {
	payer, _ := b.payers.Find("CHTEST")
	now := b.clock.Now()
	c := &claim.Claim{
		ID: billing.NewID[billing.ClaimID](billing.RealAt(now)), Scope: b.scope, Kind: claim.KindClaim,
		Frequency: claim.FrequencyOriginal, PatientControlNumber: number, CreatedAt: now,
		Content: claim.Content{
			OfficeID: billing.NewID[billing.OfficeID](billing.RealAt(now)), Payer: payer.PayerSummary, PlaceOfService: "11",
			Subscriber: claim.Subscriber{FirstName: "Ada", LastName: "Byron", DateOfBirth: billing.Date{Year: 1985, Month: 12, Day: 10}, MemberID: "M1"},
			Lines:      []claim.Line{{ProcedureCode: "D2740", ServiceDate: billing.Date{Year: 2026, Month: 1, Day: 5}, Fee: fee, Quantity: 1}},
		},
		Progress: claim.Progress{State: claim.AcceptedPayer, UpdatedAt: now, SentAt: now},
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

func inState(s claim.State) func(*claim.Claim) {
	return func(c *claim.Claim) { c.State = s }
}

func predetermination(c *claim.Claim) { c.Kind = claim.KindPredetermination }

func payerNumber(n string) func(*claim.Claim) {
	return func(c *claim.Claim) { c.PayerClaimNumber = n }
}

func (b *fixture) get(id billing.ClaimID) *claim.Claim {
	b.t.Helper()
	return porttest.Claim(b.t, b.store, b.scope, id).Claim
}

// change changes a claim as another use case does.
func (b *fixture) change(id billing.ClaimID, change func(*claim.Claim)) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		change(c.Claim)
		return tx.Claims.Save(ctx, c.Claim)
	})
}

// paid returns a claim of an 835: of the fee, 50.00 are contractual, the
// patient owes the share, and the rest is paid.
func paid(number, payers string, share billing.Money) remittance.Claim {
	return remittance.Claim{
		ControlNumber: number, Status: "1", PayerControlNumber: payers,
		Names: []remittance.Name{{Entity: "QC", Kind: "1", Last: "BYRON", First: "ADA", IDQualifier: "MI", ID: "M1"}},
		Services: []remittance.Service{{
			Procedure: remittance.Procedure{Qualifier: "AD", Code: "D2740"}, Charge: fee, Units: "1",
			Adjustments: []remittance.Adjustment{{Group: "CO", Reason: "45", Amount: 5000}, {Group: "PR", Reason: "2", Amount: share}},
			References:  []remittance.Reference{{Qualifier: "6R", Value: "1"}},
			Amounts:     []remittance.Amount{{Qualifier: "B6", Amount: fee - 5000}},
		}},
	}
}

// denied returns a claim of an 835 without a payment.
func denied(number, payers string) remittance.Claim {
	c := paid(number, payers, 0)
	c.Status = "4"
	c.Services[0].Adjustments = []remittance.Adjustment{{Group: "CO", Reason: "96", Amount: fee}}
	return c
}

// estimated responds to a predetermination: 100.00 would be paid.
func estimated(number string) remittance.Claim {
	c := paid(number, "P-"+number, 0)
	c.Status = "25"
	c.Services[0].Adjustments = []remittance.Adjustment{{Group: "OA", Reason: "101", Amount: 10000}, {Group: "PR", Reason: "2", Amount: 10000}}
	return c
}

func reversed(c remittance.Claim) remittance.Claim { return *c.Reversed() }

// saying is a claim of an 835.
type saying = remittance.Claim

func withNumber(c remittance.Claim, number string) remittance.Claim {
	c.ControlNumber = number
	return c
}

func ref(qualifier, value string) remittance.Reference {
	return remittance.Reference{Qualifier: qualifier, Value: value}
}

// payment returns a payment by CHTEST to the office, under its own trace
// number.
func (b *fixture) payment(claims ...remittance.Claim) remittance.Remittance {
	b.traces++
	r := remittance.Remittance{
		Payment: remittance.Payment{
			Handling: "I", CreditDebit: "C", Method: "ACH", Date: billing.Date{Year: 2026, Month: 2, Day: 3},
			Trace: remittance.Trace{Number: fmt.Sprintf("T%06d", b.traces), Originator: "1999999999"},
			Payer: remittance.Party{Name: "MOLAR TEST PAYER", IDQualifier: "XV", ID: "CHTEST"},
			Payee: remittance.Party{Name: "MAIN", IDQualifier: "XX", ID: b.npi},
		},
		Claims: slices.Clone(claims),
	}
	for i := range r.Claims { // the caller may use the same one again
		r.Claims[i] = *r.Claims[i].Clone()
	}
	r.Settle()
	return r
}

// file returns an 835 of the payments.
func (b *fixture) file(payments ...remittance.Remittance) clearing.IncomingFile {
	b.t.Helper()
	b.traces++
	at := time.Date(2026, 2, 3, 4, 5, 0, 0, time.UTC)
	var out bytes.Buffer
	err := remittance.Encode(&out,
		x12.Interchange{SenderQualifier: "ZZ", Sender: "CLEARING", ReceiverQualifier: "ZZ", Receiver: "MOLAR", Created: at, Version: "00501", Control: b.traces, Test: true},
		x12.Group{Sender: "CLEARING", Receiver: "MOLAR", Created: at, Control: b.traces}, payments)
	if err != nil {
		b.t.Fatal(err)
	}
	return clearing.IncomingFile{Name: "F" + strconv.Itoa(b.traces) + ".835", Content: out.Bytes()}
}

// receive imports a file with one payment of the claims, and returns its job.
func (b *fixture) receive(claims ...remittance.Claim) jobs.Job {
	b.t.Helper()
	return b.receiveFile(b.file(b.payment(claims...)))
}

func (b *fixture) receiveFile(f clearing.IncomingFile) jobs.Job {
	b.t.Helper()
	return b.receiveBy(&network.Route{Mode: b.scope.Mode}, f)
}

// receiveBy receives a file that came by the route.
func (b *fixture) receiveBy(by *network.Route, f clearing.IncomingFile) jobs.Job {
	b.t.Helper()
	have := map[billing.JobID]bool{}
	for _, j := range b.due() {
		have[j.ID] = true
	}
	if _, err := b.service.Receive(b.t.Context(), by, f); err != nil {
		b.t.Fatal(err)
	}
	for _, j := range b.due() {
		if !have[j.ID] {
			return j
		}
	}
	b.t.Fatal("the file has made no job")
	return jobs.Job{}
}

// remit imports a payment of the claims and applies it.
func (b *fixture) remit(claims ...remittance.Claim) *remit.Record {
	b.t.Helper()
	return b.apply(b.receive(claims...))
}

func (b *fixture) apply(j jobs.Job) *remit.Record {
	b.t.Helper()
	if err := b.service.Apply(b.t.Context(), j); err != nil {
		b.t.Fatalf("apply: %v", err)
	}
	return b.era(j)
}

// work applies a job as one of several workers at once.
func (b *fixture) work(s *remittances.Service, j jobs.Job) {
	b.t.Helper()
	if err := again(func() error { return s.Apply(b.t.Context(), j) }); err != nil {
		b.t.Errorf("apply: %v", err)
	}
}

// takes receives a file as one of several processes at once.
func (b *fixture) takes(s *remittances.Service, f clearing.IncomingFile) {
	b.t.Helper()
	err := again(func() error {
		_, err := s.Receive(b.t.Context(), &network.Route{Mode: b.scope.Mode}, f)
		return err
	})
	if err != nil {
		b.t.Errorf("receive: %v", err)
	}
}

// again does what the queue and the polls of networks do for a process that waits too
// long for a row of another: they give it the same work once more.
func again(work func() error) error {
	err := work()
	for err != nil && strings.Contains(err.Error(), "lock_not_available") {
		err = work()
	}
	return err
}

func (b *fixture) era(j jobs.Job) *remit.Record {
	b.t.Helper()
	r, err := b.service.Get(b.t.Context(), j.Scope, billing.ERAID(j.Subject))
	if err != nil {
		b.t.Fatalf("get: %v", err)
	}
	return b.waits(r)
}

// waits checks that a remittance whose work has ended stores what its unfinished claims pay.
func (b *fixture) waits(r *remit.Record) *remit.Record {
	b.t.Helper()
	switch got, want := r.Waiting, r.Unapplied.Unfinished.Paid; {
	case r.Stage != remit.Done || !r.Stands():
	case (got != nil) != (r.Unfinished() > 0) || got != nil && *got != want:
		b.t.Errorf("%d claims of %s wait for a person with %v, which the remittance keeps as %v", r.Unfinished(), r.ID, want, got)
	}
	return r
}

// due leases the due jobs of the outbox.
func (b *fixture) due() []jobs.Job { return porttest.Due(b.t, b.store, 0) }

// isDue reports whether the job's time has come.
func (b *fixture) isDue(j jobs.Job) bool {
	b.t.Helper()
	return slices.ContainsFunc(b.due(), func(due jobs.Job) bool { return due.ID == j.ID })
}

func (b *fixture) quarantined() []*quarantine.File {
	b.t.Helper()
	files, err := b.service.Quarantined(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return files
}

// eras returns every remittance of the scope.
func (b *fixture) eras(scope billing.Scope) []*remit.ERA {
	b.t.Helper()
	all, next, err := b.service.List(b.t.Context(), scope, remit.Filter{}, billing.Page{Limit: 1000})
	if err != nil || next != nil {
		b.t.Fatalf("list: %v", err)
	}
	return all
}

// settle runs due jobs until none is left.
func (b *fixture) settle() {
	b.t.Helper()
	for due := b.due(); len(due) > 0; due = b.due() {
		for _, j := range due {
			if err := b.service.Apply(b.t.Context(), j); err != nil {
				b.t.Fatalf("apply: %v", err)
			}
		}
	}
}

func (b *fixture) pending(j jobs.Job) bool { return porttest.Pending(b.t, b.store, j) }

// events returns the types of a resource's events, in their order.
func (b *fixture) events(id [16]byte) string {
	b.t.Helper()
	var events []string
	for _, e := range porttest.Events(b.t, b.store, b.scope, id) {
		events = append(events, string(e.Type))
	}
	return strings.Join(events, " ")
}

// last reads the data of a resource's last event.
func (b *fixture) last(id [16]byte, data any) {
	b.t.Helper()
	all := porttest.Events(b.t, b.store, b.scope, id)
	if len(all) == 0 {
		b.t.Fatal("no event")
	}
	if err := json.Unmarshal(all[len(all)-1].Data, data); err != nil {
		b.t.Fatal(err)
	}
}

// counts returns the results of a remittance's claims: c claims, m matched, and
// for each ordinal whether it was applied (a), needs review (r), is unmatched (-),
// forwarded (f), ignored (i) or pending (p). It checks the counts of the remittance.
func counts(r *remit.Record) string {
	var each strings.Builder
	var sum remit.Progress
	for _, c := range r.Claims {
		switch c.Status {
		case remit.StatusApplied:
			sum.Applied++
			each.WriteByte('a')
		case remit.StatusNeedsReview:
			sum.NeedsReview++
			each.WriteByte('r')
		case remit.StatusUnmatched:
			sum.Unmatched++
			each.WriteByte('-')
		case remit.StatusForwarded:
			sum.Forwarded++
			each.WriteByte('f')
		case remit.StatusIgnored:
			sum.Ignored++
			each.WriteByte('i')
		case remit.StatusPending:
			each.WriteByte('p')
		}
		if (c.Status == remit.StatusUnmatched) && !c.ClaimID.IsZero() || c.Status == remit.StatusApplied && c.ClaimID.IsZero() {
			each.WriteByte('?')
		}
	}
	if !r.More && sum != r.Progress {
		return fmt.Sprintf("the remittance counts %+v, its claims are %+v", r.Progress, sum)
	}
	return fmt.Sprintf("%d/%d %s %s", r.MatchedCount, r.ClaimCount, each.String(), r.Stage)
}

// ledger returns the entries of a claim.
func (b *fixture) ledger(id billing.ClaimID) (entries []*remit.LedgerEntry) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.RemittanceClaims.Ledger(ctx, []billing.ClaimID{id})
		entries = all[id]
		return err
	})
	return entries
}

// stands returns a claim's state and total payment.
func (b *fixture) stands(id billing.ClaimID) string {
	b.t.Helper()
	c := b.get(id)
	if s := c.Standing; s != nil {
		return fmt.Sprintf("%s %s %s", c.State, s.Outcome, s.Paid)
	}
	return string(c.State)
}

// importOwn imports a file for a caller; the reply is what became of its payments.
func (b *fixture) importOwn(s *remittances.Service, r caller.Request, f clearing.IncomingFile) (caller.Reply, error) {
	return s.ImportOwn(b.t.Context(), b.write(r), f.Name, f.Content)
}

func (b *fixture) assign(s *remittances.Service, r caller.Request, id billing.FileID, office billing.OfficeID) (caller.Reply, error) {
	return s.Assign(b.t.Context(), b.write(r), id, intake.AssignRequest{OfficeID: office.String()})
}

func (b *fixture) write(r caller.Request) idempotency.Write[*remittances.ImportedFile] {
	return idempotency.Write[*remittances.ImportedFile]{
		Call: caller.Call{Scope: b.scope, Request: r},
		Render: func(f *remittances.ImportedFile, _ error) caller.Reply {
			var all []string
			for _, p := range f.Payments {
				switch {
				case p.Quarantined != nil:
					all = append(all, "quarantined")
				case p.New:
					all = append(all, "imported")
				default:
					all = append(all, "duplicate")
				}
			}
			return caller.Reply{Status: 201, Body: []byte(strings.Join(all, " "))}
		},
	}
}

// held returns the files in the quarantine of the scope.
func (b *fixture) held() []*quarantine.File {
	b.t.Helper()
	files, _, err := b.service.OwnQuarantine(b.t.Context(), b.scope, billing.Page{Limit: 100})
	if err != nil {
		b.t.Fatal(err)
	}
	return files
}
