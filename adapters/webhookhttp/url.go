package webhookhttp

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
)

// rules are the checks on the form of a URL. A URL that passes has only one
// reading. The dialer here, net/url, and the WHATWG URL standard, which
// browsers and most libraries follow, agree on it.
type rules struct {
	names   *idna.Profile
	resolve map[string]netip.AddrPort
}

// target is a URL that passed the rules.
type target struct {
	host string // in lower case and ASCII, without a final dot
	url  *url.URL
}

func newRules(resolve map[string]netip.AddrPort) (*rules, error) {
	r := &rules{
		// Like the WHATWG's domain to ASCII, but stricter: a host has only letters,
		// digits and hyphens, as in certificates.
		names:   idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.CheckHyphens(false), idna.VerifyDNSLength(true)),
		resolve: map[string]netip.AddrPort{},
	}
	for host, to := range resolve {
		name, faults := r.name(host)
		if len(faults) > 0 {
			return nil, fmt.Errorf("webhookhttp: Resolve has the host %q, which is not valid: %s", host, faults[0].Message)
		}
		if !to.IsValid() || to.Port() == 0 {
			return nil, fmt.Errorf("webhookhttp: Resolve needs an address and a port for %q", host)
		}
		r.resolve[name] = to
	}
	return r, nil
}

// fault returns the fault of a URL.
func fault(code billing.FaultCode, message string) billing.Faults {
	return billing.Faults{{Field: "url", Code: code, Message: message}}
}

const (
	scheme     = "https://"
	notRead    = "The URL cannot be read. Percent-encode what is not a letter, a digit or one of -._~/ in its path."
	notAHost   = "The URL must name a host, such as hooks.example.com, and not an address."
	notThePort = "The port must be 443, or 1024 to 65535."
)

// read checks the form of a URL. It splits the authority itself, because
// net/url would decode the authority first.
func (r *rules) read(raw string) (*target, billing.Faults) {
	if utf8.RuneCountInString(raw) > webhook.MaxWebhookURL {
		return nil, fault(billing.FaultTooLong, fmt.Sprintf("The URL may have at most %d characters.", webhook.MaxWebhookURL))
	}
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c == 0x7f || c == '\\' {
			return nil, fault(billing.FaultFormat, "The URL must have no spaces, control characters or backslashes.")
		}
	}
	switch {
	case !utf8.ValidString(raw):
		return nil, fault(billing.FaultFormat, "The URL must be UTF-8.")
	case len(raw) < len(scheme) || !strings.EqualFold(raw[:len(scheme)], scheme):
		return nil, fault(billing.FaultFormat, "The URL must begin with https://.")
	case strings.Contains(raw, "#"):
		return nil, fault(billing.FaultFormat, "The URL must have no fragment: leave out # and what follows.")
	}
	authority := raw[len(scheme):]
	if end := strings.IndexAny(authority, "/?"); end >= 0 {
		authority = authority[:end]
	}
	if strings.Contains(authority, "@") {
		return nil, fault(billing.FaultFormat, "The URL must have no user name or password.")
	}
	host, port, withPort := strings.Cut(authority, ":")
	name, faults := r.name(host)
	if len(faults) > 0 {
		return nil, faults
	}
	if _, fixed := r.resolve[name]; !fixed && isSpecial(name) {
		return nil, fault(billing.FaultNotAllowed, "The host's name is reserved and is not on the internet.")
	} else if withPort && !isPort(port, fixed) {
		return nil, fault(billing.FaultNotAllowed, notThePort)
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host != authority || u.User != nil || u.Opaque != "" {
		return nil, fault(billing.FaultFormat, notRead)
	}
	u.Host, u.RawQuery = name, escaped(u.RawQuery)
	if withPort {
		u.Host += ":" + port
	}
	return &target{name, u}, nil
}

// name checks a host and returns its canonical spelling. It applies the IDNA
// mapping first, because that can turn circled digits and ideographic full
// stops into an address.
func (r *rules) name(host string) (string, billing.Faults) {
	ascii, err := r.names.ToASCII(host)
	ascii = strings.TrimSuffix(ascii, ".")
	dot := strings.LastIndexByte(ascii, '.')
	// By the WHATWG standard, a host whose last label is a number in any base is an
	// IPv4 address. No top-level domain begins with a digit.
	if ascii == "" || strings.ContainsAny(host, ":%[]") || ascii[dot+1:] == "" || ascii[dot+1] <= '9' {
		return "", fault(billing.FaultFormat, notAHost)
	}
	if _, literal := netip.ParseAddr(ascii); literal == nil {
		return "", fault(billing.FaultFormat, notAHost)
	}
	if edges := "." + ascii + "."; err != nil || strings.Contains(edges, ".-") || strings.Contains(edges, "-.") {
		return "", fault(billing.FaultFormat, "The host's name is not valid.")
	}
	if dot < 0 {
		return "", fault(billing.FaultFormat, "The host's name must have at least two parts, such as example.com.")
	}
	return ascii, nil
}

// isSpecial reports whether a name is under a top-level domain that is reserved
// for private use or for no use. The operator's resolver may still know such a
// name. The domains are from RFC 6761, 6762, 7686, 8375 and 9476, and from
// ICANN's decision of 2024.
func isSpecial(name string) bool {
	return slices.Contains([]string{
		"localhost", "local", "localdomain", "internal", "lan", "arpa", "test", "invalid", "example", "onion", "alt",
	}, name[strings.LastIndexByte(name, '.')+1:])
}

func isPort(s string, whichever bool) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && s[0] != '0' && (whichever || portAllowed(uint16(n)))
}

// portAllowed reports whether the port is that of HTTPS, or one on which an
// unprivileged program may listen. A host's other services use the other ports.
func portAllowed(n uint16) bool { return n == 443 || n >= 1024 }

// escaped percent-encodes the characters that net/url accepts in a query but
// HTTP does not.
func escaped(query string) string {
	harmless := func(c byte) bool { return c < 0x80 && c != '"' && c != '<' && c != '>' }
	for i := range len(query) {
		if harmless(query[i]) {
			continue
		}
		var b strings.Builder
		for _, c := range []byte(query) {
			if harmless(c) {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		return b.String()
	}
	return query
}
