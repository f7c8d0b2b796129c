import { expect, test } from "bun:test";
import { commandsOf } from "../../../../test/shell/cases.ts";
import { POLICY, withRules } from "../../../../test/shell/judge-line.ts";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { TOOLS } from "../../../app/plan/tool-list.ts";
import type { CallId, ClientId, SessionId } from "../../../base/ids.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { hostWorld } from "../../../platform/host.ts";
import type { Policy } from "../../../session/guard/policy.ts";
import type { Rule } from "../../../session/guard/rule.ts";
import type { Confinement } from "../../../session/guard/sandbox.ts";
import type { PermissionQuestion } from "../../../session/questions.ts";
import { literalOf } from "../../../shell/analysis.ts";
import { BASH_FACTS } from "../../../tools/bash/bash.ts";
import type { Tool, ToolContext } from "../../../tools/tool.ts";
import { rulesFromAnswer } from "../rules/answer.ts";
import { parseRule, printRule } from "../rules/rule.ts";
import { SessionRules } from "../rules/session-rules.ts";
import { permissionQuestion } from "./permission-question.ts";
import type { Verdict } from "./verdict.ts";
import { judgeCall, UNCONFINED } from "./verdict.ts";

const SLOW_MS = 300_000;
const CONFINED: Confinement = { kind: "working", network: "off", takesHosts: true };
/** Every constructed command, and each tenth of those that agents have issued. */
const COMMANDS = [
  ...commandsOf("traps"),
  ...commandsOf("safe"),
  ...commandsOf("agent-commands").filter((_, at) => at % 10 === 0),
];

const TOOL: Tool = {
  ...BASH_FACTS,
  description: "",
  inputSchema: {},
  plan: () => Promise.reject(new Error("the call is planned")),
  run: () => Promise.reject(new Error("nothing runs here")),
};

/** Judges and asks about commands in a folder of its own, on the disk of this machine. */
function openDesk(root: string, confinement: Confinement) {
  const world = hostWorld(SILENT_LOG);
  const context: ToolContext = {
    ...{ world, signal: new AbortController().signal, turn: 1 },
    session: "sess_00000000000000000000000001" as SessionId,
    callId: "call_00000000000000000000000001" as CallId,
    originator: "cli_00000000000000000000000001" as ClientId,
    workspace: {
      ...{ root, cwd: root, seen: new Map(), scratch: `${root}/../scratch` },
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    },
    progress: () => undefined,
    emit: () => undefined,
  };
  const callOf = (command: string) => ({
    ...{ id: context.callId, name: "Bash", input: { command }, tool: TOOL },
    plan: { summary: command, target: { kind: "command", command, cwd: root } as const },
  });
  return {
    judged: (command: string, policy: Policy, session = new SessionRules()): Promise<Verdict> =>
      judgeCall({ policy: () => policy, session }, callOf(command), {
        context,
        confinement: async () => confinement,
      }),
    async asked(command: string, verdict: Verdict): Promise<PermissionQuestion> {
      const { decision } = verdict;
      if (decision.kind !== "ask") throw new Error(`${command} is not asked about`);
      const at = { ...verdict, call: callOf(command), context, options: { configPath: "config.toml" } };
      return permissionQuestion(decision, at, await verdict.parts());
    },
  };
}

function ruleOf(text: string, scope: Rule["scope"]): Rule {
  const parsed = parseRule({ effect: "allow", text }, scope, TOOLS);
  if (parsed.kind === "problem") throw new Error(parsed.problem);
  return parsed.rule;
}

const POLICIES: readonly (readonly [string, Policy, Confinement])[] = [
  ["without a sandbox", POLICY, UNCONFINED],
  ["in a sandbox", POLICY, CONFINED],
  ["with every known read asked about", { ...POLICY, quiet: false }, UNCONFINED],
  [
    "with rules about some programs",
    withRules(
      ["ask", "Bash:git *"],
      ["deny", "Bash:rm *"],
      ["deny", "Read:**/.env"],
      ["deny", 'Bash:=echo "a b"'],
      ["allow", "Bash:python *"],
      ["allow", "Bash:cd /testbed"],
    ),
    UNCONFINED,
  ],
];

test.each(POLICIES)(
  "[PERM-11 PERM-14] each rule that a question offers allows its call, and is no wider than whole words: %s",
  async (_, policy, confinement) => {
    await using folder = temporaryDirectory();
    const desk = openDesk(folder.path, confinement);
    const counts = { asked: 0, prefixes: 0, ends: 0 };
    for (const command of COMMANDS) {
      const verdict = await desk.judged(command, policy);
      if (verdict.decision.kind !== "ask") continue;
      const { prefixes = [], why, onceOnly } = await desk.asked(command, verdict);
      counts.asked += 1;
      if (onceOnly === true) expect(prefixes).toEqual([]);
      const { view, plan, workspace } = verdict;
      if (view === undefined) throw new Error("a command has facts");
      const lines = view.facts.analysis.commands.map(({ name, args }) => [name, ...args].map(literalOf));
      for (const rule of prefixes) {
        counts.prefixes += 1;
        const answered = { plan, workspace, tool: TOOL, command: { facts: view.facts, quiet: policy.quiet } };
        const minted = rulesFromAnswer({ scope: "argv_glob", rule }, answered);
        expect(minted.map(printRule)).toEqual([rule]);
        const session = new SessionRules();
        for (const each of minted) session.add(each, 0);
        expect([command, rule, (await desk.judged(command, policy, session)).decision.kind]).toEqual([
          command,
          rule,
          "allow",
        ]);
        const words = rule.slice("Bash:".length).split(" ");
        expect(words.pop()).toBe("*");
        expect(words.join("")).not.toContain("*");
        expect(lines.some((line) => words.every((word, at) => word === line[at]))).toBe(true);
      }
      const { rule } = why?.ends ?? {};
      if (rule === undefined) continue;
      counts.ends += 1;
      const wider = { ...policy, rules: [...policy.rules, ruleOf(rule, "user")] };
      expect([command, rule, (await desk.judged(command, wider)).decision.kind]).toEqual([
        command,
        rule,
        "allow",
      ]);
    }
    expect(Object.values(counts).every((count) => count > 0)).toBe(true);
  },
  SLOW_MS,
);

test.each(POLICIES)(
  "[PERM-14] the parts of a compound command have their own verdicts, and a deny of one is a deny of all: %s",
  async (_, policy, confinement) => {
    await using folder = temporaryDirectory();
    const desk = openDesk(folder.path, confinement);
    let lines = 0;
    for (const command of COMMANDS) {
      const { decision, parts } = await desk.judged(command, policy);
      const verdicts = (await parts()).map(({ verdict }) => verdict);
      if (verdicts.length === 0) continue;
      lines += 1;
      const whole = { command, verdict: decision.kind };
      if (verdicts.includes("deny")) expect(whole).toEqual({ command, verdict: "deny" });
      // A line that is asked about has a part that is, and one that is allowed has none.
      if (decision.kind !== "deny")
        expect({ command, verdict: verdicts.includes("ask") ? "ask" : "allow" }).toEqual({
          ...whole,
          verdict: decision.kind,
        });
    }
    expect(lines).toBeGreaterThan(100);
  },
  SLOW_MS,
);

test("[PERM-14] a question about a compound command says of each part what asks about it", async () => {
  await using folder = temporaryDirectory();
  const desk = openDesk(folder.path, UNCONFINED);
  const policy = withRules(["allow", "Bash:make *"]);
  const command = "ls && timeout 9 make all > log.txt && npm test";
  const level = "it needs the level DangerFullAccess, and the ceiling is WorkspaceWrite";
  const { parts, prefixes, why } = await desk.asked(command, await desk.judged(command, policy));
  expect(parts).toEqual([
    { text: "ls", verdict: "allow", why: "it only reads" },
    { text: "make all", verdict: "allow", why: 'the rule allow "Bash:make *" covers it' },
    { text: "npm test", verdict: "ask", why: `npm is not known to only read; ${level}` },
    { text: "> log.txt", verdict: "ask", why: `it writes to log.txt; ${level}` },
  ]);
  expect(prefixes).toBeUndefined(); // no rule covers a line that writes
  expect(why).toMatchObject({ cause: "level", ends: { rule: `Bash:${command}` } });
  const denied = await desk.judged(command, withRules(["deny", "Bash:npm *"]));
  expect(denied.decision.kind).toBe("deny");
  expect((await denied.parts()).map(({ verdict }) => verdict)).toEqual(["allow", "ask", "deny", "ask"]);
});

test("[PERM-02 PERM-14] a deny rule for exact words holds for a nested shell that spells them with other quotes", async () => {
  await using folder = temporaryDirectory();
  const desk = openDesk(folder.path, UNCONFINED);
  const policy = withRules(["deny", 'Bash:=echo "a b" > x'], ["allow", "Bash"]);
  const { decision } = await desk.judged(String.raw`bash -c "echo \"a b\" > x"`, policy);
  expect(decision).toMatchObject({ kind: "deny", because: "rule" });
});

test("[PERM-14] what nothing ends says so, and a question offers no bare name of a program that runs anything", async () => {
  await using folder = temporaryDirectory();
  const desk = openDesk(folder.path, UNCONFINED);
  const offered = async (command: string, policy: Policy = POLICY) =>
    await desk.asked(command, await desk.judged(command, policy));
  const hook = await offered("cp x .git/hooks/y");
  expect(hook).toMatchObject({ onceOnly: true, why: { cause: "protected" } });
  expect([hook.why?.ends, hook.prefixes]).toEqual([undefined, undefined]);
  expect((await offered("python -m pytest tests")).prefixes).toEqual([
    "Bash:python -m *",
    "Bash:python -m pytest *",
    "Bash:python -m pytest tests *",
  ]);
  const firm = await offered("npm test", { ...POLICY, firm: true });
  expect(firm.why?.ends).toEqual({
    setting:
      "above --level WorkspaceWrite no rule counts: without it, or with --level DangerFullAccess, one does",
  });
  const asked = await offered("git push origin", withRules(["ask", "Bash:git push *"]));
  expect(asked.why).toEqual({
    cause: "rule",
    text: 'the rule ask "Bash:git push *" names it',
    ends: { setting: 'remove the rule ask "Bash:git push *"' },
  });
});
