package sandboxnet_test

import (
	"bytes"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/claims"
)

// TestOtherVersions sends groups of other guides: a professional claim, and a dental
// one of an older standard. The acknowledgement refuses each by its version.
func TestOtherVersions(t *testing.T) {
	t.Parallel()
	good := file(t, newClaim("C-1", "-PAID-ERA", aetna()))
	for version, want := range map[string]string{
		"005010X224A3": "~AK5*A~AK9*A*1*1*1~",
		"005010X222A2": "~AK5*R*1~AK9*R*1*1*0*2~",
		"004010X097A1": "~AK5*R*1~AK9*R*1*1*0*2~",
	} {
		files := replies(t, bytes.ReplaceAll(good, []byte("005010X224A2"), []byte(version)), before)
		if got := files[".997"].Content; !bytes.Contains(got, []byte(want)) || (len(files) > 1) != (version == "005010X224A3") {
			t.Errorf("%s: %d files, %s", version, len(files), got)
		}
	}
}

// TestWrongCount sends a file whose SE has another number than that of its segments.
func TestWrongCount(t *testing.T) {
	t.Parallel()
	wrong := bytes.Replace(file(t, newClaim("C-1", "-PAID-ERA", aetna())), []byte("~SE*"), []byte("~SE*1"), 1)
	files := replies(t, wrong, before)
	if got := files[".997"].Content; !bytes.Contains(got, []byte("~AK5*R*4~AK9*R*1*1*0~")) || len(files) != 1 {
		t.Errorf("%d files, %s", len(files), got)
	}
}

// TestSharedContact sends a claim whose billing provider states no contact. The
// submitter's stands for it.
func TestSharedContact(t *testing.T) {
	t.Parallel()
	c := newClaim("C-1", "-PAID-ERA", aetna())
	c.Billing.Contact, c.Billing.Phone = "", ""
	alone := file(t, c)
	batches, _, err := claims.Decode(bytes.NewReader(alone))
	if err != nil {
		t.Fatal(err)
	}
	batches[0].Submitter.Phone = "5185550100"
	var shared bytes.Buffer
	if err := claims.Encode(&shared, &batches[0]); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{"none": {alone, "A6:127:85"}, "the submitter's": {shared.Bytes(), "A1:16:PR"}} {
		if got := statuses(t, replies(t, test.content, before)["-clearinghouse-1.277"].Content); !sameWords(got, test.want) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
