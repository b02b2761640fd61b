package billing

// IsBusinessDay is what tests name of how business days are counted.
func (d Date) IsBusinessDay() bool { return d.isBusinessDay() }
