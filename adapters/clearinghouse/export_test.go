package clearinghouse

import (
	"bytes"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
)

// Settles changes how long a file without an end must be unchanged.
func (o *Options) Settles(after time.Duration) { o.settled = after }

// Limit sets the limits of the account.
func (o *Options) Limit(file, all int64, entries, waiting int) {
	o.limits = limits{file: file, bytes: all, entries: entries, waiting: waiting}
}

// OpenMail opens the memory in a data folder, which may be that of a killed process.
func OpenMail(dir string, now func() time.Time) (sandboxnet.Mail, func() error, error) {
	f, err := openFolder(dir)
	if err != nil {
		return nil, nil, err
	}
	m, err := openMail(f, now)
	return m, func() error {
		if err := m.close(); err != nil {
			return err
		}
		return f.close()
	}, err
}

// FaultNames lists every name of a fault.
func FaultNames() (all []string) {
	for _, r := range faultTable {
		all = append(all, string(r.name))
		if r.alias != "" {
			all = append(all, string(r.alias))
		}
	}
	return all
}

// ReadSOAP reads a request and returns its payload.
func ReadSOAP(body []byte) (payload string, err error) {
	e, err := readSOAP(body, nil)
	if err != nil {
		return "", err
	}
	return e.Payload, nil
}

// ReadMIME reads a request and returns its payload.
func ReadMIME(body []byte, boundary string) (payload string, err error) {
	e, err := readMIME(bytes.NewReader(body), boundary)
	if err != nil {
		return "", err
	}
	return e.Payload, nil
}
