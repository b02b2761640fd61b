package httpapi

import (
	"io"
	"net/http"
	"strconv"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/remittances"
)

// importERA handles POST /eras/import.
func (a *api) importERA(x *exchange) (*reply, error) {
	form := x.form(&x.call.Request.Faults)
	file := form.File()
	form.End()
	var name string
	var content []byte
	if file != nil {
		var err error
		if content, err = io.ReadAll(file.Content); err != nil {
			return nil, err
		}
		name = file.Name
	}
	return kept(a.remittances.ImportOwn(x.ctx, replyingImport(x), name, content))
}

// assignQuarantined handles POST /quarantine/{id}/assign.
func (a *api) assignQuarantined(x *exchange) (*reply, error) {
	in := readBody[intake.AssignRequest](x)
	return kept(a.remittances.Assign(x.ctx, replyingImport(x), fileID(x), in))
}

// replyingImport is replying for an import. The request log names its first remittance.
func replyingImport(x *exchange) idempotency.Write[*remittances.ImportedFile] {
	w := replying(x, http.StatusCreated, importShape)
	render := w.Render
	w.Render = func(f *remittances.ImportedFile, failure error) caller.Reply {
		r := render(f, failure)
		for i := 0; failure == nil && i < len(f.Payments) && r.Resource == ""; i++ {
			if id := f.Payments[i].ID; !id.IsZero() {
				r.Resource = id.String()
			}
		}
		return r
	}
	return w
}

// importJSON is the result of importing a file.
type importJSON struct {
	Object   string                `json:"object"`
	FileName string                `json:"file_name"`
	Payments []importedPaymentJSON `json:"payments"`
}

type importedPaymentJSON struct {
	Status       string          `json:"status"`
	ERAID        *billing.ERAID  `json:"era_id"`
	QuarantineID *billing.FileID `json:"quarantine_id"`
	Reason       *string         `json:"reason"`
	PayerName    string          `json:"payer_name"`
	Payment      eraPaymentJSON  `json:"payment"`
	ClaimCount   int             `json:"claim_count"`
	Balanced     bool            `json:"balanced"`
}

func importShape(f *remittances.ImportedFile) importJSON {
	return importJSON{"era_import", f.Name, mapped(f.Payments, importedPaymentShape)}
}

func importedPaymentShape(p remittances.Imported) importedPaymentJSON {
	out := importedPaymentJSON{
		Status: "duplicate", ERAID: orNull(p.ID), PayerName: p.ERA.PayerName, Payment: eraPaymentShape(p.ERA.Payment),
		ClaimCount: p.ERA.ClaimCount, Balanced: p.ERA.Balanced,
	}
	switch {
	case p.Quarantined != nil:
		out.Status, out.QuarantineID, out.Reason = "quarantined", &p.Quarantined.ID, &p.Quarantined.Reason
	case p.New && len(p.ERA.Corrects) > 0:
		out.Status = "correction"
	case p.New:
		out.Status = "imported"
	}
	return out
}

// quarantinedJSON is a file in the organization's quarantine.
type quarantinedJSON struct {
	ID          billing.FileID      `json:"id"`
	Object      string              `json:"object"`
	Source      clearing.FileOrigin `json:"source"`
	FileName    string              `json:"file_name"`
	Reason      string              `json:"reason"`
	PayerName   *string             `json:"payer_name"`
	Payee       *payeeJSON          `json:"payee"`
	Payment     *eraPaymentJSON     `json:"payment"`
	ClaimCount  *int                `json:"claim_count"`
	Interchange *string             `json:"interchange_control_number"`
	Group       *string             `json:"group_control_number"`
	Transaction *string             `json:"transaction_control_number"`
	ReceivedAt  string              `json:"received_at"`
}

type payeeJSON struct {
	Name  *string `json:"name"`
	NPI   *string `json:"npi"`
	TaxID *string `json:"tax_id"`
}

func quarantinedShape(q *quarantine.File) quarantinedJSON {
	out := quarantinedJSON{
		ID: q.ID, Object: "quarantined_file", Source: q.Origin, FileName: q.Name, Reason: q.Reason, ReceivedAt: event.Timestamp(q.ReceivedAt),
	}
	if p := q.Payment; p != nil {
		out.PayerName, out.Payee = &p.PayerName, &payeeJSON{orNull(p.PayeeName), orNull(p.PayeeNPI), orNull(p.PayeeTaxID)}
		out.Payment, out.ClaimCount = new(eraPaymentShape(p.Payment)), &p.ClaimCount
		out.Interchange, out.Group, out.Transaction = orNull(p.Numbers.Interchange), orNull(p.Numbers.Group), orNull(p.Numbers.Transaction)
	}
	return out
}

// getBatchAcknowledgement handles GET /batches/{id}/acknowledgements/{number}.
func (a *api) getBatchAcknowledgement(x *exchange) (*reply, error) {
	f, content, err := a.batches.Acknowledgement(x.ctx, x.call.Scope, fileID(x), positiveParam(x, "n"))
	if err != nil {
		return nil, err
	}
	return fileReply(f.Name, content), nil
}

// positiveParam returns a number in the path, or 0 for what is no number from 1, written
// in the one usual way.
func positiveParam(x *exchange, name string) int {
	text := x.params.Params(name)
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != text {
		return 0
	}
	return int(n)
}
