package httpapi

import (
	"net/netip"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
)

type keyJSON struct {
	ID          billing.KeyID        `json:"id"`
	Object      string               `json:"object"`
	Name        string               `json:"name"`
	Mode        billing.Mode         `json:"mode"`
	Permissions []billing.Permission `json:"permissions"`
	LastFour    string               `json:"last_four"`
	CreatedAt   string               `json:"created_at"`
	RevokedAt   *string              `json:"revoked_at"`
	ExpiresAt   *string              `json:"expires_at"`

	AllowedAddresses []netip.Prefix `json:"allowed_addresses"`

	CreatedBy    *billing.UserID `json:"created_by"`
	LastUsedAt   *string         `json:"last_used_at"`
	LastUsedFrom *string         `json:"last_used_from"`
}

func keyShape(k *caller.APIKey) keyJSON {
	return keyJSON{
		k.ID, "api_key", k.Name, k.Scope.Mode, listOf(k.Permissions), k.LastFour, event.Timestamp(k.CreatedAt), timeOrNull(k.RevokedAt),
		timeOrNull(k.ExpiresAt), listOf(k.AllowedAddresses), orNull(k.CreatedBy), timeOrNull(k.LastUsedAt), orNull(k.LastUsedFrom),
	}
}

// issuedJSON is a key with its secret, which a replay does not show.
type issuedJSON struct {
	keyJSON
	Secret          string `json:"secret,omitempty"`
	SecretAvailable bool   `json:"secret_available"`
}

func issuedShape(i access.Issued) issuedJSON {
	return issuedJSON{keyShape(i.Key), i.Secret, i.Secret != ""}
}
