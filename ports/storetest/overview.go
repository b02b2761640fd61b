package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
)

// testAlike finds a person under another name, by the member ID of a check or of a claim, and
// no other: not with another date of birth, not with a number that only begins so.
func testAlike(b *scoped) {
	here, check, claimed, older, longer, stranger := b.person(), b.person(), b.person(), b.person(), b.person(), b.person()
	older.DateOfBirth.Day, stranger.Scope = 28, b.others()[0]
	people := []*directory.Patient{&here, &check, &claimed, &older, &longer, &stranger}
	for n, p := range people {
		p.CreatedAt = p.CreatedAt.Add(time.Duration(n) * time.Second)
		if _, err := try(b, p.Scope, func(ctx context.Context, tx ports.Tx) ([]billing.PatientID, error) {
			return tx.Patients.Find(ctx, []directory.Person{{Key: "alike " + p.ID.String(), Patient: *p}})
		}); err != nil {
			b.t.Fatal(err)
		}
	}
	for n, p := range people {
		c := b.claim(n)
		c.Scope, c.PatientID, c.Subscriber.MemberID = p.Scope, p.ID, []string{"M-1", "other", "m-2", "M-1", "M-10", "M-1"}[n]
		b.insertClaims(c)
	}
	mine, theirs := b.check(1), b.check(2)
	mine.PatientID, mine.Inquiry.Subscriber.MemberID = here.ID, "M-2"
	theirs.PatientID, theirs.Inquiry.Subscriber.MemberID = check.ID, "m-1"
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Checks.Insert(ctx, mine), tx.Checks.Insert(ctx, theirs))
	})
	alike := func(p *directory.Patient, limit int) []*directory.Patient {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*directory.Patient, error) {
			return tx.Patients.Alike(ctx, p, limit)
		})
	}
	equal(b.t, "alike", alike(&here, 9), []*directory.Patient{&claimed, &check})
	equal(b.t, "the newest of them", alike(&here, 1), []*directory.Patient{&claimed})
	equal(b.t, "alone", alike(&longer, 9), []*directory.Patient{})
}

// testOwed sums what a patient owes: 20.00 of a claim, of which the patient has paid 5.00;
// 30.00 that were billed to the patient; once the 12.00 of services that two payers decided.
// A voided claim, a draft, a predetermination and another patient's claim add nothing, and
// what was paid too much for one claim does not pay another.
func testOwed(b *scoped) {
	patient := id[billing.PatientID]()
	owing := func(n int, amount billing.Money, change func(*claim.Claim)) *claim.Claim {
		c := b.claim(n)
		c.PatientID, c.SentAt, c.State, c.PatientPaid = patient, b.now, claim.Paid, 0
		c.Lines, c.OtherCoverage, c.Coverage, c.Frequency = []claim.Line{{ProcedureCode: "D0120", Fee: 100_00, Quantity: 1}}, nil, billing.SequencePrimary, claim.FrequencyOriginal
		c.Standing = &claim.Standing{Outcome: "paid", Paid: 50_00, PatientResponsibility: amount}
		change(c)
		return c
	}
	same := func(*claim.Claim) {}
	first, second := owing(5, 12_00, same), owing(6, 12_00, same)
	first.SecondaryID, second.SecondaryTo, second.Coverage = second.ID, first.ID, billing.SequenceSecondary
	b.insertClaims(
		owing(0, 20_00, func(c *claim.Claim) { c.PatientPaid = 5_00 }),
		owing(1, 0, func(c *claim.Claim) {
			c.Accepted = []claim.AcceptedOpen{{ID: id[billing.AcceptedID](), As: claim.AcceptBillPatient, Lines: []claim.LineAmount{{Number: 1, Amount: 30_00}}, At: b.now}}
		}),
		owing(2, 7_00, func(c *claim.Claim) { c.State = claim.Voided }),
		owing(3, 7_00, func(c *claim.Claim) { c.SentAt, c.State = time.Time{}, claim.Draft }),
		owing(4, 7_00, func(c *claim.Claim) { c.PatientID = id[billing.PatientID]() }),
		owing(7, 1_00, func(c *claim.Claim) { c.PatientPaid = 90_00 }),
		first, second,
	)
	owed := func(of billing.PatientID) billing.Money {
		return read(b, func(ctx context.Context, tx ports.Tx) (billing.Money, error) { return tx.Claims.Owed(ctx, of) })
	}
	equal(b.t, "owed", owed(patient), billing.Money(15_00+30_00+12_00))
	equal(b.t, "owed by another", owed(id[billing.PatientID]()), billing.Money(0))
}
