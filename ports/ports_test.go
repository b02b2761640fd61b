package ports_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// TestPortsDeclareAndDoNotDo keeps the boundary small enough to be read in one
// sitting: no behavior, interfaces of a few methods.
func TestPortsDeclareAndDoNotDo(t *testing.T) {
	t.Parallel()
	const maxMethods, maxLines = 6, 2700
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, e.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		lines += fset.Position(f.End()).Line
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				t.Errorf("%s: func %s: a port declares, an adapter does", fset.Position(n.Pos()), n.Name.Name)
			case *ast.TypeSpec:
				if it, ok := n.Type.(*ast.InterfaceType); ok && it.Methods.NumFields() > maxMethods {
					t.Errorf("%s: %s has %d methods, at most %d", fset.Position(n.Pos()), n.Name.Name, it.Methods.NumFields(), maxMethods)
				}
			}
			return true
		})
	}
	if lines > maxLines {
		t.Errorf("package ports is %d lines, at most %d", lines, maxLines)
	}
}
