package statusrequest

import "github.com/molar-billing/molar/adapters/x12"

// The codes of HL03.
const (
	levelSource     = "20"
	levelReceiver   = "21"
	levelProvider   = "19"
	levelSubscriber = "22"
	levelDependent  = "23"
)

// setControl is ST02 of the one transaction set that the encoder writes.
const setControl = "0001"

// Encode writes the 276. It cuts values to the guide's lengths. A name without ASCII letters
// becomes X, because NM103 must not be empty.
func Encode(q *Inquiry) []byte {
	var w x12.Writer
	g := q.Group
	g.FunctionalID, g.Version = "HR", Version
	w.Open(q.Interchange, g, x12.Set{ID: "276", Control: setControl, Version: Version})
	f := w.Fields()
	q.header(f)
	at := w.Level(0, levelSource, x12.Child(true))
	name(f, q.Payer)
	at = w.Level(at, levelReceiver, x12.Child(true))
	name(f, q.Receiver)
	at = w.Level(at, levelProvider, x12.Child(true))
	name(f, q.Provider)
	at = w.Level(at, levelSubscriber, x12.Child(q.Dependent != nil))
	q.Subscriber.write(f)
	if q.Dependent != nil {
		w.Level(at, levelDependent, "") // the guide has no HL04 here
		q.Dependent.write(f)
	}
	for i := range q.Claims {
		q.Claims[i].write(f)
	}
	return w.Bytes()
}

func (p *Person) write(f *x12.Fields) {
	p.loop(f)
	name(f, p.Name)
}

func (c *Claim) write(f *x12.Fields) {
	f.Segment("TRN")
	f.Const(1, "1").Text(2, &c.Trace, x12.MaxReference)
	c.loop(f)
	for i := range c.Lines {
		l := &c.Lines[i]
		f.Segment("SVC")
		l.fields(f)
		l.loop(f)
	}
}

// name writes an NM1. The qualifier of an ID stands beside it, or not at all.
func name(f *x12.Fields, n Name) {
	if x12.Text(n.Last) == "" {
		n.Last = "X"
	}
	f.Segment("NM1")
	if n.Fields(f); x12.Text(n.ID) == "" {
		f.Put(8, "")
	}
}
