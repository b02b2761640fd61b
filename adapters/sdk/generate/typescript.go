package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// typescript is the client in TypeScript.
func typescript() language {
	return language{
		files: map[string]string{
			"typescript_types.tmpl":      "adapters/sdk/typescript/src/types.ts",
			"typescript_operations.tmpl": "adapters/sdk/typescript/src/operations.ts",
		},
		funcs: template.FuncMap{
			"camel": camel, "pascal": pascal, "quote": strconv.Quote, "ref": func(r *Ref) string { return tsRef(*r) }, "field": tsField,
			"doc": tsDoc, "path": tsPath, "args": tsArgs, "call": tsCall, "imports": tsImports, "oneLine": oneLine,
			"reply": tsReply,
		},
		format: func(b []byte) ([]byte, error) { return b, nil },
		sample: tsSample,
	}
}

func tsRef(r Ref) string {
	text := "string"
	switch r.Kind { //nolint:exhaustive // all others are texts
	case Integer, Number:
		text = "number"
	case Boolean:
		text = "boolean"
	case Amount:
		text = "Amount"
	case Enum, Object:
		text = r.Of.Name
	case List:
		if text = tsRef(*r.Item); strings.Contains(text, "|") {
			text = "(" + text + ")"
		}
		text += "[]"
	case Map:
		text = "Record<string, " + tsRef(*r.Item) + ">"
	case Any:
		text = "unknown"
	}
	if r.Null {
		text += " | null"
	}
	return text
}

// tsField is a field of an interface.
func tsField(t *Type, f *Field) string {
	mark := ""
	if !f.Required {
		mark = "?"
	}
	r := f.Ref
	if t.Sent && !t.Got && f.Required {
		r.Null = false
	}
	return f.Name + mark + ": " + tsRef(r) + ";"
}

// tsDoc is a comment before a line.
func tsDoc(indent, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	text = strings.ReplaceAll(strings.TrimSpace(text), "*/", "* /")
	if !strings.Contains(text, "\n") && len(text)+len(indent) < 90 {
		return indent + "/** " + text + " */\n"
	}
	return indent + "/**\n" + indent + " " + strings.TrimSuffix(strings.ReplaceAll(lines("*", text), "\n", "\n"+indent+" "), indent+" ") + indent + " */\n"
}

func tsPath(o *Operation) string {
	if len(o.PathParams) == 0 {
		return strconv.Quote(o.Path)
	}
	text := o.Path
	for _, p := range o.PathParams {
		text = strings.Replace(text, "{"+p.Name+"}", "${encodeURIComponent("+camel(p.Name)+")}", 1)
	}
	return "`" + text + "`"
}

// tsArgs are the parameters of a method.
func tsArgs(o *Operation) string {
	var args []string
	for _, p := range o.PathParams {
		args = append(args, camel(p.Name)+": string")
	}
	if o.Upload {
		args = append(args, "file: Upload")
	}
	switch {
	case o.Form != nil:
		args = append(args, "form: "+o.Form.Name)
	case o.Body != nil:
		text := "body: " + o.Body.Of.Name
		if !slices.ContainsFunc(o.Body.Of.Fields, func(f *Field) bool { return f.Required }) && o.Method != "PATCH" {
			text += " = {}"
		}
		args = append(args, text)
	}
	if o.Query != nil {
		text := "params: " + o.Query.Name
		if !slices.ContainsFunc(o.Query.Fields, func(f *Field) bool { return f.Required }) {
			text += " = {}"
		}
		args = append(args, text)
	}
	return strings.Join(append(args, "options?: CallOptions"), ", ")
}

// tsReply is the type of the result of a method.
func tsReply(o *Operation) string {
	switch {
	case o.List:
		return "List<" + tsRef(*o.Reply) + ">"
	case o.Binary:
		return "Promise<Download>"
	case o.Reply == nil:
		return "Promise<void>"
	}
	return "Promise<" + tsRef(*o.Reply) + ">"
}

// tsCall is the body of a method.
func tsCall(o *Operation) string {
	parts := []string{"method: " + strconv.Quote(o.Method), "path: " + tsPath(o)}
	if o.Query != nil {
		parts = append(parts, "query: params")
	}
	if o.Body != nil {
		parts = append(parts, "body")
	}
	if o.Upload {
		parts = append(parts, "file")
	}
	if o.Form != nil {
		parts = append(parts, "form")
	}
	if o.Keyed {
		parts = append(parts, "keyed: true")
	}
	if o.ID == "createEligibilityCheck" {
		parts = append(parts, "answers: true")
	}
	name := map[bool]string{true: "download", false: "json"}[o.Binary]
	if o.List {
		return fmt.Sprintf("return new List(this.core, { %s }, options);", strings.Join(parts, ", "))
	}
	return fmt.Sprintf("return this.core.%s({ %s }, options);", name, strings.Join(parts, ", "))
}

// tsImports are the names of types that the operations need.
func tsImports(m *Model) (all []string) {
	for _, g := range m.Groups {
		for _, o := range g.Operations {
			if o.Query != nil {
				all = append(all, o.Query.Name)
			}
			if o.Body != nil {
				all = append(all, o.Body.Of.Name)
			}
			if o.Form != nil {
				all = append(all, o.Form.Name)
			}
			if o.Reply != nil && o.Reply.Of != nil {
				all = append(all, o.Reply.Of.Name)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func tsSample(o *Operation) string {
	var args []string
	for _, p := range o.PathParams {
		args = append(args, camel(p.Name))
	}
	as := literals{indent: "  ", null: "null", yes: "true", no: "false", bare: true}
	switch {
	case o.Upload:
		file, fields := sampleFile(o)
		args = append(args, strconv.Quote(file))
		if fields != nil {
			args = append(args, literal(fields, "", as))
		}
	case o.Body != nil && o.Example != nil && len(o.Example.Content) > 0:
		args = append(args, literal(o.Example, "", as))
	}
	if asked := sampleQuery(o); asked != nil {
		args = append(args, literal(asked, "", as))
	}
	call := fmt.Sprintf("client.%s.%s(%s)", camel(o.Group), camel(o.Name), strings.Join(args, ", "))
	switch {
	case o.List:
		return "for await (const item of " + call + ") {\n  console.log(item);\n}"
	case o.Reply == nil && !o.Binary:
		return "await " + call + ";"
	}
	return "const reply = await " + call + ";"
}

// literals is how a language writes values.
type literals struct {
	indent, null, yes, no string
	bare                  bool // names without quotation marks
}

// literal writes an example as a value of a language.
func literal(n *yaml.Node, indent string, as literals) string {
	switch n.Kind { //nolint:exhaustive // a value is one of these
	case yaml.MappingNode:
		if len(n.Content) == 0 {
			return "{}"
		}
		var b strings.Builder
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if !as.bare {
				name = strconv.Quote(name)
			}
			b.WriteString(indent + as.indent + name + ": " + literal(n.Content[i+1], indent+as.indent, as) + ",\n")
		}
		return "{\n" + b.String() + indent + "}"
	case yaml.SequenceNode:
		var items []string
		for _, item := range n.Content {
			items = append(items, literal(item, indent, as))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	switch n.Tag {
	case "!!null":
		return as.null
	case "!!bool":
		return map[bool]string{true: as.yes, false: as.no}[n.Value == "true"]
	case "!!int", "!!float":
		return n.Value
	}
	return strconv.Quote(n.Value)
}
