package billing

// Contractual is replaced by the labels branch.
func (a Adjustment) Contractual() bool {
	return (a.Group == "CO" || a.Group == "PI") && a.Reason == "45"
}

// NotPaid is replaced by the labels branch.
func (a Adjustment) NotPaid() bool {
	return (a.Group == "CO" || a.Group == "PI" || a.Group == "OA") && !a.Contractual() && !(a.Group == "OA" && (a.Reason == "23" || a.Reason == "101"))
}
