package edi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// spellings maps words of messages to the form in which phrases have them: the first
// word of the line.
//
//nolint:gochecknoglobals // a constant table
var spellings = forms(`
1 ONE
2 TWO
3 THREE
4 FOUR
5 FIVE
6 SIX
7 SEVEN
8 EIGHT
9 NINE
10 TEN
11 ELEVEN
12 TWELVE
13 THIRTEEN
14 FOURTEEN
15 FIFTEEN
16 SIXTEEN
17 SEVENTEEN
18 EIGHTEEN
19 NINETEEN
YEAR YEARS YR YRS
MONTH MONTHS MO MOS
WEEK WEEKS WK WKS
DAY DAYS
LIFETIME LIFETIMES
TIME TIMES X
PER EACH WITHIN IN DURING A AN ANY /
AGE AGES AGED
CHILD CHILDREN
ADULT ADULTS
DEPENDENT DEPENDENTS DEP DEPS
PEDIATRIC PEDIATRICS PEDO MINORS KID KIDS JUVENILE JUVENILES TEEN TEENS TEENAGER TEENAGERS INFANT INFANTS BABY BABIES NEWBORN NEWBORNS YOUTH ADOLESCENT ADOLESCENTS BOY BOYS GIRL GIRLS SENIORS STUDENT STUDENTS
SUBSCRIBER SUBSCRIBERS EMPLOYEE EMPLOYEES SPOUSE SPOUSES
RESTRICTION RESTRICTIONS RESTRICTED
TERMINATED TERMINATES TERMINATE TERM ENDS ENDED CEASES CEASED SUSPENDED INACTIVE EXHAUSTED REACHED REJECTED DENY NC WITHHELD GRADE KINDERGARTEN DUE CALL
QUARTER QUARTERS QUARTERLY SEMIANNUAL SEMIANNUALLY BIANNUAL BIANNUALLY BIENNIAL BIENNIALLY
EMERGENCY EMERGENCIES ACCIDENT ACCIDENTS ACCIDENTAL
PATIENT PATIENTS MEMBER MEMBERS PERSON PERSONS INDIVIDUAL INDIVIDUALS INSURED INSUREDS ENROLLEE ENROLLEES THOSE
THROUGH THRU
UNDER BELOW YOUNGER LESS BEFORE UNTIL <
OVER ABOVE OLDER GREATER >
AND &
LIMIT LIMITS LIMITED LIMITATION LIMITATIONS
MAXIMUM MAX
MINIMUM MIN
COVERED PAYABLE PAID ELIGIBLE ALLOWED BENEFITED BENEFITTED
BENEFIT BENEFITS COVERAGE
EXCLUDED EXCLUSION INELIGIBLE DENIED DISALLOWED NONCOVERED NOTCOVERED
PERIOD PERIODS INTERVAL INTERVALS
PROPHYLAXIS PROPHY CLEANING CLEANINGS EXAM EXAMS FLUORIDE
DEDUCTIBLE DEDUCTIBLES COPAY COPAYMENT COPAYMENTS
TOOTH QUADRANT ARCH SEXTANT SURFACE
PLAN CONTRACT POLICY SERVICE
PROVIDER DENTIST OFFICE LOCATION SPECIALTY
` + skipped + ` THE OF IS ARE WHO THAT THAN THEIR HIS HER OLD BE : , ( ) " ' * =
`)

// skipped stands for words and signs that change nothing.
const skipped = "_"

// forms returns the first word of each line for all words of the line.
func forms(lines string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		for _, w := range words {
			all[w] = words[0]
		}
	}
	return all
}

const (
	stop  = "." // the end of a sentence; no phrase goes beyond it
	money = "$" // an amount, or another number that is no count and no age
)

// wordsOf returns the words and signs of a message in one form. The message has upper
// case letters.
func wordsOf(message string) []string {
	words := make([]string, 0, 16)
	for rest := message; rest != ""; {
		word := firstWord(rest)
		rest = rest[len(word):]
		last := ""
		if len(words) > 0 {
			last = words[len(words)-1]
		}
		form := spellings[word]
		switch {
		case form == skipped || strings.TrimSpace(word) == "":
		case digit(word[0]):
			rest = afterOrdinal(rest)
			if len(word) > 3 {
				word = money
			}
			if last != money && last != word { // "$ 50" is one amount, "ONE (1)" one number
				words = append(words, word)
			}
		case word == "-":
			if next := strings.TrimLeft(rest, " "); last != "" && digit(last[0]) && next != "" && digit(next[0]) {
				words = append(words, word)
			}
		case word == ";":
			words = append(words, stop)
		case word == "ONCE":
			words = append(words, "1", "TIME")
		case word == "TWICE":
			words = append(words, "2", "TIME")
		default:
			words = append(words, cmp.Or(form, word))
		}
	}
	return words
}

// firstWord returns the word, the number or the sign that the text begins with.
func firstWord(text string) string {
	i := 0
	switch {
	case letter(text[0]):
		for i < len(text) && (letter(text[i]) || digit(text[i])) {
			i++
		}
	case digit(text[0]):
		for i < len(text) && (digit(text[i]) || i+1 < len(text) && (text[i] == '.' || text[i] == ',') && digit(text[i+1])) {
			i++
		}
	default:
		_, i = utf8.DecodeRuneInString(text)
	}
	return text[:i]
}

// afterOrdinal returns the text without the letters of an ordinal, as in 19TH.
func afterOrdinal(text string) string {
	switch firstTwo := text[:min(2, len(text))]; firstTwo {
	case "ST", "ND", "RD", "TH":
		return text[2:]
	}
	return text
}

func letter(c byte) bool { return 'A' <= c && c <= 'Z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

// phrase is a sequence of words to find in a message.
type phrase []slot

// slot is one word of a phrase, or a few to choose from.
type slot struct {
	words            []string
	number, optional bool
}

// phraseOf reads a phrase: # is a number, ? precedes a word that may be missing, and |
// stands between words to choose from.
func phraseOf(text string) phrase {
	var p phrase
	for word := range strings.FieldsSeq(text) {
		rest, optional := strings.CutPrefix(word, "?")
		s := slot{words: strings.Split(rest, "|"), optional: optional}
		s.number = slices.Contains(s.words, "#")
		p = append(p, s)
	}
	return p
}

// find returns how many words the phrase has at the start of words, with its numbers.
// It returns zero if the words begin otherwise.
func (p phrase) find(words []string) (n int, numbers [2]int) {
	found := 0
	for _, s := range p {
		is := n < len(words) && (s.number && digit(words[n][0]) || slices.Contains(s.words, words[n]))
		switch {
		case is && digit(words[n][0]) && found < len(numbers):
			numbers[found], _ = strconv.Atoi(words[n])
			found++
			n++
		case is:
			n++
		case !s.optional:
			return 0, numbers
		}
	}
	return n, numbers
}

// meaning is a phrase with the words that replace it.
type meaning struct {
	phrase phrase
	as     []string // # is the first number of the phrase
}

// meanings reads one meaning from each line: a phrase, =, and words, or none.
func meanings(lines string) []meaning {
	var all []meaning
	for line := range strings.Lines(lines) {
		if said, as, ok := strings.Cut(line, "="); ok {
			all = append(all, meaning{phraseOf(said), strings.Fields(as)})
		}
	}
	return all
}

// replace replaces each phrase of the table by its meaning, one row of the table after
// the other.
func replace(words []string, table []meaning) []string {
	for i := range table {
		words = table[i].replace(words)
	}
	return words
}

func (m *meaning) replace(words []string) []string {
	for i := 0; i < len(words); i++ {
		n, numbers := m.phrase.find(words[i:])
		if n == 0 {
			continue
		}
		as := slices.Clone(m.as)
		if k := slices.Index(as, "#"); k >= 0 {
			as[k] = strconv.Itoa(numbers[0])
		}
		words = slices.Replace(words, i, i+n, as...)
		i += len(as) - 1
	}
	return words
}
