package billing

import (
	"crypto/rand"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Kind is the kind of resource that an ID identifies. It has the ID's prefix.
type Kind interface{ prefix() string }

// Prefix returns the prefix of the IDs of a kind.
func Prefix[K Kind]() string {
	var kind K
	return kind.prefix()
}

// ID identifies one resource of kind K. In the database it is a UUID, of version
// 7 so that an index keeps new rows together. Clients see the kind's prefix and
// 26 Crockford base32 characters. The zero ID means "none" and is NULL in SQL.
type ID[K Kind] [16]byte

// The kinds of IDs, with the prefixes of the API.
type (
	orgKind          struct{}
	officeKind       struct{}
	payerKind        struct{}
	providerKind     struct{}
	patientKind      struct{}
	claimKind        struct{}
	checkKind        struct{}
	attachmentKind   struct{}
	documentKind     struct{}
	payerRequestKind struct{}
	eraKind          struct{}
	eventKind        struct{}
	webhookKind      struct{}
	keyKind          struct{}
	fileKind         struct{}
	requestKind      struct{}
	jobKind          struct{}
	deliveryKind     struct{}
	userKind         struct{}
	sessionKind      struct{}
	auditEntryKind   struct{}
	connectionKind   struct{}
	enrollmentKind   struct{}
	acceptedKind     struct{}
	restoreKind      struct{}
	feeScheduleKind  struct{}
	estimateKind     struct{}
	checkBatchKind   struct{}
	checkItemKind    struct{}
	taskKind         struct{}
	statusKind       struct{}
	noteKind         struct{}
	statusPolicyKind struct{}
	depositKind      struct{}
	appealKind       struct{}
	adviceRuleKind   struct{}
)

func (orgKind) prefix() string          { return "org_" }
func (officeKind) prefix() string       { return "off_" }
func (payerKind) prefix() string        { return "pyr_" }
func (providerKind) prefix() string     { return "prv_" }
func (patientKind) prefix() string      { return "pat_" }
func (claimKind) prefix() string        { return "clm_" }
func (checkKind) prefix() string        { return "elg_" }
func (attachmentKind) prefix() string   { return "att_" }
func (documentKind) prefix() string     { return "doc_" }
func (payerRequestKind) prefix() string { return "prq_" }
func (eraKind) prefix() string          { return "era_" }
func (eventKind) prefix() string        { return "evt_" }
func (webhookKind) prefix() string      { return "whe_" }
func (keyKind) prefix() string          { return "key_" }
func (fileKind) prefix() string         { return "fil_" }
func (requestKind) prefix() string      { return "req_" }
func (jobKind) prefix() string          { return "job_" }
func (deliveryKind) prefix() string     { return "whd_" }
func (userKind) prefix() string         { return "usr_" }
func (sessionKind) prefix() string      { return "ses_" }
func (auditEntryKind) prefix() string   { return "aud_" }
func (connectionKind) prefix() string   { return "con_" }
func (enrollmentKind) prefix() string   { return "enr_" }
func (acceptedKind) prefix() string     { return "acr_" }
func (restoreKind) prefix() string      { return "rst_" }
func (feeScheduleKind) prefix() string  { return "fee_" }
func (estimateKind) prefix() string     { return "est_" }
func (checkBatchKind) prefix() string   { return "bat_" }
func (checkItemKind) prefix() string    { return "eli_" }
func (taskKind) prefix() string         { return "tsk_" }
func (statusKind) prefix() string       { return "inq_" }
func (noteKind) prefix() string         { return "not_" }
func (statusPolicyKind) prefix() string { return "stp_" }
func (depositKind) prefix() string      { return "dep_" }
func (appealKind) prefix() string       { return "apl_" }
func (adviceRuleKind) prefix() string   { return "rul_" }

// The IDs of the API, the JobID of a job, and the DeliveryID of a delivery to
// an endpoint.
//
//nolint:revive // one comment serves them all
type (
	OrgID             = ID[orgKind]
	OfficeID          = ID[officeKind]
	PayerID           = ID[payerKind]
	ProviderID        = ID[providerKind]
	PatientID         = ID[patientKind]
	ClaimID           = ID[claimKind]
	CheckID           = ID[checkKind]
	AttachmentID      = ID[attachmentKind]
	DocumentID        = ID[documentKind]
	PayerRequestID    = ID[payerRequestKind]
	ERAID             = ID[eraKind]
	EventID           = ID[eventKind]
	WebhookEndpointID = ID[webhookKind]
	KeyID             = ID[keyKind]
	FileID            = ID[fileKind]
	RequestID         = ID[requestKind]
	JobID             = ID[jobKind]
	DeliveryID        = ID[deliveryKind]
	UserID            = ID[userKind]
	SessionID         = ID[sessionKind]
	AuditEntryID      = ID[auditEntryKind]
	ConnectionID      = ID[connectionKind]
	EnrollmentID      = ID[enrollmentKind]
	AcceptedID        = ID[acceptedKind]
	RestoreID         = ID[restoreKind]
	FeeScheduleID     = ID[feeScheduleKind]
	EstimateID        = ID[estimateKind]
	CheckBatchID      = ID[checkBatchKind]
	TaskID            = ID[taskKind]
	StatusInquiryID   = ID[statusKind] // of an inquiry about a claim
	NoteID            = ID[noteKind]
	StatusPolicyID    = ID[statusPolicyKind]
	DepositID         = ID[depositKind]
	AppealID          = ID[appealKind]
	AttachmentRuleID  = ID[adviceRuleKind]
	CheckItemID       = ID[checkItemKind] // of the store; clients have an ID of their own
)

// Real is a real time. A developer cannot move it, as the clock of the sandbox can be
// moved: see ADR 104. IDs, the audit, the uses of keys and retention have it.
type Real struct{ time.Time }

// RealAt returns a time that is known to be real. Only a test, a store, or a process that
// asks its own clock knows that; a use case takes the Real of its transaction.
func RealAt(t time.Time) Real { return Real{t} }

// NewID returns an ID that sorts by now, to the microsecond. It has 48 bits of
// milliseconds, 12 bits of the fraction and 62 random bits (RFC 9562, version 7
// with the sub-millisecond method).
func NewID[T ID[K], K Kind](now Real) T {
	var u [16]byte
	_, _ = rand.Read(u[8:]) // crypto/rand.Read never fails since Go 1.24
	us := now.UnixMicro()
	ms, frac := us/1000, us%1000*4096/1000
	binary.BigEndian.PutUint64(u[:8], uint64(ms)<<16|0x7000|uint64(frac))
	u[8] = u[8]&0x3f | 0x80
	return T(u)
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// errMalformedID is the error of ParseID.
var errMalformedID = errors.New("malformed ID")

// ParseID reads the form that clients see. It accepts lower-case letters, and
// otherwise only what String returns.
func ParseID[T ID[K], K Kind](s string) (T, error) {
	var kind K
	var u [16]byte
	body, ok := strings.CutPrefix(s, kind.prefix())
	if !ok || len(body) != 26 {
		return T(u), errMalformedID
	}
	// 26 characters carry 130 bits: the first may only be 0 to 7.
	var hi, lo uint64
	for i := range len(body) {
		c := body[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		v := strings.IndexByte(crockford, c)
		if v < 0 || i == 0 && v > 7 {
			return T(u), errMalformedID
		}
		hi = hi<<5 | lo>>59
		lo = lo<<5 | uint64(v)
	}
	binary.BigEndian.PutUint64(u[:8], hi)
	binary.BigEndian.PutUint64(u[8:], lo)
	if u == ([16]byte{}) {
		return T(u), errMalformedID
	}
	return T(u), nil
}

// String returns the form that clients see, or the empty string for the zero ID.
func (id ID[K]) String() string {
	if id.IsZero() {
		return ""
	}
	var kind K
	hi, lo := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	var out [26]byte
	for i := 25; i >= 0; i-- {
		out[i] = crockford[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return kind.prefix() + string(out[:])
}

// Time returns the time that was passed to NewID, to the millisecond.
func (id ID[K]) Time() time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(id[:8]) >> 16))
}

// IsZero reports whether the ID stands for "none".
func (id ID[K]) IsZero() bool { return id == ID[K]{} }

// UUID returns the UUID as PostgreSQL prints it.
func (id ID[K]) UUID() string {
	var b [36]byte
	hex.Encode(b[0:8], id[0:4])
	b[8] = '-'
	hex.Encode(b[9:13], id[4:6])
	b[13] = '-'
	hex.Encode(b[14:18], id[6:8])
	b[18] = '-'
	hex.Encode(b[19:23], id[8:10])
	b[23] = '-'
	hex.Encode(b[24:36], id[10:16])
	return string(b[:])
}

// MarshalText returns the form that clients see, for JSON.
func (id ID[K]) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the form that clients see. The empty string is the zero ID.
func (id *ID[K]) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*id = ID[K]{}
		return nil
	}
	v, err := ParseID[ID[K]](string(b))
	*id = v
	return err
}

// Value returns the UUID, or NULL for the zero ID.
func (id ID[K]) Value() (driver.Value, error) {
	if id.IsZero() {
		return nil, nil
	}
	return id.UUID(), nil
}

// Scan reads a UUID as PostgreSQL prints it, or NULL.
func (id *ID[K]) Scan(src any) error {
	var s string
	switch v := src.(type) {
	case nil:
		*id = ID[K]{}
		return nil
	case string:
		s = v
	case []byte:
		s = string(v)
	default:
		return fmt.Errorf("scan %T into an ID", src)
	}
	b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || len(b) != 16 {
		return errMalformedID
	}
	copy(id[:], b)
	return nil
}
