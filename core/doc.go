// Package core is the inside of Molar: the rules of dental insurance billing,
// without the ways to call or store them.
//
//	        Fiber HTTP API       worker binaries        molar command
//	               \                    |                    /
//	                \________  core/<capability>  __________/     use cases: verbs
//	                                    |
//	                   core/billing         ports                 nouns and rules; what the core needs
//	                                    |
//	pgstore  rabbitqueue|memqueue  minioblob|fileblob  imagecodec
//	routing  sandboxnet|corenet|sftpnet  edi over x12  webhookhttp
//
// Imports point one way:
//
//	core/billing <- core/jobs <- ports <- core/<capability> <- httpapi, cli | workers <- cmd
//
// The other adapters know the nouns, the jobs and the ports, and no capability.
//
// The nouns are packages below core/billing, which itself has the values that all of
// them use. Each knows only what stands below it:
//
//	network      connections, routes, enrollments; what networks carry, and how
//	quarantine   files that wait for a person
//	retention    how long data stays, and what is held
//	claimstatus  what payers answer when they are asked about a claim, and when they are asked
//	report       what reports add up of claims
//	claim        claims, the rules that judge them, the ledger of what was decided
//	posting      which claims are reconciled with their remittance
//	automation   what Molar does with remittances without a person
//	advice       what payers want to see with a claim, and the organization's own rules about it
//	contract     what payers are bound to allow, beside what they do
//	remit        remittances (835): what a payer decided; they know no claim
//	attachment   images, and the payer requests that they answer
//	estimate     what a patient will pay, from the answer of a check
//	scenario     what the payers of the sandbox can be made to do
//	fee          fee schedules: what an office charges, and what a payer allows
//	coverage     eligibility checks and benefits
//	restore      copies of live files, from which a restored database learns what it lacks
//	clearing     batches, received files, acknowledgements; they know no claim
//	caller       organizations, users, sessions, keys, the audit
//	webhook      endpoints and deliveries
//	fault        faults that an organization orders for its requests in test mode
//	sandbox      the clock of test mode, and the work that waits for it
//	directory    offices, providers, patients, payers
//	event        what happened to a resource
//
// A rule that needs only values is a method there; one that needs two nouns belongs to
// the upper one. intake parses the bodies of requests for them. Each capability but
// intake and lists is one concrete Service with a file for each use case: check, decide, save, emit, stage.
//
// A capability imports no other except intake, lists, which reads, and
// idempotency, which makes a change at most once for a key. A use case that writes
// for a caller with a key receives an idempotency.Write: the scope, the caller, and how to render the reply that
// is stored.
//
// Only what the core drives is an interface (package ports). The store, the
// queue, the blobs and the networks have contract suites that all of their adapters pass. A use case never sends work to the
// queue itself: it stages a job in the transaction, and the outbox relay publishes
// the job after the commit.
//
// The HTTP API stands on a server of its own, adapters/httpapi/httpserver, which knows
// HTTP and no route.
//
// The tests of this package enforce the architecture: which package may import
// which, and that each has a package comment. The folder adr records the decisions
// that could have gone the other way.
package core
