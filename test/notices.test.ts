import { expect, test } from "bun:test";
import { filesUnder, readSource } from "./support/source.ts";

const NOTICE = readSource("NOTICE.md");

test("[DOC-01] every licence that lies beside test data is named in the notices, with its folder", () => {
  const licences = filesUnder("test/data", "**/LICENSE*").filter((file) => !file.includes("/LICENSES/"));
  expect(licences.length).toBeGreaterThan(3);
  expect(licences.filter((file) => !NOTICE.includes(`](${file})`))).toEqual([]);
  const folders = new Set(
    filesUnder("test/data", "*/**").map((file) => file.split("/").slice(0, 3).join("/")),
  );
  const unnamed = [...folders].filter(
    (folder) => folder !== "test/data/LICENSES" && !NOTICE.includes(`\`${folder}\``),
  );
  expect(unnamed).toEqual([]);
});

test("[DOC-01] every package that goes into the executable is named in the notices, with its licence", () => {
  const { packages }: { packages: Record<string, { dev?: boolean; optional?: boolean; license?: string }> } =
    JSON.parse(readSource("package-lock.json"));
  const shipped = Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== "" && dev !== true && optional !== true)
    .map(([path, { license }]) => `${path.replace(/^.*node_modules\//, "")} ${license}`);
  const named = [...NOTICE.matchAll(/^\| `([\w@/.-]+)`[^|]*\| ([\w.-]+)/gm)].map(
    ([, name, licence]) => `${name} ${licence}`,
  );
  expect(named.filter((line) => !line.startsWith("test/")).sort()).toEqual(shipped.sort());
});
