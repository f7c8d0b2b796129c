import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { acknowledgeAll } from "../../test/support/acknowledge.ts";
import { calls, says } from "../../test/support/mock-provider/turn.ts";
import type { Place } from "../../test/support/place.ts";
import { connect, follow, openPlace, turn } from "../../test/support/place.ts";
import { until } from "../../test/support/until.ts";
import type { Envelope } from "../protocol/envelope.ts";

const RELEASE = `---
name: release-notes
description: "Writes release notes: from merged changes."
triggers: ["changelog", "*.rel"]
---
Run \`scripts/collect.sh\` first. RELEASE-BODY
`;

function skill(place: Place, name: string, text: string): void {
  place.write(`.agents/skills/${name}/SKILL.md`, text);
}

function plain(name: string, description: string, body = `BODY-OF-${name}`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
}

function acknowledge(place: Place) {
  return acknowledgeAll({ ...place.options(), profile: "default" });
}

function sent(place: Place, at: number): string {
  return JSON.stringify(place.mock.requests[at]?.body);
}

function kinds(events: readonly Envelope[], kind: string): readonly Envelope[] {
  return events.filter((event) => event.kind === kind);
}

test("[SKL-02 TOOL-05] the list stands in every request, the text comes when the model loads it, and is not asked for", async () => {
  await using place = openPlace(calls("Skill", { name: "release-notes" }), says("done"));
  skill(place, "release-notes", RELEASE);
  await acknowledge(place);
  await using harness = await place.open();
  const events = await turn(harness, "write the notes");
  expect(sent(place, 0)).toContain("- release-notes: Writes release notes: from merged changes.");
  expect(sent(place, 0)).not.toContain("RELEASE-BODY");
  expect(sent(place, 1)).toContain("RELEASE-BODY");
  expect(kinds(events, "PermissionRequested")).toEqual([]);
  const told = events.flatMap((event) => (event.kind === "CustomEvent" ? [event.payload] : []));
  expect(told).toContainEqual({
    namespace: "cinch",
    kind: "SkillActivated",
    payload: { name: "release-notes", source: "project", why: "the model loaded it" },
  });
});
