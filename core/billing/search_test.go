package billing_test

import (
	"reflect"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func TestParseSearch(t *testing.T) {
	t.Parallel()
	born := billing.Date{Year: 1984, Month: 2, Day: 29}
	for text, want := range map[string]billing.Search{
		"":                    {},
		" Lee ":               {Reference: "Lee", Names: []billing.NameSearch{{Last: "Lee"}, {First: "Lee"}}},
		"1984-02-29":          {Born: born},
		"2/29/1984":           {Born: born},
		"02/29/1984, Lee":     {Born: born, Names: []billing.NameSearch{{Last: "Lee"}, {First: "Lee"}}},
		"1984-02-30":          {Reference: "1984-02-30"},
		"W-123":               {Reference: "W-123"},
		"a b c d e":           {Reference: "a b c d e"},
		"Lee, Ann":            {Reference: "Lee, Ann", Names: []billing.NameSearch{{Last: "Lee", First: "Ann"}}},
		"de la Cruz, Maria J": {Reference: "de la Cruz, Maria J", Names: []billing.NameSearch{{Last: "de la Cruz", First: "Maria J"}}},
		"Lee,":                {Reference: "Lee,", Names: []billing.NameSearch{{Last: "Lee"}}},
		"Ann Lee 1984-02-29": {Born: born, Names: []billing.NameSearch{
			{Last: "Ann Lee"}, {First: "Ann Lee"}, {First: "Ann", Last: "Lee"}, {First: "Lee", Last: "Ann"},
		}},
		"1984-02-29 1984-02-28": {Born: born},
	} {
		if got := billing.ParseSearch(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
