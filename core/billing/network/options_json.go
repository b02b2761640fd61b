package network

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Option is an option of a connection's document, and the variable that has it. It is a row
// of a table: reading, writing and documentation follow from it.
type Option struct {
	name     string
	standard string // the default, as in a document
	about    string
	want     string // what a value must be

	read func(value json.RawMessage) bool // sets the field, and reports whether the value is valid
	show func() any                       // returns the value for a document, or nil for the default
}

// table lists every option with its field in o. Reading, writing and the documentation
// of options follow from it.
func (o *Options) table() []Option {
	return []Option{
		Choice(&o.TraceByExchange, "trace_echo", "Whether a 271 must repeat the trace number of its 270 (TRN02), or is accepted because it came as the reply.",
			Named(false, "strict"), Named(true, "exchange")),
		number(&o.Checks, "checks_at_once", "How many checks of batches a payer is asked at once.", 1, maxChecksAtOnce, coverage.LaneChecks),
		flag(&o.NoRepeat, "repeat", true, "Whether a payer that did not respond to a check of a batch is asked again, after 5 minutes or more."),
		list(&o.ServiceTypes, "service_types", `["35"]`, "The service types that a check asks about (EQ01).",
			"a list of 1 to 10 service type codes, such as 35", 10, serviceTypeForm.MatchString),
		flag(&o.TypesTogether, "one_service_type_per_request", true, "Whether each service type has a 270 of its own."),
		flag(&o.NoProcedures, "procedures_in_inquiries", true, "Whether a 270 names procedures by their CDT codes (EQ02)."),
		flag(&o.ClaimDate, "claim_service_date", false, "Whether the claim states a service date (DTP*472 of loop 2300), the first one of its lines."),
		Choice(&o.LineDates, "line_service_dates", "Which lines state their service date (DTP*472 of loop 2400); different needs claim_service_date.",
			Named(LineDatesAlways, "always"), Named(LineDatesDifferent, "")),
		Choice(&o.Taxonomy, "billing_taxonomy", "Whose taxonomy the billing provider states (PRV*BI): the office's; always, else the rendering provider's; only if it renders the services; none.",
			Named(TaxonomyOfOffice, "office"), Named(TaxonomyAlways, ""), Named(TaxonomyIfRendering, ""), Named(TaxonomyNever, "")),
		option(&o.Filings, "filing_indicators", "{}", "The filing indicators (SBR09) of payers by their payer IDs. Others have the one of the payer directory.",
			"an object of payer IDs and codes, such as CI, of "+directory.Filings, readFilings, nil),
		flag(&o.SubscriberAddressAsPatient, "subscriber_address_always", true,
			"Whether a subscriber who is not the patient has an address, a date of birth and a gender (loop 2010BA)."),
		flag(&o.RenderingIfOther, "rendering_provider_always", true, "Whether a rendering provider with the NPI of the billing provider is stated (loop 2310B)."),
		number(&o.Notes, "max_notes", "The most notes (NTE) of a claim, of 80 characters each.", 1, maxNotes, maxNotes),
		option(&o.NoReferences, "provider_references", `["G2","LU","0B"]`,
			"The kinds of provider numbers that the network takes (REF): by payer (G2), by location (LU), licenses (0B).",
			"a list of G2, LU and 0B, each at most once, or an empty list", readReferences,
			func(refused []ProviderReference) any { return otherReferences(refused) }),
		option(&o.ProviderNumbers, "provider_numbers", "[]",
			"The numbers of offices and dentists by NPI, and by payer ID if they are for one payer. They precede those of an office itself.",
			`a list of at most 1000 objects such as {"npi": "1234567893", "payer_id": "CHTEST", "reference": "G2", "number": "A100"}: a valid NPI, `+
				"a reference of G2, LU and 0B, and a number of at most 50 letters, digits, spaces, points and dashes; payer_id may be left out, "+
				"and no two may differ in the number alone", readProviderNumbers, nil),
		number(&o.NumberLength, "claim_number_length", "The longest control number of a claim (CLM01). A claim with a longer one is sent with a number that Molar derives and finds again.",
			minNumberLength, maxNumberLength, maxNumberLength),
		Choice(&o.PlainNumbers, "claim_number_characters", "The characters of a control number. A claim with others is sent with a number that Molar derives and finds again.",
			Named(false, "letters_digits_dashes"), Named(true, "letters_digits")),
		party(&o.GroupSender, "group_sender_id", "The sender of the functional group (GS02). By default it is the connection's sender_id.", maxGroupID),
		party(&o.GroupReceiver, "group_receiver_id", "The receiver of the functional group (GS03). By default it is the connection's receiver_id.", maxGroupID),
		party(&o.SubmitterName, "submitter_name", "The name of the submitter of a file of claims (NM103 of loop 1000A). By default it is the connection's sender_id.", maxPartyName),
		party(&o.SubmitterID, "submitter_id", "The ID of the submitter of a file of claims (NM109 of loop 1000A). By default it is the connection's sender_id.", maxPartyID),
		party(&o.ReceiverName, "file_receiver_name", "The name of the receiver of a file of claims (NM103 of loop 1000B). By default it is the connection's receiver_id.", maxPartyName),
		party(&o.ReceiverID, "file_receiver_id", "The ID of the receiver of a file of claims (NM109 of loop 1000B). By default it is the connection's receiver_id.", maxPartyID),
		number(&o.Claims, "batch_size", "The most claims of a batch.", 1, clearing.MaxBatchClaims, clearing.MaxBatchClaims),
		option(&o.Schedule, "batch_schedule", "null", "When batches leave. By default they leave whenever the service cuts batches (MOLAR_BATCH_INTERVAL).",
			`null, {"every": "15m"} with a duration from 1m to 24h, or {"at": ["09:00", "17:00"], "time_zone": "America/New_York"} `+
				"with 1 to 24 times of day", readSchedule, showSchedule),
		Text(&o.FilePattern, "file_name", DefaultFilePattern,
			"The names of batches: {time} is the millisecond in 17 digits, {serial} the control number in 9 digits, {date} the day in 8 digits, {usage} P or T.",
			"a name with {time} or {serial}, perhaps {date} and {usage}, and letters, digits, underscores, points and dashes; "+
				"it must not start with a point or a dash, and a file's name may have at most 100 characters", validPattern),
		span(&o.PollInterval, "poll_interval", "How often the network is asked for files.", time.Second, 24*time.Hour, billing.NetworkPoll),
		list(&o.Acknowledgements, "acknowledgements", `["999","277CA"]`, "The files that the network sends about a batch. One that does not come is overdue. Text stands for reports in the network's own form: Molar keeps them for people, and waits for none.",
			"a list of TA1, 997, 999, 277CA and text, each at most once", 5, expectable),
		span(&o.AcknowledgementAfter, "acknowledgement_after", "How long after a batch was sent its acknowledgements are overdue: see molar batches list.",
			time.Second, 30*24*time.Hour, billing.AcknowledgementsAfter),
	}
}

// OptionDoc describes an option for people.
type OptionDoc struct{ Name, Default, About string }

// OptionDocs describes the options of every connection, in the order of Options.
func OptionDocs() []OptionDoc { return describe(new(Options).table()) }

func describe(table []Option) (all []OptionDoc) {
	for _, o := range table {
		all = append(all, OptionDoc{o.name, o.standard, o.about + " The value must be " + o.want + "."})
	}
	return all
}

// ReadOptions reads the options of a connection's document: those of every connection, and
// the kind's own into their variables. At precedes the names of fields in faults, such as
// "options.". Options that the document leaves out have their defaults.
func ReadOptions(doc []byte, own []Option, at string) (o Options, f billing.Faults) {
	all := append(o.table(), own...)
	fault := readObject(doc, func(name string, value json.RawMessage, twice bool) {
		i := slices.IndexFunc(all, func(o Option) bool { return o.name == name })
		switch {
		case i < 0:
			f.Add(at+name, billing.FaultUnknown, "There is no such option. Remove it, or use one of "+optionNames(all)+".")
		case twice:
			f.Add(at+name, billing.FaultConflict, "It is a duplicate option. Remove one of them.")
		case !all[i].read(value):
			f.Add(at+name, billing.FaultFormat, "The value must be "+all[i].want+".")
		}
	})
	if fault {
		f.Add(strings.TrimSuffix(at, "."), billing.FaultType, "The options must be a JSON object.")
	}
	if o.LineDates == LineDatesDifferent && !o.ClaimDate {
		f.Add(at+"line_service_dates", billing.FaultNotAllowed, "The value different needs claim_service_date true, or some lines would have no date.")
	}
	if len(f) > 0 {
		return Options{}, f
	}
	return o, nil
}

func optionNames(all []Option) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].name
	}
	return strings.Join(names, ", ")
}

// MarshalJSON writes the options that are not the defaults, as in a document.
func (o Options) MarshalJSON() ([]byte, error) {
	out := map[string]any{}
	for name, v := range o.Own {
		out[name] = v
	}
	for _, each := range o.table() {
		if v := each.show(); v != nil {
			out[each.name] = v
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the options of a document. Those that not every connection has are
// in Own.
func (o *Options) UnmarshalJSON(doc []byte) error {
	var read Options
	var f billing.Faults
	table := read.table()
	fault := readObject(doc, func(name string, value json.RawMessage, _ bool) {
		switch i := slices.IndexFunc(table, func(o Option) bool { return o.name == name }); {
		case i < 0:
			if read.Own == nil {
				read.Own = map[string]json.RawMessage{}
			}
			read.Own[name] = value
		case !table[i].read(value):
			f.Add("options."+name, billing.FaultFormat, "The value must be "+table[i].want+".")
		}
	})
	if fault {
		f.Add("options", billing.FaultType, "The options must be a JSON object.")
	}
	if len(f) > 0 {
		return f.Err()
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
