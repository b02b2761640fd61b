package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/molar-billing/molar/core/intake"
)

// TestEnumerations compares every enumeration of the contract, of the schema and of the
// dashboard with the types of the core. It finds them by itself: each must have the
// values of one type exactly, or stand in the table of those that leave some out. A type
// that stands nowhere else is in the list of what stays inside.
func TestEnumerations(t *testing.T) {
	t.Parallel()
	types := goEnumerations(t)
	found := slices.Concat(contractEnumerations(t), schemaEnumerations(t), webEnumerations(t, types))
	if len(types) < 50 || len(found) < 130 {
		t.Errorf("%d types and %d other enumerations; their form has changed", len(types), len(found))
	}
	outside, listed, unknown := map[string]bool{}, maps.Clone(partial), maps.Clone(mixed)
	for _, e := range found {
		_, different := partial[e.place]
		_, mixes := mixed[e.place]
		switch {
		case different:
			delete(listed, e.place)
			outside[partial[e.place].of] = true
			e.differs(t, types, partial[e.place])
		case mixes:
			delete(unknown, e.place)
			e.mixes(t, types, mixed[e.place])
		default:
			e.equals(t, types, outside)
		}
	}
	for place := range listed {
		t.Errorf("%s is listed, and there is no such enumeration", place)
	}
	for place := range unknown {
		t.Errorf("%s is listed, and there is no such enumeration", place)
	}
	for name := range types {
		if inside := slices.Contains(staysInside, name); inside == outside[name] {
			t.Errorf("%s: it is listed as one that stays inside: %t; it is in the contract, the schema or the dashboard: %t", name, inside, outside[name])
		}
	}
}

// enumeration is a sorted set of values at a place.
type enumeration struct {
	place  string // as in the tables below; names of the dashboard without their file, so that one can move
	file   string // of one of the dashboard
	values []string
}

// equals checks that the enumeration has the values of a type, and notes the type.
func (e *enumeration) equals(t *testing.T, types map[string][]string, outside map[string]bool) {
	t.Helper()
	same := false
	for name, values := range types {
		if slices.Equal(values, e.values) {
			same, outside[name] = true, true
		}
	}
	if !same {
		t.Errorf("%s%s has %v, which no type of the core has; the nearest is %s. Change both, or list it in this file",
			e.place, e.file, e.values, nearest(types, e.values))
	}
}

// differs checks that the enumeration differs from its type as listed.
func (e *enumeration) differs(t *testing.T, types map[string][]string, d difference) {
	t.Helper()
	if want := d.values(t, types); !slices.Equal(e.values, want) {
		t.Errorf("%s%s has %v, want %v: those of %s without %q, with %q. Change both, or the table in this file",
			e.place, e.file, e.values, want, d.of, d.without, d.with)
	}
}

// mixes checks that every value is one of a type, or listed.
func (e *enumeration) mixes(t *testing.T, types map[string][]string, listed []string) {
	t.Helper()
	known := slices.Concat(slices.Collect(maps.Values(types))...)
	for _, v := range e.values {
		if !slices.Contains(known, v) && !slices.Contains(listed, v) {
			t.Errorf("%s%s has %q, which no type of the core has", e.place, e.file, v)
		}
	}
}

// difference is an enumeration that differs from a type on purpose.
type difference struct {
	of      string // the type; empty for one that the core does not have
	without []string
	with    []string
}

func (d difference) values(t *testing.T, types map[string][]string) []string {
	t.Helper()
	all := slices.Clone(types[d.of])
	for _, v := range d.without {
		if !slices.Contains(all, v) {
			t.Errorf("%s has no value %q", d.of, v)
		}
	}
	all = slices.DeleteFunc(all, func(v string) bool { return slices.Contains(d.without, v) })
	return sorted(append(all, d.with...))
}

func sorted(all []string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

// nearest names the type that shares most values.
func nearest(types map[string][]string, values []string) (name string) {
	most := -1
	for _, n := range slices.Sorted(maps.Keys(types)) {
		shared := -len(types[n])
		for _, v := range values {
			if slices.Contains(types[n], v) {
				shared += 1000
			}
		}
		if name == "" || shared > most {
			name, most = n, shared
		}
	}
	return name
}

// goEnumerations returns the values of every string type of the core that has several
// constants. The empty value counts as none.
func goEnumerations(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, path := range files(t, ".", ".go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, s := range group.Specs {
				spec := s.(*ast.ValueSpec)
				name, ok := spec.Type.(*ast.Ident)
				if !ok || len(spec.Values) != 1 || !name.IsExported() {
					continue
				}
				value, ok := spec.Values[0].(*ast.BasicLit)
				if !ok || value.Kind != token.STRING {
					continue
				}
				if v, err := strconv.Unquote(value.Value); err == nil && v != "" {
					full := f.Name.Name + "." + name.Name
					all[full] = append(all[full], v)
				}
			}
		}
	}
	maps.DeleteFunc(all, func(_ string, values []string) bool { return len(values) < 2 })
	for _, values := range all {
		slices.Sort(values)
	}
	return all
}

// contractEnumerations returns the enumerations of the contract. Null counts as none.
func contractEnumerations(t *testing.T) (all []enumeration) {
	t.Helper()
	text, err := os.ReadFile("../adapters/httpapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var contract map[string]any
	if err := yaml.Unmarshal(text, &contract); err != nil {
		t.Fatal(err)
	}
	delete(contract["components"].(map[string]any), "examples")
	var walk func(place string, node any)
	walk = func(place string, node any) {
		switch node := node.(type) {
		case map[string]any:
			for key, value := range node {
				values, ok := value.([]any)
				if key != "enum" || !ok {
					walk(place+" "+key, value)
					continue
				}
				var set []string
				for _, v := range values {
					if s, ok := v.(string); ok {
						set = append(set, s)
					}
				}
				if len(set) > 1 {
					all = append(all, enumeration{"openapi.yaml:" + skip.ReplaceAllString(place, ""), "", sorted(set)})
				}
			}
		case []any:
			for _, value := range node {
				walk(place, value)
			}
		}
	}
	walk("", contract)
	return all
}

// skip is what the place of an enumeration does not need.
var skip = regexp.MustCompile(` (components|schemas|properties|items|anyOf|allOf|oneOf|schema|content|application/json|requestBody|responses|additionalProperties)\b`)

// schemaEnumerations returns the enumerations of the checks of the schema.
func schemaEnumerations(t *testing.T) (all []enumeration) {
	t.Helper()
	text, err := os.ReadFile("../migrations/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	check := regexp.MustCompile(`CONSTRAINT (\w+) CHECK`)
	set := regexp.MustCompile(`(\w+) = ANY \(ARRAY\[('[^]]*'::text)\]`)
	table := ""
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "CREATE TABLE public."); ok {
			table = strings.TrimSuffix(strings.TrimSpace(name), " (")
		}
		if !check.MatchString(line) {
			continue
		}
		columns := map[string]bool{}
		for _, m := range set.FindAllStringSubmatch(line, -1) {
			if columns[m[1]] {
				continue // a rule about some of the values; the column's own comes first
			}
			columns[m[1]] = true
			all = append(all, enumeration{"schema.sql: " + table + " " + m[1], "", quoted(m[2], `'(\w+)'::text`)})
		}
	}
	return all
}

// webEnumerations returns the lists and tables of the dashboard that have several values
// of one type as their entries or keys.
func webEnumerations(t *testing.T, types map[string][]string) (all []enumeration) {
	t.Helper()
	declared := regexp.MustCompile(`(?s)\n(?:export )?(?:const|type) (\w+)\b[^=;]*=([^;]*?)(?:;|\n\n|\nexport|\nfunction)`)
	comments := regexp.MustCompile(`(?m)(^|\s)//.*$`)
	for _, path := range append(files(t, "../adapters/dashboard/web/src", ".ts"), files(t, "../adapters/dashboard/web/src", ".tsx")...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllStringSubmatch("\n"+comments.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[2], "=>") || strings.Contains(m[2], "</") {
				continue
			}
			set := quoted(m[2], `(?:^|[\[{,|(])\s*"([a-z_]+)"|(?:^|[{,])\s*([a-z_]+):\s*["\[{]`)
			if near := nearest(types, set); len(shared(types[near], set)) > 1 {
				all = append(all, enumeration{"web: " + m[1], " in " + filepath.Base(path), set})
			}
		}
	}
	return all
}

func shared(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(v string) bool { return !slices.Contains(b, v) })
}

// quoted returns the first group that matched, of every match.
func quoted(text, pattern string) (all []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, strings.Join(m[1:], ""))
	}
	return sorted(all)
}

func files(t *testing.T, folder, ending string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ending) {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// partial has the enumerations that differ from their type on purpose.
var partial = map[string]difference{
	// A claim that waits for the operator, and not for its payer's enrollment, which has a task.
	"openapi.yaml: Summary waiting reason": {of: "claim.Hold", without: []string{"enrollment"}},
	"web: back":                            {with: []string{"file_rejected", "file_rejected_again", "not_found", "rejected"}}, // causes after which no payer has a claim
	"web: there":                           {with: []string{"clearinghouse_accepted", "denial", "estimate", "payer_accepted", "payment", "replace", "reversal", "send"}},
	"web: waits":                           {of: "claim.Hold", without: []string{"enrollment"}},

	// Not of the core: how a list is ordered, what a test or a caller's own file states, and codes of the guides.
	"web: ofFigures": {with: []string{"act", "decided", "decided_from", "decided_to", "denial", "figure", "first_pass", "last_payer", "provider_id", "sent"}},
	"web: chips":     {with: []string{"act", "batch_id", "decided", "decided_from", "decided_to", "denial", "figure", "first_pass", "last_payer", "open", "overpaid", "patient_id", "payment_changed", "provider_id", "sent"}},
	"openapi.yaml: paths /events get parameters":                       {with: []string{"asc", "desc"}},
	"openapi.yaml: parameters ListOrder":                               {with: []string{"asc", "desc"}},
	"openapi.yaml: ERA balance findings level":                         {with: []string{"claim", "line", "payment"}},
	"openapi.yaml: EligibilityCheck cache state":                       {with: []string{"fresh", "hit"}},
	"openapi.yaml: EligibilityCompletedData cache state":               {with: []string{"fresh", "hit"}},
	"openapi.yaml: EligibilityCheck plan_rules major_services_paid_on": {with: []string{"prep_date", "seat_date"}},
	"openapi.yaml: SandboxPlan plan_rules major_services_paid_on":      {with: []string{"prep_date", "seat_date"}},
	"openapi.yaml: SandboxPlanFrequency scope":                         {with: []string{"per arch", "per quadrant", "per sextant", "per surface", "per tooth"}},
	"openapi.yaml: ImportedPayment status":                             {with: []string{"correction", "duplicate", "imported", "quarantined"}},
	"openapi.yaml: CoverageAdjustmentsInput group":                     {with: []string{"CO", "OA", "PI", "PR"}},
	"openapi.yaml: OwnConnection usage":                                {with: []string{"P", "T"}},
	"openapi.yaml: ClaimContent accident type":                         {with: []string{"auto", "employment", "other"}},
	"openapi.yaml: Claim accident type":                                {with: []string{"auto", "employment", "other"}},
	"web: How":                                                         {with: []string{"check", "draft", "send"}},
	// A value that the core spells as none.
	"openapi.yaml: ClaimContent release_of_information": {with: []string{"signed", "informed_consent"}},
	"openapi.yaml: Claim release_of_information":        {with: []string{"signed", "informed_consent"}},
	"openapi.yaml: Office entity":                       {with: []string{"organization", "person"}},
	"openapi.yaml: OfficeContent entity":                {with: []string{"organization", "person"}},
	// An attachment has no scenario of an organization's own.
	"openapi.yaml: SandboxScenarioRequest operation": {of: "scenario.Operation", without: []string{"attachment"}},
	// Attachments have no connections yet.
	"openapi.yaml: ConnectionPayer transactions": {of: "network.Transaction", without: []string{"attachments"}},
	"openapi.yaml: EnrolledTransaction":          {of: "network.Transaction", without: []string{"attachments"}},
	"openapi.yaml: Connection carries":           {of: "network.Transaction", without: []string{"attachments"}},
	"schema.sql: enrollments transaction":        {of: "network.Transaction", without: []string{"attachments"}},
	// The subscriber is no other person.
	"openapi.yaml: Inquiry patient relationship":           {of: "coverage.Relationship", without: []string{"self"}},
	"openapi.yaml: ClaimPatientInput relationship":         {of: "coverage.Relationship", without: []string{"self"}},
	"openapi.yaml: ClaimPatient relationship":              {of: "coverage.Relationship", without: []string{"self"}},
	"openapi.yaml: EligibilityRequestPatient relationship": {of: "coverage.Relationship", without: []string{"self"}},
	"openapi.yaml: ScheduleItem patient relationship":      {of: "coverage.Relationship", without: []string{"self"}},
	"openapi.yaml: ScheduleField":                          {with: intake.ScheduleFields()},
	"web: relationships":                                   {of: "coverage.Relationship", without: []string{"self"}},
	// No caller can choose it, or see it.
	"openapi.yaml: UserChange state":            {of: "caller.UserState", without: []string{"invited"}},
	"web: became":                               {of: "remit.Status", without: []string{"pending"}},
	"openapi.yaml: ERAClaim status":             {of: "remit.Status", without: []string{"pending"}},
	"openapi.yaml: ClaimCause":                  {of: "claim.Trigger", without: []string{"bill_secondary"}},
	"web: causes":                               {of: "claim.Trigger", without: []string{"bill_secondary"}},
	"openapi.yaml: EventType":                   {of: "event.Type", without: []string{"ping"}},
	"openapi.yaml: Batch acknowledgements kind": {of: "clearing.AcknowledgementKind", without: []string{"text"}},
	"openapi.yaml: Batch overdue":               {of: "clearing.AcknowledgementKind", without: []string{"text", "277"}},
	"schema.sql: batch_acknowledgements kind":   {of: "clearing.AcknowledgementKind", without: []string{"text"}},
	// The events with the same data.
	"openapi.yaml: APIKeyEvent type":       {with: []string{"api_key.created", "api_key.revoked"}},
	"openapi.yaml: ClaimMovedEvent type":   {with: []string{"claim.accepted", "claim.needs_attention", "claim.queued", "claim.rejected", "claim.status_updated", "claim.submitted", "claim.validated", "claim.voided"}},
	"openapi.yaml: ClaimPaymentEvent type": {with: []string{"claim.denied", "claim.paid", "claim.payment_reversed"}},
	// The dashboard says the others as they are spelled.
	"web: names": {of: "claim.State", without: []string{
		"draft", "needs_attention", "queued", "submitted", "rejected", "voided", "paid", "denied", "reconciled",
	}},
	// The age of what is open counts from before it was decided; what is open is no part of what was collected.
	"openapi.yaml: AgingReport by":     {of: "report.By", without: []string{"decision"}},
	"openapi.yaml: parameters AgingBy": {of: "report.By", without: []string{"decision"}},
	"web: collected":                   {of: "report.Column", without: []string{"open", "refused"}},
	"web: sends":                       {of: "network.Transaction", without: []string{"attachments"}},
	// The fields of a claim of a remittance.
	"web: Read":     {with: []string{"appeals", "attachments", "claims", "deposits"}},
	"web: crown":    {with: []string{"adjustments", "charge", "contractual", "lines", "not_paid", "paid", "status_code"}},
	"web: ERAClaim": {with: []string{"adjustments", "balanced", "charge", "contractual", "lines", "not_paid", "paid", "status_code"}},
	// With its tones.
	"web: due":      {of: "coverage.ProcedureStatus", with: []string{"bad", "good", "warn"}},
	"web: views":    {of: "deposit.State", with: []string{"any"}},
	"web: columns":  {of: "deposit.Column", without: []string{"account_column", "method_column"}, with: []string{"account"}},
	"web: outcomes": {of: "coverage.Outcome", without: []string{"answered"}, with: []string{"bad", "warn"}},
}

// mixed has the tables about values of several types, with those of none.
var mixed = map[string][]string{
	"openapi.yaml: Me warnings code": {"client_addresses_unknown", "organization_leaves"}, // of a deployment and of an organization; the HTTP adapter words them
	"web: tones":                     {"balanced", "unbalanced", "overdue", "expired", "waiting", "revoked", "retired", "succeeded"},
}

// staysInside has the types that neither the contract, the schema nor the dashboard lists.
var staysInside = []string{
	"caller.PrincipalType",
	"restore.Fate",
	"attachment.UploadState",
	"clearing.FileKind",
	"attachment.ImageFormat",
	"network.ProviderReference",
	"caller.Need",
	"clearing.ClaimParty",
	"remit.Stage",
	"claim.OpenReason",
	"clearing.ReportOutcome",
	"network.TaxonomyUse",
	"retention.Kind",

	"network.Call",
	"network.FieldType",
	"network.Reason",
	"billing.Refusal",
	"jobs.Kind",
}
