package caller

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/fault"
)

// APIKey lets a program of an organization call the API in one mode. The
// secret itself is shown once and never stored.
type APIKey struct {
	ID          billing.KeyID
	Scope       billing.Scope
	Name        string
	Permissions []billing.Permission
	LastFour    string
	CreatedAt   time.Time
	CreatedBy   billing.UserID // zero for the operator
	RevokedAt   time.Time      // zero while the key is valid
	ExpiresAt   time.Time      // zero for never

	AllowedAddresses []netip.Prefix // from which the key works; none for all

	LastUsedAt   time.Time // to UsedPrecision; zero before the first use
	LastUsedFrom string    // the address of that client

	MadeWith billing.KeyID // of a throw-away organization: the key that made it, with which it counts and is revoked

	Faults []fault.Rule // of a key of test mode that was found by its secret
}

// Position returns the place in a list, by the time and the ID.
func (k *APIKey) Position() billing.Position { return billing.Position{Time: k.CreatedAt, ID: k.ID} }

// UsedPrecision is that of LastUsedAt, so that few requests write.
const UsedPrecision = time.Minute

// KeyUsed is the last use of a key.
type KeyUsed struct {
	Key  billing.KeyID
	At   time.Time
	From string
}

// Works reports whether the key is neither revoked nor expired.
func (k *APIKey) Works(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Admits returns nil if the key works for a client at the address, else
// CodeUnauthorized, which says why. Without an address it does not look at that.
func (k *APIKey) Admits(now time.Time, from netip.Addr) error {
	from = from.Unmap().WithZone("")
	inside := func(p netip.Prefix) bool { return p.Contains(from) }
	switch {
	case !k.Works(now) && k.RevokedAt.IsZero():
		return &billing.Error{
			Code: billing.CodeUnauthorized, Reason: billing.RefusedExpiredKey,
			Message: "This API key expired at " + event.Timestamp(k.ExpiresAt) + ". Ask an owner of your organization for a new one.",
		}
	case from.IsValid() && len(k.AllowedAddresses) > 0 && !slices.ContainsFunc(k.AllowedAddresses, inside):
		return &billing.Error{
			Code: billing.CodeUnauthorized, Reason: billing.RefusedAddress,
			Message: "This API key does not work from the address " + from.String() + ". Use it from one of its allowed_addresses, or ask an owner for a key without them.",
		}
	}
	return nil
}

// May reports whether the key has the permission.
func (k *APIKey) May(p billing.Permission) bool { return slices.Contains(k.Permissions, p) }

const (
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	secretRandom = 32
	secretCheck  = 6
)

// NewKeySecret returns a new secret: molar_test_ or molar_live_, 32 random
// base62 characters and 6 of a CRC-32 of all before them. The checksum lets the
// service reject typing errors and scanners without a look-up.
func NewKeySecret(mode billing.Mode) string {
	var b strings.Builder
	b.WriteString("molar_" + string(mode) + "_")
	for range secretRandom {
		n, _ := rand.Int(rand.Reader, big.NewInt(int64(len(base62)))) // never fails since Go 1.24
		b.WriteByte(base62[n.Int64()])
	}
	return b.String() + checksum(b.String())
}

func checksum(s string) string {
	n := crc32.ChecksumIEEE([]byte(s))
	var out [secretCheck]byte
	for i := secretCheck - 1; i >= 0; i-- {
		out[i] = base62[n%62]
		n /= 62
	}
	return string(out[:])
}

// WellFormedKeySecret reports whether s has the form and the checksum of a
// key's secret.
func WellFormedKeySecret(s string) bool {
	body, ok := strings.CutPrefix(s, "molar_"+string(billing.ModeTest)+"_")
	if !ok {
		body, ok = strings.CutPrefix(s, "molar_"+string(billing.ModeLive)+"_")
	}
	if !ok || len(body) != secretRandom+secretCheck {
		return false
	}
	return checksum(s[:len(s)-secretCheck]) == s[len(s)-secretCheck:]
}

// KeyDigest returns the digest of a key's secret that is stored.
func KeyDigest(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }

type organizationData struct {
	ID     billing.OrgID `json:"id"`
	Object string        `json:"object"`
	Name   string        `json:"name"`
}

type apiKeyData struct {
	ID           billing.KeyID        `json:"id"`
	Object       string               `json:"object"`
	Name         string               `json:"name"`
	Mode         billing.Mode         `json:"mode"`
	Permissions  []billing.Permission `json:"permissions"`
	Organization organizationData     `json:"organization"`
}

// CreatedEvent returns the api_key.created event of a new key.
func (k *APIKey) CreatedEvent(o *Organization) event.Event {
	return event.New(k.Scope, event.APIKeyCreated, k.ID, k.CreatedAt, k.data(o))
}

// RevokedEvent returns the api_key.revoked event of a revoked key.
func (k *APIKey) RevokedEvent(o *Organization) event.Event {
	return event.New(k.Scope, event.APIKeyRevoked, k.ID, k.RevokedAt, k.data(o))
}

func (k *APIKey) data(o *Organization) apiKeyData {
	return apiKeyData{
		ID: k.ID, Object: "api_key", Name: k.Name, Mode: k.Scope.Mode, Permissions: k.Permissions,
		Organization: organizationData{o.ID, "organization", o.Name},
	}
}
