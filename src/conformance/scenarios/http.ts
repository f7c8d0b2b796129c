import { stringAt } from "../../base/json.ts";
import { assertHolds, assertRefused, assertSame } from "../check.ts";
import type { Scenario } from "../scenario.ts";
import { answerOf } from "../transports/rest-transport.ts";

/** Checks that [A] § Listening and binding requires of every request: Host and Origin, body, address. */
export const HTTP_SCENARIOS: readonly Scenario[] = [
  {
    id: "host-rebinding",
    section: "[A] § Listening and binding",
    promise: "A request with a foreign Host is refused with InvalidHost, also with a valid token.",
    wires: ["rest"],
    async play(stage) {
      for (const host of ["evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example"]) {
        const answer = await answerOf(await stage.ask("/v1/sessions", { headers: { host } }));
        assertRefused(`the Host ${host}`, answer, ["InvalidHost"], 403);
      }
    },
  },
  {
    id: "origin-foreign",
    section: "[A] § Listening and binding",
    promise:
      "Requests, preflights and WebSockets of a page of another origin are refused with InvalidOrigin.",
    wires: ["rest"],
    async play(stage) {
      const headers = { origin: "https://evil.example" };
      for (const path of ["/v1/sessions", "/v1/health", "/v1/ws"]) {
        const answer = await answerOf(await stage.ask(path, { headers }));
        assertRefused(`${path} for a page of https://evil.example`, answer, ["InvalidOrigin"], 403);
      }
      const preflight = await stage.askBare("/v1/sessions", { method: "OPTIONS", headers });
      assertSame("what its preflight is allowed", preflight.headers.get("access-control-allow-origin"), null);
    },
  },
  {
    id: "provider-key-network",
    section: "docs/keys.md § From a client; CTL-19",
    promise: "A key of a provider that comes over TCP is refused before anything of it is looked at.",
    wires: ["rest"],
    since: "0.3.0",
    kinds: ["StoreProviderKey"],
    async play(stage) {
      await stage.attach();
      const json = { key: "no-key-at-all" };
      const answer = await answerOf(await stage.ask("/v1/providers/no-such-provider/key", { json }));
      // Its owner's socket takes keys: there the provider is what is wrong.
      if (stage.http.isUnix === true)
        assertRefused("a key of an unknown provider", answer, ["UnknownProvider"], 404);
      else assertRefused("a key over TCP", answer, ["NotOnThisMachine"], 403);
    },
  },
  {
    id: "content-type",
    section: "[A] § Listening and binding",
    promise: "A body with a content type other than application/json is refused with 415.",
    wires: ["rest"],
    async play(stage) {
      const body = JSON.stringify({ profile: "conformance" });
      for (const type of ["text/plain", "application/x-www-form-urlencoded", ""]) {
        const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
        const bytes = new TextEncoder().encode(body); // fetch would add a content type to a string
        const answer = await answerOf(await stage.ask("/v1/sessions", { headers, body: bytes }));
        const made = answer.kind === "accepted" ? stringAt(answer.body, "sessionId") : undefined;
        if (made !== undefined) stage.ends(made);
        assertRefused(
          `a body of type ${type === "" ? "(none)" : type}`,
          answer,
          ["UnsupportedMediaType"],
          415,
        );
      }
    },
  },
  {
    id: "body-garbage",
    section: "docs/rest.md § Where, and with what",
    promise:
      "A body that is not JSON, not an object or not UTF-8 is refused with 400, and the server keeps serving.",
    wires: ["rest"],
    async play(stage) {
      const headers = { "content-type": "application/json" };
      const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
      const bodies = ["{", "", "null", "[1]", deep, new Uint8Array([123, 34, 255, 254, 34, 125])];
      for (const body of bodies) {
        const answer = await answerOf(await stage.ask("/v1/sessions", { method: "POST", headers, body }));
        assertRefused(`a body of ${describe(body)}`, answer, ["InvalidBody"], 400);
      }
    },
  },
  {
    id: "body-large",
    section: "docs/rest.md § Where, and with what",
    promise: "A body of 40 MiB is refused with 413, and the server keeps serving.",
    wires: ["rest"],
    async play(stage) {
      const headers = { "content-type": "application/json" };
      const body = new Uint8Array(LARGE_BYTES).fill(0x20);
      const answer = await stage.ask("/v1/sessions", { method: "POST", headers, body });
      await answer.body?.cancel();
      assertSame("its status", answer.status, 413);
      assertSame("the status of the health after it", (await stage.askBare("/v1/health")).status, 200);
    },
  },
  {
    id: "unknown-route",
    section: "[A] § REST surface",
    promise:
      "An unknown address answers 404 and an unsupported method 405, each with a reason and a message.",
    wires: ["rest"],
    async play(stage) {
      assertRefused(
        "GET /v1/nothing-here",
        await answerOf(await stage.ask("/v1/nothing-here")),
        ["UnknownRoute"],
        404,
      );
      const answer = await stage.ask("/v1/sessions", { method: "DELETE" });
      assertRefused("DELETE /v1/sessions", await answerOf(answer), ["MethodNotAllowed"], 405);
    },
  },
  {
    id: "header-injection",
    section: "docs/rest.md § Where, and with what",
    promise: "Line breaks in an address or in an id never become headers of an answer.",
    wires: ["rest"],
    async play(stage) {
      for (const path of [
        "/v1/sessions/sess_%0d%0ax-injected:%201",
        "/v1/sessions?past=%0d%0ax-injected:%201",
      ]) {
        const answer = await stage.ask(path);
        assertSame(`the header x-injected of the answer to ${path}`, answer.headers.get("x-injected"), null);
        assertRefused(path, await answerOf(answer), [], 400);
      }
    },
  },
  {
    id: "not-cached",
    section: "docs/rest.md § Where, and with what",
    promise: "No answer may be cached: cache-control is no-store.",
    wires: ["rest"],
    async play(stage) {
      const session = await stage.session(await stage.attach());
      for (const path of ["/v1/sessions", `/v1/sessions/${session}`]) {
        const answer = await stage.ask(path);
        assertHolds(
          `cache-control of ${path}`,
          /\bno-store\b/.test(answer.headers.get("cache-control") ?? ""),
          {
            expected: "no-store",
            got: answer.headers.get("cache-control"),
          },
        );
      }
    },
  },
];

const LARGE_BYTES = 40 * 1_048_576;

function describe(body: string | Uint8Array): string {
  if (typeof body !== "string") return "bytes that are no UTF-8";
  return body.length > 20 ? "deeply nested lists" : JSON.stringify(body);
}
