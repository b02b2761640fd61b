package billing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// networkOption is an option in a connection's document.
type networkOption struct {
	name     string
	standard string // the default, as in a document
	about    string
	want     string // what a value must be

	// read sets the option to a value, and reports whether the value is a valid one.
	read func(o *NetworkOptions, value json.RawMessage) bool

	// show returns the value for a document, or nil for the default.
	show func(o *NetworkOptions) any
}

// NetworkOptionDoc describes an option for people.
type NetworkOptionDoc struct{ Name, Default, About string }

// NetworkOptionDocs describes every option, in the order of NetworkOptions.
func NetworkOptionDocs() (all []NetworkOptionDoc) {
	for _, o := range networkOptions() {
		all = append(all, NetworkOptionDoc{o.name, o.standard, o.about + " The value must be " + o.want + "."})
	}
	return all
}

func networkOptions() []networkOption {
	return []networkOption{
		choice("trace_echo", "Whether a 271 must repeat the trace number of its 270 (TRN02), or is accepted because it came as the reply.",
			func(o *NetworkOptions) *bool { return &o.TraceByExchange }, named(false, "strict"), named(true, "exchange")),
		choice("payload_id_echo", "Whether a reply of CAQH CORE must repeat the PayloadID of the request if it has one, or is accepted with another.",
			func(o *NetworkOptions) *bool { return &o.PayloadIDByExchange }, named(false, "strict"), named(true, "exchange")),
		choice("reference_echo", "Whether a 271 must repeat the reference of its 270 (BHT03) if it has one, or is accepted with another.",
			func(o *NetworkOptions) *bool { return &o.ReferenceByExchange }, named(false, "strict"), named(true, "exchange")),
		form("payload_type", COREPayloadType, "The PayloadType of a 270 over CAQH CORE.",
			"1 to 80 letters, digits, points, dashes and underscores", func(o *NetworkOptions) *string { return &o.PayloadType }, payloadTypeForm),
		choice("soap_content_type", "The Content-Type of SOAP messages over CAQH CORE.",
			func(o *NetworkOptions) *bool { return &o.TextXML }, named(false, "application/soap+xml"), named(true, "text/xml")),
		choice("soap_action_header", "Another header that carries the action of SOAP messages over CAQH CORE.",
			func(o *NetworkOptions) *ActionHeader { return &o.ActionHeader }, named(ActionHeaderNone, "none"), named(ActionHeaderSOAP, ""), named(ActionHeaderWord, "")),
		list("service_types", `["35"]`, "The service types that a check asks about (EQ01).",
			"a list of 1 to 10 service type codes, such as 35", 10, func(o *NetworkOptions) *[]string { return &o.ServiceTypes },
			serviceTypeForm.MatchString),
		flag("one_service_type_per_request", true, "Whether each service type has a 270 of its own.",
			func(o *NetworkOptions) *bool { return &o.TypesTogether }),
		flag("procedures_in_inquiries", true, "Whether a 270 names procedures by their CDT codes (EQ02).",
			func(o *NetworkOptions) *bool { return &o.NoProcedures }),
		flag("claim_service_date", false, "Whether the claim states a service date (DTP*472 of loop 2300), the first one of its lines.",
			func(o *NetworkOptions) *bool { return &o.ClaimDate }),
		choice("line_service_dates", "Which lines state their service date (DTP*472 of loop 2400); different needs claim_service_date.",
			func(o *NetworkOptions) *LineDates { return &o.LineDates }, named(LineDatesAlways, "always"), named(LineDatesDifferent, "")),
		choice("billing_taxonomy", "Whose taxonomy the billing provider states (PRV*BI): the office's; always, else the rendering provider's; only if it renders the services; none.",
			func(o *NetworkOptions) *TaxonomyUse { return &o.Taxonomy }, named(TaxonomyOfOffice, "office"),
			named(TaxonomyAlways, ""), named(TaxonomyIfRendering, ""), named(TaxonomyNever, "")),
		filingIndicators(),
		flag("subscriber_address_always", true, "Whether a subscriber who is not the patient has an address, a date of birth and a gender (loop 2010BA).",
			func(o *NetworkOptions) *bool { return &o.SubscriberAddressAsPatient }),
		flag("rendering_provider_always", true, "Whether a rendering provider with the NPI of the billing provider is stated (loop 2310B).",
			func(o *NetworkOptions) *bool { return &o.RenderingIfOther }),
		number("max_notes", "The most notes (NTE) of a claim, of 80 characters each.", 1, maxNotes, maxNotes,
			func(o *NetworkOptions) *int { return &o.Notes }),
		providerReferences(),
		providerNumbers(),
		number("claim_number_length", "The longest control number of a claim (CLM01). A claim with a longer one is sent with a number that Molar derives and finds again.",
			minNumberLength, maxNumberLength, maxNumberLength, func(o *NetworkOptions) *int { return &o.NumberLength }),
		choice("claim_number_characters", "The characters of a control number. A claim with others is sent with a number that Molar derives and finds again.",
			func(o *NetworkOptions) *bool { return &o.PlainNumbers }, named(false, "letters_digits_dashes"), named(true, "letters_digits")),
		text("group_sender_id", "The sender of the functional group (GS02). By default it is the connection's sender_id.", maxGroupID,
			func(o *NetworkOptions) *string { return &o.GroupSender }),
		text("group_receiver_id", "The receiver of the functional group (GS03). By default it is the connection's receiver_id.", maxGroupID,
			func(o *NetworkOptions) *string { return &o.GroupReceiver }),
		text("submitter_name", "The name of the submitter of a file of claims (NM103 of loop 1000A). By default it is the connection's sender_id.", maxPartyName,
			func(o *NetworkOptions) *string { return &o.SubmitterName }),
		text("submitter_id", "The ID of the submitter of a file of claims (NM109 of loop 1000A). By default it is the connection's sender_id.", maxPartyID,
			func(o *NetworkOptions) *string { return &o.SubmitterID }),
		text("file_receiver_name", "The name of the receiver of a file of claims (NM103 of loop 1000B). By default it is the connection's receiver_id.", maxPartyName,
			func(o *NetworkOptions) *string { return &o.ReceiverName }),
		text("file_receiver_id", "The ID of the receiver of a file of claims (NM109 of loop 1000B). By default it is the connection's receiver_id.", maxPartyID,
			func(o *NetworkOptions) *string { return &o.ReceiverID }),
		number("batch_size", "The most claims of a batch.", 1, MaxBatchClaims, MaxBatchClaims, func(o *NetworkOptions) *int { return &o.Claims }),
		batchSchedule(),
		filePattern(),
		span("poll_interval", "How often the network is asked for files.", time.Second, 24*time.Hour, NetworkPoll,
			func(o *NetworkOptions) *time.Duration { return &o.PollInterval }),
		list("acknowledgements", `["999","277CA"]`, "The files that the network sends about a batch. Text stands for reports in the network's own form.",
			"a list of TA1, 997, 999, 277CA and text, each at most once", 5,
			func(o *NetworkOptions) *[]AcknowledgementKind { return &o.Acknowledgements }, expectable),
		choice("after_receipt", "What happens at the network to a file after its import. Default archives it if the connection has an archive folder, and else keeps it.",
			func(o *NetworkOptions) *AfterReceipt { return &o.AfterReceipt }, named(ReceiptDefault, "default"), named(ReceiptArchive, ""),
			named(ReceiptDelete, ""), named(ReceiptKeep, "")),
	}
}

// ReadNetworkOptions reads the options of a connection's document. At precedes the
// names of fields in faults, such as "options.". Options that the document leaves out
// have their defaults.
func ReadNetworkOptions(doc []byte, at string) (o NetworkOptions, f Faults) {
	all := networkOptions()
	fault := readObject(doc, func(name string, value json.RawMessage, twice bool) {
		i := slices.IndexFunc(all, func(o networkOption) bool { return o.name == name })
		switch {
		case i < 0:
			f.Add(at+name, FaultUnknown, "There is no such option. Remove it, or use one of "+optionNames(all)+".")
		case twice:
			f.Add(at+name, FaultConflict, "The option is there twice. Remove one of them.")
		case !all[i].read(&o, value):
			f.Add(at+name, FaultFormat, "The value must be "+all[i].want+".")
		}
	})
	if fault {
		f.Add(strings.TrimSuffix(at, "."), FaultType, "The options must be a JSON object.")
	}
	if o.LineDates == LineDatesDifferent && !o.ClaimDate {
		f.Add(at+"line_service_dates", FaultNotAllowed, "The value different needs claim_service_date true, or some lines would have no date.")
	}
	if len(f) > 0 {
		return NetworkOptions{}, f
	}
	return o, nil
}

func optionNames(all []networkOption) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].name
	}
	return strings.Join(names, ", ")
}

// MarshalJSON writes the options that are not the defaults, as in a document.
func (o NetworkOptions) MarshalJSON() ([]byte, error) {
	out := map[string]any{}
	for _, each := range networkOptions() {
		if v := each.show(&o); v != nil {
			out[each.name] = v
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the options of a document.
func (o *NetworkOptions) UnmarshalJSON(doc []byte) error {
	read, faults := ReadNetworkOptions(doc, "options.")
	if len(faults) > 0 {
		return faults.Err()
	}
	*o = read
	return nil
}

// readObject calls member for each member of a JSON object. It reports a fault if the
// text is not one object.
func readObject(doc []byte, member func(name string, value json.RawMessage, twice bool)) (fault bool) {
	in := json.NewDecoder(bytes.NewReader(doc))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return true
	}
	known := map[string]bool{}
	for in.More() {
		token, err := in.Token()
		name, isName := token.(string)
		var value json.RawMessage
		if err != nil || !isName || in.Decode(&value) != nil {
			return true
		}
		member(name, value, known[name])
		known[name] = true
	}
	if _, err := in.Token(); err != nil {
		return true
	}
	_, err := in.Token()
	return err != io.EOF
}

// decode reads a JSON value that is not null into to.
func decode(value json.RawMessage, to any) bool {
	return string(value) != "null" && json.Unmarshal(value, to) == nil
}

// flag is an option that is true or false. The field has the value that is not the
// default as true.
func flag(name string, standard bool, about string, field func(*NetworkOptions) *bool) networkOption {
	return networkOption{
		name: name, standard: strconv.FormatBool(standard), about: about, want: "true or false",
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			var v bool
			ok := decode(value, &v)
			*field(o) = v != standard
			return ok
		},
		show: func(o *NetworkOptions) any {
			if !*field(o) {
				return nil
			}
			return !standard
		},
	}
}

// word is a value of a choice with its name in documents.
type word[T comparable] struct {
	value T
	name  string
}

// named names a value of a choice. Without a name the value, a string, is its own.
func named[T comparable](value T, name string) word[T] {
	if name == "" {
		name = fmt.Sprint(value)
	}
	return word[T]{value, name}
}

// choice is an option with one of several values. The first one is the default.
func choice[T comparable](name, about string, field func(*NetworkOptions) *T, words ...word[T]) networkOption {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = w.name
	}
	return networkOption{
		name: name, standard: strconv.Quote(names[0]), about: about, want: "one of " + strings.Join(names, ", "),
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			var v string
			i := -1
			if decode(value, &v) {
				i = slices.Index(names, v)
			}
			if i >= 0 {
				*field(o) = words[i].value
			}
			return i >= 0
		},
		show: func(o *NetworkOptions) any {
			i := slices.IndexFunc(words, func(w word[T]) bool { return w.value == *field(o) })
			if i <= 0 {
				return nil
			}
			return names[i]
		},
	}
}

// form is an option that is text of a form. A field with the default is empty.
func form(name, standard, about, want string, field func(*NetworkOptions) *string, of *regexp.Regexp) networkOption {
	return networkOption{
		name: name, standard: strconv.Quote(standard), about: about, want: want,
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			var v string
			ok := decode(value, &v) && of.MatchString(v)
			if v != standard {
				*field(o) = v
			}
			return ok
		},
		show: func(o *NetworkOptions) any {
			if *field(o) == "" {
				return nil
			}
			return *field(o)
		},
	}
}

// number is an option that is a whole number. A field with the default is 0.
func number(name, about string, least, most, standard int, field func(*NetworkOptions) *int) networkOption {
	return networkOption{
		name: name, standard: strconv.Itoa(standard), about: about, want: fmt.Sprintf("a whole number from %d to %d", least, most),
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			var v int
			ok := decode(value, &v) && v >= least && v <= most
			if v != standard {
				*field(o) = v
			}
			return ok
		},
		show: func(o *NetworkOptions) any {
			if *field(o) == 0 {
				return nil
			}
			return *field(o)
		},
	}
}

// span is an option that is a duration. A field with the default is 0.
func span(name, about string, least, most, standard time.Duration, field func(*NetworkOptions) *time.Duration) networkOption {
	return networkOption{
		name: name, standard: strconv.Quote(spanText(standard)), about: about,
		want: fmt.Sprintf("a duration from %s to %s, such as 90s or 5m", spanText(least), spanText(most)),
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			v, ok := readSpan(value, least, most)
			if v != standard {
				*field(o) = v
			}
			return ok
		},
		show: func(o *NetworkOptions) any {
			if *field(o) == 0 {
				return nil
			}
			return spanText(*field(o))
		},
	}
}

func readSpan(value json.RawMessage, least, most time.Duration) (time.Duration, bool) {
	var text string
	if !decode(value, &text) {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= least && d <= most
}

// spanText returns a duration without the zeros at its end, such as 24h.
func spanText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// The longest values of the ends of groups and files, in characters.
const (
	maxGroupID   = 15
	maxPartyName = 60
	maxPartyID   = 80
)

var identifierForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z .,/&'()-]*$`)

// text is an option that is a name or an ID. The default is the empty text.
func text(name, about string, most int, field func(*NetworkOptions) *string) networkOption {
	return networkOption{
		name: name, standard: `""`, about: about,
		want: fmt.Sprintf("at most %d letters, digits, spaces and characters of .,/&'()- that start with a letter or a digit, or empty for the default", most),
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			var v string
			ok := decode(value, &v) && (v == "" || len(v) <= most && identifierForm.MatchString(v))
			*field(o) = v
			return ok
		},
		show: func(o *NetworkOptions) any {
			if *field(o) == "" {
				return nil
			}
			return *field(o)
		},
	}
}

// list is an option that is a list of different words. A field with the default is nil.
func list[T ~string](
	name, standard, about, want string, most int, field func(*NetworkOptions) *[]T, valid func(string) bool,
) networkOption {
	return networkOption{
		name: name, standard: standard, about: about, want: want,
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			var v []T
			ok := decode(value, &v) && len(v) >= 1 && len(v) <= most
			for i, one := range v {
				ok = ok && valid(string(one)) && !slices.Contains(v[:i], one)
			}
			if compact, err := json.Marshal(v); err != nil || string(compact) != standard {
				*field(o) = v
			}
			return ok
		},
		show: func(o *NetworkOptions) any {
			if len(*field(o)) == 0 {
				return nil
			}
			return *field(o)
		},
	}
}

var (
	payloadTypeForm = regexp.MustCompile(`^[0-9A-Za-z._-]{1,80}$`)
	serviceTypeForm = regexp.MustCompile(`^[0-9A-Z]{1,2}$`)
	referenceForm   = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z .-]{0,49}$`) // REF02
)

func expectable(kind string) bool {
	switch AcknowledgementKind(kind) {
	case AcknowledgementTA1, Acknowledgement997, Acknowledgement999, Acknowledgement277CA, AcknowledgementText:
		return true
	case Acknowledgement277:
	}
	return false
}

func filingIndicators() networkOption {
	return networkOption{
		name: "filing_indicators", standard: "{}",
		about: "The filing indicators (SBR09) of payers by their payer IDs. Others have the one of the payer directory.",
		want:  "an object of payer IDs and codes, such as CI, of " + filings,
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			ok := true
			fault := readObject(value, func(payer string, value json.RawMessage, twice bool) {
				var code string
				ok = ok && decode(value, &code) && ValidFiling(code) && payer != "" && !twice
				if o.Filings == nil {
					o.Filings = map[string]string{}
				}
				o.Filings[strings.ToUpper(payer)] = code
			})
			return ok && !fault
		},
		show: func(o *NetworkOptions) any {
			if len(o.Filings) == 0 {
				return nil
			}
			return o.Filings
		},
	}
}

func allReferences() []ProviderReference {
	return []ProviderReference{ReferencePayer, ReferenceLocation, ReferenceLicense}
}

func providerReferences() networkOption {
	return networkOption{
		name: "provider_references", standard: `["G2","LU","0B"]`,
		about: "The kinds of provider numbers that the network takes (REF): by payer (G2), by location (LU), licenses (0B).",
		want:  "a list of G2, LU and 0B, each at most once, or an empty list",
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			var v []ProviderReference
			ok := decode(value, &v)
			for i, one := range v {
				ok = ok && slices.Contains(allReferences(), one) && !slices.Contains(v[:i], one)
			}
			for _, one := range allReferences() {
				if !slices.Contains(v, one) {
					o.NoReferences = append(o.NoReferences, one)
				}
			}
			return ok
		},
		show: func(o *NetworkOptions) any {
			if len(o.NoReferences) == 0 {
				return nil
			}
			return slices.DeleteFunc(allReferences(), func(r ProviderReference) bool { return slices.Contains(o.NoReferences, r) })
		},
	}
}

// maxNetworkNumbers is the most provider numbers of a connection.
const maxNetworkNumbers = 1000

func providerNumbers() networkOption {
	return networkOption{
		name: "provider_numbers", standard: "[]",
		about: "The numbers of offices and dentists by NPI, and by payer ID if they are for one payer. They precede those of an office itself.",
		want: `a list of at most 1000 objects such as {"npi": "1234567893", "payer_id": "CHTEST", "reference": "G2", "number": "A100"}: a valid NPI, ` +
			"a reference of G2, LU and 0B, and a number of at most 50 letters, digits, spaces, points and dashes; payer_id may be left out, " +
			"and no two may differ in the number alone",
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			var all []json.RawMessage
			if !decode(value, &all) || len(all) > maxNetworkNumbers {
				return false
			}
			known := map[NetworkProviderNumber]bool{}
			for _, each := range all {
				n, ok := readProviderNumber(each)
				key := NetworkProviderNumber{n.NPI, strings.ToUpper(n.PayerID), n.Reference, ""}
				if !ok || known[key] {
					return false
				}
				known[key] = true
				o.ProviderNumbers = append(o.ProviderNumbers, n)
			}
			return true
		},
		show: func(o *NetworkOptions) any {
			if len(o.ProviderNumbers) == 0 {
				return nil
			}
			return o.ProviderNumbers
		},
	}
}

func readProviderNumber(doc json.RawMessage) (n NetworkProviderNumber, ok bool) {
	ok = true
	fault := readObject(doc, func(name string, value json.RawMessage, twice bool) {
		field := map[string]any{"npi": &n.NPI, "payer_id": &n.PayerID, "reference": &n.Reference, "number": &n.Number}[name]
		ok = ok && field != nil && !twice && decode(value, field)
	})
	return n, ok && !fault && ValidNPI(n.NPI) && slices.Contains(allReferences(), n.Reference) && referenceForm.MatchString(n.Number)
}

// The limits of a schedule.
const (
	leastBatchPause = time.Minute
	mostBatchPause  = 24 * time.Hour
	maxBatchTimes   = 24
)

func batchSchedule() networkOption {
	return networkOption{
		name: "batch_schedule", standard: "null",
		about: "When batches leave. By default they leave whenever the service cuts batches (MOLAR_BATCH_INTERVAL).",
		want: `null, {"every": "15m"} with a duration from 1m to 24h, or {"at": ["09:00", "17:00"], "time_zone": "America/New_York"} ` +
			"with 1 to 24 times of day",
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			if string(value) == "null" {
				return true
			}
			var ok bool
			o.Schedule, ok = readSchedule(value)
			return ok
		},
		show: func(o *NetworkOptions) any {
			s := &o.Schedule
			switch {
			case s.Every > 0:
				return map[string]any{"every": spanText(s.Every)}
			case len(s.At) == 0:
				return nil
			}
			at := make([]string, len(s.At))
			for i, t := range s.At {
				at[i] = fmt.Sprintf("%02d:%02d", int(t)/60, int(t)%60)
			}
			return map[string]any{"at": at, "time_zone": s.TimeZone}
		},
	}
}

func readSchedule(doc json.RawMessage) (s BatchSchedule, ok bool) {
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

// maxFileName is the longest name of a file, in characters.
const maxFileName = 100

var filePatternForm = regexp.MustCompile(`^[0-9A-Za-z_{][0-9A-Za-z_.{}-]*$`)

func filePattern() networkOption {
	return networkOption{
		name: "file_name", standard: strconv.Quote(DefaultFilePattern),
		about: "The names of batches: {time} is the millisecond in 17 digits, {serial} the control number in 9 digits, {date} the day in 8 digits, {usage} P or T.",
		want: "a name with {time} or {serial}, perhaps {date} and {usage}, and letters, digits, underscores, points and dashes; " +
			"it must not start with a point or a dash, and a file's name may have at most 100 characters",
		read: func(o *NetworkOptions, value json.RawMessage) bool {
			var v string
			if !decode(value, &v) || !validPattern(v) {
				return false
			}
			if v != DefaultFilePattern {
				o.FilePattern = v
			}
			return true
		},
		show: func(o *NetworkOptions) any {
			if o.FilePattern == "" {
				return nil
			}
			return o.FilePattern
		},
	}
}

func validPattern(s string) bool {
	plain := strings.NewReplacer(placeTime, strings.Repeat("0", 17), placeSerial, strings.Repeat("0", 9), placeDate, strings.Repeat("0", 8), placeUsage, "T").Replace(s)
	return filePatternForm.MatchString(s) && !strings.ContainsAny(plain, "{}") && len(plain) <= maxFileName &&
		(strings.Contains(s, placeTime) || strings.Contains(s, placeSerial))
}
