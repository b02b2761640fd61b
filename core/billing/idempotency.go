package billing

import (
	"crypto/sha256"
	"time"
)

// Request is what the service knows of an API call that changes something:
// its ID, its idempotency key and what it means.
type Request struct {
	ID          RequestID
	Key         string
	Fingerprint [sha256.Size]byte // of method, path and the meaning of the body
}

// KeyUse is an idempotency key that has been used: by whom, and for which
// request. A key belongs to one organization and mode. The answer is kept by
// reference to a check, which no longer changes once it is completed.
type KeyUse struct {
	Key         string
	Fingerprint [sha256.Size]byte
	CheckID     CheckID
	CreatedAt   time.Time
	// Held is true when the transaction that read the use holds the key, and
	// so may use it again; otherwise another one does.
	Held bool
}

// Match reports whether r repeats the request that used the key; the error
// has CodeIdempotencyKeyReused.
func (u *KeyUse) Match(r Request) error {
	if u.Fingerprint == r.Fingerprint {
		return nil
	}
	return &Error{
		Code:    CodeIdempotencyKeyReused,
		Message: "The Idempotency-Key was used with a different request. Send the first request unchanged, or a new key.",
	}
}

// ErrKeyInUse is the error while the first request with a key still runs.
func ErrKeyInUse() error {
	return &Error{
		Code:    CodeIdempotencyKeyInUse,
		Message: "The first request with this Idempotency-Key is still running. Send it again in a moment.",
	}
}

// ValidIdempotencyKey reports whether s is 1 to 255 characters from 0x21 to
// 0x7E.
func ValidIdempotencyKey(s string) bool {
	if s == "" || len(s) > 255 {
		return false
	}
	for i := range len(s) {
		if s[i] < 0x21 || s[i] > 0x7e {
			return false
		}
	}
	return true
}
