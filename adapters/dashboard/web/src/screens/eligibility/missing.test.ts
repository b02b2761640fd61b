import { expect, test } from "vitest";
import { missing } from "./missing";

test.each([
  ["maximums", "the maximums"],
  ["coverage.preventive", "coverage of preventive services"],
  ["coverage.oral_surgery", "coverage of oral surgery"],
  ["procedures.D4341", "coverage of D4341"],
  ["plan_rules.pre_authorization", "whether pre-authorization is needed"],
])("what %s asks for is in plain words", (path, says) => {
  expect(missing(path)).toBe(says);
});
