package remittance_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/adapters/x12/x12test"
)

// readAll keeps all that r has, up to the error if there is one.
func readAll(r io.Reader) (all []remittance.Remittance, warnings []x12.Warning, err error) {
	d := remittance.NewDecoder(r)
	for {
		p, err := d.Next()
		if errors.Is(err, io.EOF) {
			return all, d.Warnings(), nil
		}
		if err != nil {
			return all, d.Warnings(), err
		}
		var claims []remittance.Claim
		for {
			c, err := d.NextClaim()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return all, d.Warnings(), err
			}
			claims = append(claims, *c.Clone())
		}
		all = append(all, remittance.Remittance{Payment: *p, Claims: claims})
	}
}

// encode writes the remittances in the envelope of the first.
func encode(t *testing.T, all []remittance.Remittance) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := remittance.Encode(&b, all[0].Interchange, all[0].Group, all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bare are the remittances without what is about the input and not about them.
func bare(all []remittance.Remittance) []remittance.Remittance {
	var copies []remittance.Remittance
	for _, r := range all {
		r.Interchange, r.Group = x12.Interchange{}, x12.Group{}
		r.Control, r.Version, r.Span = "", "", remittance.Span{}
		r.Balance.Findings = bareFindings(r.Balance.Findings)
		var claims []remittance.Claim
		for i := range r.Claims {
			c := r.Claims[i].Clone()
			c.Segment, c.Offset = 0, 0
			c.Findings = bareFindings(c.Findings)
			for n := range c.Services {
				c.Services[n].Segment = 0
			}
			claims = append(claims, *c)
		}
		r.Claims = claims
		copies = append(copies, r)
	}
	return copies
}

func bareFindings(all []remittance.Finding) []remittance.Finding {
	var copies []remittance.Finding
	for _, f := range all {
		f.Segment = 0
		copies = append(copies, f)
	}
	return copies
}

// samples are the files of testdata by name.
func sample(tb testing.TB, name string) []byte {
	tb.Helper()
	b, ok := x12test.Samples(tb)[name]
	if !ok {
		tb.Fatalf("no sample %s", name)
	}
	return b
}
