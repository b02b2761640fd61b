package pgstore

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// sealer encrypts the messages exchanged with payers, and the secrets of webhook
// endpoints, with AES-256-GCM. Its output is
//
//	1 byte   version
//	4 bytes  ID of the key: the start of its SHA-256
//	12 bytes nonce, random
//	rest     ciphertext and tag
//
// The row's scope and ID are authenticated too, so the output of one row does not
// decrypt in another row.
type sealer struct {
	aead  cipher.AEAD
	keyID [4]byte
}

const sealVersion = 1

var errSealed = errors.New("the encrypted data is damaged, or the encryption key is another one")

func newSealer(key [32]byte) (*sealer, error) {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	sum := sha256.Sum256(key[:])
	return &sealer{aead, [4]byte(sum[:])}, nil
}

// rowID is the ID of any row.
type rowID interface{ UUID() string }

func (s *sealer) seal(scope billing.Scope, id rowID, plain []byte) []byte {
	out := append([]byte{sealVersion}, s.keyID[:]...)
	return s.aead.Seal(out, nil, plain, sealedFor(scope, id))
}

func (s *sealer) open(scope billing.Scope, id rowID, sealed []byte) ([]byte, error) {
	if len(sealed) < 5 || sealed[0] != sealVersion || [4]byte(sealed[1:5]) != s.keyID {
		return nil, errSealed
	}
	plain, err := s.aead.Open(nil, nil, sealed[5:], sealedFor(scope, id))
	if err != nil {
		return nil, errSealed
	}
	return plain, nil
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
