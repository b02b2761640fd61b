// Command generate writes what is generated of the three clients: their types and operations, and
// the code that the documentation shows beside each operation. It reads the contract.
package main

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Model is the contract as the clients see it, in its order.
type Model struct {
	Version string // of Molar
	Types   []*Type
	Groups  []*Group
}

// Group is a part of a client.
type Group struct {
	Name       string
	Operations []*Operation
}

// Operation is a method of a client.
type Operation struct {
	ID, Method, Path, Doc string
	Group, Name           string
	PathParams            []*Field
	Query                 *Type // nil for none
	Body                  *Ref  // nil for none
	Form                  *Type // the fields beside the file of an upload
	Reply                 *Ref  // nil for none; of a list, an item
	Upload, List, Binary  bool
	Keyed, IfMatch, Fresh bool       // the headers that it takes
	Example               *yaml.Node // of the body
}

// Kind is how a value is written.
type Kind int

// The kinds of values.
const (
	String Kind = iota
	Integer
	Number
	Boolean
	Amount
	Time
	Date
	Enum
	Object
	List
	Map
	Any
)

// Ref is the type of a value.
type Ref struct {
	Kind Kind
	Of   *Type // of an Enum or an Object
	Item *Ref  // of a List or a Map
	Null bool
}

// Type is a type with a name: an object, or an enumeration.
type Type struct {
	Name, Doc string
	Fields    []*Field
	Values    []string // of an enumeration
	Open      bool     // the enumeration may grow
	Sent      bool     // it is part of a request
	Got       bool     // it is part of a reply
	Variants  []Variant
	AnyFields bool // it has fields that the contract does not name
}

// Variant is the type of the data of an event.
type Variant struct {
	Value string
	Of    *Type
}

// Field is a field of an object, or a parameter.
type Field struct {
	Name, Doc string
	Ref
	Required bool
	Example  *yaml.Node // of a parameter that is required
}

// loader reads the contract.
type loader struct {
	root  *yaml.Node
	model *Model
	made  map[string]*Ref // by name of the component, with a mark for requests
	names map[string]bool
	sent  bool // the type is part of a request
}

// load reads the contract and the version of a checkout.
func load(root string) (*Model, error) {
	text, err := readFile(root, "adapters/httpapi/openapi.yaml")
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	releases, err := readFile(root, "migrations/releases.tsv")
	if err != nil {
		return nil, err
	}
	rows := strings.Split(strings.TrimSpace(string(releases)), "\n")
	version, _, _ := strings.Cut(rows[len(rows)-1], "\t")
	l := &loader{root: doc.Content[0], model: &Model{Version: version}, made: map[string]*Ref{}, names: map[string]bool{}}
	return l.model, l.operations()
}

// operations reads every operation, by the table of names.
func (l *loader) operations() error {
	found := map[string]*Operation{}
	nodes := map[string]*yaml.Node{}
	l.each(l.at(l.root, "paths"), func(at string, item *yaml.Node) {
		l.each(item, func(method string, o *yaml.Node) {
			if id := l.text(o, "operationId"); id != "" {
				found[id] = &Operation{ID: id, Method: strings.ToUpper(method), Path: at, Doc: l.text(o, "summary") + ".\n\n" + l.text(o, "description")}
				nodes[id] = o
			}
		})
	})
	var errs []error
	for _, g := range groups() {
		made := &Group{Name: g.name}
		for _, row := range g.operations {
			name, id, _ := strings.Cut(row, "=")
			o := found[id]
			if o == nil {
				errs = append(errs, fmt.Errorf("the contract has no operation %s: remove its row from names.go", id))
				continue
			}
			delete(found, id)
			o.Group, o.Name = g.name, name
			l.operation(o, nodes[id])
			made.Operations = append(made.Operations, o)
		}
		l.model.Groups = append(l.model.Groups, made)
	}
	for id := range leftOut() {
		if found[id] == nil {
			errs = append(errs, fmt.Errorf("the contract has no operation %s: remove it from leftOut", id))
		}
		delete(found, id)
	}
	for id := range found {
		errs = append(errs, fmt.Errorf("operation %s has no name: add it to names.go", id))
	}
	return errors.Join(errs...)
}

func (l *loader) operation(o *Operation, n *yaml.Node) {
	title := pascal(o.Group) + pascal(o.Name)
	query := &Type{Name: title + "Params", Doc: "The parameters of " + o.Path + ".", Sent: true}
	for _, p := range l.items(n, "parameters") {
		f := &Field{Name: l.text(p, "name"), Doc: l.text(p, "description"), Required: l.text(p, "required") == "true"}
		switch in := l.text(p, "in"); {
		case in == "path":
			o.PathParams = append(o.PathParams, f)
		case in == "query" && l.text(p, "x-media-type") != "": // of a body that is a file; clients send JSON
		case in == "query":
			l.sent = true
			f.Ref = *l.ref(l.raw(p, "schema"), query.Name+pascal(f.Name))
			f.Example = l.at(p, "example")
			query.Fields = append(query.Fields, f)
		case f.Name == "Idempotency-Key":
			o.Keyed = true
		case f.Name == "If-Match":
			o.IfMatch = true
		case f.Name == "Cache-Control":
			o.Fresh = true
		}
	}
	if len(query.Fields) > 0 {
		o.Query = query
		l.add(query)
	}
	l.each(l.at(n, "requestBody", "content"), func(media string, body *yaml.Node) {
		l.sent = true
		schema := l.raw(body, "schema")
		if media == "multipart/form-data" {
			o.Upload, o.Example = true, l.example(body, schema)
			form := &Type{Name: title + "Form", Doc: "The fields beside the file.", Sent: true}
			for _, f := range l.fields(schema, form.Name) {
				if f.Name != "file" {
					form.Fields = append(form.Fields, f)
				}
			}
			if len(form.Fields) > 0 {
				o.Form = form
				l.add(form)
			}
			return
		}
		if media != "application/json" {
			return
		}
		if r := l.ref(schema, title+"Request"); r.Kind != Object || len(r.Of.Fields) > 0 {
			o.Body = r
		}
		o.Example = l.example(body, schema)
	})
	l.each(l.at(n, "responses"), func(status string, reply *yaml.Node) {
		if status[0] != '2' {
			return
		}
		l.each(l.at(l.behind(reply), "content"), func(media string, body *yaml.Node) {
			l.sent = false
			schema := l.raw(body, "schema")
			switch {
			case media != "application/json" && l.at(l.behind(reply), "content", "application/json") != nil: // clients read JSON
			case media != "application/json":
				o.Binary = true
			case o.Reply != nil:
			case o.Method == "GET" && l.at(schema, "properties", "next_cursor") != nil:
				o.List = true
				o.Reply = l.ref(l.raw(l.at(schema, "properties", "data"), "items"), title+"Item")
			default:
				o.Reply = l.ref(schema, title+"Reply")
			}
		})
	})
}

// example returns the first example of a body.
func (l *loader) example(body, schema *yaml.Node) (given *yaml.Node) {
	given = l.at(body, "example")
	l.each(l.at(body, "examples"), func(_ string, one *yaml.Node) {
		if given == nil {
			given = l.at(one, "value")
		}
	})
	if given == nil {
		given = l.at(schema, "example")
	}
	return given
}

// add keeps a type, whose name must be its own.
func (l *loader) add(t *Type) {
	if l.names[t.Name] {
		panic("two types are named " + t.Name)
	}
	l.names[t.Name] = true
	l.model.Types = append(l.model.Types, t)
}

// itemOf returns a name for an item of a list.
func (l *loader) itemOf(list string) string {
	if one := singular(list); !l.names[one] {
		return one
	}
	return list + "Item"
}

// ref returns the type of a schema. An object or an enumeration that has no name of its own
// gets the name.
func (l *loader) ref(n *yaml.Node, name string) *Ref {
	if at := l.text(n, "$ref"); at != "" {
		return l.component(path.Base(at))
	}
	return l.inline(n, name)
}

// component returns the type of a schema of the contract's components.
func (l *loader) component(name string) *Ref {
	r := l.made[name]
	if r == nil {
		r = &Ref{}
		l.made[name] = r
		schema := l.raw(l.at(l.root, "components", "schemas"), name)
		if at := l.text(schema, "$ref"); at != "" {
			*r = *l.component(path.Base(at))
		} else if l.at(schema, "discriminator") != nil {
			*r = Ref{Kind: Object, Of: l.event(schema, name)}
		} else if parts := l.items(schema, "allOf"); len(parts) > 0 {
			t := &Type{Name: name, Doc: l.text(schema, "description")}
			l.add(t)
			*r = Ref{Kind: Object, Of: t}
			t.Fields = l.fields(schema, name)
		} else {
			made := l.inlineInto(r, schema, name)
			*r = *made
		}
	}
	l.mark(r)
	copied := *r
	return &copied
}

// mark notes that a type is part of a request, or of a reply, with all in it.
func (l *loader) mark(r *Ref) {
	switch {
	case r.Item != nil:
		l.mark(r.Item)
	case r.Of == nil || l.sent && r.Of.Sent || !l.sent && r.Of.Got:
	default:
		if r.Of.Sent = r.Of.Sent || l.sent; !l.sent {
			r.Of.Got = true
		}
		for _, f := range r.Of.Fields {
			l.mark(&f.Ref)
		}
		for _, v := range r.Of.Variants {
			l.mark(&Ref{Kind: Object, Of: v.Of})
		}
	}
}

func (l *loader) inline(n *yaml.Node, name string) *Ref {
	r := l.inlineInto(&Ref{}, n, name)
	l.mark(r)
	return r
}

// inlineInto returns the type of a schema that is not a reference. A type that holds itself finds
// itself in r.
func (l *loader) inlineInto(r *Ref, n *yaml.Node, name string) *Ref {
	kinds, null := l.kinds(n)
	r.Null = null
	choices := slices.Concat(l.items(n, "anyOf"), l.items(n, "oneOf"))
	if l.at(n, "properties") == nil && len(choices) > 0 {
		return l.choice(n, name)
	}
	if parts := l.items(n, "allOf"); len(parts) == 1 && l.at(n, "properties") == nil {
		one := l.ref(l.list(n, "allOf")[0], name)
		one.Null = one.Null || null
		return one
	}
	var values []string
	for _, v := range l.items(n, "enum") {
		if v.Tag != "!!null" {
			values = append(values, v.Value)
		}
	}
	kind := ""
	if len(kinds) > 0 {
		kind = kinds[0]
	}
	switch {
	case len(values) > 0 && kind == "string":
		t := &Type{Name: name, Doc: l.text(n, "description"), Values: values, Open: l.text(n, "x-extensible") == "true"}
		l.add(t)
		r.Kind, r.Of = Enum, t
	case l.at(n, "properties") != nil || l.at(n, "allOf") != nil || kind == "object" && l.at(n, "additionalProperties", "type") == nil:
		t := &Type{Name: name, Doc: l.text(n, "description")}
		l.add(t)
		r.Kind, r.Of = Object, t
		t.Fields = l.fields(n, name)
		t.AnyFields = len(t.Fields) == 0 && l.text(n, "additionalProperties") == "true"
	case kind == "object":
		r.Kind, r.Item = Map, l.ref(l.raw(n, "additionalProperties"), name+"Value")
	case kind == "array":
		r.Kind, r.Item = List, l.ref(l.raw(n, "items"), l.itemOf(name))
	case kind == "integer":
		r.Kind = Integer
	case kind == "number":
		r.Kind = Number
	case kind == "boolean":
		r.Kind = Boolean
	case kind == "string":
		r.Kind = text(l.text(n, "format"), l.text(n, "pattern"))
	default:
		r.Kind = Any
	}
	return r
}

// text returns the kind of a text of the contract.
func text(format, pattern string) Kind {
	switch {
	case format == "date-time" || strings.HasSuffix(pattern, "[+]00:00$"):
		return Time
	case format == "date":
		return Date
	case strings.HasSuffix(pattern, "[0-9]+[.][0-9]{2}$"):
		return Amount
	}
	return String
}

// choice returns the type of one of several: one or null, texts of several forms, or any.
func (l *loader) choice(n *yaml.Node, name string) *Ref {
	var one *Ref
	null := false
	for _, c := range slices.Concat(l.list(n, "anyOf"), l.list(n, "oneOf")) {
		if kinds, _ := l.kinds(c); len(kinds) == 0 && l.text(c, "type") == "null" {
			null = true
			continue
		}
		r := l.ref(c, name)
		if one != nil && (one.Kind != String || r.Kind != String) {
			return &Ref{Kind: Any}
		}
		one = r
	}
	one.Null = one.Null || null
	return one
}

// fields returns the fields of an object, those of its parts first.
func (l *loader) fields(n *yaml.Node, name string) (all []*Field) {
	var required []string
	if r := l.at(n, "required"); r != nil {
		_ = r.Decode(&required) // names
	}
	for _, part := range l.list(n, "allOf") {
		of := name
		if at := l.text(part, "$ref"); at != "" {
			r := l.component(path.Base(at))
			for _, f := range r.Of.Fields {
				copied := *f
				all = append(all, &copied)
			}
			continue
		}
		all = append(all, l.fields(part, of)...)
	}
	l.each(l.at(n, "properties"), func(field string, schema *yaml.Node) {
		f := &Field{Name: field, Doc: l.text(schema, "description"), Ref: *l.ref(schema, name+pascal(field))}
		if f.Doc == "" {
			f.Doc = l.text(l.behind(schema), "description")
		}
		if i := slices.IndexFunc(all, func(have *Field) bool { return have.Name == field }); i >= 0 {
			f.Required = all[i].Required
			all[i] = f
			return
		}
		all = append(all, f)
	})
	for _, f := range all {
		f.Required = f.Required || slices.Contains(required, f.Name)
	}
	return all
}

// event returns the type of events, whose data follows from its type.
func (l *loader) event(n *yaml.Node, name string) *Type {
	t := &Type{Name: name, Doc: l.text(n, "description")}
	l.add(t)
	l.each(l.at(n, "discriminator", "mapping"), func(value string, to *yaml.Node) {
		of := l.raw(l.at(l.root, "components", "schemas"), path.Base(to.Value))
		if t.Fields == nil {
			t.Fields = slices.Insert(l.fields(l.list(of, "allOf")[0], name), 1, &Field{Name: "type", Ref: *l.component("EventType"), Required: true})
			if at := l.text(l.list(of, "allOf")[0], "$ref"); at != "" {
				t.Fields = nil
				for _, f := range l.component(path.Base(at)).Of.Fields {
					copied := *f
					t.Fields = append(t.Fields, &copied)
				}
				t.Fields = append(t.Fields, &Field{Name: "type", Ref: *l.component("EventType"), Required: true})
			}
		}
		t.Variants = append(t.Variants, Variant{value, l.ref(l.raw(l.at(of, "properties"), "data"), name+"Data").Of})
	})
	return t
}
