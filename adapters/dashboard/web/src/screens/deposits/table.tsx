// Deposits as rows.
import type { ReactNode } from "react";
import type { Schemas } from "../../api/client";
import { Day, dollars, Money, printable } from "../../ui/format";
import { useMany } from "../../ui/selection";
import { State } from "../../ui/state";
import { type Column, List, type Listing, rowsOf } from "../../ui/table";
import { useAssignTasks } from "../today/many";
import { depositActs } from "./many";

export type Deposit = Schemas["DepositSummary"];

/** methods names how money comes. */
export const methods: Record<Schemas["DepositMethod"], string> = {
  ach: "ACH",
  check: "Check",
  virtual_card: "Virtual card",
  other: "Other",
};

/** sender is who sent a deposit, as the bank names it. */
export const sender = (d: Pick<Deposit, "company" | "text">) =>
  printable(d.company || d.text || "No name");

const columns: Column<Deposit>[] = [
  {
    head: "From",
    cell: (d) => (
      <>
        <span className="wrap-anywhere">{sender(d)}</span>
        {d.company && d.text && <span className="sub wrap-anywhere">{printable(d.text)}</span>}
      </>
    ),
  },
  { head: "State", cell: (d) => <State value={d.state} /> },
  { head: "Date", cell: (d) => <Day value={d.date} /> },
  {
    head: "Payment",
    cell: (d) => (
      <>
        {methods[d.method]}
        {d.trace_number && <span className="sub numbers">{printable(d.trace_number)}</span>}
      </>
    ),
  },
  { head: "Account", wide: true, cell: (d) => <span className="numbers">…{d.account}</span> },
  {
    head: "Amount",
    right: true,
    sum: (d) => d.amount,
    cell: (d) => (
      <>
        <Money value={d.amount} strong />
        {d.state === "unmatched" && d.rest !== d.amount && (
          <span className="sub">
            <Money value={d.rest} /> left
          </span>
        )}
      </>
    ),
  },
];

/** Deposits lists deposits. */
export function Deposits({ of, empty }: { of: Listing<Deposit>; empty: ReactNode }) {
  const assign = useAssignTasks<Deposit>();
  const many = useMany(rowsOf(of), {
    id: (d) => d.id,
    name: (d) => `${sender(d)}, ${dollars(d.amount)}`,
    amount: (d) => d.amount,
    acts: [
      ...depositActs,
      { ...assign, not: (d) => (d.state === "unmatched" ? null : "It has no task.") },
    ],
    more: () => {
      if (of.hasNextPage) of.fetchNextPage();
    },
  });
  return (
    <List
      of={of}
      many={many}
      caption="Deposits"
      id={(d) => d.id}
      to={(d) => `/deposits/${d.id}`}
      columns={columns}
      empty={empty}
    />
  );
}
