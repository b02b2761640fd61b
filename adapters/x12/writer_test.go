package x12_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
)

func TestWriter(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 3600))
	var w x12.Writer
	w.OpenInterchange(x12.Interchange{Sender: "a very long sender", ReceiverQualifier: "30", Receiver: "r*", Created: at, Control: 1_567_890_123, Test: true})
	w.OpenGroup(x12.Group{FunctionalID: "HS", Sender: "s", Created: at, Control: 7, Version: "005010X279A1"})
	for range 2 {
		w.OpenSet(x12.Set{ID: "270", Control: "0001", Version: "005010X279A1"})
		w.Segment("EQ", "35", "", x12.Text("ind"), "", "")
		for _, gender := range []string{"", "F"} {
			if f := w.Fields(); f.Optional("DMG") {
				f.Code(3, &gender)
			}
		}
		w.Close()
	}
	w.Close()
	w.OpenGroup(x12.Group{FunctionalID: "HC", Receiver: "r", Created: at, Version: "v"})
	w.OpenSet(x12.Set{ID: "837", Control: "0002"})
	got := strings.ReplaceAll(string(w.Bytes()), "~", "~\n")
	want := `ISA*00*          *00*          *ZZ*A VERY LONG SEN*30*R              *260304*0406*^*00501*567890123*0*T*:~
GS*HS*S*0*20260304*040607*7*X*005010X279A1~
ST*270*0001*005010X279A1~
EQ*35**IND~
DMG***F~
SE*4*0001~
ST*270*0001*005010X279A1~
EQ*35**IND~
DMG***F~
SE*4*0001~
GE*2*7~
GS*HC*0*R*20260304*040607*1*X*V~
ST*837*0002~
SE*2*0002~
GE*1*1~
IEA*2*567890123~
`
	if got != want {
		t.Errorf("written:\n%s\nwant:\n%s", got, want)
	}
	r := x12.NewReader(strings.NewReader(got), x12.Limits{})
	if _, err := ids(r); !errors.Is(err, io.EOF) || len(r.Warnings()) > 0 {
		t.Errorf("read back: %v, %v", err, r.Warnings())
	}
}

// TestFlush proves that what is written in parts is what is written at once.
func TestFlush(t *testing.T) {
	t.Parallel()
	write := func(flush func(w *x12.Writer)) []byte {
		var w x12.Writer
		w.OpenInterchange(x12.Interchange{Control: 1})
		w.OpenGroup(x12.Group{FunctionalID: "HC", Control: 1, Version: "v"})
		w.OpenSet(x12.Set{ID: "837", Control: "0001"})
		for range 3 {
			w.Segment("LX", "1")
			flush(&w)
		}
		return w.Bytes()
	}
	var parts bytes.Buffer
	parts.Write(write(func(w *x12.Writer) {
		if err := w.Flush(&parts); err != nil {
			t.Error(err)
		}
	}))
	if whole := write(func(*x12.Writer) {}); !bytes.Equal(parts.Bytes(), whole) {
		t.Errorf("in parts:\n%s\nat once:\n%s", parts.Bytes(), whole)
	}
	var w x12.Writer
	w.OpenInterchange(x12.Interchange{})
	if err := w.Flush(full{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v, want the one of what is written to", err)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
