// Package migrations holds the database schema as migrations that only go
// forward. The release before a migration must still run with it, so that a new
// release can start while the old one runs. They begin with release 0.1.0, whose
// schema is 0100_first.sql; see ADR 94. schema.sql shows the resulting schema; a
// test compares the two.
package migrations

import "embed"

// FS holds the migrations, named NNNN_what.sql. Goose reads them.
//
//go:embed [0-9]*.sql
var FS embed.FS
