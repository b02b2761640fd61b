import { expect, test } from "vitest";
import { onPage, toRead } from "./on";

const id = (kind: string, n = 0) => `${kind}_${String(n).padStart(26, "0")}`;
const claim = id("clm");
const other = id("clm", 1);
const denied = { resource: claim, place: `/claims/${claim}`, actions: ["replaceClaim"] };
const era = id("era");
const missing = { resource: era, place: `/remittances/${era}`, actions: ["matchDeposit"] };

test("the bar is on the page of what the task is about, and on its forms", () => {
  for (const form of ["", "/edit", "/replace", "/secondary"])
    expect(onPage(denied, { path: `/claims/${claim}${form}` })).toBe(true);
  expect(onPage(missing, { path: `/remittances/${era}` })).toBe(true);
  const office = { ...denied, resource: id("enr"), place: `/settings/offices/${id("off")}` };
  expect(onPage(office, { path: office.place })).toBe(true);
});

test("the bar is on no other page", () => {
  for (const path of [
    `/claims/${other}`,
    `/claims/${other}/edit`,
    `/patients/${id("pat")}`,
    `/deposits/${id("dep")}`,
    `/payer-requests/${id("prq")}`,
    `/remittances/${id("era", 1)}`,
    "/deposits",
    "/claims/new",
    "/attachments/new",
    "/settings",
  ])
    expect(onPage(denied, { path })).toBe(false);
  const anywhere = { ...denied, resource: id("enr"), place: "/settings" };
  expect(onPage(anywhere, { path: "/settings/users" })).toBe(false);
});

test("documents and appeals keep the bar if they are of the task's claim", () => {
  expect(onPage(denied, { path: "/attachments/new", claim })).toBe(true);
  expect(onPage(denied, { path: "/attachments/new", claim: other })).toBe(false);
  const appeal = { object: "appeal", id: id("apl") } as const;
  const att = { object: "attachment", id: id("att"), payer_request_id: null } as const;
  for (const [of, is] of [
    [claim, true],
    [other, false],
  ] as const) {
    const path = `/appeals/${appeal.id}`;
    expect(onPage(denied, { path, of: { ...appeal, claim_id: of } })).toBe(is);
    expect(onPage(denied, { path: `/attachments/${att.id}`, of: { ...att, claim_id: of } })).toBe(
      is,
    );
  }
  const request = { ...denied, resource: id("prq"), place: `/payer-requests/${id("prq")}` };
  const answer = { ...att, claim_id: other, payer_request_id: id("prq") };
  expect(onPage(request, { path: `/attachments/${att.id}`, of: answer })).toBe(true);
});

test("a claim that the task makes keeps the bar", () => {
  const made = { object: "claim", id: other, secondary_to: claim, parent_id: null } as const;
  const path = `/claims/${other}`;
  const bills = { ...denied, actions: ["billSecondary"] };
  expect(onPage(bills, { path, of: made })).toBe(true);
  expect(onPage(denied, { path, of: made })).toBe(false);
  const voided = { ...made, secondary_to: null, parent_id: claim };
  expect(onPage({ ...denied, actions: ["updateClaim", "voidClaim"] }, { path, of: voided })).toBe(
    true,
  );
  expect(onPage(bills, { path, of: { ...made, secondary_to: null } })).toBe(false);
});

test("missing money is looked for among the deposits that may be it", () => {
  const deposit = { object: "deposit" as const, id: id("dep"), parts: [] };
  const may = (e: string) => ({
    ...deposit,
    candidates: [
      {
        total: "1.00",
        other_deposits: [],
        eras: [{ era_id: e, payer_name: "Cedar", trace_number: "1", date: null, awaited: "1.00" }],
      },
    ],
  });
  const path = `/deposits/${id("dep")}`;
  expect(onPage(missing, { path: "/deposits" })).toBe(true);
  expect(onPage(missing, { path, of: may(era) })).toBe(true);
  expect(onPage(missing, { path, of: may(id("era", 1)) })).toBe(false);
});

test("what the page before showed does not count", () => {
  const before = { object: "appeal", id: id("apl"), claim_id: claim } as const;
  expect(onPage(denied, { path: `/claims/${other}`, of: before })).toBe(false);
  expect(toRead(denied, `/appeals/${id("apl")}`)).toEqual({ kind: "appeals", id: id("apl") });
  expect(toRead(denied, `/claims/${claim}/edit`)).toBeNull();
  expect(toRead(denied, "/claims/new")).toBeNull();
});
