// Package clearinghouse simulates a clearinghouse and its payers for anyone's tests:
// the sandbox (package sandboxnet) behind the protocols of real networks. It needs
// only a data folder: no database, no queue.
//
// An SFTP server has the folders inbound and outbound. The reader takes a new file
// out of inbound and gives it to the sandbox, whose messages about it appear in
// outbound when they are due. An https endpoint takes a 270 in the CAQH CORE
// envelopes (SOAP 1.2 and MIME multipart of vC2.2.0, SOAP of Phase IV) and replies
// with the sandbox's 271, and a 276, to which it replies with a 277 about the files that it
// took.
//
// The data folder is the whole state. Each step ends with a rename or with one
// line appended to a log, so that the process may be killed at any point: the next
// one continues, and answers each file exactly once. The state survives the end of
// the process, not that of the machine: nothing is synced to disk.
//
//	files/inbound, files/outbound   what an SFTP client sees
//	state/spool                     files taken out of inbound
//	state/sent                      files of claims, for inquiries about them
//	state/mail, state/*.log         messages that are not due yet, and the sandbox's memory
//	state/ready                     messages on their way to outbound
//	received.log                    a line for each file that was taken
//	password, *_key, *.key, *.crt   made at the first start, mode 0600
//
// Faults make the simulator fail on demand; the table in faults.go lists them.
package clearinghouse
