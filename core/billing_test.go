package core_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The most that a reader of the domain meets at once.
const (
	maxNames  = 255 // exported names of a package, its methods among them
	maxCircle = 8   // files that cannot be read without each other
)

// TestTheDomainIsReadable holds the size of the packages of nouns, and of the circles of
// files in them. A package that grows beyond is cut by what changes together.
func TestTheDomainIsReadable(t *testing.T) {
	t.Parallel()
	d := domain{fset: token.NewFileSet(), checked: map[string]*checked{}}
	d.library = importer.ForCompiler(d.fset, "source", nil)
	err := fs.WalkDir(os.DirFS("billing"), ".", func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() || e.Name() == "testdata" || e.Name() == "billingtest" {
			return err
		}
		p := d.check(path.Join(module, "core/billing", dir))
		if n := p.exported(); n > maxNames {
			t.Errorf("%s has %d exported names, more than %d", p.dir, n, maxNames)
		}
		for _, c := range p.circles() {
			if len(c) > maxCircle {
				t.Errorf("%s: %d files are one circle: %v", p.dir, len(c), c)
			}
		}
		return nil
	})
	if err != nil || len(d.checked) < 10 {
		t.Errorf("%d packages of nouns, %v", len(d.checked), err)
	}
}

// domain type-checks the packages of nouns. It imports them by itself, because go test
// caches a pass until a file changes that the test opened.
type domain struct {
	fset    *token.FileSet
	library types.Importer
	checked map[string]*checked
}

// checked is a package with its files and what each name in them means.
type checked struct {
	dir   string
	fset  *token.FileSet
	files []*ast.File
	pkg   *types.Package
	uses  map[*ast.Ident]types.Object
}

// Import returns our package, or one of the standard library. The rest is empty: no name
// of it declares anything of ours.
func (d *domain) Import(name string) (*types.Package, error) {
	switch {
	case strings.HasPrefix(name, module):
		return d.check(name).pkg, nil
	case foreign(name):
		p := types.NewPackage(name, path.Base(name))
		p.MarkComplete()
		return p, nil
	default:
		return d.library.Import(name)
	}
}

func (d *domain) check(name string) *checked {
	if p := d.checked[name]; p != nil {
		return p
	}
	p := &checked{dir: strings.TrimPrefix(name, module+"/core/"), fset: d.fset, uses: map[*ast.Ident]types.Object{}}
	names, _ := filepath.Glob(filepath.FromSlash(p.dir) + "/*.go")
	for _, n := range names {
		if f, err := parser.ParseFile(d.fset, n, nil, 0); err == nil && !strings.HasSuffix(n, "_test.go") {
			p.files = append(p.files, f)
		}
	}
	conf := types.Config{Importer: d, Error: func(error) {}} // what is unknown is of a package that is empty here
	p.pkg, _ = conf.Check(name, d.fset, p.files, &types.Info{Uses: p.uses})
	d.checked[name] = p
	return p
}

// exported counts the exported names of the package, its methods among them.
func (p *checked) exported() (n int) {
	for _, f := range p.files {
		for _, decl := range f.Decls {
			if m, ok := decl.(*ast.FuncDecl); ok && m.Recv != nil && m.Name.IsExported() {
				n++
			}
		}
	}
	for _, name := range p.pkg.Scope().Names() {
		if token.IsExported(name) {
			n++
		}
	}
	return n
}

// circles returns the sets of files that need each other.
func (p *checked) circles() (all [][]string) {
	file := func(at token.Pos) string { return filepath.Base(p.fset.Position(at).Filename) }
	needs := map[string]map[string]bool{}
	for _, f := range p.files {
		needs[file(f.Pos())] = map[string]bool{}
	}
	for id, o := range p.uses {
		field, isVar := o.(*types.Var)
		if o.Pkg() == p.pkg && (!isVar || !field.IsField()) {
			needs[file(id.Pos())][file(o.Pos())] = true
		}
	}
	reach := map[string]map[string]bool{}
	for f := range needs {
		reach[f] = map[string]bool{}
		for next := []string{f}; len(next) > 0; next = next[1:] {
			for to := range needs[next[0]] {
				if !reach[f][to] {
					reach[f][to], next = true, append(next, to)
				}
			}
		}
	}
	seen := map[string]bool{}
	for f := range needs {
		circle := []string{f}
		for g := range reach[f] {
			if g != f && reach[g][f] {
				circle = append(circle, g)
			}
		}
		if slices.Sort(circle); len(circle) > 1 && !seen[circle[0]] {
			seen[circle[0]] = true
			all = append(all, circle)
		}
	}
	return all
}
