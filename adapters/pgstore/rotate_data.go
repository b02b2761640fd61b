package pgstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
)

// sealedColumns are the encrypted columns. The functions sealed_before and reseal know what
// their bytes are bound to.
func sealedColumns() []string {
	return []string{
		"acknowledgements.content", "acknowledgements.excerpt", "appeals.content", "batches.content", "connections.secrets", "deposits.content", "eligibility_checks.exchanges", "eras.content",
		"idempotency_keys.body", "notes.content", "notes.struck_reason", "quarantine.content", "received_parts.content", "sandbox_mail.content", "sandbox_notes.content",
		"sandbox_scenarios.content", "status_inquiries.exchanges", "users.totp", "webhook_endpoints.secret",
	}
}

const (
	// Settled is how long a process may go on with a data key that was replaced: it looks
	// every two seconds, and then ends the transactions that have begun.
	Settled = time.Minute

	replacesAtOnce = 200 // data keys in one transaction
	blocksAtOnce   = 4   // of a table; a step has at most some hundred rows
)

// DataRotation is how far a rotation of data keys is.
type DataRotation struct {
	Keys         int   // were replaced by this call
	Rows         int   // were encrypted anew by this call
	Done, Blocks int64 // of all tables, in the present pass
	Last         bool  // this pass finds what running processes wrote with replaced keys
}

// RotateData gives every organization and the deployment a new data key, and encrypts all rows
// with it, a few at a time, with rests between. It reports its progress after each step, and looks
// once more when the other processes have settled. It can be ended at any time, and goes on when it
// is called again.
//
// Errors: billing.ErrConflict for a database without data keys, or while another call runs.
func (s *Store) RotateData(ctx context.Context, settled time.Duration, progress func(DataRotation)) error {
	if len(s.keys.wraps) == 0 {
		return errNoSecret
	}
	release, err := s.rotatesAlone(ctx)
	if err != nil {
		return err
	}
	return errors.Join(s.rotateData(ctx, settled, progress), release())
}

func (s *Store) rotateData(ctx context.Context, settled time.Duration, progress func(DataRotation)) error {
	var begun time.Time
	err := s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) (err error) {
		begun, err = t.beginDataRotation(ctx)
		return err
	})
	var at DataRotation
	for n := 1; err == nil && n > 0; at.Keys += n {
		err = s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
			n, err = t.replaceKeys(ctx, begun)
			return err
		})
	}
	var since time.Time // when the last data key was replaced, by the clock of this process
	if err == nil {
		since, err = time.Now(), s.look(ctx) // this process takes the new keys into use
	}
	for err == nil {
		at.Last = time.Since(since) >= settled
		before := at.Rows
		if err = s.resealAll(ctx, &at, progress); err == nil && at.Last && at.Rows == before {
			break
		}
		if !at.Last && !pause(ctx, time.Until(since.Add(settled))) {
			err = ctx.Err()
		}
	}
	if err != nil {
		return err
	}
	return s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
		if _, err := t.exec(ctx, "UPDATE data_rotations SET ended_at = clock_timestamp() WHERE ended_at IS NULL"); err != nil {
			return fmt.Errorf("end a rotation: %w", err)
		}
		return nil
	})
}

const (
	tryDataRotation = "SELECT pg_try_advisory_lock(hashtextextended('molar data rotation', 0))"

	// releaseWait is how long a rotation waits for one that was killed: the server notices that soon.
	releaseWait = 3 * time.Second
)

const dataRotator = `
SELECT a.pid, coalesce(host(a.client_addr), 'this machine'), coalesce(a.backend_start, now())
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND l.classid::bigint << 32 | l.objid::bigint = hashtextextended('molar data rotation', 0)`

// rotatesAlone excludes other data rotations until release. The lock belongs to a connection of its
// own, so it ends with the process. If the server ends that connection, another rotation may
// begin: both then encrypt the rows that the other has not, which is slow and not wrong.
func (s *Store) rotatesAlone(ctx context.Context) (release func() error, err error) {
	db := sql.OpenDB(plainLogin(s.connector.config))
	db.SetMaxOpenConns(1)
	for begun := time.Now(); ; {
		var locked bool
		if err := db.QueryRowContext(ctx, tryDataRotation).Scan(&locked); err != nil {
			return nil, errors.Join(fmt.Errorf("begin a rotation: %w", ofStatement(ctx, err)), db.Close())
		}
		if locked {
			return db.Close, nil
		}
		if time.Since(begun) > releaseWait || !pause(ctx, retryDelay*10) {
			return nil, errors.Join(otherRotation(ctx, db), db.Close())
		}
	}
}

// otherRotation says which rotation excludes this one.
func otherRotation(ctx context.Context, db *sql.DB) error {
	var pid int
	var from string
	var since time.Time
	err := db.QueryRowContext(ctx, dataRotator).Scan(&pid, &from, &since)
	which := ""
	switch {
	case errors.Is(err, sql.ErrNoRows): // it has just ended
	case err != nil:
		return fmt.Errorf("find the other rotation: %w", ofStatement(ctx, err))
	default:
		which = fmt.Sprintf(", which came from %s at %s (process %d of the database server)", from, since.UTC().Format(time.RFC3339), pid)
	}
	return &billing.Error{Code: billing.CodeConflict, Message: fmt.Sprintf(
		"Another molar secrets rotate --data runs%s. Wait until it ends. Or end it and run this again, which goes on where it was.", which)}
}

// beginDataRotation returns when the rotation began that has not ended, or begins one.
func (t *tx) beginDataRotation(ctx context.Context) (begun time.Time, err error) {
	if found, err := t.deploymentKeys(ctx); err != nil || !found {
		if err == nil {
			err = &billing.Error{Code: billing.CodeConflict, Message: "There are no data keys yet: one key encrypts every row. Run molar secrets rotate, then this again."}
		}
		return begun, err
	}
	if _, err := t.exec(ctx, "INSERT INTO data_rotations (begun_at) VALUES (clock_timestamp()) ON CONFLICT DO NOTHING"); err != nil {
		return begun, fmt.Errorf("begin a rotation: %w", err)
	}
	return begun, t.get(ctx, &begun, "SELECT begun_at FROM data_rotations WHERE ended_at IS NULL")
}

// replaceKeys replaces some of the data keys that are older than the rotation, and returns how
// many.
func (t *tx) replaceKeys(ctx context.Context, begun time.Time) (int, error) {
	var locked sql.NullString
	if err := t.get(ctx, &locked, shareKeys); err != nil {
		return 0, fmt.Errorf("replace data keys: %w", err)
	}
	old, err := t.wrappedKeys(ctx, "WHERE purpose = 'rows' AND replaced_at IS NULL AND created_at < $1 ORDER BY id LIMIT $2 FOR UPDATE", begun, replacesAtOnce)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	current, err := t.wrappedKeys(ctx, "WHERE org_id IS NULL AND purpose = 'rows' AND replaced_at IS NULL")
	if err != nil {
		return 0, err
	}
	wrap := t.store.keys.wrapper(current)
	if wrap == nil {
		return 0, ErrOtherKey
	}
	ids := make(pq.ByteaArray, len(old))
	for i, w := range old {
		ids[i] = w.id
	}
	if _, err := t.exec(ctx, "UPDATE data_keys SET replaced_at = clock_timestamp() WHERE id = ANY ($1)", ids); err != nil {
		return 0, fmt.Errorf("replace data keys: %w", err)
	}
	for _, w := range old {
		var plain [32]byte
		_, _ = rand.Read(plain[:]) // never fails
		if err := t.storeKey(ctx, wrap, wrappedKey{org: w.org, purpose: purposeRows}, plain); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}

// resealAll encrypts anew what no present data key encrypts, in all tables.
func (s *Store) resealAll(ctx context.Context, at *DataRotation, progress func(DataRotation)) error {
	blocks := map[string]int64{}
	at.Done, at.Blocks = 0, 0
	for _, c := range sealedColumns() {
		table, _, _ := strings.Cut(c, ".")
		var n int64
		err := s.transact(ctx, session{role: roleSystem}, true, func(ctx context.Context, t *tx) error {
			return t.get(ctx, &n, "SELECT pg_relation_size($1::regclass) / current_setting('block_size')::int", table)
		})
		if err != nil {
			return fmt.Errorf("the size of %s: %w", table, err)
		}
		blocks[c] = n
		at.Blocks += n
	}
	progress(*at)
	for _, c := range sealedColumns() {
		for first := int64(0); first < blocks[c]; first += blocksAtOnce {
			began := time.Now()
			var n int
			err := s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) (err error) {
				n, err = t.reseal(ctx, c, first)
				return err
			})
			if err != nil {
				return err
			}
			at.Rows += n
			at.Done += min(blocksAtOnce, blocks[c]-first)
			progress(*at)
			if !pause(ctx, resealRest*time.Since(began)) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// resealRest is how much longer a rotation rests than it works, so that the service is at most
// a tenth slower.
const resealRest = 9

// sealedRow is an encrypted column of a row.
type sealedRow struct {
	place   string // its tid
	org     billing.OrgID
	boundTo string
	content []byte
}

// reseal encrypts what some blocks of a table have anew, and returns the number of rows.
func (t *tx) reseal(ctx context.Context, column string, first int64) (int, error) {
	table, name, _ := strings.Cut(column, ".")
	var row sealedRow
	var rows []sealedRow
	err := t.each(ctx, "read encrypted rows of "+table, []any{&row.place, &row.org, &row.boundTo, &row.content}, func() {
		rows = append(rows, row)
		row.content = nil
	}, "SELECT place, org, bound_to, content FROM sealed_before($1, $2, $3, $4)", table, name, first, blocksAtOnce)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	var places pq.StringArray
	var contents pq.ByteaArray
	for _, r := range rows {
		plain, err := t.open(ctx, r.org, []byte(r.boundTo), r.content)
		if err != nil {
			return 0, fmt.Errorf("decrypt %s in the row %s: %w", column, r.place, err)
		}
		key := t.store.keys.deployment().rows
		if !r.org.IsZero() {
			if key, err = t.dataKey(ctx, r.org); err != nil {
				return 0, err
			}
		}
		places, contents = append(places, r.place), append(contents, key.seal(plain, []byte(r.boundTo)))
	}
	var n int
	if err := t.get(ctx, &n, "SELECT reseal($1, $2, $3::tid[], $4)", table, name, places, contents); err != nil {
		return 0, fmt.Errorf("encrypt rows of %s anew: %w", table, err)
	}
	if n != len(rows) {
		return 0, errors.New("pgstore: a locked row of " + table + " changed")
	}
	return n, nil
}
