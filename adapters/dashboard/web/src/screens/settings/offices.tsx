// The offices: what payers know of the place that bills.
import { useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { isAPIError, type Schemas, seen, useClient } from "../../api/client";
import { merge } from "../../api/merge";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Back } from "../../ui/back";
import { Button, ButtonLink } from "../../ui/button";
import { Changer } from "../../ui/changer";
import { useTyping } from "../../ui/dialog";
import { Check, type Fault, FaultsOf, Group, SelectField, TextField } from "../../ui/form";
import { When } from "../../ui/format";
import { useGo } from "../../ui/link";
import { changedOf, Meanwhile, textAt } from "../../ui/meanwhile";
import { Empty, Facts, Notice, Page, Read, Section, useCurrent } from "../../ui/page";
import { Badge, State } from "../../ui/state";
import { List, paged } from "../../ui/table";
import { Enrollments } from "./enrollments";
import { SettingsParts } from "./parts";

type Office = Schemas["Office"];

export function Offices() {
  const { api } = useClient();
  const may = useMay();
  const offices = api.useInfiniteQuery(
    "get",
    "/offices",
    { params: { query: { limit: 50 } } },
    paged,
  );
  return (
    <Page
      title="Settings"
      curl="/offices"
      actions={
        may.manage && (
          <ButtonLink
            look="primary"
            icon={<Plus size={16} aria-hidden />}
            to="/settings/offices/new"
          >
            New office
          </ButtonLink>
        )
      }
    >
      <SettingsParts />
      <Section flush>
        <List
          of={offices}
          caption="Offices"
          id={(o) => o.id}
          to={(o) => `/settings/offices/${o.id}`}
          columns={[
            { head: "Name", cell: (o) => o.name },
            { head: "NPI", cell: (o) => <span className="numbers">{o.npi}</span> },
            {
              head: "Address",
              cell: (o) =>
                o.address ? (
                  `${o.address.line1}, ${o.address.city}, ${o.address.state}`
                ) : (
                  <Badge tone="warn">Missing</Badge>
                ),
            },
            {
              head: "State",
              cell: (o) => <OfficeState office={o} />,
            },
          ]}
          empty={
            <Empty
              title="No offices yet"
              action={
                may.manage && (
                  <ButtonLink look="primary" to="/settings/offices/new">
                    Add the first office
                  </ButtonLink>
                )
              }
            >
              An office sends checks and claims. It needs a name and an NPI.
            </Empty>
          }
        />
      </Section>
    </Page>
  );
}

function OfficeState({ office: o }: { office: Office }) {
  if (o.retired) return <State value="retired" />;
  return complete(o) ? <Badge tone="good">In use</Badge> : <Badge tone="warn">Incomplete</Badge>;
}

/** complete reports whether the office has all that its claims state. The rules of claims judge the values. */
function complete(o: Office): boolean {
  return !!(o.tax_id && o.phone && o.address);
}

export function OfficeDetail() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { api } = useClient();
  const may = useMay();
  const fresh = id === "new";
  const office = useCurrent(
    api.useQuery("get", "/offices/{id}", { params: { path: { id } } }, { enabled: !fresh }),
  );
  return (
    <Page
      title={fresh ? "New office" : (office.data?.name ?? "Office")}
      above={<Back to="/settings/offices">Offices</Back>}
      curl={fresh ? undefined : `/offices/${id}`}
    >
      {fresh && may.manage && <OfficeForm key="new" />}
      {fresh && !may.manage && <Notice title="Only an owner adds offices." />}
      {!fresh && (
        <Read card of={office} rows={6}>
          {(o) => (
            <>
              {may.manage ? <OfficeForm key={o.id} office={o} /> : <OfficeFacts office={o} />}
              <Enrollments office={o} />
            </>
          )}
        </Read>
      )}
    </Page>
  );
}

/** OfficeFacts shows an office to those who do not change it. */
function OfficeFacts({ office: o }: { office: Office }) {
  return (
    <>
      {o.pending_verification && <Waiting office={o} />}
      <Section>
        <Facts
          items={[
            ["NPI", o.npi],
            ["Tax ID", o.tax_id],
            ["Phone", o.phone],
            ["Address", o.address && lineOf(o.address)],
            ["Contact for payers", o.contact_name],
            ["Taxonomy code", o.taxonomy],
            ["Time zone", o.time_zone.replace("_", " ")],
          ]}
        />
        <p className="muted">An owner can change the office.</p>
      </Section>
    </>
  );
}

/** lineOf returns an address in one line. */
const lineOf = (a: NonNullable<Office["address"]>) =>
  [a.line1, a.line2, a.city, `${a.state} ${a.zip}`].filter(Boolean).join(", ");

/** Waiting shows what of an office waits for the operator, beside what files say until then. */
function Waiting({ office }: { office: Office }) {
  const may = useMay();
  const waits = office.pending_verification;
  const send = useSend(
    (fetch, key) =>
      fetch.POST("/offices/{id}/withdraw_change", {
        params: { path: { id: office.id }, header: key },
        body: {},
      }),
    { says: "The change is withdrawn." },
  );
  if (!waits) return null;
  const address = (a: Office["pay_to_address"]) => (a ? lineOf(a) : "the office's address");
  return (
    <Notice
      tone="warn"
      title="A change is waiting for the operator of this service."
      action={
        may.manage && (
          <Button busy={send.isPending} onClick={() => send.go()}>
            Withdraw
          </Button>
        )
      }
    >
      {waits.name !== office.name && (
        <>
          Claims say {office.name} until {waits.name} is verified.{" "}
        </>
      )}
      {address(waits.pay_to_address) !== address(office.pay_to_address) && (
        <>
          Payments go to {address(office.pay_to_address)} until {address(waits.pay_to_address)} is
          verified.{" "}
        </>
      )}
      <Changer by={waits.changed_by} /> changed it on <When value={waits.changed_at} full />.
    </Notice>
  );
}

const zones = [
  "America/New_York",
  "America/Chicago",
  "America/Denver",
  "America/Phoenix",
  "America/Los_Angeles",
  "America/Anchorage",
  "Pacific/Honolulu",
  "America/Puerto_Rico",
];

const textsOf = (office?: Office) => ({
  name: office?.pending_verification?.name ?? office?.name ?? "",
  npi: office?.npi ?? "",
  tax_id: office?.tax_id ?? "",
  phone: office?.phone ?? "",
  contact_name: office?.contact_name ?? "",
  taxonomy: office?.taxonomy ?? "",
  time_zone: office?.time_zone ?? "America/New_York",
});

const addressOf = (office?: Office) => ({
  line1: office?.address?.line1 ?? "",
  line2: office?.address?.line2 ?? "",
  city: office?.address?.city ?? "",
  state: office?.address?.state ?? "",
  zip: office?.address?.zip ?? "",
});

function OfficeForm({ office }: { office?: Office }) {
  const { fetch } = useClient();
  const go = useGo();
  const [begun, setBegun] = useState(office); // what the form was begun from
  const [f, setF] = useState(() => textsOf(office));
  const [a, setA] = useState(() => addressOf(office));
  const [retired, setRetired] = useState(office?.retired ?? false);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const leaving = useTyping();
  /** catchUp takes what another person saved, without what was typed here. */
  const catchUp = async () => {
    if (!begun) return;
    const { data } = await fetch.GET("/offices/{id}", { params: { path: { id: begun.id } } });
    if (!data) return;
    setF((typed) => merge(textsOf(begun), typed, textsOf(data)));
    setA((typed) => merge(addressOf(begun), typed, addressOf(data)));
    setRetired((typed) => merge(begun.retired, typed, data.retired));
    setBegun(data);
  };
  const none = (v: string) => v.trim() || null;
  const address = Object.values(a).some((v) => v.trim())
    ? {
        line1: none(a.line1),
        line2: none(a.line2),
        city: none(a.city),
        state: none(a.state),
        zip: none(a.zip),
      }
    : null;
  const body = {
    name: f.name,
    npi: f.npi,
    tax_id: none(f.tax_id),
    phone: none(f.phone),
    contact_name: none(f.contact_name),
    taxonomy: none(f.taxonomy),
    time_zone: f.time_zone,
    address,
  };
  const send = useSend(
    (fetch, key) =>
      office
        ? fetch.PATCH("/offices/{id}", {
            params: { path: { id: office.id }, header: { ...key, ...seen(begun ?? office) } },
            body: { ...body, retired },
          })
        : fetch.POST("/offices", { params: { header: key }, body }),
    {
      says: "The office is saved.",
      done: () => {
        leaving.mayLeave();
        go("/settings/offices");
      },
      failed: (e) => {
        if (changedOf(e)) void catchUp();
      },
      refused: (e) => {
        if (changedOf(e)) return true;
        if (!isAPIError(e) || e.errors.length === 0) return false;
        setFaults(e.errors);
        return true;
      },
    },
  );
  const changed = changedOf(send.error);
  const kept = (field: string) => {
    const [mine, theirs] = [
      { ...f, address: a },
      { ...textsOf(begun), address: addressOf(begun) },
    ].map((of) => textAt(of, field));
    return theirs === mine ? null : (theirs ?? null);
  };
  const text = (label: string, key: keyof typeof f, more: object = {}) => (
    <TextField
      label={label}
      path={key}
      value={f[key]}
      onChange={(v) => setF({ ...f, [key]: v })}
      {...more}
    />
  );
  const part = (label: string, key: keyof typeof a, more: object = {}) => (
    <TextField
      label={label}
      path={`address.${key}`}
      value={a[key]}
      onChange={(v) => setA({ ...a, [key]: v })}
      {...more}
    />
  );
  return (
    <FaultsOf list={faults} request={body}>
      {office && !complete(office) && (
        <Notice tone="warn" title="This office is incomplete.">
          Its claims need a tax ID, a phone number and an address.
        </Notice>
      )}
      {office && !office.verified_at && (
        <Notice title="This office does not receive remittances from outside yet.">
          The operator of this service first verifies that it is the practice with this NPI.
        </Notice>
      )}
      {office?.pending_verification && <Waiting office={office} />}
      {changed && <Meanwhile changed={changed} kept={kept} />}
      <Section>
        <form
          className="stack"
          {...leaving.input}
          onSubmit={(e) => {
            e.preventDefault();
            setFaults([]);
            send.go();
          }}
        >
          <div className="fields fields-wide">
            {text("Name", "name", { required: true })}
            {text("NPI", "npi", { required: true, inputMode: "numeric" })}
            {text("Tax ID", "tax_id", { inputMode: "numeric", hint: "Claims need it." })}
            {text("Phone", "phone", { type: "tel", hint: "Claims need it." })}
          </div>
          <fieldset>
            <legend>Address</legend>
            <Group path="address" className="fields">
              {part("Street", "line1", { hint: "No P.O. box." })}
              {part("Suite", "line2", { optional: true })}
              {part("City", "city")}
              {part("State", "state", { hint: "Two letters, such as NY." })}
              {part("ZIP code", "zip", {
                hint: /^\d{5}$/.test(a.zip.trim()) ? (
                  <span className="off">
                    Claims need nine digits. Add the last four (ZIP+4), which the postal service’s
                    website has.
                  </span>
                ) : (
                  "9 digits."
                ),
              })}
            </Group>
          </fieldset>
          <div className="fields fields-wide">
            {text("Contact for payers", "contact_name", { optional: true })}
            {text("Taxonomy code", "taxonomy", { optional: true, placeholder: "1223G0001X" })}
            <SelectField
              label="Time zone"
              path="time_zone"
              value={f.time_zone}
              onChange={(v) => setF({ ...f, time_zone: v })}
              options={(zones.includes(f.time_zone) ? zones : [f.time_zone, ...zones]).map(
                (z) => [z, z.replace("_", " ")] as const,
              )}
            />
          </div>
          {office && (
            <Check
              label="Retired: it takes no new claims"
              checked={retired}
              onChange={setRetired}
            />
          )}
          <div className="row">
            <Button type="submit" look="primary" busy={send.isPending}>
              Save
            </Button>
          </div>
        </form>
        {leaving.dialog}
      </Section>
    </FaultsOf>
  );
}
