package main

import (
	"fmt"
	"go/format"
	"strconv"
	"strings"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"
)

// golang is the client in Go.
func golang() language {
	return language{
		files: map[string]string{
			"go_types.tmpl":      "adapters/sdk/go/types.go",
			"go_operations.tmpl": "adapters/sdk/go/operations.go",
		},
		funcs: template.FuncMap{
			"pascal": pascal, "comment": func(text string) string { return lines("//", text) }, "typeOf": goField,
			"ref": func(r any) string {
				if p, ok := r.(*Ref); ok {
					return goRef(*p)
				}
				return goRef(r.(Ref))
			},
			"tag": goTag, "path": goPath, "quote": strconv.Quote, "args": goArgs, "addQuery": goQuery,
			"query":  func(t *Type) bool { return strings.HasSuffix(t.Name, "Params") },
			"method": func(m string) string { return "http.Method" + m[:1] + strings.ToLower(m[1:]) },
			"spaced": func(name string) string { return strings.ReplaceAll(name, "_", " ") },
			"checks": func(o *Operation) bool { return o.ID == "createEligibilityCheck" },
		},
		format: format.Source,
		sample: goSample,
	}
}

// goRef is the type of a value that is there.
func goRef(r Ref) string {
	switch r.Kind { //nolint:exhaustive // all others are texts
	case Integer:
		return "int"
	case Number:
		return "float64"
	case Boolean:
		return "bool"
	case Amount:
		return "Amount"
	case Time:
		return "time.Time"
	case Enum, Object:
		return r.Of.Name
	case List:
		return "[]" + goRef(*r.Item)
	case Map:
		return "map[string]" + goRef(*r.Item)
	case Any:
		return "any"
	}
	return "string"
}

// goField is the type of a field: what a request may leave out, or set to null, is Optional; what a
// reply may lack is a pointer.
func goField(t *Type, f *Field) string {
	of := goRef(f.Ref)
	switch {
	case t.Sent && !t.Got && !f.Required:
		return "Optional[" + of + "]"
	case (f.Null && t.Got || !f.Required) && f.Kind != List && f.Kind != Map && f.Kind != Any:
		return "*" + of
	}
	return of
}

func goTag(t *Type, f *Field) string {
	if t.Sent && !f.Required {
		return f.Name + ",omitempty"
	}
	return f.Name
}

// goPath is the expression of the path of an operation.
func goPath(o *Operation) string {
	text := strconv.Quote(o.Path)
	for _, p := range o.PathParams {
		text = strings.Replace(text, "{"+p.Name+"}", `" + url.PathEscape(`+goName(p.Name)+`) + "`, 1)
	}
	return strings.TrimSuffix(text, ` + ""`)
}

// goName is the name of a parameter.
func goName(name string) string {
	words := pascal(name)
	if strings.ToUpper(words) == words {
		return strings.ToLower(words)
	}
	return strings.ToLower(words[:1]) + words[1:]
}

// goArgs are the arguments of an operation.
func goArgs(o *Operation) string {
	args := []string{"ctx context.Context"}
	for _, p := range o.PathParams {
		args = append(args, goName(p.Name)+" string")
	}
	if o.Upload {
		args = append(args, "file *Upload")
	}
	switch {
	case o.Form != nil:
		args = append(args, "form "+o.Form.Name)
	case o.Body != nil:
		args = append(args, "body "+goRef(*o.Body))
	}
	if o.Query != nil {
		args = append(args, "params "+o.Query.Name)
	}
	if o.List {
		args = args[1:]
	}
	return strings.Join(append(args, "options ...CallOption"), ", ")
}

// goQuery is the statement that adds a parameter to a query.
func goQuery(f *Field) string {
	name, at := strconv.Quote(f.Name), "p."+pascal(f.Name)
	switch f.Kind { //nolint:exhaustive // all others are texts
	case List:
		return fmt.Sprintf("for _, v := range %s { q.Add(%s, string(v)) }", at, name)
	case Integer:
		return fmt.Sprintf("if %s != 0 { q.Set(%s, strconv.Itoa(%s)) }", at, name, at)
	case Boolean:
		return fmt.Sprintf("if v, _, ok := %s.Get(); ok { q.Set(%s, strconv.FormatBool(v)) }", at, name)
	case Time:
		return fmt.Sprintf("if !%s.IsZero() { q.Set(%s, %s.Format(time.RFC3339Nano)) }", at, name, at)
	}
	return fmt.Sprintf("if %s != \"\" { q.Set(%s, string(%s)) }", at, name, at)
}

// goSample is a call of an operation.
func goSample(o *Operation) string {
	var args []string
	if !o.List {
		args = append(args, "ctx")
	}
	for _, p := range o.PathParams {
		args = append(args, goName(p.Name))
	}
	switch {
	case o.Upload:
		file, fields := sampleFile(o)
		args = append(args, fmt.Sprintf("molar.File(%q)", file))
		if o.Form != nil {
			args = append(args, goLiteral(fields, &Field{Ref: Ref{Kind: Object, Of: o.Form}, Required: true}, nil, "\t"))
		}
	case o.Body != nil:
		args = append(args, goLiteral(o.Example, &Field{Ref: *o.Body, Required: true}, nil, "\t"))
	}
	if o.Query != nil {
		args = append(args, goLiteral(sampleQuery(o), &Field{Ref: Ref{Kind: Object, Of: o.Query}, Required: true}, nil, "\t"))
	}
	call := fmt.Sprintf("client.%s.%s(%s)", pascal(o.Group), pascal(o.Name), strings.Join(args, ", "))
	switch {
	case o.List:
		return "for item, err := range " + call + ".All(ctx) {\n\tif err != nil {\n\t\treturn err\n\t}\n\tfmt.Println(item)\n}"
	case o.Reply == nil && !o.Binary:
		return "err := " + call
	}
	return "reply, err := " + call
}

// goLiteral writes an example as a value of Go.
func goLiteral(n *yaml.Node, f *Field, of *Type, indent string) string {
	if n == nil {
		return "molar." + goRef(f.Ref) + "{}"
	}
	if n.Tag == "!!null" {
		return "molar.Null[" + goQualified(f.Ref) + "]()"
	}
	var text string
	switch f.Kind { //nolint:exhaustive // all others are texts
	case Object:
		var b strings.Builder
		for i := 0; i < len(n.Content); i += 2 {
			for _, inner := range f.Of.Fields {
				if inner.Name == n.Content[i].Value {
					fmt.Fprintf(&b, "%s%s: %s,\n", indent, pascal(inner.Name), goLiteral(n.Content[i+1], inner, f.Of, indent+"\t"))
				}
			}
		}
		text = goQualified(f.Ref) + "{\n" + b.String() + strings.TrimSuffix(indent, "\t") + "}"
		if b.Len() == 0 {
			text = goQualified(f.Ref) + "{}"
		}
	case List:
		var items []string
		for _, item := range n.Content {
			items = append(items, strings.TrimPrefix(goLiteral(item, &Field{Ref: *f.Item, Required: true}, nil, indent), goQualified(*f.Item)))
		}
		text = goQualified(f.Ref) + "{" + strings.Join(items, ", ") + "}"
	case Integer, Number, Boolean:
		text = n.Value
	case Time:
		text = goTime(n.Value)
	default:
		text = strconv.Quote(n.Value)
		if of != nil && strings.HasPrefix(goField(of, f), "Optional") && f.Kind != String && f.Kind != Date {
			text = goQualified(f.Ref) + "(" + text + ")"
		}
	}
	switch {
	case of == nil:
	case strings.HasPrefix(goField(of, f), "Optional"):
		return "molar.Value(" + text + ")"
	case strings.HasPrefix(goField(of, f), "*"):
		return "molar.Pointer(" + text + ")"
	}
	return text
}

// goTime writes a time.
func goTime(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic("the contract has an example that is no time: " + text)
	}
	at = at.UTC()
	return fmt.Sprintf("time.Date(%d, time.%s, %d, %d, %d, %d, %d, time.UTC)", at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond())
}

// goQualified is goRef outside the package.
func goQualified(r Ref) string {
	switch r.Kind { //nolint:exhaustive // the others are Go's own
	case List:
		return "[]" + goQualified(*r.Item)
	case Map:
		return "map[string]" + goQualified(*r.Item)
	case Enum, Object, Amount:
		return "molar." + goRef(r)
	}
	return goRef(r)
}
