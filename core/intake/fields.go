package intake

import "github.com/molar-billing/molar/core/billing"

// optionalID reads an ID that may be left out.
func optionalID[T billing.ID[K], K billing.Kind](f *billing.Faults, field string, value *string, what string) T {
	if value == nil {
		return T{}
	}
	id, err := billing.ParseID[T, K](*value)
	if f.Required(field, *value, 0) && err != nil {
		f.Add(field, billing.FaultFormat, "The "+what+" ID must be "+billing.Prefix[K]()+" and 26 more characters.")
	}
	return id
}

// day reads a required date.
func day(f *billing.Faults, field, value string) billing.Date {
	if !f.Required(field, value, 0) {
		return billing.Date{}
	}
	d, err := billing.ParseDate(value)
	if err != nil {
		f.Add(field, billing.FaultFormat, "The value must be a valid date in the form YYYY-MM-DD.")
	}
	return d
}

// birthday reads a required date of birth.
func birthday(f *billing.Faults, field, value string, today billing.Date) billing.Date {
	if !f.Required(field, value, 0) {
		return billing.Date{}
	}
	d, err := billing.ParseDate(value)
	switch {
	case err != nil:
		f.Add(field, billing.FaultFormat, "The value must be a valid date in the form YYYY-MM-DD.")
	case today.Before(d):
		f.Add(field, billing.FaultRange, "The date of birth must not be in the future.")
	}
	return d
}
