import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openPlace } from "../../../test/support/place.ts";
import type { ConfigKey } from "../../session/config-section.ts";
import type { Feature } from "../../session/feature.ts";
import { FEATURES } from "../features.ts";
import { featureSet } from "./feature-set.ts";
import { SECTIONS } from "./sections.ts";

/** Returns the set of all features but one. */
const without = (name: string) => featureSet(FEATURES.filter((feature) => feature.name !== name));

test.each([
  ["agents-md", "context_sources", '["NOTES.md"]'],
  ["skills", "skill_packs", '["review"]'],
  ["hooks", "allow_project_hooks", "true"],
])(
  "[DOC-01 PROF-01] an engine without %s does not know %s, and its own profiles are silent about it",
  async (name, key, value) => {
    await using place = openPlace();
    const profile = join(place.root, "config/profiles/mine.toml");
    mkdirSync(join(place.root, "config/profiles"), { recursive: true });
    await Bun.write(profile, `${key} = ${value}\n`);
    const told = async (named: string | undefined, features = without(name)) => {
      await using harness = await place.open({
        features,
        ...(named === undefined ? {} : { profile: named }),
      });
      return harness.notices.filter((notice) => notice.includes("unknown key"));
    };
    expect(await told("mine")).toEqual([`${profile}:1: ${key}: unknown key`]);
    expect(await told("mine", featureSet(FEATURES))).toEqual([]);
    expect(await told(undefined)).toEqual([]);
  },
);

test("[DOC-01 PROF-01] an engine without MCP is silent about the servers of its own profiles", async () => {
  await using place = openPlace();
  await using harness = await place.open({ features: without("mcp") });
  expect(harness.notices.filter((notice) => notice.includes("unknown key"))).toEqual([]);
});

test("[DOC-01 PROF-01] the keys that features add to a section have names and positions of their own", () => {
  const parts = FEATURES.flatMap(({ config = [] }) => config.filter(({ shape }) => shape === "part"));
  expect(parts.length).toBeGreaterThan(2);
  for (const { name } of parts) {
    const keys = Object.entries<ConfigKey>(SECTIONS.find((section) => section.name === name)?.keys ?? {});
    const own = parts.filter((part) => part.name === name).flatMap((part) => Object.keys(part.keys));
    expect(new Set(own).size).toBe(own.length);
    expect(own.filter((property) => !keys.some(([each]) => each === property))).toEqual([]);
    const orders = keys.map(([, { order = -1 }]) => order);
    expect(orders).toEqual([...new Set(orders)].sort((one, other) => one - other));
    expect(orders).not.toContain(-1);
  }
});

test("[DOC-01] a key of a section that does not exist is refused", () => {
  const keys = { noted: { kind: "boolean", key: "noted", order: 1, meaning: "", example: true } } as const;
  const lost: Feature = {
    name: "lost",
    config: [{ shape: "part", name: "nowhere", keys }],
    isUsed: () => false,
    open: () => Promise.resolve(undefined),
  };
  expect(() => featureSet([lost])).toThrow("nowhere");
});
