import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Turn } from "../../../test/support/mock-provider/turn.ts";
import { calls, says } from "../../../test/support/mock-provider/turn.ts";
import type { PlaceOptions, TestProject } from "../../../test/support/place.ts";
import { connect, openPlace } from "../../../test/support/place.ts";
import { requireProgram } from "../../../test/support/requires.ts";
import { openReview } from "../../app/explain/review.ts";
import type { OpenHarness } from "../../app/harness.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import type { EventKind } from "../../protocol/events/events.ts";

const gitTest = requireProgram("git");

// Sub-agents in a whole engine, with a model on the loopback that says what is written here.

const { signal } = new AbortController();

interface Sent {
  readonly own: readonly Envelope[];
  readonly ofAgents: readonly Envelope[];
  readonly text: string;
  readonly reason: string;
}

/** Sends one input and gives the events of its turn, those of sub-agents apart. */
async function send(harness: OpenHarness, prompt: string, agent?: string): Promise<Sent> {
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const events = connection.subscribe(sessionId, { signal });
  const content = [{ type: "text" as const, text: prompt }];
  await connection.send({ kind: "SendInput", sessionId, content, ...(agent === undefined ? {} : { agent }) });
  const own: Envelope[] = [];
  const ofAgents: Envelope[] = [];
  for await (const event of events) {
    (event.parentCall === undefined ? own : ofAgents).push(event);
    if (event.kind === "TurnEnded" && event.parentCall === undefined) break;
  }
  const reason = of(own, "TurnEnded")[0]?.payload.reason ?? "";
  return { own, ofAgents, text: said(own), reason };
}

function of<Kind extends EventKind>(events: readonly Envelope[], kind: Kind): readonly EnvelopeOf<Kind>[] {
  return events.filter((event) => event.kind === kind) as unknown as readonly EnvelopeOf<Kind>[];
}

function said(events: readonly Envelope[]): string {
  return of(events, "TextDelta")
    .map(({ payload }) => payload.text)
    .join("");
}

function resultsOf(events: readonly Envelope[]): readonly string[] {
  return of(events, "ToolResult").map(({ payload }) =>
    payload.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
  );
}

/** A definition of the user's own. */
function define(place: TestProject, name: string, head: string, prompt = "Look closely."): string {
  const folder = join(place.root, "config", "agents");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.md`);
  writeFileSync(path, `---\nname: ${name}\ndescription: the agent ${name}\n${head}---\n${prompt}\n`);
  return path;
}

async function openAcknowledged(place: TestProject, more: PlaceOptions = {}): Promise<OpenHarness> {
  const { own, pending, ledger } = await openReview(place.options());
  await ledger.approve([...own.pending, ...pending].map(({ item }) => item));
  return await place.open(more);
}

function toolsOf(place: TestProject, request: number): readonly string[] {
  const tools = (place.mock.requests[request]?.body["tools"] ?? []) as { name: string }[];
  return tools.map(({ name }) => name);
}

function sentText(place: TestProject, request: number): string {
  return JSON.stringify(place.mock.requests[request]?.body);
}

const ask = (prompt: string, more: object = {}): Turn => calls("Agent", { prompt, ...more });

test("[ENG-10 TOOL-05] a sub-agent begins with the prompt alone, works with the session's tools, and its last text is the result", async () => {
  await using place = openPlace(
    ask("count the files"),
    calls("Ls", { path: "." }),
    says("there is one"),
    says("one file"),
  );
  place.write("a.txt", "a");
  await using harness = await place.open();
  const { own, ofAgents, text, reason } = await send(harness, "how many files are there?");
  expect([text, reason]).toEqual(["one file", "complete"]);
  expect(resultsOf(own)).toEqual(["there is one"]);
  const call = of(own, "ToolCallStarted")[0]?.payload.callId;
  expect(new Set(ofAgents.map(({ parentCall }) => parentCall))).toEqual(new Set([call]));
  expect(ofAgents.map(({ kind }) => kind).filter((kind) => !/Delta|Cost/.test(kind))).toEqual([
    "TurnStarted",
    "ToolCallStarted",
    "ToolResult",
    "TurnTiming",
    "TurnEnded",
  ]);
  // It shares the number of the turn that it works for.
  expect(of(ofAgents, "TurnStarted")[0]?.payload.turn).toBe(1);
  expect(of(ofAgents, "CostIncremented")).toHaveLength(2);

  const messages = place.mock.requests.map(({ body }) => body["messages"] as unknown[]);
  expect(messages.map(({ length }) => length)).toEqual([1, 1, 3, 3]);
  expect(JSON.stringify(messages[1])).toContain("count the files");
  expect(JSON.stringify(messages[1])).not.toContain("how many files");
  expect(JSON.stringify(place.mock.requests[1]?.body["system"])).toContain("sub-agent");
  expect(JSON.stringify(place.mock.requests[3]?.body["system"])).not.toContain("sub-agent");
});

test("[ENG-10] /agents:type has the sub-agent answer, whatever a model would say, and its text is the answer of the turn", async () => {
  await using place = openPlace(calls("Ls", { path: "." }), says("looks good"), says("as I said"));
  define(place, "reviewer", "tools: Read, Ls\nmaxTurns: 3\n", "You review.");
  await using harness = await openAcknowledged(place);
  const { own, ofAgents, text, reason } = await send(harness, "look at this", "reviewer");
  expect([text, reason]).toEqual(["looks good", "complete"]);
  expect(said(ofAgents)).toBe("looks good");
  expect(of(own, "ToolCallStarted").map(({ payload }) => [payload.tool, payload.args])).toEqual([
    ["Agent", { type: "reviewer", prompt: "look at this" }],
  ]);
  expect(of(own, "CostIncremented")).toEqual([]);
  expect(sentText(place, 0)).toContain("You review.");
  expect([...toolsOf(place, 0)].sort()).toEqual(["CallTool", "Ls", "Read", "ToolSearch"]);
  // The next turn knows what was said.
  expect((await send(harness, "and?")).text).toBe("as I said");
  expect(sentText(place, 2)).toContain("looks good");
});

test("[ENG-10 ENG-12] /agents:type fails the turn where its sub-agent came to no answer, and says why; the session continues", async () => {
  const broken: Turn = {
    parts: [],
    fault: { kind: "status", status: 400, body: { error: { message: "no such thing" } } },
  };
  await using place = openPlace(broken, says("I am here"));
  define(place, "reviewer", "");
  define(place, "apart", "worktree: true\n");
  await using harness = await openAcknowledged(place);
  const failed = await send(harness, "look at this", "reviewer");
  expect([failed.text, failed.reason]).toEqual(["", "error"]);
  expect(of(failed.own, "Error").map(({ payload }) => [payload.reason, payload.message])).toEqual([
    ["SubAgentFailed", expect.stringContaining("refused the request (400): no such thing")],
  ]);
  const apart = await send(harness, "work", "apart");
  expect([apart.text, apart.reason]).toEqual(["", "error"]);
  expect(of(apart.own, "Error")[0]?.payload.message).toContain("Could not create a git worktree");
  expect((await send(harness, "and?")).text).toBe("I am here");
});

test("[ENG-10] a kind that there is not is refused with the one that was meant", async () => {
  await using place = openPlace();
  define(place, "reviewer", "");
  await using harness = await openAcknowledged(place);
  await expect(send(harness, "x", "reviewr")).rejects.toMatchObject({
    reason: "UnknownAgent",
    message: "There is no sub-agent 'reviewr'. Did you mean reviewer?",
  });
});

test("[ENG-05 ENG-10] a sub-agent has 8 rounds, or those of its definition or of the configuration, and its text so far is returned", async () => {
  const script = (rounds: number): Turn[] => [
    ask("go"),
    ...Array.from({ length: rounds }, (_, at) => ({
      parts: [{ text: `step ${at + 1}. ` }, { tool: "Ls", input: { path: "." } }],
    })),
    says("done"),
  ];
  await using eight = openPlace(...script(8));
  await using harness = await eight.open();
  const { own, text } = await send(harness, "go");
  expect(text).toBe("done");
  expect(resultsOf(own)[0]).toContain("step 8. ");
  expect(resultsOf(own)[0]).toContain(
    "ended before it was done: it had come to its limit of rounds, after 8 rounds",
  );

  await using two = openPlace(...script(2));
  two.config(`${readFileSync(join(two.root, "config/config.toml"), "utf8")}\n[agents]\nrounds = 2\n`);
  await using other = await two.open();
  expect(resultsOf((await send(other, "go")).own)[0]).toContain("after 2 rounds");
});

test("[ENG-09 ENG-10] a sub-agent that fails is a failed call, and its parent continues", async () => {
  const broken: Turn = {
    parts: [],
    fault: { kind: "status", status: 400, body: { error: { message: "no" } } },
  };
  await using place = openPlace(ask("go"), broken, says("then I do it"));
  await using harness = await place.open();
  const { own, ofAgents, text, reason } = await send(harness, "go");
  expect([text, reason]).toEqual(["then I do it", "complete"]);
  expect(resultsOf(own)[0]).toMatch(
    /^The sub-agent gave no answer: it failed, after 1 round: Provider \S+ refused the request \(400\): no/,
  );
  expect(of(ofAgents, "Error")).toHaveLength(1);
  expect(of(own, "Error")).toEqual([]);
});

test("[ENG-10 ENG-27] a sub-agent that goes in circles ends alone, and its parent's calls are counted apart", async () => {
  const again = calls("Read", { file_path: "missing.txt" });
  await using place = openPlace(again, ask("go"), again, again, again, again, again, again, says("I see"));
  await using harness = await place.open();
  const { own, ofAgents, text, reason } = await send(harness, "go");
  expect(of(ofAgents, "TurnEnded").map(({ payload }) => payload.reason)).toEqual(["no_progress"]);
  expect(resultsOf(ofAgents)).toHaveLength(5);
  expect([text, reason]).toEqual(["I see", "complete"]);
  expect(resultsOf(own)[1]).toContain("The sub-agent gave no answer: it went in circles");
});

test("[ENG-09 ENG-10] cancelling the turn ends the sub-agent at once, and both are reported as cancelled", async () => {
  const hold = new Promise(() => undefined);
  await using place = openPlace(ask("go"), says("I begin and do not end", { hold }), says("still here"));
  await using harness = await place.open();
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const sending = send(harness, "go");
  await place.mock.until((mock) => mock.requests.length === 2);
  await connection.send({ kind: "CancelTurn", sessionId });
  const { own, ofAgents, reason } = await sending;
  expect(reason).toBe("cancelled");
  expect(of(ofAgents, "TurnEnded").map(({ payload }) => payload.reason)).toEqual(["cancelled"]);
  expect(of(own, "Cancelled")).toHaveLength(1);
  expect((await send(harness, "are you there?")).text).toBe("still here");
});

test("[ENG-10] what a sub-agent says and calls is in no history but its own, also after a resume", async () => {
  await using place = openPlace(
    ask("the secret garden"),
    calls("Ls", { path: "." }),
    says("grass"),
    says("it is grass"),
    says("yes"),
  );
  let log: string | undefined;
  {
    await using harness = await place.open();
    log = harness.logId;
    await send(harness, "what grows there?");
  }
  await using again = await place.open({ resume: { kind: "id", id: log ?? "" } });
  await send(again, "sure?");
  const messages = place.mock.requests[4]?.body["messages"] as { role: string; content: unknown }[];
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  expect(JSON.stringify(messages)).not.toContain('"Ls"');
});

test("[RUN-03] a definition gets its named model; a size whose provider has no key falls back to the session's, with a notice", async () => {
  await using place = openPlace(
    ask("go", { type: "named" }),
    says("one"),
    ask("go", { type: "sized" }),
    says("two"),
    ask("go", { type: "unkeyed" }),
    says("ok"),
  );
  define(place, "named", "model: mock:other-1\n");
  define(place, "sized", "model: haiku\n");
  define(place, "unkeyed", "model: openai:gpt-5\n");
  await using harness = await openAcknowledged(place);
  const { own } = await send(harness, "go");
  expect(place.mock.requests.map(({ body }) => body["model"])).toEqual([
    ...["test-1", "other-1", "test-1", "test-1", "test-1", "test-1"],
  ]);
  expect(resultsOf(own)).toEqual([
    "one",
    "two\n\n[It worked with this session's model: there is no key for haiku.]",
    "Provider openai needs a key. Set OPENAI_API_KEY (or keep it: cinch creds add openai), or pick another model with --model.",
  ]);
});

test("[ENG-10 ENG-21] plan mode holds in a sub-agent", async () => {
  await using place = openPlace(
    ask("go"),
    calls("Write", { file_path: "made.txt", content: "x" }),
    says("could not"),
    says("ok"),
  );
  await using harness = await place.open({ wishes: { planMode: true, attended: true } });
  const { own, ofAgents } = await send(harness, "go");
  expect(existsSync(join(place.repo, "made.txt"))).toBe(false);
  expect(resultsOf(ofAgents)[0]).toContain("plan");
  expect(resultsOf(own)).toEqual(["could not"]);
  expect(toolsOf(place, 1)).not.toContain("ExitPlanMode");
});

test("[ENG-10 ENG-26] an input for a sub-agent that is sent to the running turn: the sub-agent does it, and the model continues with its answer", async () => {
  const gate = Promise.withResolvers<void>();
  await using place = openPlace(
    { parts: [{ tool: "Ls", input: { path: "." } }], hold: gate.promise },
    says("checked"),
    says("I know what it said"),
  );
  await using harness = await place.open();
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const sending = send(harness, "go");
  await place.mock.until(({ requests }) => requests.length === 1);
  const content = [{ type: "text" as const, text: "check it" }];
  await connection.send({ kind: "SendInput", sessionId, content, delivery: "steer", agent: "general" });
  gate.resolve();
  const { own, text } = await sending;
  expect(of(own, "ToolCallStarted").map(({ payload }) => payload.tool)).toEqual(["Ls", "Agent"]);
  expect(text).toBe("I know what it said");
  expect(sentText(place, 2)).toContain("checked");
});

test("[ENG-10 RUN-03] a definition sees less than its parent, never more, and its programs are held to", async () => {
  await using place = openPlace(
    ask("go", { type: "git-only" }),
    calls("Bash", { command: "date" }),
    calls("Write", { file_path: "b.txt", content: "b" }),
    calls("Bash", { command: "git --version | cat" }),
    says("could not"),
    says("ok"),
  );
  define(place, "git-only", "tools: Bash(git), Task\ndisallowedTools: Agent\n");
  await using harness = await openAcknowledged(place, { wishes: { autoApprove: true } });
  const { ofAgents } = await send(harness, "go");
  expect([...toolsOf(place, 1)].sort()).toEqual(["Bash", "CallTool", "ToolSearch"]);
  expect(resultsOf(ofAgents)).toEqual([
    'This sub-agent may run git alone, and the command runs "date".',
    expect.stringContaining('There is no tool "Write"'),
    'This sub-agent may run git alone, and the command runs "cat".',
  ]);
  expect(existsSync(join(place.repo, "b.txt"))).toBe(false);
});

test("[ENG-10] sub-agents stand two deep at most, never below their own kind, and one below another has no more than that", async () => {
  await using place = openPlace(
    ask("go", { type: "outer" }),
    ask("again", { type: "outer" }),
    ask("deeper", { type: "inner" }),
    says("inner is done"),
    says("outer is done"),
    says("all done"),
  );
  define(place, "outer", "tools: Read, Agent\n");
  define(place, "inner", "");
  await using harness = await openAcknowledged(place);
  const { own, ofAgents } = await send(harness, "go");
  expect(resultsOf(own)).toEqual(["outer is done"]);
  expect(resultsOf(ofAgents)).toEqual([
    "Sub-agents may not start each other in a circle: outer → outer. Do it yourself.",
    "inner is done",
  ]);
  expect([...toolsOf(place, 3)].sort()).toEqual(["CallTool", "Read", "ToolSearch"]);
  const parents = of(ofAgents, "TurnEnded").map(({ parentCall }) => parentCall);
  expect(new Set(parents).size).toBe(2);
});

test("[ENG-10] twenty sub-agents one after the other leave nothing running and nothing in the way", async () => {
  const script = Array.from({ length: 20 }, (_, at) => [ask(`task ${at}`), says(`did ${at}`)]).flat();
  await using place = openPlace(...script, says("all of them"));
  await using harness = await place.open();
  const { own, ofAgents, text } = await send(harness, "do twenty things");
  expect(text).toBe("all of them");
  expect(resultsOf(own)).toEqual(Array.from({ length: 20 }, (_, at) => `did ${at}`));
  expect(of(ofAgents, "TurnEnded")).toHaveLength(20);
});

test("[ENG-10 S50] a sub-agent's call is judged like the session's own, and the question names the sub-agent", async () => {
  await using place = openPlace(
    ask("make it", { type: "maker" }),
    calls("Bash", { command: "touch made", outside_sandbox: true }),
    says("made it"),
    says("good"),
  );
  place.config(
    `${readFileSync(join(place.root, "config/config.toml"), "utf8")}\n[sandbox]\nbackend = "none"\n`,
  );
  define(place, "maker", "");
  await using harness = await openAcknowledged(place, { wishes: { attended: true } });
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const asking = (async () => {
    for await (const event of connection.subscribe(sessionId, { signal }))
      if (event.kind === "PermissionRequested") return event;
    throw new Error("nothing was asked");
  })();
  const sending = send(harness, "go");
  const asked = await asking;
  expect(asked.parentCall).toBeUndefined();
  expect(asked.payload).toMatchObject({ tool: "Bash", agent: "maker" });
  const { callId } = asked.payload;
  await connection.send({ kind: "AnswerPermission", sessionId, callId, decision: "allow", scope: "once" });
  expect((await sending).text).toBe("good");
  expect(existsSync(join(place.repo, "made"))).toBe(true);
});

test("[ENG-10 RUN-03] a wrong definition is reported with file, line and field, and the others can be used", async () => {
  await using place = openPlace(ask("go", { type: "good" }), says("did"), says("ok"));
  const path = define(place, "bad", "tools: Read(src/**)\n");
  define(place, "good", "");
  await using harness = await openAcknowledged(place);
  const { own, text } = await send(harness, "go");
  expect(text).toBe("ok");
  expect(of(own, "Error").map(({ payload }) => payload.message)).toEqual([
    `A definition of a sub-agent is wrong: ${path}:4: tools: "Read(src/**)": only Bash and Agent can be granted in part`,
  ]);
});

test("[ENG-10 SES-15] what a sub-agent changes belongs to the turn that it works for, and is set back with it", async () => {
  await using place = openPlace(
    ask("write it"),
    calls("Write", { file_path: "made.txt", content: "x" }),
    says("written"),
    says("good"),
  );
  place.write("a.txt", "a");
  await using harness = await place.open({ wishes: { attended: true } });
  const { own, ofAgents } = await send(harness, "go");
  expect(
    [...own, ...ofAgents].flatMap((event) => (event.kind === "CheckpointMade" ? [event.payload.turn] : [])),
  ).toEqual([1]);
  expect(existsSync(join(place.repo, "made.txt"))).toBe(true);
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const answering = (async () => {
    for await (const event of connection.subscribe(sessionId, { signal })) {
      if (event.kind !== "Asked") continue;
      const { askId } = event.payload;
      return await connection.send({ kind: "Answer", sessionId, askId, answer: "approve" });
    }
    return undefined;
  })();
  const to = of(own, "TurnStarted")[0]?.id ?? 0;
  await connection.send({ kind: "RewindSession", sessionId, to, what: "both" });
  await answering;
  expect(existsSync(join(place.repo, "made.txt"))).toBe(false);
});

test("[ENG-28 PERF-01] without a definition the tool is found by ToolSearch alone; with depth 0 there is none", async () => {
  await using place = openPlace(says("hi"), calls("ToolSearch", { query: "agent" }), says("found"));
  await using harness = await place.open();
  await send(harness, "hi");
  expect(toolsOf(place, 0)).not.toContain("Agent");
  expect(resultsOf((await send(harness, "search")).own)[0]).toContain('"name":"Agent"');

  await using none = openPlace(calls("Agent", { prompt: "x" }), says("no"));
  none.config(`${readFileSync(join(none.root, "config/config.toml"), "utf8")}\n[agents]\ndepth = 0\n`);
  await using without = await none.open();
  expect(resultsOf((await send(without, "go")).own)[0]).toContain('There is no tool "Agent"');
});

/** A repository with one commit, in the place of the workspace. */
function commitAll(place: TestProject): void {
  const git = (...args: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(["git", "-C", place.repo, ...args], { env: GIT_ENV });
    expect({ exitCode, stderr: stderr.toString() }).toMatchObject({ exitCode: 0 });
  };
  git("init", "-q", "-b", "trunk");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
}

const GIT_ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@example.org",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@example.org",
};

/** Everything in the parent's tree and git directory that a sub-agent must leave alone. */
function untouched(place: TestProject): Readonly<Record<string, string>> {
  const names = [".git/HEAD", ".git/index", ".git/config", "a.txt", "dirty.txt"];
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(join(place.repo, name)).toString("base64")]),
  );
}

function worktreesOf(place: TestProject): readonly string[] {
  const folder = join(place.root, "data-worktrees");
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

gitTest(
  "[ENG-28] a sub-agent in a worktree changes that alone; it is kept with what changed, and named in the result",
  async () => {
    await using place = openPlace(
      ask("change it", { worktree: true }),
      calls("Read", { file_path: "a.txt" }),
      calls("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }),
      calls("Bash", { command: "pwd > where.txt; git status --porcelain" }),
      says("changed"),
      says("good"),
    );
    place.write("a.txt", "one\n");
    commitAll(place);
    place.write("dirty.txt", "not committed\n");
    const before = untouched(place);
    await using harness = await place.open({ wishes: { autoApprove: true } });
    const { own, ofAgents, text } = await send(harness, "go");
    expect(text).toBe("good");
    const [path = "", ...others] = worktreesOf(place);
    expect(others).toEqual([]);
    expect(resultsOf(ofAgents)[2]).toContain("?? where.txt");
    expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("two\n");
    expect(readFileSync(join(path, "where.txt"), "utf8")).toBe(`${path}\n`);
    expect(existsSync(join(path, "dirty.txt"))).toBe(false);
    const [result = ""] = resultsOf(own);
    expect(result).toStartWith(
      "changed\n\n[It began at HEAD: what was not committed here was not in its worktree.]",
    );
    expect(result).toContain(`the worktree ${path} alone, on the branch cinch/general-`);
    expect(result).toContain("Nothing is committed. 2 files changed and not committed: a.txt, where.txt.");
    expect(untouched(place)).toEqual(before);
    // Nothing of it is a change that setting back would touch.
    expect(of(own, "CheckpointMade")).toEqual([]);
  },
);

gitTest(
  "[TOOL-11 ENG-28] what a sub-agent edits in a worktree is looked at there, and what its session edits here",
  async () => {
    await using place = openPlace(
      calls("Write", { file_path: "a.py", content: "x" }),
      ask("write it", { worktree: true }),
      calls("Write", { file_path: "b.py", content: "x" }),
      says("written"),
      says("good"),
    );
    place.config(
      `${readFileSync(join(place.root, "config/config.toml"), "utf8")}\n[[diagnostics]]\nname = "chk"\nkind = "checker"\nfiles = ["*.py"]\ncommand = ["/bin/sh", "-c", "pwd; echo $1", "chk", "{files}"]\nunconfined = true\n`,
    );
    place.write("c.txt", "x\n");
    commitAll(place);
    await using harness = await place.open({ wishes: { autoApprove: true } });
    const { own, ofAgents } = await send(harness, "go");
    expect(resultsOf(own)[0]).toContain(`[chk]\n${place.repo}\n${join(place.repo, "a.py")}`);
    const [path = ""] = worktreesOf(place);
    expect(resultsOf(ofAgents)[0]).toContain(`[chk]\n${path}\n${join(path, "b.py")}`);
  },
);

gitTest(
  "[ENG-28] a worktree in which nothing changed is removed with its branch and its record",
  async () => {
    await using place = openPlace(
      ask("look", { worktree: true }),
      calls("Ls", { path: "." }),
      says("seen"),
      says("ok"),
    );
    place.write("a.txt", "one\n");
    commitAll(place);
    place.write("dirty.txt", "x");
    const before = untouched(place);
    await using harness = await place.open();
    const { own } = await send(harness, "go");
    expect(resultsOf(own)[0]).toContain("It changed nothing in its worktree, which was removed.");
    expect(worktreesOf(place)).toEqual([]);
    expect(readdirSync(join(place.root, "data/worktrees"))).toEqual([]);
    const branches = Bun.spawnSync(["git", "-C", place.repo, "branch", "--list"], {
      env: GIT_ENV,
    }).stdout.toString();
    expect(branches).toBe("* trunk\n");
    expect(untouched(place)).toEqual(before);
  },
);

gitTest(
  "[ENG-28 ENG-09 REL-03] a sub-agent that is cancelled, and one whose engine is ended, leave their worktrees as others do",
  async () => {
    const hold = new Promise(() => undefined);
    await using place = openPlace(
      ask("go", { worktree: true }),
      calls("Write", { file_path: "made.txt", content: "x" }),
      says("and on", { hold }),
      ask("go", { worktree: true }),
      says("and on", { hold }),
    );
    place.write("a.txt", "one\n");
    commitAll(place);
    {
      await using harness = await place.open();
      const connection = await connect(harness);
      const { session: sessionId } = harness;
      const sending = send(harness, "go");
      await place.mock.until(({ requests }) => requests.length === 3);
      await connection.send({ kind: "CancelTurn", sessionId });
      expect((await sending).reason).toBe("cancelled");
      expect(worktreesOf(place).map((path) => existsSync(join(path, "made.txt")))).toEqual([true]);
      const content = [{ type: "text" as const, text: "again" }];
      await connection.send({ kind: "SendInput", sessionId, content });
      await place.mock.until(({ requests }) => requests.length === 5);
      expect(worktreesOf(place)).toHaveLength(2);
    }
    // The second one had changed nothing.
    expect(worktreesOf(place)).toHaveLength(1);
  },
);

gitTest(
  "[ENG-28] in a folder that is no repository, or has no commit, a worktree is refused with the reason",
  async () => {
    await using place = openPlace(
      ask("go", { worktree: true }),
      says("no"),
      ask("go", { worktree: true }),
      says("no"),
    );
    await using harness = await place.open();
    expect(resultsOf((await send(harness, "go")).own)).toEqual([
      `Could not create a git worktree: ${place.repo} is in no git repository.`,
    ]);
    Bun.spawnSync(["git", "-C", place.repo, "init", "-q"], { env: GIT_ENV });
    expect(resultsOf((await send(harness, "go")).own)).toEqual([
      `Could not create a git worktree: ${place.repo} has no commit yet.`,
    ]);
  },
);

requireProgram("bwrap")(
  "[ENG-28 SBX-01] commands of a sub-agent in a worktree write that, and not the repository that it is of",
  async () => {
    const common = "$(git rev-parse --git-common-dir)";
    const tries = [
      `touch "${common}/planted"`,
      `touch "$(dirname "${common}")/planted.txt"`,
      "git update-ref refs/heads/stray HEAD",
      "git update-ref refs/heads/trunk HEAD",
      "git branch -m trunk other",
      "git pack-refs --all",
      "git config core.editor true",
      `echo x >>"${common}/config"`,
      `touch "${common}/hooks/pre-commit"`,
      `touch "${common}/info/attributes"`,
      `echo /tmp >"${common}/objects/info/alternates"`,
      `touch "${common}/objects/pack/x.pack"`,
      'echo "[core] editor = x" >"$(git rev-parse --git-dir)/config.worktree"',
      'mkdir -p "$(git rev-parse --git-dir)/modules/x"',
      'echo /tmp >"$(git rev-parse --git-dir)/commondir"',
    ];
    await using place = openPlace(
      ask("try", { worktree: true }),
      calls("Bash", { command: "touch mine.txt && echo could" }),
      calls("Bash", {
        command: tries.map((command) => `(${command}) 2>/dev/null && echo could || echo not`).join("\n"),
      }),
      says("tried"),
      says("ok"),
    );
    place.write("a.txt", "one\n");
    commitAll(place);
    place.write("dirty.txt", "x");
    const before = untouched(place);
    await using harness = await place.open({ wishes: { autoApprove: true } });
    const { own, ofAgents } = await send(harness, "go");
    expect(resultsOf(ofAgents)[0]).toContain("could");
    expect(resultsOf(ofAgents)[1]?.trim().split("\n")).toEqual(tries.map(() => "not"));
    expect(resultsOf(own)[0]).toContain("1 file changed and not committed: mine.txt.");
    expect(untouched(place)).toEqual(before);
    expect(readdirSync(join(place.repo, ".git")).includes("planted")).toBe(false);
    expect(readdirSync(place.repo).sort()).toEqual([".git", "a.txt", "dirty.txt"]);
  },
);

requireProgram("bwrap")(
  "[ENG-10 ENG-28 SBX-01] a sub-agent in a worktree can commit there, and its result names the branch, its commits and uncommitted files",
  async () => {
    const git = (...args: string[]) =>
      Bun.spawnSync(["git", "-C", place.repo, ...args], { env: GIT_ENV }).stdout.toString();
    const commit = (file: string) => {
      const as = "git -c user.name=t -c user.email=t@example.org";
      return `echo x >${file} && git add ${file} && ${as} commit -q -m 'Add ${file}' && echo could || echo not`;
    };
    await using place = openPlace(
      ask("commit it", { worktree: true }),
      calls("Bash", { command: commit("one.txt") }),
      calls("Bash", { command: commit("two.txt") }),
      calls("Write", { file_path: "three.txt", content: "x" }),
      says("committed"),
      says("ok"),
    );
    place.write("a.txt", "one\n");
    commitAll(place);
    place.write("dirty.txt", "x");
    const trunk = git("rev-parse", "trunk");
    const before = untouched(place);
    await using harness = await place.open();
    const { own, ofAgents } = await send(harness, "go");
    expect(
      resultsOf(ofAgents)
        .slice(0, 2)
        .map((text) => text.trim()),
    ).toEqual(["could", "could"]);
    const [path = ""] = worktreesOf(place);
    const branch = git("branch", "--list", "--format=%(refname:short)", "cinch/*").trim();
    const log = git("log", "--format=%h %s", `trunk..${branch}`).trim().split("\n");
    expect(log.map((line) => line.slice(line.indexOf(" ")))).toEqual([" Add two.txt", " Add one.txt"]);
    expect(resultsOf(own)[0]).toEndWith(
      `the worktree ${path} alone, on the branch ${branch}, made of ${trunk.slice(0, 12)}. 2 commits on it: ${log.join("; ")}. 1 file changed and not committed: three.txt.]`,
    );
    expect([git("rev-parse", "trunk"), untouched(place)]).toEqual([trunk, before]);
    // Whoever goes on there is on the branch.
    expect(readFileSync(join(place.repo, ".git/worktrees", basename(path), "HEAD"), "utf8")).toBe(
      `ref: refs/heads/${branch}\n`,
    );
    expect(git("fsck", "--strict").trim()).toBe("");
  },
);

requireProgram("bwrap")(
  "[ENG-28 SBX-01] a sub-agent whose session works in a folder of the repository commits too, and writes nothing else of it",
  async () => {
    const common = "$(git rev-parse --git-common-dir)";
    const as = "git -c user.name=t -c user.email=t@example.org";
    const commit = `echo x >new.txt && git add new.txt && ${as} commit -q -m 'Add it' && echo could`;
    await using place = openPlace(
      ask("commit it", { worktree: true }),
      calls("Bash", { command: commit }),
      calls("Bash", {
        command: `touch ../up.txt || touch "${common}/planted" || git branch stray || echo not`,
      }),
      says("committed"),
      says("ok"),
    );
    place.write("sub/a.txt", "one\n");
    commitAll(place);
    await using harness = await place.open({ workingDir: join(place.repo, "sub") });
    const { own, ofAgents } = await send(harness, "go");
    expect(resultsOf(ofAgents)[0]?.trim()).toBe("could");
    expect(resultsOf(ofAgents)[1]?.trim()).toContain("\nnot");
    expect(resultsOf(own)[0]).toMatch(/1 commit on it: \w+ Add it\.\]$/);
  },
);

requireProgram("bwrap")(
  "[ENG-28 SBX-01] git works in the worktree of a repository below /tmp, in whose place commands have another folder",
  async () => {
    await using place = openPlace(
      ask("look", { worktree: true }),
      calls("Bash", {
        command: "git status --short --branch; touch $(git rev-parse --git-common-dir)/../planted",
      }),
      says("looked"),
      says("ok"),
    );
    place.write("a.txt", "one\n");
    commitAll(place);
    const HOME = join(place.root, "home");
    mkdirSync(HOME);
    const { environment } = place.options().wishes;
    await using harness = await place.open({
      wishes: { autoApprove: true, environment: { ...environment, HOME } },
    });
    const { ofAgents } = await send(harness, "go");
    expect(resultsOf(ofAgents)[0]).toContain("## ");
    expect(resultsOf(ofAgents)[0]).not.toContain("fatal:");
    expect(readdirSync(place.repo).sort()).toEqual([".git", "a.txt"]);
  },
);

requireProgram("bwrap")(
  "[ENG-28 PERM-02 SBX-01] a sub-agent in a worktree is kept from what its session may not read, where that lies too",
  async () => {
    const at = { repo: "" };
    const bash = (words: string) =>
      calls("Bash", {
        get command() {
          return `${words.replaceAll("REPO", at.repo)} 2>&1; true`;
        },
      });
    const read = (path: string) =>
      calls("Read", {
        get file_path() {
          return path.replaceAll("REPO", at.repo);
        },
      });
    const tries = [
      bash("cat REPO/secret.txt"),
      bash("cd REPO && cat s*"),
      bash("cat REPO/deep/er/hidden.txt"),
      bash("cat REPO/.harness-secrets/env"),
      bash("grep -r hollow REPO"),
      read("REPO/secret.txt"),
      read("REPO/deep/er/hidden.txt"),
    ];
    await using place = openPlace(ask("try", { worktree: true }), ...tries, says("tried"), says("ok"));
    at.repo = place.repo;
    place.config(
      `[permissions]\ndeny = ["Read:secret.txt", "Read:deep/**"]\n${readFileSync(join(place.root, "config/config.toml"), "utf8")}`,
    );
    place.write("secret.txt", "the moon is hollow");
    commitAll(place);
    place.write("deep/er/hidden.txt", "the moon is hollow");
    place.write(".harness-secrets/env", "THE_MOON=hollow");
    await using harness = await place.open({ wishes: { autoApprove: true } });
    const { ofAgents } = await send(harness, "go");
    expect(resultsOf(ofAgents)).toHaveLength(tries.length);
    expect(resultsOf(ofAgents).filter((text) => /moon|MOON/.test(text))).toEqual([]);
  },
);
