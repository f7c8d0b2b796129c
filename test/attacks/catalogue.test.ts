import { expect, test } from "bun:test";
import { filesUnder, isTest, readSource } from "../support/source.ts";

/** The entries of the catalogue of published failures; a new one is added here first. */
const ENTRIES = [
  ..."S01 S02 S03 S05 S06 S07 S09 S10 S11 S13 S14 S15 S17 S18 S19".split(" "),
  ..."S21 S22 S23 S25 S26 S27 S29 S30 S31".split(" "),
  ..."S33 S34 S35 S37 S38 S39 S41 S42".split(" "),
  ..."S43 S45 S46 S47 S49 S50 S51 S53 S54".split(" "),
  ..."S55 S57 S58 S59".split(" "),
  ..."S61 S62 S63 S65".split(" "),
  ..."R01 R02 R03 R05 R06 R07 R09 R10 R11 R13 R14 R15 R17 R18 R19 R21 R22 R23 R25 R26 R27 R29".split(" "),
  ..."R30 R31 R33 R34 R35 R37 R38 R39".split(" "),
];

const ROWS = [
  ...readSource("test/attacks/README.md").matchAll(/^\| ([SR]\d\d) \| ([^|]+) \| ([^|]+) \|$/gm),
].map(([, id = "", what = "", by = ""]) => ({ id, what, by: by.trim() }));

/** The entries that the names of a file's tests and suites bear. */
function namedIn(file: string): ReadonlySet<string> {
  return new Set(
    [...readSource(file).matchAll(/\[([A-Z0-9 -]+)\]/g)].flatMap(([, ids = ""]) => ids.split(" ")),
  );
}

test("[DOC-01] every entry of the catalogue has a row: the tests that show it, or the part that it comes with", () => {
  expect(ROWS.map(({ id }) => id)).toEqual(ENTRIES);
  for (const { id, by } of ROWS) {
    const files = [...by.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file);
    if (files.length === 0) {
      expect({ id, by }).toEqual({ id, by: expect.stringMatching(/^comes with \S/) });
      continue;
    }
    for (const file of files) {
      const isKnown = isTest(file) || file.startsWith("test/contracts/");
      expect({ id, file, isKnown, named: isKnown && namedIn(file).has(id) }).toEqual({
        id,
        file,
        isKnown: true,
        named: true,
      });
    }
  }
});

test("[DOC-01] no test covers a planned entry yet, and no test names an unknown entry", () => {
  const named = new Map<string, string>();
  for (const file of ["src", "test"].flatMap((folder) => filesUnder(folder, "**/*.ts"))) {
    if (!isTest(file) && !file.startsWith("test/contracts/")) continue;
    for (const id of namedIn(file)) if (/^[SR]\d\d$/.test(id)) named.set(id, file);
  }
  const later = ROWS.filter(({ by }) => by.startsWith("comes with")).map(({ id }) => id);
  expect(later.filter((id) => named.has(id))).toEqual([]);
  expect([...named.keys()].filter((id) => !ENTRIES.includes(id))).toEqual([]);
});

test("[DOC-01] no row says that a part is still to come which is there", () => {
  const there = filesUnder("src", "**/*.ts");
  const stale = ROWS.filter(({ by }) => /no listener|nothing deletes|comes later/.test(by));
  expect(stale).toEqual([]);
  const waits = ROWS.filter(({ by }) => by.startsWith("comes with the control server"));
  expect(there.some((file) => file.startsWith("src/server/http/")) ? waits : []).toEqual([]);
});

test("[DOC-01] the tests that the threat model names are there", () => {
  const pages = ["docs/threat-model.md", ...filesUnder("docs/threats", "*.md")];
  const model = pages.map(readSource).join("\n");
  const files = new Set(
    [...model.matchAll(/`((?:src|test)\/[^`\s]+\.(?:test|e2e)\.ts)`/g)].map(([, file = ""]) => file),
  );
  expect(files.size).toBeGreaterThan(20);
  const known = new Set(["src", "test"].flatMap((folder) => filesUnder(folder, "**/*.ts")));
  expect([...files].filter((file) => !known.has(file))).toEqual([]);
  // Every defence stands with what shows it.
  const tables = [...model.matchAll(/^\| defence \| shown by \|\n\|[-|]+\n((?:\|.*\n)+)/gm)];
  const shown = tables.flatMap(([, rows = ""]) =>
    rows
      .trimEnd()
      .split("\n")
      .map((row) => row.split(" | ").at(-1) ?? ""),
  );
  expect(tables.length).toBeGreaterThanOrEqual(8);
  expect(shown.filter((text) => !/`[^`]+\.(?:test|e2e)\.ts`|^the same/.test(text))).toEqual([]);
});
