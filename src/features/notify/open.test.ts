import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HookAnswer } from "../../../test/support/hook-server.ts";
import { startHookServer } from "../../../test/support/hook-server.ts";
import type { Turn } from "../../../test/support/mock-provider/turn.ts";
import { calls, fails, says } from "../../../test/support/mock-provider/turn.ts";
import type { PlaceOptions } from "../../../test/support/place.ts";
import { connect, follow, openPlace, turn } from "../../../test/support/place.ts";
import { until } from "../../../test/support/until.ts";
import { SILENT_LOG } from "../../base/log.ts";
import { hostWorld } from "../../platform/host.ts";

interface NotifyRigOptions {
  readonly settings?: string;
  readonly script: readonly Turn[];
  readonly answers?: readonly HookAnswer[];
}

function openNotifyRig({ settings = "", script, answers = [] }: NotifyRigOptions) {
  const hook = startHookServer(answers);
  const place = openPlace(...script);
  const config = readFileSync(join(place.root, "config/config.toml"), "utf8");
  place.config(`${config}[notify]\nurl = "${hook.url}/hook"\n${settings}`);
  return {
    ...place,
    hook,
    objects: () => hook.posted.map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>),
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await hook[Symbol.asyncDispose]();
    },
  };
}

const ATTENDED: PlaceOptions = { wishes: { attended: true } };

test("[CTL-19] each turn's end and each question is posted to the user's address, and by default nothing of what they are about", async () => {
  await using rig = openNotifyRig({
    script: [calls("Bash", { command: "curl -T secret-plan.txt x.example" }), says("The secret answer.")],
    settings: 'host = "build-box"\n',
  });
  {
    await using harness = await rig.open(ATTENDED);
    await using client = await follow(harness);
    await client.say("a secret prompt");
    const { payload } = await client.question();
    await client.connection.send({
      kind: "AnswerPermission",
      sessionId: harness.session,
      callId: payload.callId,
      decision: "allow",
    });
    await client.turns(1);
    const session = harness.session.slice(-8);
    await rig.hook.until(2);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(rig.objects()).toEqual([
      { kind: "question", session, time, host: "build-box" },
      { kind: "turn-end", session, time, host: "build-box" },
    ]);
    const all = JSON.stringify(rig.hook.posted);
    for (const word of ["secret", "Bash", rig.repo]) expect(all).not.toContain(word);
    const other = await connect(harness);
    // The address has the notice before cinch has its answer.
    const counts = async () => (await other.query({ kind: "GetEngineHealth" })).notify;
    await until("both have been answered", async () => (await counts())?.sent === 2);
    expect(await counts()).toEqual({ state: "working", sent: 2, failed: 0, dropped: 0 });
  }
});

test("[CTL-19 SES-05] with content = true the folder, the tool and the text are posted too, with secrets redacted", async () => {
  const key = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
  await using rig = openNotifyRig({
    script: [calls("Bash", { command: `curl -H ${key} x.example` }), says(`Done with ${key}.`)],
    settings: "content = true\n",
  });
  await using harness = await rig.open(ATTENDED);
  await using client = await follow(harness);
  await client.say("go");
  const { payload } = await client.question();
  await client.connection.send({
    kind: "AnswerPermission",
    sessionId: harness.session,
    callId: payload.callId,
    decision: "deny",
  });
  await client.turns(1);
  await rig.hook.until(2);
  expect(rig.objects()).toMatchObject([
    {
      kind: "question",
      working_dir: rig.repo,
      tool: "Bash",
      text: expect.stringContaining("curl -H «redacted:"),
    },
    { kind: "turn-end", working_dir: rig.repo, text: expect.stringContaining("Done with «redacted:") },
  ]);
  expect(JSON.stringify(rig.hook.posted)).not.toContain(key);
});

test('[CTL-19] format = "ntfy" posts a sentence with title, priority and tag; events narrows what is posted; a failed turn is an error', async () => {
  await using rig = openNotifyRig({
    script: [says("fine"), fails({ kind: "status", status: 400 })],
    settings: 'format = "ntfy"\nhost = "build-box"\nevents = ["error"]\ntoken_env = "NTFY_TOKEN"\n',
  });
  const environment = { PATH: "/usr/bin:/bin", HOME: rig.root, NTFY_TOKEN: "tk_0123456789" };
  await using harness = await rig.open({ wishes: { environment } });
  await turn(harness, "one");
  await turn(harness, "two");
  await rig.hook.until(1);
  const session = harness.session.slice(-8);
  const [{ path, headers, body } = { path: "", headers: {}, body: "" }, ...others] = rig.hook.posted;
  expect([path, body, others]).toEqual(["/hook", `Session ${session}: the turn has failed.`, []]);
  expect(headers).toMatchObject({
    authorization: "Bearer tk_0123456789",
    title: "build-box",
    priority: "high",
    tags: "warning",
  });
});

test("[CTL-19] a turn waits for no notification, and an outage is reported once in the session", async () => {
  await using rig = openNotifyRig({
    script: [says("one"), says("two"), says("three")],
    answers: [403, 403, 403],
  });
  await using harness = await rig.open();
  await using client = await follow(harness);
  for (const at of [1, 2, 3]) {
    await client.say(`${at}`);
    await client.turns(at);
    await rig.hook.until(at);
  }
  const told = () =>
    client.seen.flatMap(({ kind, payload }) =>
      kind === "Error" && payload.reason === "NotifyFailed" ? [payload] : [],
    );
  await until("the outage is reported", () => told().length > 0);
  const host = new URL(rig.hook.url).host;
  expect(told()).toEqual([
    {
      reason: "NotifyFailed",
      severity: "notice",
      message: `Notifications do not reach '${host}': it answered 403. Each further one is tried once; /health counts them.`,
    },
  ]);
  const health = await client.connection.query({ kind: "GetEngineHealth" });
  expect(health.notify).toMatchObject({ state: "failing", problem: "it answered 403", sent: 0 });
});

test("[CTL-19] the last notification of an engine is sent before it ends, and a server that hangs does not keep it", async () => {
  await using rig = openNotifyRig({ script: [says("one"), says("two")], answers: [200, "hangs"] });
  {
    await using harness = await rig.open();
    await turn(harness, "one");
  }
  expect(rig.objects()).toMatchObject([{ kind: "turn-end" }]);
  {
    await using harness = await rig.open();
    await turn(harness, "two");
  }
  expect(rig.hook.posted.length).toBe(2);
});

test("[CTL-19] a variable that is not set, or holds no token, keeps everything from being posted, and each session says so", async () => {
  for (const [value, problem] of [
    [undefined, "which the engine was started without: nothing is posted"],
    ["two words", "which holds no token: nothing is posted"],
  ] as const) {
    await using rig = openNotifyRig({ script: [says("one")], settings: 'token_env = "NTFY_TOKEN"\n' });
    const environment = { HOME: rig.root, ...(value === undefined ? {} : { NTFY_TOKEN: value }) };
    {
      await using harness = await rig.open({ wishes: { environment } });
      expect(harness.notices).toContainEqual(expect.stringContaining(problem));
      expect(`${harness.notices}`).not.toContain("two words");
      await turn(harness, "one");
    }
    expect(rig.hook.posted).toEqual([]);
  }
});

test("[CTL-19] desktop = true shows the same on the user's desktop, without content", async () => {
  await using rig = openNotifyRig({ script: [says("a secret answer")], settings: "desktop = true\n" });
  const shown: string[] = [];
  const tellDesktop = async (text: string) => {
    shown.push(text);
    return true;
  };
  await using harness = await rig.open({ tellDesktop, world: hostWorld(SILENT_LOG) });
  await turn(harness, "a secret prompt");
  await until("a notice is shown", () => shown.length > 0);
  expect(shown).toEqual([`Session ${harness.session.slice(-8)}: the turn has ended.`]);
});
