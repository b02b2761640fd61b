package pgstore

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// dataKey encrypts with AES-256-GCM. Its output is
//
//	1 byte   version
//	8 bytes  ID of the key: the start of its SHA-256 (4 bytes in version 1)
//	12 bytes nonce, random
//	rest     ciphertext and tag
//
// What the output is bound to, such as the row's scope and ID, is authenticated too, so the
// output of one row does not decrypt in another row.
type dataKey struct {
	aead   cipher.AEAD
	id     keyID
	prefix []byte // version and ID
}

// keyID is the start of the SHA-256 of a key.
type keyID [8]byte

// String returns the ID as operators see it.
func (k keyID) String() string { return hex.EncodeToString(k[:]) }

// Version 1 is of the database's first form, in which one key encrypts all rows.
const (
	sealVersion1 = 1
	sealVersion  = 2
)

var errSealed = errors.New("the encrypted data is damaged, or the encryption key is another one")

func newDataKey(key [32]byte, version byte) (*dataKey, error) {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	k := &dataKey{aead: aead, id: keyIDOf(key)}
	k.prefix = append([]byte{version}, k.id[:]...)
	if version == sealVersion1 {
		k.prefix = k.prefix[:5]
	}
	return k, nil
}

func keyIDOf(key [32]byte) keyID {
	sum := sha256.Sum256(key[:])
	return keyID(sum[:])
}

// rowID is the ID of any row.
type rowID interface{ UUID() string }

func (k *dataKey) seal(plain, boundTo []byte) []byte {
	return k.aead.Seal(bytes.Clone(k.prefix), nil, plain, boundTo)
}

func (k *dataKey) open(sealed, boundTo []byte) ([]byte, error) {
	rest, own := bytes.CutPrefix(sealed, k.prefix)
	if !own {
		return nil, errSealed
	}
	plain, err := k.aead.Open(nil, nil, rest, boundTo)
	if err != nil {
		return nil, errSealed
	}
	return plain, nil
}

// sealedWith returns the ID of the data key that encrypted the bytes, and false if they have
// the first form.
func sealedWith(sealed []byte) (id keyID, second bool) {
	if len(sealed) < 1+len(id) || sealed[0] != sealVersion {
		return id, false
	}
	return keyID(sealed[1 : 1+len(id)]), true
}

func sealedFor(scope billing.Scope, id rowID) []byte {
	return []byte(scope.Org.UUID() + "|" + string(scope.Mode) + "|" + id.UUID())
}

// frame joins messages into one byte slice. Each message follows its length. If not all
// are X12, their media types come last, as one more message with a line for each exchange.
func frame(exchanges []coverage.Exchange) []byte {
	var out []byte
	add := func(message []byte) {
		out = binary.AppendUvarint(out, uint64(len(message)))
		out = append(out, message...)
	}
	var types []string
	for _, x := range exchanges {
		add(x.Request)
		add(x.Reply)
		types = append(types, x.MediaType)
	}
	if slices.ContainsFunc(types, func(t string) bool { return t != coverage.MediaX12 }) {
		add([]byte(strings.Join(types, "\n")))
	}
	return out
}

// unframe is the inverse of frame.
func unframe(b []byte) ([]coverage.Exchange, error) {
	var messages [][]byte
	for len(b) > 0 {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) { //nolint:gosec // G115: Uvarint reads no more than there is
			return nil, errSealed
		}
		end := size + int(n) //nolint:gosec // G115: at most len(b)
		messages = append(messages, b[size:end:end])
		b = b[end:]
	}
	var types []string
	if last := len(messages) - 1; len(messages)%2 != 0 {
		types, messages = strings.Split(string(messages[last]), "\n"), messages[:last]
		if len(types) != len(messages)/2 {
			return nil, errSealed
		}
	}
	var out []coverage.Exchange
	for i := 0; i < len(messages); i += 2 {
		x := coverage.Exchange{MediaType: coverage.MediaX12, Request: messages[i], Reply: messages[i+1]}
		if types != nil {
			x.MediaType = types[i/2]
		}
		out = append(out, x)
	}
	return out, nil
}
