// The appeals of a claim, and until when the payer accepts the claim and an appeal.
import { useRef, useState } from "react";
import { isAPIError, type Schemas, seen, useClient } from "../../api/client";
import { useSend } from "../../api/send";
import { useMay } from "../../api/session";
import { Button } from "../../ui/button";
import { Cancel, Modal } from "../../ui/dialog";
import { AreaField, FaultsOf, SelectField } from "../../ui/form";
import { Go, useGo } from "../../ui/link";
import { Read, Section } from "../../ui/page";
import { State } from "../../ui/state";
import { type Appeal, levels, standing } from "../appeals/words";

type Claim = Schemas["Claim"];

const decided = (c: Claim) =>
  c.kind === "claim" &&
  c.frequency !== "void" &&
  ["paid", "denied", "reconciled"].includes(c.state) &&
  c.payment !== null;

/** useAppeals reads the appeals of a claim that was sent. */
function useAppeals(c: Claim) {
  const { api } = useClient();
  return api.useQuery(
    "get",
    "/claims/{id}/appeals",
    { params: { path: { id: c.id }, query: { limit: 100 } } },
    { enabled: c.sent_at !== null },
  );
}

/** Appeals lists the appeals of a claim. A claim that no payer decided has none. */
export function Appeals({ claim: c }: { claim: Claim }) {
  const list = useAppeals(c);
  const rows = list.data?.data ?? [];
  if (rows.length === 0 && !decided(c)) return null;
  return (
    <Section title="Appeals" flush>
      <Read of={list} rows={2}>
        {() =>
          rows.length === 0 ? (
            <p className="muted card-note">No appeals.</p>
          ) : (
            <ul className="plain rows">
              {rows.map((a) => (
                <li key={a.id} className="spread">
                  <span>
                    <Go to={`/appeals/${a.id}`}>{levels[a.level]}</Go>
                    <span className="sub">{standing(a)}</span>
                  </span>
                  <State value={a.state} tone={a.state === "sent" ? "info" : undefined} />
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </Section>
  );
}

/** MakeAppeal opens the appeal that is not decided, or asks why the payer should pay and makes one. */
export function MakeAppeal({ claim: c, first }: { claim: Claim; first: boolean }) {
  const may = useMay();
  const go = useGo();
  const sent = useAppeals(c).data?.data.some((a) => a.state === "sent") ?? false;
  const [open, setOpen] = useState(false);
  const [level, setLevel] = useState<Appeal["level"]>("first");
  const [reason, setReason] = useState("");
  const saved = useRef(false);
  const make = useSend(
    (api, key) =>
      api.POST("/claims/{id}/appeals", {
        params: { path: { id: c.id }, header: { ...key, ...seen(c) } },
        body: {
          level,
          reason,
          documents: c.attachments.filter((a) => a.documents.length > 0).map((a) => a.id),
        },
      }),
    {
      says: "The letter is written.",
      refused: (e) => e.error === "INVALID_REQUEST",
      done: (a) => {
        saved.current = true;
        setOpen(false);
        go(`/appeals/${a.id}`);
      },
    },
  );
  const faults = isAPIError(make.error) ? (make.error.errors ?? []) : [];
  if (!may.write || !decided(c)) return null;
  if (c.appeal_id)
    return (
      <Button
        data-act={sent ? "recordAppealDecided" : "recordAppealSent"}
        look="primary"
        onClick={() => go(`/appeals/${c.appeal_id}`)}
      >
        Open the appeal
      </Button>
    );
  return (
    <>
      <Button
        data-act="createAppeal"
        look={first ? "primary" : "plain"}
        onClick={() => setOpen(true)}
      >
        Appeal
      </Button>
      <Modal title="Appeal the decision" open={open} onOpenChange={setOpen} saved={saved}>
        <FaultsOf list={faults} request={{ level, reason }}>
          <form
            className="stack"
            onSubmit={(e) => {
              e.preventDefault();
              make.go();
            }}
          >
            <p>
              Molar writes the letter from the claim and the payer’s reasons. You can change it
              before you send it.
            </p>
            <SelectField
              label="Level"
              path="level"
              value={level}
              onChange={(v) => setLevel(v as Appeal["level"])}
              options={Object.entries(levels)}
            />
            <AreaField
              label="Why the payer should pay"
              path="reason"
              rows={4}
              required
              maxLength={4000}
              value={reason}
              onChange={setReason}
            />
            <div className="dialog-actions">
              <Cancel />
              <Button look="primary" type="submit" busy={make.isPending}>
                Write the letter
              </Button>
            </div>
          </form>
        </FaultsOf>
      </Modal>
    </>
  );
}
