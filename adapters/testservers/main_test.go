package testservers_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/testservers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }
