package clearing

import (
	_ "embed" // the labels that ship with the service
	"strings"
	"sync"
)

// ClaimStatus is a status that a payer or clearinghouse has reported (277, STC01).
type ClaimStatus struct {
	Category string // such as A2
	Code     string // such as 20
}

// String returns the status in its usual form, such as "A7:562".
func (s ClaimStatus) String() string {
	if s.Code == "" {
		return s.Category
	}
	return s.Category + ":" + s.Code
}

//go:embed statuses.tsv
var shippedStatuses string

// statuses holds the entries of the file by code (code source 508). Data names what is
// wrong, such as the member ID; a fact says all by itself.
//
//nolint:gochecknoglobals // a constant table, read at first use
var statuses = sync.OnceValue(func() map[string]statusLabel {
	table := map[string]statusLabel{}
	for line := range strings.Lines(shippedStatuses) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		table[columns[1]] = statusLabel{columns[0] == "data", columns[2]}
	}
	return table
})

type statusLabel struct {
	data bool
	text string
}

// Words returns a rejection in a few plain words, such as "invalid member ID". They are
// the project's own: X12 licenses the official ones. They are empty when nothing is
// known of the status.
func (s ClaimStatus) Words() string {
	fault := map[string]string{"A6": "missing", "A7": "invalid", "A8": "inconsistent"}[strings.ToUpper(s.Category)]
	label, known := statuses()[s.Code]
	switch {
	case known && (!label.data || fault == ""):
		return label.text
	case known:
		return fault + " " + label.text
	case fault != "":
		return fault + " information"
	default:
		return ""
	}
}
