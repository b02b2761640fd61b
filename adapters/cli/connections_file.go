package cli

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"unicode/utf8"

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
	doc := newDocument("", bytes.TrimPrefix(content, []byte("\ufeff")), &r.Faults)
	doc.file = file
	r.Given, r.Null = doc.names, slices.DeleteFunc(slices.Clone(doc.names), doc.has)
	r.Name, r.Mode, r.Kind, r.Usage = doc.text("name"), doc.text("mode"), doc.text("kind"), doc.text("usage")
	r.Carries, _ = doc.list("carries")
	if doc.has("org_id") {
		r.OrgID = new(doc.text("org_id"))
	}
	r.SenderID, r.SenderQualifier = doc.text("sender_id"), doc.text("sender_qualifier")
	r.ReceiverID, r.ReceiverQualifier = doc.text("receiver_id"), doc.text("receiver_qualifier")
	for _, raw := range doc.objects("payers", &r.EveryPayer) {
		var p intake.ConnectionPayerRequest
		p.PayerID, p.NetworkPayerID = raw.text("payer_id"), raw.text("network_payer_id")
		p.Transactions, p.Everything = raw.list("transactions")
		raw.end()
		r.Payers = append(r.Payers, p)
	}
	r.Enabled = doc.flag("enabled")
	r.Options = doc.take("options")
	r.Own = map[string][]byte{}
	for _, name := range doc.names {
		if of := kinds.Field(r.Kind, name); of != nil && doc.has(name) {
			r.Own[name] = doc.own(name, of.Type)
		}
	}
	return r
}

// own returns the value of a field that only some kinds of connections have.
func (d *document) own(name string, as network.FieldType) []byte {
	switch as {
	case network.FieldFile:
		return d.content(name)
	case network.FieldFlag:
		if v := d.flag(name); v != nil {
			return strconv.AppendBool(nil, *v)
		}
		return nil
	case network.FieldJSON:
		return d.take(name)
	case network.FieldText:
	}
	return []byte(d.text(name))
}

// document reads the fields of a JSON object by name and type. A field of another type
// is a fault; a missing or null one is the zero value.
type document struct {
	path   string // with a dot at its end, or empty
	names  []string
	values map[string]json.RawMessage // not read yet
	faults *billing.Faults
	file   func(name string) ([]byte, error)
}

// newDocument reads well-formed JSON. A name that is there twice is a fault: one of the
// two values would be lost.
func newDocument(prefix string, content []byte, faults *billing.Faults) *document {
	d := &document{path: prefix, values: map[string]json.RawMessage{}, faults: faults}
	in := json.NewDecoder(bytes.NewReader(content))
	if start, _ := in.Token(); start != json.Delim('{') {
		faults.Add(prefix[:max(0, len(prefix)-1)], billing.FaultType, "The value must be a JSON object.")
		return d
	}
	for in.More() {
		token, _ := in.Token() // it is well formed
		name, _ := token.(string)
		var value json.RawMessage
		_ = in.Decode(&value)
		if slices.Contains(d.names, name) {
			faults.Add(prefix+name, billing.FaultConflict, "Duplicate field. Remove one of them.")
			continue
		}
		d.names = append(d.names, name)
		d.values[name] = value
	}
	return d
}

// has reports whether the field is there and not null.
func (d *document) has(name string) bool {
	v, ok := d.values[name]
	return ok && string(v) != "null"
}

// take returns the field, or nil if it is missing or null.
func (d *document) take(name string) json.RawMessage {
	v, has := d.values[name], d.has(name)
	delete(d.values, name)
	if !has {
		return nil
	}
	return v
}

// read reads a field into a value, if it is there.
func (d *document) read(name string, into any, must string) {
	if raw := d.take(name); raw != nil && json.Unmarshal(raw, into) != nil {
		d.faults.Add(d.path+name, billing.FaultType, "The value must be "+must+".")
	}
}

func (d *document) text(name string) (value string) {
	d.read(name, &value, "a string")
	return value
}

func (d *document) flag(name string) (value *bool) {
	d.read(name, &value, "true or false")
	return value
}

// list returns a list of strings, and whether it is missing or null.
func (d *document) list(name string) (values []string, missing bool) {
	var raw []json.RawMessage
	if !d.has(name) {
		return nil, true
	}
	d.read(name, &raw, "a list of strings")
	for i, r := range raw {
		var text string
		if json.Unmarshal(r, &text) != nil || string(r) == "null" {
			d.faults.Add(d.path+name+"."+strconv.Itoa(i), billing.FaultType, "The value must be a string.")
		}
		values = append(values, text)
	}
	return values, false
}

// objects returns a list of objects, and sets missing if it is missing or null.
func (d *document) objects(name string, missing *bool) (all []*document) {
	var raw []json.RawMessage
	if *missing = !d.has(name); *missing {
		return nil
	}
	d.read(name, &raw, "a list of objects")
	for i, r := range raw {
		if d.faults.Full() {
			return all
		}
		all = append(all, newDocument(d.path+name+"."+strconv.Itoa(i)+".", r, d.faults))
	}
	return all
}

// content reads the file that the field names.
func (d *document) content(name string) []byte {
	named := d.text(name)
	if named == "" {
		return nil
	}
	content, err := d.file(named)
	switch at, missing := errors.AsType[*os.PathError](err); {
	case missing:
		d.faults.Add(d.path+name, billing.FaultNotFound, "The file cannot be read: "+at.Path+": "+at.Err.Error()+".")
	case err != nil:
		d.faults.Add(d.path+name, billing.FaultTooLong, "The file cannot be read: "+err.Error()+".")
	case len(bytes.TrimSpace(content)) == 0:
		d.faults.Add(d.path+name, billing.FaultRequired, "The file is empty.")
	}
	return content
}

// end adds a fault for each field that was not read.
func (d *document) end() {
	for _, name := range d.names {
		if _, left := d.values[name]; left {
			d.faults.Add(d.path+name, billing.FaultUnknown, "Unknown field.")
		}
	}
}
