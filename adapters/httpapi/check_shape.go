package httpapi

import (
	"unicode/utf8"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

func money(m *billing.Money) *string {
	if m == nil {
		return nil
	}
	return new(m.String())
}

// mapped returns an array, never null.
func mapped[T, J any](rows []T, shape func(T) J) []J {
	out := make([]J, len(rows))
	for i, row := range rows {
		out[i] = shape(row)
	}
	return out
}

type exchangeJSON struct {
	Object        string           `json:"object"`
	EligibilityID billing.CheckID  `json:"eligibility_id"`
	SourceID      *billing.CheckID `json:"source_id"`
	Messages      []messageJSON    `json:"messages"`
	Values        []originJSON     `json:"values"`
}

type originJSON struct {
	Path     string        `json:"path"`
	Reply    int           `json:"reply"`
	Segments []segmentJSON `json:"segments"`
}

type segmentJSON struct {
	Position int    `json:"position"`
	Text     string `json:"text"`
}

type messageJSON struct {
	Request  string  `json:"request"`
	Response *string `json:"response"`
}

func exchangeShape(c coverage.CheckExchange) exchangeJSON {
	return exchangeJSON{"eligibility_exchange", c.Check, orNull(c.Source), mapped(c.Messages, func(m coverage.Exchange) messageJSON {
		return messageJSON{legible(m.Request), orNull(legible(m.Reply))}
	}), mapped(c.Values, func(o coverage.Origin) originJSON {
		return originJSON{o.Path, o.Reply, mapped(o.Segments, func(s coverage.Segment) segmentJSON {
			return segmentJSON{s.Position, legible([]byte(s.Text))}
		})}
	})}
}

// legible returns a message as text. A message that is not UTF-8 is read as ISO
// 8859-1, which has a character for every byte.
func legible(message []byte) string {
	if utf8.Valid(message) {
		return string(message)
	}
	runes := make([]rune, len(message))
	for i, b := range message {
		runes[i] = rune(b)
	}
	return string(runes)
}
