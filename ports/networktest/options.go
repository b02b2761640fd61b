package networktest

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

// Option is an option of a kind of connections: a document with another value than the
// default, and values that are refused.
type Option struct {
	Name, Value string
	Bad         []string
}

// Options reads each option that only the kind has, in the order of its help: its value
// is kept as it stands, its default is not kept, and a bad value is one fault.
func Options(t *testing.T, kind network.Kind, payers *directory.PayerDirectory, cases []Option) {
	t.Helper()
	docs := kind.Options()
	if len(docs) != len(cases) {
		t.Fatalf("%d options, %d with a case", len(docs), len(cases))
	}
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if docs[i].Name != c.Name {
				t.Fatalf("the option is %s", docs[i].Name)
			}
			read := func(value string) (kept string, faults billing.Faults) {
				of, all := &network.Connection{Name: "House", Kind: kind.Name}, billing.Faults{}
				kind.Read(of, nil, []byte(`{"`+c.Name+`":`+value+`}`), payers, &all)
				for _, f := range all {
					if strings.HasPrefix(f.Field, "options") { // the connection has no other fields
						faults = append(faults, f)
					}
				}
				return string(of.Settings.Options.Own[c.Name]), faults
			}
			if kept, faults := read(c.Value); kept != c.Value || len(faults) > 0 {
				t.Errorf("%s is kept as %s, %v", c.Value, kept, faults)
			}
			if kept, faults := read(docs[i].Default); kept != "" || len(faults) > 0 {
				t.Errorf("the default %s is kept as %s, %v", docs[i].Default, kept, faults)
			}
			for _, bad := range c.Bad {
				if _, faults := read(bad); len(faults) != 1 || faults[0].Field != "options."+c.Name || !strings.HasPrefix(faults[0].Message, "The value must be ") {
					t.Errorf("%s: %v", bad, faults)
				}
			}
		})
	}
}
