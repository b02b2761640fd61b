package httpapi

import (
	"bytes"
	_ "embed" // the contract
	"net/http"
	"strings"
)

//go:embed openapi.yaml
var contract []byte

// Contract returns the contract of the API, an OpenAPI document.
func Contract() []byte { return contract }

// getOpenAPI handles GET /openapi.yaml, the only operation that needs no key.
func getOpenAPI(x *exchange) (*reply, error) {
	return &reply{status: http.StatusOK, raw: contract, mime: "application/yaml"}, nil
}

// operationIDs returns the operationId of each operation of the contract, by its name: the
// method and the path. It reads lines, because reading the YAML takes too long for a start.
func operationIDs(contract []byte) map[string]string {
	ids := map[string]string{}
	var path, method string
	for line := range bytes.Lines(contract) {
		text := strings.TrimSpace(string(line))
		switch indent := len(line) - len(bytes.TrimLeft(line, " ")); {
		case indent == 2 && text[0] == '/':
			path = strings.TrimSuffix(text, ":")
		case indent == 4:
			method = strings.ToUpper(strings.TrimSuffix(text, ":"))
		case indent == 6:
			if id, ok := strings.CutPrefix(text, "operationId: "); ok {
				ids[method+" "+path] = id
			}
		}
	}
	return ids
}
