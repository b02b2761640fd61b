// From a check to the payment of a claim, in test mode. With MOLAR_API_KEY and MOLAR_BASE_URL of molar dev:
//
//     node quick-start.js [visit]
//
// The keys of its writes come from the visit: run it again with the same visit, and it sends nothing twice, that day.
import { InvalidRequestError, Molar } from "@molar-billing/molar";

const client = new Molar();
const visit = process.argv[2] ?? `visit-${Date.now()}`;
const office = (await client.offices.list().page()).data[0];
if (!office) throw new Error("there is no office: create one with client.offices.create");
const yesterday = new Date(Date.now() - 24 * 3600 * 1000).toISOString().slice(0, 10);

const patient = {
  first_name: "Jane",
  last_name: "Doe",
  date_of_birth: "1985-04-12",
  member_id: "SANDBOX-NAME-MISMATCH",
};
let check = await client.eligibility.create(
  { office_id: office.id, payer_id: "CHTEST", subscriber: patient },
  { idempotencyKey: `${visit}-check` },
);
if (check.rejection) {
  console.log(`The payer rejected the check: ${check.rejection.reasons[0]?.fix}`);
  check = await client.eligibility.retry(check, client.eligibility.suggested(check), {
    idempotencyKey: `${visit}-check-2`,
  });
}
const left = check.maximums?.find((maximum) => maximum.remaining !== null)?.remaining;
console.log(`Coverage is ${check.status}; of the maximum, ${left ?? "an unknown amount"} is left.`);

try {
  const claim = await client.claims.create(
    {
      office_id: office.id,
      payer_id: "CHTEST",
      submit: true,
      subscriber: {
        ...patient,
        member_id: "SANDBOX-PAID-ERA",
        gender: "female",
        address: { line1: "2 Oak Street", city: "Springfield", state: "IL", zip: "62701" },
      },
      lines: [{ procedure_code: "D2740", fee: "1000.00", tooth: "14", service_date: yesterday }],
    },
    { idempotencyKey: `${visit}-claim` },
  );
  for (const finding of claim.findings) console.log(`${finding.field}: ${finding.message}`);
  // What takes weeks happens now: the clock of test mode moves until nothing waits.
  await client.sandbox.advanceClock({ until: "idle" });
  const decided = await client.claims.wait(claim.id, ["paid", "denied"]);
  console.log(`The claim is ${decided.state}: the payer paid ${decided.payment?.paid} dollars.`);
} catch (error) {
  if (!(error instanceof InvalidRequestError)) throw error;
  for (const fault of error.faults) console.error(`${fault.field}: ${fault.message}`);
  process.exitCode = 1;
}
