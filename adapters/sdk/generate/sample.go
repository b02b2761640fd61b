package main

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// sampleFile returns the name of the file that the example of an upload sends, and the fields beside it, nil for none. In the
// contract the file is `the bytes of NAME`.
func sampleFile(o *Operation) (name string, fields *yaml.Node) {
	fields = &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i < len(o.Example.Content); i += 2 {
		if key, value := o.Example.Content[i], o.Example.Content[i+1]; key.Value == "file" {
			name = strings.TrimPrefix(value.Value, "the bytes of ")
		} else {
			fields.Content = append(fields.Content, key, value)
		}
	}
	if len(fields.Content) == 0 {
		return name, nil
	}
	return name, fields
}

// sampleQuery returns the examples of the parameters that an operation requires, nil for none.
func sampleQuery(o *Operation) *yaml.Node {
	all := &yaml.Node{Kind: yaml.MappingNode}
	if o.Query != nil {
		for _, f := range o.Query.Fields {
			if f.Required {
				all.Content = append(all.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: f.Name}, f.Example)
			}
		}
	}
	if len(all.Content) == 0 {
		return nil
	}
	return all
}
