import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, cinchPath } from "../support/cinch.ts";
import { settle } from "../support/fake-clock.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { follow, openPlace, turn } from "../support/place.ts";
import { requireProgram } from "../support/requires.ts";

// Failures that users of other harnesses report, across rooms (the R entries of the catalogue; most are held
// in theirs).

test("[SES-02 R27] what is sent while a turn runs, while a person is asked, or after the end is taken and kept, or refused; never lost", async () => {
  await using place = openPlace(
    calls("Bash", { command: "touch asked", outside_sandbox: true }),
    says("first"),
    says("second"),
  );
  await using harness = await place.open({ wishes: { attended: true } });
  const { session: sessionId } = harness;
  const seen = await (async () => {
    await using client = await follow(harness);
    const { connection } = client;
    await client.say("one");
    const { callId } = (await client.question()).payload;
    await expect(client.say("lost while busy")).rejects.toMatchObject({ reason: "TurnInProgress" });
    await connection.send({ kind: "AnswerPermission", sessionId, callId, decision: "deny" });
    await client.turns(1);
    await client.say("two");
    await client.turns(2);
    await connection.send({ kind: "EndSession", sessionId });
    await expect(client.say("lost after the end")).rejects.toBeInstanceOf(Error);
    return client.seen;
  })();

  const told = JSON.stringify(seen) + JSON.stringify(place.mock.requests.map(({ body }) => body));
  expect(told).toContain("two");
  expect(told).not.toContain("lost while busy");
  expect(told).not.toContain("lost after the end");
  expect(existsSync(join(place.repo, "asked"))).toBe(false);
});

test("[ENG-09 R26] what was cancelled while a person was asked never runs: not by a late yes, not in the next turn, not in a resumed session", async () => {
  await using place = openPlace(
    calls("Bash", { command: "echo x >>ran", outside_sandbox: true }),
    says("went on"),
    says("resumed"),
  );
  {
    await using harness = await place.open({ wishes: { attended: true } });
    const { session: sessionId } = harness;
    await using client = await follow(harness);
    await client.say("run it");
    const { callId } = (await client.question()).payload;
    await client.connection.send({ kind: "CancelTurn", sessionId });
    await client.turns(1);
    // Taken or refused: a late answer is nobody's.
    await client.connection
      .send({ kind: "AnswerPermission", sessionId, callId, decision: "allow" })
      .catch(() => undefined);
    await settle();
    await turn(harness, "go on");
  }
  await using resumed = await place.open({ resume: { kind: "last" } });
  await turn(resumed, "and now");
  expect(existsSync(join(place.repo, "ran"))).toBe(false);
  expect(place.mock.requests).toHaveLength(3);
});

const FILES = 3_000;

requireProgram("prlimit", "bwrap")(
  "[REL-03 R34] with 64 open files at most, a large repository is searched and the run ends well",
  async () => {
    using home = cinchHome();
    const work = join(home.path, "work");
    for (let folder = 0; folder < 30; folder += 1) {
      mkdirSync(join(work, `f${folder}`), { recursive: true });
      for (let at = 0; at < FILES / 30; at += 1)
        writeFileSync(join(work, `f${folder}`, `${at}.txt`), "needle\n");
    }
    await using mock = startMockProvider({
      script: [
        calls("Grep", { pattern: "needle", output_mode: "count" }),
        calls("Glob", { pattern: "**/*.txt" }),
        calls("Bash", { command: "cat f0/*.txt | wc -l" }),
        says("Found."),
      ],
    });
    mkdirSync(join(home.path, "config/cinch"), { recursive: true });
    writeFileSync(
      join(home.path, "config/cinch/config.toml"),
      `[providers.mock]\nkind = "anthropic"\nbase_url = "${mock.url}/v1"\n`,
    );
    const child = Bun.spawn(["prlimit", "--nofile=64:64", cinchPath(), "-p", "search", "--model", "mock:m"], {
      cwd: work,
      env: { PATH: process.env["PATH"], ...home.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect({ code: await child.exited, stdout, stderr }).toEqual({ code: 0, stdout: "Found.\n", stderr: "" });
  },
  300_000,
);

test('[SBX-01 PERM-08] with --auto-approve and no sandbox a notice says that commands run unconfined; unavailable = "refuse" runs none', async () => {
  const settings = '[sandbox]\nbackend = "container"\nimage = "no-such-image:never"\n';
  for (const [more, isRun, then] of [
    ["", true, "Each command runs with your own rights, since --auto-approve says yes to it"],
    ['unavailable = "refuse"\n', false, "No command runs"],
  ] as const) {
    await using place = openPlace(calls("Bash", { command: "touch made" }), says("done"));
    place.config(
      `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n${settings}${more}`,
    );
    await using harness = await place.open({ wishes: { autoApprove: true } });
    const events = await turn(harness, "go");
    expect(existsSync(join(place.repo, "made"))).toBe(isRun);
    const told = events.flatMap((event) => (event.kind === "Error" ? [event.payload.message] : []));
    expect(told.filter((message) => message.startsWith("There is no sandbox for commands"))).toEqual([
      expect.stringContaining(then),
    ]);
  }
});
