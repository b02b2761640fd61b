package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// loadContract loads the contract with its replies closed, so that a reply with a field
// that it does not name is found.
var loadContract = sync.OnceValues(func() (*openapi3.T, error) {
	open, err := openapi3.NewLoader().LoadFromData(contract)
	if err != nil {
		return nil, err
	}
	if err := open.Validate(openapi3.NewLoader().Context, openapi3.IsOpenAPI31OrLater()); err != nil {
		return nil, err
	}
	tree, err := treeOf(open)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(shut(tree))
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(text)
})

var contractRouter = sync.OnceValues(func() (routers.Router, error) {
	doc, err := loadContract()
	if err != nil {
		return nil, err
	}
	return legacy.NewRouter(doc, openapi3.IsOpenAPI31OrLater())
})

func TestContractIsOpenAPI(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("openapi %s", doc.OpenAPI)
	}
}

// Generators write parameters, schemas and replies as types of one namespace.
// Parameters of a path are named Path..., such as PathClaimID.
func TestContractNamesAreUnique(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	kind := map[string]string{}
	add := func(of string, names iter.Seq[string]) {
		for name := range names {
			if other := kind[name]; other != "" {
				t.Errorf("%s is both a %s and a %s", name, other, of)
			}
			kind[name] = of
		}
	}
	c := doc.Components
	add("schema", maps.Keys(c.Schemas))
	add("parameter", maps.Keys(c.Parameters))
	add("reply", maps.Keys(c.Responses))
	add("request body", maps.Keys(c.RequestBodies))
}

// Generators make a type of an enum or a const only where its type is written.
func TestContractTypesItsEnums(t *testing.T) {
	t.Parallel()
	whole, err := contractTree()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for i, x := range v {
				walk(at+"/"+strconv.Itoa(i), x)
			}
		case map[string]any:
			_, enum := v["enum"]
			_, isConst := v["const"]
			if (enum || isConst) && !strings.HasSuffix(at, "/properties") {
				found++
				if v["type"] == nil {
					t.Errorf("%s has no type", at)
				}
			}
			for name, x := range v {
				if !slices.Contains([]string{"example", "examples", "default"}, name) || strings.HasSuffix(at, "/properties") {
					walk(at+"/"+name, x)
				}
			}
		}
	}
	walk("", whole)
	if found < 50 {
		t.Errorf("found %d enums", found)
	}
}

func TestContractHasTheRoutesAndNoMore(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	var served, promised []string
	for _, r := range (&api{}).routes() {
		served = append(served, fmt.Sprint(r.method, " ", r.path, " key:", r.need != caller.NeedNothing, " body:", r.body != noBody, " idempotent:", r.changes(), " versioned:", r.versioned()))
		if op := doc.Paths.Find(strings.TrimPrefix(r.path, root)); op != nil && r.need != caller.NeedNothing {
			if d := op.GetOperation(r.method); d != nil && !strings.Contains(d.Description, required(r.need)) {
				t.Errorf("%s %s does not name its permission", r.method, r.path)
			} else if d != nil && d.Responses.Status(http.StatusServiceUnavailable) == nil {
				t.Errorf("%s %s has no 503, for a request that cannot be recorded in the audit", r.method, r.path)
			}
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			key := op.Security == nil || len(*op.Security) > 0
			idempotent := slices.ContainsFunc(op.Parameters, func(p *openapi3.ParameterRef) bool {
				return p.Value.Name == idempotencyKey && p.Value.Required
			})
			promised = append(promised, fmt.Sprint(method, " ", root+path, " key:", key, " body:", op.RequestBody != nil, " idempotent:", idempotent, " versioned:", op.Parameters.GetByInAndName("header", ifMatch) != nil))
		}
	}
	slices.Sort(served)
	slices.Sort(promised)
	if !slices.Equal(served, promised) {
		t.Errorf("served\n%s\npromised\n%s", strings.Join(served, "\n"), strings.Join(promised, "\n"))
	}
	if doc.Servers[0].URL != root {
		t.Errorf("the server is %s", doc.Servers[0].URL)
	}
}

// required is how a description says what an operation needs.
func required(n caller.Need) string {
	return map[caller.Need]string{
		caller.NeedCaller: "Requires an API key or a session.",
		caller.NeedRead:   "Requires the `read` permission.", caller.NeedSubmit: "Requires the `submit` permission.",
		caller.NeedResend:  "Requires the `read` and `submit` permissions.",
		caller.NeedManage:  "Requires the `submit` permission. A session must be an owner's.",
		caller.NeedSandbox: "Requires the `submit` permission in test mode. A session must be an owner's.",
		caller.NeedSession: "Requires a session.", caller.NeedOwner: "Requires an owner's session.",
	}[n]
}

// The enumerations of the contract are those of the model.
func TestContractEnumerations(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	schemas := doc.Components.Schemas
	problem := schemas["Error"].Value.Properties
	faults := []billing.FaultCode{
		billing.FaultRequired, billing.FaultUnknown, billing.FaultType, billing.FaultFormat, billing.FaultRange, billing.FaultTooLong,
		billing.FaultTooMany, billing.FaultTooFew, billing.FaultNotAllowed, billing.FaultNotFound, billing.FaultConflict,
	}
	rejection := schemas["Rejection"].Value.Properties
	reason := rejection["reasons"].Value.Items.Value.Properties
	for name, c := range map[string][2]string{
		"codes":       {fmt.Sprint(problem["error"].Value.Enum...), fmt.Sprint(anys(billing.Codes())...)},
		"fault codes": {fmt.Sprint(problem["errors"].Value.Items.Value.Properties["code"].Value.Enum...), fmt.Sprint(anys(faults)...)},
		"event types": {fmt.Sprint(schemas["EventType"].Value.Enum...), fmt.Sprint(anys(event.Types())...)},
		"reasons":     {fmt.Sprint(reason["code"].Value.Enum...), fmt.Sprint(anys(coverage.ReasonCodes())...)},
		"warnings": {
			fmt.Sprint(schemas["RemittanceWarnings"].Value.Items.Value.Properties["code"].Value.Enum...), fmt.Sprint(anys(remit.WarningCodes())...),
		},
		"reviews":      {fmt.Sprint(schemas["ReviewCode"].Value.Enum...), fmt.Sprint(anys(remit.ReviewCodes())...)},
		"sequences":    {fmt.Sprint(schemas["PayerSequence"].Value.Enum...), fmt.Sprint(anys(billing.Sequences())...)},
		"claim states": {fmt.Sprint(schemas["ClaimState"].Value.Enum...), fmt.Sprint(anys(claim.States())...)},
		"categories": {
			fmt.Sprint(schemas["CategoryCoverage"].Value.Properties["category"].Value.Enum...), fmt.Sprint(anys(coverage.Categories())...),
		},
	} {
		if c[0] != c[1] {
			t.Errorf("%s are\n%s\nwant\n%s", name, c[0], c[1])
		}
	}
	for name, list := range map[string]*openapi3.SchemaRef{
		"input": schemas["EventTypesInput"], "endpoint": schemas["WebhookEndpoint"].Value.Properties["event_types"],
		"endpoint with its secret": schemas["WebhookEndpointRevealed"].Value.Properties["event_types"],
	} {
		if most := list.Value.MaxItems; most == nil || *most != uint64(len(event.Types())) {
			t.Errorf("%s: maxItems of the event types is not %d", name, len(event.Types()))
		}
	}
}

// Every JSON body that an operation reads has an example, and the contract
// accepts each.
func TestContractRequestsHaveExamples(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.RequestBody == nil || op.RequestBody.Value.Content.Get("application/json") == nil {
				continue
			}
			media := op.RequestBody.Value.Content["application/json"]
			values := map[string]any{"the example": cmp.Or(media.Example, media.Schema.Value.Example)}
			if len(media.Examples) > 0 {
				clear(values)
			}
			for name, example := range media.Examples {
				values[name] = example.Value.Value
			}
			for name, value := range values {
				text, err := json.Marshal(value)
				if err == nil {
					err = validate("#/paths/"+pointer(path)+"/"+strings.ToLower(method)+"/requestBody", string(text))
				}
				if err != nil {
					t.Errorf("%s %s, %s: %v", method, path, name, err)
				}
			}
		}
	}
}

// The table of the contract has what the codes say.
func TestContractSaysWhatToRetry(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	row := func(first string) (codes []string) {
		_, after, _ := strings.Cut(doc.Info.Description, "\n| "+first+" | ")
		line, _, _ := strings.Cut(after, " |\n")
		return strings.Split(strings.ReplaceAll(line, "`", ""), ", ")
	}
	var retry, newKey []string
	for _, c := range billing.Codes() {
		switch {
		case c.Retryable() && c.NeedsNewKey():
			t.Errorf("%s is both", c)
		case c.Retryable():
			retry = append(retry, string(c))
		case c.NeedsNewKey():
			newKey = append(newKey, string(c))
		}
	}
	for first, want := range map[string][]string{"`true`": retry, "`false`, `needs_new_key`": newKey} {
		got := row(first)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("row %s has %v, want %v", first, got, want)
		}
	}
}

func anys[T any](v []T) (out []any) {
	for _, x := range v {
		out = append(out, x)
	}
	return out
}

// A body that is not as the contract says is seen to be so.
func TestBodiesAreHeldAgainstTheContract(t *testing.T) {
	t.Parallel()
	for there, body := range map[string]string{
		"#/paths/~1eligibility/post/requestBody":                  `{"office_id":"off_1"}`,
		"#/paths/~1eligibility~1%7Bid%7D/get/responses/200":       `{}`,
		"#/paths/~1eligibility/get/responses/200":                 `{"data":[{}],"next_cursor":null}`,
		"#/paths/~1webhook_endpoints~1%7Bid%7D/get/responses/200": `[]`,
	} {
		if err := validate(there, body); err == nil || !strings.Contains(err.Error(), "validation failed") {
			t.Errorf("%s: %s: %v", there, body, err)
		}
	}
}

// contractTree is the contract as JSON values.
func contractTree() (any, error) {
	doc, err := loadContract()
	if err != nil {
		return nil, err
	}
	return treeOf(doc)
}

func treeOf(doc *openapi3.T) (any, error) {
	text, err := doc.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// checkContract validates a reply, and the request too when it is meant to be
// good.
func checkContract(t *testing.T, r *http.Request, sent string, good bool, status int, header http.Header, body string) {
	t.Helper()
	router, err := contractRouter()
	if err != nil {
		t.Fatal(err)
	}
	route, params, err := router.FindRoute(r)
	if err != nil || strings.HasSuffix(r.URL.Path, "/") {
		return // no operation: 404 or 405. The router takes no notice of a last slash; the service does.
	}
	operation := "#/paths/" + pointer(route.Path) + "/" + strings.ToLower(r.Method)
	options := openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: &options}
	if good {
		options.ExcludeRequestBody = isJSON(r.Header.Get("Content-Type")) && sent != ""
		err := openapi3filter.ValidateRequest(t.Context(), in)
		if options.ExcludeRequestBody {
			err = errors.Join(err, validate(operation+"/requestBody", sent))
		}
		if err != nil {
			t.Errorf("%s %s: the contract refuses the request: %v", r.Method, r.URL, err)
		}
	}
	reply := route.Operation.Responses.Status(status)
	options.ExcludeResponseBody = isJSON(header.Get("Content-Type")) && reply != nil && reply.Value.Content.Get("application/json") != nil
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: status, Header: header, Options: in.Options}
	out.SetBodyBytes([]byte(body))
	err = openapi3filter.ValidateResponse(t.Context(), out)
	if options.ExcludeResponseBody {
		err = errors.Join(err, validate(cmp.Or(reply.Ref, operation+"/responses/"+strconv.Itoa(status)), body))
	}
	if err != nil {
		t.Errorf("%s %s: the contract refuses the reply: %v\n%s", r.Method, r.URL, err, body)
	}
}

// pointer is a name as a part of a JSON pointer in a URL.
func pointer(name string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}

// bodySchemas are the schemas of bodies, by where they are in the contract. Each
// is compiled once: openapi3filter does that for each body, which was half of
// the processor time of these tests.
var bodySchemas struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

// validate holds a JSON text against the schema of what is in the contract there.
func validate(there, text string) error {
	schema, err := bodySchema(there + "/content/application~1json/schema")
	if err != nil {
		return err
	}
	body, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(body)
}

func bodySchema(at string) (*jsonschema.Schema, error) {
	all := &bodySchemas
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.compiler == nil {
		whole, err := contractTree()
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		for name, format := range openapi3.SchemaStringFormats {
			c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
				if text, ok := v.(string); ok {
					return format.Validate(text)
				}
				return nil
			}})
		}
		c.AssertFormat()
		if err := c.AddResource("contract.json", whole); err != nil {
			return nil, err
		}
		all.compiler, all.compiled = c, map[string]*jsonschema.Schema{}
	}
	if s := all.compiled[at]; s != nil {
		return s, nil
	}
	s, err := all.compiler.Compile("contract.json" + at)
	all.compiled[at] = s
	return s, err
}
