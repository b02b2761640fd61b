package sftpnet

import "time"

// SetClock makes a clearinghouse use the clock.
func (n *Clearinghouse) SetClock(now func() time.Time) { n.now = now }

// The functions that tests call with any input.
var (
	Escaped   = escaped
	Unescaped = unescaped
	ErrKey    = errHostKey
)

// Fingerprint returns the fingerprint of a line of known_hosts.
func Fingerprint(line string) (string, error) {
	pins, err := parseHostKey(line)
	if err != nil {
		return "", err
	}
	return pins[0].fingerprint, nil
}
