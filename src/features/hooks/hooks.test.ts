import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { contentOf, openHookRig, written } from "../../../test/support/hook-rig.ts";
import { isRunning, noneWith } from "../../../test/support/processes.ts";
import { holds } from "../../../test/support/property.ts";
import { hasGrownLessThan } from "../../../test/support/resident.ts";
import { readSource } from "../../../test/support/source.ts";
import { until } from "../../../test/support/until.ts";
import { Cancelled } from "../../base/errors.ts";
import { HOOK_EVENTS } from "../../protocol/events/hook-events.ts";
import { CONTEXT_CHARACTERS_MAX, readHookAnswer } from "../../session/hooks/answer.ts";
import { HOOK_MS_MAX, hookApplies } from "../../session/hooks/hook.ts";
import { HOOK_KILL_AFTER_MS, HOOK_OUTPUT_BYTES_MAX } from "../../session/hooks/run-hook.ts";
import { completeHook } from "./complete-hook.ts";

const where = { path: "config.toml", line: 1 };
const scripts = () => Promise.resolve("");

/** An answer as a command that gives it. */
function answers(value: unknown): string {
  return `printf %s '${JSON.stringify(value)}'`;
}

test("[HOOK-03 HOOK-01] each event has its deadline, and only a PreToolUse hook blocks by failing unless configured otherwise", () => {
  const entries = HOOK_EVENTS.map((event) => completeHook({ event, cmd: "true", where }, scripts));
  expect(entries.map(({ event, timeoutMs, blocking }) => [event, timeoutMs, blocking])).toEqual([
    ["SessionStart", 5_000, false],
    ["UserPromptSubmit", 5_000, false],
    ["PreToolUse", 30_000, true],
    ["PostToolUse", 30_000, false],
    ["Compact", 60_000, false],
    ["Stop", 5_000, false],
  ]);
  const told = completeHook({ event: "Stop", cmd: "true", timeoutMs: 7, blocking: true, where }, scripts);
  expect([told.timeoutMs, told.blocking]).toEqual([7, true]);
});

test("[DOC-01 HOOK-03] docs/hooks.md has the events in their order with their deadlines, and the limits", () => {
  const page = readSource("docs/hooks.md");
  const rows = [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| (\d+) s \|/gm)];
  const told = rows.map(([, event, seconds]) => [event, Number(seconds) * 1_000]);
  expect(told.sort()).toEqual(Object.entries(HOOK_MS_MAX).sort());
  expect([HOOK_OUTPUT_BYTES_MAX, HOOK_KILL_AFTER_MS, CONTEXT_CHARACTERS_MAX]).toEqual([
    65_536, 5_000, 16_384,
  ]);
  for (const limit of [
    "SIGTERM, 5 s later SIGKILL",
    "64 KB are kept",
    "16,384 characters",
    "up to ten minutes",
  ])
    expect(page).toContain(limit);
});

test("[HOOK-01] a hook gets event, session, folder and the details of the moment in one line of JSON", async () => {
  await using rig = openHookRig((at) => [{ cmd: `cat > ${at("seen")}` }]);
  expect(await rig.say({ input: () => ({ tool: "Write", input: { a: "é\u0000" } }) })).toEqual([
    { kind: "answered", answer: {} },
  ]);
  const text = contentOf(rig.at("seen")) ?? "";
  expect(text.endsWith("}\n")).toBe(true);
  const { session } = rig.context;
  expect(JSON.parse(text)).toEqual({
    ...{ event: "PreToolUse", session, cwd: rig.root },
    ...{ tool: "Write", input: { a: "é\u0000" } },
  });
});

test("[HOOK-01] hooks of one moment run one after the other in their order, and a matcher names the tools", async () => {
  await using rig = openHookRig((at) => [
    { cmd: `echo 1 >> ${at("order")}` },
    { cmd: `echo 2 >> ${at("order")}`, matcher: ["Edit", "Wr*"] },
    { cmd: `echo no >> ${at("order")}`, matcher: ["Edit"] },
    { cmd: `echo no >> ${at("order")}`, event: "PostToolUse" },
    { cmd: `echo 3 >> ${at("order")}` },
  ]);
  expect(await rig.say()).toHaveLength(3);
  expect(contentOf(rig.at("order"))).toBe("1\n2\n3\n");
});

test("[HOOK-01] a matcher with stars matches what the same pattern with .* would", async () => {
  const name = fc.stringMatching(/^[abT_]{0,8}$/);
  const pattern = fc.stringMatching(/^[abT*]{1,6}$/);
  await holds(
    fc.property(name, pattern, (tool, matcher) => {
      const hook = completeHook({ event: "PreToolUse", cmd: "x", matcher: [matcher], where }, scripts);
      const expected = new RegExp(`^${matcher.replaceAll("*", ".*")}$`).test(tool);
      expect(hookApplies(hook, "PreToolUse", { name: tool })).toBe(expected);
    }),
    1_000,
  );
});

test("[HOOK-01 MCP-07] a matcher names a tool of a server as cinch does or as the server does", () => {
  const sum = { name: "mcp__git_hub__get_sum", spelled: "mcp__git_hub__get-sum" };
  const runs = (matcher: string, tool: typeof sum) =>
    hookApplies(
      completeHook({ event: "PreToolUse", cmd: "x", matcher: [matcher], where }, scripts),
      "PreToolUse",
      tool,
    );
  for (const matcher of ["mcp__git-hub__get-sum", "mcp__git_hub__get_sum", "mcp__git-hub__*", "*__get-*"])
    expect([matcher, runs(matcher, sum)]).toEqual([matcher, true]);
  expect(runs("mcp__git-hub__set-sum", sum)).toBe(false);
  // One that another tool of the server has taken the plain name of.
  expect(runs("mcp__s__a-b", { name: "mcp__s__a_b_0123abcd", spelled: "mcp__s__a-b" })).toBe(true);
});

test("[HOOK-01 HOOK-03] exit 0 continues, exit 2 says no with its words, any other is a HookError with its code", async () => {
  await using rig = openHookRig(() => [
    { cmd: "exit 0" },
    { cmd: "echo 'not here' >&2; exit 2" },
    { cmd: "exit 2" },
    { cmd: "echo broken >&2; exit 7" },
    { cmd: "exit 1" },
    { cmd: "kill -9 $$" },
    { cmd: "/nowhere/guard.sh" },
    { cmd: "$CINCH_HOOKS" },
    { cmd: answers({ decision: "block", reason: "because" }) },
  ]);
  const said = await rig.say();
  expect(said.map((each) => [each.kind, "why" in each ? each.why : ""])).toEqual([
    ["answered", ""],
    ["blocked", "not here"],
    ["blocked", "it gave no reason"],
    ["failed", "broken"],
    ["failed", "it failed with exit code 1"],
    ["failed", "it was ended by SIGKILL"],
    ["failed", expect.stringContaining("/nowhere/guard.sh")],
    ["failed", expect.stringContaining(rig.outside)],
    ["blocked", "because"],
  ]);
  const codes = rig.told.map((event) => (event.kind === "HookError" ? event.payload.exit_code : event.kind));
  expect(codes).toEqual([2, 7, 1, 137, 127, 126]);
  expect(rig.told[2]).toEqual({
    kind: "HookError",
    payload: { event: "PreToolUse", command: "exit 1", exit_code: 1 },
  });
  expect(rig.told[1]).toEqual({
    kind: "HookError",
    payload: {
      event: "PreToolUse",
      command: "echo broken >&2; exit 7",
      exit_code: 7,
      output: "broken",
    },
  });
});

test("[HOOK-03] exit 2 without a word is a HookError at every event, and an objection where there is something to object to", async () => {
  await using rig = openHookRig(() => HOOK_EVENTS.map((event) => ({ event, cmd: "exit 2" })));
  const kinds = [];
  for (const event of HOOK_EVENTS)
    kinds.push(...(await rig.say({ event })).map(({ kind }) => `${event} ${kind}`));
  expect(kinds).toEqual([
    "SessionStart failed",
    "UserPromptSubmit blocked",
    "PreToolUse blocked",
    "PostToolUse blocked",
    "Compact failed",
    "Stop failed",
  ]);
  expect(rig.told).toMatchObject(
    HOOK_EVENTS.map((event) => ({ kind: "HookError", payload: { event, exit_code: 2 } })),
  );
});

test.each([
  ["no JSON", "{nonsense"],
  ["two objects", "{} {}"],
  ["the words of another program", '{"hookSpecificOutput": {"permissionDecision": "deny"}}'],
  ["another tool", '{"tool": "Bash", "input": {"command": "rm -rf /"}}'],
  ["a decision that is none", '{"decision": "deny"}'],
  ["a reason that is not a text", '{"reason": {}}'],
  ["an input that is not an object", '{"input": "x"}'],
  ["a prototype", '{"__proto__": {"decision": "allow"}}'],
  ["more depth than anybody reads", `{"input":${"[".repeat(9_000)}${"]".repeat(9_000)}}`],
])("[HOOK-01 S19] an answer with %s is reported as a failure, never taken as a yes", async (_what, text) => {
  await using rig = openHookRig((at) => [{ cmd: `cat ${at("answer")}` }]);
  await Bun.write(rig.at("answer"), text);
  expect(await rig.say()).toMatchObject([{ kind: "failed", why: expect.stringContaining("its answer") }]);
  expect(rig.told).toMatchObject([{ kind: "HookError", payload: { exit_code: 0 } }]);
});

test("[HOOK-01] an input may only come from a PreToolUse hook", async () => {
  await using rig = openHookRig(() => [{ event: "PostToolUse", cmd: answers({ input: { a: 1 } }) }]);
  expect(await rig.say({ event: "PostToolUse" })).toMatchObject([{ kind: "failed" }]);
});

test("[HOOK-01] whatever a hook prints is read to an answer or a problem, and never throws", async () => {
  const events = fc.constantFrom(...HOOK_EVENTS);
  const almost = fc.json().map((text) => new TextEncoder().encode(`{"decision":"allow","x":${text}}`));
  await holds(
    fc.property(fc.oneof(fc.uint8Array(), almost), events, (bytes, event) => {
      const answer = readHookAnswer({ bytes, total: bytes.length }, event);
      expect("problem" in answer || answer.decision === undefined).toBe(true);
    }),
    500,
  );
});

test("[HOOK-01] bytes that are no text are read as what can be read of them, and a NUL stops nothing", async () => {
  await using rig = openHookRig(() => [
    { event: "SessionStart", cmd: `printf 'a\\000\\377\\033[2Jb'` },
    { event: "SessionStart", cmd: `printf 'x\\377\\000' >&2; exit 2` },
  ]);
  expect(await rig.say({ event: "SessionStart" })).toMatchObject([
    { kind: "answered", answer: { context: "a\u0000\ufffd\u001b[2Jb" } },
    { kind: "failed", why: expect.stringContaining("x\ufffd\u0000") },
  ]);
});

test("[HOOK-01 HOOK-03] at the deadline a hook gets SIGTERM, five seconds later SIGKILL, and clients HookTimeout", async () => {
  await using rig = openHookRig((at) => [
    {
      cmd: `trap 'echo asked >> ${at("asked")}' TERM; echo $$ > ${at("pid")}; while :; do sleep 0.05; done`,
      timeoutMs: 12_000,
    },
  ]);
  const saying = rig.say();
  const pid = Number(await written(rig.at("pid")));
  await rig.world.clock.advance(11_999);
  expect(contentOf(rig.at("asked"))).toBeUndefined();
  await rig.world.clock.advance(1);
  expect(await written(rig.at("asked"))).toBe("asked\n");
  await rig.world.clock.advance(4_999);
  expect(isRunning(pid)).toBe(true);
  await rig.world.clock.advance(1);
  expect(await saying).toMatchObject([{ kind: "failed", why: "it did not end within 12 s" }]);
  await until("it has ended", () => !isRunning(pid));
  const [told] = rig.told;
  expect(told).toMatchObject({
    kind: "HookTimeout",
    payload: { event: "PreToolUse", after: 12_000_000_000 },
  });
});

test("[HOOK-03] a hook that ends on SIGTERM is not waited for any longer, and is still too late", async () => {
  await using rig = openHookRig((at) => [
    { cmd: `echo $$ > ${at("pid")}; exec sleep 300`, timeoutMs: 1_000 },
  ]);
  const saying = rig.say();
  await written(rig.at("pid"));
  await rig.world.clock.advance(1_000);
  expect(await saying).toMatchObject([{ kind: "failed" }]);
  expect(rig.told).toMatchObject([{ kind: "HookTimeout" }]);
});

test("[HOOK-01 ENG-09] a cancel ends a running hook at once, also one that is past its deadline, and none follows", async () => {
  await using rig = openHookRig((at) => [
    { cmd: `trap '' TERM; echo $$ > ${at("pid")}; while :; do sleep 0.05; done` },
    { cmd: `echo no > ${at("second")}` },
  ]);
  const saying = rig.say();
  const pid = Number(await written(rig.at("pid")));
  await rig.world.clock.advance(30_000);
  rig.cancel.abort(new Cancelled("test", "enough"));
  await expect(saying).rejects.toThrow("enough");
  await until("it has ended", () => !isRunning(pid));
  expect([rig.told, contentOf(rig.at("second"))]).toEqual([[], undefined]);
});

test("[HOOK-01 HOOK-03] more than 64 KB of output is read and dropped, with a mark in the operational log", async () => {
  await using rig = openHookRig((at) => [
    { event: "SessionStart", cmd: "head -c 1000000 /dev/zero | tr '\\0' x" },
    { event: "SessionStart", cmd: "head -c 200000 /dev/zero | tr '\\0' y >&2; exit 3" },
    { cmd: `printf '{"reason":"'; head -c 70000 /dev/zero | tr '\\0' z; printf '"}'`, event: "SessionStart" },
    { event: "SessionStart", cmd: `echo on > ${at("on")}` },
  ]);
  const said = await rig.say({ event: "SessionStart" });
  expect(said).toMatchObject([
    { kind: "answered", answer: { context: `${"x".repeat(16_384)}…` } },
    { kind: "failed", why: `${"y".repeat(4_096)}…` },
    { kind: "failed", why: "its answer is longer than 64 KB" },
    { kind: "answered" },
  ]);
  const told = { event: "SessionStart", kept: 65_536 };
  expect(rig.logged).toEqual([
    [CUT, { ...told, hook: "config.toml:1", stream: "stdout", bytes: 1_000_000 }],
    [CUT, { ...told, hook: "config.toml:2", stream: "stderr", bytes: 200_000 }],
    [CUT, { ...told, hook: "config.toml:3", stream: "stdout", bytes: 70_013 }],
  ]);
});

const CUT = "warn «truncated» the output of a hook was cut";

const FLOOD_BYTES = 1_000_000_000;

test("[HOOK-01 REL-01] a flood is read to its end and holds no memory; one without end is ended by the deadline", async () => {
  await using rig = openHookRig((at) => [
    { cmd: `head -c ${FLOOD_BYTES} /dev/zero` },
    { cmd: `echo $$ > ${at("pid")}; yes`, timeoutMs: 1_000 },
  ]);
  const before = process.memoryUsage.rss();
  const saying = rig.say();
  await written(rig.at("pid"));
  expect(hasGrownLessThan(FLOOD_BYTES / 2, before)).toBe(true);
  await rig.world.clock.advance(1_000);
  expect(await saying).toMatchObject([{ kind: "answered" }, { kind: "failed" }]);
  expect(rig.logged).toMatchObject([[CUT, { bytes: FLOOD_BYTES }]]);
});

test("[HOOK-01 REL-03] no process of a hook outlives it, whether it hides in the background or in a session of its own", async () => {
  const own = `300.${Math.floor(Math.random() * 1e12)}`;
  await using rig = openHookRig((at) => [
    { cmd: `sleep ${own} & echo $! > ${at("a")}` },
    { cmd: `setsid sleep ${own} & echo > ${at("b")}` },
    { cmd: `( setsid sh -c 'sleep ${own} & exit' & ) ; echo > ${at("c")}` },
    { cmd: `sleep ${own} </dev/null >/dev/null 2>&1 &` },
  ]);
  expect(await rig.say()).toHaveLength(4);
  await noneWith(own);
});

test("[HOOK-01] a hook that never reads, closes its input or takes its own file away is a hook like any other", async () => {
  await using rig = openHookRig((at) => [
    { cmd: "exec <&-; exit 0" },
    { cmd: "true" },
    { cmd: at("gone.sh") },
    { cmd: at("gone.sh") },
  ]);
  rig.script("gone.sh", '#!/bin/sh\nrm "$0"\n');
  const said = await rig.say({ input: () => ({ input: { text: "x".repeat(2_000_000) } }) });
  expect(said.map(({ kind }) => kind)).toEqual(["answered", "answered", "answered", "failed"]);
  expect(rig.told).toMatchObject([{ kind: "HookError", payload: { exit_code: 127 } }]);
});

test("[HOOK-01 S10 S13] a hook gets the environment it is given, a mark, and no program of the folder it runs in", async () => {
  const env = { PATH: "::relative:.:/usr/bin:/bin:", HOME: "/home/user", NAME: "value" };
  await using rig = openHookRig((at) => [{ cmd: `env > ${at("env")}; tool` }], env);
  for (const path of ["tool", "relative/tool"]) {
    await Bun.write(`${rig.root}/${path}`, "#!/bin/sh\ntouch ran\n");
    Bun.spawnSync(["chmod", "755", `${rig.root}/${path}`]);
  }
  expect(await rig.say()).toMatchObject([{ kind: "failed" }]);
  expect(contentOf(`${rig.root}/ran`)).toBeUndefined();
  const lines = (contentOf(rig.at("env")) ?? "").trim().split("\n");
  const seen = Object.fromEntries(lines.map((line) => line.split("=") as [string, string]));
  const { _, SHLVL, OLDPWD, ...own } = seen;
  expect(own).toEqual({
    ...{ PATH: "/usr/bin:/bin", HOME: "/home/user", NAME: "value", PWD: rig.root },
    CINCH_HOOKS: rig.outside,
    CINCH_HOOK: expect.stringMatching(/^call_\w{26}\.\d+$/),
  });
});

test("[HOOK-01] a hook may take the whole time it has: nothing else ends it, and what it said counts", async () => {
  await using rig = openHookRig((at) => [
    {
      cmd: `echo $$ > ${at("pid")}; until [ -e ${at("go")} ]; do sleep 0.02; done; ${answers({ context: "late" })}`,
    },
  ]);
  const saying = rig.say();
  await written(rig.at("pid"));
  await rig.world.clock.advance(29_999);
  await Bun.write(rig.at("go"), "");
  expect(await saying).toEqual([{ kind: "answered", answer: { context: "late" } }]);
  await until("no timer", () => rig.world.clock.waiting === 0);
});
