package pgstore

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// DumpSchema is the schema of a database as pg_dump (a name, or the path of
// one as new as the server) tells it, without what differs between versions of
// pg_dump. migrations/schema.sql holds it for the migrated database.
func DumpSchema(ctx context.Context, pgDump, url string) (string, error) {
	cmd := exec.CommandContext(ctx, pgDump, "--schema-only", "--no-owner", "--dbname", url) //nolint:gosec // G204: the caller's pg_dump
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("pg_dump: %w: %s", err, strings.TrimSpace(complaint.String()))
	}
	return normal(string(out)), nil
}

// normal drops comments, settings of the session, psql's own commands, and
// runs of empty lines.
func normal(dump string) string {
	noise := regexp.MustCompile(`(?m)^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\.*)\n`)
	gaps := regexp.MustCompile(`\n{3,}`)
	return strings.TrimSpace(gaps.ReplaceAllString(noise.ReplaceAllString(dump, ""), "\n\n")) + "\n"
}
