package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed *.tmpl
var templates embed.FS

func main() {
	root := flag.String("root", ".", "the checkout")
	packages := flag.Bool("pack", false, "also make the packages of the clients that the service gives, in "+clients)
	check := flag.Bool("check", false, "compare instead of writing, and fail if a file differs")
	flag.Usage = func() {
		_, _ = fmt.Fprint(flag.CommandLine.Output(), "Writes the generated parts of the clients in adapters/sdk, and adapters/docs/samples.json.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*root, *check, *packages); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// language is one of the clients.
type language struct {
	files  map[string]string // name of the template, path of the file
	funcs  template.FuncMap
	format func([]byte) ([]byte, error)
	sample func(*Operation) string
}

func run(root string, check, packages bool) error {
	m, err := load(root)
	if err != nil {
		return err
	}
	made := map[string][]byte{}
	samples := map[string]map[string]string{}
	for name, of := range languages() {
		for file, to := range of.files {
			t, err := template.New(file).Funcs(of.funcs).ParseFS(templates, file)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := t.Execute(&b, m); err != nil {
				return err
			}
			if made[to], err = of.format(b.Bytes()); err != nil {
				return fmt.Errorf("%s: %w", to, err)
			}
		}
		for _, g := range m.Groups {
			for _, o := range g.Operations {
				if samples[o.ID] == nil {
					samples[o.ID] = map[string]string{}
				}
				samples[o.ID][name] = of.sample(o)
			}
		}
	}
	var shown bytes.Buffer
	e := json.NewEncoder(&shown)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(samples); err != nil {
		return err
	}
	made["adapters/docs/samples.json"] = shown.Bytes()
	if err := compare(root, made, check); err != nil || !packages {
		return err
	}
	if made, err = pack(root, m.Version); err != nil {
		return err
	}
	if !check { // those of other versions go
		if err := os.RemoveAll(filepath.Join(root, clients)); err != nil {
			return err
		}
	}
	return compare(root, made, check)
}

// compare writes files, or fails if one is not as it is made.
func compare(root string, made map[string][]byte, check bool) error {
	var errs []error
	for to, b := range made {
		at := filepath.Join(root, to)
		have, err := os.ReadFile(at) //nolint:gosec // a file of the checkout
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			errs = append(errs, err)
		case bytes.Equal(have, b):
		case check:
			errs = append(errs, fmt.Errorf("%s is not what the contract says: run task sdk:build", to))
		default:
			errs = append(errs, os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, b, 0o644)) //nolint:gosec // a source file
		}
	}
	return errors.Join(errs...)
}

func languages() map[string]language {
	return map[string]language{"go": golang(), "typescript": typescript(), "python": python()}
}

// lines returns the lines of a comment, each behind a mark.
func lines(mark, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text)) {
		b.WriteString(strings.TrimRight(mark+" "+strings.TrimSpace(line), " ") + "\n")
	}
	return b.String()
}

// oneLine returns a text for a line of its own.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// readFile reads a file of the checkout.
func readFile(root string, parts ...string) ([]byte, error) {
	return os.ReadFile(filepath.Join(root, filepath.Join(parts...))) //nolint:gosec // its root is the caller's
}
