// A page of paper for each of many checks.
import { type ComponentProps, type ReactNode, useState } from "react";
import { flushSync } from "react-dom";
import { type Client, useClient } from "../../api/client";
import { day, name, When } from "../../ui/format";
import { sent } from "../../ui/selection";
import { useToast } from "../../ui/toast";
import { split } from "../schedule/file";
import { Additions } from "./additions";
import { Answer } from "./answer";
import { Differs } from "./gains";
import type { CheckResource } from "./list";
import { VerdictOf } from "./verdict";
import "./eligibility.css";

/** checksOf reads checks in the order of their IDs, a few at a time. A list of checks would lack what people added. */
async function checksOf(fetch: Client["fetch"], ids: readonly string[]): Promise<CheckResource[]> {
  const all: CheckResource[] = [];
  for (const few of split(ids, 5)) {
    const read = few.map((id) =>
      sent(fetch.GET("/eligibility/{id}", { params: { path: { id } } })),
    );
    all.push(...(await Promise.all(read)));
  }
  return all;
}

/** useSheets returns a function that prints a page for each check, for the office or for the patients, and those pages
 *  while they are printed. */
export function useSheets(): [
  print: (ids: readonly string[], office: boolean) => Promise<void>,
  sheets: ReactNode,
] {
  const { fetch } = useClient();
  const toast = useToast();
  const [sheets, set] = useState<ComponentProps<typeof Sheets> | null>(null);
  const print = async (ids: readonly string[], office: boolean) => {
    try {
      const checks = await checksOf(fetch, ids);
      const offices = await sent(fetch.GET("/offices", { params: { query: { limit: 100 } } }));
      const names = new Map(offices.data.map((o) => [o.id, o.name]));
      flushSync(() => set({ checks, office, names })); // they are on the page before it is printed
      window.print();
      set(null);
    } catch (e) {
      toast.refused(e);
    }
  };
  return [print, sheets && <Sheets key="sheets" {...sheets} />];
}

/** Sheets are the answers of checks, each on paper of its own. */
function Sheets({
  checks,
  office,
  names,
}: {
  checks: readonly CheckResource[];
  office: boolean; // or they are for the patients
  names: ReadonlyMap<string, string>; // of offices
}) {
  const { mode } = useClient();
  return (
    <div className="patient-sheets">
      {checks.map((c) => {
        const who = c.request.patient ?? c.request.subscriber;
        return (
          <article key={c.id} className="patient-sheet">
            <div className="page-printed">
              <p>
                {mode === "test" && <strong>Test mode: not a real payer’s answer. </strong>}
                {[
                  names.get(c.office_id),
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
