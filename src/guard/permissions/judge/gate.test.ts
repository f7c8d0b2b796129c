import { describe, expect, test } from "bun:test";
import { testWorld } from "../../../../test/support/world.ts";
import { TOOLS } from "../../../app/plan/tool-list.ts";
import type { CallId, ClientId, SessionId } from "../../../base/ids.ts";
import type { Policy } from "../../../session/guard/policy.ts";
import type { AskPermission, PermissionOutcome, PermissionQuestion } from "../../../session/questions.ts";
import type { ToolCall } from "../../../tools/middleware.ts";
import type { CallPlan, Tool, ToolContext } from "../../../tools/tool.ts";
import type { Level } from "../../../tools/tool-facts.ts";
import { parseRule, printRule } from "../rules/rule.ts";
import { SessionRules } from "../rules/session-rules.ts";
import type { CallRefusal, GateOptions } from "./gate.ts";
import { permissionGate } from "./gate.ts";

const PERSON = "cli_00000000000000000000000001" as ClientId;
const POLICY: Policy = {
  ceiling: "WorkspaceWrite",
  firm: false,
  strict: false,
  quiet: true,
  bashInSandbox: "allow",
  rules: [],
  ownDirectories: ["/home/user/.config/cinch"],
};

/** Files that a search of a directory may meet. */
const FILES = [
  "/w/app/a.ts",
  "/w/app/.env",
  "/w/app/secret/a.ts",
  "/w/other/a.ts",
  "/w/other/.env",
  "/home/user/.config/cinch/config.toml",
] as const;

type Answer = {
  readonly scope: "once" | "argv_glob" | "tool";
  readonly rule?: string;
  readonly hosts?: true;
};

/** A gate whose questions are kept and answered in order; the tool behind it tells that it ran. */
function rig(
  answers: readonly PermissionOutcome[],
  { policy = POLICY, ...options }: Partial<Omit<GateOptions, "policy">> & { readonly policy?: Policy } = {},
) {
  let current = policy;
  const questions: PermissionQuestion[] = [];
  const ran: ToolCall[] = [];
  const refusals: CallRefusal["because"][] = [];
  const refusalTexts: string[] = [];
  const withheld: (readonly string[])[] = [];
  const withheldNames: (readonly string[])[] = [];
  const byPerson: boolean[] = [];
  const session = new SessionRules();
  const controller = new AbortController();
  const ask: AskPermission = async (question) => {
    questions.push(question);
    return answers[questions.length - 1] ?? { kind: "nobody" };
  };
  const gate = permissionGate({
    policy: () => current,
    session,
    ask,
    autoApprove: false,
    configPath: "/home/user/.config/cinch/config.toml",
    onRefused: ({ because, text }) => {
      refusals.push(because);
      refusalTexts.push(text);
    },
    ...options,
  });
  async function call(plan: CallPlan, name = "Bash", level: Level = "DangerFullAccess"): Promise<string> {
    const request = callOf(plan, name, level);
    const output = await gate(
      request,
      context(controller.signal),
      async (passed, { withholds, byPerson: isByPerson }) => {
        ran.push(passed);
        byPerson.push(isByPerson === true);
        withheld.push(FILES.filter((path) => withholds?.(path, "content")));
        withheldNames.push(FILES.filter((path) => withholds?.(path, "name")));
        return { content: [{ type: "text", text: "ran" }] };
      },
    );
    const [block] = output.content;
    return `${output.isError === true ? "error: " : ""}${block?.type === "text" ? block.text : ""}`;
  }
  const restrict = (next: Policy) => {
    current = next;
  };
  return {
    call,
    questions,
    ran,
    refusals,
    refusalTexts,
    withheld,
    withheldNames,
    byPerson,
    session,
    controller,
    restrict,
  };
}

function callOf(plan: CallPlan, name: string, level: Level): ToolCall {
  const tool: Tool = {
    ...TOOLS.of(name),
    name,
    description: "",
    inputSchema: {},
    mutating: true,
    level,
    plan: async () => plan,
    run: async () => ({ content: [] }),
  };
  return { id: "call_00000000000000000000000001" as CallId, name, input: { a: 1 }, tool, plan };
}

function context(signal: AbortSignal): ToolContext {
  return {
    world: testWorld(),
    signal,
    session: "sess_00000000000000000000000001" as SessionId,
    callId: "call_00000000000000000000000001" as CallId,
    originator: PERSON,
    turn: 1,
    workspace: { root: "/w/app", cwd: "/w/app", seen: new Map(), env: {}, scratch: "/tmp/scratch" },
    progress: () => undefined,
    emit: () => undefined,
  };
}

function bash(command: string, cwd = "/w/app"): CallPlan {
  return { summary: command, target: { kind: "command", command, cwd } };
}

function yes(answer: Answer): PermissionOutcome {
  return { kind: "answered", decision: "allow", by: PERSON, ...answer };
}

test("[PERM-03] allow once lets this call through and asks for the next one", async () => {
  const { call, questions, session } = rig([yes({ scope: "once" }), yes({ scope: "once" })]);
  expect([await call(bash("npm test")), await call(bash("npm test"))]).toEqual(["ran", "ran"]);
  expect(questions).toHaveLength(2);
  expect(session.list()).toEqual([]);
});

test("[PERM-03 PERM-07] an allow for the session is not asked for again until it is revoked", async () => {
  const { call, questions, session } = rig([yes({ scope: "argv_glob" }), yes({ scope: "once" })]);
  await call(bash("npm test"));
  await call(bash("npm test"));
  expect(questions).toHaveLength(1);
  expect(session.list().map(printRule)).toEqual(["Bash:npm test"]);
  expect([session.revoke("Bash:npm test"), session.revoke("Bash:npm test")]).toEqual([true, false]);
  await call(bash("npm test"));
  expect(questions).toHaveLength(2);
});

test("[PERM-03] an allow of the tool for the session covers its every call, but not what only a person may grant", async () => {
  const { call, questions, refusals } = rig([yes({ scope: "tool" })]);
  expect([await call(bash("npm test")), await call(bash("a && b | c"))]).toEqual(["ran", "ran"]);
  expect(await call(bash("cp x .git/hooks/y"))).toStartWith("error: PermissionDenied: ");
  expect(questions).toHaveLength(2);
  expect(refusals).toEqual(["nobody"]);
});

test("[PERM-11] glob characters that come from the call are literal in the rule that an answer makes", async () => {
  const { call, questions, session } = rig([yes({ scope: "argv_glob" }), yes({ scope: "argv_glob" })]);
  await call(bash("rm *"));
  await call(bash("rm x"));
  expect(questions).toHaveLength(2);
  expect(session.list().map(printRule)).toEqual(["Bash:=rm *", "Bash:rm x"]);
  const edit = (path: string): CallPlan => ({
    summary: `Edit:${path}`,
    target: { kind: "paths", paths: [{ path: `/w/app/${path}`, access: "write" }] },
  });
  const edits = rig([yes({ scope: "argv_glob" })]);
  expect(await edits.call(edit("[id].ts"), "Edit", "WorkspaceWrite")).toBe("ran");
  expect(await edits.call(edit("[id].ts"), "Edit", "WorkspaceWrite")).toBe("ran");
  expect(await edits.call(edit("i.ts"), "Edit", "WorkspaceWrite")).toStartWith("error: ");
  expect(edits.session.list().map(printRule)).toEqual(["Edit:=[id].ts"]);
});

test("[PERM-11] the person may widen it to a prefix of the command's own words, and to nothing else", async () => {
  const minted = async (rule: string, command: string) => {
    const { call, session } = rig([yes({ scope: "argv_glob", rule })]);
    expect(await call(bash(command))).toBe("ran");
    return session.list().map(printRule);
  };
  expect(await minted("Bash:npm run *", "npm run lint")).toEqual(["Bash:npm run *"]);
  expect(await minted("Bash:npm run lint *", "npm run lint")).toEqual(["Bash:npm run lint *"]);
  expect(await minted("Bash:npm run lint", "npm run lint")).toEqual(["Bash:npm run lint"]);
  const refused = [
    "Bash:*",
    "Bash",
    "Bash:* lint",
    "Bash:rm *",
    "Bash:np* *",
    "Bash:npm",
    "Write:npm *",
    "Bash:npm lint *",
    "?",
  ];
  for (const rule of refused) expect(await minted(rule, "npm run lint")).toEqual([]);
  expect(await minted("Bash:npm *", "npm test; make")).toEqual([]);
  // A part that only reads needs no rule, and two commands may begin alike.
  expect(await minted("Bash:npm *", "npm test; id")).toEqual(["Bash:npm *"]);
  expect(await minted("Bash:npm run *", "npm run a && npm run b")).toEqual(["Bash:npm run *"]);
  expect(await minted("Bash:npm run a *", "npm run a && npm run b")).toEqual([]);
  // A star of the command's own would match more than its word.
  expect(await minted("Bash:find a -name *.ts *", "find a -name '*.ts' -newer b -fprint c")).toEqual([]);
  expect(await minted("Bash:make all *", "make 'all' \"a b\" > log.txt")).toEqual(["Bash:make all *"]);
  expect(await minted("Bash:make *", "make\u00a0all")).toEqual([]);
});

test("[PERM-12] with nobody to ask, a call is refused at once with the rule that would allow it", async () => {
  const { call, ran, refusals, refusalTexts } = rig([]);
  expect(await call(bash('make "a"\tb'))).toBe(
    'error: PermissionDenied: Bash (make "a"\\tb) needs a person\'s consent (make is not known to only read; it needs the level DangerFullAccess, and the ceiling ' +
      "is WorkspaceWrite), and nobody can be asked in this run. The user can allow it with\n[permissions]\n" +
      'allow = ["Bash:make \\"a\\"\\tb"]\nin /home/user/.config/cinch/config.toml, or with --auto-approve. ' +
      "Go on without it, or say what could not be done.",
  );
  expect(ran).toEqual([]);
  expect(refusals).toEqual(["nobody"]);
  expect(refusalTexts).toEqual([expect.stringMatching(/^Bash [\s\S]*, or with --auto-approve\.$/)]);
});

test("[PERM-12] the rule that a refusal names really allows the call, once it is in the configuration", async () => {
  for (const command of ["npm test", "echo *.ts | sort > 'x'", "printf '\u001b[0m\u007f'\nls"]) {
    const text = await rig([]).call(bash(command));
    const [line = ""] = text.split("\n").filter((each) => each.startsWith("allow = "));
    const parsed: unknown = Bun.TOML.parse(line);
    const allow = (parsed as { allow: readonly string[] }).allow;
    const rules = allow.flatMap((text) => {
      const rule = parseRule({ effect: "allow", text }, "user", TOOLS);
      return rule.kind === "rule" ? [rule.rule] : [];
    });
    expect(await rig([], { policy: { ...POLICY, rules } }).call(bash(command))).toBe("ran");
  }
});

test("[PERM-12] --auto-approve answers yes, but lifts no deny rule, no strict ceiling and nothing of cinch's own", async () => {
  const denied = parseRule({ effect: "deny", text: "Bash:git push *" }, "user", TOOLS);
  const rules = denied.kind === "rule" ? [denied.rule] : [];
  const auto = rig([], { autoApprove: true, policy: { ...POLICY, rules } });
  expect(await auto.call(bash("npm test"))).toBe("ran");
  expect(await auto.call(bash("git push origin"))).toBe(
    'error: PermissionDenied: Bash (git push origin) is not allowed: the rule deny "Bash:git push *" forbids it. No answer or option of this run lifts that.',
  );
  expect(await auto.call(bash("tee .cinch/config.toml"))).toContain(
    "No rule and no --auto-approve lifts that.",
  );
  expect(auto.refusals).toEqual(["rule", "nobody"]);
  const strict = rig([], { autoApprove: true, policy: { ...POLICY, strict: true } });
  expect(await strict.call(bash("npm test"))).toContain(
    "is not allowed: it needs the level DangerFullAccess",
  );
  expect(strict.refusals).toEqual(["level"]);
});

test("[PERM-12] what a strict level or its own length forbids is refused with what would help", async () => {
  const strict = rig([], { policy: { ...POLICY, strict: true } });
  expect(await strict.call(bash("npm test"))).toEndWith(
    "What is above it is refused, since strict = true is set. The user can raise it with --level DangerFullAccess.",
  );
  const long = rig([]);
  expect(await long.call(bash(`echo ${"x".repeat(100_001)}`))).toEndWith(
    "too much to be judged. Write a script to a file and run that.",
  );
  expect([...strict.refusals, ...long.refusals]).toEqual(["level", "limit"]);
});

test("[PERM-06] no answer in time denies, and the model can tell", async () => {
  const { call, ran, refusals } = rig([{ kind: "timeout", afterMs: 60_000 }]);
  expect(await call(bash("npm test"))).toBe(
    "error: PermissionTimeout: Permission for Bash not answered within 60s. Tool call cancelled.",
  );
  expect([ran, refusals]).toEqual([[], ["timeout"]]);
});

test("[PERM-03] a no is told with who said it", async () => {
  const { call, refusals, refusalTexts } = rig([
    { kind: "answered", decision: "deny", scope: "tool", by: PERSON },
  ]);
  expect(await call(bash("npm test"))).toBe(
    `error: PermissionDenied: Permission denied for Bash by ${PERSON}. A person has denied this call. Do not repeat it unchanged: ask what they want instead.`,
  );
  expect(refusals).toEqual(["answer"]);
  expect(refusalTexts).toEqual([`Permission denied for Bash by ${PERSON}. A person has denied this call.`]);
});

test("[PERM-06] the question shows the whole of what will run, with nothing hidden in it", async () => {
  const { call, questions } = rig([]);
  await call(bash("npm test"));
  expect(questions.shift()).toMatchObject({ summary: "npm test", rule: "Bash:npm test" });
  await call(bash("ls\n\u001b[2Krm -rf x \u202e\u{e0041}", "/w/app/sub"));
  expect(questions).toEqual([
    {
      callId: "call_00000000000000000000000001" as CallId,
      tool: "Bash",
      toolKind: "execute",
      args: { a: 1 },
      originator: PERSON,
      summary: "ls\n\\e[2Krm -rf x [hidden: U+202E U+E0041]\n(in /w/app/sub)",
      reason:
        "bash may read it in another way than it looks: it holds the character U+001B, which is not what it looks like (at character 4)",
      why: {
        cause: "grammar",
        text: "bash may read it in another way than it looks: it holds the character U+001B, which is not what it looks like (at character 4)",
      },
    },
  ]);
});

test("[PERM-06 PERM-11 S22] a link is shown with where it leads, and an allow for the session holds for both", async () => {
  const use = { path: "/w/app/src/a", spelled: "/w/app/link" };
  const plan: CallPlan = {
    summary: "Edit:src/a",
    target: {
      kind: "paths",
      paths: [
        { ...use, access: "read" },
        { ...use, access: "write" },
      ],
    },
  };
  const { call, questions, session } = rig([yes({ scope: "argv_glob" })]);
  expect(await call(plan, "Edit", "WorkspaceWrite")).toBe("ran");
  expect(questions[0]?.summary).toBe("Edit:/w/app/link (a link to /w/app/src/a)");
  expect(session.list().map(printRule)).toEqual(["Edit:src/a", "Edit:link"]);
  expect(await call(plan, "Edit", "WorkspaceWrite")).toBe("ran");
  expect(questions).toHaveLength(1);
});

test("[PERM-10] the call that was approved is the very call that runs, unless the turn was cancelled meanwhile", async () => {
  const plan = bash("npm test");
  const { call, ran } = rig([yes({ scope: "once" })]);
  await call(plan);
  expect(ran[0]?.plan).toBe(plan);

  const cancelled: ReturnType<typeof rig> = rig([], {
    ask: async () => {
      cancelled.controller.abort(new Error("cancelled by the person"));
      return yes({ scope: "once" });
    },
  });
  await expect(cancelled.call(plan)).rejects.toThrow("cancelled by the person");
  expect(cancelled.ran).toEqual([]);
});

test("[PERM-02 PROF-03] a call is judged by the policy of its moment, and what is restricted later counts for later calls", async () => {
  const read: CallPlan = {
    summary: "Read:a.ts",
    target: { kind: "paths", paths: [{ path: "/w/app/a.ts", access: "read" }] },
  };
  const before = structuredClone(POLICY);
  const { call, restrict, refusals } = rig([]);
  expect(await call(read, "Read", "ReadOnly")).toBe("ran");
  restrict({ ...POLICY, rules: [ruleOf("deny", "Read:a.ts")] });
  expect(await call(read, "Read", "ReadOnly")).toStartWith("error: PermissionDenied");
  expect([refusals, POLICY]).toEqual([["rule"], before]);
});

test("[PERM-02 S22] a search of a directory is kept from the files in it that would be refused by their own paths", async () => {
  const search = (path: string): CallPlan => ({
    summary: "Grep:x",
    target: { kind: "paths", paths: [{ path, access: "read" }] },
  });
  const deny = { ...POLICY, rules: [ruleOf("deny", "Read:secret/**")] };
  const own = "/home/user/.config/cinch/config.toml";

  const alone = rig([], { policy: deny });
  await alone.call(search("/w/app"), "Grep", "ReadOnly");
  expect(alone.withheld).toEqual([["/w/app/.env", "/w/app/secret/a.ts", "/w/other/.env", own]]);
  expect(alone.withheldNames).toEqual([["/w/app/secret/a.ts"]]);

  const approved = rig([], { policy: deny, autoApprove: true });
  await approved.call(search("/"), "Grep", "ReadOnly");
  expect(approved.withheld).toEqual([["/w/app/secret/a.ts", own]]);

  const answered = rig([yes({ scope: "once" })]);
  await answered.call(search("/w/other"), "Grep", "ReadOnly");
  expect(answered.withheld).toEqual([["/w/app/.env", "/w/other/.env", own]]);

  const allowed = rig([], { policy: { ...POLICY, rules: [ruleOf("allow", "Grep")] } });
  await allowed.call(search("/w/app"), "Grep", "ReadOnly");
  expect(allowed.withheld).toEqual([[own]]);
});

test("[PERM-02] a rule that denies everything in a directory denies listing and searching it", async () => {
  const policy = { ...POLICY, rules: [ruleOf("deny", "Read:secret/**"), ruleOf("deny", "Read:keys/*.txt")] };
  const { call } = rig([], { policy, autoApprove: true });
  const into = (path: string): CallPlan => ({
    summary: "x",
    target: { kind: "paths", paths: [{ path, access: "read" }] },
  });
  const told = [];
  for (const tool of ["Grep", "Glob", "Ls"])
    for (const path of ["/w/app/secret", "/w/app/keys", "/w/app"])
      told.push((await call(into(path), tool, "ReadOnly")).slice(0, 3));
  expect(told).toEqual(["err", "ran", "ran", "err", "ran", "ran", "err", "ran", "ran"]);
});

function ruleOf(effect: "allow" | "ask" | "deny", text: string) {
  const parsed = parseRule({ effect, text }, "user", TOOLS);
  if (parsed.kind === "problem") throw new Error(parsed.problem);
  return parsed.rule;
}

const NO_NETWORK = () => Promise.resolve({ kind: "working", network: "off" } as const);

test("[SBX-04 PERM-06] a question for a command that is to leave the sandbox says so before the command", async () => {
  const { call, questions } = rig([yes({ scope: "once" })], { confinement: NO_NETWORK });
  await call({ summary: "make", target: { kind: "command", command: "make", cwd: "/w/app", outside: true } });
  expect(questions[0]?.summary).toBe("Outside the sandbox, on this machine itself:\nmake");
  expect(questions[0]?.onceOnly).toBe(true);
});

test("[PERM-03] what only a person may grant is granted for that call alone, whatever the answer says", async () => {
  const { call, questions, session } = rig([yes({ scope: "tool" })]);
  const path = "/home/user/.config/cinch/config.toml";
  await call({ summary: "x", target: { kind: "paths", paths: [{ path, access: "write" }] } }, "Write");
  expect([questions[0]?.onceOnly, questions[0]?.rule, session.list()]).toEqual([true, undefined, []]);
});

test("[SBX-04] where the sandbox has not the network that a command wants, the list of hosts is named and no rule", async () => {
  const text = async (command: string, network: "off" | readonly string[] = "off") => {
    const confinement = () => Promise.resolve({ kind: "working", network } as const);
    return await rig([], { confinement }).call(bash(command));
  };
  const npm = await text("npm install left-pad");
  expect(npm).toContain(
    '[sandbox]\nnetwork = ["the host it needs"]\nin /home/user/.config/cinch/config.toml (for the host: npm config get registry).',
  );
  expect(npm).not.toContain("allow = ");
  expect(npm).not.toContain("--auto-approve");
  expect(await text("curl https://example.com", ["other.example"])).toContain(
    'network = ["other.example", "example.com"]',
  );
  const ssh = await text("ssh example.com");
  expect(ssh).toContain('network = ["the host it needs"]');
  expect(ssh).not.toContain("for the host:");
});

const LISTED = 'To let it through from now on: [sandbox] network = ["example.com"] in config.toml';
const NEEDS = "curl needs the network (example.com), which the sandbox does not let through";
const TAKES_HOSTS = () => Promise.resolve({ kind: "working", network: "off", takesHosts: true } as const);

test("[SBX-04 PERM-06] a command that wants a network which it has not is asked for once, and a yes is for what works", async () => {
  const granted: (readonly string[])[] = [];
  const grantHosts = (hosts: readonly string[]) => {
    granted.push(hosts);
    return Promise.resolve();
  };
  const { call, questions, ran, session } = rig(
    [
      yes({ scope: "argv_glob" }),
      yes({ scope: "once", hosts: true }),
      yes({ scope: "once" }),
      yes({ scope: "once", hosts: true }),
      yes({ scope: "once" }),
    ],
    { confinement: TAKES_HOSTS, grantHosts },
  );
  const [fetch, install] = ["curl https://example.com", "npm install"];
  for (const command of [fetch, fetch, install, install, "ssh example.com"]) await call(bash(command));
  const [outside, hosts, unknown, , protocol] = questions;
  expect(outside).toMatchObject({
    summary: "Outside the sandbox, on this machine itself:\ncurl https://example.com",
    reason: `${NEEDS}. Allowed, it runs outside of the sandbox, with your own rights. Or it stays in the sandbox, where commands of this session then reach example.com. ${LISTED}`,
    hosts: ["example.com"],
    onceOnly: true,
  });
  expect(hosts).toMatchObject({ hosts: ["example.com"] });
  expect([unknown?.hosts, unknown?.summary]).toEqual([
    [], // its proxy says which
    "Outside the sandbox, on this machine itself:\nnpm install",
  ]);
  expect(unknown?.reason).toContain(
    "Or it runs in the sandbox, and you are asked for the hosts that its proxy refuses. ",
  );
  expect(protocol?.hosts).toBeUndefined(); // no program that speaks to a proxy
  const left = ran.map(({ plan }) => plan?.target.kind === "command" && plan.target.outside === true);
  expect([left, granted, session.list()]).toEqual([
    [true, false, true, false, true],
    [["example.com"], []],
    [],
  ]);
});

describe("[SBX-04 PERM-03] a rule, or --auto-approve, that allows a command gives it no network", () => {
  const rules = [
    ruleOf("allow", "Bash:npm *"),
    ruleOf("allow", "Bash:curl *"),
    ruleOf("allow", "Bash:ssh *"),
  ];
  const policy: Policy = { ...POLICY, rules };
  const why = 'the rule allow "Bash:npm *" covers it, but npm needs the network';

  const session = (at: ReturnType<typeof rig>) =>
    at.session.add({ ...ruleOf("allow", "Bash:npm *"), scope: "session" }, 0);
  const ways = {
    "a rule": { policy },
    "--auto-approve": { autoApprove: true },
    "a rule of this session": {},
  } as const;

  for (const [way, options] of Object.entries(ways)) {
    test(`an install that ${way} allows runs unasked behind a proxy that refuses every host`, async () => {
      const granted: (readonly string[])[] = [];
      const grantHosts = (hosts: readonly string[]) => Promise.resolve(void granted.push(hosts));
      const at = rig([], { ...options, confinement: TAKES_HOSTS, grantHosts });
      if (way === "a rule of this session") session(at);
      for (const command of ["npm install", "npm ci && npm test"])
        expect([command, await at.call(bash(command))]).toEqual([command, "ran"]);
      expect([at.questions, granted]).toEqual([[], [[], []]]);
      for (const { plan } of at.ran) expect(plan?.target).not.toHaveProperty("outside");
      expect(at.byPerson).toEqual([false, false]);
    });

    test(`where no proxy can run, an install that ${way} allows is asked for, and refused if nobody can be`, async () => {
      const at = rig([yes({ scope: "once" })], { ...options, confinement: NO_NETWORK });
      if (way === "a rule of this session") session(at);
      expect(await at.call(bash("npm install"))).toBe("ran");
      expect(at.ran[0]?.plan?.target).toMatchObject({ outside: true });
      const said = await at.call(bash("npm install"));
      expect(said).toContain("npm needs the network");
      expect(said).toContain('[sandbox]\nnetwork = ["the host it needs"]');
      expect([at.ran.length, at.questions.length]).toEqual([1, 2]);
      if (way !== "--auto-approve") expect(at.questions[0]?.reason).toStartWith(why);
    });
  }

  test("where its host stands in the line, a person is asked before it runs, once, for what works", async () => {
    const { call, questions, ran } = rig([yes({ scope: "once" })], { policy, confinement: TAKES_HOSTS });
    expect(await call(bash("curl https://example.com"))).toBe("ran");
    expect(questions).toMatchObject([{ hosts: ["example.com"], onceOnly: true }]);
    expect(ran[0]?.plan?.target).toMatchObject({ outside: true });
    expect(await call(bash("curl https://example.com"))).toContain('network = ["example.com"]');
    expect(ran).toHaveLength(1);
  });

  test("what an ask or deny rule names, and what no rule allows, is not let through by that", async () => {
    for (const effect of ["ask", "deny"] as const) {
      const named: Policy = { ...POLICY, rules: [ruleOf(effect, "Bash:npm *"), ...rules] };
      const { call, ran } = rig([], { policy: named, confinement: TAKES_HOSTS });
      expect(await call(bash("npm install"))).toStartWith("error: PermissionDenied");
      expect(ran).toEqual([]);
    }
    const { call, questions, ran } = rig([], { confinement: TAKES_HOSTS });
    expect(await call(bash("npm install"))).toContain("npm needs the network");
    expect([questions.length, ran]).toEqual([1, []]);
  });

  test("what may do without one runs unasked, and so does everything where the network is there", async () => {
    const { call, questions } = rig([], { policy, confinement: TAKES_HOSTS });
    const local = [
      "npm install --offline",
      "uv run manage.py sync",
      "poetry run task install",
      "npm i ./left-pad-1.0.0.tgz",
      "npm init -y",
      "npm test",
      "curl http://localhost:3000/",
      "curl --version",
      "ssh build uname",
    ];
    for (const command of local) expect([command, await call(bash(command))]).toEqual([command, "ran"]);
    const listed = () => Promise.resolve({ kind: "working", network: ["registry.example"] } as const);
    const open = rig([], { policy, confinement: listed });
    expect(await open.call(bash("npm install"))).toBe("ran");
    const bare = rig([], { policy });
    expect(await bare.call(bash("npm install"))).toBe("ran");
    expect([...questions, ...open.questions, ...bare.questions]).toEqual([]);
  });
});

test("[SBX-04 PERM-01] a way that is closed is not offered", async () => {
  // No list is served: only outside. An address of this machine: likewise.
  const none = rig([yes({ scope: "once" })], { confinement: NO_NETWORK });
  await none.call(bash("curl https://example.com"));
  expect(none.questions[0]?.hosts).toBeUndefined();
  const local = rig([yes({ scope: "once" })], { confinement: TAKES_HOSTS });
  await local.call(bash("curl http://127.0.0.1:8080/"));
  expect(local.questions[0]?.hosts).toBeUndefined();
  // Nobody leaves where the level forbids it: the hosts are what a yes is for.
  const strict: Policy = { ...POLICY, firm: true, strict: true };
  const granted: (readonly string[])[] = [];
  const held = rig([yes({ scope: "once" })], {
    policy: strict,
    confinement: TAKES_HOSTS,
    grantHosts: (hosts) => Promise.resolve(void granted.push(hosts)),
  });
  await held.call(bash("curl https://example.com"));
  expect(held.questions[0]).toMatchObject({
    summary: "curl https://example.com",
    reason: `${NEEDS}. Allowed, it stays in the sandbox, where commands of this session then reach example.com. ${LISTED}`,
  });
  expect(granted).toEqual([["example.com"]]);
  // Neither: as before, and what a yes does is said.
  const closed = rig([yes({ scope: "once" })], { policy: strict, confinement: NO_NETWORK });
  await closed.call(bash("curl https://example.com"));
  expect(closed.questions[0]?.reason).toContain("Allowed, it runs in the sandbox all the same, without that");
});

test("[PERM-03 PERM-07 SES-05] a command that holds a secret is allowed for this call only, and the question says why", async () => {
  const isKept = (text: string) => !text.includes("hunter2");
  const { call, questions, session, ran } = rig(
    [yes({ scope: "argv_glob" }), yes({ scope: "tool" }), yes({ scope: "argv_glob" })],
    { isStorable: isKept },
  );
  for (const command of ["login --password hunter2", "login --password hunter2", "login --password-file p"])
    await call(bash(command));
  expect(ran).toHaveLength(3);
  expect(
    questions.map(({ onceOnly, rule, reason }) => [
      onceOnly,
      rule,
      /holds what looks like a secret/.test(reason ?? ""),
    ]),
  ).toEqual([
    [true, undefined, true],
    [true, undefined, true],
    [undefined, "Bash:login --password-file p", false],
  ]);
  expect(session.list().map(printRule)).toEqual(["Bash:login --password-file p"]);

  const alone = rig([], { isStorable: isKept });
  const refusal = await alone.call(bash("login --password hunter2"));
  expect(refusal).toContain("which no rule may hold");
  expect(refusal).not.toContain("allow = [");
});
