import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { calls, says } from "../../../test/support/mock-provider/turn.ts";
import { connect, follow, openPlace, turn } from "../../../test/support/place.ts";
import { requireProgram } from "../../../test/support/requires.ts";
import { until } from "../../../test/support/until.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";

const withSandbox = requireProgram("bwrap");
const PATH = "/usr/local/bin:/usr/bin:/bin";
const PASSWORD = "wq7Kx02bTz1m";
const KEY = "9dke02lsPq4c";
const SECRET = { MY_API_KEY: KEY, DATABASE_URL: `postgres://app:${PASSWORD}@db/x` };
/** Prints a variable in a spelling that no redactor can know: backwards. */
const backwards = (name: string) => `printf %s "\${${name}-none}" | rev; echo`;
const REVERSED = KEY.split("").reverse().join("");
const BARE = `[sandbox]\nbackend = "none"\n`;

function place(script: Parameters<typeof openPlace>, config = "") {
  const opened = openPlace(...script);
  const provider = `[providers.mock]\nkind = "anthropic"\nbase_url = "${opened.mock.url}/v1"\n`;
  opened.config(provider + config);
  return { ...opened, environment: { PATH, HOME: opened.root, ...SECRET } };
}

function resultsOf(events: readonly Envelope[]): readonly string[] {
  return events.flatMap((event) =>
    event.kind === "ToolResult"
      ? [event.payload.content.map((block) => Reflect.get(block, "text")).join("|")]
      : [],
  );
}

/** All that went to the model, and all that clients and the log were given. */
/** All that clients and the model saw. A text may come in pieces, so it stands there as a whole, too. */
function everything(events: readonly Envelope[], requests: readonly { readonly body: unknown }[]): string {
  const text = events.map((event) => (event.kind === "TextDelta" ? event.payload.text : "")).join("");
  return JSON.stringify([events, text, requests.map(({ body }) => body)]);
}

withSandbox(
  "[SBX-05 SES-05] secrets of the environment are withheld from sandboxed commands, and a notice says so",
  async () => {
    await using at = place([
      calls("Bash", { command: `${backwards("MY_API_KEY")}; ${backwards("DATABASE_URL")}` }),
      calls("Bash", { command: "printenv MY_API_KEY DATABASE_URL" }),
      calls("Bash", { command: "sh -c 'echo DATABASE_URL is not set; exit 3'" }),
      calls("Bash", { command: "false" }),
      says("done"),
    ]);
    await using harness = await at.open({ wishes: { environment: at.environment } });
    expect(harness.notices[0]).toBe(
      "Kept from commands, since they hold secrets: DATABASE_URL, MY_API_KEY. Name those that commands need in pass_env under [sandbox] in config.toml.",
    );
    const events = await turn(harness, "go");
    const results = resultsOf(events);
    expect(results[0]).toStartWith("enon\nenon");
    expect(results[1]).toContain(
      "[MY_API_KEY, DATABASE_URL hold secrets and are kept from commands, which may be why",
    );
    expect(results[2]).toContain("[DATABASE_URL holds a secret and is kept from commands, which may be why");
    expect(results[3]).not.toContain("kept from commands");
  },
);

withSandbox(
  "[SBX-05] a command that fails for want of one says so, also where it names none, and one in the background too",
  async () => {
    const asks = { background: true, command: "echo 'FATAL: no password supplied' >&2; exit 2" };
    const poll = { action: "poll", id: "task_1" };
    await using at = place([
      calls("Bash", { command: "false" }),
      calls("Bash", { command: "sh -c 'echo no such table; exit 1'" }),
      calls("Bash", { command: "sh -c 'echo no such table; exit 1'" }),
      calls("Bash", { command: "sh -c 'echo fe_sendauth: no password supplied; exit 2'" }),
      calls("Bash", { command: "echo reset your password" }),
      calls("Bash", asks),
      says("begun"),
      calls("CallTool", { name: "BashTask", input: poll }),
      says("done"),
    ]);
    await using harness = await at.open({ wishes: { environment: at.environment } });
    await using client = await follow(harness);
    const begun = resultsOf(await turn(harness, "go"));
    const isOver = (event: Envelope) => event.kind === "TaskChanged" && event.payload.state === "failed";
    await until("the end of the command in the background", () => client.seen.some(isOver));
    poll.id = /task_\w+/.exec(begun[5] ?? "")?.[0] ?? "";
    const MAY =
      "[MY_API_KEY, DATABASE_URL hold secrets and are kept from commands, which may be why this failed.";
    const FIRST =
      "[MY_API_KEY, DATABASE_URL hold secrets and are kept from commands. If this needed one, that is why";
    expect(begun.map((text) => [text.includes(MAY), text.includes(FIRST)])).toEqual([
      [false, false],
      [false, true],
      [false, false],
      [true, false],
      [false, false],
      [false, false],
    ]);
    const [polled = ""] = resultsOf(await turn(harness, "and now"));
    expect(polled).toContain("no password supplied");
    expect(polled).toContain(MAY);
  },
);

test("[SBX-05 SES-05] without a sandbox they are still withheld; pass_env passes one, and nobody reads it", async () => {
  await using at = place(
    [
      calls("Bash", { command: `${backwards("MY_API_KEY")}; echo "$DATABASE_URL"`, outside_sandbox: true }),
      says(`It is ${PASSWORD}.`),
    ],
    `${BARE}pass_env = ["DATABASE_URL"]\n`,
  );
  await using harness = await at.open({ wishes: { environment: at.environment, autoApprove: true } });
  expect(harness.notices.join()).toContain("hold secrets: MY_API_KEY.");
  const said = everything(await turn(harness, "go"), at.mock.requests);
  expect(said).toContain("enon\\npostgres://app:«redacted:DATABASE_URL»@db/x");
  expect(said).not.toContain(PASSWORD);
  expect(said).toContain("It is «redacted:DATABASE_URL».");
});

for (const [where, config, declare] of [
  ["a sandbox", "", withSandbox],
  ["no sandbox", BARE, test],
] as const) {
  declare(`[SBX-05] where there is ${where}, a command that a person lets run outside gets all`, async () => {
    await using at = place(
      [calls("Bash", { command: backwards("MY_API_KEY"), outside_sandbox: true }), says("done")],
      config,
    );
    await using harness = await at.open({ wishes: { environment: at.environment, attended: true } });
    await using client = await follow(harness);
    await client.say("go");
    const asked = await client.question();
    await client.connection.send({
      kind: "AnswerPermission",
      sessionId: harness.session,
      callId: asked.payload.callId,
      decision: "allow",
      scope: "once",
    });
    await client.turns(1);
    const results = client.seen.flatMap((event) =>
      event.kind === "ToolResult" ? [JSON.stringify(event.payload)] : [],
    );
    expect(results[0]).toContain(REVERSED);
  });
}

test("[SES-05 CTL-11] a session knows the secrets of its own terminal, not of the one that started the engine", async () => {
  const other = "r4Tk20dlwKe1";
  await using at = place([calls("Bash", { command: `cat x` }), says("done")], BARE);
  writeFileSync(join(at.repo, "x"), `${other} and ${KEY}`);
  await using harness = await at.open({ wishes: { environment: { PATH, HOME: at.root, MY_API_KEY: KEY } } });
  const connection = await connect(harness);
  const environment = { PATH, HOME: at.root, THEIR_TOKEN: other };
  const created = await connection.send({
    kind: "CreateSession",
    workingDir: at.repo,
    model: "mock:one",
    run: { environment, autoApprove: true },
  });
  const sessionId = created.sessionId ?? harness.session;
  const stop = new AbortController();
  const events: Envelope[] = [];
  const reading = (async () => {
    for await (const event of connection.subscribe(sessionId, { signal: stop.signal })) events.push(event);
  })();
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  await until("the turn has ended", () => events.some(({ kind }) => kind === "TurnEnded"));
  stop.abort();
  await reading;
  expect(everything(events, at.mock.requests)).toContain(`«redacted:THEIR_TOKEN» and ${KEY}`);
});

test("[SBX-05] the name of a file that is there is no secret, and neither is it kept back", async () => {
  await using at = place([calls("Bash", { command: 'cat "$APP_CREDENTIALS"' }), says("done")], BARE);
  writeFileSync(join(at.repo, "key.json"), "found it");
  const environment = { PATH, HOME: at.root, APP_CREDENTIALS: join(at.repo, "key.json") };
  await using harness = await at.open({ wishes: { environment, autoApprove: true } });
  expect(harness.notices.join()).not.toContain("Kept from commands");
  expect(JSON.stringify(await turn(harness, "go"))).toContain("found it");
});
