package intake

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// KeyRequest is an API key as a caller wrote it; nothing is parsed yet.
type KeyRequest struct {
	Name        string
	Mode        string
	Permissions []string
	ExpiresAt   time.Time // zero for never

	AllowedAddresses []string // CIDRs, or single addresses; none for all

	Faults billing.Faults // found when the body was decoded
}

// maxAddresses is how many allowed addresses a key has at most.
const maxAddresses = 20

// Key validates the request and returns the requested key, without ID, organization,
// secret and times.
func (r KeyRequest) Key() (caller.APIKey, billing.Faults) {
	f := slices.Clone(r.Faults)
	f.Name("name", r.Name)
	k := caller.APIKey{Name: r.Name, Scope: billing.Scope{Mode: billing.Mode(r.Mode)}, ExpiresAt: r.ExpiresAt.UTC().Truncate(time.Microsecond)}
	if f.Required("mode", r.Mode, 0) && k.Scope.Mode != billing.ModeTest && k.Scope.Mode != billing.ModeLive {
		f.Add("mode", billing.FaultNotAllowed, "The mode must be test or live.")
	}
	if len(r.Permissions) == 0 {
		f.Add("permissions", billing.FaultRequired, "A key needs the permission read, submit or both.")
	}
	for i, text := range r.Permissions {
		if f.Full() {
			break
		}
		p := billing.Permission(text)
		if p != billing.PermissionRead && p != billing.PermissionSubmit {
			f.Add("permissions."+strconv.Itoa(i), billing.FaultNotAllowed, "The permission must be read or submit.")
		}
		k.Permissions = append(k.Permissions, p)
	}
	slices.Sort(k.Permissions)
	k.Permissions = slices.Compact(k.Permissions)
	k.AllowedAddresses = r.addresses(&f)
	return k, f
}

func (r KeyRequest) addresses(f *billing.Faults) (all []netip.Prefix) {
	if len(r.AllowedAddresses) > maxAddresses {
		f.Add("allowed_addresses", billing.FaultTooMany, fmt.Sprintf("A key has at most %d allowed addresses.", maxAddresses))
		return nil
	}
	for i, text := range r.AllowedAddresses {
		p, err := netip.ParsePrefix(text)
		if a, one := netip.ParseAddr(text); one == nil && a.Zone() == "" {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil || p.Addr().Is4In6() {
			f.Add("allowed_addresses."+strconv.Itoa(i), billing.FaultFormat, "Send a CIDR such as 203.0.113.0/24 or 2001:db8::/48, or one address.")
			continue
		}
		if p = p.Masked(); !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}
