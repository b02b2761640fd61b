package pgstore

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

// message returns a message from the server.
func message(kind byte, content string) string {
	return string(binary.BigEndian.AppendUint32([]byte{kind}, uint32(4+len(content)))) + content
}

// script is a socket whose peer has already sent everything.
type script struct {
	net.Conn
	in  io.Reader
	out bytes.Buffer
}

func (s *script) Read(b []byte) (int, error)  { return s.in.Read(b) }
func (s *script) Write(b []byte) (int, error) { return s.out.Write(b) }

var (
	beginReply     = message('2', "") + message('C', "BEGIN\x00") + message('2', "") + message('D', "\x00\x02\x00\x00\x00\x0542000\xff\xff\xff\xff") + message('C', "SELECT 1\x00")
	commitReply    = message('C', "COMMIT\x00") + message('Z', "I")
	beginRefused   = message('C', "BEGIN\x00") + message('E', "C22023\x00\x00") + message('Z', "E")
	statementReply = message('2', "") + message('D', "\x00\x01\x00\x00\x00\x01x") + message('C', "SELECT 1\x00") + message('Z', "T")
	failedReply    = message('E', "C25P02\x00\x00") + message('Z', "E")
)

// TestPipeline checks what reaches lib/pq of the replies to a COMMIT that it did
// not send, to a BEGIN in front of its statement, and to the statement.
func TestPipeline(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, replies, want, first string }{
		{"all is well", commitReply + beginReply + statementReply, statementReply, "42000"},
		{"the statement fails", commitReply + beginReply + failedReply, failedReply, "42000"},
		{"begin is refused", commitReply + beginRefused, message('E', "C22023\x00\x00") + message('Z', "E"), ""},
		{"notices come in between", message('N', "n") + commitReply + message('S', "a\x00b\x00") + beginReply + statementReply, statementReply, "42000"},
		{"the commit is refused", failedReply + beginReply + statementReply, failedReply, ""},
		{"the commit is refused, and so is begin", failedReply + beginRefused, failedReply, ""},
		{"the statement has no row", commitReply + beginReply + message('C', "SELECT 0\x00") + message('Z', "T"), message('C', "SELECT 0\x00") + message('Z', "T"), "42000"},
		{"the server shuts down", commitReply + message('E', "C57P01\x00\x00"), message('E', "C57P01\x00\x00"), ""},
		{"the server is gone", commitReply + beginReply[:9], "", ""},
	} {
		for _, slow := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
			peer := &script{in: slow(bytes.NewReader([]byte(test.replies)))}
			p := newPipeline(peer)
			if err := p.post([]byte("COMMIT")); err != nil {
				t.Fatal(err)
			}
			p.ride(&batch{[]byte("BEGIN"), 2})
			if n, err := p.Write([]byte("statement")); n != len("statement") || err != nil || p.riding() {
				t.Errorf("%s: Write = %d, %v", test.name, n, err)
			}
			got, err := io.ReadAll(p)
			if string(got) != test.want || p.now != test.first || err != nil {
				t.Errorf("%s: lib/pq reads %q, %v with first column %q; want %q with %q", test.name, got, err, p.now, test.want, test.first)
			}
			if sent := peer.out.String(); sent != "COMMITBEGINstatement" {
				t.Errorf("%s: sent %q", test.name, sent)
			}
		}
	}
}

// TestPipelineEnds sends COMMIT with a statement, and then not again.
func TestPipelineEnds(t *testing.T) {
	t.Parallel()
	for _, rider := range []string{"", "BEGIN"} {
		replies := statementReply + commitReply
		if rider != "" {
			replies = beginReply + replies
		}
		peer := &script{in: strings.NewReader(replies)}
		p := newPipeline(peer)
		if rider != "" {
			p.ride(&batch{[]byte(rider), 2})
		}
		p.end([]byte("COMMIT"))
		for _, message := range []string{"statement", "COMMIT", "next"} {
			if n, err := p.Write([]byte(message)); n != len(message) || err != nil {
				t.Errorf("Write(%s) = %d, %v", message, n, err)
			}
		}
		if got, err := io.ReadAll(p); string(got) != statementReply+commitReply || err != nil {
			t.Errorf("lib/pq reads %q, %v", got, err)
		}
		if sent := peer.out.String(); sent != rider+"statementCOMMITnext" {
			t.Errorf("sent %q", sent)
		}
	}
}

// FuzzPipeline compares the pipeline with itself on a slower socket, and checks that it
// never invents a byte.
func FuzzPipeline(f *testing.F) {
	f.Add([]byte(commitReply+beginReply+statementReply), uint8(1), uint8(2))
	f.Add([]byte(beginRefused), uint8(0), uint8(2))
	f.Add([]byte("D\x00\x00\x00\x00"), uint8(1), uint8(0))
	f.Add([]byte("D\xff\xff\xff\xff\x00\x01"), uint8(0), uint8(1))
	f.Add([]byte("K\xff\xff\xff\xff\x00\x01"), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, replies []byte, dropped, opening uint8) {
		read := func(slow func(io.Reader) io.Reader) (string, string) {
			p := newPipeline(&script{in: slow(bytes.NewReader(replies))})
			p.dropped, p.opening = int(dropped), int(opening)
			got, _ := io.ReadAll(p)
			return string(got), p.now
		}
		fast, first := read(func(r io.Reader) io.Reader { return r })
		slow, again := read(iotest.OneByteReader)
		if fast != slow || first != again {
			t.Errorf("read %q with %q, then %q with %q", fast, first, slow, again)
		}
		if len(fast) > len(replies) || dropped == 0 && opening == 0 && !strings.HasPrefix(string(replies), fast) {
			t.Errorf("read %q of %q", fast, replies)
		}
	})
}
