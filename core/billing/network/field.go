package network

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// FieldType is how a document has the value of a field, and what Kind.Read receives.
type FieldType string

// The types of fields.
const (
	FieldText FieldType = "a string"      // its text
	FieldFile FieldType = "a file's name" // the content of the file
	FieldFlag FieldType = "true or false" // the same
	FieldJSON FieldType = "JSON"          // the value as it is
)

// Field is a field of a document that only some kinds have. It is a row of a table.
type Field struct {
	Name    string
	About   string // for people who write a document
	Label   string // for people who look at a connection; empty for the name
	Type    FieldType
	Address bool // it is the address of the network

	// Judge adds the faults of the value, once all fields are read. Nil adds none.
	Judge func(f *billing.Faults, payers *directory.PayerDirectory)

	set  func(value []byte, f *billing.Faults) // nil for a field that is not given
	show func() string                         // nil for a field that is not shown
}

// TextField is a field that is text, and is shown.
func TextField(to *string, name, about string, judge func(f *billing.Faults)) Field {
	return Field{
		Name: name, About: about, Type: FieldText, Judge: judged(judge),
		set: func(value []byte, _ *billing.Faults) { *to = string(value) }, show: func() string { return *to },
	}
}

// FileField is a field that names a file, whose content is kept.
func FileField(to *[]byte, name, about string, judge func(f *billing.Faults)) Field {
	return Field{
		Name: name, About: about, Type: FieldFile, Judge: judged(judge),
		set: func(value []byte, _ *billing.Faults) { *to = slices.Clone(value) },
	}
}

// PasswordField is a field that names the file of a password. The end of its line is no
// part of the password.
func PasswordField(to *string, name, about string) Field {
	return Field{
		Name: name, About: about, Type: FieldFile,
		set: func(value []byte, _ *billing.Faults) { *to = strings.TrimRight(string(value), "\r\n") },
	}
}

// PrivateField is the field that allows addresses that are not public.
func PrivateField(c *Connection) Field {
	return Field{
		Name: "allow_private", About: "true to allow addresses that are not public", Type: FieldFlag,
		set: func(value []byte, _ *billing.Faults) { c.Settings.AllowPrivate = string(value) == "true" },
	}
}

// JSONField is a field of a form of its own. Read adds the faults of a value that is
// given.
func JSONField(name, about string, read func(value json.RawMessage, f *billing.Faults), show func() string,
	judge func(f *billing.Faults, payers *directory.PayerDirectory),
) Field {
	return Field{Name: name, About: about, Type: FieldJSON, Judge: judge, show: show, set: func(value []byte, f *billing.Faults) {
		if value != nil {
			read(value, f)
		}
	}}
}

func judged(judge func(f *billing.Faults)) func(*billing.Faults, *directory.PayerDirectory) {
	if judge == nil {
		return nil
	}
	return func(f *billing.Faults, _ *directory.PayerDirectory) { judge(f) }
}

// maxSetting is the longest text of a setting, in characters.
const maxSetting = 1024

// JudgeRequired adds a fault unless a setting is text that was given.
func JudgeRequired(f *billing.Faults, field, value string) {
	if f.Required(field, value, maxSetting) {
		judgeText(f, field, value)
	}
}

// JudgeOptional adds a fault for a setting that is no text.
func JudgeOptional(f *billing.Faults, field, value string) {
	if f.Optional(field, &value, maxSetting) {
		judgeText(f, field, value)
	}
}

func judgeText(f *billing.Faults, field, value string) {
	if strings.ContainsFunc(value, unicode.IsControl) || !utf8.ValidString(value) {
		f.Add(field, billing.FaultFormat, "The value must be UTF-8 text without control characters.")
	}
}

// JudgePair adds a fault when one of two values is given without the other.
func JudgePair(f *billing.Faults, one string, hasOne bool, other string, hasOther bool) {
	switch {
	case hasOne && !hasOther:
		f.Add(other, billing.FaultRequired, "The field "+one+" is set, and needs "+other+" too.")
	case hasOther && !hasOne:
		f.Add(one, billing.FaultRequired, "The field "+other+" is set, and needs "+one+" too.")
	}
}

// JudgeHost adds a fault for a host that is plainly private, unless the connection may use
// it. Names are checked when they are resolved.
func (c *Connection) JudgeHost(f *billing.Faults, field, host string) {
	addr, err := netip.ParseAddr(host)
	if c.Settings.AllowPrivate || err != nil && !strings.EqualFold(host, "localhost") {
		return
	}
	if err != nil || addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() {
		f.Add(field, billing.FaultNotAllowed, "The address is not public. If the connection may use it, set allow_private to true.")
	}
}

// ReadTexts reads a JSON object whose values are text. Null is as a field that is left
// out. The path of the object, with a point at its end, precedes its fields in faults.
func ReadTexts(doc json.RawMessage, path string, fields map[string]*string, f *billing.Faults) {
	fault := readObject(doc, func(name string, value json.RawMessage, twice bool) {
		to, known := fields[name]
		switch {
		case twice:
			f.Add(path+name, billing.FaultConflict, "Duplicate field. Remove one of them.")
		case !known:
			f.Add(path+name, billing.FaultUnknown, "Unknown field.")
		case json.Unmarshal(value, to) != nil:
			f.Add(path+name, billing.FaultType, "The value must be a string.")
		}
	})
	if fault {
		f.Add(strings.TrimSuffix(path, "."), billing.FaultType, "The value must be a JSON object.")
	}
}
