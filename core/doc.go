// Package core is the inside of Molar: what dental insurance billing is, with
// nothing of how it is reached or kept.
//
//	        Fiber HTTP API       worker binaries        molar command
//	               \                    |                    /
//	                \________  core/<capability>  __________/     use cases: verbs
//	                                    |
//	                   core/billing         ports                 nouns and rules; what the core needs
//	                                    |
//	pgstore  rabbitqueue|memqueue  minioblob|fileblob  imagecodec
//	networks  sandboxnet  edi over x12  webhookhttp
//
// Imports point one way:
//
//	core/billing <- ports <- core/<capability> <- adapters | workers <- cmd
//
// billing holds the whole domain model; a rule that needs only values is a
// method there. intake reads the bodies of requests into it. Each capability is
// one concrete Service with a file for each use case: check, decide, save, emit,
// stage. A capability imports none of the others but intake and idempotency,
// which makes a change at most once for a key. A use case that writes takes an
// idempotency.Write: who asks in which scope, and how to render the reply that is
// kept. Only what the core drives is an interface (package ports), and each has a
// contract suite that all of its adapters pass. A use case never talks to the
// queue about work: it stages a job in the transaction, and the outbox relay
// publishes it after the commit.
//
// The tests of this package hold the architecture: which package may import
// which, and that each says what it is for. The folder adr tells the decisions
// that could have gone the other way.
package core
