package httpapi

import (
	"testing"
)

// endpoint registers a path of the receiver, and gives its ID and its secret.
func (s *service) endpoint(t *testing.T, path string, change func(o anObject)) (id, secret string) {
	t.Helper()
	a := s.must(t, 200, call{path: "/webhook_endpoints", body: jsonOf(anObject{"url": "https://" + hooks + path}, change)})
	return a.text(t, "id"), a.text(t, "secret")
}
