// Claims that come from other claims: to the next payer, and from a
// predetermination once its services are done.
import { type ReactNode, useRef, useState } from "react";
import { isAPIError, type Schemas, seen, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { Button } from "../../ui/button";
import { useLeaving } from "../../ui/dialog";
import { Check, DateField, type Fault, FaultsOf, SelectField } from "../../ui/form";
import { cents, dollars, Money, name } from "../../ui/format";
import { useChords } from "../../ui/keys";
import { Go, useGo } from "../../ui/link";
import { changedOf, Meanwhile } from "../../ui/meanwhile";
import { attend, Notice, Page, Read, Section } from "../../ui/page";
import { PayerPicker, type PickedPayer } from "../../ui/payer-picker";
import { useToast } from "../../ui/toast";
import { Closed, Loaded } from "./form";
import { type Claim, nextPayer, subscriberOf } from "./form-data";
import { Faulty } from "./form-faults";
import { relationships, SubscriberFields } from "./form-people";
import { where } from "./lines";
import { nextPlanOf, personIn } from "./next-plan";

/** Made is the frame of a form that makes a claim from another one. */
function Made<In extends object>({
  claim: c,
  title,
  about,
  action,
  charge,
  typed,
  catchUp,
  faultOf,
  body,
  send: request,
  children,
}: {
  claim: Claim;
  title: string;
  about: ReactNode;
  action: string;
  charge: string;
  typed: boolean;
  catchUp: (now: Claim) => void; // with what others changed meanwhile
  body: () => In;
  faultOf?: (f: Fault) => Fault;
  send: (
    fetch: ReturnType<typeof useClient>["fetch"],
    key: { "Idempotency-Key": string; "If-Match": string },
    body: In,
  ) => Promise<{ data?: Claim; error?: unknown }>;
  children: ReactNode;
}) {
  const client = useClient();
  const go = useGo();
  const toast = useToast();
  const leaving = useLeaving(() => typed);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const send = useSend<In, Claim>(
    (fetch, key, body) => request(fetch, { ...key, ...seen(c) }, body),
    {
      quiet: true,
      failed: (e) => {
        setFaults(isAPIError(e) ? e.errors.map((f) => faultOf?.(f) ?? f) : []);
        if (changedOf(e)) void look();
      },
      done: (out) => {
        leaving.mayLeave();
        if (out.findings.length === 0) toast.good("The claim is ready to send.");
        go(out.findings.length > 0 ? `/claims/${out.id}/edit` : `/claims/${out.id}`);
      },
    },
  );
  const look = async () => {
    const { data } = await client.fetch.GET("/claims/{id}", { params: { path: { id: c.id } } });
    if (data) catchUp(data);
  };
  const form = useRef<HTMLFormElement>(null);
  useChords({ enter: () => form.current?.requestSubmit() });
  const refused = send.error;
  const changed = changedOf(refused);
  return (
    <FaultsOf list={faults} request={body()}>
      <Page
        title={title}
        above={<Go to={`/claims/${c.id}`}>{name(c.patient_name)}</Go>}
        about={about}
      >
        <form
          className="stack claim-form"
          aria-label={title}
          onSubmit={(e) => {
            e.preventDefault();
            if (!send.isPending) send.go(body());
          }}
          ref={form}
        >
          {changed && <Meanwhile changed={changed} />}
          {refused && !changed && <Faulty ref={attend} refused={refused} given={faults.length} />}
          {children}
          <div className="save-bar no-print">
            <p className="save-total">
              <strong className="numbers">{dollars(charge)}</strong>
            </p>
            <Button look="primary" type="submit" busy={send.isPending} title="Ctrl Enter">
              {action}
            </Button>
          </div>
        </form>
        {leaving.dialog}
      </Page>
    </FaultsOf>
  );
}

/** SecondaryClaim bills the patient's second payer for the same services. */
export function SecondaryClaim() {
  return (
    <Loaded title="Bill the next payer">
      {(c) => {
        const check = c.second_plan?.eligibility_id;
        return check ? (
          <Shown key={c.id} claim={c} check={check} />
        ) : (
          <Secondary key={c.id} claim={c} />
        );
      }}
    </Loaded>
  );
}

/** Shown fills the form from the check that shows the plan. One that cannot be read leaves it
 *  empty. */
function Shown({ claim, check: id }: { claim: Claim; check: string }) {
  const { api } = useClient();
  const check = api.useQuery("get", "/eligibility/{id}", { params: { path: { id } } });
  if (!check.isPending) return <Secondary claim={claim} check={check.data} />;
  return (
    <Page title="Bill the next payer" above={<Go to={`/claims/${claim.id}`}>Claim</Go>}>
      <Read card of={check} rows={10}>
        {() => null}
      </Read>
    </Page>
  );
}

function Secondary({ claim, check }: { claim: Claim; check?: Schemas["EligibilityCheck"] }) {
  const [c, setC] = useState(claim); // as the person has seen it
  const next = nextPayer(c);
  const [known] = useState(() => nextPlanOf(claim, check));
  const [payer, setPayer] = useState<PickedPayer | null>(known.payer);
  const [relationship, setRelationship] = useState(known.relationship);
  const [subscriber, setSubscriber] = useState(known.subscriber);
  const [typed, setTyped] = useState(false);
  const self = (copy: boolean) => {
    if (!copy) return;
    setSubscriber((s) => ({ ...s, ...personIn(c) }));
  };
  const { api } = useClient();
  const billed = api.useQuery(
    "get",
    "/claims/{id}",
    { params: { path: { id: c.secondary_claim_id ?? "" } } },
    { enabled: !!c.secondary_claim_id },
  );
  if (!next)
    return (
      <Closed claim={c}>
        This claim is to the tertiary payer. Molar bills three payers for the same services.
      </Closed>
    );
  if (c.secondary_claim_id && billed.data?.state !== "voided")
    return (
      <Closed claim={c}>
        This claim was already billed to the {next} payer.{" "}
        <Go to={`/claims/${c.secondary_claim_id}`}>Show that claim</Go>
      </Closed>
    );
  return (
    <Made
      claim={c}
      title={`Bill the ${next} payer`}
      about={
        <>
          Molar makes a claim for the same services, with the {c.coverage} payer&apos;s decision.
          You check it before you send it.
        </>
      }
      action={`Make the ${next} claim`}
      charge={c.totals.charge}
      typed={typed}
      catchUp={setC}
      body={() => ({
        payer_id: payer?.payer_id ?? "",
        relationship: relationship as "self",
        subscriber: subscriberOf(subscriber) as Schemas["SecondaryRequest"]["subscriber"],
        group_number: subscriber.group_number.trim() || null,
        group_name: subscriber.group_name.trim() || null,
      })}
      send={(fetch, key, body: Schemas["SecondaryRequest"]) =>
        fetch.POST("/claims/{id}/bill_secondary", {
          params: { path: { id: c.id }, header: key },
          body,
        })
      }
    >
      <Section title={`What the ${c.coverage} payer decided`}>
        {c.payment ? (
          <p>
            {c.payer.name} paid <Money value={c.payment.paid} strong /> of{" "}
            <Money value={c.totals.charge} />. The patient owes{" "}
            <Money value={c.payment.patient_responsibility} strong /> before the {next} plan.
          </p>
        ) : (
          <Notice tone="warn">
            {c.payer.name} has not decided the claim yet. The {next} claim waits for that decision
            and takes it from the remittance.
          </Notice>
        )}
      </Section>
      <Section title={`The ${next} plan`}>
        {check && (
          <p>
            The form has the plan as <Go to={`/eligibility/${check.id}`}>the check</Go> asked about
            it.
          </p>
        )}
        <div className="fields" onChange={() => setTyped(true)}>
          <PayerPicker
            label="Payer"
            accepts="claims"
            path="payer_id"
            value={payer}
            onChange={(p) => {
              setPayer(p);
              setTyped(true);
            }}
          />
          <SelectField
            label="Patient's relationship"
            path="relationship"
            value={relationship}
            onChange={(r) => {
              setRelationship(r);
              self(r === "self" && subscriber.first_name === "");
            }}
            options={[["", "Choose"], ["self", "Self"], ...relationships.slice(1)]}
          />
        </div>
        <h3>Subscriber of the {next} plan</h3>
        <SubscriberFields
          value={subscriber}
          set={(change) => {
            setSubscriber((s) => ({ ...s, ...change }));
            setTyped(true);
          }}
          path="subscriber"
        />
      </Section>
    </Made>
  );
}

/** ConvertClaim makes a claim of the services of a predetermination that are done. */
export function ConvertClaim() {
  return <Loaded title="Convert to a claim">{(c) => <Convert key={c.id} claim={c} />}</Loaded>;
}

function Convert({ claim }: { claim: Claim }) {
  const [c, setC] = useState(claim); // as the person has seen it
  const [done, setDone] = useState(() => c.lines.map(() => ({ done: true, day: "" })));
  const [typed, setTyped] = useState(false);
  const put = (i: number, change: Partial<{ done: boolean; day: string }>) => {
    setTyped(true);
    setDone((all) =>
      all.map((d, n) => {
        if (n === i) return { ...d, ...change };
        // The first date is that of all services.
        return change.day && d.done && d.day === "" ? { ...d, day: change.day } : d;
      }),
    );
  };
  /** catchUp lets what was chosen stay at its service. */
  const catchUp = (now: Claim) => {
    const was = c.lines.map((l) => JSON.stringify(l));
    const at = (i: number, l: string) => (was[i] === l ? i : was.indexOf(l));
    setDone(now.lines.map((l, i) => done[at(i, JSON.stringify(l))] ?? { done: true, day: "" }));
    setC(now);
  };
  if (
    c.kind !== "predetermination" ||
    c.converted_to ||
    !["returned", "accepted_payer"].includes(c.state)
  ) {
    return (
      <Closed claim={c}>
        {c.converted_to ? (
          <>
            This predetermination was already converted.{" "}
            <Go to={`/claims/${c.converted_to}`}>Show the claim</Go>
          </>
        ) : (
          "A predetermination can be converted once the payer has accepted it or returned an estimate."
        )}
      </Closed>
    );
  }
  const chosen = done.map((d, i) => ({ ...d, i })).filter((d) => d.done);
  const estimate = (n: number) => c.estimate?.lines.find((l) => l.line_number === n);
  return (
    <Made
      claim={c}
      title="Convert to a claim"
      about="Choose the services that are done, and when."
      action="Make the claim"
      charge={(chosen.reduce((n, d) => n + cents(c.lines[d.i]?.fee ?? "0"), 0) / 100).toFixed(2)}
      typed={typed}
      catchUp={catchUp}
      faultOf={(f) => {
        // lines of the request are the chosen ones
        const at = /^lines\.(\d+)\.(.+)$/.exec(f.field ?? "");
        return at ? { ...f, field: `lines.${chosen[Number(at[1])]?.i ?? 0}.${at[2]}` } : f;
      }}
      body={() => ({ lines: chosen.map((d) => ({ line_number: d.i + 1, service_date: d.day })) })}
      send={(fetch, key, body: Schemas["ConvertRequest"]) =>
        fetch.POST("/claims/{id}/convert", { params: { path: { id: c.id }, header: key }, body })
      }
    >
      <Section title="Services" flush>
        <ul className="plain rows convert">
          {c.lines.map((l, i) => (
            <Service
              key={i}
              line={l}
              number={i + 1}
              done={done[i]}
              estimate={estimate(i + 1)?.pay}
              put={(change) => put(i, change)}
            />
          ))}
        </ul>
      </Section>
    </Made>
  );
}

/** Service is a service of a predetermination, which a person ticks off when it is done. */
function Service({
  line: l,
  number,
  done,
  estimate,
  put,
}: {
  line: Claim["lines"][number];
  number: number;
  done: { done: boolean; day: string } | undefined;
  estimate: string | undefined;
  put: (change: Partial<{ done: boolean; day: string }>) => void;
}) {
  return (
    <li>
      <Check
        label={[l.procedure_code, where(l), dollars(l.fee)].filter(Boolean).join(", ")}
        checked={done?.done ?? false}
        onChange={(is) => put({ done: is })}
        hint={estimate && `The plan estimates to pay ${dollars(estimate)}.`}
      />
      {done?.done && (
        <DateField
          label={`Service date of line ${number}`}
          path={`lines.${number - 1}.service_date`}
          value={done.day}
          onChange={(d) => put({ day: d })}
        />
      )}
    </li>
  );
}
