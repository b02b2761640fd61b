package cli

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/intake"
)

// The limits of a document, of a file that it names, and of an archive of them, in
// bytes.
const (
	maxDocument = 1 << 20
	maxSecret   = 64 << 10
	maxArchive  = 2 << 20
)

// readConnection reads the document of a connection with the files that it names; a dash
// means standard input. The request has the faults; the error means that there is no
// document to judge.
func readConnection(kinds network.Kinds, stdin io.Reader, file string) (r intake.ConnectionRequest, err error) {
	if file == "-" {
		return readConnectionFrom(kinds, stdin)
	}
	content, err := readBounded(file, maxDocument)
	if err != nil {
		return r, err
	}
	if err := wellFormed(file, content); err != nil {
		return r, err
	}
	return connectionRequest(kinds, content, func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
		return readBounded(name, maxSecret)
	}), nil
}

// readConnectionFrom reads standard input: a document, or a tar archive of the document
// and then the files that it names. A container has no other access to these files.
func readConnectionFrom(kinds network.Kinds, stdin io.Reader) (r intake.ConnectionRequest, err error) {
	const name = "standard input"
	in := bufio.NewReader(stdin)
	if first, _ := in.Peek(len(tarMagic) + tarMagicAt); len(first) < tarMagicAt || !bytes.HasPrefix(first[tarMagicAt:], []byte(tarMagic)) {
		content, err := readUpTo(in, name, maxDocument)
		if err == nil {
			err = wellFormed(name, content)
		}
		if err != nil {
			return r, err
		}
		return connectionRequest(kinds, content, func(name string) ([]byte, error) { return readBounded(name, maxSecret) }), nil
	}
	var content []byte
	var document string
	files := map[string][]byte{}
	for archive := tar.NewReader(io.LimitReader(in, maxArchive)); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r, fmt.Errorf("%s is not a whole tar archive of at most %d bytes: %w", name, maxArchive, err)
		}
		switch at := path.Clean(h.Name); {
		case h.Typeflag != tar.TypeReg:
		case document == "":
			document = at
			content, err = readUpTo(archive, name+", "+at, maxDocument)
		default:
			files[at], err = readUpTo(archive, name+", "+at, maxSecret)
		}
		if err != nil {
			return r, err
		}
	}
	if err := wellFormed(name+", "+document, content); err != nil {
		return r, err
	}
	return connectionRequest(kinds, content, func(name string) ([]byte, error) {
		at := path.Join(path.Dir(document), name)
		if path.IsAbs(name) {
			at = path.Clean(name)[1:] // tar removes the first slash
		}
		if content, has := files[at]; has {
			return content, nil
		}
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.New("the archive does not have it")}
	}), nil
}

// The mark of a tar archive, and its place.
const (
	tarMagic   = "ustar"
	tarMagicAt = 257
)

// readBounded reads a file, or as much of it as shows that it is too large.
func readBounded(file string, limit int) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder", file)
	}
	if err != nil {
		return nil, err
	}
	return readUpTo(f, file, limit)
}

// readUpTo reads everything, or as much as shows that it is too large.
func readUpTo(in io.Reader, name string, limit int) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err == nil && len(content) > limit {
		err = fmt.Errorf("%s has more than %d bytes", name, limit)
	}
	return content, err
}

// wellFormed returns an error with the place of the fault unless the content is one
// JSON object.
func wellFormed(file string, content []byte) error {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if !utf8.Valid(content) {
		return fmt.Errorf("%s is not UTF-8 text", file)
	}
	var object map[string]json.RawMessage
	err := json.Unmarshal(content, &object)
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := content[:min(int(at.Offset), len(content))]
		line := bytes.Count(before, []byte("\n")) + 1
		return fmt.Errorf("%s, line %d: the document is not valid JSON: %w", file, line, err)
	}
	if err != nil || object == nil {
		return fmt.Errorf("%s: the document must be one JSON object; molar connections add --help describes it", file)
	}
	return nil
}

// connectionRequest reads a document that is one JSON object.
func connectionRequest(kinds network.Kinds, content []byte, file func(name string) ([]byte, error)) (r intake.ConnectionRequest) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	root, err := jsonbody.Parse(context.Background(), content, len(content), &r.Faults) //nolint:forbidigo // a file at hand has no deadline
	if err != nil || root == nil {
		return r
	}
	doc := jsonbody.NewObject("", root, &r.Faults)
	doc.Fields(&r)
	r.EveryPayer = r.Payers == nil
	for i := range r.Payers {
		r.Payers[i].Everything = r.Payers[i].Transactions == nil
	}
	r.Own = map[string][]byte{}
	for name := range r.Given {
		switch of := kinds.Field(r.Kind, name); {
		case doc.IsNull(name):
			r.Null = append(r.Null, name)
		case of != nil:
			r.Own[name] = own(doc, name, of.Type, file)
		}
	}
	return r
}

// own returns the value of a field that only some kinds of connections have.
func own(doc *jsonbody.Object, name string, as network.FieldType, file func(name string) ([]byte, error)) []byte {
	switch as {
	case network.FieldFile:
		if named := doc.Text(name); named != "" {
			return content(doc, name, named, file)
		}
		return nil
	case network.FieldFlag:
		if v := doc.OptionalFlag(name); v != nil {
			return strconv.AppendBool(nil, *v)
		}
		return nil
	case network.FieldJSON:
		return doc.Raw(name)
	case network.FieldText:
	}
	return []byte(doc.Text(name))
}

// content reads the file that a field names.
func content(doc *jsonbody.Object, name, named string, file func(name string) ([]byte, error)) []byte {
	content, err := file(named)
	switch at, missing := errors.AsType[*os.PathError](err); {
	case missing:
		doc.Fault(name, billing.FaultNotFound, "The file cannot be read: "+at.Path+": "+at.Err.Error()+".")
	case err != nil:
		doc.Fault(name, billing.FaultTooLong, "The file cannot be read: "+err.Error()+".")
	case len(bytes.TrimSpace(content)) == 0:
		doc.Fault(name, billing.FaultRequired, "The file is empty.")
	}
	return content
}
