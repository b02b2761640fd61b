package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// The limits of the sandbox clearinghouse's memory. Names are kept longer than any
// client sends a file again. A note records the decision on a claim, and is kept as
// long as the claim may be replaced.
const (
	sandboxNamesFor  = 7 * 24 * time.Hour
	sandboxNotesFor  = 90 * 24 * time.Hour
	sandboxNameBatch = "500"  // names at once; a literal, like forgetBatch
	sandboxNoteBatch = "5000" // notes per call, the maximum for a file of claims
)

const forgetMail = `
DELETE FROM sandbox_mail
WHERE name IN (
	SELECT name
	FROM sandbox_mail
	WHERE removed_at IS NOT NULL AND removed_at < now() - $1 * interval '1 us'
	ORDER BY removed_at
	LIMIT ` + sandboxNameBatch + `
)`

const forgetNotes = `
DELETE FROM sandbox_notes
WHERE (key, noted_by) IN (
	SELECT key, noted_by
	FROM sandbox_notes
	WHERE noted_at < now() - $1 * interval '1 us'
	ORDER BY noted_at
	LIMIT ` + sandboxNoteBatch + `
)`

// SandboxMail stores the memory of a clearinghouse of the sandbox: it is a
// sandboxnet.Mail. It has no scope; each call is its own transaction. Notes are
// shared by all of these clearinghouses.
type SandboxMail struct {
	store   *Store
	network string
}

// SandboxMail returns the memory of the sandbox's clearinghouse.
func (s *Store) SandboxMail() SandboxMail { return s.SandboxMailOf("sandbox") }

// SandboxMailOf returns the memory of the sandbox's clearinghouse in a network.
func (s *Store) SandboxMailOf(network string) SandboxMail { return SandboxMail{s, network} }

// sandboxFile is sandboxnet.MailFile.
type sandboxFile = struct {
	clearing.IncomingFile

	Due time.Time
}

// mailName is the ID of a row that has only a name.
type mailName string

// UUID returns the row ID that the file's encrypted content is bound to.
func (n mailName) UUID() string { return "sandbox mail " + string(n) }

func (m SandboxMail) in(ctx context.Context, fn func(ctx context.Context, t *tx) error) error {
	return m.store.transact(ctx, session{role: roleSystem}, false, fn)
}

// Put stores files, and deletes old names.
func (m SandboxMail) Put(ctx context.Context, files []sandboxFile) error {
	if len(files) == 0 {
		return nil
	}
	var names, modes pq.StringArray
	var contents pq.ByteaArray
	var orgs []billing.OrgID
	due := make([]sql.NullTime, 0, len(files))
	for _, f := range files {
		orgs, modes = append(orgs, f.Scope.Org), append(modes, string(f.Scope.Mode))
		names, due = append(names, f.Name), append(due, optional(f.Due))
		contents = append(contents, m.store.keys.sealOwn(billing.Scope{Mode: billing.ModeTest}, mailName(f.Name), f.Content))
	}
	return m.in(ctx, func(ctx context.Context, t *tx) error {
		if _, err := t.exec(ctx, forgetMail, sandboxNamesFor.Microseconds()); err != nil {
			return fmt.Errorf("delete old names of the sandbox: %w", err)
		}
		if _, err := t.exec(ctx, `
INSERT INTO sandbox_mail (name, content, due, org_id, mode, network)
SELECT name, content, due, org_id, mode, $6
FROM unnest($1::text[], $2::bytea[], $3::timestamptz[], $4::uuid[], $5::text[]) f (name, content, due, org_id, mode)
ON CONFLICT (name) DO NOTHING`, names, contents, pq.Array(due), pq.Array(orgs), modes, m.network); err != nil {
			return fmt.Errorf("store files of the sandbox: %w", err)
		}
		t.evidence = evidence{"SELECT EXISTS (SELECT FROM sandbox_mail WHERE name = $1)", []any{files[0].Name}}
		return nil
	})
}

// takeMail skips the few files that were returned a moment ago. They come first in the
// index. The files of an organization whose clock was touched are due by that clock, and
// found by it. Those of one whose test mode is being reset wait to be removed.
const takeMail = `
WITH first AS (` + dueMail + `), due AS (
	SELECT name
	FROM sandbox_mail
	WHERE name = ANY (ARRAY (SELECT name FROM first)) AND removed_at IS NULL AND coalesce(given_until <= $1, true)
	FOR UPDATE SKIP LOCKED
), given AS (
	UPDATE sandbox_mail m
	SET given_until = $1::timestamptz + $4 * interval '1 us'
	WHERE m.name = ANY (ARRAY (SELECT name FROM due)) -- a join would read all of the table
	RETURNING m.name, m.content, m.due, m.org_id, m.mode
)
SELECT name, content, org_id, coalesce(mode, '') AS mode, pg_current_xact_id()::text AS xid
FROM given
ORDER BY due, name`

// anyMail reports whether takeMail would find something. It writes nothing, and is asked
// several times a second.
const anyMail = "SELECT EXISTS (" + dueMail + ") AS due"

const dueMail = `
	(
		SELECT name, due
		FROM sandbox_mail m
		WHERE removed_at IS NULL AND due <= $1 AND coalesce(given_until <= $1, true) AND network = $3
			AND NOT EXISTS (SELECT FROM sandbox_clocks c WHERE c.org_id = m.org_id AND m.mode = 'test')
		ORDER BY due, name
		LIMIT $2
	) UNION ALL (
		SELECT m.name, m.due
		FROM (SELECT * FROM sandbox_clocks WHERE reset_job IS NULL ORDER BY org_id) c
		CROSS JOIN LATERAL (
			SELECT name, due
			FROM sandbox_mail
			WHERE org_id = c.org_id AND mode = 'test' AND removed_at IS NULL AND due <= ` + clockTime + `
				AND coalesce(given_until <= $1, true) AND network = $3
			ORDER BY due, name
			LIMIT $2
		) m
	)
	ORDER BY due, name
	LIMIT $2
`

// Take returns files whose time has come. Mostly there are none, which costs one message.
func (m SandboxMail) Take(ctx context.Context, now time.Time, pause time.Duration, limit int) (files []clearing.IncomingFile, err error) {
	var due bool
	err = m.store.transact(ctx, session{role: roleSystem}, true, func(ctx context.Context, t *tx) error {
		return t.last(ctx, []any{&due}, anyMail, micro(now), 1, m.network)
	})
	if err != nil {
		return nil, fmt.Errorf("look for files of the sandbox: %w", err)
	}
	if !due {
		return nil, nil
	}
	err = m.in(ctx, func(ctx context.Context, t *tx) error {
		files = nil
		var f clearing.IncomingFile
		err := t.each(ctx, "read files of the sandbox", []any{&f.Name, &f.Content, &f.Scope.Org, &f.Scope.Mode, &t.xid}, func() {
			files = append(files, f)
			f.Content = nil
		}, takeMail, micro(now), limit, m.network, pause.Microseconds())
		for i := range files {
			f := &files[i]
			var damaged error
			if f.Content, damaged = t.unseal(ctx, billing.Scope{Mode: billing.ModeTest}, mailName(f.Name), f.Content); damaged != nil {
				err = errors.Join(err, fmt.Errorf("decrypt a file of the sandbox: %w", damaged))
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return files, nil
}

// Remove deletes a file and keeps its name.
func (m SandboxMail) Remove(ctx context.Context, name string) error {
	return m.in(ctx, func(ctx context.Context, t *tx) error {
		return t.later(ctx, mailName(name), "UPDATE sandbox_mail SET removed_at = now(), content = NULL WHERE name = $1 AND removed_at IS NULL", name)
	})
}

// noteKey is the ID of the notes under a key.
type noteKey [32]byte

// UUID returns the row ID that the note's encrypted content is bound to.
func (k noteKey) UUID() string { return fmt.Sprintf("sandbox note %x", k[:]) }

// lockNotes waits for other notes, so that their serials are in the order of the commits.
func (t *tx) lockNotes(ctx context.Context) error {
	var locked sql.NullString
	return t.fetch(ctx, "wait for other notes of the sandbox", &locked, "SELECT pg_advisory_xact_lock(hashtextextended('sandbox notes', 0))")
}

const noteDown = `
INSERT INTO sandbox_notes (key, noted_by, noted_at, content, org_id, mode)
SELECT key, noted_by, now(), content, org_id, mode
FROM unnest($1::bytea[], $2::text[], $3::bytea[], $4::uuid[], $5::text[]) WITH ORDINALITY n (key, noted_by, content, org_id, mode, place)
ORDER BY place
ON CONFLICT (key, noted_by) DO NOTHING`

const notedBefore = `
SELECT before.content
FROM unnest($1::bytea[], $2::text[]) WITH ORDINALITY n (key, noted_by, place)
JOIN sandbox_notes own USING (key, noted_by)
LEFT JOIN LATERAL (
	SELECT content
	FROM sandbox_notes
	WHERE key = own.key AND serial < own.serial
	ORDER BY serial DESC
	LIMIT 1
) before ON true
ORDER BY n.place`

// Remember stores notes and deletes old ones. Each call waits for the previous call
// before it assigns serials, so the serials are in the order of the calls.
func (m SandboxMail) Remember(ctx context.Context, notes []scenario.Note) (before [][]byte, err error) {
	if len(notes) == 0 {
		return nil, nil
	}
	var keys, contents pq.ByteaArray
	var by, modes pq.StringArray
	var orgs []billing.OrgID
	for _, n := range notes {
		keys, by = append(keys, n.Key[:]), append(by, n.By)
		orgs, modes = append(orgs, n.Scope.Org), append(modes, string(n.Scope.Mode))
		contents = append(contents, m.store.keys.sealOwn(billing.Scope{Mode: billing.ModeTest}, noteKey(n.Key), n.Content))
	}
	err = m.in(ctx, func(ctx context.Context, t *tx) error {
		if err := t.lockNotes(ctx); err != nil {
			return err
		}
		t.evidence = evidence{"SELECT EXISTS (SELECT FROM sandbox_notes WHERE key = $1 AND noted_by = $2)", []any{notes[0].Key[:], notes[0].By}}
		if _, err := t.exec(ctx, forgetNotes, sandboxNotesFor.Microseconds()); err != nil {
			return fmt.Errorf("delete old notes of the sandbox: %w", err)
		}
		if _, err := t.exec(ctx, noteDown, keys, by, contents, pq.Array(orgs), modes); err != nil {
			return fmt.Errorf("store notes of the sandbox: %w", err)
		}
		before, err = columnOf[[]byte](ctx, t, "read notes of the sandbox", notedBefore, keys, by)
		for i, row := range before {
			if row == nil {
				continue
			}
			var damaged error
			if before[i], damaged = t.unseal(ctx, billing.Scope{Mode: billing.ModeTest}, noteKey(notes[i].Key), row); damaged != nil {
				err = errors.Join(err, fmt.Errorf("decrypt a note of the sandbox: %w", damaged))
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return before, nil
}
