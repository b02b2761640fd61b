package storetest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports/filltest"
)

// Filled returns a value without zero fields at any depth. The stored form of connections has valid values only.
func Filled[T any](t testing.TB) T {
	t.Helper()
	own := map[string]json.RawMessage{"upload": json.RawMessage(`"direct"`)}
	return filltest.Filled[T](t, network.Options{Notes: 3, PollInterval: time.Minute, Own: own}, network.Secrets(`{"Password":"hunter2"}`),
		map[string]json.RawMessage{"SFTP": json.RawMessage(`{"Addr":"example.com:22"}`)})
}
