package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// clients is where the packages of the clients are, which the service gives.
const clients = "adapters/docs/clients"

// pack returns the packages of the clients, by path. The same sources give the same bytes.
// The client in TypeScript must have been compiled.
func pack(root, version string) (map[string][]byte, error) {
	made := map[string][]byte{}
	for _, one := range []func(root, version string, made map[string][]byte) error{packGo, packTypeScript, packPython} {
		if err := one(root, version, made); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// filesOf reads the files below a folder with one of the endings, by their path in it, and the licence.
func filesOf(root, dir string, endings ...string) (map[string][]byte, error) {
	found := map[string][]byte{}
	at := os.DirFS(path.Join(root, dir))
	err := fs.WalkDir(at, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(name, end) }) {
			return err
		}
		found[name], err = fs.ReadFile(at, name)
		return err
	})
	if err == nil {
		found["LICENSE"], err = readFile(root, "LICENSE")
	}
	return found, err
}

// packGo makes what a module proxy of Go serves. See https://go.dev/ref/mod#goproxy-protocol.
func packGo(root, version string, made map[string][]byte) error {
	const module = "github.com/molar-billing/molar/adapters/sdk/go"
	files, err := filesOf(root, "adapters/sdk/go", ".go", ".mod", ".md")
	if err != nil {
		return err
	}
	inside := map[string][]byte{}
	for name, b := range files {
		if !strings.HasPrefix(name, "cases/") && !strings.HasPrefix(name, "examples/") {
			inside[module+"@v"+version+"/"+name] = b
		}
	}
	at := clients + "/go/" + module + "/@v/"
	made[at+"list"] = []byte("v" + version + "\n")
	made[at+"v"+version+".info"] = fmt.Appendf(nil, "{\"Version\":\"v%s\"}\n", version)
	made[at+"v"+version+".mod"] = files["go.mod"]
	made[at+"v"+version+".zip"], err = zipped(inside)
	return err
}

// packTypeScript makes what npm pack makes.
func packTypeScript(root, version string, made map[string][]byte) error {
	const dir = "adapters/sdk/typescript"
	files, err := filesOf(root, dir+"/dist", ".js", ".d.ts")
	if err != nil {
		return fmt.Errorf("compile the client in TypeScript first: %w", err)
	}
	inside := map[string][]byte{"package/LICENSE": files["LICENSE"]}
	delete(files, "LICENSE")
	for name, b := range files {
		inside["package/dist/"+name] = b
	}
	if inside["package/README.md"], err = readFile(root, dir, "README.md"); err != nil {
		return err
	}
	text, err := readFile(root, dir, "package.json")
	if err != nil {
		return err
	}
	var about map[string]any
	if err := json.Unmarshal(text, &about); err != nil {
		return err
	}
	delete(about, "scripts")
	delete(about, "devDependencies")
	about["version"] = version
	if inside["package/package.json"], err = json.MarshalIndent(about, "", "  "); err != nil {
		return err
	}
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	t := tar.NewWriter(g)
	for _, name := range slices.Sorted(maps.Keys(inside)) {
		if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(inside[name]))}); err != nil {
			return err
		}
		if _, err := t.Write(inside[name]); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	if err := g.Close(); err != nil {
		return err
	}
	made[clients+"/molar.tgz"] = b.Bytes()
	return nil
}

// packPython makes a wheel. See https://packaging.python.org/en/latest/specifications/binary-distribution-format.
func packPython(root, version string, made map[string][]byte) error {
	const dir = "adapters/sdk/python"
	files, err := filesOf(root, dir+"/src", ".py", "py.typed")
	if err != nil {
		return err
	}
	readme, err := readFile(root, dir, "README.md")
	if err != nil {
		return err
	}
	info := "molar_billing-" + version + ".dist-info/"
	files[info+"licenses/LICENSE"] = files["LICENSE"]
	delete(files, "LICENSE")
	files[info+"METADATA"] = fmt.Appendf(nil, "Metadata-Version: 2.4\nName: molar-billing\nVersion: %s\n"+
		"Summary: The client of Molar's API: eligibility checks, claims, attachments and remittances\nLicense-Expression: Apache-2.0\n"+
		"License-File: LICENSE\nRequires-Python: >=3.11\nDescription-Content-Type: text/markdown\n\n%s", version, readme)
	files[info+"WHEEL"] = []byte("Wheel-Version: 1.0\nGenerator: molar\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
	var record strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(files[name])
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(files[name]))
	}
	files[info+"RECORD"] = []byte(record.String() + info + "RECORD,,\n")
	made[clients+"/molar_billing-"+version+"-py3-none-any.whl"], err = zipped(files)
	return err
}

// zipped returns a ZIP archive of the files, in the order of their names.
func zipped(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
