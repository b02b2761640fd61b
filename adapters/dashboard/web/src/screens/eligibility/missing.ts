import { words } from "../../ui/format";

const asked: Record<string, string> = {
  coverage_effective_date: "when the coverage began",
  coverage_termination_date: "when the coverage ends",
  "plan.name": "the name of the plan",
  "plan.type": "the type of plan",
  "plan.group_number": "the group number",
  "plan.benefit_period": "the benefit period",
  network_status: "whether the office is in network",
  maximums: "the maximums",
  deductibles: "the deductibles",
  "coverage.preventive": "coverage of preventive services",
  "coverage.diagnostic": "coverage of diagnostic services",
  "coverage.basic": "coverage of basic services",
  "coverage.major": "coverage of major services",
  "plan_rules.missing_tooth_clause": "whether a missing tooth clause applies",
  "plan_rules.waiting_period": "whether a waiting period applies",
  "plan_rules.pre_authorization": "whether pre-authorization is needed",
  "plan_rules.coordination_of_benefits": "how benefits are coordinated with another plan",
  "plan_rules.major_services_paid_on":
    "whether major services are paid on the prep or the seat date",
};

/** missing returns a path of not_returned in words, such as coverage of basic services. */
export function missing(path: string): string {
  const [of = "", what = ""] = path.split(".");
  if (asked[path]) return asked[path];
  if (of === "procedures") return `coverage of ${what}`;
  return words(path.replace(".", " of ")).toLowerCase();
}
