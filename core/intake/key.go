package intake

import (
	"slices"
	"strconv"

	"github.com/molar-billing/molar/core/billing"
)

// KeyRequest is an API key as a caller wrote it; nothing is parsed yet.
type KeyRequest struct {
	Name        string
	Mode        string
	Permissions []string
	Faults      billing.Faults // found when the body was decoded
}

// Key validates the request and returns the requested key, without ID, organization,
// secret and times.
func (r KeyRequest) Key() (billing.APIKey, billing.Faults) {
	f := slices.Clone(r.Faults)
	f.Name("name", r.Name)
	k := billing.APIKey{Name: r.Name, Scope: billing.Scope{Mode: billing.Mode(r.Mode)}}
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
	return k, f
}
