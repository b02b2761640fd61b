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

	// Faults is what is wrong with the form of a request that says nothing but
	// what its path says. It is told when the key is new.
	Faults Faults
}

// KeyUse is an idempotency key that has been used: by whom, and for which
// request. A key belongs to one organization and mode. What the request was
// answered is kept in one of three ways: by reference to a check, which no
// longer changes once it is completed; by value; or, until there is an answer,
// by reference to the work that it waits for.
type KeyUse struct {
	Key         string
	Fingerprint [sha256.Size]byte
	CheckID     CheckID
	Answer      *Answer
	Work        JobID // an upload, or a job that sends an attachment
	CreatedAt   time.Time
	// Held is true when the transaction that read the use holds the key, and
	// so may use it again; otherwise another one does.
	Held bool
}

// Answer is the reply to a request, in the bytes that a replay repeats.
type Answer struct {
	Status int
	Body   []byte // empty for a reply without one
}

// Render makes the answer of a request from what it made, or from the error
// that it ended with. The adapter that talks to the caller gives it along, so
// that the answer is kept in the commit of the effect.
type Render[T any] func(made T, err error) Answer

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

// Replay is the answer that the request got before, which is nil when the key
// is new (u is nil) or has no answer yet. A key that was used with a different
// request is CodeIdempotencyKeyReused.
func (u *KeyUse) Replay(r Request) (*Answer, error) {
	if u == nil {
		return nil, nil //nolint:nilnil // a new key has no use, no answer and no fault
	}
	if err := u.Match(r); err != nil {
		return nil, err
	}
	return u.Answer, nil
}

// Answered is the use of the request's key that keeps its answer.
func (r Request) Answered(a Answer, at time.Time) KeyUse {
	return KeyUse{Key: r.Key, Fingerprint: r.Fingerprint, Answer: &a, CreatedAt: at}
}

// Waiting is the use of the request's key until the work is done.
func (r Request) Waiting(work JobID, at time.Time) KeyUse {
	return KeyUse{Key: r.Key, Fingerprint: r.Fingerprint, Work: work, CreatedAt: at}
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
