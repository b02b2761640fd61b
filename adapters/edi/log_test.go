package edi_test

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
)

// TestFaultsAreLogged reads one message of each kind with a wrong control number in
// SE02. The log has its position, and nothing of the patient.
func TestFaultsAreLogged(t *testing.T) {
	t.Parallel()
	trailer := regexp.MustCompile(`(~\s*SE\*\d+\*)[^~]*~`)
	wrong := func(file []byte) []byte { return trailer.ReplaceAll(file, []byte("${1}9999~")) }
	for name, read := range map[string]func(*edi.Codec) error{
		"271": func(c *edi.Codec) error {
			_, err := c.Answer(inquiry270(), [][]byte{wrong(about("EB*1**35"))})
			return err
		},
		"277": func(c *edi.Codec) error {
			_, err := c.Acknowledgement("277", wrong(incoming(t, "payer.277")))
			return err
		},
		"acknowledgement": func(c *edi.Codec) error {
			_, err := c.Acknowledgement("999", wrong(incoming(t, "functional.999")))
			return err
		},
		"835": func(c *edi.Codec) error {
			_, err := c.Payments("835", wrong([]byte(onePayment("0"))), 0)
			return err
		},
		"claims of an 835": func(c *edi.Codec) error {
			for _, err := range c.Claims(wrong([]byte(onePayment("0", "CLP*A*1*0*0~NM1*QC*1*ROE*JANE~")))) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			if err := read(edi.NewLogging(slog.New(slog.NewJSONHandler(&log, nil)))); err != nil {
				t.Fatal(err)
			}
			said := log.String()
			if !strings.Contains(said, `"message":"`+name+`"`) || !strings.Contains(said, "control number") || strings.Contains(said, "ROE") {
				t.Errorf("the log has %q", said)
			}
		})
	}
}
