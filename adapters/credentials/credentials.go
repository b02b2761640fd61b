// Package credentials hashes passwords with argon2id, measures how hard they are to
// guess, and checks codes of authenticator apps.
package credentials

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
	"golang.org/x/crypto/argon2"

	"github.com/molar-billing/molar/ports"
)

// Credentials is the one adapter of ports.Credentials.
type Credentials struct{ key func() [32]byte }

var _ ports.Credentials = (*Credentials)(nil)

// The cost of a hash, as OWASP recommends: 19 MiB and two passes, which took 59 ms on
// a busy core. Hashes name their parameters, so that a later release can change them.
const (
	passes   = 2
	memory   = 19 * 1024 // KiB
	lanes    = 1
	hashSize = 32
	saltSize = 16
)

// New returns credentials with a key of this service. Salts and marks depend on it.
func New(key [32]byte) *Credentials { return Late(func() [32]byte { return key }) }

// Late returns credentials with a key that is known only when they are first used.
func Late(key func() [32]byte) *Credentials { return &Credentials{key} }

// Hash computes the argon2id of a password. The salt is a keyed digest of the
// email address.
func (p *Credentials) Hash(email, password string) string {
	salt := p.MAC("salt " + email)
	hash := argon2.IDKey([]byte(password), salt[:saltSize], passes, memory, lanes, hashSize)
	return fmt.Sprintf("argon2id$v=%d$m=%d,t=%d,p=%d$%s", argon2.Version, memory, passes, lanes, base64.RawStdEncoding.EncodeToString(hash))
}

// period is the length of a time step of TOTP.
const period = 30

// Step compares the code with those of the step before, the current one and the
// one after, because clocks differ.
func (p *Credentials) Step(secret, code string, at time.Time) (int64, bool) {
	options := totp.ValidateOpts{Period: period, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}
	for step := at.Unix()/period - 1; step <= at.Unix()/period+1; step++ {
		right, err := totp.GenerateCodeCustom(secret, time.Unix(step*period, 0), options)
		if err == nil && subtle.ConstantTimeCompare([]byte(right), []byte(code)) == 1 {
			return step, true
		}
	}
	return 0, false
}

// MAC computes an HMAC.
func (p *Credentials) MAC(text string) [32]byte {
	key := p.key()
	h := hmac.New(sha256.New, key[:])
	h.Write([]byte(text))
	return [32]byte(h.Sum(nil))
}
