import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { runCinch } from "../support/cinch.ts";
import { openMockHome } from "../support/mock-home.ts";
import { says } from "../support/mock-provider/turn.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 600_000;
const REQUESTS = 2_000;
/** Answers that never end, and the end of what is fuzzed. */
const LEFT_OUT = /\/events$|^\/v1\/news$|^\/(events|prompt|cancel)$|^DELETE /;

interface Operation {
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly $ref?: string }[];
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: { readonly properties?: object } }>>;
  };
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly fields: readonly string[];
}

function routesOf(document: {
  readonly paths: Readonly<Record<string, Record<string, Operation>>>;
}): Route[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([name, { parameters = [], requestBody }]) => {
      const method = name.toUpperCase();
      if (LEFT_OUT.test(path) || LEFT_OUT.test(`${method} ${path}`)) return [];
      const query = parameters.flatMap((each) => (each.in === "query" && each.name ? [each.name] : []));
      const schema = requestBody?.content?.["application/json"]?.schema;
      return [{ method, path, query, fields: Object.keys(schema?.properties ?? {}) }];
    }),
  );
}

/** Values that a request may hold where another is expected. */
function valuesIn(session: string): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom<unknown>(
      session,
      "",
      "0",
      "-1",
      "1",
      "true",
      null,
      true,
      -1,
      0,
      1,
      1.5,
      2 ** 53,
      "x".repeat(3_000),
    ),
    fc.constantFrom<unknown>(
      "sess_00000000000000000000000000",
      "call_00000000000000000000000000",
      "../../etc/passwd",
    ),
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.jsonValue({ maxDepth: 3 }),
  );
}

test(
  `[CTL-06 CTL-19] ${REQUESTS} requests with anything in them are answered without an error of the server`,
  async () => {
    await using place = openMockHome(Array.from({ length: 200 }, () => says("said")));
    await using _engine = place.start(["serve"]);
    const { home, work } = place;
    const socket = join(home.path, "data/cinch/control.sock");
    await until("the engine serves", () => existsSync(join(home.path, "state/cinch/owner.token")));
    const token = (await runCinch(["token", "--identity-class", "human"], { home, cwd: work })).stdout.trim();
    const ask = async (path: string, init: RequestInit = {}) =>
      await fetch(`http://localhost${path}`, {
        ...init,
        unix: socket,
        headers: { "X-Harness-Token": token, "content-type": "application/json" },
        signal: AbortSignal.timeout(30_000),
      } as RequestInit);
    const post = async (path: string, body: unknown) =>
      await ask(path, { method: "POST", body: JSON.stringify(body) });
    await ask("/v1/handshake?protocol_version=0.3.0");
    const made = (await (await post("/v1/sessions", { workingDir: work })).json()) as { sessionId?: string };
    const session = made.sessionId ?? "";
    expect(session).toStartWith("sess_");
    const routes = routesOf((await (await ask("/v1/openapi.json")).json()) as never);
    expect(routes.length).toBeGreaterThan(40);
    const values = valuesIn(session);
    const request = fc.constantFrom(...routes).chain((route) =>
      fc.record({
        route: fc.constant(route),
        named: fc.oneof({ weight: 3, arbitrary: fc.constant(session) }, { weight: 1, arbitrary: values }),
        query: fc.dictionary(fc.constantFrom("x", ...route.query), values, { maxKeys: 3 }),
        body: fc.oneof(
          {
            weight: 4,
            arbitrary: fc.dictionary(fc.constantFrom("x", ...route.fields), values, { maxKeys: 5 }),
          },
          { weight: 1, arbitrary: values },
        ),
      }),
    );
    const failures: unknown[] = [];
    const seed = Number(process.env["CINCH_FUZZ_SEED"] ?? 1);
    for (const { route, named, query, body } of fc.sample(request, { numRuns: REQUESTS, seed })) {
      const { method } = route;
      const filled = route.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(textOf(named)) || "x");
      const asked = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, textOf(value)]));
      const path = `${filled}?${asked}`;
      const answer = await ask(path, method === "GET" ? {} : { method, body: JSON.stringify(body ?? null) });
      const text = await answer.text();
      if (answer.status >= 500)
        failures.push({ method, path, body, status: answer.status, text: text.slice(0, 300) });
    }
    expect(failures).toEqual([]);
    expect((await ask("/v1/health")).status).toBe(200);
  },
  TIMEOUT_MS,
);

function textOf(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed();
}
