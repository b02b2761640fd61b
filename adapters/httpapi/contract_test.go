package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

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
			if d := op.GetOperation(r.method); d != nil && !strings.Contains(d.Description, "the permission `"+string(r.permission)+"`") {
				t.Errorf("%s %s does not tell its permission", r.method, r.path)
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
	for name, c := range map[string][2]string{
		"codes":        {fmt.Sprint(problem["error"].Value.Enum...), fmt.Sprint(anys(billing.Codes())...)},
		"fault codes":  {fmt.Sprint(problem["errors"].Value.Items.Value.Properties["code"].Value.Enum...), fmt.Sprint(anys(faults)...)},
		"event types":  {fmt.Sprint(schemas["EventType"].Value.Enum...), fmt.Sprint(anys(billing.EventTypes())...)},
		"claim states": {fmt.Sprint(schemas["ClaimState"].Value.Enum...), fmt.Sprint(anys(billing.ClaimStates())...)},
		"categories": {
			fmt.Sprint(schemas["CategoryCoverage"].Value.Properties["category"].Value.Enum...), fmt.Sprint(anys(billing.Categories())...),
		},
	} {
		if c[0] != c[1] {
			t.Errorf("%s are\n%s\nwant\n%s", name, c[0], c[1])
		}
	}
}

func anys[T any](v []T) (out []any) {
	for _, x := range v {
		out = append(out, x)
	}
	return out
}

// checkContract validates a reply, and the request too when it is meant to be
// good.
func checkContract(t *testing.T, r *http.Request, good bool, status int, header http.Header, body string) {
	t.Helper()
	router, err := contractRouter()
	if err != nil {
		t.Fatal(err)
	}
	route, params, err := router.FindRoute(r)
	if err != nil || strings.HasSuffix(r.URL.Path, "/") {
		return // no operation: 404 or 405. The router takes no notice of a last slash; the service does.
	}
	in := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true},
	}
	if good {
		if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil {
			t.Errorf("%s %s: the contract refuses the request: %v", r.Method, r.URL, err)
		}
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: status, Header: header, Options: in.Options}
	out.SetBodyBytes([]byte(body))
	if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
		t.Errorf("%s %s: the contract refuses the reply: %v\n%s", r.Method, r.URL, err, body)
	}
}
