package main

import (
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// raw returns the value of a name, as it stands.
func (l *loader) raw(n *yaml.Node, name string) *yaml.Node {
	if n = l.behind(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// at returns the value at a path of names, behind references.
func (l *loader) at(n *yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		n = l.raw(n, name)
	}
	return l.behind(n)
}

func (l *loader) behind(n *yaml.Node) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return n
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == "$ref" {
			return l.at(l.root, strings.Split(strings.TrimPrefix(n.Content[i+1].Value, "#/"), "/")...)
		}
	}
	return n
}

// text returns the text of a name, which is not behind a reference if n is one.
func (l *loader) text(n *yaml.Node, name string) string {
	if n == nil || n.Kind != yaml.MappingNode {
		return ""
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name && n.Content[i+1].Kind == yaml.ScalarNode {
			return strings.TrimSpace(n.Content[i+1].Value)
		}
	}
	return ""
}

func (l *loader) each(n *yaml.Node, do func(name string, value *yaml.Node)) {
	if n = l.behind(n); n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			do(n.Content[i].Value, n.Content[i+1])
		}
	}
}

// list returns the items of the list of a name, as they stand.
func (l *loader) list(n *yaml.Node, name string) []*yaml.Node {
	if at := l.raw(n, name); at != nil && at.Kind == yaml.SequenceNode {
		return at.Content
	}
	return nil
}

// items returns the items of the list of a name, behind references.
func (l *loader) items(n *yaml.Node, name string) (all []*yaml.Node) {
	for _, item := range l.list(n, name) {
		all = append(all, l.behind(item))
	}
	return all
}

// kinds returns the types of a schema without null, and whether null is one.
func (l *loader) kinds(n *yaml.Node) (all []string, null bool) {
	for _, t := range l.items(n, "type") {
		all = append(all, t.Value)
	}
	if one := l.text(n, "type"); one != "" {
		all = append(all, one)
	}
	if at := slices.Index(all, "null"); at >= 0 {
		return slices.Delete(all, at, at+1), true
	}
	return all, false
}

// pascal writes a name of the contract in one word: payer_requests is PayerRequests.
func pascal(name string) string {
	var b strings.Builder
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range words {
		upper := strings.ToUpper(word)
		switch {
		case slices.Contains([]string{"ID", "NPI", "ERA", "URL", "API", "CSV", "X12", "TOTP", "PWK", "NTE", "IP"}, upper):
			b.WriteString(upper)
		case upper == "IDS" || upper == "ERAS":
			b.WriteString(upper[:len(upper)-1] + "s")
		case word == upper && (len(word) > 3 || len(words) > 1):
			b.WriteString(word[:1] + strings.ToLower(word[1:]))
		default:
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// camel is pascal with a small first letter.
func camel(name string) string {
	words := strings.SplitN(name, "_", 2)
	if len(words) == 1 {
		return words[0]
	}
	return words[0] + pascal(words[1])
}

// singular is the name of an item of a list.
func singular(name string) string {
	switch {
	case strings.HasSuffix(name, "ies"):
		return strings.TrimSuffix(name, "ies") + "y"
	case strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss"):
		return strings.TrimSuffix(name, "s")
	}
	return name + "Item"
}
