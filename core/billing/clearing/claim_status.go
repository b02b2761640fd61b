package clearing

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
