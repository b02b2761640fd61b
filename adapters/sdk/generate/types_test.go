package main

import (
	"strings"
	"testing"
	"text/template"
)

// An object of any fields, such as an item of a batch as it was sent, keeps them. Go has read it into a struct of none.
func TestObjectsOfAnyFields(t *testing.T) {
	t.Parallel()
	m, err := load("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"go_types.tmpl":         "type EligibilityBatchItemRequest map[string]any\n",
		"typescript_types.tmpl": "export interface EligibilityBatchItemRequest {\n  [name: string]: unknown;\n}\n",
	} {
		var funcs template.FuncMap
		for _, of := range languages() {
			if _, ok := of.files[file]; ok {
				funcs = of.funcs
			}
		}
		var b strings.Builder
		if err := template.Must(template.New(file).Funcs(funcs).ParseFS(templates, file)).Execute(&b, m); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s does not write\n%s", file, want)
		}
	}
}
