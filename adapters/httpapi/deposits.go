package httpapi

import (
	"io"
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/deposits"
	"github.com/molar-billing/molar/core/intake"
)

// importDeposits handles POST /deposits/import.
func (a *api) importDeposits(x *exchange) (*reply, error) {
	form := x.form(&x.call.Request.Faults)
	in := intake.DepositFile{
		Format: form.Text("format"), Account: form.Text("account"), Names: form.Text("payer_names"), Columns: map[deposit.Column]string{},
	}
	for _, c := range deposit.Columns() {
		if name := form.Text(string(c)); name != "" {
			in.Columns[c] = name
		}
	}
	file := form.File()
	form.End()
	var content []byte
	if file != nil {
		var err error
		if content, err = io.ReadAll(file.Content); err != nil {
			return nil, err
		}
	}
	return kept(a.deposits.Import(x.ctx, replying(x, http.StatusOK, depositImportShape), in, content))
}

// listDeposits handles GET /deposits.
func (a *api) listDeposits(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("deposits", x.call.Scope, "limit", "cursor")
	f := deposit.Filter{
		State:  oneOf(q, "state", deposit.States()...),
		Method: oneOf(q, "method", deposit.Methods()...),
		From:   q.date("from"),
		To:     q.date("to"),
		Amount: q.money("amount"),
		ERA:    id[billing.ERAID](q, "era_id"),
	}
	f.Account, _ = q.text("account")
	f.Trace, _ = q.text("trace_number")
	return listed(a, x, q, l, f, a.deposits.List, depositShape)
}

// depositJSON is a deposit as it appears in lists.
type depositJSON struct {
	ID          billing.DepositID  `json:"id"`
	Object      string             `json:"object"`
	State       deposit.State      `json:"state"`
	Account     string             `json:"account"`
	Date        billing.Date       `json:"date"`
	Amount      string             `json:"amount"`
	Rest        string             `json:"rest"`
	Method      deposit.Method     `json:"method"`
	Company     *string            `json:"company"`
	Text        string             `json:"text"`
	TraceNumber *string            `json:"trace_number"`
	Reference   *string            `json:"reference"`
	Parts       []depositPartJSON  `json:"parts"`
	ReturnedBy  *billing.DepositID `json:"returned_by"`
	ImportedAt  string             `json:"imported_at"`
}

type depositPartJSON struct {
	ERAID     billing.ERAID `json:"era_id"`
	Amount    string        `json:"amount"`
	Fee       string        `json:"fee"`
	MatchedBy deposit.How   `json:"matched_by"`
	By        *string       `json:"by"`
	At        string        `json:"at"`
}

func depositShape(d *deposit.Deposit) depositJSON {
	return depositJSON{
		ID: d.ID, Object: "deposit", State: d.State, Account: d.Account, Date: d.Date, Amount: d.Amount.String(), Rest: max(d.Rest(), 0).String(), Method: d.Method,
		Company: orNull(d.Company), Text: d.Text, TraceNumber: orNull(d.Trace), Reference: orNull(d.Reference),
		Parts: mapped(d.Parts, func(p deposit.Part) depositPartJSON {
			return depositPartJSON{p.ERA, p.Amount.String(), p.Fee.String(), p.How, orNull(p.By), event.Timestamp(p.At)}
		}),
		ReturnedBy: orNull(d.ReturnedBy), ImportedAt: event.Timestamp(d.ImportedAt),
	}
}

// wholeDepositJSON is a deposit with what it can be matched with.
type wholeDepositJSON struct {
	depositJSON

	Candidates []depositCandidateJSON `json:"candidates"`
}

// depositCandidateJSON is what a deposit can be matched with.
type depositCandidateJSON struct {
	Total         string              `json:"total"`
	ERAs          []awaitedDepositERA `json:"eras"`
	OtherDeposits []otherDepositJSON  `json:"other_deposits"`
}

type awaitedDepositERA struct {
	ERAID       billing.ERAID `json:"era_id"`
	PayerName   string        `json:"payer_name"`
	TraceNumber string        `json:"trace_number"`
	Date        *billing.Date `json:"date"`
	Awaited     string        `json:"awaited"`
}

// otherDepositJSON is a deposit that pays a remittance together with another one.
type otherDepositJSON struct {
	DepositID billing.DepositID `json:"deposit_id"`
	Account   string            `json:"account"`
	Date      billing.Date      `json:"date"`
	Rest      string            `json:"rest"`
	Company   *string           `json:"company"`
	Text      string            `json:"text"`
}

func wholeDepositShape(r deposits.Record) wholeDepositJSON {
	return wholeDepositJSON{depositShape(r.Deposit), mapped(r.Candidates, func(c deposit.Candidate) depositCandidateJSON {
		return depositCandidateJSON{
			c.Total().String(), mapped(c.ERAs, func(e *remit.ERA) awaitedDepositERA {
				return awaitedDepositERA{e.ID, e.PayerName, e.Payment.TraceNumber, orNull(e.Payment.Date), e.Awaited().String()}
			}), mapped(c.Others, func(o *deposit.Deposit) otherDepositJSON {
				return otherDepositJSON{o.ID, o.Account, o.Date, o.Rest().String(), orNull(o.Company), o.Text}
			}),
		}
	})}
}

type depositImportJSON struct {
	Object   string                `json:"object"`
	Format   deposit.Format        `json:"format"`
	Entries  int                   `json:"entries"`
	Added    int                   `json:"added"`
	Known    int                   `json:"known"`
	Traced   int                   `json:"traced"`
	Matched  int                   `json:"matched"`
	Waiting  int                   `json:"waiting"`
	Returned int                   `json:"returned"`
	Warnings []depositWarningJSON  `json:"warnings"`
	Accounts []depositAccountsJSON `json:"accounts"`
}

type depositWarningJSON struct {
	Line    *int                `json:"line"`
	Code    deposit.WarningCode `json:"code"`
	Message string              `json:"message"`
}

type depositAccountsJSON struct {
	Account    string       `json:"account"`
	From       billing.Date `json:"from"`
	To         billing.Date `json:"to"`
	PayerNames []string     `json:"payer_names"`
}

func depositImportShape(i *deposits.Imported) depositImportJSON {
	return depositImportJSON{
		"deposit_import", i.Format, i.Entries, len(i.Added), i.Entries - len(i.Added), len(i.Traced), i.Matched, i.Waiting(), i.Undone,
		mapped(i.Warnings, func(w deposit.Warning) depositWarningJSON {
			return depositWarningJSON{orNull(w.Line), w.Code, w.Message}
		}),
		mapped(i.Accounts, func(a *deposit.Account) depositAccountsJSON {
			return depositAccountsJSON{a.Number, a.From, a.To, listOf(a.Names)}
		}),
	}
}

// bankJSON says where the money of a remittance is.
type bankJSON struct {
	Status   remit.BankStatus `json:"status"`
	Payable  string           `json:"payable"`
	Received string           `json:"received"`
	Fee      string           `json:"fee"`
	Summary  string           `json:"summary"`
	Deposits []paidJSON       `json:"deposits"`
}

type paidJSON struct {
	DepositID billing.DepositID `json:"deposit_id"`
	Date      billing.Date      `json:"date"`
	Amount    string            `json:"amount"`
	Fee       string            `json:"fee"`
}

func bankShape(e *remit.ERA) bankJSON {
	received, fee := e.Received()
	out := bankJSON{e.BankStatus(), e.Payable().String(), received.String(), fee.String(), e.Truth(), []paidJSON{}}
	if e.Bank != nil {
		out.Deposits = mapped(e.Bank.Paid, func(p remit.Paid) paidJSON { return paidJSON{p.Deposit, p.Date, p.Amount.String(), p.Fee.String()} })
	}
	return out
}
