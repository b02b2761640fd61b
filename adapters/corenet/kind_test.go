package corenet_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/corenet"
	"github.com/molar-billing/molar/ports/networktest"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	networktest.Options(t, corenet.Kind(nil, nil).Kind, porttest.Payers(t), []networktest.Option{
		{Name: "payload_id_echo", Value: `"exchange"`, Bad: []string{`""`, `false`}},
		{Name: "reference_echo", Value: `"exchange"`, Bad: []string{`"bht"`}},
		{Name: "payload_type", Value: `"X12_270_Request_006020"`, Bad: []string{`""`, `"a b"`, `270`, `null`}},
		{Name: "soap_content_type", Value: `"text/xml"`, Bad: []string{`"text/html"`}},
		{Name: "soap_action_header", Value: `"SOAPAction"`, Bad: []string{`"Authorization"`, `""`}},
	})
}
