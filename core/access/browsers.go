package access

import (
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// attempt is an attempt to sign in with a password. A user of the email address takes
// part in it unless the attempt must wait for that user. So one organization's user of an
// address cannot lift the limit that protects another organization's.
type attempt struct {
	email     string
	known     []billing.UserID         // users of the address who have signed in with this browser
	own       map[billing.UserID]begun // of the known users, unless the attempt must wait for them
	strangers begun                    // of all other users; nil if it must wait for them
}

// begin counts an attempt, for each of the known users and for all others. It
// returns CodeTooManyRequests to a browser that knows no user, if it must wait. Any
// other browser is refused as with a wrong password.
func (s *Service) begin(in SignIn) (*attempt, error) {
	email := strings.ToLower(strings.TrimSpace(in.Email))
	try := &attempt{email: email, known: s.known(in.Browser, email), own: map[billing.UserID]begun{}}
	var wait time.Duration
	try.strangers, wait = s.attempts.begin(byStrangers(email, in.Address, len(try.known) > 0))
	for _, id := range try.known {
		if counted, wait := s.attempts.begin(byOwn(id.String())); wait == 0 {
			try.own[id] = counted
		}
	}
	switch {
	case try.strangers != nil || len(try.own) > 0:
		return try, nil
	case len(try.known) > 0:
		return nil, passwordRefused()
	default:
		return nil, tooManyAttempts(wait)
	}
}

// judges reports whether the attempt is compared with the user.
func (t *attempt) judges(id billing.UserID) bool {
	return t.own[id] != nil || t.strangers != nil && !slices.Contains(t.known, id)
}

// by returns the user whose place the attempt takes: one that the browser knows, and
// need not wait for; zero for strangers.
func (t *attempt) by() (user billing.UserID) {
	for _, id := range t.known {
		if t.own[id] != nil {
			return id
		}
	}
	return user
}

// succeed takes the attempt back after it has signed in a user. An attempt at a chosen
// organization was compared with no other user.
func (s *Service) succeed(try *attempt, u *caller.User, hash string, chosen bool) {
	if chosen {
		s.takeBack(try)
	} else {
		s.takeBackIfKnown(try, hash)
	}
	s.attempts.forget(byOwn(u.ID.String()))
}

// takeBackIfKnown takes back an attempt that was right for some users. Under a counter
// where another password was right last, it still counts: otherwise an attacker could set
// a guess as the password of users of their own, and see whether it is another user's,
// too. A counter under which the attempt was not judged does not learn its password.
func (s *Service) takeBackIfKnown(try *attempt, hash string) {
	if try.strangers != nil && s.attempts.repeats(try.email, hash) {
		s.attempts.takeBack(try.strangers)
	}
	for id, counted := range try.own {
		if s.attempts.repeats(id.String(), hash) {
			s.attempts.takeBack(counted)
		}
	}
}

func (s *Service) takeBack(try *attempt) {
	s.attempts.takeBack(try.strangers)
	for _, counted := range try.own {
		s.attempts.takeBack(counted)
	}
}

// mark proves that a user has signed in with a browser.
type mark struct {
	user billing.UserID
	text string // the user's ID and a keyed digest
}

// A browser keeps the marks of the users who signed in with it last, newest first.
const (
	maxMarks = 5
	nextMark = "~"
)

// marks reads what a browser has, one mark for each user.
func marks(browser string) (all []mark) {
	for _, text := range strings.SplitN(browser, nextMark, maxMarks+1) {
		of, _, _ := strings.Cut(text, ".")
		id, err := billing.ParseID[billing.UserID](of)
		if err == nil && len(all) < maxMarks && !slices.ContainsFunc(all, func(m mark) bool { return m.user == id }) {
			all = append(all, mark{id, text})
		}
	}
	return all
}

// mark adds the mark of a user to those that a browser has.
func (s *Service) mark(browser string, u *caller.User) string {
	texts := []string{s.markOf(u.ID, u.Email)}
	for _, m := range marks(browser) {
		if m.user != u.ID && len(texts) < maxMarks {
			texts = append(texts, m.text)
		}
	}
	return strings.Join(texts, nextMark)
}

// known returns the users of the email address whose marks a browser has.
func (s *Service) known(browser, email string) (ids []billing.UserID) {
	for _, m := range marks(browser) {
		if equal(m.text, s.markOf(m.user, email)) {
			ids = append(ids, m.user)
		}
	}
	return ids
}

func (s *Service) markOf(id billing.UserID, email string) string {
	digest := s.credentials.MAC("browser of " + id.String() + " " + email)
	return id.String() + "." + base64.RawURLEncoding.EncodeToString(digest[:])
}
