import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openExplainer } from "../src/app/explain/explain.ts";
import type { OpenHarness } from "../src/app/harness.ts";
import type { Envelope } from "../src/protocol/events/envelope.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "./support/place.ts";

const { signal } = new AbortController();

/** Sends a prompt, and allows what is asked for the session by the rule that is shown. */
async function allowing(harness: OpenHarness): Promise<readonly string[]> {
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const events = connection.subscribe(sessionId, { signal });
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  const rules: string[] = [];
  for await (const event of events) {
    if (event.kind === "PermissionRequested") {
      const { callId, rule } = event.payload;
      if (rule !== undefined) rules.push(rule);
      await connection.send({
        kind: "AnswerPermission",
        sessionId,
        callId,
        decision: "allow",
        scope: "argv_glob",
      });
    }
    if (event.kind === "TurnEnded") break;
  }
  return rules;
}

test("[PERM-07] what a person allowed for the session is written into the profile in use when they say so, and allows there", async () => {
  await using place = openPlace(calls("Bash", { command: "touch made.txt" }), says("done"));
  const config = `${await Bun.file(join(place.root, "config", "config.toml")).text()}\n[sandbox]\nbackend = "none"\n`;
  place.config(config);
  await using harness = await place.open({ wishes: { attended: true } });
  expect(await allowing(harness)).toEqual(["Bash:touch made.txt"]);
  expect(existsSync(join(place.repo, "made.txt"))).toBe(true);

  const { session: sessionId } = harness;
  const rule = "Bash:touch made.txt";
  const agent = await harness.attach({ identityClass: "agent", label: "a model" });
  await agent.handshake(PROTOCOL_VERSION);
  await expect(agent.send({ kind: "PromoteRule", sessionId, rule })).rejects.toThrow(
    "only a client of class human",
  );
  const person = await connect(harness);
  await expect(person.send({ kind: "PromoteRule", sessionId, rule: "Bash" })).rejects.toThrow(
    "no rule 'Bash' is active",
  );
  const other = await connect(harness);
  const events = other.subscribe(sessionId, { signal })[Symbol.asyncIterator]();
  const path = join(place.root, "config/profiles/default.rules.toml");
  const promoted = { profile: "default", path, directory: place.repo };
  expect(await person.send({ kind: "PromoteRule", sessionId, rule })).toEqual({ result: promoted });
  expect(await next(events, "RulePromoted")).toEqual({
    rule,
    ...promoted,
    by: person.clientId,
    who: { label: "test", identityClass: "human" },
  });
  await person.send({ kind: "RevokeRule", sessionId, rule });
  expect(await next(events, "RuleRevoked")).toEqual({
    rule,
    by: person.clientId,
    who: { label: "test", identityClass: "human" },
  });
  expect(await Bun.file(join(place.root, "config", "config.toml")).text()).toBe(config);

  const elsewhere = join(place.root, "elsewhere");
  const below = join(place.repo, "below");
  for (const folder of [elsewhere, below]) mkdirSync(folder);
  writeFileSync(join(place.root, "config/profiles/strict.toml"), 'permissions = "preset/ask.toml"\n');
  const verdictIn = async (workingDir: string, profile?: string) => {
    const more = profile === undefined ? {} : { profile };
    const explainer = await openExplainer(place.options({ workingDir, ...more }), signal);
    const { decision } = await explainer.explain("Bash", { command: "touch made.txt" });
    return [decision, explainer.rules.flatMap((held) => held.directory ?? [])];
  };
  expect(await verdictIn(place.repo)).toEqual(["allow", [place.repo]]);
  expect(await verdictIn(below)).toEqual(["allow", [place.repo]]);
  expect(await verdictIn(elsewhere)).toEqual(["ask", []]);
  expect(await verdictIn(place.repo, "strict")).toEqual(["ask", []]);
});

test("[PERM-07] a rule that a person widens holds in every directory, under their own profile and no other, and never in one of the repository", async () => {
  const answers = [calls("Bash", { command: "touch made.txt" }), says("done")];
  await using place = openPlace(...answers, ...answers);
  place.config(
    `${await Bun.file(join(place.root, "config", "config.toml")).text()}\n[sandbox]\nbackend = "none"\n`,
  );
  const rule = "Bash:touch made.txt";
  const mine = join(place.root, "config/profiles/mine.toml");
  mkdirSync(join(place.root, "config/profiles"));
  writeFileSync(mine, "# mine\n");
  {
    await using harness = await place.open({ wishes: { attended: true }, profile: "mine" });
    const { session: sessionId } = harness;
    await allowing(harness);
    const person = await connect(harness);
    await person.send({ kind: "PromoteRule", sessionId, rule, everywhere: true });
    expect(await Bun.file(mine).text()).toBe(`# mine\n\n[[promoted]]\nrule = "${rule}"\n`);
  }
  const elsewhere = join(place.root, "elsewhere");
  mkdirSync(elsewhere);
  for (const [profile, decision] of [
    ["mine", "allow"],
    ["default", "ask"],
  ] as const) {
    const explainer = await openExplainer(place.options({ workingDir: elsewhere, profile }), signal);
    expect(await explainer.explain("Bash", { command: "touch made.txt" })).toMatchObject({ decision });
  }

  const theirs = join(place.repo, "theirs.toml");
  writeFileSync(theirs, "# theirs\n");
  await using harness = await place.open({ wishes: { attended: true }, profile: theirs });
  await allowing(harness);
  const person = await connect(harness);
  const refused = person.send({ kind: "PromoteRule", sessionId: harness.session, rule });
  await expect(refused).rejects.toThrow("is a file of the repository");
  expect(await Bun.file(theirs).text()).toBe("# theirs\n");
  writeFileSync(theirs, `[[promoted]]\nrule = "${rule}"\n`);
  await expect(place.open({ profile: theirs })).rejects.toThrow("lies in the repository");
});

async function next(events: AsyncIterator<Envelope>, kind: Envelope["kind"]): Promise<unknown> {
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) return undefined;
    if (value.kind === kind) return value.payload;
  }
}

test("[HOOK-01 PERM-01 S39] the script of a hook that the user configured outside cinch's own folders is not changed, also with --auto-approve", async () => {
  const change = { command: "echo true >> ../bin/check.sh; tee ../bin/check.sh < /dev/null" };
  await using place = openPlace(
    calls("Write", { file_path: "../bin/check.sh", content: "true" }),
    calls("Bash", change),
    calls("Bash", { command: "cp /dev/null scripts/lint.sh" }),
    calls("Write", { file_path: join("notes.txt"), content: "kept" }),
    says("done"),
  );
  const script = join(place.root, "bin/check.sh");
  mkdirSync(join(place.root, "bin"));
  writeFileSync(script, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  place.write("scripts/lint.sh", "exit 0\n");
  place.config(
    `${await Bun.file(join(place.root, "config", "config.toml")).text()}
[sandbox]
backend = "none"
[[hooks]]
event = "SessionStart"
cmd = "~/bin/check.sh && sh scripts/lint.sh"
`,
  );
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const results = (await turn(harness, "go")).flatMap((event) =>
    event.kind === "ToolResult" ? [JSON.stringify(event.payload.content)] : [],
  );
  expect(results.map((text) => /steers cinch/.test(text))).toEqual([true, true, true, false]);
  expect(await Bun.file(script).text()).toBe("#!/bin/sh\nexit 0\n");
  expect(await Bun.file(join(place.repo, "scripts/lint.sh")).text()).toBe("exit 0\n");
  expect(await Bun.file(join(place.repo, "notes.txt")).text()).toBe("kept");
});

test("[PERM-03 PERM-07 SES-05] a rule that redaction would change is not made: what is listed is what is in force", async () => {
  const command = `echo ghp_${"a1B2c3D4e5F6".repeat(3)} > made.txt`;
  await using place = openPlace(calls("Bash", { command }), calls("Bash", { command }), says("done"));
  place.config(
    `${await Bun.file(join(place.root, "config", "config.toml")).text()}\n[sandbox]\nbackend = "none"\n`,
  );
  await using harness = await place.open({ wishes: { attended: true } });
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const events = connection.subscribe(sessionId, { signal });
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  const told: unknown[] = [];
  for await (const event of events) {
    if (event.kind === "PermissionRequested") {
      const { callId, rule, onceOnly } = event.payload;
      told.push({ rule, onceOnly });
      const scope = "argv_glob";
      await connection.send({ kind: "AnswerPermission", sessionId, callId, decision: "allow", scope });
    }
    if (event.kind === "PermissionAnswered") {
      const { scope, rule } = event.payload;
      told.push({ scope, rule });
    }
    if (event.kind === "TurnEnded") break;
  }
  const once = [{ onceOnly: true }, { scope: "once" }];
  expect(told).toEqual([...once, ...once]);
});
