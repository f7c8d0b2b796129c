import { expect, test } from "bun:test";
import type { HookAnswer } from "../../../test/support/hook-server.ts";
import { startHookServer } from "../../../test/support/hook-server.ts";
import { until } from "../../../test/support/until.ts";
import { testWorld } from "../../../test/support/world.ts";
import { SILENT_LOG } from "../../base/log.ts";
import type { FetchInit } from "../../base/world.ts";
import { hostWorld } from "../../platform/host.ts";
import type { NotifyRequest } from "./notification.ts";
import {
  NOTIFY_ATTEMPTS_MAX,
  NOTIFY_FLUSH_MS_MAX,
  NOTIFY_POST_MS_MAX,
  NOTIFY_RETRY_MS_MAX,
  NOTIFY_WAITING_MAX,
  UrlNotifier,
} from "./url-notifier.ts";

const request = (body: string): NotifyRequest => ({ headers: { "content-type": "application/json" }, body });

function openNotifierRig(script: readonly HookAnswer[] = [], path = "/hook?key=in-the-path") {
  const hook = startHookServer(script);
  const { fetch, resolve } = hostWorld(SILENT_LOG);
  let pauses = 0;
  const random = {
    bytes: (count: number) => new Uint8Array(count),
    number() {
      pauses += 1; // right before the pause is begun
      return 0.5;
    },
  };
  const world = testWorld({ fetch, resolve, random });
  const outages: string[] = [];
  const notifier = new UrlNotifier({ world, url: new URL(`${hook.url}${path}`), token: "tk_test" });
  return {
    hook,
    notifier,
    outages,
    clock: world.clock,
    send: (body: string) => notifier.send(request(body), (problem) => outages.push(problem)),
    /** Waits for a pause before another attempt, and ends it. */
    async pauseOver(number: number) {
      await until(`pause ${number} has begun`, () => pauses === number);
      await world.clock.advance(NOTIFY_RETRY_MS_MAX * number);
    },
    settled: (what: Partial<ReturnType<UrlNotifier["health"]>>) =>
      until(`the counts are ${JSON.stringify(what)}`, () =>
        Object.entries(what).every(([name, value]) => Reflect.get(notifier.health(), name) === value),
      ),
    [Symbol.asyncDispose]: () => hook[Symbol.asyncDispose](),
  };
}

test("[CTL-19] notifications are posted in order, with the token and without anything else of cinch", async () => {
  await using rig = openNotifierRig();
  for (const body of ["one", "two", "three"]) rig.send(body);
  await rig.settled({ sent: 3 });
  expect(rig.hook.posted.map(({ body }) => body)).toEqual(["one", "two", "three"]);
  const { "content-length": _, host: __, ...headers } = rig.hook.posted[0]?.headers ?? {};
  expect(headers).toMatchObject({
    authorization: "Bearer tk_test",
    "content-type": "application/json",
    "user-agent": "cinch",
  });
  expect(rig.notifier.health()).toEqual({ state: "working", sent: 3, failed: 0, dropped: 0 });
  await rig.notifier[Symbol.asyncDispose]();
});

test("[CTL-19] what the server fails at is tried again after a random wait, and not reported if it then succeeds", async () => {
  await using rig = openNotifierRig([500, 503, 200]);
  rig.send("one");
  await rig.pauseOver(1);
  await rig.pauseOver(2);
  await rig.settled({ sent: 1 });
  expect([rig.hook.posted.length, rig.outages, rig.notifier.health().state]).toEqual([3, [], "working"]);
});

test("[CTL-19] an outage is reported once, its notifications are tried once each, and it ends with the first that arrives", async () => {
  await using rig = openNotifierRig([500, 500, 500, 500, 404, 200, 200]);
  rig.send("one");
  for (let attempt = 1; attempt < NOTIFY_ATTEMPTS_MAX; attempt++) await rig.pauseOver(attempt);
  await rig.settled({ failed: 1 });
  rig.send("two");
  await rig.settled({ failed: 2 });
  rig.send("three");
  await rig.settled({ failed: 3 });
  expect([rig.hook.posted.length, rig.outages]).toEqual([5, ["it answered 500"]]);
  expect(rig.notifier.health()).toEqual({
    state: "failing",
    problem: "it answered 404",
    sent: 0,
    failed: 3,
    dropped: 0,
  });
  rig.send("four");
  await rig.settled({ sent: 1, state: "working" });
});

test("[CTL-19] a redirect is not followed and not tried again", async () => {
  await using other = startHookServer();
  const moved = new Response(null, { status: 307, headers: { location: `${other.url}/elsewhere` } });
  await using rig = openNotifierRig([moved]);
  rig.send("one");
  await rig.settled({ failed: 1 });
  expect([rig.hook.posted.length, other.posted.length, rig.outages]).toEqual([
    1,
    0,
    ["it redirects (307), which is not followed; name the final address"],
  ]);
});

test("[CTL-19] a server that never answers holds up nobody: each attempt has its time, and what waits is bounded", async () => {
  await using rig = openNotifierRig(Array.from({ length: 8 }, () => "hangs" as const));
  rig.send("first");
  await rig.hook.until(1);
  for (let at = 0; at < 10_000; at++) rig.send(`more ${at}`);
  expect(rig.notifier.health().dropped).toBe(10_000 - NOTIFY_WAITING_MAX);
  await rig.clock.advance(NOTIFY_POST_MS_MAX);
  await rig.pauseOver(1);
  await rig.hook.until(2);
  await rig.clock.advance(NOTIFY_POST_MS_MAX);
  await rig.pauseOver(2);
  await rig.hook.until(3);
  await rig.clock.advance(NOTIFY_POST_MS_MAX);
  await rig.settled({ failed: 1 });
  expect(rig.outages).toEqual([`no answer within ${NOTIFY_POST_MS_MAX / 1_000} s`]);
  // The oldest have given way to the newest.
  await rig.hook.until(4);
  expect(rig.hook.posted[3]?.body).toBe(`more ${10_000 - NOTIFY_WAITING_MAX}`);
});

test("[CTL-19] the end of an engine waits for a pending notification, but only for a while", async () => {
  await using rig = openNotifierRig(["hangs"]);
  rig.send("one");
  rig.send("two");
  await rig.hook.until(1);
  let isOver = false;
  const ending = rig.notifier[Symbol.asyncDispose]().then(() => {
    isOver = true;
  });
  await rig.clock.advance(NOTIFY_FLUSH_MS_MAX - 1);
  expect(isOver).toBe(false);
  await rig.clock.advance(1);
  await ending;
  expect(rig.notifier.health()).toMatchObject({ sent: 0, failed: 1, dropped: 1 });
  rig.send("late");
  expect(rig.hook.posted.length).toBe(1);
});

test("[CTL-19] at the end of an engine what waits is still sent, without waits for another attempt", async () => {
  await using rig = openNotifierRig([500, 200, 200]);
  for (const body of ["one", "two", "three"]) rig.send(body);
  await rig.notifier[Symbol.asyncDispose]();
  expect(rig.notifier.health()).toMatchObject({ sent: 2, failed: 1, dropped: 0 });
});

test("[CTL-19 TOOL-04 S55] nothing is posted to a host of which one address is private, and the checked address is the one that is connected to", async () => {
  const sent: (FetchInit & { readonly url: string })[] = [];
  const addressesOf: Readonly<Record<string, readonly string[]>> = {
    "public.example": ["93.184.215.14", "93.184.215.15"],
    "inner.example": ["93.184.215.14", "169.254.169.254"],
    "10.0.0.7": ["10.0.0.7"],
    localhost: ["10.0.0.8"],
    "[::1]": ["::1"],
    "nowhere.example": [],
  };
  const attempt = async (url: string) => {
    const world = testWorld({
      resolve: async (host) => addressesOf[host] ?? addressesOf[`[${host}]`] ?? [],
      fetch: async (to, init) => {
        sent.push({ ...init, url: to });
        return new Response("", { status: 200 });
      },
    });
    const problems: string[] = [];
    const notifier = new UrlNotifier({ world, url: new URL(url) });
    notifier.send(request("x"), (problem) => problems.push(problem));
    await notifier[Symbol.asyncDispose]();
    return [problems[0], sent.splice(0).map(({ address }) => address)];
  };
  expect(await attempt("https://public.example/x")).toEqual([undefined, ["93.184.215.14"]]);
  expect(await attempt("http://[::1]:8080/")).toEqual([undefined, ["::1"]]);
  const inner = "it is 169.254.169.254, no address of the public internet";
  expect(await attempt("https://inner.example/x")).toEqual([inner, []]);
  expect(await attempt("https://10.0.0.7/")).toEqual([
    "it is 10.0.0.7, no address of the public internet",
    [],
  ]);
  expect(await attempt("http://localhost:8080/")).toEqual(["its name does not lead to this machine", []]);
  expect(await attempt("https://nowhere.example/")).toEqual(["it has no address", []]);
});

test("[CTL-19] a failure shows the host and nothing of the path, which may be a secret", async () => {
  const rig = openNotifierRig();
  await rig.hook[Symbol.asyncDispose]();
  rig.send("one");
  await rig.notifier[Symbol.asyncDispose]();
  expect(rig.outages).toEqual([expect.any(String)]);
  expect(rig.outages.join("")).not.toContain("in-the-path");
});
