import { expect, test } from "bun:test";
import { openControlRig, refusalOf } from "../../../test/support/control-rig.ts";
import { says } from "../../../test/support/scripted-provider.ts";
import { JSON_VALUES_MAX } from "../../base/json.ts";
import { BODY_BYTES_MAX, BODY_MS_MAX } from "./body.ts";

/** The status line and the reason of an answer that was read as bytes. */
function outcome(got: string): readonly [number, string] {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(got)?.[1] ?? 0);
  return [status, /"reason":"(\w+)"/.exec(got)?.[1] ?? ""];
}

/** Returns true once one whole answer has arrived. */
function isWhole(got: string): boolean {
  const [head = "", body] = got.split("\r\n\r\n");
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return body !== undefined && body.length >= length;
}

test("[AUTH-06 S45] only the exact Host counts: a name that a page pointed here, another port, none, or two are refused", async () => {
  await using control = await openControlRig({ script: [] });
  const { port, token } = control;
  const get = (hosts: readonly string[]) =>
    control.raw(
      `GET /v1/sessions HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join("")}X-Harness-Token: ${token}\r\n\r\n`,
      isWhole,
    );
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`])
    expect(outcome(await get([host]))).toEqual([200, ""]);
  const refused = [
    ["evil.example"],
    [`evil.example:${port}`],
    ["localhost"],
    ["127.0.0.1"],
    [`localhost:${port + 1}`],
    [`LOCALHOST:${port}`],
    [`localhost.:${port}`],
    [`user@localhost:${port}`],
    [`127.1:${port}`],
    [`[::1]:${port}`],
    ["[::"],
    [""],
    [`localhost:${port}`, "evil.example"],
    ["evil.example", `localhost:${port}`],
    [`localhost:${port}`, `localhost:${port}`],
  ];
  for (const hosts of refused) {
    const [status, reason] = outcome(await get(hosts));
    // The runtime refuses some of them itself, without a word.
    expect({ hosts, status, isNamed: status === 400 || reason === "InvalidHost" }).toEqual({
      hosts,
      status: status === 400 ? 400 : 403,
      isNamed: true,
    });
  }
  const none = await control.raw(`GET /v1/health HTTP/1.1\r\n\r\n`, isWhole);
  expect([400, 403]).toContain(outcome(none)[0]);
  const absolute = await control.raw(
    `GET http://localhost:${port}/v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
    isWhole,
  );
  expect([400, 403]).toContain(outcome(absolute)[0]);
  const unix = await control.askUnix("/v1/health", { headers: { host: "evil.example" } });
  expect(await refusalOf(unix)).toEqual([403, "InvalidHost"]);
});

test("[AUTH-06 S46] a page gets nothing, whatever it asks for, unless its origin was allowed", async () => {
  await using control = await openControlRig({ script: [], origins: ["http://localhost:3000"] });
  for (const origin of ["https://evil.example", "null", "http://localhost:3001", "http://LOCALHOST:3000"]) {
    const answer = await control.ask("/v1/sessions", { headers: { origin } });
    expect(await refusalOf(answer)).toEqual([403, "InvalidOrigin"]);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    const preflight = await control.ask("/v1/sessions", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
    expect(await refusalOf(preflight)).toEqual([403, "InvalidOrigin"]);
  }
  const origin = "http://localhost:3000";
  const allowed = await control.ask("/v1/sessions", { headers: { origin } });
  expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
  const preflight = await control.ask("/v1/sessions", {
    method: "OPTIONS",
    headers: { origin },
    token: null,
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-headers")).toContain("x-harness-token");
  expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
  // A refusal can be read by that page too; without an origin there is no preflight.
  const refused = await control.ask("/v1/sessions", { headers: { origin }, token: null });
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
  expect(await refusalOf(await control.ask("/v1/sessions", { method: "OPTIONS" }))).toEqual([
    405,
    "MethodNotAllowed",
  ]);
});

test("[AUTH-06] a preflight lists each method and header that an address takes, lets a page of an allowed origin alone reach this machine, and never speaks of cookies", async () => {
  const origin = "tauri://localhost";
  await using control = await openControlRig({ script: [], origins: [origin] });
  const preflight = async (headers: Record<string, string>) =>
    (await control.ask("/v1/sessions", { method: "OPTIONS", headers, token: null })).headers;
  const asked = { origin, "access-control-request-method": "POST" };
  const plain = await preflight(asked);
  expect(plain.get("access-control-allow-private-network")).toBeNull();
  const document = (await (await control.ask("/v1/openapi.json")).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const methods = new Set(Object.values(document.paths).flatMap((each) => Object.keys(each)));
  expect(plain.get("access-control-allow-methods")?.split(", ").sort()).toEqual(
    [...methods].map((each) => each.toUpperCase()).sort(),
  );
  const headers = plain.get("access-control-allow-headers")?.split(", ") ?? [];
  for (const sent of [
    "x-harness-token",
    "x-harness-client",
    "x-harness-version",
    "last-event-id",
    "content-type",
  ])
    expect(headers).toContain(sent);
  expect(headers).not.toContain("*");
  const near = { ...asked, "access-control-request-private-network": "true" };
  expect((await preflight(near)).get("access-control-allow-private-network")).toBe("true");
  const evil = await preflight({ ...near, origin: "tauri://evil" });
  const allowing = (given: Headers) => [...given.keys()].filter((name) => name.startsWith("access-control-"));
  expect(allowing(evil)).toEqual([]);
  // Every answer depends on the origin, and none lets cookies through.
  for (const from of [{}, { origin }, { origin: "https://evil.example" }]) {
    const answer = await control.ask("/v1/sessions", { headers: from });
    expect([answer.headers.get("vary"), answer.headers.get("access-control-allow-credentials")]).toEqual([
      "origin",
      null,
    ]);
  }
});

test("[AUTH-06 S46] what a page of elsewhere has a browser fetch without an Origin is refused; what a person opens is not", async () => {
  await using control = await openControlRig({ script: [], origins: ["https://mine.example"] });
  const asked = async (headers: Record<string, string>, path = "/v1/sessions") =>
    await refusalOf(await control.ask(path, { headers }));
  for (const site of ["cross-site", "same-site", "", "elsewhere"])
    for (const path of ["/v1/sessions", "/v1/health", "/v1/nothing"])
      expect(await asked({ "sec-fetch-site": site }, path)).toEqual([403, "InvalidOrigin"]);
  for (const site of ["same-origin", "none"]) expect((await asked({ "sec-fetch-site": site }))[0]).toBe(200);
  const allowed = { origin: "https://mine.example", "sec-fetch-site": "cross-site" };
  expect((await asked(allowed))[0]).toBe(200);
});

test("[AUTH-02 S43 S47] every route but two is refused without a token, on the Unix socket too, and with a bad one", async () => {
  await using control = await openControlRig({ script: [] });
  const document = (await (await control.ask("/v1/openapi.json")).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const { id } = control.rig.session;
  const open: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of Object.keys(methods).map((each) => each.toUpperCase())) {
      const at = path.replace("{id}", id).replace(/\{\w+\}/, "x");
      const body = method === "POST" ? { json: {} } : {};
      const [none, bad] = [
        await control.askUnix(at, { method, token: null, ...body }),
        await control.ask(at, { method, token: `${control.token.slice(0, -2)}xx`, ...body }),
      ];
      expect(await refusalOf(bad)).toEqual([401, "TokenInvalid"]);
      if (none.status === 401) expect(await refusalOf(none)).toEqual([401, "TokenMissing"]);
      else open.push(`${method} ${path}`);
    }
  }
  expect(open).toEqual([
    "GET /v1/handshake",
    "GET /v1/health",
    // On the Unix socket alone: a person reads the code.
    "POST /v1/auth/token",
    "GET /v1/auth/token",
    "POST /v1/auth/token/{mintId}",
  ]);
});

test("[AUTH-06] a token in the address is refused, even beside one in its place; so is one that comes twice", async () => {
  await using control = await openControlRig({ script: [] });
  for (const name of ["token", "access_token", "X-Harness-Token", "%74oken"]) {
    const answer = await control.ask(`/v1/sessions?${name}=${control.token}`);
    const body = await answer.text();
    expect([answer.status, body]).toEqual([400, expect.stringContaining('"InvalidPath"')]);
    expect(body).not.toContain(control.token);
  }
  const head = `GET /v1/sessions HTTP/1.1\r\nHost: localhost:${control.port}\r\n`;
  const twice = `${head}X-Harness-Token: ${control.token}\r\nX-Harness-Token: ${control.token}\r\n\r\n`;
  expect(outcome(await control.raw(twice, isWhole))).toEqual([401, "TokenInvalid"]);
});

test("[CTL-06 AUTH-06 S46] a body is JSON and says so, or it is refused", async () => {
  await using control = await openControlRig({ script: [] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}/input`;
  const send = (type: string, body: string | Uint8Array<ArrayBuffer>) =>
    control.ask(path, { body, headers: { "content-type": type } });
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain; application/json",
    "application/json; charset=utf-16",
    "",
  ]) {
    expect(await refusalOf(await send(type, '{"content":[]}'))).toEqual([415, "UnsupportedMediaType"]);
  }
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost:${control.port}\r\nX-Harness-Token: ${control.token}\r\n`;
  const outcomes = [
    "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "Content-Length: 2\r\n\r\n{}",
  ].map(async (rest) => outcome(await control.raw(`${head}${rest}`, isWhole)));
  expect(await Promise.all(outcomes)).toEqual([
    [415, "UnsupportedMediaType"],
    [415, "UnsupportedMediaType"],
  ]);
  expect(outcome(await control.raw(`${head}\r\n`, isWhole))).toEqual([400, "InvalidBody"]); // nothing was sent
  const garbage = [
    "",
    "{",
    "null",
    "[]",
    '"x"',
    "{}",
    '{"content":7}',
    '{"content":[]}',
    '{"content":[{"type":"text"}]}',
    '{"content":[{"type":"video"}]}',
    '{"content":[{"type":"text","text":"x"}],"delivery":"now"}',
    '{"__proto__":{"content":[]}}',
    "[".repeat(100_000),
    `{"content":${"[".repeat(80)}${"]".repeat(80)}}`,
    new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
  ];
  for (const body of garbage)
    expect(await refusalOf(await send("application/json", body))).toEqual([400, "InvalidBody"]);
  expect(control.rig.events.map(({ kind }) => kind)).not.toContain("TurnStarted");
  for (const type of ["application/json; charset=utf-8", "APPLICATION/JSON"])
    expect(await refusalOf(await send(type, "{}"))).toEqual([400, "InvalidBody"]);
});

test("[REL-06 S65] a body of more values than any command has is refused for that, and an unknown kind comes back cut", async () => {
  await using control = await openControlRig({ script: [] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}`;
  const headers = { "content-type": "application/json" };
  const many = await control.ask(`${path}/input`, {
    body: `{"content":[${'{"type":"text","text":"a"},'.repeat(JSON_VALUES_MAX)}0]}`,
    headers,
  });
  expect([many.status, await many.json()]).toMatchObject([
    400,
    { reason: "InvalidBody", details: { why: expect.stringContaining("too many values") } },
  ]);
  const long = await control.ask(`${path}/command`, {
    body: JSON.stringify({ kind: "\0".repeat(1_000_000) }),
    headers,
  });
  expect([long.status, (await long.text()).length < 2_000]).toEqual([409, true]);
});

test("[CTL-06] a body over the limit is refused, with or without a declared length, and the engine continues", async () => {
  await using control = await openControlRig({ script: [says("hello")] });
  await control.shake();
  const path = `/v1/sessions/${control.rig.session.id}/input`;
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost:${control.port}\r\nX-Harness-Token: ${control.token}\r\nContent-Type: application/json\r\n`;
  const told = await control.raw(`${head}Content-Length: ${BODY_BYTES_MAX + 1}\r\n\r\n{`, isWhole);
  expect(outcome(told)).toEqual([413, "BodyTooLarge"]);
  const far = await control.raw(`${head}Content-Length: 99999999999\r\n\r\n{`, isWhole);
  expect(outcome(far)[0]).toBe(413);
  const chunk = `100000\r\n${" ".repeat(0x100000)}\r\n`;
  const chunks = Array.from({ length: BODY_BYTES_MAX / 0x100000 + 1 }, () => chunk);
  const untold = await control.raw([`${head}Transfer-Encoding: chunked\r\n\r\n`, ...chunks], isWhole);
  expect(outcome(untold)).toEqual([413, "BodyTooLarge"]);
  expect(
    (await control.ask(`${path}?wait=turn`, { json: { content: [{ type: "text", text: "x" }] } })).status,
  ).toBe(200);
});

test("[CTL-06] a body that drips in is given up after a while, and holds nobody up", async () => {
  await using control = await openControlRig({ script: [] });
  await control.shake();
  const { clock } = control.rig.world;
  const path = `/v1/sessions/${control.rig.session.id}/input`;
  const before = clock.waiting;
  const slow = control.raw(
    `POST ${path} HTTP/1.1\r\nHost: localhost:${control.port}\r\nX-Harness-Token: ${control.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"con`,
    isWhole,
  );
  while (clock.waiting === before) await new Promise((resolve) => setImmediate(resolve));
  expect((await control.ask("/v1/sessions")).status).toBe(200);
  await clock.advance(BODY_MS_MAX);
  expect(outcome(await slow)).toEqual([408, "BodyTooSlow"]);
});

test("[BUS-05 CTL-06] ids are checked where they come in, however they are spelt, and come back in no header", async () => {
  await using control = await openControlRig({ script: [] });
  const ids = [
    "x",
    "sess_",
    "sess_01",
    "log_01HZZZZZZZZZZZZZZZZZZZZZZZ",
    `${control.rig.session.id.toLowerCase()}`,
    `${control.rig.session.id}%20`,
    "%00",
    "%0d%0aX-Injected:%20yes",
    "..%2f..%2fetc%2fpasswd",
    "..%5c..",
    "%E0%A4%A",
    "%",
    "%2e%2e",
    "%252e%252e",
    "sess_%F0%9F%92%A9",
    "a".repeat(2_000),
  ];
  for (const id of ids) {
    const answer = await control.ask(`/v1/sessions/${id}`);
    const [status, reason] = await refusalOf(answer);
    expect({ id, isRefused: [400, 404].includes(status), reason }).toEqual({
      id,
      isRefused: true,
      reason: expect.stringMatching(/^(InvalidSessionID|InvalidPath|UnknownRoute)$/) as string,
    });
    expect([...answer.headers.keys()]).not.toContain("x-injected");
  }
  const { id } = control.rig.session;
  const spelt = id.replace("_", "%5F");
  // Percent signs that mean the same are the same.
  expect((await control.ask(`/v1/sessions/${spelt}`)).status).toBe(200);
});

test("[CTL-06] paths lead nowhere else: traversal, doubled and missing slashes, other cases", async () => {
  await using control = await openControlRig({ script: [] });
  const head = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: localhost:${control.port}\r\nX-Harness-Token: ${control.token}\r\nConnection: close\r\n\r\n`;
  for (const path of [
    "/",
    "//v1/sessions",
    "/v1//sessions",
    "/v1/sessions/",
    "/V1/sessions",
    "/v1/sessions/../../etc/passwd",
    "/v1/%2e%2e/etc/passwd",
    "/v1/sessions%2f",
    "/v1/sessions;x=y",
    "/v1/sessions/a/b/c/d",
  ]) {
    const got = await control.raw(head(path), isWhole);
    expect({ path, outcome: outcome(got) }).toEqual({ path, outcome: [404, "UnknownRoute"] });
  }
});

test("[CTL-06] a method that an address does not take is refused with the allowed ones; HEAD has no body", async () => {
  await using control = await openControlRig({ script: [] });
  const answer = await control.ask("/v1/sessions", { method: "PUT" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST"]);
  expect(await answer.json()).toMatchObject({
    reason: "MethodNotAllowed",
    message: "/v1/sessions takes GET, POST, not PUT.",
  });
  for (const method of ["PATCH", "TRACE", "PROPFIND"])
    expect([400, 405]).toContain((await control.ask("/v1/sessions", { method })).status);
  const got = await control.raw(
    `HEAD /v1/health HTTP/1.1\r\nHost: localhost:${control.port}\r\nConnection: close\r\n\r\n`,
    (text) => text.includes("\r\n\r\n"),
  );
  expect([outcome(got)[0], got.split("\r\n\r\n")[1]]).toEqual([405, ""]);
});

test("[CTL-06] bytes that are no HTTP, too many headers and headers with line breaks reach nobody, and the engine continues", async () => {
  await using control = await openControlRig({ script: [] });
  const head = `GET /v1/health HTTP/1.1\r\nHost: localhost:${control.port}\r\n`;
  for (const bytes of [
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "GET\r\n\r\n",
    "\x00\x00\x00\x00\r\n\r\n",
    `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`,
    `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}X: ${"y".repeat(20_000)}\r\n\r\n`,
    `${head}X-Harness-Client: cli\rX-Injected: yes\r\n\r\n`,
  ]) {
    const got = await control.raw(bytes, isWhole);
    expect(got).not.toContain("x-injected");
    expect([0, 200, 400, 431]).toContain(outcome(got)[0]);
  }
  expect((await control.ask("/v1/health")).status).toBe(200);
});

test("[CTL-06] who does not wait for an answer before the next request is answered in order or hung up on, and nobody else is", async () => {
  await using control = await openControlRig({ script: [] });
  const one = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: localhost:${control.port}\r\nX-Harness-Token: ${control.token}\r\n\r\n`;
  const statuses = (got: string) => [...got.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = ""]) => status);
  const ahead = one("/v1/health") + one("/v1/nowhere") + one("/v1/runtime");
  const got = await control.raw(ahead, (soFar) => statuses(soFar).length === 3);
  // The runtime closes a connection whose next request comes while an answer is awaited.
  expect([[], ["200", "404", "200"]]).toContainEqual(statuses(got));
  expect(outcome(await control.raw(one("/v1/health"), isWhole))).toEqual([200, ""]);
});

test("[CTL-06] a thousand requests of one token are one client, and nothing of them stays", async () => {
  await using control = await openControlRig({ script: [] });
  const ids = new Set<string | null>();
  for (let sent = 0; sent < 1_000; sent += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => control.ask("/v1/handshake")));
    for (const answer of answers) {
      ids.add(answer.headers.get("x-harness-client"));
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
  }
  expect(ids.size).toBe(1);
  expect(control.rig.world.clock.waiting).toBeLessThan(5);
});

test("[CTL-07 AUTH-06] an upgrade without a token is refused like any other request", async () => {
  await using control = await openControlRig({ script: [] });
  const got = await control.raw(
    `GET /v1/sessions HTTP/1.1\r\nHost: localhost:${control.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    isWhole,
  );
  expect(outcome(got)).toEqual([401, "TokenMissing"]);
});

test("[LIFE-02] once it is being closed every request is refused, and one that is under way is answered", async () => {
  const control = await openControlRig({ script: [] });
  control.server.quiesce();
  expect(await refusalOf(await control.ask("/v1/sessions"))).toEqual([503, "EngineStopping"]);
  await control[Symbol.asyncDispose]();
  await expect(control.ask("/v1/health")).rejects.toThrow();
});
