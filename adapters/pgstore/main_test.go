package pgstore_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/testservers"
)

func TestMain(m *testing.M) { testservers.Main(m).Run() }
