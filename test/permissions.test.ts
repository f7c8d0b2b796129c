import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenHarness } from "../src/harness.ts";
import { loadConfig } from "../src/profile/config.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "./support/place.ts";
import { testWorld } from "./support/world.ts";

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

test("[PERM-07] what a person allowed for the session is written into their configuration when they say so, and allows there", async () => {
  await using place = openPlace(calls("Bash", { command: "touch made.txt" }), says("done"));
  place.config(
    `${await Bun.file(join(place.root, "config", "config.toml")).text()}\n[sandbox]\nbackend = "none"\n`,
  );
  await using harness = await place.open({ attended: true });
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
  await person.send({ kind: "PromoteRule", sessionId, rule });

  const { permissions } = await loadConfig(testWorld(), join(place.root, "config", "config.toml"));
  expect(permissions.rules.map(({ effect, text }) => `${effect} ${text}`)).toEqual([`allow ${rule}`]);
});

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
  await using harness = await place.open({ autoApprove: true });
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
  await using harness = await place.open({ attended: true });
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
