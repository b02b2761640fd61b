package journeys_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"go.yaml.in/yaml/v3"
)

// TestEachFieldHasAPlace compares each field of a request in the contract with its form:
// what is wrong with it must stand at a place of the form. What a form never sends has
// none.
func TestEachFieldHasAPlace(t *testing.T) {
	t.Parallel()
	schemas := requests(t)
	practice := newPractice(t)
	practice.s.molar(t, "offices", "create", "--org", practice.org, "--name", "Second Street", "--npi", "1245319599")
	claim := practice.post("/claims", map[string]any{
		"office_id": practice.office, "payer_id": "CHTEST", "kind": "predetermination", "submit": false,
		"subscriber": map[string]any{"first_name": "Ann", "last_name": "Other", "date_of_birth": "1985-04-12", "member_id": "W1"},
		"lines":      []map[string]string{{"procedure_code": "D2740", "fee": "1250.00", "tooth": "14"}},
	})["id"].(string)
	tab := practice.signsIn("owner")
	// A form asks before it is left.
	tab.onLoad(`addEventListener("beforeunload", (e) => e.stopImmediatePropagation(), true)`)
	for name, form := range map[string]struct {
		schema string
		path   string
		open   func(page *page) // all parts of the form
		unsent []string
	}{
		"a claim": {"ClaimRequest", "/claims/new", func(page *page) {
			page.click("The patient is someone else on this plan")
			page.click("Other plans")
			page.click("Add another plan")
			for _, who := range []string{"Subscriber", "Patient", "Subscriber of other plan 1"} {
				page.within("group", who).click("Add a middle name, suffix or second address line")
			}
			page.click("Accident")
			page.choose("Kind of accident", "Auto")
			page.click("More of line 1")
		}, []string{"draft", "submit", "other_coverage.0.adjudication", "lines.0.open", "estimate_id", "advice_ignored"}},
		"the next payer's claim": {"SecondaryRequest", "/claims/" + claim + "/secondary", func(page *page) {
			page.click("Add a middle name, suffix or second address line")
		}, nil},
		"a check": {"EligibilityRequest", "/eligibility/new", func(page *page) {
			page.sees("Office") // once there are two
			page.click("The patient is a dependent of the subscriber")
		}, []string{"parent_id", "detail_level", "tenant_reference"}},
		"an attachment": {"AttachmentRequest", "/attachments/new", func(page *page) {
			page.choose("The patient is the subscriber's", "Child")
		}, []string{"kind", "claim_id", "payer_request_id"}},
		"an office":          {"OfficeRequest", "/settings/offices/new", nil, []string{"entity", "first_name", "last_name", "pay_to_address", "provider_numbers"}},
		"a provider":         {"ProviderRequest", "/settings/providers", func(page *page) { page.click("New provider") }, nil},
		"an attachment rule": {"AttachmentRuleRequest", "/settings/attachment-rules", func(page *page) { page.click("New rule") }, nil},
		"a user":             {"InviteRequest", "/settings/users", func(page *page) { page.click("Invite a person") }, nil},
		"a key":              {"APIKeyRequest", "/developers/keys", func(page *page) { page.click("New key") }, nil},
		"an endpoint":        {"WebhookEndpointRequest", "/developers/webhooks", func(page *page) { page.click("New endpoint"); page.click("Every type") }, nil},
	} {
		tab.open("/test" + form.path)
		if form.open != nil {
			form.open(tab)
		}
		tab.until("the form of "+name, func(r *rod.Page) error { _, err := r.Element("[data-path]"); return err })
		for _, field := range pathsOf(schemas, map[string]any{"$ref": "#/components/schemas/" + form.schema}, "") {
			place, err := tab.eval(tab.rod.Timeout(patience), `() => String([...document.querySelectorAll("[data-path]")].some((e) =>
				e.dataset.path.split(" ").some((p) => p === "`+field+`" || e.dataset.group !== "own" && "`+field+`".startsWith(p + "."))))`)
			if err != nil {
				t.Fatal(err)
			}
			unsent := slices.ContainsFunc(form.unsent, func(u string) bool { return field == u || strings.HasPrefix(field, u+".") })
			if (place == "true") == unsent {
				t.Errorf("%s, %s: on the form %s, left out %v", name, field, place, unsent)
			}
		}
	}
}

// requests returns the schemas of the contract.
func requests(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../../adapters/httpapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Components struct {
			Schemas map[string]any `yaml:"schemas"`
		} `yaml:"components"`
	}
	if err := yaml.Unmarshal(text, &contract); err != nil {
		t.Fatal(err)
	}
	return contract.Components.Schemas
}

// pathsOf returns the paths of all values of a schema, of lists the first item.
func pathsOf(schemas map[string]any, schema map[string]any, path string) (all []string) {
	if ref, ok := schema["$ref"].(string); ok {
		all = append(all, pathsOf(schemas, schemas[ref[strings.LastIndex(ref, "/")+1:]].(map[string]any), path)...)
	}
	for _, one := range []string{"allOf", "anyOf", "oneOf"} {
		parts, _ := schema[one].([]any)
		for _, part := range parts {
			all = append(all, pathsOf(schemas, part.(map[string]any), path)...)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		at := strings.TrimPrefix(path+"."+name, ".")
		all = append(append(all, at), pathsOf(schemas, properties[name].(map[string]any), at)...)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		all = append(append(all, path+".0"), pathsOf(schemas, items, path+".0")...)
	}
	return all
}
