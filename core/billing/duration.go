package billing

import (
	"errors"
	"regexp"
	"strconv"
	"time"
)

// ErrMalformedDuration is the error of ParseDuration.
var ErrMalformedDuration = errors.New("malformed duration")

// durationForm are the parts of an ISO 8601 duration that have a length.
var durationForm = regexp.MustCompile(`^P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?$`)

// ParseDuration reads an ISO 8601 duration, such as P14D, PT90S or P2DT3H, in whole
// numbers. A day has 24 hours. Years and months are refused, because they have no length.
func ParseDuration(text string) (time.Duration, error) {
	parts := durationForm.FindStringSubmatch(text)
	if parts == nil {
		return 0, ErrMalformedDuration
	}
	var d time.Duration
	given := false
	for i, unit := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if n, err := strconv.Atoi(parts[i+1]); err == nil {
			if time.Duration(n) > (1<<63-1-d)/unit {
				return 0, ErrMalformedDuration
			}
			d, given = d+time.Duration(n)*unit, true
		}
	}
	if !given || text[len(text)-1] == 'T' {
		return 0, ErrMalformedDuration
	}
	return d, nil
}
