import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { acknowledgeAll } from "../../../../test/support/acknowledge.ts";
import type { Turn } from "../../../../test/support/mock-provider/turn.ts";
import { says } from "../../../../test/support/mock-provider/turn.ts";
import type { PlaceOptions, TestProject } from "../../../../test/support/place.ts";
import { connect, openPlace } from "../../../../test/support/place.ts";
import { until } from "../../../../test/support/until.ts";
import { openReview } from "../../../app/explain/review.ts";
import { BoundedQueue } from "../../../base/async/queue.ts";
import type { LineInput, LineTerminal } from "../../line/input/terminal.ts";
import { runLineClient } from "../../line/line-client.ts";

test("[PROF-02] /profiles:NAME asks about importing the last turns, announces the new session, and a person can return to the old one", async () => {
  await using rig = await openRig(says("the heron is grey"), says("reviewed"), says("as I said"));
  await rig.type("what colour is the heron?");
  await rig.shows("-- rounds: 1");
  await rig.type("/profiles:review");
  await rig.shows("Import the last turn into the new session? (y/n)");
  await rig.prompts("y/n > ");
  await rig.type("perhaps");
  await rig.shows("That is none of the answers: type y or n. Your text is kept for later.");
  await rig.type("y");
  const { session: old } = rig.harness;
  await rig.shows(`on profile 'review'. Old session ${old} is paused; /sessions:resume ${old} to return.\n`);
  expect(rig.screen()).toMatch(/Started new session sess_\w+ on profile 'review'\./);
  expect(rig.screen()).not.toContain("has ended");
  await rig.type("review it");
  await rig.shows("reviewed\n-- rounds: 1");
  expect(rig.asked()).toContain("You review.");
  expect(rig.asked()).toContain("the heron is grey");

  await rig.type(`/sessions:resume ${old}`);
  await rig.shows(/Paused here; session sess_\w+ went on, on profile 'review'\./);
  await rig.type("again?");
  await rig.shows("as I said");
  expect(rig.asked()).not.toContain("review it");
  expect(rig.asked()).not.toContain("You review.");
});

test("[PROF-02] nothing goes along where the answer is no, and a question that is cancelled leaves all as it is", async () => {
  await using rig = await openRig(says("the heron is grey"), says("reviewed"));
  await rig.type("what colour is the heron?");
  await rig.shows("-- rounds: 1");
  await rig.type("/profiles review");
  await rig.prompts("y/n > ");
  await rig.type("/cancel");
  await rig.shows("The profile stays as it is.");
  await rig.type("/profiles:review");
  await rig.prompts("y/n > ");
  await rig.type("n");
  await rig.shows("Started new session");
  await rig.type("review it");
  await rig.shows("reviewed");
  expect(rig.asked()).not.toContain("heron");
});

test("[PROF-02] --in-place continues in the same conversation, with a warning, and shows nothing twice", async () => {
  await using rig = await openRig(says("the heron is grey"), says("reviewed"));
  await rig.type("what colour is the heron?");
  await rig.shows("-- rounds: 1");
  await rig.type("/profiles:review --in-place");
  await rig.shows("The session continues in place on profile 'review' instead of 'default'.");
  await rig.shows("the model may be incoherent");
  await rig.type("review it");
  await rig.shows("reviewed\n-- rounds: 1");
  expect(rig.screen().split("the heron is grey")).toHaveLength(2);
  expect(rig.asked()).toContain("You review.");
  expect(rig.asked()).toContain("what colour is the heron?");
  await rig.type("/rewind");
  await rig.shows("  1  what colour is the heron?\n  2  review it\n");
});

test("[PROF-02 CMD-01] what is typed behind a switch waits for its warning, and is for the session that continues", async () => {
  await using rig = await openRig(says("the heron is grey"), says("reviewed"));
  await rig.type("what colour is the heron?");
  await rig.shows("-- rounds: 1");
  await rig.type("/profiles:review --in-place");
  await rig.type("review it");
  await rig.shows("reviewed\n-- rounds: 1");
  expect(rig.screen()).toMatch(/-- rounds: 1[^\n]*\n.*the model may be incoherent\.\nreviewed\n/);
  expect(rig.asked()).toContain("You review.");
});

test("[PROF-02] a client that watches a session follows when somebody else switches its profile", async () => {
  await using rig = await openRig(says("hello from here"));
  const { session: sessionId } = rig.harness;
  const connection = await connect(rig.harness);
  await rig.type("/profile"); // once it is answered, the session is watched
  await rig.shows("profile default");
  const { sessionId: next = sessionId } = await connection.send({
    kind: "SwitchProfile",
    sessionId,
    profile: "review",
  });
  await rig.shows(`Started new session ${next} on profile 'review'.`);
  await rig.type("hello");
  await rig.shows("hello from here");
});

test("[PROF-02] an impossible switch is reported, and the session continues as it was", async () => {
  await using rig = await openRig(says("still here"));
  await rig.type("/profiles:reviw");
  await rig.shows("There is no profile 'reviw'");
  await rig.type("/profiles:review --inplace");
  await rig.shows("Write /profiles:NAME [--import N] [--in-place]; /profiles lists them.");
  await rig.type("/profiles:review --import 51");
  await rig.shows("That cannot be done: at most 50 turns can go along");
  await rig.type("hello");
  await rig.shows("still here");
});

test("[PROF-02 PROF-01] a missing or invalid profile is reported before anybody is asked about importing", async () => {
  await using rig = await openRig(says("the heron is grey"), says("still here"));
  rig.profile("broken", "schema_version = 1\ntool_packs = 3\n");
  rig.profile("packed", 'tool_packs = ["fss"]\n');
  await rig.type("what colour is the heron?");
  await rig.shows("-- rounds: 1");
  await rig.type("/profiles:reviw");
  await rig.shows("There is no profile 'reviw'. Did you mean 'review'? Known: ");
  await rig.type("/profiles:broken");
  await rig.shows("broken.toml:2: tool_packs: must be a list of texts");
  await rig.type("/profiles:packed");
  await rig.shows("There is no tool pack 'fss'");
  await rig.type("and now?");
  await rig.shows("still here");
  expect(rig.screen()).not.toContain("Import the last");
});

test("[PROF-02] --in-place onto the profile in use says so, and does nothing", async () => {
  await using rig = await openRig(says("the heron is grey"), says("reviewed"));
  await rig.type("what colour is the heron?");
  await rig.shows("-- rounds: 1");
  await rig.type("/profiles:review --in-place");
  await rig.shows("The session continues in place on profile 'review' instead of 'default'.");
  await rig.type("/profiles:review --in-place");
  await rig.shows(
    "The session is on profile 'review' already: nothing was changed. Without --in-place a new session begins under it.",
  );
  await rig.type("review it");
  await rig.shows("reviewed");
  expect(rig.screen()).not.toContain("instead of 'review'");
});

test("[PROF-02 CTX-03 ENG-10] facts about files are notes and not errors, and return after a switch only if a file has changed", async () => {
  const place = openPlace(says("one"), says("two"), says("three"));
  const write = (path: string, text: string) => place.write(join("..", path), text);
  write("config/prompts/ask.md", "---\ncolour: red\n---\nAsk.\n");
  write("config/prompts/plan.md", "Plan.\n");
  write("repo/.cinch/prompts/plan.md", "Plan it here.\n");
  write("config/prompts/bad.md", "---\ndescription: [\n---\nBad.\n");
  write("config/agents/helper.md", "---\nname: helper\ndescription: helps\ncolour: red\n---\nHelp.\n");
  write("config/skills/odd/SKILL.md", "---\nname: even\ndescription: does things\n---\nDo it.\n");
  write("repo/closed.txt", "the moon is hollow");
  const config = readFileSync(join(place.root, "config/config.toml"), "utf8");
  place.config(`${config}[permissions]\ndeny = ["Read:closed.txt"]\n`);
  await acknowledge(place);
  await using rig = await openRigIn(place, true);
  const notes = () =>
    rig
      .screen()
      .split("\n")
      .filter((line) => /^(?:note|error): /.test(line));
  await rig.type("look at @closed.txt");
  await rig.shows("one\n-- rounds: 1");
  const first = notes();
  expect(first.map((line) => line.replace(place.root, "")).toSorted()).toEqual([
    expect.stringMatching(/^error: \/config\/prompts\/bad\.md:2: /),
    expect.stringMatching(/^note: \/config\/agents\/helper\.md:4: colour: /),
    "note: /config/prompts/ask.md:2: colour: unknown field; it has no effect",
    "note: /repo/.cinch/prompts/plan.md: it replaces your own prompt plan in this project",
    expect.stringMatching(/^note: @closed\.txt did not go to the model/),
  ]);
  await rig.type("/profiles:review");
  await rig.prompts("y/n > ");
  await rig.type("n");
  await rig.shows("on profile 'review'.");
  await rig.type("and now?");
  await rig.shows("two\n-- rounds: 1");
  expect(notes()).toEqual(first);

  write("config/prompts/ask.md", "---\ncolour: red\n---\nAsk again.\n");
  await acknowledge(place);
  await rig.type("/profiles:default");
  await rig.prompts("y/n > ");
  await rig.type("n");
  await rig.shows("on profile 'default'.");
  await rig.type("and then?");
  await rig.shows("three\n-- rounds: 1");
  expect(notes().slice(first.length)).toEqual([
    `note: ${place.root}/config/prompts/ask.md:2: colour: unknown field; it has no effect`,
  ]);
  expect(rig.screen()).not.toContain("skills/odd/SKILL.md"); // it was told at the start, which is not on this screen
});

test("[PROF-02] /profile shows the active profile with skills, MCP servers and tools; /profiles those that there are", async () => {
  await using rig = await openRig();
  await rig.type("/profile");
  await rig.shows(
    /profile default \(embedded\) · mock:test-1\nskills: .*\nMCP servers: none\ntools of builtin: Read, /,
  );
  await rig.type("/profiles");
  await rig.shows("* default  embedded\n");
  expect(rig.screen()).toContain("  review  yours\n");
});

/** Acknowledges every file, as if the user had reviewed them. */
async function acknowledge(place: TestProject): Promise<void> {
  await acknowledgeAll(place.options());
  const { own, ledger } = await openReview(place.options());
  await ledger.approve(own.pending.map(({ item }) => item));
}

async function openRig(...script: Turn[]) {
  return await openRigIn(openPlace(...script));
}

async function openRigIn(place: TestProject, history = false) {
  const folder = join(place.root, "config", "profiles");
  mkdirSync(folder);
  writeFileSync(join(folder, "review.toml"), 'prompt_header = "You review."\ntool_packs = ["search"]\n');
  const options: PlaceOptions = { wishes: { attended: true } };
  const harness = await place.open(options);
  const connection = await connect(harness);
  const lines = new BoundedQueue<LineInput>(100);
  const leave = new AbortController();
  let shown = "";
  let prompt: string | undefined;
  let question: object | undefined;
  const terminal: LineTerminal = {
    interactive: true,
    redraws: false,
    async *input(signal) {
      signal.addEventListener("abort", () => lines.end());
      yield* lines;
    },
    write: (printed) => {
      shown += printed;
      return Promise.resolve();
    },
    prompt: (text, asked) => {
      prompt = text;
      question = asked?.question;
    },
  };
  const { clock } = place.options().world;
  const running = runLineClient({
    connection,
    session: harness.session,
    terminal,
    model: harness.model,
    history,
    clock,
    signal: leave.signal,
  });
  running.catch(() => undefined); // it ends by its signal
  return {
    harness,
    profile: (name: string, text: string) => writeFileSync(join(folder, `${name}.toml`), text),
    screen: () => shown,
    type: async (text: string) => void lines.push({ kind: "line", text, answers: question }),
    shows: (text: string | RegExp) =>
      until(`"${text}" on the screen`, () =>
        typeof text === "string" ? shown.includes(text) : text.test(shown),
      ),
    prompts: (text: string) => until(`the prompt "${text}"`, () => prompt === text),
    /** Returns the model's last request. */
    asked: () => JSON.stringify(place.mock.requests.at(-1)?.body),
    async [Symbol.asyncDispose]() {
      leave.abort();
      await running.catch(() => undefined);
      await connection[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}
