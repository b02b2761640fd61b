package network

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// The longest values of the ends of groups and files, in characters.
const (
	maxGroupID   = 15
	maxPartyName = 60
	maxPartyID   = 80
)

var (
	identifierForm  = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z .,/&'()-]*$`)
	serviceTypeForm = regexp.MustCompile(`^[0-9A-Z]{1,2}$`)
	referenceForm   = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z .-]{0,49}$`) // REF02
	filePatternForm = regexp.MustCompile(`^[0-9A-Za-z_{][0-9A-Za-z_.{}-]*$`)
)

// expectable reports whether a network can send the kind of file about a batch.
func expectable(kind string) bool {
	switch clearing.AcknowledgementKind(kind) {
	case clearing.AcknowledgementTA1, clearing.Acknowledgement997, clearing.Acknowledgement999, clearing.Acknowledgement277CA, clearing.AcknowledgementText:
		return true
	case clearing.Acknowledgement277:
	}
	return false
}

func readFilings(doc json.RawMessage) (all map[string]string, ok bool) {
	ok = true
	fault := readObject(doc, func(payer string, value json.RawMessage, twice bool) {
		var code string
		ok = ok && decode(value, &code) && directory.ValidFiling(code) && payer != "" && !twice
		if all == nil {
			all = map[string]string{}
		}
		all[strings.ToUpper(payer)] = code
	})
	return all, ok && !fault
}

func allReferences() []ProviderReference {
	return []ProviderReference{ReferencePayer, ReferenceLocation, ReferenceLicense}
}

// otherReferences returns the kinds that a list does not have.
func otherReferences(all []ProviderReference) (others []ProviderReference) {
	return slices.DeleteFunc(allReferences(), func(r ProviderReference) bool { return slices.Contains(all, r) })
}

// readReferences returns the kinds that a document leaves out.
func readReferences(doc json.RawMessage) (refused []ProviderReference, ok bool) {
	var taken []ProviderReference
	ok = decode(doc, &taken) && !claim.Repeats(taken)
	for _, one := range taken {
		ok = ok && slices.Contains(allReferences(), one)
	}
	if len(taken) < len(allReferences()) {
		refused = otherReferences(taken)
	}
	return refused, ok
}

// maxNetworkNumbers is the most provider numbers of a connection.
const maxNetworkNumbers = 1000

func readProviderNumbers(doc json.RawMessage) (all []ProviderNumber, ok bool) {
	var docs []json.RawMessage
	if !decode(doc, &docs) || len(docs) > maxNetworkNumbers {
		return nil, false
	}
	known := map[ProviderNumber]bool{}
	for _, each := range docs {
		n, ok := readProviderNumber(each)
		key := ProviderNumber{n.NPI, strings.ToUpper(n.PayerID), n.Reference, ""}
		if !ok || known[key] {
			return nil, false
		}
		known[key] = true
		all = append(all, n)
	}
	return all, true
}

func readProviderNumber(doc json.RawMessage) (n ProviderNumber, ok bool) {
	ok = true
	fault := readObject(doc, func(name string, value json.RawMessage, twice bool) {
		field := map[string]any{"npi": &n.NPI, "payer_id": &n.PayerID, "reference": &n.Reference, "number": &n.Number}[name]
		ok = ok && field != nil && !twice && decode(value, field)
	})
	return n, ok && !fault && directory.ValidNPI(n.NPI) && slices.Contains(allReferences(), n.Reference) && referenceForm.MatchString(n.Number)
}

// The limits of a schedule.
const (
	leastBatchPause = time.Minute
	mostBatchPause  = 24 * time.Hour
	maxBatchTimes   = 24
)

func readSchedule(doc json.RawMessage) (s Schedule, ok bool) {
	if string(doc) == "null" {
		return s, true
	}
	ok = true
	fault := readObject(doc, func(name string, value json.RawMessage, twice bool) {
		valid := !twice
		switch name {
		case "every":
			d, inRange := readSpan(value, leastBatchPause, mostBatchPause)
			s.Every, valid = d, valid && inRange
		case "at":
			var times []string
			valid = valid && decode(value, &times) && len(times) >= 1 && len(times) <= maxBatchTimes
			for _, text := range times {
				t, err := time.Parse("15:04", text)
				valid = valid && err == nil
				s.At = append(s.At, DayTime(t.Hour()*60+t.Minute()))
			}
		case "time_zone":
			valid = valid && decode(value, &s.TimeZone)
		default:
			valid = false
		}
		ok = ok && valid
	})
	_, err := time.LoadLocation(s.TimeZone)
	known := err == nil && s.TimeZone != "" && s.TimeZone != "Local"
	return s, ok && !fault && (s.Every > 0) == (len(s.At) == 0) && (len(s.At) > 0) == known && (s.TimeZone == "" || known)
}

func showSchedule(s Schedule) any {
	if s.Every > 0 {
		return map[string]any{"every": spanText(s.Every)}
	}
	at := make([]string, len(s.At))
	for i, t := range s.At {
		at[i] = fmt.Sprintf("%02d:%02d", int(t)/60, int(t)%60)
	}
	return map[string]any{"at": at, "time_zone": s.TimeZone}
}

// maxFileName is the longest name of a file, in characters.
const maxFileName = 100

func validPattern(s string) bool {
	plain := strings.NewReplacer(placeTime, strings.Repeat("0", 17), placeSerial, strings.Repeat("0", 9), placeDate, strings.Repeat("0", 8), placeUsage, "T").Replace(s)
	return filePatternForm.MatchString(s) && !strings.ContainsAny(plain, "{}") && len(plain) <= maxFileName &&
		(strings.Contains(s, placeTime) || strings.Contains(s, placeSerial))
}
