package caller

import (
	"crypto/sha256"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// KeyUse is the use of an idempotency key by a request. A key belongs to one
// organization and mode. The reply is kept by value, or as a reference to a
// completed check, which never changes. Until there is a reply, the use refers to
// the work that it waits for.
type KeyUse struct {
	Key         string
	Fingerprint [sha256.Size]byte
	CheckID     billing.CheckID
	Reply       *Reply
	Erased      bool          // the reply showed a patient who was erased since
	Work        billing.JobID // an upload, or a job that sends an attachment
	CreatedAt   time.Time
	Entry       *LoggedRequest // of the request, without its reply; nil if it is not logged
	Audit       *AuditEntry    // of the request, stored in the same commit; nil if no person made it
	// Held is true when the transaction that read the use holds the key and may
	// use it again. Otherwise another one holds it.
	Held bool
}

// Reply is the reply to a request, as the bytes that a replay repeats.
type Reply struct {
	Status   int
	Body     []byte            // empty for a reply without one
	Replayed bool              // an earlier request with the key made it
	Resource string            // the ID of the resource that it shows; empty in a replay
	Shown    []string          // IDs of patients and of claims that it shows, for the audit; empty in a replay
	Filters  map[string]string // of a list as a file, for the audit
}

// Match returns nil when r repeats the request that used the key. Otherwise it
// returns CodeIdempotencyKeyReused.
func (u *KeyUse) Match(r Request) error {
	if u.Fingerprint == r.Fingerprint {
		return nil
	}
	return &billing.Error{
		Code:    billing.CodeIdempotencyKeyReused,
		Message: "This Idempotency-Key was already used with a different request. Send the first request unchanged, or use a new key.",
	}
}

// Replay returns the earlier reply to the request. It is nil when the key is
// new (u is nil) or has no reply yet. It returns CodeIdempotencyKeyReused when
// a different request used the key, and when the reply was erased.
func (u *KeyUse) Replay(r Request) (*Reply, error) {
	if u == nil {
		return nil, nil // a new key has no use, no reply and no fault
	}
	if err := u.Match(r); err != nil || u.Reply == nil && !u.Erased {
		return nil, err
	}
	if u.Erased {
		return nil, &billing.Error{
			Code: billing.CodeIdempotencyKeyReused, Message: "The reply to this Idempotency-Key showed a patient whose records were erased since, and nothing was done again. " +
				"Send the request with a new key if it is to be done once more.",
		}
	}
	return &Reply{Status: u.Reply.Status, Body: u.Reply.Body, Replayed: true}, nil
}

// Replied returns the use of the request's key with the reply.
func (r Request) Replied(reply Reply, at time.Time) KeyUse {
	return KeyUse{Key: r.Key, Fingerprint: r.Fingerprint, Reply: &reply, CreatedAt: at, Entry: r.Entry.about(reply.Resource), Audit: r.Audit.Replied(reply)}
}

// Waiting returns the use of the request's key until the work is done.
func (r Request) Waiting(work billing.JobID, at time.Time) KeyUse {
	return KeyUse{Key: r.Key, Fingerprint: r.Fingerprint, Work: work, CreatedAt: at, Entry: r.Entry, Audit: r.Audit}
}

// Asking returns the use of the request's key for a check, which keeps its reply.
func (r Request) Asking(check billing.CheckID, at time.Time) KeyUse {
	return KeyUse{Key: r.Key, Fingerprint: r.Fingerprint, CheckID: check, CreatedAt: at, Entry: r.Entry, Audit: r.Audit.about(check.String())}
}

// ErrKeyInUse returns the error while the first request with a key still runs.
func ErrKeyInUse() error {
	return &billing.Error{
		Code:    billing.CodeIdempotencyKeyInUse,
		Message: "The first request with this Idempotency-Key is still running. Wait a moment, then send it again.",
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
