package billing

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"slices"
	"strings"
	"time"
)

// APIKey lets a program of an organization call the API in one mode. The
// secret itself is shown once and never stored.
type APIKey struct {
	ID          KeyID
	Scope       Scope
	Name        string
	Permissions []Permission
	LastFour    string
	CreatedAt   time.Time
	RevokedAt   time.Time // zero while the key is valid
}

// May reports whether the key has the permission.
func (k *APIKey) May(p Permission) bool { return slices.Contains(k.Permissions, p) }

const (
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	secretRandom = 32
	secretCheck  = 6
)

// NewKeySecret returns a new secret: molar_test_ or molar_live_, 32 random
// base62 characters and 6 of a CRC-32 of all before them. The checksum lets the
// service reject typing errors and scanners without a look-up.
func NewKeySecret(mode Mode) string {
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
	body, ok := strings.CutPrefix(s, "molar_"+string(ModeTest)+"_")
	if !ok {
		body, ok = strings.CutPrefix(s, "molar_"+string(ModeLive)+"_")
	}
	if !ok || len(body) != secretRandom+secretCheck {
		return false
	}
	return checksum(s[:len(s)-secretCheck]) == s[len(s)-secretCheck:]
}

// KeyDigest returns the digest of a key's secret that is stored.
func KeyDigest(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }
