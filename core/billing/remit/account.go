package remit

import "strings"

// LastFour returns the last four digits of an account number, which is all that is kept of one;
// the empty string for a text without digits.
func LastFour(account string) string {
	all := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, account)
	if all == "" {
		return ""
	}
	all = "000" + all
	return all[len(all)-4:]
}
