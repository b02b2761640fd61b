package sftpnet

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
)

// pin is a host key that the operator expects, and the algorithms to ask for it with.
// A server shows one key for each handshake, which the algorithms choose.
type pin struct {
	algorithms  []string
	key         []byte // as it crosses the wire; nil for a fingerprint
	fingerprint string
}

// errHostKey is the error of a server with another key.
var errHostKey = errors.New("the server's host key is not the expected one")

// rsaAlgorithms are the signatures of an RSA key that are safe.
func rsaAlgorithms() []string { return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256} }

// anyKey lists the algorithms by type of key.
func anyKey() [][]string {
	return [][]string{
		{ssh.KeyAlgoED25519}, {ssh.KeyAlgoECDSA256}, {ssh.KeyAlgoECDSA384}, {ssh.KeyAlgoECDSA521}, rsaAlgorithms(),
	}
}

// parseHostKey reads lines of known_hosts, lines with a bare public key, and
// fingerprints.
func parseHostKey(text string) (pins []pin, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "SHA256:") {
			sum, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimPrefix(line, "SHA256:"), "="))
			if err != nil || len(sum) != 32 {
				return nil, errors.New("the fingerprint is not SHA256: and 43 characters")
			}
			for _, algorithms := range anyKey() {
				pins = append(pins, pin{algorithms: algorithms, fingerprint: "SHA256:" + base64.RawStdEncoding.EncodeToString(sum)})
			}
			continue
		}
		p, err := parseKnownHost(line)
		if err != nil {
			return nil, err
		}
		pins = append(pins, p)
	}
	if len(pins) == 0 {
		return nil, errors.New("give the line of known_hosts, or the fingerprint (SHA256:...), that the clearinghouse published")
	}
	return pins, nil
}

func parseKnownHost(line string) (pin, error) {
	marker, _, key, _, _, err := ssh.ParseKnownHosts([]byte(line))
	if err != nil {
		marker = ""
		key, _, _, _, err = ssh.ParseAuthorizedKey([]byte(line))
	}
	switch {
	case err != nil:
		return pin{}, errors.New("it is neither a line of known_hosts nor a fingerprint, SHA256: and 43 characters")
	case marker != "":
		return pin{}, fmt.Errorf("lines with @%s are not supported", marker)
	}
	p := pin{algorithms: []string{key.Type()}, key: key.Marshal(), fingerprint: ssh.FingerprintSHA256(key)}
	if key.Type() == ssh.KeyAlgoRSA {
		p.algorithms = rsaAlgorithms()
	}
	return p, nil
}

// check returns an error unless the key is the pinned one.
func (p *pin) check(key ssh.PublicKey) error {
	if p.key != nil && bytes.Equal(p.key, key.Marshal()) || p.key == nil && ssh.FingerprintSHA256(key) == p.fingerprint {
		return nil
	}
	return fmt.Errorf("%w: it shows %s, and %s is expected", errHostKey, ssh.FingerprintSHA256(key), p.fingerprint)
}
