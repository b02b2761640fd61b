package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestClaimCommands says in a golden file what the help of the commands on claims is, and how
// answers of payers are printed. Requests run in the cases of the clients.
func TestClaimCommands(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, line := range []string{"molar claims --help", "molar claims status --help", "molar claims status", "molar claims policies --help", "molar claims policies set --help", "molar claims policies set"} {
		all.WriteString("$ " + line + "\n")
		cmd := New(Backend{})
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SetArgs(words(line))
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			out.WriteString(err.Error() + "\n")
		}
		all.WriteString(out.String() + "\n")
	}
	for _, reply := range []string{
		`{"id":"inq_1","outcome":"found","message":"Decided with a payment: paid.","payer_claim_number":"P-1","statuses":[
			{"codes":[{"category":"F1","status":"65","entity":null,"text":"Decided with a payment: paid"}],"charge":"1250.00","paid":"800.00","payment_date":"2026-03-09","payment_number":"17"},
			{"line_number":1,"procedure_code":"D2740","codes":[{"category":"F1","status":"65","entity":"PR","text":"Decided with a payment: paid (payer)"}],"charge":"1250.00","paid":"800.00"}]}`,
		`{"id":"inq_2","outcome":"not_found","message":"The payer found no claim.","statuses":[]}`,
	} {
		var i shownInquiry
		if err := json.Unmarshal([]byte(reply), &i); err != nil {
			t.Fatal(err)
		}
		all.WriteString(i.text() + "\n\n")
	}
	golden(t, "claims.txt", []byte(all.String()))
}
