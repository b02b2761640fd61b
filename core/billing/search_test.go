package billing_test

import (
	"reflect"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func TestParseSearch(t *testing.T) {
	t.Parallel()
	day := func(year int) billing.Date { return billing.Date{Year: year, Month: 2, Day: 29} }
	words := func(of billing.NameOf, all ...string) (out []billing.NameWord) {
		for _, w := range all {
			out = append(out, billing.NameWord{Text: w, Of: of})
		}
		return out
	}
	born := []billing.Date{day(1984)}
	const either, first, last = billing.EitherName, billing.FirstName, billing.LastName
	for text, want := range map[string]billing.Search{
		"":                      {},
		" , ":                   {Number: ","},
		" Lee ":                 {Number: "Lee", Words: words(either, "Lee")},
		"1984-02-29":            {Born: born},
		"2/29/1984":             {Born: born},
		"02/29/1984, Lee":       {Born: born, Words: words(either, "Lee")},
		"Lee, Ann, 2/29/1984":   {Born: born, Words: append(words(last, "Lee"), words(first, "Ann")...)},
		"2/3/85":                {Born: []billing.Date{{Year: 2085, Month: 2, Day: 3}, {Year: 1985, Month: 2, Day: 3}, {Year: 1885, Month: 2, Day: 3}}},
		"02/29/00":              {Born: []billing.Date{day(2000)}}, // 1900 and 1800 had no such day
		"2/3/085":               {Number: "2/3/085", Words: words(either, "2/3/085")},
		"13/1/85":               {Number: "13/1/85", Words: words(either, "13/1/85")},
		"85":                    {Number: "85", Words: words(either, "85")},
		"1984-02-30":            {Number: "1984-02-30", Words: words(either, "1984-02-30")},
		"W-123":                 {Number: "W-123", Words: words(either, "W-123")},
		"a b c d e":             {Number: "a b c d e", Words: words(either, "a", "b", "c", "d", "e")},
		"de la Cruz, Maria J":   {Number: "de la Cruz, Maria J", Words: append(words(last, "de", "la", "Cruz"), words(first, "Maria", "J")...)},
		"Lee,":                  {Number: "Lee,", Words: words(last, "Lee")},
		"Lee 2/29/1984 Ann":     {Born: born, Words: words(either, "Lee", "Ann")},
		"1984-02-29 1984-02-28": {Born: born, Words: words(either, "1984-02-28")},
	} {
		if got := billing.ParseSearch(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// Two characters begin too many numbers.
func TestSearchStarts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"": false, "W1": false, "Zö": false, "W12": true, "2/3/85": false} {
		if got := billing.ParseSearch(text).Starts(); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}
