package sftpnet_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/sftpnet"
	"github.com/molar-billing/molar/ports/networktest"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	networktest.Options(t, sftpnet.Kind().Kind, porttest.Payers(t), []networktest.Option{
		{Name: "upload", Value: `"direct"`, Bad: []string{`""`, `true`, `"Direct"`}},
		{Name: "temp_prefix", Value: `".part-"`, Bad: []string{`""`, `"a/b"`, `"a b"`, `null`, `"` + strings.Repeat("x", 41) + `"`}},
		{Name: "temp_folder", Value: `"/in/tmp"`, Bad: []string{`"a\nb"`, `7`, `"` + strings.Repeat("x", 1025) + `"`}},
		{Name: "after_receipt", Value: `"delete"`, Bad: []string{`""`, `"burn"`}},
	})
}
