import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { declaredReasons, reasonTextsSource } from "../scripts/reasons.ts";
import { publishedFiles } from "../scripts/schemas.ts";
import { START_IMPORTS } from "../scripts/start-chunk.ts";
import { TEXTS } from "../src/base/reason-texts.ts";
import { Command } from "../src/protocol/commands/commands.ts";
import { PAYLOADS } from "../src/protocol/events/events.ts";
import { COMMAND_KINDS, EVENT_KINDS } from "../src/protocol/kinds.ts";
import { filesUnder, importsOf, isTest, ROOT, readSource } from "./support/source.ts";

// What others depend on. A red test here means "decide", not "update".

test("[BUS-06] the kinds of command are pinned and equal to the schema's", () => {
  expect<readonly string[]>(COMMAND_KINDS).toEqual([
    ...[
      "SendInput",
      "CancelTurn",
      "AnswerPermission",
      "CreateSession",
      "AttachSession",
      "DetachSession",
      "SetModel",
    ],
    ...["EnterPlanMode", "ExitPlanMode", "CustomCommand"],
    // Additive since 0.2.0:
    ...["EndSession", "BranchSession", "PinSession", "CompactSession", "RewindSession", "WithdrawInput"],
    ...["RevokeRule", "PromoteRule", "SwitchProfile", "ReloadSkills", "ManageMcp", "StopTask", "Answer"],
    ...["ExportSession", "DismissExpiring", "MuteSession"],
    ...["RenameSession", "ArchiveSession", "DeleteSession", "MarkRead", "SetDraft"],
    ...["SetLevel", "EditInput", "MoveInput", "RunShell", "StopShell", "StopAgent", "SteerAgent"],
    ...["StoreProviderKey", "AskAutoAttach", "AnswerAutoAttach"],
  ]);
  const inSchema = Command.options.map((option) => option.shape.kind.value);
  expect<readonly string[]>(COMMAND_KINDS).toEqual(inSchema);
});

test("[BUS-01] the kinds of event are pinned and equal to the schema's", () => {
  const pinned = [
    ...[
      "TextDelta",
      "ThinkingDelta",
      "ToolCallStarted",
      "ToolCallProgress",
      "ToolArgsDelta",
      "ToolResult",
      "TurnStarted",
    ],
    ...[
      "TurnEnded",
      "TurnTiming",
      "CompactionTriggered",
      "CostIncremented",
      "PermissionRequested",
      "Cancelled",
    ],
    ...[
      "Error",
      "StreamGap",
      "TokenExpiring",
      "HookTimeout",
      "HookError",
      "MCPServerDown",
      "SkillRegistryChanged",
    ],
    ...["SessionEnded", "CustomEvent"],
    // Additive since 0.2.0:
    ...["PermissionAnswered", "Asked", "Answered", "InputQueued", "InputWithdrawn", "CheckpointMade"],
    ...["TaskChanged", "TodoChanged", "MemoryWritten", "ProfileSwitched"],
    // Additive since 0.3.0:
    ...["ModelChanged", "RuleRevoked", "RulePromoted", "CompactionProgress", "SessionRenamed"],
    ...["LevelChanged", "InputEdited", "InputMoved"],
  ];
  expect([...EVENT_KINDS].sort()).toEqual(pinned.sort() as (typeof EVENT_KINDS)[number][]);
  expect([...EVENT_KINDS].sort()).toEqual(Object.keys(PAYLOADS).sort() as (typeof EVENT_KINDS)[number][]);
});

test("[BUS-03] the canonical reasons have the documented texts, word for word", () => {
  const canonical = {
    HandshakeRequired: "Send /v1/handshake before any command. See § Protocol versioning.",
    TurnInProgress:
      "Another client is sending input to this session (started by <originator> at <ts>). Wait, or send /cancel to interrupt.",
    PermissionDenied:
      "Permission denied for <tool> by <client>. To allow: re-prompt and pick 'Allow once / argv-glob / tool / session'.",
    PermissionTimeout: "Permission for <tool> not answered within <timeout>s. Tool call cancelled.",
    TokenExpired:
      "Capability token expired at <exp>. Mint a new one: cinch token --session <id> --identity-class <class>.",
    TokenRevoked: "Token <jti> was revoked at <ts>. Mint a new one via /v1/auth/token.",
    MCPServerSHA256Mismatch:
      "MCP server '<name>' refused to start: the binary at <path> changed. Expected sha256 <expected>, found <actual>. To approve the new binary, run /mcp:approve <name> or edit <profile_path> to update the pin.",
    MCPServerUnavailable:
      "MCP server '<name>' is down after <attempts> restart attempts. Its tools are in degraded state. /mcp:restart <name> to retry, or check <log>. The last time: <why>",
    HookHashChanged:
      "<path> changed since you last approved it. Review the diff (TUI: 'v' opens the diff viewer). Re-ack to continue.",
    HookTimeout: "Hook '<event>' command '<cmd>' exceeded its <timeout>s deadline. Killed.",
    RateLimited:
      "Provider <name> rate-limited the request. Retrying in <retry-after>s… (Ctrl-C to cancel, /model to switch).",
    BashCancelledMidCommand:
      "Cancelled mid-Bash. The command ran for <duration> and may have modified files. Files possibly affected: <list>. Review /sessions:diff <id> to see what changed.",
    NonInteractiveAckRefused:
      "Refusing to silently approve an unseen <kind> in non-interactive mode. Run cinch ack --all once interactively, or pre-populate approved.lock from CI.",
    HandshakeVersionMismatch:
      "Client speaks protocol <client_ver>; server speaks <server_ver>. Upgrade <client_or_server>.",
  };
  const ours = Object.fromEntries(Object.entries(TEXTS).filter(([reason]) => reason in canonical));
  expect<unknown>(ours).toEqual(canonical);
});

test("[BUS-03] every reason stands in the errors.ts of one module, and the table of texts is made of them (npm run generate)", async () => {
  const declared = await declaredReasons();
  expect(declared.length).toBeGreaterThan(150);
  expect(readSource("src/base/reason-texts.ts")).toBe(reasonTextsSource(declared));
  expect(declared.filter(({ file }) => file.startsWith("src/base/"))).toEqual([]);
});

test("[BUS-03 BUS-07] the published schemas and reasons are those of the code (npm run generate)", () => {
  for (const [path, text] of publishedFiles())
    expect({ path, text: readSource(path) }).toEqual({ path, text });
});

/** Modules that `cinch -p` loads before the first request, each with its lazy imports. */
const START = [
  "src/cli/main.ts",
  "src/cli/run.ts",
  "src/cli/secrets.ts",
  "src/cli/commands/prompt/prompt.ts",
  "src/cli/commands/prompt/run.ts",
  "src/cli/commands/line/line.ts",
  "src/cli/commands/line/run.ts",
  "src/cli/context.ts",
  "src/app/harness.ts",
  ...filesUnder("src", "providers/{dialect,anthropic,openai,openrouter,zai,custom}/**/*.ts"),
].filter((file) => !isTest(file));

test("[PERF-01] the start of cinch loads no schema library, and neither does view", () => {
  const starts = [...START, ...filesUnder("src", "view/**/*.ts").filter((file) => !isTest(file))];
  expect(starts.flatMap((file) => wayTo("zod", file))).toEqual([]);
});

test("[PERF-01] what only a command, a page or a change needs is not loaded before there is one", () => {
  const late = [
    "unbash",
    "turndown",
    "node:net",
    "bun:ffi",
    "src/guard/sandbox/sandbox.ts",
    "src/features/plugins/open-session-plugins.ts",
    "src/features/telemetry/exporter.ts",
    "src/features/telemetry/session-telemetry.ts",
    "src/features/plugins/plugin-host.ts",
    "src/features/plugins/plugin-files.ts",
    "src/guard/permissions/inspection/inspect-command.ts",
    "yaml",
    "src/engine/spawn.ts",
    "src/features/subagents/definitions/agent-set.ts",
    "src/features/subagents/worktree/git.ts",
    "src/features/subagents/agent-spawner.ts",
    "src/app/engine/delegate-task.ts",
    "src/features/subagents/agents-review.ts",
    "src/features/memory/store/memory-folder.ts",
    "src/features/memory/store/memory-folders.ts",
    "src/features/memory/tools/prepare-memory.ts",
    "croner",
    "src/features/tasks/schedule/schedule.ts",
    "src/features/tasks/schedule/schedule-tool.ts",
    "@modelcontextprotocol/client",
    "src/features/mcp/open.ts",
    "src/features/mcp/open-mcp-pool.ts",
    "src/features/mcp/server/pool.ts",
    "src/features/skills/format/load-skills.ts",
    "src/features/skills/builtin/builtin-skills.ts",
    "src/features/skills/format/skill-texts.ts",
    "src/features/skills/skill-copies.ts",
    "src/features/skills/format/check-skill.ts",
    "src/server/http/server.ts",
    "src/server/auth/open-authority.ts",
    "src/app/engine/engine-answers.ts",
    "src/cli/commands/commands.ts",
  ];
  const files = late.filter((name) => name.startsWith("src/"));
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  const imported = new Set(
    filesUnder("src", "**/*.ts")
      .filter((file) => !isTest(file))
      .flatMap((file) => importsIn(file).map(({ specifier }) => specifier)),
  );
  expect(late.filter((name) => !name.startsWith("src/") && !imported.has(name))).toEqual([]);
  expect(late.flatMap((name) => START.flatMap((file) => wayTo(name, file)))).toEqual([]);
});

test("[PERF-01] the chunk of the start loads no module of Node's that takes milliseconds", () => {
  const slow = [
    "node:child_process",
    "node:crypto",
    "node:http",
    "node:net",
    "node:stream",
    "node:util",
    "node:zlib",
  ];
  expect(slow.flatMap((name) => [...START, ...START_IMPORTS].flatMap((file) => wayTo(name, file)))).toEqual(
    [],
  );
  expect(START_IMPORTS.flatMap((file) => wayTo("bun:sqlite", file))).not.toEqual([]); // one would be found
});

test("[PERF-01] the first frame of a client loads neither an engine, nor a session, nor what reads foreign bytes", () => {
  const frame = ["src/cli/main.ts", "src/cli/run.ts", "src/cli/context.ts", "src/cli/commands/line/run.ts"];
  const later = [
    "src/app/harness.ts",
    "src/client/line/session/watched-session.ts",
    "src/client/remote/connect-remote.ts",
    "src/protocol/read.ts",
  ];
  expect([...frame, ...later].filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(later.flatMap((name) => frame.flatMap((file) => wayTo(name, file)))).toEqual([]);
});

test("[PERF-01 CTL-09] an engine that serves others loads no library of a wire that nobody uses", () => {
  const served = [
    "src/cli/commands/serve/run.ts",
    "src/app/serving/control-plane.ts",
    "src/app/serving/engine-service.ts",
  ];
  expect([...START, ...served].flatMap((file) => wayTo("@modelcontextprotocol/server", file))).toEqual([]);
  expect(wayTo("@modelcontextprotocol/server", "src/server/mcp/http/http.ts")).not.toEqual([]);
});

test("a way to the schema library would be found", () => {
  expect(wayTo("zod", "src/protocol/read.ts")).toEqual([
    "src/protocol/read.ts > src/protocol/commands/commands.ts > zod",
  ]);
});

/** Read once: the same files stand on the way from each start. */
const read = new Map<string, ReturnType<typeof importsOf>>();

function importsIn(file: string): ReturnType<typeof importsOf> {
  const imports = read.get(file) ?? importsOf(readSource(file));
  read.set(file, imports);
  return imports;
}

/** The first chain of static imports of values that leads from a file to a package, if there is one. */
function wayTo(name: string, start: string): readonly string[] {
  const seen = new Set<string>();
  const ways: (readonly string[])[] = [[start]];
  for (const way of ways) {
    const file = way.at(-1) ?? start;
    if (file === name) return [way.join(" > ")];
    if (seen.has(file) || !/\.tsx?$/.test(file)) continue;
    seen.add(file);
    for (const { specifier = "", kind } of importsIn(file)) {
      if (kind !== "value") continue;
      const relative = specifier.startsWith(".");
      ways.push([...way, relative ? posix.join(posix.dirname(file), specifier) : specifier]);
    }
  }
  return [];
}
