// A page of paper for each patient of a schedule.
import { useClient } from "../../api/client";
import { day, name, When } from "../../ui/format";
import { Additions } from "../eligibility/additions";
import { Answer } from "../eligibility/answer";
import { Differs } from "../eligibility/gains";
import type { CheckResource } from "../eligibility/list";
import { VerdictOf } from "../eligibility/verdict";
import type { Item } from "./items";
import "../eligibility/eligibility.css";

/** Sheets are the answers of checks, each on paper of its own, in the order of the items. */
export function Sheets({
  items,
  checks,
  office,
  officeOf,
}: {
  items: readonly Item[];
  checks: readonly CheckResource[];
  office: boolean; // or they are for the patients
  officeOf: (id: string) => string;
}) {
  const { mode } = useClient();
  const by = new Map(checks.map((c) => [c.id, c]));
  return (
    <div className="patient-sheets">
      {items.flatMap((i) => {
        const c = i.eligibility_id ? by.get(i.eligibility_id) : undefined;
        if (!c) return [];
        const who = c.request.patient ?? c.request.subscriber;
        return (
          <article key={i.item_id} className="patient-sheet">
            <div className="page-printed">
              <p>
                {mode === "test" && <strong>Test mode: not a real payer’s answer. </strong>}
                {[
                  officeOf(c.office_id),
                  `${name(who)}, born ${day(who.date_of_birth)}`,
                  `Member ID ${c.request.subscriber.member_id}`,
                  c.payer.name,
                ]
                  .filter(Boolean)
                  .join(" · ")}{" "}
                · checked <When value={c.created_at} full />
              </p>
            </div>
            <h2>{name(who)}</h2>
            <VerdictOf check={c} />
            {office && <Differs check={c} />}
            <Answer check={c} office={office} brief />
            <Additions check={c} />
          </article>
        );
      })}
    </div>
  );
}
