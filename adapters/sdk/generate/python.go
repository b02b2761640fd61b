package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// python is the client in Python.
func python() language {
	return language{
		files: map[string]string{
			"python_types.tmpl":      "adapters/sdk/python/src/molar/types.py",
			"python_operations.tmpl": "adapters/sdk/python/src/molar/operations.py",
			"python_version.tmpl":    "adapters/sdk/python/src/molar/version.py",
		},
		funcs: template.FuncMap{
			"pascal": pascal, "quote": strconv.Quote, "name": pyName, "ordered": ordered, "doc": pyDoc, "args": pyArgs, "reply": pyReply, "call": pyCall,
			"ref": func(r *Ref) string { return pyRef(*r, false) }, "got": func(f *Field) string {
				r := f.Ref
				r.Null = r.Null || !f.Required
				return pyRef(r, true)
			},
			"sent": pySent, "convert": func(f *Field) string { return pyConvert(f.Ref) },
			"spaced":  func(name string) string { return strings.ReplaceAll(name, "_", " ") },
			"imports": func(m *Model) []string { return pyImports(m, true) }, "inputs": func(m *Model) []string { return pyImports(m, false) },
			"functional": func(t *Type) bool {
				return slices.ContainsFunc(t.Fields, func(f *Field) bool { return pyName(f.Name) != f.Name })
			},
			"literal": func(values []string) string {
				var all []string
				for _, v := range values {
					all = append(all, strconv.Quote(v))
				}
				return strings.Join(all, ", ")
			},
		},
		format: func(b []byte) ([]byte, error) { return b, nil },
		sample: pySample,
	}
}

const pyWords = "False None True and as assert async await break class continue def del elif else except finally for from global if import in is " +
	"lambda nonlocal not or pass raise return try while with yield"

// ordered returns the types so that each comes after those that it holds.
func ordered(all []*Type) (sorted []*Type) {
	done := map[*Type]bool{}
	var add func(t *Type)
	add = func(t *Type) {
		if done[t] {
			return
		}
		done[t] = true
		for _, f := range t.Fields {
			of := &f.Ref
			for of.Item != nil {
				of = of.Item
			}
			if of.Of != nil {
				add(of.Of)
			}
		}
		for _, v := range t.Variants {
			add(v.Of)
		}
		sorted = append(sorted, t)
	}
	for _, t := range all {
		add(t)
	}
	return sorted
}

// pyName is a name that is no word of the language.
func pyName(name string) string {
	if slices.Contains(strings.Fields(pyWords), name) {
		return name + "_"
	}
	return name
}

// pyRef is the annotation of a value of a reply, or of a request.
func pyRef(r Ref, got bool) string {
	text := "str"
	switch r.Kind { //nolint:exhaustive // all others are texts
	case Integer:
		text = "int"
	case Number:
		text = "float"
	case Boolean:
		text = "bool"
	case Amount:
		text = "Decimal"
		if !got {
			text = "Decimal | str"
		}
	case Time:
		text = "dt.datetime"
		if !got {
			text = "dt.datetime | str"
		}
	case Date:
		text = "dt.date"
		if !got {
			text = "dt.date | str"
		}
	case Enum:
		text = r.Of.Name
	case Object:
		text = r.Of.Name
		if !got && r.Of.Got {
			text += "Input"
		}
	case List:
		text = "list[" + pyRef(*r.Item, got) + "]"
	case Map:
		text = "dict[str, " + pyRef(*r.Item, got) + "]"
	case Any:
		text = "Any"
	}
	if r.Null {
		text += " | None"
	}
	return text
}

// pySent is the annotation of a field of a request.
func pySent(f *Field) string {
	r := f.Ref
	if f.Required {
		r.Null = false
		return "Required[" + pyRef(r, false) + "]"
	}
	return pyRef(r, false)
}

// pyConvert is how a value of a reply is read; empty if it stays as it is.
func pyConvert(r Ref) string {
	switch r.Kind { //nolint:exhaustive // all others stay
	case Amount:
		return "Decimal"
	case Time:
		return "timestamp"
	case Date:
		return "calendar_date"
	case Object:
		return r.Of.Name
	case List:
		if of := pyConvert(*r.Item); of != "" {
			return "[" + of + "]"
		}
	case Map:
		if of := pyConvert(*r.Item); of != "" {
			return "{\"\": " + of + "}"
		}
	}
	return ""
}

// pyDoc is a text as a documentation string.
func pyDoc(indent, text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), `\`, `\\`)
	if text == "" {
		return ""
	}
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString("\n")
			if strings.TrimSpace(line) != "" {
				b.WriteString(indent)
			}
		}
		b.WriteString(strings.TrimSpace(line))
	}
	out := strings.ReplaceAll(b.String(), `"""`, `'''`)
	if strings.Contains(out, "\n") {
		return indent + `"""` + out + "\n" + indent + `"""` + "\n"
	}
	if strings.HasSuffix(out, `"`) {
		out += " "
	}
	return indent + `"""` + out + `"""` + "\n"
}

func pyArgs(o *Operation) string {
	args := []string{"self"}
	for _, p := range o.PathParams {
		args = append(args, p.Name+": str")
	}
	if o.Upload {
		args = append(args, "file: Upload")
	}
	args = append(args, "*", "options: Options = NO_OPTIONS")
	switch {
	case o.Form != nil:
		args = append(args, "**form: Unpack["+o.Form.Name+"]")
	case o.Body != nil:
		args = append(args, "**body: Unpack["+o.Body.Of.Name+map[bool]string{true: "Input"}[o.Body.Of.Got]+"]")
	case o.Query != nil:
		args = append(args, "**params: Unpack["+o.Query.Name+"]")
	}
	return strings.Join(args, ", ")
}

func pyReply(o *Operation) string {
	switch {
	case o.List:
		return "List[" + pyRef(*o.Reply, true) + "]"
	case o.Binary:
		return "Download"
	case o.Reply == nil:
		return "None"
	}
	return pyRef(*o.Reply, true)
}

func pyCall(o *Operation) string {
	path := strconv.Quote(o.Path)
	if len(o.PathParams) > 0 {
		for _, p := range o.PathParams {
			path = strings.Replace(path, "{"+p.Name+"}", "{part("+p.Name+")}", 1)
		}
		path = "f" + path
	}
	parts := []string{strconv.Quote(o.Method), path, "options"}
	if o.Query != nil {
		parts = append(parts, "query=dict(params)")
	}
	if o.Body != nil {
		parts = append(parts, "body=dict(body)")
	}
	if o.Upload {
		parts = append(parts, "file=file")
	}
	if o.Form != nil {
		parts = append(parts, "form=dict(form)")
	}
	if o.Keyed {
		parts = append(parts, "keyed=True")
	}
	if o.ID == "createEligibilityCheck" {
		parts = append(parts, "answers=True")
	}
	call := "Call(" + strings.Join(parts, ", ") + ")"
	switch {
	case o.List:
		return fmt.Sprintf("return List(self._core, %s, %s)", call, o.Reply.Of.Name)
	case o.Binary:
		return "return self._core.download(" + call + ")"
	case o.Reply == nil:
		return "self._core.send(" + call + ")"
	}
	return fmt.Sprintf("return %s(self._core.json(%s))", o.Reply.Of.Name, call)
}

func pySample(o *Operation) string {
	var args []string
	for _, p := range o.PathParams {
		args = append(args, p.Name)
	}
	named := sampleQuery(o)
	switch {
	case o.Upload:
		var file string
		file, named = sampleFile(o)
		args = append(args, strconv.Quote(file))
	case o.Body != nil && o.Example != nil && len(o.Example.Content) > 0:
		named = o.Example
	}
	if named != nil {
		args = []string{pyNamed(args, named)}
	}
	call := fmt.Sprintf("client.%s.%s(%s)", o.Group, pyName(o.Name), strings.Join(args, ", "))
	switch {
	case o.List:
		return "for item in " + call + ":\n    print(item)"
	case o.Reply == nil && !o.Binary:
		return call
	}
	return "reply = " + call
}

// pyNamed writes the arguments of a call, with one that has a name on each line. A name that is a word of Python is given in a
// dictionary.
func pyNamed(args []string, named *yaml.Node) string {
	var b strings.Builder
	if len(args) > 0 {
		b.WriteString("\n    " + strings.Join(args, ", ") + ",")
	}
	for i := 0; i < len(named.Content); i += 2 {
		name, value := named.Content[i].Value, literal(named.Content[i+1], "    ", literals{indent: "    ", null: "None", yes: "True", no: "False"})
		if pyName(name) != name {
			fmt.Fprintf(&b, "\n    **{%q: %s},", name, value)
		} else {
			fmt.Fprintf(&b, "\n    %s=%s,", name, value)
		}
	}
	return b.String() + "\n"
}

// pyImports are the names of the types of replies, or of requests, that the operations need.
func pyImports(m *Model, got bool) (all []string) {
	for _, g := range m.Groups {
		for _, o := range g.Operations {
			switch {
			case got && o.Reply != nil:
				all = append(all, o.Reply.Of.Name)
			case !got && o.Form != nil:
				all = append(all, o.Form.Name)
			case !got && o.Body != nil:
				all = append(all, o.Body.Of.Name+map[bool]string{true: "Input"}[o.Body.Of.Got])
			case !got && o.Query != nil:
				all = append(all, o.Query.Name)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
