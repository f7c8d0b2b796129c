import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { calls, says } from "../../../test/support/mock-provider/turn.ts";
import type { PlaceOptions, TestProject } from "../../../test/support/place.ts";
import { connect, openPlace } from "../../../test/support/place.ts";
import type { HarnessOptions } from "../../app/engine/options.ts";
import { openHarness } from "../../app/harness.ts";
import { TOOLS } from "../../app/plan/tool-list.ts";
import { openSessions } from "../../app/sessions/open-sessions.ts";
import { tableOfSessions } from "../../app/sessions/table.ts";
import type { SessionId } from "../../base/ids.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { CALL_TOOL_FACTS, TOOL_SEARCH_FACTS } from "../../tools/tool-search.ts";
import { followSession } from "../../view/follow.ts";

const { signal } = new AbortController();

test("[PROF-02] SwitchProfile continues in a new session under the profile, with the last turns as a summary, and the old one can be resumed", async () => {
  await using place = openPlace(says("one is done"), says("two is done"), says("three"), says("four"));
  profile(place, "review", 'prompt_header = "You review."\ntool_packs = ["search"]\n');
  await using harness = await place.open();
  const connection = await connect(harness);
  const { session: old } = harness;
  await say(connection, old, "do one; never push");
  await say(connection, old, "do two");
  const watching = all(connection.subscribe(old, { signal, since: 0 }));
  const { next, result } = await switched(connection, old, { profile: "review" });
  expect(next).not.toBe(old);

  const told = (await watching).slice(-2).map(({ kind, payload }) => ({ kind, payload }));
  const { log } = result as { readonly log: string };
  expect(told).toEqual([
    { kind: "ProfileSwitched", payload: { from: "default", to: "review", logId: log, next } },
    { kind: "SessionEnded", payload: { reason: "user" } },
  ] as never);

  const [first] = await say(connection, next, "go on");
  expect(first).toMatchObject({
    kind: "ProfileSwitched",
    payload: { from: "default", to: "review", logId: log, previous: old },
  });
  const { system, messages, tools } = asked(place);
  expect(system).toContain("You review.");
  expect(tools).toContain("Grep");
  expect(tools).not.toContain('"Write"');
  expect(messages).toHaveLength(1);
  const [words, imported] = texts(messages[0]);
  expect(words).toBe("go on");
  expect(imported).toStartWith(
    "<untrusted-summary>\nSummary of the session before this one, which ran on the profile",
  );
  expect(imported).toContain('- Asked: "do one; never push"\n  Said last: "one is done"\n- Asked: "do two"');
  expect(imported).toContain('What the user said has always or never to be done:\n- "do one; never push"');

  const { sessionId: again = old } = await connection.send({ kind: "AttachSession", sessionId: old });
  await say(connection, again, "and here?");
  expect(asked(place).messages.map((message) => texts(message)[0])).toEqual([
    "do one; never push",
    "one is done",
    "do two",
    "two is done",
    "and here?",
  ]);
  expect(asked(place).system).not.toContain("You review.");
});

test.each([
  [undefined, ["2", "3", "4", "5", "6"]],
  [2, ["5", "6"]],
  [0, []],
] as const)("[PROF-02] with importTurns %p the turns %p go along", async (importTurns, expected) => {
  await using place = openPlace(...["1", "2", "3", "4", "5", "6", "7"].map((word) => says(`answer ${word}`)));
  await using harness = await place.open();
  const connection = await connect(harness);
  for (const word of ["1", "2", "3", "4", "5", "6"])
    await say(connection, harness.session, `question ${word}`);
  const { next } = await switched(connection, harness.session, {
    profile: "self",
    ...(importTurns === undefined ? {} : { importTurns }),
  });
  await say(connection, next, "go on");
  const imported = texts(asked(place).messages[0])[1] ?? "";
  expect([...imported.matchAll(/question (\d)/g)].map(([, word]) => word)).toEqual([...expected] as never);
});

test("[PROF-02] in place the same conversation continues, in a new run on the same log, which is resumed under the new profile", async () => {
  await using place = openPlace(says("one"), says("two"), says("three"));
  profile(place, "review", 'prompt_header = "You review."\n');
  {
    await using harness = await place.open();
    const connection = await connect(harness);
    const { session: old, logId } = harness;
    await say(connection, old, "first");
    const watching = all(followSession(connection, old, { signal, since: 0 }));
    const { next, result } = await switched(connection, old, { profile: "review", inPlace: true });
    expect(result).toMatchObject({ from: "default", to: "review", log: logId });
    expect((await watching).at(-2)?.payload).toEqual({
      from: "default",
      to: "review",
      logId,
      next,
      inPlace: true,
    });
    await say(connection, next, "second");
    expect(asked(place).messages).toHaveLength(3);
    expect(asked(place).system).toContain("You review.");
    // Whoever knows the run by its old name is told of the new one.
    expect(await connection.send({ kind: "AttachSession", sessionId: old })).toEqual({ sessionId: next });
  }
  await using resumed = await place.open({ resume: { kind: "last" } });
  expect(resumed.profile).toBe("review");
  await say(await connect(resumed), resumed.session, "third");
  expect(asked(place).messages).toHaveLength(5);
  expect(asked(place).system).toContain("You review.");
});

test("[PROF-02] a client that follows the announced session finds it, even while it is still opening", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open();
  const [person, watcher] = [await connect(harness), await connect(harness)];
  const events = watcher.subscribe(harness.session, { signal });
  const following = (async () => {
    for await (const event of events) {
      if (event.kind !== "ProfileSwitched" || event.payload.next === undefined) continue;
      const { next } = event.payload;
      const attached = watcher.send({ kind: "AttachSession", sessionId: next });
      for await (const first of watcher.subscribe(next, { signal, since: event.id }))
        return [first.kind, (await attached).sessionId === next];
    }
    return [];
  })();
  await switched(person, harness.session, { profile: "self", inPlace: true });
  expect(await following).toEqual(["SessionEnded", true]);
});

test("[PROF-02] while a turn runs the profile is not switched, nor by an agent, nor by who may enter only this session", async () => {
  const held = Promise.withResolvers<void>();
  await using place = openPlace(says("one", { hold: held.promise }));
  await using harness = await place.open();
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const turn = say(connection, sessionId, "go");
  await place.mock.until(({ requests }) => requests.length === 1);
  const command = { kind: "SwitchProfile", sessionId, profile: "self" } as const;
  await expect(connection.send(command)).rejects.toMatchObject({ reason: "TurnInProgress" });
  held.resolve();
  await turn;
  const agent = await harness.attach({ identityClass: "agent", label: "agent" });
  await agent.handshake("0.2.0");
  await expect(agent.send(command)).rejects.toMatchObject({ reason: "InvalidCommand" });
  const scope = { sessions: [sessionId], commands: "all" } as const;
  const guest = await harness.attach({ identityClass: "human", label: "guest", scope });
  await guest.handshake("0.2.0");
  await expect(guest.send(command)).rejects.toMatchObject({ reason: "Forbidden" });
  expect(await guest.send({ ...command, inPlace: true })).toMatchObject({ result: { to: "self" } });
});

test("[PROF-02 R30] an unusable profile changes nothing, and is reported with file and line", async () => {
  await using place = openPlace(says("one"), says("two"));
  profile(place, "newer", 'schema_version = 2\nname = "newer"\n');
  profile(place, "rules", '[permissions]\ndeny = ["Bahs"]\n');
  profile(place, "nowhere", 'default_model = "nowhere:model"\n');
  profile(place, "packs", 'tool_packs = ["fss"]\n');
  await using harness = await openPlain(place);
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  await say(connection, sessionId, "first");
  const refusal = async (more: Partial<CommandOf<"SwitchProfile">>) =>
    connection.send({ kind: "SwitchProfile", sessionId, profile: "self", ...more }).then(
      () => "accepted",
      (thrown: Error) => thrown.message.replaceAll(place.root, ""),
    );
  expect(await refusal({ profile: "absent" })).toContain("absent");
  expect(await refusal({ profile: "newer" })).toBe(
    "/config/profiles/newer.toml:1: schema_version: is 2, and this cinch knows 1: upgrade cinch",
  );
  expect(await refusal({ profile: "rules", inPlace: true })).toBe(
    '/config/profiles/rules.toml:2: permissions.deny: there is no tool "Bahs"; did you mean "Bash"?',
  );
  expect(await refusal({ profile: "packs", inPlace: true })).toContain("fss");
  expect(await refusal({ importTurns: 51 })).toContain("at most 50 turns can go along");
  expect(await refusal({ profile: "nowhere" })).toContain("nowhere");
  await say(connection, sessionId, "second");
  expect(asked(place).messages).toHaveLength(3);
});

test("[PROF-02] where the run cannot be opened in place, the session continues under the profile that it had", async () => {
  await using place = openPlace(says("one"), says("two"));
  profile(place, "nowhere", 'default_model = "nowhere:model"\n');
  await using harness = await openPlain(place);
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  await say(connection, sessionId, "first");
  const watching = all(connection.subscribe(sessionId, { signal, since: 0 }));
  const command = { kind: "SwitchProfile", sessionId, profile: "nowhere", inPlace: true } as const;
  await expect(connection.send(command)).rejects.toMatchObject({ reason: "UnknownProvider" });
  const told = (await watching).findLast((event) => event.kind === "ProfileSwitched");
  const next = told?.kind === "ProfileSwitched" ? told.payload.next : undefined;
  const seen = await say(connection, next ?? sessionId, "second");
  const back = seen.filter(({ session }) => session === next).slice(0, 2);
  expect(back.map(({ kind }) => kind)).toEqual(["Error", "ProfileSwitched"]);
  expect(back[1]?.payload).toMatchObject({ from: "nowhere", to: "default", previous: sessionId });
  expect(asked(place).messages).toHaveLength(3);
});

test("[PROF-02 REL-02] what was imported is in the new log before the old session ends, and outlives its engine", async () => {
  await using place = openPlace(says("one"), says("two"));
  let next: SessionId;
  {
    await using harness = await place.open();
    const connection = await connect(harness);
    await say(connection, harness.session, "the heron is grey");
    ({ next } = await switched(connection, harness.session, { profile: "self" }));
  }
  await using harness = await place.open({ resume: { kind: "id", id: next } });
  expect(harness.profile).toBe("self");
  await say(await connect(harness), harness.session, "go on");
  expect(texts(asked(place).messages[0])[1]).toContain("the heron is grey");
});

test("[PROF-02 PROF-03] what was said for the session holds under the other profile too: a level is never widened", async () => {
  const write = calls("Write", { file_path: "made.txt", content: "x" });
  await using place = openPlace(write, says("refused"));
  profile(place, "wide", '[permissions]\nlevel = "DangerFullAccess"\nallow = ["Write"]\n');
  place.config(
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n[permissions]\ndeny = ["Write"]\n`,
  );
  await using harness = await place.open({ wishes: { level: "ReadOnly" } });
  const connection = await connect(harness);
  const { next } = await switched(connection, harness.session, { profile: "wide" });
  const seen = await say(connection, next, "write it");
  expect(seen.find(({ kind }) => kind === "ToolResult")?.payload).toMatchObject({ isError: true });
  expect(await Bun.file(join(place.repo, "made.txt")).exists()).toBe(false);
});

test("[PROF-02 PROF-03 TOFU-01] a repository's own profile is switched to only once it was acknowledged", async () => {
  await using place = openPlace();
  place.write(".git/HEAD", "ref: x\n");
  place.write(".cinch/profiles/own.toml", 'name = "own"\n[permissions]\nlevel = "DangerFullAccess"\n');
  await using harness = await place.open();
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const command = { kind: "SwitchProfile", sessionId, profile: ".cinch/profiles/own.toml" } as const;
  await expect(connection.send(command)).rejects.toMatchObject({ reason: "TrustRefused" });
});

test("[PROF-01 PROF-02] the model is the profile's, else the one in use, and a notice names it", async () => {
  await using place = openPlace(says("one"), says("two"), says("three"));
  profile(place, "own", 'default_model = "mock:own"\n');
  await using harness = await openPlain(place);
  const connection = await connect(harness);
  await connection.send({ kind: "SetModel", sessionId: harness.session, model: "mock:chosen" });
  const { next, result } = await switched(connection, harness.session, { profile: "self" });
  expect(result).toMatchObject({
    notices: ["Using mock:chosen, since openrouter:anthropic/claude-sonnet-4 needs OPENROUTER_API_KEY."],
  });
  await say(connection, next, "one");
  const { next: last } = await switched(connection, next, { profile: "own" });
  await say(connection, last, "two");
  const { next: back } = await switched(connection, last, { profile: "default" });
  await say(connection, back, "three");
  const models = place.mock.requests.map(({ body }) => (body as { readonly model: string }).model);
  expect(models).toEqual(["chosen", "own", "own"]);
});

test("[PROF-01 SES-07] a session continues under the profile that it had, also where that has another name than its file, or is a path", async () => {
  await using place = openPlace(says("one"), says("two"), says("three"));
  profile(place, "file", 'name = "other"\nprompt_header = "By its name."\n');
  writeFileSync(join(place.root, "away.toml"), 'name = "away"\nprompt_header = "By its path."\n');
  for (const [named, header] of [
    ["file", "By its name."],
    [join(place.root, "away.toml"), "By its path."],
    [relative(place.repo, join(place.root, "away.toml")), "By its path."],
  ] as const) {
    let id: string;
    {
      await using harness = await place.open({ profile: named });
      id = harness.logId;
    }
    await using again = await place.open({ resume: { kind: "id", id } });
    await say(await connect(again), again.session, "go");
    expect(asked(place).system).toContain(header);
  }
  await using sessions = await openSessions(place.options(), signal);
  const away = join(place.root, "away.toml");
  const named = (await sessions.store.list({ limit: 10 })).map((log) => log.profile);
  expect(named.sort()).toEqual([away, away, "file"]);
});

test.each([
  [["fs"], "Read"],
  [["git"], "Bash"],
  [["web", "search"], "WebFetch"],
  [["plan"], "TodoWrite"],
  [[], undefined],
] as const)(
  "[TOOL-07 PROF-01] a profile that names the packs %p gives the model their tools, such as %p",
  async (packs, one) => {
    await using place = openPlace(says("fine"), says("fine"));
    const all = await toolsUnder(place, {});
    profile(place, "packed", `tool_packs = ${JSON.stringify(packs)}\n`);
    const expected = all.filter((name) =>
      TOOLS.of(name)?.packs.some((pack) => packs.some((each) => each === pack)),
    );
    expect(await toolsUnder(place, { profile: "packed" })).toEqual(expected);
    const declared = JSON.parse(asked(place).tools) as readonly { readonly name: string }[];
    const names = declared.map(({ name }) => name);
    if (one !== undefined) expect(names).toContain(one);
    // Tools that are not declared are found by these two.
    const found = [TOOL_SEARCH_FACTS.name, CALL_TOOL_FACTS.name];
    expect(names.filter((name) => !found.includes(name) && !expected.includes(name))).toEqual([]);
    expect(names.some((name) => found.includes(name))).toBe(expected.some((name) => !names.includes(name)));
  },
);

/** Runs a turn with these options, and returns the names of all tools of the session, declared or not. */
async function toolsUnder(place: TestProject, options: PlaceOptions): Promise<readonly string[]> {
  await using harness = await place.open(options);
  const connection = await connect(harness);
  await say(connection, harness.session, "hi");
  const { tools } = await connection.query({ kind: "ListTools", sessionId: harness.session });
  return tools.map(({ name }) => name).sort();
}

test("[TOOL-07 R30] a pack that there is not ends the start, with those that there are", async () => {
  await using place = openPlace();
  profile(place, "packed", 'tool_packs = ["fss"]\n');
  await expect(place.open({ profile: "packed" })).rejects.toMatchObject({ reason: "UnknownToolPack" });
});

test("[PROF-03 CTL-11 S39] an agent names a profile by its name alone: a file may be one that it has written", async () => {
  await using place = openPlace(says("fine"));
  const file = join(place.root, "mine.toml");
  writeFileSync(file, 'name = "mine"\n[permissions]\nlevel = "DangerFullAccess"\nallow = ["Bash"]\n');
  await using harness = await place.open();
  const agent = await harness.attach({ identityClass: "agent", label: "agent" });
  await agent.handshake("0.2.0");
  await expect(agent.send({ kind: "CreateSession", profile: file })).rejects.toMatchObject({
    reason: "InvalidCommand",
    message: expect.stringContaining("a profile that is a file is for a person to name"),
  });
  expect((await agent.send({ kind: "CreateSession", profile: "self" })).sessionId).toBeString();
});

test("[PROF-03 SES-07 S39] a session that ran under a profile of the folder it works in wants it named again: a model may have changed it", async () => {
  await using place = openPlace(says("one"), says("two"));
  place.write("mine.toml", 'name = "mine"\nprompt_header = "Mine."\n');
  const profile = join(place.repo, "mine.toml");
  let id: string;
  {
    await using harness = await place.open({ profile });
    id = harness.logId;
    const connection = await connect(harness);
    await say(connection, harness.session, "one");
    const { next } = await switched(connection, harness.session, { profile: "self" });
    await expect(connection.send({ kind: "AttachSession", sessionId: harness.session })).rejects.toThrow(
      `name it again: --profile ${profile}`,
    );
    await connection.send({ kind: "EndSession", sessionId: next });
  }
  const resume = { kind: "id", id } as const;
  await expect(place.open({ resume })).rejects.toThrow(`name it again: --profile ${profile}`);
  await using again = await place.open({ resume, profile });
  await say(await connect(again), again.session, "two");
  expect(asked(place).system).toContain("Mine.");
});

test("[PROF-02 ENG-13] a cap that a person has set counts on over sessions that take each other's place, also after a resume", async () => {
  const [dear, cheap] = [{ usage: { input: 600_000, output: 0 } }, { usage: { input: 400_000, output: 0 } }];
  await using place = openPlace(says("one", dear), says("two", cheap), says("fresh"));
  priced(place);
  let last: SessionId;
  {
    await using harness = await place.open({ wishes: { maxCostUsd: 0.9 } });
    const connection = await connect(harness);
    await say(connection, harness.session, "first");
    const { next } = await switched(connection, harness.session, { profile: "self" });
    const [begun] = await say(connection, next, "second");
    expect(begun?.payload).toMatchObject({
      spentBefore: { usd: 0.6, unknownCalls: 0, inputTokens: 600_000, outputTokens: 0 },
    });
    ({ next: last } = await switched(connection, next, { profile: "default" }));
    const refused = await say(connection, last, "third");
    expect(refused.find(({ kind }) => kind === "Error")?.payload).toMatchObject({
      reason: "CostBudgetExceeded",
      message: expect.stringContaining("$1.00 of $0.90 is spent"),
    });
  }
  await using again = await place.open({ wishes: { maxCostUsd: 0.9 }, resume: { kind: "id", id: last } });
  const connection = await connect(again);
  const refused = await say(connection, again.session, "still?");
  expect(refused.find(({ kind }) => kind === "Error")?.payload).toMatchObject({
    reason: "CostBudgetExceeded",
    message: expect.stringContaining("$1.00 of $0.90 is spent"),
  });
  expect(place.mock.requests).toHaveLength(2);
  // A branch has spent nothing yet: what it inherits was counted where it was spent.
  const { sessionId: branch = last } = await connection.send({
    kind: "BranchSession",
    sessionId: last,
    at: refused.at(-1)?.id ?? 0,
  });
  const { sessionId = branch } = await connection.send({ kind: "AttachSession", sessionId: branch });
  await say(connection, sessionId, "and here?");
  expect(place.mock.requests).toHaveLength(3);
});

test("[PROF-02 ENG-13] a cap that only the profile has counts from the switch to that profile on", async () => {
  await using place = openPlace(
    says("one", { usage: { input: 600_000, output: 0 } }),
    says("two", { usage: { input: 600_000, output: 0 } }),
    says("never"),
  );
  priced(place);
  profile(place, "frugal", "[limits]\ncost = 0.5\n");
  await using harness = await place.open();
  const connection = await connect(harness);
  await say(connection, harness.session, "first");
  const { next } = await switched(connection, harness.session, { profile: "frugal" });
  const [begun, ...rest] = await say(connection, next, "second");
  expect(begun?.payload).toMatchObject({ spentBefore: { usd: 0.6 } });
  expect(rest.some(({ kind }) => kind === "Error")).toBe(false);
  const { next: last } = await switched(connection, next, { profile: "default" });
  const [after] = await say(connection, last, "third");
  expect(after?.payload).toMatchObject({ spentBefore: { usd: 1.2, inputTokens: 1_200_000 } });
});

test("[PROF-02 SES-07] to continue is to continue where the conversation is, not with a session that only took its place", async () => {
  await using place = openPlace(says("one"), says("two"), says("three"), says("four"));
  const talkIn = async (resume: HarnessOptions["resume"], words: string, profiles: readonly string[]) => {
    await using harness = await place.open(resume === undefined ? {} : { resume });
    const connection = await connect(harness);
    if (words !== "") await say(connection, harness.session, words);
    let sessionId = harness.session;
    for (const wanted of profiles)
      ({ next: sessionId } = await switched(connection, sessionId, { profile: wanted }));
    return harness.logId;
  };
  const first = await talkIn(undefined, "about herons", []);
  await talkIn(undefined, "about storks", []);
  // The older one is taken up again, and left for two others in which nobody says a word.
  await talkIn({ kind: "id", id: first }, "", ["self", "default"]);
  expect(await talkIn({ kind: "last" }, "go on", [])).toBe(first);
  expect(asked(place).messages.map((message) => texts(message)[0])).toEqual(["about herons", "one", "go on"]);

  await using sessions = await openSessions(place.options(), signal);
  const listed = await tableOfSessions(await sessions.store.list({ limit: 10 }), {
    store: sessions.store,
    nowMs: Date.now(),
    columns: 200,
    all: false,
  });
  const [, ...rows] = listed.map((line) => line.split(/ {2,}/));
  const column = (listed[0] ?? "").split(/ {2,}/).indexOf("BRANCH-OF");
  expect(rows.map((row) => row[column] === "-")).toEqual([true, false, false, true]);
});

test("[PROF-02 REL-03] background commands of the old session end with it, and a notice says so", async () => {
  const sleep = calls("Bash", { command: "sleep 1000", background: true });
  await using place = openPlace(sleep, says("it runs"), says("on"));
  await using harness = await place.open({ wishes: { autoApprove: true, level: "DangerFullAccess" } });
  const connection = await connect(harness);
  const seen = await say(connection, harness.session, "start it");
  expect(seen.some(({ kind }) => kind === "TaskChanged")).toBe(true);
  const { result } = await switched(connection, harness.session, { profile: "self" });
  expect(result).toMatchObject({
    notices: expect.arrayContaining(["Ended with the session before: 1 background task."]),
  });
  const events = await all(connection.subscribe(harness.session, { signal, since: 0 }));
  const tasks = events.filter(({ kind }) => kind === "TaskChanged");
  expect(tasks.at(-1)?.payload).toMatchObject({ state: "stopped" });
});

/** A dollar for a million tokens. */
function priced(place: TestProject): void {
  place.config(
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n[prices."mock:test-1"]\ninput = 1\noutput = 1\n`,
  );
}

/** No model was asked for: what a profile names then counts. */
async function openPlain(place: TestProject) {
  place.config(
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\ndefault_model = "first"\n`,
  );
  const { model: _, ...options } = place.options();
  return await openHarness(options, signal);
}

function profile(place: TestProject, name: string, text: string): void {
  const folder = join(place.root, "config", "profiles");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.toml`), text);
}

async function switched(
  connection: Connection,
  sessionId: SessionId,
  wanted: Pick<CommandOf<"SwitchProfile">, "profile" | "importTurns" | "inPlace">,
): Promise<{ readonly next: SessionId; readonly result: unknown }> {
  const { sessionId: next, result } = await connection.send({ kind: "SwitchProfile", sessionId, ...wanted });
  if (next === undefined) throw new Error("no session was switched to");
  return { next, result };
}

interface AskedOf {
  readonly system: string;
  readonly tools: string;
  readonly messages: readonly { readonly content: readonly unknown[] }[];
}

/** Returns the last request to the model. */
function asked(place: TestProject): AskedOf {
  const body = place.mock.requests.at(-1)?.body as {
    readonly system: unknown;
    readonly tools?: unknown;
    readonly messages: AskedOf["messages"];
  };
  return {
    system: JSON.stringify(body.system),
    tools: JSON.stringify(body.tools ?? []),
    messages: body.messages,
  };
}

function texts(message: AskedOf["messages"][number] | undefined): readonly string[] {
  return (message?.content ?? []).map((block) => String((block as { readonly text?: unknown }).text));
}

async function all(events: AsyncIterable<Envelope>): Promise<readonly Envelope[]> {
  const seen: Envelope[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** Sends a prompt and gives every event of its session up to the end of its turn. */
async function say(connection: Connection, sessionId: SessionId, text: string): Promise<readonly Envelope[]> {
  const seen: Envelope[] = [];
  const leave = new AbortController();
  const events = connection.subscribe(sessionId, { signal: leave.signal, since: 0 });
  const turn = (async () => {
    let begun = false;
    for await (const event of events) {
      seen.push(event);
      begun ||=
        event.kind === "TurnStarted" &&
        JSON.stringify(event.payload.content ?? "").includes(JSON.stringify(text));
      if (begun && event.kind === "TurnEnded") break;
    }
  })();
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text }] });
  await turn;
  leave.abort();
  return seen;
}
