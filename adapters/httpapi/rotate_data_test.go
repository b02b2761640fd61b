package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"fmt"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/ports"
)

// sealed returns the encrypted bytes of every column, by table, column and place, and the data
// keys that stand in them.
func (s *service) sealed(t *testing.T) (values map[string][][]byte, keys map[string]bool) {
	t.Helper()
	db, err := sql.Open("postgres", s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	known := map[string]bool{}
	read := func(query string, each func(b []byte)) {
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(query, err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var b []byte
			if err := rows.Scan(&b); err != nil {
				t.Fatal(err)
			}
			each(b)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	read("SELECT id FROM data_keys", func(b []byte) { known[string(b)] = true })
	var columns []string
	read("SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public' AND data_type = 'bytea'", func(b []byte) {
		columns = append(columns, string(b))
	})
	values, keys = map[string][][]byte{}, map[string]bool{}
	for _, column := range columns {
		table, name, _ := bytes.Cut([]byte(column), []byte("."))
		read(fmt.Sprintf("SELECT %s FROM %s WHERE %[1]s IS NOT NULL ORDER BY ctid", name, table), func(b []byte) {
			if len(b) > 9 && b[0] == 2 && known[string(b[1:9])] { // version 2, and the ID of the data key
				values[column], keys[string(b[1:9])] = append(values[column], b), true
			}
		})
	}
	delete(values, "data_keys.wrapped")
	return values, keys
}

// TestRotateData encrypts all that a practice has anew, while it works.
func TestRotateData(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	m := s.practice(t)
	s.connection(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	seed := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	code, err := totp.GenerateCode(seed, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s.must(t, 200, owner.call(call{
		method: "PATCH", path: "/users/" + s.must(t, 200, owner.call(call{path: "/me"})).text(t, "user", "id"),
		body: fmt.Sprintf(`{"current_password":%q,"totp_secret":%q,"totp":%q}`, password, seed, code),
	}))
	file := &clearing.ReceivedFile{
		ID: billing.NewID[billing.FileID](billing.RealAt(time.Now())), Network: "one", Scope: billing.Scope{Mode: billing.ModeLive},
		RemoteFile: clearing.RemoteFile{Name: "a.835", Size: 7, Time: time.Now()}, State: clearing.FileReceived, Since: time.Now(), Listed: true, Holder: billing.JobID{1},
	}
	content := []byte("ISA*00*")
	file.Digest = sha256.Sum256(content)
	in := func(fn func(ctx context.Context, tx ports.SystemTx) error) {
		t.Helper()
		if err := s.store.System(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	in(func(ctx context.Context, tx ports.SystemTx) error {
		if err := tx.Received.Put(ctx, file); err != nil {
			return err
		}
		return tx.Contents.Add(ctx, file, 0, content)
	})
	mail := s.store.SandboxMailOf("another")
	if err := mail.Put(t.Context(), []sandboxnet.MailFile{{IncomingFile: clearing.IncomingFile{Name: "a.277", Content: content}, Due: time.Now()}}); err != nil {
		t.Fatal(err)
	}
	s.count(t, "WITH w AS (UPDATE acknowledgements SET excerpt = content RETURNING id) SELECT count(*) FROM w") // as of a file with claims of others
	s.must(t, 200, call{path: "/notes/" + m.note + "/strike", body: `{"reason":"It is about another patient."}`})
	written := s.must(t, 200, call{path: "/claims/" + m.claim + "/notes"}).body
	read := call{path: "/claims/" + m.claim}
	again := call{path: "/claims", body: s.crown("PAID-ERA", func(anObject) {}), idem: "again"}
	first := s.must(t, 201, again)
	was, before := s.sealed(t)

	var last pgstore.DataRotation
	if err := s.store.RotateData(t.Context(), time.Millisecond, func(at pgstore.DataRotation) { last = at }); err != nil {
		t.Fatal(err)
	}
	is, after := s.sealed(t)
	for key := range before {
		if after[key] {
			t.Errorf("the data key %x still encrypts rows", key)
		}
	}
	if last.Rows == 0 || last.Keys < 2 || last.Done != last.Blocks || !last.Last {
		t.Errorf("the progress ended with %+v", last)
	}
	for _, column := range []string{
		"acknowledgements.content", "acknowledgements.excerpt", "batches.content", "connections.secrets", "deposits.content", "eligibility_checks.exchanges", "eras.content",
		"idempotency_keys.body", "notes.content", "notes.struck_reason", "quarantine.content", "received_parts.content", "sandbox_mail.content", "sandbox_notes.content",
		"sandbox_scenarios.content", "status_inquiries.exchanges", "users.totp", "webhook_endpoints.secret",
	} {
		if len(was[column]) == 0 || len(is[column]) < len(was[column]) {
			t.Errorf("%s: %d encrypted values, then %d", column, len(was[column]), len(is[column]))
		}
	}
	in(func(ctx context.Context, tx ports.SystemTx) error {
		b, err := tx.Contents.Read(ctx, file)
		if err == nil && !bytes.Equal(b, content) {
			t.Errorf("the received file is %q", b)
		}
		return err
	})
	if files, err := mail.Take(t.Context(), time.Now(), time.Minute, 1); err != nil || len(files) != 1 || !bytes.Equal(files[0].Content, content) {
		t.Errorf("the mail of the sandbox is %v, %v", files, err)
	}
	if a := s.must(t, 201, again); a.body != first.body {
		t.Errorf("the reply to a repeated request: %s", a.body)
	}
	s.must(t, 200, read)
	if a := s.must(t, 200, call{path: "/claims/" + m.claim + "/notes"}); a.body != written {
		t.Errorf("the notes were %s, are %s", written, a.body)
	}
}
