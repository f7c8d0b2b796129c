import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openExplainer } from "../src/app/explain/explain.ts";
import type { OpenHarness } from "../src/app/harness.ts";
import type { CommandOf } from "../src/protocol/commands/commands.ts";
import type { Connection } from "../src/protocol/connection.ts";
import type { EnvelopeOf } from "../src/protocol/events/envelope.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { commandsOf } from "./shell/cases.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import type { Following, PlaceOptions, TestProject } from "./support/place.ts";
import { connect, follow, openPlace } from "./support/place.ts";
import { until } from "./support/until.ts";

const SLOW_MS = 120_000;
const { signal } = new AbortController();
const ATTENDED: PlaceOptions = { wishes: { attended: true } };

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
const BEFORE = `${LINES.join("\n")}\n`;
const EDITS = [
  { old_string: "line 3\n", new_string: "third\n" },
  { old_string: "line 20\n", new_string: "twentieth\n" },
  { old_string: "line 38\n", new_string: "thirty-eighth\n" },
];

/** A project whose every edit is asked about, with a file of 40 lines and a call that changes three of them. */
function openEdited(): TestProject {
  const place = openPlace(calls("MultiEdit", { file_path: "a.txt", edits: EDITS }), says("done"));
  const config = readFileSync(join(place.root, "config/config.toml"), "utf8");
  place.config(`${config}\n[permissions]\nask = ["MultiEdit", "Write"]\n\n[sandbox]\nbackend = "none"\n`);
  place.write("a.txt", BEFORE);
  return place;
}

function textIn(place: TestProject): string {
  return readFileSync(join(place.repo, "a.txt"), "utf8");
}

type Answer = Omit<CommandOf<"AnswerPermission">, "kind" | "sessionId" | "callId">;

async function answer(
  connection: Connection,
  { session: sessionId }: OpenHarness,
  { payload: { callId } }: EnvelopeOf<"PermissionRequested">,
  given: Answer,
) {
  return await connection.send({ kind: "AnswerPermission", sessionId, callId, ...given });
}

function hunksOf({ payload: { hunks = [] } }: EnvelopeOf<"PermissionRequested">): readonly string[] {
  return hunks.map(({ id }) => id);
}

/** Texts of all results of calls, as the model gets them. */
function results({ seen }: Following): readonly string[] {
  return seen.flatMap((event) =>
    event.kind === "ToolResult"
      ? [event.payload.content.map((block) => (block.type === "text" ? block.text : "")).join("")]
      : [],
  );
}

test("[PERM-15] accepted hunks are applied, and the model learns which were refused and why", async () => {
  await using place = openEdited();
  await using harness = await place.open(ATTENDED);
  await using person = await follow(harness);
  await person.say("go");
  const question = await person.question();
  const [first = "", second = "", third = ""] = hunksOf(question);
  expect(question.payload.hunks).toMatchObject([{ old_start: 1 }, { old_start: 18 }, { old_start: 36 }]);
  const words = "keep the number in the middle";
  expect(
    await answer(person.connection, harness, question, { decision: "allow", hunks: [third, first], words }),
  ).toEqual({ result: { counted: true } });
  await person.turns(1);
  expect(textIn(place)).toBe(BEFORE.replace("line 3\n", "third\n").replace("line 38\n", "thirty-eighth\n"));
  const [result = ""] = results(person);
  expect(result).toStartWith("Edited a.txt. A person accepted 2 of 3 changes.\nRefused, and not written:\n");
  expect(result).toContain("-line 20\n+twentieth\n");
  expect(result).not.toContain("+third");
  expect(result).toEndWith(`\nThe user says:\n${words}`);
  expect(JSON.stringify(place.mock.requests.at(-1))).toContain(words);
  const answered = person.seen.find(({ kind }) => kind === "PermissionAnswered");
  expect(answered?.payload).toMatchObject({ decision: "allow", hunks: [third, first], words, counted: true });
  expect(second).not.toBe("");
});

test("[PERM-15] a file that changed after the question is left as it is, and the model gets FileChanged", async () => {
  for (const accepted of [1, 3]) {
    await using place = openEdited();
    await using harness = await place.open(ATTENDED);
    await using person = await follow(harness);
    await person.say("go");
    const question = await person.question();
    const changed = `first\n${BEFORE}`;
    writeFileSync(join(place.repo, "a.txt"), changed);
    const hunks = hunksOf(question).slice(0, accepted);
    await answer(person.connection, harness, question, { decision: "allow", hunks: [...hunks] });
    await person.turns(1);
    expect(textIn(place)).toBe(changed);
    expect(results(person)).toEqual([
      "FileChanged: a.txt changed after the question about it, so nothing was written. Read it again, and propose the change for its new content.",
    ]);
  }
});

test("[PERM-15] a new file that somebody else has made meanwhile is not replaced by its accepted hunk", async () => {
  await using place = openPlace(calls("Write", { file_path: "new.txt", content: "mine\n" }), says("done"));
  const config = readFileSync(join(place.root, "config/config.toml"), "utf8");
  place.config(`${config}\n[permissions]\nask = ["Write"]\n`);
  await using harness = await place.open(ATTENDED);
  await using person = await follow(harness);
  await person.say("go");
  const question = await person.question();
  writeFileSync(join(place.repo, "new.txt"), "");
  await answer(person.connection, harness, question, { decision: "allow", hunks: [...hunksOf(question)] });
  await person.turns(1);
  expect(readFileSync(join(place.repo, "new.txt"), "utf8")).toBe("");
  expect(results(person)[0]).toStartWith("FileChanged: ");
});

test("[PERM-08 PERM-15] of two clients that accept other hunks the first wins, and the second is recorded", async () => {
  await using place = openEdited();
  await using harness = await place.open(ATTENDED);
  await using person = await follow(harness);
  const other = await connect(harness);
  await person.say("go");
  const question = await person.question();
  const [first = "", second = ""] = hunksOf(question);
  const given = await Promise.all([
    answer(person.connection, harness, question, { decision: "allow", hunks: [first] }),
    answer(other, harness, question, { decision: "allow", hunks: [second] }),
  ]);
  expect(given).toEqual([{ result: { counted: true } }, { result: { counted: false } }]);
  await person.turns(1);
  expect(textIn(place)).toBe(BEFORE.replace("line 3\n", "third\n"));
  const answers = person.seen.flatMap((event) =>
    event.kind === "PermissionAnswered" ? [[event.payload.hunks, event.payload.counted]] : [],
  );
  expect(answers).toEqual([
    [[first], true],
    [[second], false],
  ]);
});

test("[PERM-08 PERM-14 PERM-15] hunks and words are refused where they do not fit, from an agent too, and the question stays open", async () => {
  await using place = openEdited();
  await using harness = await place.open(ATTENDED);
  await using person = await follow(harness);
  const agent = await harness.attach({ identityClass: "agent", label: "a model" });
  await agent.handshake(PROTOCOL_VERSION);
  await person.say("go");
  const question = await person.question();
  const hunks = [...hunksOf(question)];
  const refused: readonly (readonly [Connection, Answer, string])[] = [
    [agent, { decision: "allow", hunks }, "only a client of class human"],
    [agent, { decision: "deny", words: "no" }, "only a client of class human"],
    [person.connection, { decision: "deny", hunks }, "hunks go with allow"],
    [person.connection, { decision: "allow", hunks: [] }, "no hunk is accepted"],
    [person.connection, { decision: "allow", hunks: ["h9-0"] }, 'shows no hunk "h9-0"'],
    [person.connection, { decision: "allow", scope: "tool", hunks }, "leave out the scope"],
    [person.connection, { decision: "allow", words: "yes" }, "words go with deny"],
    [person.connection, { decision: "deny", words: "x".repeat(8_193) }, "at most 8192 characters"],
  ];
  for (const [connection, given, why] of refused)
    await expect(answer(connection, harness, question, given)).rejects.toThrow(why);
  expect(textIn(place)).toBe(BEFORE);
  await answer(person.connection, harness, question, { decision: "deny", words: " use sed instead\n" });
  await person.turns(1);
  expect(textIn(place)).toBe(BEFORE);
  expect(results(person)[0]).toEndWith("A person has denied this call. The user says:\n use sed instead\n");
});

test("[PERM-14 SES-05] the words of an answer are redacted before they are stored, shown or sent", async () => {
  const secret = ["ghp", "a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6"].join("_");
  await using place = openEdited();
  await using harness = await place.open(ATTENDED);
  await using person = await follow(harness);
  await person.say("go");
  await answer(person.connection, harness, await person.question(), {
    decision: "deny",
    words: `the token is ${secret}`,
  });
  await person.turns(1);
  expect(JSON.stringify(person.seen)).not.toContain(secret);
  expect(JSON.stringify(place.mock.requests)).not.toContain(secret);
  expect(results(person)[0]).toContain("the token is «redacted:");
});

test("[PERM-15 SES-05] a change of a text with a secret is answered as a whole, and no line of it gets out", async () => {
  const mark = (word: string) => `-----${word} ${["PRIVATE", "KEY"].join(" ")}-----`;
  const body = Array.from({ length: 8 }, (_, at) => `${at}${"aB3".repeat(20)}`);
  const pem = [mark("BEGIN"), ...body, mark("END"), ""].join("\n");
  await using place = openPlace(
    calls("MultiEdit", { file_path: "a.txt", edits: EDITS }),
    calls("Write", { file_path: "b.txt", content: `one\n${pem}two\n` }),
    says("done"),
  );
  const config = readFileSync(join(place.root, "config/config.toml"), "utf8");
  place.config(`${config}\n[permissions]\nask = ["MultiEdit", "Write"]\n`);
  place.write("a.txt", BEFORE.replace("line 19\n", `line 19\n${pem}`));
  await using harness = await place.open(ATTENDED);
  await using person = await follow(harness);
  await person.say("go");
  const question = await person.question();
  expect([question.payload.diff === undefined, question.payload.hunks]).toEqual([false, undefined]);
  await answer(person.connection, harness, question, { decision: "allow" });
  const asked = () => person.seen.filter((event) => event.kind === "PermissionRequested");
  await until("the second question", () => asked().length === 2);
  const next = asked()[1];
  if (next?.kind !== "PermissionRequested") throw new Error("nothing was asked");
  expect(next.payload.hunks).toBeUndefined();
  await answer(person.connection, harness, next, { decision: "allow" });
  await person.turns(1);
  expect(readFileSync(join(place.repo, "b.txt"), "utf8")).toContain(pem);
  for (const line of body) expect(JSON.stringify(asked())).not.toContain(line);
});

test("[PERM-10 PERM-15] a turn that is cancelled while hunks are accepted writes nothing, or all that was accepted", async () => {
  for (const order of ["answer", "cancel"]) {
    await using place = openEdited();
    await using harness = await place.open(ATTENDED);
    await using person = await follow(harness);
    await person.say("go");
    const question = await person.question();
    const [first = ""] = hunksOf(question);
    const { session: sessionId } = harness;
    const work = {
      answer: () => answer(person.connection, harness, question, { decision: "allow", hunks: [first] }),
      cancel: () => person.connection.send({ kind: "CancelTurn", sessionId }),
    };
    const steps = order === "answer" ? [work.answer(), work.cancel()] : [work.cancel(), work.answer()];
    await Promise.allSettled(steps);
    await person.turns(1);
    expect([BEFORE, BEFORE.replace("line 3\n", "third\n")]).toContain(textIn(place));
    if (order === "cancel") expect(textIn(place)).toBe(BEFORE);
  }
});

test("[PERM-06] with a permission_timeout in the profile, the time counts while a person is there, too", async () => {
  await using place = openEdited();
  mkdirSync(join(place.root, "config/profiles"));
  writeFileSync(join(place.root, "config/profiles/short.toml"), "[limits]\npermission_timeout = 1\n");
  await using harness = await place.open({ ...ATTENDED, profile: "short" });
  await using person = await follow(harness);
  await person.say("go");
  const { payload } = await person.question();
  expect([payload.timeoutMs, payload.onlyUnattended]).toEqual([1_000, undefined]);
  await person.turns(1);
  expect(results(person)[0]).toStartWith("PermissionTimeout: ");
  expect(textIn(place)).toBe(BEFORE);
});

test("[PERM-15 REL-01] a question with hunks ends with its engine: its late answer is refused, and nothing is written", async () => {
  await using place = openEdited();
  const first = await place.open(ATTENDED);
  const person = await follow(first);
  await person.say("go");
  const question = await person.question();
  const { session } = first;
  await first[Symbol.asyncDispose]();
  await using harness = await place.open({ ...ATTENDED, resume: { kind: "id", id: session } });
  const again = await connect(harness);
  await expect(
    answer(again, harness, question, { decision: "allow", hunks: [...hunksOf(question)] }),
  ).rejects.toThrow("no permission is asked for");
  expect(textIn(place)).toBe(BEFORE);
  await person[Symbol.asyncDispose]();
});

test(
  "[PERM-14 ENG-30] a question gives the reason that permissions explain gives, with the same parts",
  async () => {
    const commands = [
      ...commandsOf("traps").filter((_, at) => at % 8 === 0),
      ...commandsOf("agent-commands").filter((_, at) => at % 150 === 0),
    ];
    await using place = openPlace(...commands.map((command) => calls("Bash", { command })), says("done"));
    const config = readFileSync(join(place.root, "config/config.toml"), "utf8");
    place.config(
      `${config}\n[permissions]\nask = ["Bash:git *"]\ndeny = ["Bash:rm *"]\n[sandbox]\nbackend = "none"\n`,
    );
    await using harness = await place.open(ATTENDED);
    const { session: sessionId } = harness;
    const connection = await connect(harness);
    const events = connection.subscribe(sessionId, { signal });
    const asked = new Map<string, unknown>();
    await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
    for await (const event of events) {
      if (event.kind === "PermissionRequested") {
        const { callId, args, why, parts } = event.payload;
        asked.set(String(Reflect.get(args as object, "command")), { text: why?.text, parts });
        await connection.send({ kind: "AnswerPermission", sessionId, callId, decision: "deny" });
      }
      if (event.kind === "TurnEnded") break;
    }
    await using explainer = await openExplainer(place.options({ wishes: { attended: true } }), signal);
    expect(asked.size).toBeGreaterThan(15);
    for (const [command, question] of asked) {
      const { decision, why, parts } = await explainer.explain("Bash", { command });
      expect([command, decision, question]).toEqual([command, "ask", { text: why, parts }]);
    }
  },
  SLOW_MS,
);
