package httpapi

import (
	"crypto/sha256"
	"mime"
	"reflect"
	"strings"

	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/billing"
)

// maxValues is how many values a body may have: a claim of 50 lines has fewer than 2,000.
// With it no body costs more than a fixed multiple of its bytes.
const maxValues = 10_000

// maxTableValues is maxValues of a body with rows: a fee schedule of 5,000 rows has 15,013.
const maxTableValues = 16_000

// maxBatchValues is maxValues of a body with a list of requests: a batch of 1,000 checks, each
// with every field and 10 procedures, has 35,003.
const maxBatchValues = 40_000

// values returns how many values a body of the operation may have.
func (r *route) values() int {
	if r.body == tableBody {
		return maxTableValues
	}
	if r.body == batchBody {
		return maxBatchValues
	}
	return maxValues
}

// readBody reads the body of a request into its struct in package intake. It does not
// know the fields in without.
func readBody[T any](x *exchange, without ...string) (in T) {
	faults := reflect.ValueOf(&in).Elem().FieldByName("Faults").Addr().Interface().(*billing.Faults)
	x.document(faults).Fill(&in, without...)
	return in
}

// document reads the request's body. An optionalBody that was not sent is an
// empty object. It adds the faults of the query, where these operations have
// no parameters, and of the form of the body.
func (x *exchange) document(faults *billing.Faults) *jsonbody.Object {
	x.noQuery(faults)
	if x.bodyless() {
		return jsonbody.NewObject("", nil, faults)
	}
	if lines := x.req.Values("Content-Type"); len(lines) != 1 || !isJSON(lines[0]) {
		code := billing.FaultFormat
		if len(lines) == 0 || lines[0] == "" {
			code = billing.FaultRequired
		}
		faults.Add("Content-Type", code, "Send the body as application/json, in UTF-8.")
	}
	for _, f := range x.jsonFaults {
		faults.Add(f.Field, f.Code, f.Message)
	}
	return jsonbody.NewObject("", x.json, faults)
}

// bodyless reports whether the client left out an optional body.
func (x *exchange) bodyless() bool {
	return (x.route.body == optionalBody || x.route.body == emptyBody) && len(x.body) == 0
}

// fingerprint covers the operation and the meaning of its body, so that a
// repeated request may be spelled differently.
func (x *exchange) fingerprint() [sha256.Size]byte {
	h := sha256.New()
	put := func(b string) { _, _ = h.Write([]byte(b)) } // never fails
	put(x.method + " " + string(x.req.URI().PathOriginal()) + "\n")
	switch {
	case x.route.body == noBody:
	case x.route.body == uploadBody:
		_, _ = h.Write(x.upload.Meaning())
	case x.sendsTable():
		put("csv:" + x.query().values.Encode() + "\n")
		_, _ = h.Write(x.body)
	case x.bodyless():
		put("json:{}")
	case x.json != nil && len(x.jsonFaults) == 0:
		put("json:")
		x.json.Hash(h)
	default:
		put("raw:")
		_, _ = h.Write(x.body)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

func isJSON(contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "application/json" {
		return false
	}
	charset, given := params["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}
