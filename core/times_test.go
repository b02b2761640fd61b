package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRealTimes lists every file that says of a time that it is real. The type of
// billing.NewID lets nothing else become an ID, and so no clock of the sandbox.
func TestRealTimes(t *testing.T) {
	t.Parallel()
	want := []string{
		"adapters/corenet/kind.go",       // this process's clock, for a probe that is not stored
		"adapters/httpapi/deliveries.go", // the start of the request, for an ID that no event has
		"adapters/httpapi/exchange.go",   // this process's clock, for the ID of a request
		"adapters/httpapi/sessions.go",   // the audit of a sign-in
		"adapters/pgstore/deliveries.go", // retention; the ID of a call that is not stored
		"adapters/pgstore/requests.go",   // retention
		"adapters/pgstore/tx.go",         // the real clock of a transaction
		"adapters/pgstore/users.go",      // retention
		"adapters/sftpnet/kind.go",       // this process's clock, for a batch that is never sent
		"cmd/internal/wire/demo.go",      // this process's clock
		"core/audit/operated.go",         // what operators do
		"core/batches/turn.go",           // the holder of a turn
		"core/claimstatus/ask.go",        // an inquiry has its ID before its transaction begins
		"core/deposits/import.go",        // the IDs of one file are in its order
		"core/eligibility/check.go",      // a check has its ID before its transaction begins
		"core/jobs/duty.go",              // the holder of a duty
		"core/webhooks/dispatcher.go",    // the holder of a lane
	}
	var got []string
	for _, root := range []string{"../adapters", "../cmd", "../core", "../workers"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "pgtest/") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../")
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && !slices.Contains(got, name) && (s.Sel.Name == "RealAt" || s.Sel.Name == "Real" && isBilling(s.X) && composite(file, s)) {
					got = append(got, name)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("these files say that a time is real:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// isBilling reports whether an expression is the package of the values.
func isBilling(e ast.Expr) bool {
	i, ok := e.(*ast.Ident)
	return ok && i.Name == "billing"
}

// composite reports whether the type is the type of a composite literal or a conversion.
func composite(file *ast.File, of *ast.SelectorExpr) (is bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			is = is || n.Type == of
		case *ast.CallExpr:
			is = is || n.Fun == of
		}
		return true
	})
	return is
}
