import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENTED_COMMANDS, DOCUMENTED_EVENTS } from "../../src/conformance/documented-kinds.ts";
import { ROOT } from "../support/source.ts";

/** Kinds that cinch has beyond [A] § Handshake: each is a decision, written down here. */
const BEYOND = {
  commands: [
    "Answer",
    "AnswerAutoAttach",
    "ArchiveSession",
    "AskAutoAttach",
    "DeleteSession",
    "MarkRead",
    "RenameSession",
    "SetDraft",
    "BranchSession",
    "CompactSession",
    "EndSession",
    "ManageMcp",
    "DismissExpiring",
    "EditInput",
    "ExportSession",
    "MoveInput",
    "MuteSession",
    "RunShell",
    "StopShell",
    "PinSession",
    "PromoteRule",
    "ReloadSkills",
    "RevokeRule",
    "RewindSession",
    "SetLevel",
    "SteerAgent",
    "StopAgent",
    "StopTask",
    "StoreProviderKey",
    "SwitchProfile",
    "WithdrawInput",
  ],
  events: [
    "Answered",
    "Asked",
    "CheckpointMade",
    "CompactionProgress",
    "SessionRenamed",
    "HookError",
    "InputEdited",
    "InputMoved",
    "InputQueued",
    "InputWithdrawn",
    "LevelChanged",
    "MemoryWritten",
    "ModelChanged",
    "PermissionAnswered",
    "ProfileSwitched",
    "RulePromoted",
    "RuleRevoked",
    "SkillRegistryChanged",
    "TaskChanged",
    "TodoChanged",
    "ToolArgsDelta",
  ],
} as const;

for (const [list, documented] of [
  ["commands", DOCUMENTED_COMMANDS],
  ["events", DOCUMENTED_EVENTS],
] as const) {
  test(`[CTL-13 CTL-04] docs/protocol/${list}.schema.json has every kind of [A] § Handshake, and beyond it those that are written down`, () => {
    const published = publishedKinds(list);
    const written: readonly string[] = BEYOND[list];
    expect({
      "in the document, not published": documented.filter((kind) => !published.includes(kind)),
      "published, in neither the document nor the list of what is beyond it": published.filter(
        (kind) => !documented.includes(kind) && !written.includes(kind),
      ),
      "written down as beyond the document, not published": written.filter(
        (kind) => !published.includes(kind),
      ),
      "written down as beyond the document, and in it": written.filter((kind) => documented.includes(kind)),
    }).toEqual({
      "in the document, not published": [],
      "published, in neither the document nor the list of what is beyond it": [],
      "written down as beyond the document, not published": [],
      "written down as beyond the document, and in it": [],
    });
  });
}

function publishedKinds(list: "commands" | "events"): readonly string[] {
  const text = readFileSync(join(ROOT, `docs/protocol/${list}.schema.json`), "utf8");
  const { oneOf } = JSON.parse(text) as {
    readonly oneOf: readonly { readonly properties: { readonly kind: { readonly const: string } } }[];
  };
  return oneOf.map(({ properties }) => properties.kind.const);
}
