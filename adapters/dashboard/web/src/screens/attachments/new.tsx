// A new attachment: for a claim, or on its own.
import { useState } from "react";
import { isAPIError, type Schemas, useClient } from "../../api/client";
import { useFilters } from "../../api/filters";
import { useSend } from "../../api/send";
import { Button, ButtonLink } from "../../ui/button";
import { useTyping } from "../../ui/dialog";
import { FaultsOf } from "../../ui/form";
import { Days, dollars, name } from "../../ui/format";
import { Go, useGo } from "../../ui/link";
import { Facts, Notice, Page, Read, Section } from "../../ui/page";
import { PayerPicker, type PickedPayer } from "../../ui/payer-picker";
import { Narrative } from "./narrative";
import { blank, SubjectFields, subjectBody, useOffices } from "./subject";

export function NewAttachment() {
  const { api } = useClient();
  const go = useGo();
  const [{ claim_id: claimID }] = useFilters("/attachments/new");
  const claim = api.useQuery(
    "get",
    "/claims/{id}",
    { params: { path: { id: claimID ?? "" } } },
    { enabled: Boolean(claimID) },
  );
  const offices = useOffices();
  const [narrative, setNarrative] = useState("");
  const [payer, setPayer] = useState<PickedPayer | null>(null);
  const [subject, setSubject] = useState(blank);
  const leaving = useTyping();
  const body = claimID
    ? { claim_id: claimID, narrative: narrative || null }
    : {
        payer_id: payer?.id ?? null,
        narrative: narrative || null,
        ...subjectBody(subject, offices),
      };
  const create = useSend(
    (fetch, key) => fetch.POST("/attachments", { params: { header: key }, body }),
    {
      quiet: true,
      done: (made) => {
        leaving.mayLeave();
        go(`/attachments/${made.id}`);
      },
    },
  );
  const refusal = isAPIError(create.error) ? create.error : null;
  const loose =
    refusal &&
    (refusal.errors.length === 0 ||
      refusal.errors.some((e) => e.field === null || e.field === "claim_id"));
  return (
    <Page
      title="New attachment"
      above={
        claimID ? <Go to={`/claims/${claimID}`}>Claim</Go> : <Go to="/attachments">Attachments</Go>
      }
    >
      {create.error && (!refusal || loose) && (
        <Notice tone="bad" title={refusal?.errors[0]?.message ?? create.error.message} />
      )}
      <FaultsOf list={refusal?.errors ?? []} request={body}>
        <form
          className="stack"
          {...leaving.input}
          onSubmit={(e) => {
            e.preventDefault();
            create.go();
          }}
        >
          {claimID ? (
            <Section title="Claim">
              <Read of={claim} rows={2}>
                {(c) => <ForClaim claim={c} />}
              </Read>
            </Section>
          ) : (
            <Section title="For">
              <Notice
                title="Does it belong to a claim?"
                action={<ButtonLink to="/claims">Find the claim</ButtonLink>}
              >
                Open the claim and choose Add images: the patient and the payer are filled in, and
                the claim file carries its number.
              </Notice>
              <PayerPicker
                label="Payer"
                path="payer_id"
                accepts="attachments"
                value={payer}
                onChange={setPayer}
              />
              <SubjectFields value={subject} onChange={setSubject} />
            </Section>
          )}
          <Section title="Narrative">
            <Narrative
              value={narrative}
              onChange={setNarrative}
              placeholder="Such as: tooth 14 is fractured below the gum line; the crown is the only way to keep it."
            />
          </Section>
          <div className="row form-end">
            <Button type="submit" look="primary" busy={create.isPending}>
              Continue to the images
            </Button>
            <span className="hint">Nothing is sent yet.</span>
          </div>
        </form>
        {leaving.dialog}
      </FaultsOf>
    </Page>
  );
}

/** ForClaim says which claim an attachment is for. */
export function ForClaim({ claim: c }: { claim: Schemas["Claim"] }) {
  return (
    <Facts
      items={[
        ["Patient", name(c.patient_name)],
        ["Payer", c.payer.name],
        ["Service", <Days key="d" from={c.service_dates.first} to={c.service_dates.last} />],
        ["Charge", dollars(c.totals.charge)],
        [
          "Procedures",
          c.lines
            .map((l) =>
              [l.procedure_code, l.teeth.length > 0 && `tooth ${l.teeth.join(", ")}`]
                .filter(Boolean)
                .join(" "),
            )
            .join("; ") || null,
        ],
      ]}
    />
  );
}
