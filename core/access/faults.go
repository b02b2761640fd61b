package access

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
)

const maxText = 200

func text(f *billing.Faults, field, value string) {
	if strings.TrimSpace(value) == "" {
		f.Add(field, billing.FaultRequired, "A value is required.")
	}
	optional(f, field, value)
}

func optional(f *billing.Faults, field, value string) {
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		f.Add(field, billing.FaultFormat, "A value is UTF-8 text without control characters.")
	case utf8.RuneCountInString(value) > maxText:
		f.Add(field, billing.FaultTooLong, "A value has at most 200 characters.")
	}
}

func mode(f *billing.Faults, m billing.Mode) {
	if m != billing.ModeTest && m != billing.ModeLive {
		f.Add("mode", billing.FaultNotAllowed, "A mode is test or live.")
	}
}

func npi(f *billing.Faults, s string) {
	if !billing.ValidNPI(s) {
		f.Add("npi", billing.FaultFormat, "An NPI is ten digits with a valid check digit.")
	}
}
