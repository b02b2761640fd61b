// The services of an estimate: as a person enters them, as the request has them, and what of a visit each amount is.
import type { Schemas } from "../../api/client";
import { cents, day, dollars, longDay, words } from "../../ui/format";
import { ordered } from "../../ui/teeth";
import { amount } from "../claims/form-data";

export type Estimate = Schemas["Estimate"];
export type EstimateLine = Estimate["lines"][number];

/** Service is a line of the form. */
export type Service = {
  key: number;
  code: string;
  fee: string;
  allowed: string;
  quantity: string;
  tooth: string;
  surfaces: string;
  area: string;
  service_date: string;
  last_service_date: string;
  tooth_lost_on: string;
  prior_placement_date: string;
  alternate: string;
};

let keys = 0;

/** aService returns a line for a procedure. */
export function aService(code: string): Service {
  return {
    key: ++keys,
    code,
    fee: "",
    allowed: "",
    quantity: "1",
    tooth: "",
    surfaces: "",
    area: "",
    service_date: "",
    last_service_date: "",
    tooth_lost_on: "",
    prior_placement_date: "",
    alternate: "",
  };
}

/** serviceOf returns the line of the form that made a line of an estimate. */
export function serviceOf(l: EstimateLine): Service {
  return {
    ...aService(l.procedure_code),
    fee: l.fee_from.origin === "given" ? l.fee.most : "",
    allowed: l.allowed_from.origin === "given" ? l.allowed.most : "",
    quantity: String(l.quantity),
    tooth: l.tooth ?? "",
    surfaces: l.surfaces.join(""),
    area: l.oral_cavity.join(" "),
    service_date: l.service_date,
    last_service_date: l.last_service_date ?? "",
    tooth_lost_on: l.tooth_lost_on ?? "",
    prior_placement_date: l.prior_placement_date ?? "",
    alternate: l.alternate_procedure_code ?? "",
  };
}

/** Asks is what a procedure needs to be told: the same that a claim must have, and what plans ask for. */
export type Asks = {
  tooth: boolean;
  surfaces: boolean;
  area: boolean;
  lost: boolean; // when the tooth was lost
  placed: boolean; // when what it replaces was placed
};

/** asksOf returns what a procedure asks for. */
export function asksOf(code: string): Asks {
  return {
    tooth: /^D(135|2|3|6[0-7]|711|714|72[1-5])/.test(code) && !/^D[236]999/.test(code),
    surfaces: /^D(21|233|239[1-4])/.test(code),
    area: /^D(42[146][01]|434[12]|52[128])/.test(code),
    lost: /^D(5[1-9]|6)/.test(code),
    placed: /^D(27|5[1-9]|6[0-79])/.test(code),
  };
}

const given = (text: string) => text.trim() || undefined;

/** visitOf returns the day of the services of a check: that of the check if it is later than today.
 *  It is empty if the API takes today. */
export const visitOf = (checkedFor: string, today: string): string =>
  checkedFor > today ? checkedFor : "";

/** daysOf says for which days services are estimated. A service without a day of its own is on the
 *  day of the visit. */
export function daysOf(services: readonly Service[], visit: string): string {
  const days = services.map((s) => given(s.service_date) ?? visit);
  const all = [...new Set(days.length > 0 ? days : [visit])].sort();
  return `For services on ${all.map(longDay).join(" and ")}`;
}

/** lineOf returns a line as the request has it, on the day of the visit unless it has its own. */
export function lineOf(s: Service, visit = ""): Schemas["EstimateRequest"]["lines"][number] {
  const line = {
    procedure_code: s.code,
    fee: amount(s.fee) ?? undefined,
    allowed: amount(s.allowed) ?? undefined,
    quantity: Number(s.quantity) || undefined,
    tooth: given(s.tooth),
    surfaces: s.surfaces ? ordered(s.surfaces.toUpperCase().split("")) : undefined,
    oral_cavity: s.area ? s.area.split(" ") : undefined,
    service_date: given(s.service_date) ?? given(visit),
    last_service_date: given(s.last_service_date),
    tooth_lost_on: given(s.tooth_lost_on),
    prior_placement_date: given(s.prior_placement_date),
    alternate_procedure_code: given(s.alternate.toUpperCase()),
  };
  return Object.fromEntries(Object.entries(line).filter(([, v]) => v !== undefined)) as typeof line;
}

/** whole reports whether nothing of a line is half typed, so that it can be asked for. */
export function whole(s: Service): boolean {
  const money = [s.fee, s.allowed].map(amount).every((m) => m === null || /^\d+\.\d\d$/.test(m));
  return money && /^\d{1,2}$/.test(s.quantity) && /^(D\d{4})?$/i.test(s.alternate.trim());
}

/** between returns an amount such as $120.00, or $120.00 to $250.00. */
export function between(r: Schemas["AmountRange"]): string {
  const [low = r.least, high = r.most] = [r.least, r.most].sort((a, b) => cents(a) - cents(b));
  return low === high ? dollars(low) : `${dollars(low)} to ${dollars(high)}`;
}

/** hasAny reports whether an amount may be more than nothing. */
export const hasAny = (r: Schemas["AmountRange"]) => cents(r.least) + cents(r.most) > 0;

const some = (r: Schemas["AmountRange"] | null) => r !== null && hasAny(r);

/** deductibleCounts reports whether another visit may use a deductible that the estimate counts. */
export const deductibleCounts = (e: Estimate) =>
  e.lines.some((l) => some(l.deductible_applied) || some(l.deductible_left));

/** maximumCounts reports whether another claim may use a maximum that the estimate counts. */
export const maximumCounts = (e: Estimate) =>
  e.lines.some((l) => some(l.plan_pays) || some(l.maximum_left));

/** limitsMet says why the plan pays nothing, or not all of its share: for the patient. */
export function limitsMet(e: Estimate): string[] {
  const out = e.lines.filter((l) => l.maximum_left !== null && !hasAny(l.maximum_left));
  const all = [];
  if (out.length > 0)
    all.push(
      e.lines.some((l) => some(l.plan_pays))
        ? "These services use up the maximum that your plan pays."
        : "The maximum that your plan pays is used up.",
    );
  for (const l of e.lines)
    if (l.paid_from)
      all.push(`${words(l.procedure)}: your insurance pays for it from ${day(l.paid_from)} on.`);
  return all;
}

/** sayings returns the sentences of several lines, each once. */
export const sayings = (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())];
