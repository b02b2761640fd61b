package billing

import (
	"errors"
	"regexp"
	"strconv"
	"time"
)

// errMalformedDuration is the error of ParseDuration.
var errMalformedDuration = errors.New("malformed duration")

// durationForm has the parts of an ISO 8601 duration that have a length, none so long that
// their sum overflows.
var durationForm = regexp.MustCompile(`^P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})(?:\.(\d{1,6}))?S)?)?$`)

// ParseDuration reads an ISO 8601 duration, such as P14D, PT90S or P2DT3H. A day has 24
// hours. Years and months are refused, because they have no length.
func ParseDuration(text string) (d time.Duration, err error) {
	m := durationForm.FindStringSubmatch(text)
	if m == nil || text == "P" || m[3] == "T" {
		return 0, errMalformedDuration
	}
	for i, unit := range map[int]time.Duration{1: 7 * 24 * time.Hour, 2: 24 * time.Hour, 4: time.Hour, 5: time.Minute, 6: time.Second} {
		n, _ := strconv.ParseInt("0"+m[i], 10, 64) // digits only
		d += time.Duration(n) * unit
	}
	micros, _ := strconv.ParseInt((m[7] + "000000")[:6], 10, 64)
	return d + time.Duration(micros)*time.Microsecond, nil
}
