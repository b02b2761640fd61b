package billing_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func TestBlobNames(t *testing.T) {
	t.Parallel()
	for name, valid := range map[string]bool{
		"documents/doc_0J.jpg": true, "a": true, ".a": true, "a..b/..c": true, strings.Repeat("n", 255): true,
		"": false, "/": false, "/a": false, "a/": false, "a//b": false, ".": false, "..": false, "a/../b": false,
		"a/./b": false, "a b": false, "a~": false, "é": false, "\xff": false, "a\x00": false, strings.Repeat("n", 256): false,
	} {
		if billing.ValidBlobName(name) != valid {
			t.Errorf("%q: valid is %t", name, !valid)
		}
	}
	for prefix, valid := range map[string]bool{
		"": true, "a": true, "documents/": true, "documents/doc_": true, "..": true,
		"/": false, "../": false, "a//": false, "a b": false,
	} {
		if billing.ValidBlobPrefix(prefix) != valid {
			t.Errorf("prefix %q: valid is %t", prefix, !valid)
		}
	}
}
