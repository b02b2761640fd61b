// An estimate beside what payers decided of its claim.
import { useState } from "react";
import { type Schemas, useClient } from "../../api/client";
import { Button } from "../../ui/button";
import { dollars, Money, None, words } from "../../ui/format";
import { Go } from "../../ui/link";
import { Read, Section } from "../../ui/page";
import { Table } from "../../ui/table";
import { between } from "./lines";

/** Accuracy compares an estimate with the payment when a person asks for it. */
export function Accuracy({ id }: { id: string }) {
  const { api } = useClient();
  const [asked, setAsked] = useState(false);
  const accuracy = api.useQuery(
    "get",
    "/estimates/{id}/accuracy",
    { params: { path: { id } } },
    { enabled: asked },
  );
  return (
    <Section title="After the payment" flush={accuracy.data !== undefined}>
      {asked ? (
        <Read of={accuracy} rows={3}>
          {(a) => <Compared of={a} />}
        </Read>
      ) : (
        <p>
          <Button onClick={() => setAsked(true)}>Compare with the payment</Button>
        </p>
      )}
    </Section>
  );
}

function Compared({ of: a }: { of: Schemas["EstimateAccuracy"] }) {
  const t = a.totals;
  return (
    <>
      <p className="card-note">
        {`The patient owes ${dollars(t.patient_responsibility)}. The estimate had ${between(t.estimated)}. `}
        <Go to={`/claims/${a.claim_id}`}>The claim</Go>
      </p>
      {a.uncertain.map((text) => (
        <p key={text} className="card-note">
          {text}
        </p>
      ))}
      <Table
        caption="Compared with the payment"
        rows={a.lines}
        id={(l) => String(l.line_number)}
        columns={[
          {
            head: "Service",
            cell: (l) => (
              <span>
                <span className="strong">{words(l.procedure)}</span>
                <span className="sub">{l.procedure_code}</span>
              </span>
            ),
          },
          { head: "Plan was to pay", right: true, cell: (l) => between(l.estimated.plan_pays) },
          { head: "Plan paid", right: true, cell: (l) => <Money value={l.decided?.plan_paid} /> },
          {
            head: "Patient was to pay",
            right: true,
            cell: (l) => between(l.estimated.patient_pays),
          },
          {
            head: "Patient owes",
            right: true,
            cell: (l) => <Money strong value={l.decided?.patient_responsibility} />,
          },
          {
            head: "Why",
            cell: (l) =>
              l.because.length > 0 ? l.because.join(" ") : <None said="no difference" />,
          },
        ]}
      />
    </>
  );
}
