// Package migrations holds the database schema as steps that only go forward.
// A step keeps working for the release before it, so that a release can be
// rolled out while its predecessor still runs. schema.sql shows where the
// steps lead; a test compares the two.
package migrations

import "embed"

// FS holds the steps, named NNNN_what.sql and read by goose.
//
//go:embed [0-9]*.sql
var FS embed.FS

// Schema is the dump of a database that has taken every step, as
// `pgstore.DumpSchema` writes it.
//
//go:embed schema.sql
var Schema string
