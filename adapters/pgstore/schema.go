package pgstore

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// DumpSchema returns the schema of a database as pg_dump prints it. It omits the parts
// that differ between versions of pg_dump. The argument pgDump is the program's name
// or path. The program must be as new as the server. The file
// migrations/schema.sql contains the schema of the migrated database.
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

// normal drops comments, session settings, psql's own commands, and repeated
// empty lines.
func normal(dump string) string {
	noise := regexp.MustCompile(`(?m)^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\.*)\n`)
	gaps := regexp.MustCompile(`\n{3,}`)
	return strings.TrimSpace(gaps.ReplaceAllString(noise.ReplaceAllString(dump, ""), "\n\n")) + "\n"
}
