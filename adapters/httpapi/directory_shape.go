package httpapi

import (
	"cmp"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
)

type addressJSON struct {
	Line1 string  `json:"line1"`
	Line2 *string `json:"line2"`
	City  string  `json:"city"`
	State string  `json:"state"`
	ZIP   string  `json:"zip"`
}

// addressShape returns null for the zero address.
func addressShape(a directory.Address) *addressJSON {
	if a == (directory.Address{}) {
		return nil
	}
	return &addressJSON{a.Line1, orNull(a.Line2), a.City, a.State, a.ZIP}
}

type officeJSON struct {
	ID         billing.OfficeID     `json:"id"`
	Object     string               `json:"object"`
	Version    int                  `json:"version"`
	Name       string               `json:"name"`
	NPI        string               `json:"npi"`
	TaxID      *string              `json:"tax_id"`
	Address    *addressJSON         `json:"address"`
	Phone      *string              `json:"phone"`
	Entity     string               `json:"entity"`
	FirstName  *string              `json:"first_name"`
	LastName   *string              `json:"last_name"`
	Taxonomy   *string              `json:"taxonomy"`
	PayTo      *addressJSON         `json:"pay_to_address"`
	Contact    *string              `json:"contact_name"`
	Numbers    []providerNumberJSON `json:"provider_numbers"`
	TimeZone   string               `json:"time_zone"`
	Retired    bool                 `json:"retired"`
	Mode       billing.Mode         `json:"mode"`
	CreatedAt  string               `json:"created_at"`
	VerifiedAt *string              `json:"verified_at"`
	Pending    *officeChangeJSON    `json:"pending_verification"`
}

type officeChangeJSON struct {
	Name      string       `json:"name"`
	PayTo     *addressJSON `json:"pay_to_address"`
	ChangedBy string       `json:"changed_by"`
	ChangedAt string       `json:"changed_at"`
}

type providerNumberJSON struct {
	PayerID        string  `json:"payer_id"`
	Number         *string `json:"number"`
	LocationNumber *string `json:"location_number"`
}

func officeShape(o *directory.Office) officeJSON {
	shape := officeJSON{
		ID: o.ID, Object: "office", Version: o.Edits.Version(), Name: o.Name, NPI: o.NPI, TaxID: orNull(o.TaxID), Address: addressShape(o.Address),
		Phone: orNull(o.Phone), Entity: cmp.Or(string(o.Entity), "organization"), FirstName: orNull(o.FirstName), LastName: orNull(o.LastName),
		Taxonomy: orNull(o.Taxonomy), PayTo: addressShape(o.PayTo), Contact: orNull(o.ContactName),
		Numbers: mapped(o.ProviderNumbers, func(n directory.ProviderNumber) providerNumberJSON {
			return providerNumberJSON{n.PayerID, orNull(n.Number), orNull(n.LocationNumber)}
		}),
		TimeZone: o.TimeZone, Retired: o.Retired, Mode: o.Scope.Mode, CreatedAt: event.Timestamp(o.CreatedAt),
	}
	if p := o.Pending; p != nil {
		shape.Pending = &officeChangeJSON{p.Name, addressShape(p.PayTo), p.By, event.Timestamp(p.At)}
	}
	if !o.VerifiedAt.IsZero() {
		shape.VerifiedAt = new(event.Timestamp(o.VerifiedAt))
	}
	return shape
}

type providerJSON struct {
	ID        billing.ProviderID `json:"id"`
	Object    string             `json:"object"`
	Version   int                `json:"version"`
	FirstName string             `json:"first_name"`
	LastName  string             `json:"last_name"`
	NPI       string             `json:"npi"`
	Taxonomy  *string            `json:"taxonomy"`
	Retired   bool               `json:"retired"`
	CreatedAt string             `json:"created_at"`
}

func providerShape(p *directory.Provider) providerJSON {
	return providerJSON{
		ID: p.ID, Object: "provider", Version: p.Edits.Version(), FirstName: p.FirstName, LastName: p.LastName, NPI: p.NPI, Taxonomy: orNull(p.Taxonomy),
		Retired: p.Retired, CreatedAt: event.Timestamp(p.CreatedAt),
	}
}

type patientJSON struct {
	ID          billing.PatientID `json:"id"`
	Object      string            `json:"object"`
	FirstName   string            `json:"first_name"`
	LastName    string            `json:"last_name"`
	DateOfBirth billing.Date      `json:"date_of_birth"`
	CreatedAt   string            `json:"created_at"`
}

func patientShape(p *directory.Patient) patientJSON {
	return patientJSON{p.ID, "patient", p.FirstName, p.LastName, p.DateOfBirth, event.Timestamp(p.CreatedAt)}
}

// payerEntryJSON is a payer of the directory.
type payerEntryJSON struct {
	ID           billing.PayerID  `json:"id"`
	Object       string           `json:"object"`
	PayerID      string           `json:"payer_id"`
	Name         string           `json:"name"`
	Aliases      []string         `json:"aliases"`
	Capabilities capabilitiesJSON `json:"capabilities"`
	Filing       string           `json:"filing_indicator"`
}

type capabilitiesJSON struct {
	Eligibility bool `json:"eligibility"`
	Claims      bool `json:"claims"`
	Attachments bool `json:"attachments"`
	ClaimStatus bool `json:"claim_status"`
}

func payerEntryShape(p *directory.Payer) payerEntryJSON {
	return payerEntryJSON{p.ID, "payer", p.PayerID, p.Name, listOf(p.Aliases), capabilitiesJSON(p.Capabilities), cmp.Or(p.FilingIndicator, directory.DefaultFiling)}
}
