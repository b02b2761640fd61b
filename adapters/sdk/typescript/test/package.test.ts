import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

// Programs of people who check the declarations of packages too, which is what tsc does unless it is told otherwise.
test("the declarations of the package compile, and every program of the guides and the README with them", () => {
  const at = join(root, "build/programs");
  rmSync(at, { recursive: true, force: true });
  mkdirSync(at, { recursive: true });
  const guides = join(root, "../../docs/guides");
  const pages = readdirSync(guides).map((name) => join(guides, name));
  let programs = 0;
  for (const page of [...pages, join(root, "README.md")]) {
    for (const [, code = ""] of readFileSync(page, "utf8").matchAll(
      /^```(?:ts|typescript)\n([\s\S]*?)^```/gm,
    )) {
      writeFileSync(join(at, `program${++programs}.ts`), code);
    }
  }
  assert.ok(programs >= 2, `the pages have ${programs} programs`);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    target: "es2022",
    module: "nodenext",
    types: ["node"],
    paths: { "@molar-billing/molar": ["../../dist/index.d.ts"] },
  };
  writeFileSync(
    join(at, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["*.ts", "../../dist"] }),
  );
  writeFileSync(join(at, "package.json"), '{"type":"module"}');
  const tsc = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", at],
    { encoding: "utf8" },
  );
  assert.equal(tsc.status, 0, tsc.stdout);
});
