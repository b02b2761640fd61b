package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// contract is an OpenAPI document as a tree that keeps the order of its fields.
type contract struct {
	root    *yaml.Node
	samples map[string]map[string]string // calls of the clients, by operation and language
}

// get returns the value at a path of names, behind references; nil if there is none.
func (c contract) get(n *yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		n = c.behind(n)
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		var next *yaml.Node
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				next = n.Content[i+1]
			}
		}
		n = next
	}
	return c.behind(n)
}

func (c contract) behind(n *yaml.Node) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode || len(n.Content) != 2 || n.Content[0].Value != "$ref" {
		return n
	}
	return c.get(c.root, strings.Split(strings.TrimPrefix(n.Content[1].Value, "#/"), "/")...)
}

// text returns a string at a path, or "".
func (c contract) text(n *yaml.Node, names ...string) string {
	if at := c.get(n, names...); at != nil && at.Kind == yaml.ScalarNode {
		return strings.TrimSpace(at.Value)
	}
	return ""
}

// each calls do for each field of the mapping at a path.
func (c contract) each(n *yaml.Node, do func(name string, value *yaml.Node), names ...string) {
	if at := c.get(n, names...); at != nil && at.Kind == yaml.MappingNode {
		for i := 0; i < len(at.Content); i += 2 {
			do(at.Content[i].Value, at.Content[i+1])
		}
	}
}

// items returns the values of the list at a path.
func (c contract) items(n *yaml.Node, names ...string) (all []*yaml.Node) {
	if at := c.get(n, names...); at != nil && at.Kind == yaml.SequenceNode {
		for _, item := range at.Content {
			all = append(all, c.behind(item))
		}
	}
	return all
}

// reference returns a page for what holds for every request, and one for each tag of the
// contract, with its operations.
func reference(document []byte) ([]*Page, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(document, &doc); err != nil {
		return nil, fmt.Errorf("the contract: %w", err)
	}
	c := contract{root: doc.Content[0]}
	calls, err := files.ReadFile("samples.json")
	if err := errors.Join(err, json.Unmarshal(calls, &c.samples)); err != nil {
		return nil, err
	}
	all := []*Page{{
		Path: "/docs/reference", Title: "Every request", Section: "Reference",
		Summary:  "Modes, idempotency, versions, errors, limits, pages and times: what holds for every operation.",
		Markdown: c.text(c.root, "info", "description") + "\n\nThe contract itself is at [/api/v1/openapi.yaml](/api/v1/openapi.yaml).\n",
	}}
	pages := map[string]*Page{}
	for _, tag := range c.items(c.root, "tags") {
		name, about := c.text(tag, "name"), c.text(tag, "description")
		first, _, _ := strings.Cut(about, "\n\n")
		p := &Page{
			Path: "/docs/reference/" + strings.ReplaceAll(strings.ToLower(name), " ", "-"), Title: name, Section: "Reference",
			Summary: strings.ReplaceAll(first, "\n", " "), Markdown: about + "\n",
		}
		pages[name] = p
		all = append(all, p)
	}
	c.each(c.root, func(at string, item *yaml.Node) {
		c.each(item, func(method string, operation *yaml.Node) {
			tags := c.items(operation, "tags")
			if len(tags) == 0 {
				return // parameters of the path
			}
			if p := pages[tags[0].Value]; p != nil {
				p.Markdown += c.operation(at, strings.ToUpper(method), operation)
			} else {
				err = fmt.Errorf("the contract has no tag %s", tags[0].Value)
			}
		})
	}, "paths")
	return all, err
}

// operation returns the part of a page about an operation.
func (c contract) operation(at, method string, o *yaml.Node) string {
	var b strings.Builder
	address := c.text(c.items(c.root, "servers")[0], "url") + at
	fmt.Fprintf(&b, "\n## %s {#%s}\n\n`%s %s`\n\n%s\n", c.text(o, "summary"), c.text(o, "operationId"), method, address, c.text(o, "description"))
	var query []string
	c.table(&b, "Parameters", func(row func(name, kind, about string)) {
		for _, p := range c.items(o, "parameters") {
			name := c.text(p, "name")
			row(name, c.kind(c.get(p, "schema"))+c.needed(p), c.text(p, "description"))
			if c.text(p, "in") == "query" && c.text(p, "required") == "true" {
				query = append(query, name+"="+c.text(p, "example"))
			}
		}
	})
	var form []string
	var example string
	c.each(o, func(media string, body *yaml.Node) {
		schema := c.get(body, "schema")
		c.table(&b, "Body, "+media, func(row func(name, kind, about string)) { c.fields(schema, "", 0, row) })
		given := c.get(body, "example")
		c.each(body, func(_ string, one *yaml.Node) {
			if given == nil {
				given = c.get(one, "value")
			}
		}, "examples")
		if given == nil {
			given = c.get(schema, "example")
		}
		switch {
		case media == "multipart/form-data":
			c.each(given, func(name string, value *yaml.Node) {
				form = append(form, name+"="+strings.Replace(value.Value, "the bytes of ", "@", 1))
			})
		case media == "application/json" && given != nil:
			example = c.json(given, "", false)
		}
	}, "requestBody", "content")
	b.WriteString("\n### Try it\n\n```sh\n" + command(method, address, query, form, example) + "\n```\n")
	for _, in := range []string{"go", "typescript", "python"} {
		if code := c.samples[c.text(o, "operationId")][in]; code != "" {
			b.WriteString("\n```" + in + "\n" + code + "\n```\n")
		}
	}
	c.replies(&b, o)
	return b.String()
}

// command returns the curl command of a request.
func command(method, address string, query, form []string, body string) string {
	address = "http://127.0.0.1:8080" + address
	if len(query) > 0 {
		address += "?" + strings.Join(query, "&")
	}
	lines := []string{"curl -s '" + address + "'", "-H \"Authorization: Bearer $KEY\""}
	if method != "GET" {
		lines = append(lines, "-H \"Idempotency-Key: $(uuidgen)\"")
	}
	for _, field := range form {
		lines = append(lines, "-F "+field)
	}
	if body != "" {
		lines = append(lines, "-H 'Content-Type: application/json'", "-d '"+strings.ReplaceAll(body, "'", `'\''`)+"'")
	}
	if method != "GET" && (method != "POST" || form == nil && body == "") {
		lines = append(lines, "-X "+method)
	}
	return strings.Join(lines, " \\\n  ")
}

// replies writes what an operation replies with.
func (c contract) replies(b *strings.Builder, o *yaml.Node) {
	var refusals strings.Builder
	c.each(o, func(status string, reply *yaml.Node) {
		about := strings.ReplaceAll(c.text(reply, "description"), "\n", " ")
		if status[0] != '2' {
			fmt.Fprintf(&refusals, "| %s | %s |\n", status, cell(about))
			return
		}
		fmt.Fprintf(b, "\n### Reply %s\n\n%s\n", status, about)
		c.each(reply, func(media string, body *yaml.Node) {
			c.table(b, "", func(row func(name, kind, about string)) { c.fields(c.get(body, "schema"), "", 0, row) })
			c.each(body, func(_ string, one *yaml.Node) {
				if value := c.get(one, "value"); value != nil && media == "application/json" {
					fmt.Fprintf(b, "\n```json\n%s\n```\n", c.json(value, "", true))
				}
			}, "examples")
		}, "content")
	}, "responses")
	if refusals.Len() > 0 {
		b.WriteString("\n### Errors\n\n| status | codes |\n|---|---|\n" + refusals.String())
	}
}

// table writes a table of names, if fill has any.
func (c contract) table(b *strings.Builder, title string, fill func(row func(name, kind, about string))) {
	var rows strings.Builder
	fill(func(name, kind, about string) {
		fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", name, cell(kind), cell(about))
	})
	if rows.Len() == 0 {
		return
	}
	if title != "" {
		b.WriteString("\n### " + title + "\n")
	}
	b.WriteString("\n| name | value | meaning |\n|---|---|---|\n" + rows.String())
}

// cell returns a text for a table.
func cell(text string) string {
	return strings.NewReplacer("\n\n", " ", "\n", " ", "|", `\|`).Replace(text)
}

// deepest is how deep the fields of a value are listed: below, the example shows them.
const deepest = 3

// fields lists the fields of a schema, those of its parts, and those of objects in it.
func (c contract) fields(schema *yaml.Node, at string, depth int, row func(name, kind, about string)) {
	if schema == nil || depth > deepest {
		return
	}
	var required []string
	if n := c.get(schema, "required"); n != nil {
		_ = n.Decode(&required) // names
	}
	for _, part := range c.items(schema, "allOf") {
		c.fields(part, at, depth, row)
	}
	c.each(schema, func(name string, value *yaml.Node) {
		field := c.behind(value)
		kind := c.kind(field)
		if at == "" && slices.Contains(required, name) {
			kind += ", required"
		}
		row(at+name, kind, c.text(field, "description"))
		switch {
		case c.get(field, "properties") != nil || c.get(field, "allOf") != nil:
			c.fields(field, at+name+".", depth+1, row)
		case c.get(field, "items", "properties") != nil || c.get(field, "items", "allOf") != nil:
			c.fields(c.get(field, "items"), at+name+"[].", depth+1, row)
		}
	}, "properties")
	for _, one := range append(c.items(schema, "oneOf"), c.items(schema, "anyOf")...) {
		if at == "" && c.get(schema, "properties") == nil {
			c.fields(one, at, depth+1, row)
		}
	}
}

func (c contract) needed(p *yaml.Node) string {
	if c.text(p, "required") == "true" {
		return ", required"
	}
	return ""
}

// kind returns what a value may be, in words.
func (c contract) kind(schema *yaml.Node) string {
	if schema == nil {
		return ""
	}
	if values := c.items(schema, "enum"); len(values) > 0 && len(values) <= 30 {
		var all []string
		for _, v := range values {
			all = append(all, "`"+v.Value+"`")
		}
		return strings.Join(all, ", ")
	}
	if value := c.text(schema, "const"); value != "" {
		return "`" + value + "`"
	}
	for _, part := range c.items(schema, "allOf") {
		if kind := c.kind(part); kind != "" {
			return kind
		}
	}
	kind := c.text(schema, "type")
	var or []string
	for _, t := range c.items(schema, "type") {
		or = append(or, t.Value)
	}
	if len(or) > 0 {
		kind = or[0]
	}
	if kind == "array" {
		kind = "array of " + c.kind(c.get(schema, "items"))
	}
	if format := c.text(schema, "format"); format != "" {
		kind = format
	}
	if len(or) > 1 {
		kind += " or null"
	}
	return kind
}

// json returns a value of the contract as JSON, with its fields in order.
func (c contract) json(n *yaml.Node, indent string, wide bool) string {
	n = c.behind(n)
	open, between, shut := "", ",", ""
	if wide {
		open, between, shut = "\n"+indent+"  ", ",\n"+indent+"  ", "\n"+indent
	}
	var parts []string
	switch n.Kind { //nolint:exhaustive // a value is one of these
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			space := ""
			if wide {
				space = " "
			}
			parts = append(parts, strconv.Quote(n.Content[i].Value)+":"+space+c.json(n.Content[i+1], indent+"  ", wide))
		}
		if len(parts) == 0 {
			return "{}"
		}
		return "{" + open + strings.Join(parts, between) + shut + "}"
	case yaml.SequenceNode:
		for _, item := range n.Content {
			parts = append(parts, c.json(item, indent+"  ", wide))
		}
		if len(parts) == 0 {
			return "[]"
		}
		return "[" + open + strings.Join(parts, between) + shut + "]"
	}
	switch n.Tag {
	case "!!null":
		return "null"
	case "!!bool", "!!int", "!!float":
		return n.Value
	}
	return strconv.Quote(n.Value)
}
