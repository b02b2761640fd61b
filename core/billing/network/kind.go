package network

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Kind describes the connections of one kind: a transport, or the sandbox.
type Kind struct {
	Name    string // in documents
	Carries []Transaction
	Ends    bool   // its interchanges need a sender and a receiver
	OwnOrg  string // why a connection must serve one organization; empty if it need not
	About   string // for people who write a document
	Added   string // what to know about a connection that was added; empty to propose its test

	// Document returns the tables of a connection's document, bound to a new value. Nil
	// stands for no tables.
	Document func(c *Connection) Document
}

// Document is what the document of a connection has beside what it has for every kind.
// Its tables are bound to Settings, Secrets and the variables of options.
type Document struct {
	Settings any // a pointer; stored with the connection
	Secrets  any // a pointer; stored encrypted. Nil for none
	Fields   []Field
	Options  []Option
}

// document returns the tables for a connection.
func (k *Kind) document(c *Connection) (d Document) {
	if k.Document != nil {
		d = k.Document(c)
	}
	return d
}

// Fields returns the fields of the kind.
func (k *Kind) Fields() []Field { return k.document(&Connection{}).Fields }

// Options describes the options that connections of the kind have beside those of all.
func (k *Kind) Options() []OptionDoc { return describe(k.document(&Connection{}).Options) }

// has reports whether the kind has the field.
func (k *Kind) has(name string) bool {
	return slices.ContainsFunc(k.Fields(), func(f Field) bool { return f.Name == name })
}

// Read reads the part of a document that the kind knows into a connection whose other
// settings are read, and adds the faults. A value is as its Field says. Options is an
// object, or nil for the defaults.
func (k *Kind) Read(c *Connection, values map[string][]byte, options []byte, payers *directory.PayerDirectory, f *billing.Faults) {
	d := k.document(c)
	if options != nil {
		read, faults := ReadOptions(options, d.Options, "options.")
		c.Settings.Options = read
		for _, fault := range faults {
			f.Add(fault.Field, fault.Code, fault.Message)
		}
	}
	for _, row := range d.Fields {
		row.set(values[row.Name], f)
	}
	for _, row := range d.Fields {
		if row.Judge != nil {
			row.Judge(f, payers)
		}
	}
	c.store(&d)
}

// key is the name of the kind's settings among those of a connection.
func (c *Connection) key() string { return strings.ToUpper(c.Kind) }

// store keeps the values of a document in the connection.
func (c *Connection) store(d *Document) {
	encode := func(v any) []byte {
		b, _ := json.Marshal(v) // plain values
		return b
	}
	if d.Settings != nil {
		c.Settings.Own = map[string]json.RawMessage{c.key(): encode(d.Settings)}
	}
	if d.Secrets != nil {
		if c.Secrets = encode(d.Secrets); string(c.Secrets) == "{}" {
			c.Secrets = nil
		}
	}
	for _, o := range d.Options {
		if v := o.show(); v != nil {
			if c.Settings.Options.Own == nil {
				c.Settings.Options.Own = map[string]json.RawMessage{}
			}
			c.Settings.Options.Own[o.name] = encode(v)
		}
	}
}

// Load sets the values of a document to those of the connection.
func (c *Connection) Load(d Document) error {
	if own := c.Settings.Own[c.key()]; own != nil {
		if err := json.Unmarshal(own, d.Settings); err != nil {
			return fmt.Errorf("read the settings of %s: %w", c.Name, err)
		}
	}
	if !c.Secrets.IsZero() && d.Secrets != nil {
		if err := json.Unmarshal(c.Secrets, d.Secrets); err != nil {
			return fmt.Errorf("read the secrets of %s", c.Name) // the error may quote them
		}
	}
	for _, o := range d.Options {
		if v, ok := c.Settings.Options.Own[o.name]; ok && !o.read(v) {
			return fmt.Errorf("options.%s of %s must be %s", o.name, c.Name, o.want)
		}
	}
	return nil
}

// Shown is a setting of a connection that is no secret, as people see it.
type Shown struct {
	Name    string // in documents
	Label   string
	Value   string
	Address bool // of the network
}

// Kinds are the kinds of a release.
type Kinds []Kind

// Find returns the kind with the name, or nil.
func (k Kinds) Find(name string) *Kind {
	if i := slices.IndexFunc(k, func(one Kind) bool { return one.Name == name }); i >= 0 {
		return &k[i]
	}
	return nil
}

// Names lists the names, such as "a, b or c".
func (k Kinds) Names() (s string) {
	for i := range k {
		switch i {
		case 0:
		case len(k) - 1:
			s += " or "
		default:
			s += ", "
		}
		s += k[i].Name
	}
	return s
}

// Field returns the field with the name of the kind, or else of any that has it. It is
// nil if none has.
func (k Kinds) Field(kind, name string) *Field {
	all := slices.Clone(k)
	slices.SortStableFunc(all, func(a, b Kind) int { return cmp.Compare(order(a.Name != kind), order(b.Name != kind)) })
	for i := range all {
		for _, f := range all[i].Fields() {
			if f.Name == name {
				return &f
			}
		}
	}
	return nil
}

func order(later bool) int {
	if later {
		return 1
	}
	return 0
}

// Judge adds a fault unless connections of the kind have the field, which was given.
func (k Kinds) Judge(kind, name string, f *billing.Faults) {
	secret := k.Field(kind, name+"_file")
	switch of := k.Find(kind); {
	case secret != nil && secret.Type == FieldFile:
		f.Add(name, billing.FaultUnknown, "Unknown field. Write the value to a file, and name that file in "+name+"_file.")
	case k.Field(kind, name) == nil:
		f.Add(name, billing.FaultUnknown, "Unknown field.")
	case of != nil && !of.has(name):
		f.Add(name, billing.FaultNotAllowed, "A connection of the kind "+kind+" does not have this field.")
	}
}

// Show returns the settings of a connection that only its kind knows, without those that
// are empty.
func (k Kinds) Show(c *Connection) (all []Shown) {
	of := k.Find(c.Kind)
	if of == nil {
		return nil
	}
	own := *c
	d := of.document(&own)
	if own.Load(d) != nil {
		return nil
	}
	for _, f := range d.Fields {
		if f.show == nil || f.show() == "" {
			continue
		}
		all = append(all, Shown{f.Name, cmp.Or(f.Label, strings.ReplaceAll(f.Name, "_", " ")), f.show(), f.Address})
	}
	return all
}
