import { expect, test } from "bun:test";
import manifest from "../package.json" with { type: "json" };
import { billOfMaterials } from "./sbom.ts";

test("[DOC-01] the bill of materials names every dependency of the program with its version and licence, the same each time", () => {
  const text = billOfMaterials("abc123");
  const bill = JSON.parse(text);
  const named = bill.components.map(({ name, version }: Record<string, string>) => `${name}@${version}`);
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect(named).toContain(`${name}@${version}`);
  for (const name of Object.keys(manifest.devDependencies)) expect(text).not.toContain(`"name": "${name}"`);
  expect(bill.metadata.component).toMatchObject({ name: "cinch", type: "application" });
  for (const component of bill.components) expect(component.licenses).not.toEqual([]);
  expect(billOfMaterials("abc123")).toBe(text);
});
