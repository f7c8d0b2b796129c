import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import type { OpenHarness } from "../src/app/harness.ts";
import { openHarness } from "../src/app/harness.ts";
import type { OpenControlPlane } from "../src/app/serving/control-plane.ts";
import { openControlPlane, SESSIONS_END_MS_MAX } from "../src/app/serving/control-plane.ts";
import type { Envelope, EnvelopeOf } from "../src/protocol/events/envelope.ts";
import { RuntimeInfo } from "../src/protocol/resources.ts";
import { refusalOf, StreamReader } from "./support/control-rig.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import { openPlace } from "./support/place.ts";

const { signal } = new AbortController();

test("[CTL-06 CTL-10 PERM-03 CTL-14] a whole session over the Unix socket with nothing but fetch", async () => {
  await using place = openPlace(
    calls("Write", { file_path: "made.txt", content: "made\n" }),
    says("It is made."),
    says("Again."),
  );
  const options = place.options({ wishes: { attended: true, level: "ReadOnly" } });
  const plane = await openControlPlane(options, openHarness, signal);
  const [unix = ""] = plane.addresses;
  expect(statSync(unix).mode & 0o777).toBe(0o600);
  const ask = clientOf(plane);

  const handshake = (await (await ask("/v1/handshake?version=0.2.0")).json()) as {
    readonly features: string[];
  };
  expect(handshake.features).toEqual(expect.arrayContaining(["rest", "sse"]));
  const created = await ask("/v1/sessions", { profile: "default" });
  const { sessionId } = (await created.json()) as { readonly sessionId: string };
  expect(created.status).toBe(201);
  const path = `/v1/sessions/${sessionId}`;

  const reader = new StreamReader(await ask(`${path}/events?since=0`));
  expect((await ask(`${path}/input`, { content: [{ type: "text", text: "make it" }] })).status).toBe(202);
  await reader.until((text) => text.includes('"kind":"PermissionRequested"'));
  const isAsked = (event: Envelope): event is EnvelopeOf<"PermissionRequested"> =>
    event.kind === "PermissionRequested";
  const { callId } = reader.events().find(isAsked)?.payload ?? {};
  expect((await ask(`${path}/permission`, { callId, decision: "allow" })).status).toBe(200);
  await reader.until((text) => text.includes('"kind":"TurnEnded"'));
  await reader.leave();
  expect(await Bun.file(`${place.repo}/made.txt`).text()).toBe("made\n");

  // A reader that has lost its connection in the middle goes on behind what it had.
  const all = reader.events();
  const seen = all[Math.floor(all.length / 2)]?.id ?? 0;
  const again = new StreamReader(await ask(`${path}/events`, undefined, { "last-event-id": `${seen}` }));
  await again.until((text) => text.includes('"kind":"TurnEnded"'));
  expect(again.events()).toEqual(all.filter(({ id }) => id > seen));

  const waited = await ask(`${path}/input?wait=turn`, { content: [{ type: "text", text: "and?" }] });
  expect(await waited.json()).toMatchObject({ text: "Again.", reason: "complete", turns: 1, tools_used: [] });
  expect(await (await ask("/v1/sessions")).json()).toMatchObject({ sessions: [{}, {}] });
  expect(await (await ask(path)).json()).toMatchObject({ live: true, turns: 2, working_dir: place.repo });
  const { tools } = (await (await ask("/v1/tools")).json()) as {
    readonly tools: readonly { name: string }[];
  };
  expect(tools.map(({ name }) => name)).toContain("Bash");
  expect(await (await ask("/v1/profiles")).json()).toMatchObject({ profiles: [{ name: "default" }, {}, {}] });
  expect(await (await ask("/v1/profiles/default")).json()).toMatchObject({ source: "embedded" });
  expect(await refusalOf(await ask("/v1/profiles/..%2fconfig"))).toEqual([400, "InvalidPath"]);
  const providers = (await (await ask("/v1/providers")).json()) as { readonly providers: readonly object[] };
  expect(providers.providers).toContainEqual(expect.objectContaining({ name: "mock", configured: true }));

  const rest = again.until(() => false);
  await plane[Symbol.asyncDispose]();
  await rest;
  expect(again.events().at(-1)).toMatchObject({
    kind: "SessionEnded",
    payload: { reason: "binary-shutdown" },
  });
  expect(existsSync(unix)).toBe(false);
});

test("[SES-12] the caches of an engine stay within 32 MB whatever floods them, and /v1/runtime shows the state of each", async () => {
  const sessions = 60;
  await using place = openPlace(...Array.from({ length: sessions + 1 }, () => says("Yes.")));
  const plane = await openControlPlane(place.options({ wishes: { attended: true } }), openHarness, signal);
  const send = clientOf(plane);
  const ask = async (path: string, json?: unknown): Promise<unknown> => await (await send(path, json)).json();
  await ask("/v1/handshake?version=0.2.0");
  const caches = async () => {
    const { caches: counted } = RuntimeInfo.parse(await ask("/v1/runtime"));
    if (counted === undefined) throw new Error("the token is not one of every session");
    return counted;
  };
  const histories = async () => (await caches()).each.find(({ name }) => name === "histories");
  const tells = async (sessionId: string, text: string) =>
    await ask(`/v1/sessions/${sessionId}/input?wait=turn`, { content: [{ type: "text", text }] });

  const created: string[] = [];
  for (let at = 0; at < sessions; at++) {
    const { sessionId } = (await ask("/v1/sessions", { profile: "default" })) as {
      readonly sessionId: string;
    };
    created.push(sessionId);
    await tells(sessionId, `number ${at}: ${"a word ".repeat(35_000)}`); // half a megabyte in memory
  }
  const { bytes, bytes_max, each } = await caches();
  expect(bytes_max).toBe(32 * 1_048_576);
  expect(bytes).toBe(each.reduce((sum, cache) => sum + cache.bytes, 0));
  const kept = await histories();
  expect(kept?.bytes).toBeLessThanOrEqual(bytes_max / 2);
  expect(kept?.bytes).toBeGreaterThan(bytes_max / 4);
  expect((kept?.entries ?? 0) + (kept?.evictions ?? 0)).toBe(sessions + 1); // and the engine's own first session
  expect(each.map(({ name }) => name)).toEqual([
    "completed models",
    "histories",
    "models",
    "session costs",
    "titles",
    "tool answers",
  ]);

  const [first = ""] = created;
  expect(await tells(first, "what was my number?")).toMatchObject({ text: "Yes.", reason: "complete" });
  expect(JSON.stringify(place.mock.requests.at(-1)?.body)).toContain("number 0: a word");
  expect((await histories())?.misses).toBe((kept?.misses ?? 0) + 1);
  await plane[Symbol.asyncDispose]();
}, 300_000);

test("[CTL-10 LIFE-01] an unavailable address ends the start, and nothing of the engine stays", async () => {
  await using place = openPlace(says("fine"));
  const targets = [{ kind: "unix", path: `${place.root}/nowhere/control.sock` }] as const;
  await expect(openControlPlane({ ...place.options(), targets }, openHarness, signal)).rejects.toThrow();
  await using harness = await place.open();
  expect(harness.session).toStartWith("sess_");
});

test("[LIFE-02 AUTH-10] if a session does not end well, the transports are still closed and no token counts any more", async () => {
  await using place = openPlace(says("fine"));
  const begin: typeof openHarness = async (options, until) => {
    const harness = await openHarness(options, until);
    return {
      ...harness,
      async [Symbol.asyncDispose]() {
        await harness[Symbol.asyncDispose]();
        throw new Error("the log could not be closed");
      },
    };
  };
  const plane = await openControlPlane(place.options({ wishes: { attended: true } }), begin, signal);
  const [unix = ""] = plane.addresses;
  const token = plane.authority.mint({ identityClass: "human" }, "engine");
  const ended = Promise.resolve(plane[Symbol.asyncDispose]());
  await expect(ended).rejects.toThrow("the log could not be closed");
  expect(existsSync(unix)).toBe(false);
  await expect(plane.authority.verify(token, "unix")).rejects.toMatchObject({ reason: "EngineStopping" });
});

test("[LIFE-02] a session that does not end keeps the wires from nothing: after its time they are closed", async () => {
  await using place = openPlace(says("fine"));
  const options = place.options();
  const { clock } = options.world;
  const timer: typeof clock.timer = (ms, callback) =>
    clock.timer(ms === SESSIONS_END_MS_MAX ? 1 : ms, callback);
  const never = new Promise<void>(() => undefined);
  const harnesses: OpenHarness[] = [];
  const plane = await openControlPlane(
    { ...options, world: { ...options.world, clock: { ...clock, timer } } },
    async (given, until) => {
      const harness = await openHarness(given, until);
      harnesses.push(harness);
      return { ...harness, [Symbol.asyncDispose]: () => never };
    },
    signal,
  );
  const [unix = ""] = plane.addresses;
  expect(existsSync(unix)).toBe(true);
  await plane[Symbol.asyncDispose]();
  expect(existsSync(unix)).toBe(false);
  for (const harness of harnesses) await harness[Symbol.asyncDispose]();
}, 60_000);

/** Asks as one client, with nothing but fetch. */
function clientOf({ addresses: [unix = ""], authority }: OpenControlPlane) {
  const token = authority.mint({ identityClass: "human" }, "engine");
  let client = "";
  return async (path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`http://localhost${path}`, {
      unix,
      headers: {
        "x-harness-token": token,
        ...(client === "" ? {} : { "x-harness-client": client }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
    });
    client = answer.headers.get("x-harness-client") ?? client;
    return answer;
  };
}
