import { expect } from "bun:test";
import { join } from "node:path";
import type { MockRequest } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, fails, says } from "../support/mock-provider/turn.ts";
import { requireProgram } from "../support/requires.ts";
import type { Served } from "../support/served.ts";
import { openServed } from "../support/served.ts";
import { ROOT } from "../support/source.ts";

const TIMEOUT_MS = 300_000;
const WITH_PYTHON = requireProgram("python3");
const HUMAN = ["--identity-class", "human"];
const AGENT = ["--identity-class", "agent"];

interface Program extends AsyncDisposable {
  write(text: string): void;
  closeStdin(): void;
  /** Waits until it has printed this. */
  until(text: string): Promise<string>;
  readonly ended: Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

function start(command: readonly string[], served: Served, token: string): Program {
  const { PATH = "/usr/bin:/bin" } = process.env;
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    env: {
      PATH,
      ...served.home.env,
      LANG: "C.UTF-8",
      PYTHONPATH: join(ROOT, "sdk/python/src"),
      PYTHONDONTWRITEBYTECODE: "1",
      CINCH_URL: served.url,
      CINCH_TOKEN: token,
    },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  let stdout = "";
  const waiting = new Set<() => void>();
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      stdout += text;
      for (const wake of [...waiting]) wake();
    }
  })();
  const stderr = new Response(child.stderr).text();
  const ended = reading.then(async () => ({ code: await child.exited, stdout, stderr: await stderr }));
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
    for (const wake of [...waiting]) wake();
  });
  return {
    write(text) {
      child.stdin.write(text);
      child.stdin.flush();
    },
    closeStdin: () => void child.stdin.end(),
    async until(text) {
      while (!stdout.includes(text)) {
        if (isOver) throw new Error(`it ended without ${JSON.stringify(text)}: ${stdout}${await stderr}`);
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
      return stdout;
    },
    ended,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Does the same twice: with a model that is recorded, and with the recording, which must come to the same. */
async function recordedAndReplayed<Result>(
  script: (request: MockRequest) => Turn,
  play: (served: Served) => Promise<Result>,
): Promise<Result> {
  await using recording = await openServed({
    script,
    listens: true,
    flags: ["--model", "mock:one", "--strict-permissions", "--record", "tape.jsonl"],
  });
  const first = await play(recording);
  const tape = await Bun.file(join(recording.work, "tape.jsonl")).text();
  await using replaying = await openServed({
    script: () => fails({ kind: "hang-up" }),
    listens: true,
    flags: ["--model", "replay:tape.jsonl", "--strict-permissions"],
    files: { "tape.jsonl": tape },
  });
  const second = await play(replaying);
  expect(replaying.provider.requests).toEqual([]);
  expect(second).toEqual(first);
  return second;
}

function model({ body }: MockRequest): Turn {
  const asked = JSON.stringify((body["messages"] as readonly unknown[]).at(-1));
  if (asked.includes("heron")) return says("It stands in the reeds.");
  if (asked.includes("touch")) return calls("Bash", { command: "touch note.txt" });
  return says("As you say.");
}

const CHATS = [
  { name: "chat.ts", command: ["sh", "scripts/bun.sh", "examples/chat.ts"], needing: requireProgram("sh") },
  { name: "chat.py", command: ["python3", "examples/chat.py"], needing: WITH_PYTHON },
];

for (const { name, command, needing } of CHATS) {
  needing(
    `[SDK-01 DOC-01] ${name}: questions, answers as they come, and a permission that is asked for`,
    async () => {
      const { code, stdout, stderr } = await recordedAndReplayed(model, async (served) => {
        await using chat = start(command, served, await served.token(...HUMAN));
        chat.write("Where is the heron?\n");
        await chat.until("reeds.\n> ");
        chat.write("touch it\n");
        await chat.until("allow? [y/n] ");
        chat.write("y\n");
        await chat.until("As you say.\n> ");
        chat.write("touch it again\n");
        await chat.until("allow? [y/n] ");
        chat.write("n\n");
        chat.closeStdin();
        return await chat.ended;
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(
        /^> It stands in the reeds\.\n> \n[\s\S]*touch note\.txt[\s\S]*As you say\.\n> $/,
      );
      expect(stdout.match(/As you say\./g)).toHaveLength(2);
    },
    TIMEOUT_MS,
  );
}

const GATES: readonly (readonly [
  string,
  string,
  { readonly code: number; readonly stdout: string; readonly stderr: RegExp },
])[] = [
  [
    "a turn that ends well is 0, and its answer is printed",
    "heron",
    { code: 0, stdout: "It stands in the reeds.\n", stderr: /^$/ },
  ],
  [
    "a call that needs a permission is 3",
    "touch",
    { code: 3, stdout: "", stderr: /^ci-gate: refused: .*touch note\.txt/ },
  ],
];

for (const [what, prompt, expected] of GATES) {
  WITH_PYTHON(
    `[SDK-01 DOC-01] ci-gate.py: ${what}`,
    async () => {
      const { code, stdout, stderr } = await recordedAndReplayed(model, async (served) => {
        await using gate = start(
          ["python3", "examples/ci-gate.py", prompt],
          served,
          await served.token(...AGENT),
        );
        return await gate.ended;
      });
      expect({ code, stdout }).toEqual({ code: expected.code, stdout: expected.stdout });
      expect(stderr).toMatch(expected.stderr);
    },
    TIMEOUT_MS,
  );
}

WITH_PYTHON(
  "[SDK-01 DOC-01] ci-gate.py: a turn that fails is 1, and no engine is 2",
  async () => {
    // Nothing of what is asked stands in this recording.
    const tape = '{"cassette":1,"family":"mock","model":"mock:one","variables":[]}\n';
    await using served = await openServed({
      script: [],
      listens: true,
      flags: ["--model", "replay:tape.jsonl"],
      files: { "tape.jsonl": tape },
    });
    const token = await served.token(...AGENT);
    const gate = async () => {
      await using program = start(["python3", "examples/ci-gate.py", "heron"], served, token);
      return await program.ended;
    };
    expect(await gate()).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^ci-gate: .+\n$/),
    });
    await served.kill();
    expect(await gate()).toMatchObject({ code: 2, stderr: expect.stringContaining("(EngineUnreachable)") });
  },
  TIMEOUT_MS,
);

requireProgram("sh")(
  "[SDK-01 DOC-01 AUTH-09] permission-desk.ts: what one client's turn asks for is answered by another, which came later",
  async () => {
    const told = await recordedAndReplayed(model, async (served) => {
      const program = ["sh", "scripts/bun.sh", "examples/permission-desk.ts"];
      const [agent, human] = [await served.token(...AGENT), await served.token(...HUMAN)];
      await using sender = start([...program, "send", "touch it"], served, agent);
      const [session = ""] = (await sender.until("\n")).split("\n");
      await using desk = start([...program, "desk", session], served, human);
      desk.write("y\n");
      const [sent, attended] = [await sender.ended, await desk.ended];
      return {
        sent: { ...sent, stdout: sent.stdout.replace(session, "SESSION") },
        attended: attended.stdout,
      };
    });
    expect(told).toEqual({
      sent: { code: 0, stdout: "SESSION\nAs you say.\ncomplete, 0 refused\n", stderr: "" },
      attended: "allow: counted true\n",
    });
  },
  TIMEOUT_MS,
);

const BOARDS = [
  {
    name: "session-board.ts",
    command: ["sh", "scripts/bun.sh", "examples/session-board.ts"],
    needing: requireProgram("sh"),
  },
  { name: "session-board.py", command: ["python3", "examples/session-board.py"], needing: WITH_PYTHON },
];

for (const { name, command, needing } of BOARDS) {
  needing(
    `[SDK-01 DOC-01 CTL-19] ${name}: a line for each session, then what changes: its turns, a question in it, its end`,
    async () => {
      const shown = await recordedAndReplayed(model, async (served) => {
        const human = await served.token(...HUMAN);
        const session = await served.session(human);
        const send = async (body: object) => {
          const answer = await served.ask(`/v1/sessions/${session}/command`, human, body);
          expect(answer.ok).toBe(true);
        };
        await using board = start([...command, "past"], served, human);
        await board.until("that is all; now what changes\n");
        const content = [{ type: "text", text: "touch it" }];
        await send({ kind: "SendInput", content });
        await board.until(`? ${session} waiting`);
        await send({ kind: "CancelTurn" });
        await board.until(`  ${session} idle 1/1 unread, `);
        await send({ kind: "EndSession" });
        const stdout = await board.until(`${session} kept`);
        return stdout.replaceAll(session, "SESSION").split("\n").at(0);
      });
      expect(shown).toBe('  SESSION idle 0/0 unread, $0.00: ""');
    },
    TIMEOUT_MS,
  );
}

const NOT_THERE = [
  { name: "chat.ts", command: ["sh", "scripts/bun.sh", "examples/chat.ts"], needing: requireProgram("sh") },
  { name: "chat.py", command: ["python3", "examples/chat.py"], needing: WITH_PYTHON },
  ...BOARDS,
  {
    name: "permission-desk.ts",
    command: [
      "sh",
      "scripts/bun.sh",
      "examples/permission-desk.ts",
      "desk",
      "sess_01M7ZBN4D3S5EVZ30A1BY7PY5X",
    ],
    needing: requireProgram("sh"),
  },
];

for (const { name, command, needing } of NOT_THERE) {
  needing(
    `[SDK-01 DOC-01] ${name}: a missing engine is reported in one line, and the program ends although more could be typed`,
    async () => {
      await using served = await openServed({ script: [], listens: true });
      const token = await served.token(...HUMAN);
      await served.kill();
      await using program = start(command, served, token);
      const { code, stdout, stderr } = await program.ended;
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^[a-z-]+: [^\n]*cinch serve[^\n]*\(EngineUnreachable\)\n$/);
    },
    TIMEOUT_MS,
  );
}
