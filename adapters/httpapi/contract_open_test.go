package httpapi

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// fixed are the enumerations of replies that never grow: clients may treat them as
// complete. They are named by their values.
func fixed(values []string) bool {
	return len(values) == 1 || slices.ContainsFunc([]string{
		"test live", "asc desc", "P T", "female male unknown null",
	}, func(all string) bool { return all == strings.Join(values, " ") })
}

// Replies may have more fields and values in a later release, so the contract does not
// close them: no schema of a reply has additionalProperties or unevaluatedProperties
// false, and an enumeration that may grow has x-extensible. With -update it corrects
// openapi.yaml.
func TestRepliesAreOpen(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(string(contract), "\n")
	var root yaml.Node
	if err := yaml.Unmarshal(contract, &root); err != nil {
		t.Fatal(err)
	}
	doc := root.Content[0]
	closed, unmarked := map[int]bool{}, map[int]int{}
	seen := map[*yaml.Node]bool{}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.Kind == yaml.SequenceNode {
			for _, item := range n.Content {
				walk(item)
			}
			return
		}
		if n.Kind != yaml.MappingNode {
			return
		}
		if ref := child(n, "$ref"); ref != nil {
			at := doc
			for _, name := range strings.Split(strings.TrimPrefix(ref.Value, "#/"), "/") {
				at = child(at, name)
			}
			walk(at)
		}
		for i := 0; i < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			switch key.Value {
			case "example", "examples", "default", "mapping", "description":
				continue
			case "additionalProperties", "unevaluatedProperties":
				if value.Value == "false" {
					closed[key.Line] = true
				}
			case "enum":
				var values []string
				if value.Decode(&values) == nil && child(n, "x-extensible") == nil && !fixed(values) {
					unmarked[key.Line] = key.Column
				}
			case "properties":
				for j := 1; j < len(value.Content); j += 2 {
					walk(value.Content[j])
				}
				continue
			}
			walk(value)
		}
	}
	paths := child(doc, "paths")
	for i := 1; i < len(paths.Content); i += 2 {
		for j := 1; j < len(paths.Content[i].Content); j += 2 {
			if replies := child(paths.Content[i].Content[j], "responses"); replies != nil {
				walk(replies)
			}
		}
	}
	walk(child(child(doc, "components"), "responses"))
	walk(child(doc, "webhooks"))
	for i := range lines {
		column, mark := unmarked[i+1]
		switch {
		case closed[i+1] && !*update:
			t.Errorf("line %d closes a reply: %s", i+1, strings.TrimSpace(lines[i]))
		case closed[i+1] && strings.Contains(strings.TrimSpace(lines[i]), "{"): // a schema on one line
			lines[i] = strings.NewReplacer(", additionalProperties: false", "", "additionalProperties: false, ", "").Replace(lines[i])
		case closed[i+1]:
			lines[i] = ""
		case mark && !*update:
			t.Errorf("line %d lacks x-extensible: true, or is no enumeration that grows: %s", i+1, strings.TrimSpace(lines[i]))
		case mark && strings.Contains(lines[i][:column-1], "{"):
			lines[i] = lines[i][:column-1] + "x-extensible: true, " + lines[i][column-1:]
		case mark:
			lines[i] = strings.Repeat(" ", column-1) + "x-extensible: true\n" + lines[i]
		}
	}
	if *update {
		if err := os.WriteFile("openapi.yaml", []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// child returns the value of a name in a mapping, or nil.
func child(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// shut returns the contract's tree with every object closed that the served one leaves
// open, so that a reply with a field that it does not name is found. Objects that others
// are made of stay open.
func shut(tree any) any {
	parts := map[string]bool{}
	var find func(v any, inAllOf bool)
	find = func(v any, inAllOf bool) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				find(x, inAllOf)
			}
		case map[string]any:
			if ref, is := v["$ref"].(string); is && inAllOf {
				parts[ref] = true
			}
			for name, x := range v {
				find(x, name == "allOf")
			}
		}
	}
	find(tree, false)
	var walk func(at string, v any, part bool)
	walk = func(at string, v any, part bool) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk("", x, strings.HasSuffix(at, "/allOf"))
			}
		case map[string]any:
			_, isObject := v["properties"].(map[string]any)
			isObject = isObject && v["type"] != nil
			_, composed := v["allOf"]
			isSchema := !strings.HasSuffix(at, "/properties")
			switch part = part || parts[at]; {
			case !isSchema || part:
			case composed && v["unevaluatedProperties"] == nil:
				v["unevaluatedProperties"] = false
			case !composed && isObject && v["additionalProperties"] == nil:
				v["additionalProperties"] = false
			}
			for name, x := range v {
				if name != "example" && name != "examples" && name != "default" || !isSchema {
					walk(at+"/"+name, x, false)
				}
			}
		}
	}
	walk("#", tree, false)
	return tree
}
