package sandboxnet_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/molar-billing/molar/adapters/sandboxnet"
)

// The contract lists the endings at the fields that choose them, and no more.
func TestContractListsTheEndings(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromFile("../httpapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	schemas := doc.Components.Schemas
	for field, c := range map[string]struct {
		schema *openapi3.SchemaRef
		want   []string
	}{
		"of a check": {schemas["EligibilityRequest"].Value.Properties["subscriber"].Value.Properties["member_id"], sandboxnet.Endings()},
		"of a claim": {schemas["ClaimSubscriberInput"].Value.Properties["member_id"], sandboxnet.ClaimEndings()},
	} {
		var listed []string
		for _, m := range regexp.MustCompile("`(-[A-Z-]+)n?`").FindAllStringSubmatch(c.schema.Value.Description, -1) {
			listed = append(listed, m[1])
		}
		slices.Sort(listed)
		slices.Sort(c.want)
		if listed = slices.Compact(listed); !slices.Equal(listed, c.want) {
			t.Errorf("the member ID %s lists\n%v\nthe sandbox has\n%v", field, listed, c.want)
		}
	}
}
