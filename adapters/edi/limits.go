package edi

import (
	"slices"
	"strconv"
	"strings"
)

// stated is what a message of the payer states about when a service is covered.
type stated struct {
	ages   []ages
	limits []*limit
	doubt  bool // the message may limit in a way that cannot be read for sure
	whole  bool // the message is about ages alone, and names no service
}

// limitStems are the stems of the words and signs that may limit.
//
//nolint:gochecknoglobals // a constant table
var limitStems = []string{
	"AGE", "BIRTHDAY", "CHILD", "ADULT", "PEDIATRIC", "UNDER", "YEAR", "YR", "MO", "WEEK", "WK", "DAY", "ANNUAL", "LIFETIME", "EVERY", "ONCE", "TWICE",
	"NOT ", "NO ", "NON", "EXCLU", "UNLESS", "EXCEPT", "INELIGIBLE", "DENIED", "DISALLOW",
	"PED", "MINORS", "KID", "JUVENIL", "TEEN", "INFANT", "BAB", "NEWBORN", "YOUTH", "ADOLESC", "BOY", "GIRL", "SENIORS", "STUDENT", "DEP", "SUBSCRIBER",
	"EMPLOYEE", "SPOUSE", "WAITING", "LATE", "REPLACEMENT", "MISSING", "FREQUENC", "LIMIT", "RESTRICT", "TERM", "END", "CEASE", "SUSPEND", "INACTIVE",
	"EXHAUST", "REACH", "MET", "USED", "REJECT", "DENY", "NOTCOVERED", "QUARTER", "SEMI", "BIENN", "EMERGENC", "ACCIDENT", "NEXT", "AGAIN",
	"TEETH", "MOLAR", "CUSPID", "INCISOR", "COSMETIC", "NECESS", "WHEN", "IF", "PROVIDED", "ONLY", "NC", "N/C", "WITHHELD", "GRADE", "KINDER", "DUE", "CALL",
	"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "ELEVEN", "TWELVE", "TWENTY", "THIRTY",
}

// plainWords bring ages and counts into one form, and remove what limits nothing.
//
//nolint:gochecknoglobals // a constant table
var plainWords = meanings(`
	FOR|ON|TO ?COVERED DEPENDENT ?CHILD = CHILD
	TO AND INCLUDING = THROUGH
	UP TO = TO
	UP THROUGH = THROUGH
	PRIOR TO = UNDER
	# YEAR AGE = AGE #
	# BIRTHDAY = AGE #
	AGE # YEAR = AGE #
	AGE UNDER = UNDER AGE
	AGE MAXIMUM = MAXIMUM AGE
	ANNUALLY|YEARLY = PER YEAR
	PER ?PERMANENT|PRIMARY TOOTH|PATIENT = SCOPE

	DEDUCTIBLE ?AMOUNT ?HAS ?NOT ?BEEN MET|SATISFIED =
	LIMIT|FREQUENCY ?APPLIES SCOPE =
	LIMIT ?ORAL|PROBLEM ?FOCUSED EVALUATION|PROPHYLAXIS =
	LIMIT ORTHO|ORTHODONTIC|ORTHODONTICS|ORTHODONTIA|OCCLUSAL =
	NO ?AGE|FREQUENCY|TIME ?OR ?AGE|FREQUENCY|TIME LIMIT|RESTRICTION ?APPLY|APPLIES =
	AGE|FREQUENCY LIMIT DOES|DO NOT APPLY =
	AGE|FREQUENCY LIMIT WAIVED =
	?AT|FOR ALL|PER AGE =
	REGARDLESS AGE =
	NO WAITING PERIOD ?APPLIES =
	WAITING PERIOD ?HAS ?BEEN WAIVED|MET|SATISFIED =
	WAITING PERIOD DOES NOT APPLY =
	NO MISSING TOOTH CLAUSE|EXCLUDED|LIMIT ?APPLIES =
	MISSING TOOTH CLAUSE|EXCLUDED|LIMIT DOES NOT APPLY =
	BENEFIT YEAR|PERIOD CALENDAR|PLAN|BENEFIT YEAR =
	ADULT|CHILD PROPHYLAXIS =
	PROPHYLAXIS ADULT|CHILD =
	DEDUCTIBLE ?AMOUNT #|$ PER ?CALENDAR|PLAN|BENEFIT YEAR|PATIENT|VISIT|LIFETIME =
	$ PER ?CALENDAR|PLAN|BENEFIT YEAR|PATIENT|VISIT|LIFETIME =
	ANNUAL|LIFETIME|YEAR MAXIMUM # = LIMIT #
	?CALENDAR|PLAN|BENEFIT YEAR MAXIMUM|DEDUCTIBLE =
	ANNUAL|LIFETIME MAXIMUM|DEDUCTIBLE =
	NOT COVERED MORE ?OFTEN =
	WHEN|IF THERE ?CLINICAL|RADIOGRAPHIC ?AND ?POCKET|PERIODONTAL ?CHARTING EVIDENCE BONE LOSS =
`)

// agePhrases are the phrases that state which ages are covered. With two ages it is a
// range.
//
//nolint:gochecknoglobals // a constant table
var agePhrases = []struct {
	phrase phrase
	ages   func(a, b int) ages
}{
	{phraseOf("?CHILD|ADULT|PATIENT ?FROM AGE # -|THROUGH ?AGE #"), func(a, b int) ages { return ages{a, b, never} }},
	{phraseOf("?CHILD|ADULT|PATIENT ?FROM AGE # TO ?AGE #"), func(a, b int) ages { return ages{a, b, b} }},
	{phraseOf("?CHILD|ADULT|PATIENT BETWEEN AGE # AND ?AGE #"), func(a, b int) ages { return ages{a, b, b} }},
	{phraseOf("?CHILD|ADULT|PATIENT AGE # AND|OR UNDER"), func(a, _ int) ages { return ages{0, a, never} }},
	{phraseOf("?CHILD|ADULT|PATIENT THROUGH|MAXIMUM AGE #"), func(a, _ int) ages { return ages{0, a, never} }},
	{phraseOf("CHILD|ADULT|PATIENT THROUGH # ?YEAR"), func(a, _ int) ages { return ages{0, a, never} }},
	{phraseOf("?CHILD|ADULT|PATIENT UNDER AGE #"), func(a, _ int) ages { return ages{0, a - 1, never} }},
	{phraseOf("CHILD|ADULT|PATIENT UNDER # ?YEAR"), func(a, _ int) ages { return ages{0, a - 1, never} }},
	{phraseOf("?CHILD|ADULT|PATIENT TO AGE #"), func(a, _ int) ages { return ages{0, a, a} }},
	{phraseOf("CHILD|ADULT|PATIENT TO # ?YEAR"), func(a, _ int) ages { return ages{0, a, a} }},
	{phraseOf("AGE LIMIT # -|THROUGH #"), func(a, b int) ages { return ages{a, b, never} }},
	{phraseOf("AGE LIMIT ?AGE #"), func(a, _ int) ages { return ages{0, a, a} }},
	{phraseOf("LIMITING AGE #"), func(a, _ int) ages { return ages{0, a, a} }},
	{phraseOf("?CHILD|ADULT|PATIENT AGE # AND|OR OVER|UP"), func(a, _ int) ages { return ages{a, anyAge, never} }},
	{phraseOf("?CHILD|ADULT|PATIENT AGE # +"), func(a, _ int) ages { return ages{a, anyAge, never} }},
	{phraseOf("?CHILD|ADULT|PATIENT FROM|STARTING|BEGINNING|MINIMUM|LEAST ?AT AGE #"), func(a, _ int) ages { return ages{a, anyAge, never} }},
	{phraseOf("?CHILD|ADULT|PATIENT OVER AGE #"), func(a, _ int) ages { return ages{a, anyAge, a} }},
}

// aged and refused stand for phrases that were read.
const (
	aged    = "<ages>"
	refused = "<refused>"
)

// refusals are the phrases for services that are not covered. One beside a range of
// ages turns the range around.
//
//nolint:gochecknoglobals // constant tables
var (
	refusals = meanings(`
		?WILL NOT|NO ?PER COVERED|BENEFIT = ` + refused + `
		NON COVERED = ` + refused + `
		EXCLUDED = ` + refused)
	beside = meanings(`
		` + refused + ` ?FOR|IF|AT|WHEN|ON ?PATIENT ` + aged + ` = ` + aged + `
		` + aged + ` ` + refused + ` = ` + aged)
	plainNumbers = meanings(`
		# ?TIME SCOPE =
		# PERCENT|%|TOOTH|SURFACES|FILM|FILMS|IMAGE|IMAGES|BITEWING|BITEWINGS =
		CLASS|TYPE|TIER|TOOTH #  =`)
)

// doubts are the words that may limit, if no phrase accounts for them. The first are
// doubts in every message, the second in one of which nothing was read, the third only
// beside ages.
//
//nolint:gochecknoglobals // constant tables
var (
	doubts = []phrase{
		phraseOf("AGE|BIRTHDAY|CHILD|ADULT|PEDIATRIC|YEAR|MONTH|WEEK|DAY|ANNUAL|LIFETIME|EVERY|UNLESS|EXCEPT|" + refused),
		phraseOf("#|TWENTY|THIRTY|QUARTER|TERMINATED"), phraseOf("N PER C"), phraseOf("PER ?DENTAL PROVIDER"), phraseOf("WAITING"), phraseOf("LATE ENTRANT|ENTRANTS|PATIENT"),
		phraseOf("MISSING TOOTH|TEETH"), phraseOf("REPLACEMENT RULE|CLAUSE|LIMIT|PROVISION|RESTRICTION|FREQUENCY"),
		phraseOf("MET"), phraseOf("BENEFIT|MAXIMUM ?HAS|HAVE ?BEEN USED"), phraseOf("NEXT COVERED"), phraseOf("COVERED AGAIN"),
		phraseOf("DEPENDENT|SUBSCRIBER ?BENEFIT|COVERED ONLY"), phraseOf("ONLY ?FOR|ON|TO ?COVERED DEPENDENT|SUBSCRIBER"),
		phraseOf("EMERGENCY ?TREATMENT|CARE ONLY"), phraseOf("ONLY ?FOR|WHEN|PER ?TO EMERGENCY"),
		phraseOf("TEETH|MOLAR|MOLARS|PREMOLAR|PREMOLARS|BICUSPID|BICUSPIDS|CUSPIDS|INCISORS"), phraseOf("COSMETIC|NECESSARY|NECESSITY|WHEN|IF|PROVIDED"),
	}
	bareDoubts = []phrase{phraseOf("LIMIT|FREQUENCY|RESTRICTION|ONLY")} // if nothing else states the limit
	agedDoubts = []phrase{phraseOf("DEPENDENT|DISABLED|HANDICAPPED|THEREAFTER|OTHERWISE|AFTER")}
	fillers    = phraseOf("COVERED|BENEFIT|LIMIT|ONLY|TO|FOR|ON|AVAILABLE|ORTHO|ORTHODONTIC|ORTHODONTICS|ORTHODONTIA|SERVICES|" + stop + "|" + aged)
)

// maxMessage is the length of the longest message that is read for limits. The guide
// allows 264 characters (MSG01).
const maxMessage = 1000

// statedIn reads the limits in a message of the payer. A date from which a service is paid
// again is no limit: statedNext reads it.
func statedIn(message string) stated {
	s := stated{doubt: len(message) > maxMessage}
	_, upper := nextIn(strings.ToUpper(message))
	if s.doubt || !has(upper, limitStems...) || strings.HasPrefix(upper, classMarker) {
		return s
	}
	words := s.takeAges(replace(wordsOf(upper), plainWords))
	words = s.takeLimits(words)
	s.doubt = limitedTo(words)
	words = replace(words, plainNumbers)
	s.doubt = s.doubt || doubtful(words, doubts...) || len(s.ages)+len(s.limits) == 0 && doubtful(words, bareDoubts...) || len(s.ages) > 0 && (doubtful(words, agedDoubts...) || len(s.ages) > 1 && len(s.limits) > 0)
	if s.doubt {
		s.ages, s.limits = nil, nil
	}
	s.whole = len(s.ages) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		n, _ := fillers.find([]string{w})
		return n == 0
	})
	return s
}

// takeAges takes the phrases about ages from the words.
func (s *stated) takeAges(words []string) []string {
	for i := 0; i < len(words); i++ {
		for _, p := range agePhrases {
			n, numbers := p.phrase.find(words[i:])
			if n == 0 {
				continue
			}
			a := p.ages(numbers[0], numbers[1])
			if a.from > a.to {
				break
			}
			s.ages, words = append(s.ages, a), slices.Replace(words, i, i+n, aged)
			break
		}
	}
	words = replace(words, refusals)
	if len(s.ages) != 1 || !slices.Contains(words, refused) {
		return words
	}
	others, could := s.ages[0].others()
	if turned := replace(slices.Clone(words), beside); could && !slices.Contains(turned, refused) {
		s.ages[0] = others
		return turned
	}
	return words
}

// takeLimits takes the phrases about frequencies from the words.
func (s *stated) takeLimits(words []string) []string {
	for i := 0; i < len(words); i++ {
		if l, n := frequencyAt(words[i:]); n > 0 {
			s.limits, words = append(s.limits, l), slices.Delete(words, i, i+n)
			i--
		}
	}
	return words
}

// mostNouns is the number of words that may stand between a count and its period.
const mostNouns = 6

// The words of a frequency: a count, nouns, PER, a number and a unit.
//
//nolint:gochecknoglobals // constant tables
var (
	everyWords = phraseOf("EVERY ?# ?CONSECUTIVE|ROLLING")
	perWords   = phraseOf("PER|EVERY ?PER|EVERY ?# ?CONSECUTIVE|ROLLING")
	unitWords  = []struct {
		phrase phrase
		unit   string
	}{
		{phraseOf("CALENDAR YEAR"), "23"},
		{phraseOf("BENEFIT|PLAN YEAR|PERIOD"), "22"},
		{phraseOf("YEAR ?PERIOD"), "21"},
		{phraseOf("MONTH ?PERIOD"), "34"},
		{phraseOf("WEEK ?PERIOD"), "35"},
		{phraseOf("DAY ?PERIOD"), "7"},
		{phraseOf("LIFETIME"), "32"},
	}
	otherNouns = phraseOf("#|$|%|PERCENT|DOLLARS|AGE|YEAR|MONTH|WEEK|DAY|WAITING|DEDUCTIBLE|PROVIDER|EVERY|" + stop + "|" + aged + "|" + refused)
)

// frequencyAt reads the frequency that the words begin with, such as 2 CLEANINGS PER
// CALENDAR YEAR, and returns its number of words. A period after EVERY allows one.
func frequencyAt(words []string) (*limit, int) {
	if n, numbers := everyWords.find(words); n > 0 {
		return limitIn(1, numbers[0], words, n)
	}
	if !digit(words[0][0]) {
		return nil, 0
	}
	count, _ := strconv.Atoi(words[0]) // money has another sign
	for n := 1; n < len(words) && n <= mostNouns+1; n++ {
		if per, numbers := perWords.find(words[n:]); per > 0 {
			if l, all := limitIn(count, numbers[0], words, n+per); l != nil {
				return l, all
			}
		} else if other, _ := otherNouns.find(words[n:]); other > 0 {
			break
		}
	}
	return nil, 0
}

// limitIn returns the limit of count services in n of the unit at the words, and the
// number of words up to the end of the unit. It returns nil without a unit.
func limitIn(count, n int, words []string, at int) (*limit, int) {
	for _, u := range unitWords {
		if length, _ := u.phrase.find(words[at:]); length > 0 && count > 0 {
			return &limit{count: count, unit: u.unit, n: max(n, 1)}, at + length
		}
	}
	return nil, 0
}

// doubtful reports whether the words have one of the phrases.
func doubtful(words []string, phrases ...phrase) bool {
	for i := range words {
		if slices.ContainsFunc(phrases, func(p phrase) bool { n, _ := p.find(words[i:]); return n > 0 }) {
			return true
		}
	}
	return false
}

// limitedTo reports whether a sentence has a limit before a number.
func limitedTo(words []string) bool {
	limited := false
	for _, w := range words {
		if limited && digit(w[0]) {
			return true
		}
		limited = w != stop && (limited || w == "LIMIT" || w == "MAXIMUM")
	}
	return false
}
