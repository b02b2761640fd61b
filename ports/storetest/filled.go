package storetest

import (
	"crypto/rand"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
)

// Filled returns a value without zero fields at any depth. A test that stores
// or copies it notices a missing field. Lists have two elements, and no two
// strings or IDs are equal.
func Filled[T any](t testing.TB) (v T) {
	t.Helper()
	fill(t, reflect.ValueOf(&v).Elem())
	return v
}

func fill(t testing.TB, v reflect.Value) {
	t.Helper()
	day := billing.Date{Year: 2026, Month: 5, Day: 4}
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 5, 4, 3, 2, 1, 7000, time.UTC)))
		return
	case billing.Date:
		v.Set(reflect.ValueOf(day))
		return
	case network.Options: // its stored form has valid values only
		own := map[string]json.RawMessage{"upload": json.RawMessage(`"direct"`)}
		v.Set(reflect.ValueOf(network.Options{Notes: 3, PollInterval: time.Minute, Own: own}))
		return
	case map[string]json.RawMessage:
		v.Set(reflect.ValueOf(map[string]json.RawMessage{"SFTP": json.RawMessage(`{"Addr":"example.com:22"}`)}))
		return
	case network.Secrets:
		v.Set(reflect.ValueOf(network.Secrets(`{"Password":"hunter2"}`)))
		return
	}
	switch v.Kind() { //nolint:exhaustive // the rest is for the default
	case reflect.String:
		v.SetString(rand.Text() + unicode)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(uint64(rand.Text()[0]))
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(rand.Text()[0]))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0))
		fill(t, v.Index(1))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key)
		fill(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	default:
		t.Fatalf("no value is known for a %s", v.Type())
	}
}
