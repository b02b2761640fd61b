package httpapi

import (
	_ "embed" // the contract
	"net/http"
)

//go:embed openapi.yaml
var contract []byte

// getOpenAPI handles GET /openapi.yaml, the only operation that needs no key.
func getOpenAPI(x *exchange) (*reply, error) {
	return &reply{status: http.StatusOK, raw: contract, mime: "application/yaml"}, nil
}
