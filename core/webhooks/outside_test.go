package webhooks_test

import (
	"context"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

// outside is every receiver. It accepts what it is sent, unless a test sets
// something else.
type outside struct {
	mu       sync.Mutex
	posts    []*post // in the order in which they began
	answers  map[string]answer
	times    map[string]int // how often each event was posted to each URL
	flying   map[string]int // running posts, by URL
	most     map[string]int // the most of these at once
	checked  []string       // URLs that were checked
	judgment error
}

// post is a post that was made.
type post struct {
	webhook.Message
	signature string
	came      time.Time // by the machine's clock
}

// answer is a receiver's response to the nth post of an event, from 1.
type answer func(ctx context.Context, n int) webhook.Attempt

func newOutside() *outside {
	return &outside{answers: map[string]answer{}, times: map[string]int{}, flying: map[string]int{}, most: map[string]int{}}
}

// says responds to every post with the status.
func says(status int) answer {
	return func(context.Context, int) webhook.Attempt { return webhook.Attempt{Status: status} }
}

// firstSays responds to the first post of each event with the status, and
// accepts the next.
func firstSays(status int) answer {
	return func(_ context.Context, n int) webhook.Attempt {
		if n == 1 {
			return webhook.Attempt{Status: status}
		}
		return webhook.Attempt{Status: 200}
	}
}

// holds responds to nothing until it is released, and then as the other does.
func holds(release <-chan struct{}, then answer) answer {
	return func(ctx context.Context, n int) webhook.Attempt {
		select {
		case <-release:
			return then(ctx, n)
		case <-ctx.Done():
			return webhook.Attempt{Error: "the attempt was cut off"}
		}
	}
}

// at sets what the receiver at the URL does from now on.
func (o *outside) at(url string, a answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answers[url] = a
}

func (o *outside) Post(ctx context.Context, m webhook.Message, secret ports.CurrentSecret) (webhook.Attempt, error) {
	current, err := secret(ctx)
	if err != nil {
		return webhook.Attempt{}, err
	}
	signature, err := m.Signature(current)
	if err != nil {
		return webhook.Attempt{}, err
	}
	o.mu.Lock()
	o.posts = append(o.posts, &post{m, signature, time.Now()})
	o.times[m.URL+m.ID]++
	o.flying[m.URL]++
	o.most[m.URL] = max(o.most[m.URL], o.flying[m.URL])
	n, does := o.times[m.URL+m.ID], o.answers[m.URL]
	o.mu.Unlock()
	if does == nil {
		does = says(200)
	}
	a := does(ctx, n)
	a.At = m.At
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flying[m.URL]--
	return a, nil
}

func (o *outside) Check(_ context.Context, url string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.checked = append(o.checked, url)
	return o.judgment
}

// judges sets the result of checking URLs from now on, and returns the URLs
// that were checked before.
func (o *outside) judges(err error) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() { o.checked, o.judgment = nil, err }()
	return o.checked
}

// got returns the posts to the URL.
func (o *outside) got(url string) (out []*post) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.posts {
		if p.URL == url {
			out = append(out, p)
		}
	}
	return out
}

// underway returns how many posts the URL holds, and the most it held.
func (o *outside) underway(url string) (now, most int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.flying[url], o.most[url]
}

// timesOf returns how often the event reached the URL.
func (o *outside) timesOf(url string, e billing.EventID) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.times[url+e.String()]
}
