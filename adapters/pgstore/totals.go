package pgstore

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
)

type totals struct{ *tx }

// Triggers of the table claims write every change of the totals to claim_changes.
// claim_totals has the changes of earlier times, added up; see ADR 48. A statement reads
// both at one moment, so their sum is exact.

// claims reads the totals: for each kind and state the number of claims, and for each age
// the money of its claims. For the days of the activity it has separate rows.
func (r totals) claims(today billing.Date) (string, []any) {
	var bounds pq.Int64Array // the first day of each age but the youngest
	for _, age := range claim.Ages()[1:] {
		bounds = append(bounds, int64(age.From))
	}
	q := &query{}
	q.add(`
SELECT kind, state, CASE WHEN kind = '' THEN width_bucket(%::date - day, %::int[]) ELSE 0 END AS age,
	CASE WHEN day > $1::date - %::int AND day <= $1::date THEN day END AS sent,
	sum(claims)::bigint AS claims, sum(charged)::bigint AS charged, sum(paid)::bigint AS paid, sum(patient)::bigint AS patient,
	sum(outstanding)::bigint AS outstanding, sum(elsewhere)::bigint AS elsewhere, sum(billed)::bigint AS billed, sum(overpaid)::bigint AS overpaid
FROM (
	SELECT kind, state, day, claims, charged, paid, patient, outstanding, elsewhere, billed, overpaid FROM claim_totals WHERE org_id = % AND mode = %
	UNION ALL
	SELECT kind, state, day, claims, charged, paid, patient, outstanding, elsewhere, billed, overpaid FROM claim_changes WHERE org_id = $4 AND mode = $5
) counted
GROUP BY 1, 2, 3, 4`, today, bounds, claim.ActivityDays, r.scope.Org, r.scope.Mode)
	return q.text(""), q.args
}

// Claims reads the totals of the scope's claims.
func (r totals) Claims(ctx context.Context, today billing.Date) (claim.Totals, error) {
	all := claim.Totals{
		States: map[claim.Kind]map[claim.State]int{claim.KindClaim: {}, claim.KindPredetermination: {}},
		Sent:   activity(today),
	}
	for _, age := range claim.Ages() {
		all.Ages = append(all.Ages, claim.AgeTotal{Age: age})
	}
	var kind claim.Kind
	var state claim.State
	var age, count int
	var sent billing.Date
	var money claim.ClaimMoney
	to := []any{
		&kind, &state, &age, &sent, &count, &money.Charged, &money.Paid, &money.PatientResponsibility, &money.Outstanding,
		&money.PaidElsewhere, &money.BilledToPatient, &money.Overpaid,
	}
	text, args := r.claims(today)
	err := r.each(ctx, "read the totals of claims", to, func() {
		if kind != "" {
			all.States[kind][state] += count
			return
		}
		all.Ages[age].ClaimMoney = all.Ages[age].Add(money)
		for i := range all.Sent {
			if all.Sent[i].Day == sent {
				all.Sent[i].Count.Count += count
			}
		}
	}, text, args...)
	return all, err
}

// activity returns the days of the activity without counts.
func activity(today billing.Date) []claim.DayCount {
	days := make([]claim.DayCount, claim.ActivityDays)
	for i := range days {
		days[i].Day = today.AddDays(i - len(days) + 1)
	}
	return days
}

// totalsBatch is the number of changes in a transaction.
const totalsBatch = 20_000

// keepTotals adds the changes of the totals to the totals until ctx ends, whenever keepFit
// saw some. A change costs its scope a microsecond of each summary until then. Several
// processes share the work.
func (s *Store) keepTotals(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.uncounted:
		}
		for {
			n, err := s.addTotals(ctx)
			if err != nil && ctx.Err() == nil {
				s.log.DebugContext(ctx, "adding up the totals of claims failed", slog.Any("error", err))
			}
			if err != nil || n < totalsBatch {
				break
			}
		}
	}
}

// addTotals adds some changes to the totals, and returns how many. It does not wait for
// those that another process adds. Totals are written in the order of their key, so that
// two processes cannot deadlock. The trigger totals_added adds the columns that the
// release before does not know.
func (s *Store) addTotals(ctx context.Context) (n int, err error) {
	err = s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
		return t.get(ctx, &n, addTotals, totalsBatch)
	})
	return n, err
}

const addTotals = `
WITH taken AS (
	DELETE FROM claim_changes
	WHERE ctid = ANY (ARRAY(SELECT ctid FROM claim_changes LIMIT $1 FOR UPDATE SKIP LOCKED))
	RETURNING org_id, mode, kind, state, day, claims, charged, paid, patient, outstanding
), added AS (
	INSERT INTO claim_totals AS t (org_id, mode, kind, state, day, claims, charged, paid, patient, outstanding)
	SELECT org_id, mode, kind, state, day, sum(claims), sum(charged), sum(paid), sum(patient), sum(outstanding)
	FROM taken
	GROUP BY org_id, mode, kind, state, day
	ORDER BY org_id, mode, kind, state, day
	ON CONFLICT (org_id, mode, kind, state, day) DO UPDATE
	SET claims = t.claims + excluded.claims, charged = t.charged + excluded.charged, paid = t.paid + excluded.paid,
		patient = t.patient + excluded.patient, outstanding = t.outstanding + excluded.outstanding
)
SELECT count(*) FROM taken`

// waiting counts the remittances that are not posted, those that need attention with their
// unfinished claims, the files in quarantine, and the open attachments. When the work on a
// remittance has ended, claims that it left out need review.
func (r totals) waiting() (string, []any) {
	q := &query{}
	q.add(`
SELECT
	(SELECT count(*) FROM (
		SELECT FROM eras WHERE org_id = % AND mode = % AND received_at IS NOT NULL AND state = 'needs_review' LIMIT %
	) waiting) AS not_posted,
	(SELECT count(*) FROM (
		SELECT FROM quarantine WHERE org_id = $1 AND mode = $2 LIMIT $3
	) quarantined) AS quarantined,
	(SELECT count(*) FROM (
		SELECT FROM attachments WHERE org_id = $1 AND mode = $2 AND state = 'open' LIMIT $3
	) open) AS open_attachments,
	coalesce(sum(unmatched_count + CASE stage
		WHEN 'done' THEN claim_count - applied_count - unmatched_count - ignored_count - forwarded_count
		ELSE needs_review_count
	END), 0) AS unfinished, count(*) AS eras
FROM (
	SELECT stage, claim_count, applied_count, needs_review_count, unmatched_count, ignored_count, forwarded_count
	FROM eras
	WHERE org_id = $1 AND mode = $2 AND received_at IS NOT NULL AND needs_attention
	LIMIT $3
) attention`, r.scope.Org, r.scope.Mode, claim.MaxCount+1)
	return q.text(""), q.args
}

// Waiting counts what waits for a person.
func (r totals) Waiting(ctx context.Context) (w claim.Waiting, err error) {
	var notPosted, quarantined, attachments, unfinished, eras int
	text, args := r.waiting()
	if err := r.row(ctx, []any{&notPosted, &quarantined, &attachments, &unfinished, &eras}, text, args...); err != nil {
		return w, fmt.Errorf("count what waits: %w", err)
	}
	attention := claim.UpTo(claim.MaxCount, eras)
	return claim.Waiting{
		NotPosted: claim.UpTo(claim.MaxCount, notPosted), NeedAttention: attention, UnfinishedClaims: claim.Count{Count: unfinished, More: attention.More},
		Quarantined: claim.UpTo(claim.MaxCount, quarantined), OpenAttachments: claim.UpTo(claim.MaxCount, attachments),
	}, nil
}

func (r totals) toSend() (string, []any) {
	q := &query{}
	q.add(`
SELECT payer_id, CASE WHEN unverified THEN 'office' ELSE '' END AS hold, count, sum(count) OVER () AS counted,
	(SELECT payer_name FROM claims c WHERE mode = % AND org_id = % AND state = 'queued' AND batch_id IS NULL AND held IS NULL AND c.payer_id = waiting.payer_id LIMIT 1) AS payer_name
FROM (
	SELECT payer_id, o.verified_at IS NULL AS unverified, count(*)
	FROM (
		SELECT payer_id, office_id FROM claims WHERE mode = $1 AND org_id = $2 AND state = 'queued' AND batch_id IS NULL AND held IS NULL LIMIT %
	) queued LEFT JOIN offices o ON o.id = office_id
	GROUP BY payer_id, unverified
) waiting
ORDER BY count DESC, payer_id, hold
LIMIT %`, r.scope.Mode, r.scope.Org, claim.MaxCount+1, claim.MaxToSend)
	return q.text(""), q.args
}

// ToSend counts the claims that wait for a batch.
func (r totals) ToSend(ctx context.Context) (all []claim.ToSend, err error) {
	var one claim.ToSend
	var counted int
	text, args := r.toSend()
	err = r.each(ctx, "count queued claims", []any{&one.PayerID, &one.Hold, &one.Count.Count, &counted, &one.PayerName}, func() {
		one.More = counted > claim.MaxCount
		all = append(all, one)
	}, text, args...)
	return all, err
}

func (r totals) payerRequests() (string, []any) {
	q := &query{}
	q.add(`
SELECT due_date AS day, count(*)
FROM (
	SELECT due_date FROM payer_requests WHERE org_id = % AND mode = % AND state = 'open' ORDER BY due_date NULLS FIRST LIMIT %
) open
GROUP BY 1
ORDER BY 1 NULLS FIRST`, r.scope.Org, r.scope.Mode, claim.MaxCount+1)
	return q.text(""), q.args
}

// PayerRequests counts the open payer requests by day.
func (r totals) PayerRequests(ctx context.Context) (open claim.OpenRequests, err error) {
	var due claim.DayCount
	total := 0
	text, args := r.payerRequests()
	err = r.each(ctx, "count open payer requests", []any{&due.Day, &due.Count.Count}, func() {
		total += due.Count.Count
		switch {
		case due.Day.IsZero():
			open.Undated = claim.UpTo(claim.MaxCount, due.Count.Count)
		case len(open.Due) < claim.MaxDueDays:
			open.Due = append(open.Due, due)
		default:
			open.Later.Count += due.Count.Count
		}
	}, text, args...)
	open.Open = claim.UpTo(claim.MaxCount, total)
	open.Later.More = open.Open.More
	return open, err
}

func (r totals) checks(today billing.Date) (string, []any) {
	q := &query{}
	q.add(`
SELECT ago, (
	SELECT count(*)
	FROM (
		SELECT
		FROM eligibility_checks
		WHERE org_id = % AND mode = % AND created_at >= %::timestamptz - ago * interval '1 day' AND created_at < $3::timestamptz + (1 - ago) * interval '1 day'
		LIMIT %
	) made
)
FROM generate_series(0, %::int - 1) ago`, r.scope.Org, r.scope.Mode, today.Time(), claim.MaxDailyChecks+1, claim.ActivityDays)
	return q.text(""), q.args
}

// Checks counts the checks of each day of the activity.
func (r totals) Checks(ctx context.Context, today billing.Date) ([]claim.DayCount, error) {
	days := activity(today)
	var ago, count int
	text, args := r.checks(today)
	err := r.each(ctx, "count checks by day", []any{&ago, &count}, func() {
		days[len(days)-1-ago].Count = claim.UpTo(claim.MaxDailyChecks, count)
	}, text, args...)
	return days, err
}

// PendingOffices reads offices with a change that waits for the operator.
func (r totals) PendingOffices(ctx context.Context) ([]*directory.Office, error) {
	q := officeTable.of(r.tx)
	q.where("details -> 'Pending' IS NOT NULL")
	return officeTable.many(ctx, r.tx, "find changed offices", q.text("ORDER BY created_at, id LIMIT 100"), q.args...)
}
