// Package storetest is the contract of ports.Store as tests. Every adapter runs
// it against a real server.
package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Fixture is an empty store with controls for a test.
type Fixture struct {
	Store ports.CheckStore
	// Staged returns the jobs that were staged for publication so far.
	Staged func() []jobs.Job
	// FailStage makes the next n writes of a job fail with a temporary
	// conflict, such as a serialization failure.
	FailStage func(n int)
}

// Run runs the contract. Open returns a fixture that no other test uses.
func Run(t *testing.T, open func(t *testing.T) Fixture) {
	t.Helper()
	for name, test := range map[string]func(*scoped){
		"ready":                        testReady,
		"a rollback leaves nothing":    testRollback,
		"a panic leaves nothing":       testPanic,
		"a view does not write":        testViewIsReadOnly,
		"conflicts run again":          testConflictsRunAgain,
		"conflicts end":                testConflictsEnd,
		"staged after the commit":      testStaged,
		"deadlocks run again":          testDeadlock,
		"one time in a transaction":    testClock,
		"a deadline ends the work":     testDeadline,
		"scenarios":                    testScenarios,
		"keys":                         testKeys,
		"one winner for a key":         testKeyRace,
		"keys with replies":            testKeyReplies,
		"keys are released":            testKeyRelease,
		"keys are answered":            testKeyAnswer,
		"the sandbox clock":            testSandboxClock,
		"the sandbox's mail":           testSandboxMail,
		"forget keys":                  testForget,
		"forget answers":               testForgetAnswers,
		"checks are kept":              testCheckRoundTrip,
		"a check completes once":       testComplete,
		"completed together":           testCompleteTogether,
		"several scopes":               testSeveralScopes,
		"a completion race":            testCompleteRace,
		"recent checks":                testRecent,
		"list checks":                  testListChecks,
		"check filters":                testCheckFilters,
		"claims are kept":              testClaims,
		"control numbers":              testControlNumbers,
		"claims are saved":             testSaveClaim,
		"many claims at once":          testManyClaims,
		"one void of a claim":          testVoids,
		"a claim is locked":            testClaimLock,
		"list claims":                  testListClaims,
		"orders of claims":             testClaimOrders,
		"orders of remittances":        testRemittanceOrders,
		"claim filters":                testClaimFilters,
		"claims by state":              testClaimStates,
		"open claims":                  testOpenClaims,
		"changed payments":             testChangedPayments,
		"similar claims":               testSimilar,
		"claims since a check":         testClaimsSince,
		"match claims":                 testMatch,
		"matches at once":              testMatchRace,
		"queued claims":                testQueued,
		"held claims":                  testHeld,
		"awaiting claims":              testAwaiting,
		"scopes with queued claims":    testQueuedScopes,
		"attached":                     testAttached,
		"acknowledgements once":        testKeep,
		"batches":                      testBatches,
		"undecided batches":            testUndecidedBatches,
		"unsettled batches":            testUnsettledBatches,
		"remittances are kept":         testERAs,
		"the next remittance":          testNextERA,
		"remittance filters":           testERAFilters,
		"remittance claims":            testRemittanceClaims,
		"ledgers of claims":            testLedger,
		"linked claims":                testLinked,
		"claims that adjustments name": testNamed,
		"forwarded balances":           testForwarded,
		"unmatched remittances":        testUnmatched,
		"remittances to review":        testReviewERA,
		"open requests of claims":      testOpenRequests,
		"next steps of claims":         testNextSteps,
		"remittances of one payment":   testOfPayment,
		"claims set aside":             testAside,
		"payees":                       testPayees,
		"batches by number":            testBatchByNumber,
		"own quarantine":               testOwnQuarantine,
		"tasks of quarantined files":   testTasksOfFiles,
		"acknowledgements of batches":  testAcknowledgements,
		"quarantine":                   testQuarantine,
		"received files":               testReceived,
		"contents of received files":   testContents,
		"received files expire":        testExpire,
		"jobs of no organization":      testSystemOutbox,
		"turns":                        testTurns,
		"live files":                   testLiveFiles,
		"numbers are raised":           testRaise,
		"a restore holds":              testRestore,
		"events after a restore":       testRestoredEvents,
		"claims are apart":             testClaimScopes,
		"attachments are kept":         testAttachments,
		"an attachment is locked":      testAttachmentLock,
		"one open for a request":       testAnsweringRace,
		"fault rules":                  testFaults,
		"serials":                      testSerials,
		"list attachments":             testListAttachments,
		"attachment filters":           testAttachmentFilters,
		"documents are kept":           testDocuments,
		"documents added at once":      testDocumentRace,
		"uploads":                      testUploads,
		"an upload settles once":       testSettleRace,
		"images that have a row":       testKept,
		"forget uploads":               testForgetUploads,
		"payer requests are kept":      testPayerRequests,
		"one answer for a request":     testAnswerRace,
		"list payer requests":          testListPayerRequests,
		"payer request filters":        testPayerRequestFilters,
		"payer requests received":      testPayerRequestsReceived,
		"status inquiries":             testStatusInquiries,
		"status policies":              testStatusPolicies,
		"appeals":                      testAppeals,
		"payer limits":                 testPayerLimits,
		"automation":                   testAutomation,
		"postings":                     testPostings,
		"waiting":                      testWaiting,
		"claims to send":               testToSend,
		"due payer requests":           testDueRequests,
		"checks by day":                testDailyChecks,
		"attachments are apart":        testAttachmentScopes,
		"offices and providers":        testOffices,
		"enrollments":                  testEnrollments,
		"shared enrollments":           testSharedEnrollments,
		"fee schedules":                testFees,
		"fee schedules beside one":     testFeesBeside,
		"prices":                       testPricing,
		"import mappings":              testImportMappings,
		"attachment rules":             testAttachmentRules,
		"tasks":                        testTasks,
		"tasks of voided claims":       testTaskOfVoided,
		"contracts":                    testContracts,
		"notes":                        testNotes,
		"deposits":                     testDeposits,
		"batches of checks":            testCheckBatches,
		"list batches of checks":       testListCheckBatches,
		"items of batches":             testCheckItems,
		"tasks of items":               testCheckItemTasks,
		"tasks of items end":           testCheckItemTasksEnd,
		"the feed of batches":          testCheckFeed,
		"lanes of payers":              testCheckLanes,
		"patients":                     testPatients,
		"patients who may be the same": testAlike,
		"what a patient owes":          testOwed,
		"search":                       testSearch,
		"search of other letters":      testSearchLetters,
		"search of many":               testSearchLimit,
		"patients together":            testPatientsTogether,
		"background of checks":         testBackground,
		"active plans":                 testActivePlans,
		"claims beside a check":        testClaimsBesideACheck,
		"one entry for a patient":      testPatientRace,
		"endpoints are kept":           testEndpoints,
		"endpoints are saved":          testSaveEndpoint,
		"ten endpoints":                testEndpointLimit,
		"an endpoint is locked":        testEndpointLock,
		"webhooks are apart":           testWebhookScopes,
		"events are queued":            testFanOut,
		"events of rolled back work":   testFanOutRollback,
		"events of keys are queued":    testKeyEventsFanOut,
		"no event is lost":             testFanOutRace,
		"list deliveries":              testListDeliveries,
		"delivery filters":             testDeliveryFilters,
		"resend listed":                testResendListed,
		"resend":                       testResend,
		"forget deliveries":            testForgetDeliveries,
		"take a lane":                  testTake,
		"postponed deliveries":         testPostpone,
		"one holder for a lane":        testTakeRace,
		"due deliveries":               testDueDeliveries,
		"an open circuit":              testCircuit,
		"attempts are recorded":        testRecord,
		"the step of a lane":           testRecordAndDue,
		"the health of an endpoint":    testRecordHealth,
		"record success":               testRecordSuccess,
		"call lanes":                   testCallLanes,
		"work is due":                  testWorkIsDue,
		"relays share lanes":           testCallLanesRace,
		"events are kept":              testEvents,
		"event filters":                testEventFilters,
		"events of one instant":        testEventOrder,
		"sequences have no gap":        testSequences,
		"tail":                         testTail,
		"tail skips no late commit":    testTailLateCommit,
		"scopes are apart":             testScopes,
		"a scope is needed":            testNoScope,
		"organizations":                testOrganizations,
		"API keys":                     testAPIKeys,
		"users":                        testUsers,
		"the last owner":               testLastOwner,
		"accounts":                     testAccounts,
		"sign-in links":                testLinks,
		"sessions":                     testSessions,
		"origin":                       testOrigin,
		"connections":                  testConnections,
		"own connections":              testOwnConnections,
		"tasks of connections":         testTasksOfConnections,
		"requests are kept":            testRequests,
		"list requests":                testListRequests,
		"request filters":              testRequestFilters,
		"requests of writes":           testWritten,
		"many requests of writes":      testManyWritten,
		"forget requests":              testForgetRequests,
		"the audit is kept":            testAudit,
		"the audit of writes":          testAuditOfWrites,
		"list the audit":               testListAudit,
		"audit filters":                testAuditFilters,
		"forget the audit":             testForgetAudit,
		"changes":                      testChanges,
		"no change is lost":            testChangesLateCommit,
		"changes are apart":            testChangesApart,
		"forget changes":               testForgetChanges,
		"outbox":                       testOutbox,
		"due jobs":                     testDue,
		"leases":                       testLeases,
		"relays share due jobs":        testDueRace,
		"jobs are taken in turn":       testDueInTurn,
		"held jobs":                    testHold,
		"backlog":                      testBacklog,
		"unsent":                       testUnsent,
		"payments of remittances":      testPayments,
		"the order of writes is kept":  testWriteOrder,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t)
			test(&scoped{Fixture: f, t: t, now: time.Now().UTC().Truncate(time.Microsecond), scope: newScope()})
		})
	}
}

// scoped is a fixture with a scope.
type scoped struct {
	Fixture
	t     *testing.T
	now   time.Time
	scope billing.Scope
}

func newScope() billing.Scope {
	return billing.Scope{Org: id[billing.OrgID](), Mode: billing.ModeTest}
}

// id returns a new ID.
func id[T billing.ID[K], K billing.Kind]() T { return billing.NewID[T, K](billing.RealAt(time.Now())) }

func (b *scoped) try(scope billing.Scope, fn func(ctx context.Context, tx ports.Tx) error) error {
	return b.Store.InTx(b.t.Context(), scope, fn)
}

// in runs fn in a transaction of the test's scope.
func (b *scoped) in(fn func(ctx context.Context, tx ports.Tx) error) {
	b.t.Helper()
	if err := b.try(b.scope, fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *scoped) view(fn func(ctx context.Context, tx ports.Tx) error) {
	b.t.Helper()
	if err := b.Store.View(b.t.Context(), b.scope, fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *scoped) system(fn func(ctx context.Context, tx ports.SystemTx) error) {
	b.t.Helper()
	if err := b.Store.System(b.t.Context(), fn); err != nil {
		b.t.Fatal(err)
	}
}

// race runs functions at once, all of which must go well.
func (b *scoped) race(fs ...func() error) {
	b.t.Helper()
	if err := errors.Join(together(fs...)...); err != nil {
		b.t.Fatal(err)
	}
}

// times returns n functions that run f, each with its own number.
func times(n int, f func(n int) error) (fs []func() error) {
	for n := range n {
		fs = append(fs, func() error { return f(n) })
	}
	return fs
}

// absent checks that each call returns CodeNotFound.
func (b *scoped) absent(what string, calls ...func(ctx context.Context, tx ports.Tx) (any, error)) {
	b.t.Helper()
	for _, call := range calls {
		_, err := try(b, b.scope, call)
		wantCode(b.t, what, err, billing.CodeNotFound)
	}
}

// forgets checks how many rows from before the time are deleted.
func (b *scoped) forgets(what func(ports.Forgetter, context.Context, time.Time) (int, error), before time.Time, want int) {
	b.t.Helper()
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		n, err := what(tx.Forget, ctx, before)
		equal(b.t, "forgotten", n, want)
		return err
	})
}

// others returns scopes that must not reach the rows of the test's.
func (b *scoped) others() []billing.Scope {
	return []billing.Scope{{Org: b.scope.Org, Mode: billing.ModeLive}, newScope()}
}

// elsewhere runs fn in a transaction of each of the other scopes.
func (b *scoped) elsewhere(fn func(ctx context.Context, tx ports.Tx, mode billing.Mode) error) {
	b.t.Helper()
	for _, other := range b.others() {
		if err := b.try(other, func(ctx context.Context, tx ports.Tx) error { return fn(ctx, tx, other.Mode) }); err != nil {
			b.t.Error(err)
		}
	}
}

// try returns what fn does in a transaction of the scope.
func try[T any](b *scoped, scope billing.Scope, fn func(ctx context.Context, tx ports.Tx) (T, error)) (out T, err error) {
	err = b.try(scope, func(ctx context.Context, tx ports.Tx) (err error) {
		out, err = fn(ctx, tx)
		return err
	})
	return out, err
}

// system returns what fn does in a transaction without a scope.
func system[T any](b *scoped, fn func(ctx context.Context, tx ports.SystemTx) (T, error)) (out T) {
	b.t.Helper()
	b.system(func(ctx context.Context, tx ports.SystemTx) (err error) {
		out, err = fn(ctx, tx)
		return err
	})
	return out
}

// read returns what fn reads in a view.
func read[T any](b *scoped, fn func(ctx context.Context, tx ports.Tx) (T, error)) T {
	b.t.Helper()
	var out T
	b.view(func(ctx context.Context, tx ports.Tx) (err error) {
		out, err = fn(ctx, tx)
		return err
	})
	return out
}

// check returns a pending check, n microseconds after the start of the test.
func (b *scoped) check(n int) *coverage.Check {
	group := "Group-7"
	return &coverage.Check{
		ID: id[billing.CheckID](), Scope: b.scope, OfficeID: id[billing.OfficeID](),
		Payer: directory.PayerSummary{ID: id[billing.PayerID](), PayerID: "CHTEST", Name: "Molar Test Payer"},
		State: coverage.CheckPending, RequestID: id[billing.RequestID](), IdempotencyKey: "key-Aa",
		CreatedAt: b.now.Add(time.Duration(n) * time.Microsecond),
		Inquiry: coverage.Inquiry{
			Subscriber: coverage.Subscriber{
				FirstName: "Zoë", LastName: "O'Brien \"Q\"", DateOfBirth: billing.Date{Year: 1980, Month: 2, Day: 29},
				MemberID: "SANDBOX-ACTIVE-FULL", GroupNumber: &group,
			},
			ServiceDate: billing.Date{Year: 2026, Month: 5, Day: 1}, ProcedureCodes: []string{"D0120", "D1110"},
			DetailLevel: coverage.DetailStandard, Office: coverage.InquiringOffice{NPI: "1234567893"},
		},
	}
}

// insert stores checks, each in a separate transaction.
func (b *scoped) insert(checks ...*coverage.Check) {
	b.t.Helper()
	for _, c := range checks {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Checks.Insert(ctx, c) })
	}
}

// answered returns a completed check.
func (b *scoped) answered(n int) *coverage.Check {
	c := b.check(n)
	answer(c)
	return c
}

func answer(c *coverage.Check) {
	latency, percent, covered, count := 812, 80.0, true, 2
	c.State, c.Outcome, c.Network, c.LatencyMS = coverage.CheckCompleted, coverage.OutcomeAnswered, "sandbox", &latency
	c.PatientID, c.CompletedAt = id[billing.PatientID](), c.CreatedAt.Add(time.Second)
	c.Status = coverage.Active
	c.Benefits = (&coverage.Benefits{
		CoverageEffectiveDate: billing.Date{Year: 2026, Month: 1, Day: 1},
		Plan:                  coverage.Plan{Name: "Gold <PPO> & more", GroupNumber: "G1"},
		Maximums:              []coverage.BenefitAmount{{Level: coverage.LevelIndividual, Period: coverage.PeriodCalendarYear, Amount: new(billing.Money(150000))}},
		Coverage: []coverage.CategoryCoverage{{
			Category: coverage.CategoryBasic, PercentPaid: &percent, Covered: &covered,
			Frequency: &coverage.Frequency{Count: &count, Period: "calendar_year"},
		}},
		NotReturned: []string{"plan_rules.waiting_period"},
	}).Data()
	c.Shown = []byte(`{"object": "of \"its\" release \\ <>"}`)
}

func (b *scoped) event(resource [16]byte, kind event.Type, n int) event.Event {
	return event.Event{
		ID: id[billing.EventID](), Scope: b.scope, Type: kind, Resource: resource,
		CreatedAt: b.now.Add(time.Duration(n) * time.Microsecond), Data: []byte(`{"b": 1.50, "a": "\u00e9"}`),
	}
}

func (b *scoped) job() jobs.Job {
	return jobs.Job{
		ID: id[billing.JobID](), Kind: jobs.KindEligibility, Scope: b.scope, Subject: id[billing.CheckID](), ReplyTo: "instance-1",
	}
}

func (b *scoped) appendEvents(events ...event.Event) {
	b.t.Helper()
	for _, e := range events {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Events.Append(ctx, e) })
	}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// wantCode fails unless the error has the code.
func wantCode(t *testing.T, what string, err error, code billing.Code) {
	t.Helper()
	if e, ok := errors.AsType[*billing.Error](err); !ok || e.Code != code {
		t.Errorf("%s: error %v, want %s", what, err, code)
	}
}

// listed walks the pages of a list whose rows share times, while rows are added.
func listed[T any](b *scoped, row func(n int) T, insert func(...T), list func(billing.Page) []T, at func(T) billing.Position) {
	b.t.Helper()
	var want []T
	for n := range 9 {
		want = append(want, row(n/3))
	}
	insert(want...)
	newestFirst(want, at)
	equal(b.t, "the list", walk(4, list, at, func() { insert(row(1000)) }), want)
}

// newestFirst sorts rows like a list.
func newestFirst[T any](rows []T, at func(T) billing.Position) {
	slices.SortFunc(rows, func(x, y T) int {
		px, py := at(x), at(y)
		if d := py.Time.Compare(px.Time); d != 0 {
			return d
		}
		return slices.Compare(py.ID[:], px.ID[:])
	})
}

// walk reads a list page by page, and calls between after each page.
func walk[T any](limit int, list func(billing.Page) []T, at func(T) billing.Position, between func()) (all []T) {
	p := billing.Page{Limit: limit}
	for {
		rows, next := billing.Cut(list(p), limit, at)
		all = append(all, rows...)
		if next == nil {
			return all
		}
		p.After = next
		between()
	}
}

func digest(s string) [32]byte { return sha256.Sum256([]byte(s)) }
