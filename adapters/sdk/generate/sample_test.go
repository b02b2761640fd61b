package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// every calls do with each operation of the contract.
func every(t *testing.T, do func(*Operation)) {
	t.Helper()
	m, err := load("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range m.Groups {
		for _, o := range g.Operations {
			do(o)
		}
	}
}

// A developer pastes the code of the reference: in Go it fits the types of the client.
func TestSamplesInGo(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("package main\n\nimport (\n\"context\"\n\"fmt\"\n\"time\"\n\nmolar \"github.com/molar-billing/molar/adapters/sdk/go\"\n)\n\nvar _ time.Time\n\nfunc main() {}\n")
	every(t, func(o *Operation) {
		params := "ctx context.Context, client *molar.Client"
		for _, p := range o.PathParams {
			params += ", " + goName(p.Name) + " string"
		}
		used := "return err"
		if strings.HasPrefix(goSample(o), "reply") {
			used = "fmt.Println(reply)\nreturn err"
		}
		if o.List {
			used = "return nil"
		}
		fmt.Fprintf(&text, "\nfunc %s(%s) error {\n%s\n%s\n}\n", o.ID, params, goSample(o), used)
	})
	file := filepath.Join(t.TempDir(), "samples.go")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", os.DevNull, "-gcflags=-e", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// In Python it is Python: no argument has the name of a word of the language.
func TestSamplesInPython(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	every(t, func(o *Operation) { text.WriteString(pySample(o) + "\n") })
	cmd := exec.CommandContext(t.Context(), "python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())")
	cmd.Stdin = strings.NewReader(text.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A call has the parameters that the operation requires, and a file of its kind with the fields beside it.
func TestSamplesAreWhole(t *testing.T) {
	t.Parallel()
	every(t, func(o *Operation) {
		all := map[string]string{"go": goSample(o), "typescript": tsSample(o), "python": pySample(o)}
		for language, sample := range all {
			if o.Query != nil {
				for _, f := range o.Query.Fields {
					if name := map[bool]string{true: pascal(f.Name), false: f.Name}[language == "go"]; f.Required && !strings.Contains(sample, name) {
						t.Errorf("%s in %s lacks %s: %s", o.ID, language, f.Name, sample)
					}
				}
			}
			if o.ID == "importDeposits" && (!strings.Contains(sample, `"march.csv"`) || !strings.Contains(sample, `"6789"`)) {
				t.Errorf("the import of a bank's file in %s: %s", language, sample)
			}
		}
	})
}
