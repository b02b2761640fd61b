package httpapi

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
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
)

var loadContract = sync.OnceValues(func() (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(contract)
	if err != nil {
		return nil, err
	}
	return doc, doc.Validate(openapi3.NewLoader().Context, openapi3.IsOpenAPI31OrLater())
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

func TestContractHasTheRoutesAndNoMore(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	var served, promised []string
	for _, r := range (&api{}).routes() {
		served = append(served, fmt.Sprint(r.method, " ", r.path, " key:", r.permission != "", " body:", r.body != noBody, " idempotent:", r.changes()))
		if op := doc.Paths.Find(strings.TrimPrefix(r.path, root)); op != nil && r.permission != "" {
			if d := op.GetOperation(r.method); d != nil && !strings.Contains(d.Description, "Requires the `"+string(r.permission)+"` permission.") {
				t.Errorf("%s %s does not name its permission", r.method, r.path)
			}
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			key := op.Security == nil || len(*op.Security) > 0
			idempotent := slices.ContainsFunc(op.Parameters, func(p *openapi3.ParameterRef) bool {
				return p.Value.Name == idempotencyKey && p.Value.Required
			})
			promised = append(promised, fmt.Sprint(method, " ", root+path, " key:", key, " body:", op.RequestBody != nil, " idempotent:", idempotent))
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
		"event types": {fmt.Sprint(schemas["EventType"].Value.Enum...), fmt.Sprint(anys(billing.EventTypes())...)},
		"reasons":     {fmt.Sprint(reason["code"].Value.Enum...), fmt.Sprint(anys(billing.ReasonCodes())...)},
		"warnings": {
			fmt.Sprint(schemas["RemittanceWarnings"].Value.Items.Value.Properties["code"].Value.Enum...), fmt.Sprint(anys(billing.WarningCodes())...),
		},
		"reviews":      {fmt.Sprint(schemas["ReviewCode"].Value.Enum...), fmt.Sprint(anys(billing.ReviewCodes())...)},
		"sequences":    {fmt.Sprint(schemas["PayerSequence"].Value.Enum...), fmt.Sprint(anys(billing.Sequences())...)},
		"claim states": {fmt.Sprint(schemas["ClaimState"].Value.Enum...), fmt.Sprint(anys(billing.ClaimStates())...)},
		"categories": {
			fmt.Sprint(schemas["CategoryCoverage"].Value.Properties["category"].Value.Enum...), fmt.Sprint(anys(billing.Categories())...),
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
		if most := list.Value.MaxItems; most == nil || *most != uint64(len(billing.EventTypes())) {
			t.Errorf("%s: maxItems of the event types is not %d", name, len(billing.EventTypes()))
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
		doc, err := loadContract()
		if err != nil {
			return nil, err
		}
		text, err := doc.MarshalJSON()
		if err != nil {
			return nil, err
		}
		whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
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
