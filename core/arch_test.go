package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/molar-billing/molar"

// anything lets a package import any module.
const anything = "*"

// layer says what the packages that match pkg may import: ours, and which
// modules of others. "a/..." is a and all below it.
type layer struct {
	pkg    string
	ours   []string
	others string // anything, the one module allowed, or empty for none
}

// layers is the architecture. The first row that matches a package counts.
func layers() []layer {
	boundary := []string{"core/billing/...", "core/jobs", "ports"}
	return []layer{
		{"core", nil, ""},
		{"core/billing", nil, "golang.org/x/text"},
		{"core/billing/event", nouns(), ""},
		{"core/billing/directory", nouns(), "golang.org/x/text"},
		{"core/billing/fault", nouns(), ""},
		{"core/billing/caller", nouns("event", "fault"), ""},
		{"core/billing/webhook", nouns("event", "fault"), ""},
		{"core/billing/clearing", nouns("event"), ""},
		{"core/billing/scenario", nouns("clearing", "coverage", "event"), ""},
		{"core/billing/coverage", nouns("decision", "directory", "event"), "golang.org/x/text"},
		{"core/billing/limit", nouns("directory"), ""},
		{"core/billing/fee", nouns("coverage", "directory", "limit"), ""},
		{"core/billing/estimate", nouns("coverage", "directory", "fee"), ""},
		{"core/billing/advice", nouns("directory"), ""},
		{"core/billing/attachment", nouns("coverage", "decision", "directory", "event"), ""},
		{"core/billing/remit", nouns("clearing", "decision", "directory", "event"), ""},
		{"core/billing/contract", nouns("fee", "limit", "remit"), ""},
		{"core/billing/posting", nouns("claim", "remit"), ""},
		{"core/billing/automation", nouns("directory", "remit"), ""},
		{"core/billing/deposit", nouns("decision", "remit"), ""},
		{"core/billing/quarantine", nouns("clearing", "directory", "remit"), ""},
		{"core/billing/claim", nouns("advice", "attachment", "caller", "clearing", "coverage", "contract", "decision", "directory", "estimate", "event", "fee", "limit", "remit", "scenario"), ""},
		{"core/billing/appeal", nouns("claim", "directory", "limit", "remit"), ""},
		{"core/billing/claimstatus", nouns("claim", "clearing", "coverage", "directory"), ""},
		{"core/billing/report", nouns("claim", "directory", "remit"), ""},
		{"core/billing/sandbox", nouns("event"), ""},
		{"core/billing/decision", nouns(), ""},
		{"core/billing/retention", nouns(), ""},
		{"core/billing/restore", nouns("claim", "clearing"), ""},
		{"core/billing/network", nouns("claim", "claimstatus", "clearing", "coverage", "directory"), ""}, // it knows what it carries; what it carries knows no network
		{"core/billing/billingtest", nouns("event"), ""},
		{"core/jobs", []string{"core/billing"}, ""},
		{"core/idempotency", boundary, ""},
		{"core/lists", []string{"core/billing/...", "core/jobs", "ports"}, ""},
		{"core/intake", []string{"core/billing/..."}, ""},
		{"core/...", append([]string{"core/idempotency", "core/intake", "core/lists"}, boundary...), ""}, // a capability never imports its sibling
		{"ports/filltest", []string{"core/billing"}, ""},                                                 // the tests of each noun use it
		{"ports/storetest", append([]string{"ports/filltest"}, boundary...), ""},
		{"ports/...", boundary, ""},

		{"adapters/httpapi", []string{"core/...", "adapters/httpapi/httpserver", "adapters/jsonbody"}, anything}, // driving: calls use cases
		{"adapters/httpapi/httpserver", []string{"core/billing"}, "github.com/valyala"},                          // below the routes: of the core it knows errors
		{"adapters/cli", []string{"core/...", "adapters/jsonbody", "adapters/sdk/go"}, anything},                 // driving
		{"adapters/x12/...", []string{"core/billing/...", "adapters/x12/..."}, ""},
		{"adapters/edi", append([]string{"adapters/x12/..."}, boundary...), ""},
		{"adapters/sandboxnet/...", append([]string{"adapters/sandboxnet", "adapters/x12/..."}, boundary...), ""},
		{"adapters/clearinghouse", append([]string{"adapters/sandboxnet", "adapters/x12/..."}, boundary...), anything}, // the sandbox behind protocols
		{"adapters/pgstore", append([]string{"migrations"}, boundary...), anything},
		{"adapters/pgstore/pglocal", nil, anything},
		{"adapters/pgstore/pgtest", append([]string{"adapters/pgstore/...", "adapters/testservers", "migrations"}, boundary...), anything},
		{"adapters/testservers", nil, anything},
		{"adapters/corenet", append([]string{"adapters/publicaddr", "adapters/x12/..."}, boundary...), anything},
		{"adapters/webhookhttp", append([]string{"adapters/publicaddr"}, boundary...), anything},
		{"adapters/sftpnet", append([]string{"adapters/publicaddr"}, boundary...), anything},
		{"adapters/docs", nil, anything},
		{"adapters/jsonbody", []string{"core/billing"}, "github.com/go-json-experiment"},
		{"adapters/publicaddr", nil, anything},
		{"adapters/sdk/generate", nil, "go.yaml.in/yaml"},
		{"adapters/sdk/go/...", []string{"adapters/sdk/go"}, ""}, // a module of its own, which imports nothing of ours
		{"adapters/...", boundary, anything},                     // driven: never a use case, never another adapter

		{"workers", []string{"core/...", "ports"}, ""},
		{"workers/outboxrelay", boundary, ""},
		{"migrations", nil, ""},
		{"cmd/internal/wire", []string{"core/...", "ports", "adapters/...", "workers/...", "migrations"}, anything},
		{"cmd/...", []string{"cmd/internal/wire", "adapters/cli"}, ""},
	}
}

// nouns returns core/billing and packages below it.
func nouns(names ...string) []string {
	all := []string{"core/billing"}
	for _, n := range names {
		all = append(all, "core/billing/"+n)
	}
	return all
}

// source is a Go file of the module that is no test.
type source struct {
	name string
	file *ast.File
}

// sources reads the module itself rather than asking go list: go test caches a
// pass, and only files that the test opened make it run again.
func sources(t *testing.T, mode parser.Mode) []source {
	t.Helper()
	var all []source
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, mode)
		all = append(all, source{name, f})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestImportsPointInward holds the import matrix, both ways: a package without
// a row, and a row without a package, are faults.
func TestImportsPointInward(t *testing.T) {
	t.Parallel()
	rows := layers()
	matched := make([]bool, len(rows))
	for _, s := range sources(t, parser.ImportsOnly) {
		pkg := path.Dir(s.name)
		i := slices.IndexFunc(rows, func(l layer) bool { return match(l.pkg, pkg) })
		if i < 0 {
			t.Errorf("%s: %s belongs to no layer; give it a row on purpose", s.name, pkg)
			continue
		}
		matched[i] = true
		for _, spec := range s.file.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if dep, ours := strings.CutPrefix(imp, module+"/"); ours {
				if !slices.ContainsFunc(rows[i].ours, func(p string) bool { return match(p, dep) }) {
					t.Errorf("%s imports %s; %s may import only %v", s.name, dep, pkg, rows[i].ours)
				}
			} else if foreign(imp) && rows[i].others != anything && (rows[i].others == "" || !strings.HasPrefix(imp, rows[i].others+"/")) {
				t.Errorf("%s imports %s, which %s may not", s.name, imp, pkg)
			}
		}
	}
	for i, ok := range matched {
		if !ok {
			t.Errorf("no package is in layer %s; delete the row", rows[i].pkg)
		}
	}
}

// foreign reports whether the import is of neither the standard library nor
// this module.
func foreign(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return strings.Contains(first, ".")
}

// match reports whether pkg is pattern, or below it when pattern ends in "/...".
func match(pattern, pkg string) bool {
	base, below := strings.CutSuffix(pattern, "/...")
	return pkg == base || below && strings.HasPrefix(pkg, base+"/")
}

// TestEveryPackageSaysWhatItIsFor wants exactly one package comment in each
// package.
func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	comments := map[string]int{}
	for _, s := range sources(t, parser.PackageClauseOnly|parser.ParseComments) {
		pkg := path.Dir(s.name)
		comments[pkg] += 0
		if s.file.Doc != nil {
			comments[pkg]++
		}
	}
	for pkg, n := range comments {
		if n != 1 {
			t.Errorf("%s has %d package comments, want one", pkg, n)
		}
	}
}

// TestFolders holds the top level: a newcomer learns it once.
func TestFolders(t *testing.T) {
	t.Parallel()
	want := []string{"adapters", "cmd", "compose", "core", "migrations", "ports", "workers"}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "bin" && !slices.Contains(want, e.Name()) {
			t.Errorf("folder %s at the top level; the folders are %v", e.Name(), want)
		}
	}
}
