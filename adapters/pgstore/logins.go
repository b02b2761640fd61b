package pgstore

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/lib/pq"
)

// Admit grants molar_app and molar_system to the login of the service URL, and molar_scopes to molar_app. If the
// login does not exist, Admit creates it with the URL's password. A new login owns
// nothing and has no other role. The login of the owner URL must have the right to
// grant these roles. The login that ran the migrations has it.
func Admit(ctx context.Context, owner, service string) (err error) {
	config, err := connConfig(service)
	if err != nil {
		return err
	}
	db, err := administer(owner)
	if err != nil {
		return fmt.Errorf("admit a login: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for n := 1; ; n++ {
		if err = admit(ctx, db, config); n == attempts || !meanwhile(err) || !pause(ctx, retryDelay) {
			return err
		}
	}
}

// meanwhile reports whether a statement failed because another process creates the same
// login. Until the end of that, the login may be there for one statement and not for the
// next.
func meanwhile(err error) bool {
	e, ok := errors.AsType[*serverError](err)
	return ok && (e.Code == codeDuplicateObject || e.Code == codeUniqueViolation || e.Code == codeNoObject)
}

func admit(ctx context.Context, db *sql.DB, config pq.Config) error {
	login := pq.QuoteIdentifier(config.User)
	var known, granted bool
	if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", config.User).Scan(&known); err != nil {
		return fmt.Errorf("admit a login: %w", ofStatement(ctx, err))
	}
	if !known {
		text := "CREATE ROLE " + login + " LOGIN NOINHERIT" //nolint:gosec // G202: a quoted identifier
		if config.Password != "" {
			kept, err := verifier(config.Password)
			if err != nil {
				return fmt.Errorf("create the login %s: %w", config.User, err)
			}
			text += " PASSWORD " + pq.QuoteLiteral(kept)
		}
		if _, err := db.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("create the login %s: %w", config.User, ofStatement(ctx, err))
		}
	}
	if err := db.QueryRowContext(ctx, "SELECT pg_has_role($1, $2, 'MEMBER') AND pg_has_role($1, $3, 'MEMBER') AND pg_has_role($2, $4, 'MEMBER')",
		config.User, roleApp, roleSystem, roleScopes).Scan(&granted); err != nil {
		return fmt.Errorf("admit a login: %w", ofStatement(ctx, err))
	}
	if granted {
		return nil
	}
	if _, err := db.ExecContext(ctx, "GRANT molar_app, molar_system TO "+login+"; GRANT molar_scopes TO molar_app"); err != nil {
		return fmt.Errorf("grant molar_app and molar_system to the login %s, and molar_scopes to molar_app: %w", config.User, ofStatement(ctx, err))
	}
	return nil
}

// iterations is PostgreSQL's default.
const iterations = 4096

// verifier returns a password in the form that PostgreSQL stores (SCRAM-SHA-256, RFC
// 5803). The password itself therefore never appears in a server log.
func verifier(password string) (string, error) {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", err
	}
	mac := func(text string) []byte {
		h := hmac.New(sha256.New, salted)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	stored, encode := sha256.Sum256(mac("Client Key")), base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, encode(salt), encode(stored[:]), encode(mac("Server Key"))), nil
}
