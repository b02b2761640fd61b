package remittances_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// decision is what a person decides on a remittance claim.
type decision struct {
	does    claim.Trigger
	era     billing.ERAID
	ordinal int
	claim   billing.ClaimID         // of a match
	lines   []intake.MatchLineInput // of a match
}

// decide makes the decision with a key, in the process.
func (b *fixture) decide(s *remittances.Service, key string, d decision) (caller.Reply, error) {
	b.t.Helper()
	w := write(b.scope, call(key), func(r *remit.Claim, _ error) caller.Reply {
		return caller.Reply{Status: 200, Body: fmt.Appendf(nil, "%s %s %s %v", r.Status, r.Review, r.ClaimID, r.LineNumbers)}
	})
	if d.does == claim.TriggerMatch {
		return s.MatchClaim(b.t.Context(), w, d.era, d.ordinal, intake.MatchRequest{ClaimID: new(d.claim.String()), Lines: d.lines})
	}
	by := map[claim.Trigger]func(context.Context, idempotency.Write[*remit.Claim], billing.ERAID, int, intake.NoteRequest) (caller.Reply, error){
		claim.TriggerApply: s.ApplyClaim, claim.TriggerIgnore: s.IgnoreClaim, claim.TriggerUnapply: s.UnapplyClaim,
	}[d.does]
	return by(b.t.Context(), w, d.era, d.ordinal, intake.NoteRequest{Note: new("The payer confirmed it.")})
}

// decided makes a decision that must go well, and returns the remittance.
func (b *fixture) decided(d decision) *remit.Record {
	b.t.Helper()
	if _, err := b.decide(b.service, "", d); err != nil {
		b.t.Fatalf("%s: %v", d.does, err)
	}
	r, err := b.service.Get(b.t.Context(), b.scope, d.era)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.waits(r)
}

// entries counts the entries of a claim's history with the cause.
func (b *fixture) entries(id billing.ClaimID, cause claim.Trigger) (n int) {
	b.t.Helper()
	for _, m := range b.get(id).History {
		if m.Cause == cause {
			n++
		}
	}
	return n
}

// unbalanced imports a payment of a claim that does not add up, and applies what
// adds up.
func (b *fixture) unbalanced(c remittance.Claim) *remit.Record {
	b.t.Helper()
	p := b.payment(c)
	p.Claims[0].Paid++
	return b.apply(b.receiveFile(b.file(p)))
}

// TestPeopleDieAnywhere ends the process at each transaction of what a person
// decides. The person repeats it with its key, and then with another: it takes
// effect once.
func TestPeopleDieAnywhere(t *testing.T) {
	t.Parallel()
	lost := func(b *fixture, _, payers string) *remit.Record { return b.remit(paid("LOST", payers, 0)) }
	good := func(b *fixture, number, payers string) *remit.Record { return b.remit(paid(number, payers, 0)) }
	off := func(b *fixture, number, payers string) *remit.Record {
		return b.unbalanced(paid(number, payers, 0))
	}
	for does, want := range map[claim.Trigger]struct {
		comes                  func(b *fixture, number, payers string) *remit.Record
		counts, stands, events string
	}{
		claim.TriggerMatch:   {lost, "1/1 a done", "paid paid 150.00", "claim.paid"},
		claim.TriggerApply:   {off, "1/1 a done", "paid paid 150.01", "claim.paid"},
		claim.TriggerIgnore:  {off, "1/1 i done", "accepted_payer", ""},
		claim.TriggerUnapply: {good, "1/1 r done", "accepted_payer", "claim.paid claim.payment_reversed"},
	} {
		t.Run(string(does), func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			n := 0
			porttest.EveryEnding(t, 1, func(t *testing.T, f *porttest.Fault) {
				t.Helper()
				n++
				number := fmt.Sprint("A-", n)
				id := b.claim(number)
				r := want.comes(b, number, fmt.Sprint("P", n))
				d := decision{does: does, era: r.ID, ordinal: 1, claim: id}
				porttest.Dies(func() { _, _ = b.decide(b.process(f), number, d) })
				first, err := b.decide(b.service, number, d)
				again, errAgain := b.decide(b.service, number, d)
				other, errOther := b.decide(b.service, number+" later", d)
				if err != nil || errAgain != nil || errOther != nil || !again.Replayed || other.Replayed ||
					string(again.Body) != string(first.Body) || string(other.Body) != string(first.Body) {
					t.Errorf("%s: %v, again %s: %v, with another key %s: %v", first.Body, err, again.Body, errAgain, other.Body, errOther)
				}
				b.settle()
				now, err := b.service.Get(t.Context(), b.scope, r.ID)
				if err != nil || counts(now) != want.counts || b.stands(id) != want.stands || b.events(id) != want.events || b.entries(id, does) != 1 {
					t.Errorf("%v, %s, the claim is %s, events %q, %d entries in its history", err, counts(now), b.stands(id), b.events(id), b.entries(id, does))
				}
			})
		})
	}
}

// TestDecisionsAtOnce has people decide on one remittance claim at the same
// time, in two processes. One decision after the other takes effect.
func TestDecisionsAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("A-1")
	r := b.unbalanced(paid("A-1", "P1", 0))
	processes := []*remittances.Service{b.process(nil), b.process(nil)}
	done := make(chan claim.Trigger, 40)
	for n := range cap(done) {
		go func() {
			does := []claim.Trigger{claim.TriggerApply, claim.TriggerUnapply, claim.TriggerIgnore, claim.TriggerMatch}[n%4]
			_, err := b.decide(processes[n/4%2], fmt.Sprint("k", n), decision{does: does, era: r.ID, ordinal: 1, claim: id})
			if err != nil && codeOf(err) != billing.CodeConflict {
				t.Errorf("%s: %v", does, err)
			}
			done <- does
		}()
	}
	for range cap(done) {
		<-done
	}
	now, err := b.service.Get(t.Context(), b.scope, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.settle()
	applied := b.entries(id, claim.TriggerApply) + b.entries(id, claim.TriggerMatch)
	back := b.entries(id, claim.TriggerUnapply)
	events := strings.TrimSpace(strings.Repeat("claim.paid claim.payment_reversed ", back) + strings.Repeat("claim.paid ", applied-back))
	stands := map[int]string{0: "accepted_payer", 1: "paid paid 150.01"}[applied-back]
	if stands == "" || b.events(id) != events || b.stands(id) != stands || len(b.ledger(id)) != applied-back ||
		strings.HasPrefix(counts(now), "1/1 a") != (applied > back) {
		t.Errorf("applied %d times, taken back %d times: %s, %s, events %s", applied, back, counts(now), b.stands(id), b.events(id))
	}
}

// TestDecisionsAtRandom lets payments, denials and reversals come, some without a
// number of ours, while a person decides on any of them. The figures of each claim
// are those of its ledger, and what was unapplied waits for the person.
func TestDecisionsAtRandom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			b.service.InPieces(1 + int(seed)%3)
			roll := rand.New(rand.NewPCG(seed, 2))
			var ids []billing.ClaimID
			for n := range 3 {
				ids = append(ids, b.claim(fmt.Sprint("A-", n)))
			}
			type row struct {
				era     billing.ERAID
				ordinal int
			}
			var rows []row
			var said []saying
			unapplied := map[row]bool{}
			for range 60 {
				if len(rows) == 0 || roll.IntN(3) == 0 {
					var says []saying
					for range 1 + roll.IntN(3) {
						n := roll.IntN(len(ids))
						next := paid([]string{fmt.Sprint("A-", n), "LOST"}[roll.IntN(4)/3], fmt.Sprint("P", n), billing.Money(roll.IntN(3))*2500)
						switch roll.IntN(5) {
						case 0:
							next = denied(next.ControlNumber, next.PayerControlNumber)
						case 1, 2:
							if len(said) > 0 {
								next = reversed(said[roll.IntN(len(said))])
							}
						}
						if next.Status != "22" {
							said = append(said, next)
						}
						says = append(says, next)
					}
					r := b.remit(says...)
					for i := range says {
						rows = append(rows, row{r.ID, i + 1})
					}
				} else {
					at := rows[roll.IntN(len(rows))]
					does := []claim.Trigger{claim.TriggerMatch, claim.TriggerApply, claim.TriggerIgnore, claim.TriggerUnapply}[roll.IntN(4)]
					_, err := b.decide(b.service, "", decision{does: does, era: at.era, ordinal: at.ordinal, claim: ids[roll.IntN(len(ids))]})
					if err == nil {
						unapplied[at] = does == claim.TriggerUnapply
					} else if codeOf(err) != billing.CodeConflict {
						t.Fatalf("%s: %v", does, err)
					}
				}
				if b.settle(); roll.IntN(5) == 0 && len(rows) > 0 {
					if _, err := b.service.Retry(t.Context(), b.scope, rows[roll.IntN(len(rows))].era); err != nil {
						t.Fatal(err)
					}
					b.settle()
				}
			}
			for at, is := range unapplied {
				r, err := b.service.Get(t.Context(), b.scope, at.era)
				if err != nil {
					t.Fatal(err)
				}
				if c := r.Claims[at.ordinal-1]; is && (c.Status != remit.StatusNeedsReview || c.Review != remit.ReviewUnapplied) {
					t.Errorf("what was unapplied is %s %s", c.Status, c.Review)
				}
				if got := counts(r); !strings.HasSuffix(got, " done") || strings.Contains(got, "p") || strings.Contains(got, "?") {
					t.Error(got)
				}
			}
			for _, id := range ids {
				c, l := b.get(id), b.ledger(id)
				if is := c.Ledger(l).Standing(); !reflect.DeepEqual(c.Standing, is) {
					t.Errorf("the claim stands at %+v, its ledger at %+v", c.Standing, is)
				}
				back := b.entries(id, claim.TriggerUnapply)
				if n := len(porttest.Events(t, b.store, b.scope, id)); n != len(l)+2*back {
					t.Errorf("%d events; %d are applied, and %d were taken back", n, len(l), back)
				}
			}
		})
	}
}

// TestBeforeTheClaim has a remittance that comes before its claim is sent. It
// waits, and is applied once the claim was sent.
func TestBeforeTheClaim(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("A-1", func(c *claim.Claim) { c.State, c.SentAt = claim.Validated, time.Time{} })
	j := b.receive(paid("A-1", "P1", 0))
	r := b.apply(j)
	if c := r.Claims[0]; counts(r) != "0/1 - done" || c.Review != remit.ReviewClaimNotSent {
		t.Fatalf("%s, %s", counts(r), c.Review)
	}
	if _, err := b.decide(b.service, "", decision{does: claim.TriggerMatch, era: r.ID, ordinal: 1, claim: id}); codeOf(err) != billing.CodeConflict {
		t.Errorf("matched to a claim that was never sent: %v", err)
	}
	b.change(id, func(c *claim.Claim) { c.State, c.SentAt = claim.Submitted, b.clock.Now() })
	b.rematch("A-1")
	if got := counts(b.era(j)); got != "1/1 a done" || b.stands(id) != "paid paid 150.00" || b.events(id) != "claim.paid" {
		t.Errorf("%s, %s, events %s", got, b.stands(id), b.events(id))
	}
}

// rematch runs the jobs of remittances with unmatched claims of the control number,
// as the sending of the claim stages them.
func (b *fixture) rematch(number string) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		waiting, err := tx.RemittanceClaims.Unmatched(ctx, []string{number}, nil)
		for _, id := range waiting {
			j := jobs.ForERA(b.scope, id)
			if err == nil {
				err = tx.Outbox.Stage(ctx, j)
			}
		}
		return err
	})
	b.settle()
}

// crownAndFilm is a claim of two lines, of 125.00 and 75.00.
func crownAndFilm(c *claim.Claim) {
	c.Lines = []claim.Line{c.Lines[0], c.Lines[0]}
	c.Lines[0].Fee, c.Lines[1].Fee, c.Lines[1].ProcedureCode = 12500, 7500, "D0220"
}

// crown and film pay the lines of crownAndFilm in full, each in a claim of its own.
func crown(number string) remittance.Claim { return ofLine(number, "D2740", "1", 12500) }

func film(number string) remittance.Claim { return ofLine(number, "D0220", "2", 7500) }

func ofLine(number, procedure, line string, charge billing.Money) remittance.Claim {
	c := paid(number, "P1", 0)
	s := &c.Services[0]
	s.Procedure.Code, s.Charge, s.Adjustments, s.Amounts = procedure, charge, nil, nil
	s.References = []remittance.Reference{ref("6R", line)}
	return c
}

// both joins remittance claims to one.
func both(a, b remittance.Claim) remittance.Claim {
	a.Services = slices.Concat(a.Services, b.Services)
	return a
}

// forwarded is a claim that the payer sent to another payer.
func forwarded(number string) remittance.Claim {
	c := paid(number, "P1", 0)
	c.Status = "23"
	c.Services[0].Adjustments = []remittance.Adjustment{{Group: "OA", Reason: "109", Amount: fee}}
	return c
}

// TestOddRemittances applies what payers send besides a plain payment.
func TestOddRemittances(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ours  func(*claim.Claim)
		says  [][]saying          // of one remittance each
		after func(*fixture, int) // runs after each remittance

		counts, stands, events string // the counts of the last remittance
	}{
		"rejected, then paid": {
			inState(claim.Rejected),
			[][]saying{{paid("A-1", "P1", 0)}},
			nil,
			"1/1 a done", "paid paid 150.00", "claim.paid",
		},
		"paid, voided, then taken back": {
			nil,
			[][]saying{{paid("A-1", "P1", 0)}, {reversed(paid("A-1", "P1", 0))}},
			func(b *fixture, n int) {
				if n == 0 {
					b.change(b.byNumber("A-1"), inState(claim.Voided))
				}
			},
			"1/1 a done", "voided", "claim.paid claim.payment_reversed",
		},
		"one line is reversed": {
			crownAndFilm,
			[][]saying{{both(crown("A-1"), film("A-1"))}, {reversed(film("A-1"))}},
			nil,
			"1/1 a done", "paid paid 125.00", "claim.paid claim.payment_reversed",
		},
		"a split claim is reversed at once": {
			crownAndFilm,
			[][]saying{{crown("A-1"), film("A-1")}, {reversed(both(crown("A-1"), film("A-1")))}},
			nil,
			"1/1 a done", "accepted_payer", "claim.paid claim.paid claim.payment_reversed",
		},
		"forwarded": {
			nil,
			[][]saying{{forwarded("A-1")}},
			nil,
			"1/1 f done", "accepted_payer", "",
		},
		"forwarded, then paid": {
			nil,
			[][]saying{{forwarded("A-1")}, {paid("A-1", "P1", 0)}},
			nil,
			"1/1 a done", "paid paid 150.00", "claim.paid",
		},
		"paid again under another trace": {
			nil,
			[][]saying{{paid("A-1", "P1", 0)}, {paid("A-1", "P1", 0)}},
			nil,
			"1/1 r done", "paid paid 150.00", "claim.paid",
		},
		"paid, reversed, paid again": {
			nil,
			[][]saying{{paid("A-1", "P1", 0)}, {reversed(paid("A-1", "P1", 0))}, {paid("A-1", "P1", 0)}},
			nil,
			"1/1 a done", "paid paid 150.00", "claim.paid claim.payment_reversed claim.paid",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			var changes []func(*claim.Claim)
			if c.ours != nil {
				changes = append(changes, c.ours)
			}
			id := b.claim("A-1", changes...)
			var got string
			for n, says := range c.says {
				got = counts(b.remit(says...))
				if c.after != nil {
					c.after(b, n)
				}
			}
			if got != c.counts || b.stands(id) != c.stands || b.events(id) != c.events {
				t.Errorf("%s, the claim is %s, events %q; want %s, %s, %q", got, b.stands(id), b.events(id), c.counts, c.stands, c.events)
			}
			if due := b.due(); len(due) > 0 {
				t.Errorf("%d jobs are left", len(due))
			}
		})
	}
}

// byNumber returns the ID of the claim with the control number.
func (b *fixture) byNumber(number string) (id billing.ClaimID) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		found, err := tx.Clearing.Match(ctx, []string{number}, nil)
		if err == nil {
			id = found[0].ID
		}
		return err
	})
	return id
}

// TestReversalBeforePayment has a reversal that comes before the payment that it
// takes back, in another file. The payment is applied automatically, or by a
// person who matches it.
func TestReversalBeforePayment(t *testing.T) {
	t.Parallel()
	for name, number := range map[string]string{"automatically": "A-1", "by a person": "LOST"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			id := b.claim("A-1")
			back := b.receive(reversed(paid("A-1", "P1", 0)))
			if r := b.apply(back); counts(r) != "0/1 - done" || r.Claims[0].Review != remit.ReviewNoPayment {
				t.Fatalf("%s, %s", counts(r), r.Claims[0].Review)
			}
			b.apply(back) // a redelivered message
			r := b.remit(paid(number, "P1", 0))
			if number == "LOST" {
				r = b.decided(decision{does: claim.TriggerMatch, era: r.ID, ordinal: 1, claim: id})
			}
			b.settle()
			if counts(r) != "1/1 a done" || counts(b.era(back)) != "1/1 a done" || b.stands(id) != "accepted_payer" ||
				b.events(id) != "claim.paid claim.payment_reversed" {
				t.Errorf("%s and %s, the claim is %s, events %s", counts(r), counts(b.era(back)), b.stands(id), b.events(id))
			}
		})
	}
}

// TestLinesOfEarlierContent has a claim that lost lines after remittances were
// matched to them, as a replacement or a correction does. A person takes one of the
// remittances back and applies it and another one again.
func TestLinesOfEarlierContent(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("A-2", crownAndFilm)
	waits := b.unbalanced(both(crown("A-2"), film("A-2")))
	r := b.remit(both(crown("A-2"), film("A-2")))
	b.change(id, func(c *claim.Claim) { c.Lines = c.Lines[1:] })
	for _, d := range []decision{{does: claim.TriggerUnapply, era: r.ID}, {does: claim.TriggerApply, era: r.ID}, {does: claim.TriggerApply, era: waits.ID}} {
		d.ordinal = 1
		if got := b.decided(d).Claims[0].LineNumbers; d.does == claim.TriggerApply && !slices.Equal(got, []int{0, 1}) {
			t.Errorf("the lines of the remittance are the claim's %v", got)
		}
	}
}

// TestMatchInOneFile matches a payment by hand whose reversal is in the same file.
func TestMatchInOneFile(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("A-1")
	first := paid("LOST", "P1", 0)
	r := b.remit(first, withNumber(reversed(first), "A-1"))
	if counts(r) != "0/2 -- done" {
		t.Fatal(counts(r))
	}
	b.decided(decision{does: claim.TriggerMatch, era: r.ID, ordinal: 1, claim: id})
	b.settle()
	now, err := b.service.Get(t.Context(), b.scope, r.ID)
	if err != nil || counts(now) != "2/2 aa done" || b.stands(id) != "accepted_payer" || b.events(id) != "claim.paid claim.payment_reversed" {
		t.Errorf("%v, %s, the claim is %s, events %s", err, counts(now), b.stands(id), b.events(id))
	}
}

// TestMatchByHand matches a claim whose control number was cut. The person says
// which lines it pays.
func TestMatchByHand(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("M81VMY0NYCQ0SS1PRFM7", crownAndFilm)
	theirs := b.organization(billing.ModeTest, "1457898765", "")
	foreign := b.claim("THEIRS", func(c *claim.Claim) { c.Scope = theirs })
	says := both(film("M81VMY0NYCQ0SS1PR"), ofLine("", "D9999", "", 12500))
	r := b.remit(says)
	if counts(r) != "0/1 - done" || r.Claims[0].Review != remit.ReviewNoClaim {
		t.Fatalf("%s, %s", counts(r), r.Claims[0].Review)
	}
	d := decision{does: claim.TriggerMatch, era: r.ID, ordinal: 1, claim: foreign}
	if _, err := b.decide(b.service, "", d); codeOf(err) != billing.CodeNotFound {
		t.Errorf("matched to a claim of another organization: %v", err)
	}
	d.claim, d.lines = id, []intake.MatchLineInput{{ERALine: 1, LineNumber: new(2)}, {ERALine: 2, LineNumber: new(1)}}
	r = b.decided(d)
	c := r.Claims[0]
	if counts(r) != "1/1 a done" || c.MatchedBy != remit.MatchedByUser || !slices.Equal(c.LineNumbers, []int{2, 1}) ||
		fmt.Sprint(c.Warnings) != "[procedure_unknown]" || b.stands(id) != "paid paid 200.00" {
		t.Errorf("%s, %s, lines %v, %v, the claim is %s", counts(r), c.MatchedBy, c.LineNumbers, c.Warnings, b.stands(id))
	}
	d.claim = b.claim("B-1")
	if _, err := b.decide(b.service, "", d); codeOf(err) != billing.CodeConflict {
		t.Errorf("matched to another claim while it is applied: %v", err)
	}
}

// TestMatchedToAnotherClaim moves a remittance to another claim after a person
// has unapplied it.
func TestMatchedToAnotherClaim(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	wrong, right := b.claim("A-1"), b.claim("B-1")
	r := b.remit(paid("A-1", "P1", 0))
	b.decided(decision{does: claim.TriggerUnapply, era: r.ID, ordinal: 1})
	if r = b.decided(decision{does: claim.TriggerMatch, era: r.ID, ordinal: 1, claim: right}); counts(r) != "1/1 a done" || r.Unfinished() != 0 {
		t.Errorf("%s, %d unfinished", counts(r), r.Unfinished())
	}
	if b.stands(wrong) != "accepted_payer" || b.stands(right) != "paid paid 150.00" || len(b.ledger(wrong)) != 0 ||
		b.events(wrong) != "claim.paid claim.payment_reversed" || b.events(right) != "claim.paid" {
		t.Errorf("claims %s and %s, events %s and %s", b.stands(wrong), b.stands(right), b.events(wrong), b.events(right))
	}
}

// TestUnapplyWhatIsTakenBack refuses while a reversal stands for it.
func TestUnapplyWhatIsTakenBack(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, p := b.claim("A-1"), paid("A-1", "P1", 0)
	first, back := b.remit(p), b.remit(reversed(p))
	undo := decision{does: claim.TriggerUnapply, era: first.ID, ordinal: 1}
	if _, err := b.decide(b.service, "", undo); codeOf(err) != billing.CodeConflict || !strings.Contains(err.Error(), back.ID.String()) {
		t.Errorf("unapply what a reversal takes back: %v", err)
	}
	b.decided(decision{does: claim.TriggerUnapply, era: back.ID, ordinal: 1})
	if b.stands(id) != "paid paid 150.00" {
		t.Errorf("without the reversal the claim is %s", b.stands(id))
	}
	if b.decided(undo); b.stands(id) != "accepted_payer" {
		t.Errorf("without both the claim is %s", b.stands(id))
	}
}

// TestUnappliedStays takes an application back. Nothing applies it again but a
// person.
func TestUnappliedStays(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, other := b.claim("A-1"), b.claim("B-1")
	j := b.receive(paid("A-1", "P1", 0), paid("LOST", "P2", 0))
	r := b.apply(j)
	b.decided(decision{does: claim.TriggerUnapply, era: r.ID, ordinal: 1})
	b.apply(j) // a redelivered message
	b.rematch("A-1")
	if again, err := b.service.Retry(t.Context(), b.scope, r.ID); err != nil || !again { // the other one is unmatched
		t.Errorf("retry: %t, %v", again, err)
	}
	b.settle()
	b.decided(decision{does: claim.TriggerMatch, era: r.ID, ordinal: 2, claim: other})
	b.remit(reversed(paid("A-1", "P1", 0))) // it takes back nothing that is applied
	b.settle()
	if r = b.era(j); counts(r) != "2/2 ra done" || r.Claims[0].Review != remit.ReviewUnapplied || b.stands(id) != "accepted_payer" || len(b.ledger(id)) != 0 {
		t.Errorf("%s, %s, the claim is %s with %d entries", counts(r), r.Claims[0].Review, b.stands(id), len(b.ledger(id)))
	}
	if again, err := b.service.Retry(t.Context(), b.scope, r.ID); err != nil || again {
		t.Errorf("retry when only the unapplied one is left: %t, %v", again, err)
	}
	b.decided(decision{does: claim.TriggerApply, era: r.ID, ordinal: 1})
	b.settle() // the reversal finds its payment
	if r = b.era(j); counts(r) != "2/2 aa done" || b.stands(id) != "accepted_payer" || len(b.ledger(id)) != 2 {
		t.Errorf("%s, the claim is %s with %d entries", counts(r), b.stands(id), len(b.ledger(id)))
	}
	b.agreeOn(id, "claim.paid claim.payment_reversed claim.paid claim.payment_reversed")
}

// agreeOn checks that the claim's figures are those of its ledger, and its events.
func (b *fixture) agreeOn(id billing.ClaimID, events string) {
	b.t.Helper()
	c := b.get(id)
	was, is := c.Standing, c.Ledger(b.ledger(id)).Standing()
	if fmt.Sprint(was) != fmt.Sprint(is) || b.events(id) != events {
		b.t.Errorf("the claim stands at %+v, its ledger at %+v; events %s, want %s", was, is, b.events(id), events)
	}
}

// TestUnpost posts a remittance with unfinished claims, corrects that, and posts
// it again.
func TestUnpost(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.claim("A-1")
	r := b.remit(paid("A-1", "P1", 0), paid("LOST", "P2", 0))
	post := func(accept bool) error {
		_, err := b.service.Post(t.Context(), write(b.scope, call(""), render), r.ID, intake.PostRequest{AcceptUnfinished: accept})
		return err
	}
	unapply := func() error {
		_, err := b.decide(b.service, "", decision{does: claim.TriggerUnapply, era: r.ID, ordinal: 1})
		return err
	}
	unpost := func() error {
		_, err := b.service.Unpost(t.Context(), write(b.scope, call(""), render), r.ID, intake.NoteRequest{})
		return err
	}
	for i, step := range []struct {
		err  error
		code billing.Code
	}{
		{post(false), billing.CodeConflict},
		{post(true), ""},
		{unapply(), billing.CodeConflict},
		{unpost(), ""},
		{unpost(), ""},
		{unapply(), ""},
		{post(false), billing.CodeConflict},
	} {
		if codeOf(step.err) != step.code {
			t.Errorf("step %d: %v, want %q", i+1, step.err, step.code)
		}
	}
	b.decided(decision{does: claim.TriggerIgnore, era: r.ID, ordinal: 1})
	r = b.decided(decision{does: claim.TriggerIgnore, era: r.ID, ordinal: 2})
	if err := post(false); err != nil || counts(r) != "1/2 ii done" || r.NeedsAttention() {
		t.Errorf("%v, %s", err, counts(r))
	}
}

// TestChangedAfterReconciling takes the payment of a reconciled claim back. The
// claim can be reconciled again, once, or opened.
func TestChangedAfterReconciling(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("A-1")
	record := func(change func(*claim.Record) error) error {
		b.clock.Advance(time.Second)
		return b.store.InTx(t.Context(), b.scope, func(ctx context.Context, tx ports.Tx) error {
			c, err := tx.Claims.Lock(ctx, id)
			if err == nil {
				err = change(c)
			}
			if err != nil {
				return err
			}
			return tx.Claims.Save(ctx, c.Claim)
		})
	}
	reconcile := func() error {
		return record(func(c *claim.Record) error { return c.Reconcile(nil, "usr_1", b.clock.Now()) })
	}
	reopen := func() error {
		return record(func(c *claim.Record) error { return c.Reopen("usr_1", b.clock.Now()) })
	}
	first := paid("A-1", "P1", 2500)
	b.remit(first)
	if err := reconcile(); err != nil || b.stands(id) != "reconciled paid 125.00" {
		t.Fatalf("%v, %s", err, b.stands(id))
	}
	if err := reconcile(); codeOf(err) != billing.CodeConflict {
		t.Errorf("reconciled twice: %v", err)
	}
	b.clock.Advance(time.Second)
	b.remit(reversed(first), paid("A-1", "P1", 0))
	c := b.get(id)
	if !strings.Contains(c.NextStep(), "changed after") || b.stands(id) != "reconciled paid 150.00" {
		t.Errorf("%s: %s", b.stands(id), c.NextStep())
	}
	if err := reconcile(); err != nil || b.get(id).Unposted() {
		t.Errorf("reconciled again: %v", err)
	}
	b.clock.Advance(time.Second)
	b.remit(reversed(paid("A-1", "P1", 0)))
	if err := reopen(); err != nil || b.stands(id) != "accepted_payer" {
		t.Errorf("opened: %v, %s", err, b.stands(id))
	}
	if err := reopen(); codeOf(err) != billing.CodeConflict {
		t.Errorf("opened twice: %v", err)
	}
	b.agreeOn(id, "claim.paid claim.payment_reversed claim.paid claim.payment_reversed")
}

// TestForwardedIsNotDecided has a person match a claim that the payer forwarded. The
// payer decided nothing, so that the claim keeps its state and figures.
func TestForwardedIsNotDecided(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("A-1")
	r := b.remit(forwarded("LOST"))
	if counts(r) != "0/1 f done" {
		t.Fatal(counts(r))
	}
	d := decision{does: claim.TriggerMatch, era: r.ID, ordinal: 1, claim: id}
	for range 2 {
		if r = b.decided(d); counts(r) != "1/1 f done" || r.Claims[0].ClaimID != id || r.Claims[0].MatchedBy != remit.MatchedByUser {
			t.Errorf("matched: %s, %+v", counts(r), r.Claims[0].ClaimProgress)
		}
	}
	d.does = claim.TriggerApply
	if r = b.decided(d); counts(r) != "1/1 f done" {
		t.Errorf("applied: %s", counts(r))
	}
	d.does = claim.TriggerIgnore
	if r = b.decided(d); counts(r) != "1/1 i done" {
		t.Errorf("ignored: %s", counts(r))
	}
	if b.stands(id) != "accepted_payer" || b.events(id) != "" || len(b.ledger(id)) != 0 ||
		b.entries(id, claim.TriggerMatch) != 1 || b.entries(id, claim.TriggerApply) != 0 {
		t.Errorf("the claim is %s, events %q, history %+v", b.stands(id), b.events(id), b.get(id).History)
	}
}

// TestForwardedNextStep says who decides the claim next, until someone has decided.
func TestForwardedNextStep(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id, silent := b.claim("A-1"), b.claim("A-2")
	to := forwarded("A-1")
	to.Names = append(to.Names, remittance.Name{Entity: "TT", Kind: "2", Last: "OTHER DENTAL", IDQualifier: "PI", ID: "OTHER"})
	b.remit(to, forwarded("A-2"))
	step := func(id billing.ClaimID) string { return porttest.Claim(t, b.store, b.scope, id).NextStep() }
	for id, want := range map[billing.ClaimID]string{id: " OTHER DENTAL, ", silent: " another payer, "} {
		if got := step(id); !strings.Contains(got, want) || strings.Contains(got, "will decide") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	b.remit(paid("A-1", "P1", 0))
	if got := step(id); !strings.HasPrefix(got, "Post the payment") {
		t.Errorf("decided: %q", got)
	}
}

// TestUnappliedEstimate takes estimates back. The predetermination shows the one
// before, and waits for an estimate when none is left.
func TestUnappliedEstimate(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	id := b.claim("D-1", predetermination)
	other := estimated("D-1")
	other.Services[0].Adjustments[0].Amount, other.Services[0].Adjustments[1].Amount = 12000, 8000
	first, second := b.remit(estimated("D-1")), b.remit(other)
	pays := func() string {
		c := b.get(id)
		if c.Estimate == nil {
			return string(c.State)
		}
		return fmt.Sprint(c.State, " ", c.Estimate.Pay, " ", c.Estimate.ERAID == first.ID)
	}
	got := []string{pays()}
	for _, r := range []*remit.Record{second, first} {
		b.decided(decision{does: claim.TriggerUnapply, era: r.ID, ordinal: 1})
		got = append(got, pays())
	}
	b.decided(decision{does: claim.TriggerApply, era: first.ID, ordinal: 1})
	got = append(got, pays())
	if want := []string{"returned 120.00 false", "returned 100.00 true", "accepted_payer", "returned 100.00 true"}; !slices.Equal(got, want) {
		t.Errorf("the predetermination is %q, want %q", got, want)
	}
	if n := b.entries(id, claim.TriggerUnapply); n != 2 {
		t.Errorf("%d applications were taken back", n)
	}
}

// TestPostWhileItIsApplied posts a remittance whose claims are shown and not applied
// yet. It is refused, because some of them may need a person.
func TestPostWhileItIsApplied(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.claim("A-1")
	j := b.receive(paid("A-1", "P1", 0))
	var err error
	s := b.process(&porttest.Fault{At: 1, How: porttest.Passes, Then: func() {
		_, err = b.service.Post(t.Context(), write(b.scope, call(""), render), billing.ERAID(j.Subject), intake.PostRequest{})
	}})
	if failed := s.Apply(t.Context(), j); failed != nil || codeOf(err) != billing.CodeConflict {
		t.Errorf("posted while it is applied: %v, %v", err, failed)
	}
}
