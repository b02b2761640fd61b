package ports

import "time"

// Credentials checks the passwords of users and the codes of their authenticator apps.
type Credentials interface {
	// Hash returns the hash of a password for the email address. The same address
	// and password always return the same hash, so one hash is compared with all
	// users of an address. It is slow by design: the caller bounds how many are
	// computed at once.
	Hash(email, password string) string

	// Strength returns how hard a password is to guess, from 0 to 4, when the words
	// are no secret.
	Strength(password string, known []string) int

	// Step returns the time step at which the TOTP code of the secret is right, and
	// whether it is right at the given time.
	Step(secret, code string, at time.Time) (int64, bool)

	// MAC returns a digest of the text that only this service can compute.
	MAC(text string) [32]byte
}
