package edi_test

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// kinds returns the kinds of parts and their transaction sets.
func kinds(parts iter.Seq[clearing.FilePart]) string {
	var all []string
	for p := range parts {
		kind := string(p.Kind)
		if p.Err != nil {
			kind = "unreadable"
		}
		all = append(all, strings.TrimSpace(kind+" "+strings.Join(p.Sets, "+")))
	}
	return strings.Join(all, ", ")
}

func TestParts(t *testing.T) {
	t.Parallel()
	const head = "ISA*00*          *00*          *ZZ*PAYER          *ZZ*MOLAR          *260304*0506*^*00501*000000907*0*T*:~"
	const ta1, tail = "TA1*000000900*260304*0500*A*000~", "IEA*1*000000907~"
	group := func(ids ...string) (out string) {
		for _, id := range ids {
			out += "GS*XX*A*B*20260304*0506*1*X*1~ST*" + id + "*1~SE*2*1~GE*1*1~"
		}
		return out
	}
	for name, c := range map[string]struct{ content, want string }{
		"only a TA1":            {head + ta1 + tail, "acknowledgement TA1"},
		"997":                   {head + group("997") + tail, "acknowledgement 997"},
		"999 and 277":           {head + ta1 + group("999", "277", "999") + tail, "acknowledgement TA1+999+277"},
		"several interchanges":  {head + ta1 + tail + "\n" + head + group("999") + tail, "acknowledgement TA1+999"},
		"two sets of a group":   {head + "GS*XX*A*B*20260304*0506*1*X*1~ST*835*1~SE*2*1~ST*277*2~SE*2*2~GE*2*1~" + tail, "remittance 835, acknowledgement 277"},
		"a TA1 and an 835":      {head + ta1 + group("835") + tail, "remittance 835, acknowledgement TA1"},
		"a 271 and a 999":       {head + group("271", "999") + tail, "other 271, acknowledgement 999"},
		"three kinds":           {head + group("835") + tail + head + group("999") + tail + head + group("277") + tail + head + group("824") + tail, "remittance 835, acknowledgement 999+277, other 824"},
		"a name of a set":       {head + group("DOE") + tail, "other unknown"},
		"277 with a tail":       {head + group("277") + tail + " and more", "acknowledgement 277"},
		"text between":          {head + group("277") + tail + " and more " + head + group("835") + tail, "acknowledgement 277, remittance 835"},
		"no SE between":         {head + group("999") + tail + head + "GS*HP*A*B*20260304*0506*1*X*1~ST*835*1~" + tail + head + group("835") + tail, "acknowledgement 999, unreadable, remittance 835"},
		"a TA1 and no IEA":      {head + ta1, "unreadable"},
		"an 835, as HTML":       {"<html>ST*835*1~", ""},
		"nothing":               {"", ""},
		"an 837 of our own":     {string(mustFile(t, claimsFile())), "other 837"},
		"an 835 that breaks":    {head + "GS*HP*A*B*20260304*0506*1*X*1~ST*835*1~", "unreadable"},
		"a segment of its own":  {head + "XYZ*1~" + group("835", "999") + tail, "remittance 835, acknowledgement 999"},
		"behind a MIME header":  {"Content-Type: text/plain\n\n" + head + group("835") + tail, "remittance 835"},
		"behind a MIME header,": {"Content-Type: text/plain\n\n" + head + group("835", "999") + tail, "remittance 835, acknowledgement 999"},
	} {
		if got := kinds(edi.New().Parts([]byte(c.content))); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		for p := range edi.New().Parts([]byte(c.content)) {
			if again := kinds(edi.New().Parts(p.Content)); p.Err == nil && again != kinds(slices.Values([]clearing.FilePart{p})) {
				t.Errorf("%s: a part is %s by itself", name, again)
			}
		}
	}
}

// TestMixedFile refuses remittances among acknowledgements, which would be lost.
func TestMixedFile(t *testing.T) {
	t.Parallel()
	content := append(incoming(t, "payer.277"), incoming(t, "remittance.835")...)
	_, err := edi.New().Acknowledgement("mixed", content)
	if err == nil {
		t.Fatal("no error")
	}
	positioned(t, err, len(content))
	if !strings.Contains(err.Error(), "835") {
		t.Error(err)
	}
}

// tryParts proves that each part of a file is a file by itself, of its kind, or has an
// error with a position.
func tryParts(t *testing.T, b []byte) (all []clearing.FilePart) {
	t.Helper()
	all = slices.Collect(edi.New().Parts(b))
	for _, p := range slices.Concat(all, slices.Collect(edi.New().Apart(b))) {
		if p.Err != nil {
			positioned(t, p.Err, len(p.Content))
			continue
		}
		if again := slices.Collect(edi.New().Parts(p.Content)); len(again) != 1 || again[0].Kind != p.Kind || !bytes.Equal(again[0].Content, p.Content) {
			t.Fatalf("a part of %q is %+v: %q", b, again, p.Content)
		}
	}
	return all
}

// FuzzParts takes any file apart.
func FuzzParts(f *testing.F) {
	seedClaims(f)
	f.Add(mustFile(f, claimsFile()))
	f.Add(slices.Concat(incoming(f, "payer.277"), incoming(f, "remittance.835")))
	f.Fuzz(func(t *testing.T, b []byte) {
		tryParts(t, b)
		for set := range edi.New().Apart(b) {
			if again := slices.Collect(edi.New().Apart(set.Content)); set.Err == nil && (len(again) != 1 || !bytes.Equal(again[0].Content, set.Content)) {
				t.Fatalf("%q became %+v", set.Content, again)
			}
		}
	})
}
