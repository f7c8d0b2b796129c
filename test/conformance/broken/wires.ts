import { isObject, parseJson } from "../../../src/base/json.ts";
import { MCP } from "../../../src/conformance/scenario.ts";
import { PROTOCOL_VERSION } from "../../../src/protocol/version.ts";
import type { Authority, TokenGrant } from "../../../src/session/access/authority.ts";
import type { EnginePort } from "../../../src/session/engine-port.ts";
import type { Fault } from "../server.ts";
import type { Broken } from "./faults.ts";
import {
  answerFault,
  authorityFault,
  connectionFault,
  isStream,
  jsonRefusal,
  lenientAbout,
  newsFault,
  pathOf,
  reasonOf,
  requestFault,
  streamFault,
  withBody,
  withHeaders,
} from "./faults.ts";

/** Servers with faults in authentication. */
export const BROKEN_AUTHORITIES: readonly Broken[] = [
  { scenario: "token-forged", how: "a signature is not looked at", fault: unsigned },
  { scenario: "token-expired", how: "an expired token counts", fault: () => lenientAbout("TokenExpired") },
  { scenario: "token-revoked", how: "a revoked token counts", fault: () => lenientAbout("TokenRevoked") },
  {
    scenario: "revoked-stream",
    how: "a stream outlives its token",
    fault: () =>
      authorityFault(() => ({
        watch: () => ({
          ended: new AbortController().signal,
          onExpiring: () => ({ [Symbol.dispose]: () => undefined }),
          [Symbol.dispose]: () => undefined,
        }),
      })),
  },
  {
    scenario: "token-session",
    how: "the sessions of a token do not count",
    fault: () =>
      connectionFault({
        attach: (request) =>
          request.scope === undefined || request.scope.sessions.length === 0
            ? request
            : { ...request, scope: { ...request.scope, sessions: "all" } },
      }),
  },
  {
    scenario: "token-command",
    how: "the commands of a token do not count",
    fault: () =>
      connectionFault({
        attach: (request) =>
          request.scope === undefined
            ? request
            : { ...request, scope: { ...request.scope, commands: "all" } },
      }),
  },
  {
    scenario: "token-empty-list",
    how: "an empty list of sessions is all of them",
    fault: () =>
      connectionFault({
        attach: (request) =>
          request.scope?.sessions.length === 0
            ? { ...request, scope: { ...request.scope, sessions: "all" } }
            : request,
      }),
  },
  {
    scenario: "mint-narrow",
    how: "who may mint may mint anything",
    fault: () => authorityFault((authority) => ({ mint: (claims) => authority.mint(claims, "engine") })),
  },
];

/** Servers with faults in REST and its streams. */
export const BROKEN_HTTP: readonly Broken[] = [
  {
    scenario: "handshake-public",
    how: "the health tells of sessions",
    fault: () =>
      answerFault(
        (_answer, request) => pathOf(request) === "/v1/health",
        (answer) => withBody(answer, (body: object) => ({ ...body, sessions: 3 })),
      ),
  },
  { scenario: "token-required", how: "the tools are told to anybody", fault: () => lentToken("/v1/tools") },
  {
    scenario: "token-invalid",
    how: "every token that does not count is an expired one",
    fault: () =>
      answerFault(
        ({ status }, { headers }) => status === 401 && (headers.get("x-harness-token") ?? "").length < 20,
        () => jsonRefusal(401, "TokenExpired"),
      ),
  },
  {
    scenario: "token-in-address",
    how: "a token is read from the address",
    fault: () =>
      requestFault((request) => {
        const url = new URL(request.url);
        const token = url.searchParams.get("token") ?? url.searchParams.get("access_token");
        if (token === null) return request;
        return new Request(url.origin + url.pathname, {
          headers: { host: url.host, "x-harness-token": token },
        });
      }),
  },
  {
    scenario: "host-rebinding",
    how: "Host is not looked at",
    fault: () =>
      requestFault((request) =>
        withHeaders(request, (headers) => headers.set("host", new URL(request.url).host)),
      ),
  },
  {
    scenario: "origin-foreign",
    how: "Origin is not looked at",
    fault: () => requestFault((request) => withHeaders(request, (headers) => headers.delete("origin"))),
  },
  {
    scenario: "provider-key-network",
    how: "every client counts as one of the Unix socket",
    fault: () => connectionFault({ over: () => "unix" }),
  },
  {
    scenario: "content-type",
    how: "any body is taken for JSON",
    fault: () =>
      requestFault((request) =>
        request.method === "POST"
          ? withHeaders(request, (headers) => headers.set("content-type", "application/json"))
          : request,
      ),
  },
  {
    scenario: "attachment",
    how: "another file is kept than the one that was sent",
    fault: () =>
      requestFault((request, text) =>
        request.url.includes("/attachments") && text.includes("PNG")
          ? new Request(request, { body: "words" })
          : request,
      ),
  },
  {
    scenario: "body-garbage",
    how: "a body that is no JSON is an internal error",
    fault: () =>
      answerFault(
        ({ status }, request) =>
          status === 400 && pathOf(request) === "/v1/sessions" && request.method === "POST",
        () => jsonRefusal(500, "InternalError"),
      ),
  },
  {
    scenario: "body-large",
    how: "a body of any size is swallowed",
    fault: () =>
      answerFault(
        ({ status }) => status === 413,
        () => new Response("{}", { status: 200 }),
      ),
  },
  {
    scenario: "unknown-route",
    how: "every address is there",
    fault: () =>
      answerFault(
        ({ status }, request) => status === 404 && pathOf(request) === "/v1/nothing-here",
        () => new Response("{}", { status: 200 }),
      ),
  },
  {
    scenario: "header-injection",
    how: "a part of the address becomes a header",
    fault: () =>
      answerFault(
        (_answer, { url }) => /%0d%0a/i.test(url),
        (answer) => {
          answer.headers.set("x-injected", "1");
          return answer;
        },
      ),
  },
  {
    scenario: "not-cached",
    how: "answers may be kept",
    fault: () =>
      answerFault(
        () => true,
        (answer) => {
          answer.headers.delete("cache-control");
          return answer;
        },
      ),
  },
  {
    scenario: "sessions-listed",
    how: "only the oldest session is listed",
    fault: () =>
      answerFault(
        ({ ok }, request) => ok && pathOf(request) === "/v1/sessions" && request.method === "GET",
        (answer) =>
          withBody(answer, ({ sessions }: { readonly sessions: readonly object[] }) => ({
            sessions: sessions.slice(-1),
          })),
      ),
  },
  {
    scenario: "session-detail",
    how: "the last event of a session is left out",
    fault: () =>
      answerFault(
        ({ ok }, request) =>
          ok && /^\/v1\/sessions\/sess_\w+$/.test(pathOf(request)) && request.method === "GET",
        (answer) =>
          withBody(answer, (body: { readonly last_events: readonly object[] }) => ({
            ...body,
            last_events: body.last_events.slice(0, -1),
          })),
      ),
  },
  {
    scenario: "search",
    how: "only the newest hit is found",
    fault: () =>
      answerFault(
        ({ ok }, request) => ok && pathOf(request) === "/v1/search",
        (answer) =>
          withBody(answer, (body: { readonly hits: readonly object[] }) => ({
            ...body,
            hits: body.hits.slice(0, 1),
          })),
      ),
  },
  {
    scenario: "news-stream",
    how: "the news end with the first list",
    fault: () => newsFault((_item, isReady) => !isReady),
  },
  {
    scenario: "news-scope",
    how: "the news of a token are those of everybody",
    fault: () =>
      connectionFault({
        async *news(_items, options, port) {
          const everybody = port.attach({ identityClass: "human", label: "everybody" });
          await everybody.handshake(PROTOCOL_VERSION);
          yield* everybody.news(options);
        },
      }),
  },
  {
    scenario: "history-pages",
    how: "the last event of an item is left out",
    fault: () =>
      answerFault(
        ({ ok }, request) => ok && /\/items\/\d+$/.test(pathOf(request)),
        (answer) =>
          withBody(answer, (body: { readonly events: readonly object[] }) => ({
            ...body,
            events: body.events.slice(0, -1),
          })),
      ),
  },
  {
    scenario: "spend",
    how: "the last turn is left out",
    fault: () =>
      answerFault(
        ({ ok }, request) => ok && pathOf(request).endsWith("/spend"),
        (answer) =>
          withBody(answer, (body: { readonly turns: readonly object[] }) => ({
            ...body,
            turns: body.turns.slice(0, -1),
          })),
      ),
  },
  {
    scenario: "changes",
    how: "a turn that there is not has no changes",
    fault: () =>
      answerFault(
        (_answer, request) => pathOf(request).endsWith("/changes") && request.url.includes("turn=99"),
        () => Response.json({ files: [], complete: true }),
      ),
  },
  {
    scenario: "workspace",
    how: "the workspace is another folder",
    fault: () =>
      answerFault(
        ({ ok }, request) => ok && pathOf(request).endsWith("/workspace"),
        (answer) => withBody(answer, (body: object) => ({ ...body, working_dir: "/elsewhere" })),
      ),
  },
  {
    scenario: "rules-and-hooks",
    how: "a rule that was revoked is still listed",
    fault: () =>
      answerFault(
        ({ ok }, request) => ok && /\/rules$/.test(pathOf(request)),
        (answer) =>
          withBody(answer, (body: { readonly rules: readonly object[] }) => ({
            ...body,
            rules: [...body.rules, { rule: "Bash", revocable: true }],
          })),
      ),
  },
  {
    scenario: "catalogues",
    how: "the skills are not there",
    fault: () =>
      answerFault(
        (_answer, request) => pathOf(request) === "/v1/skills",
        () => jsonRefusal(404, "UnknownRoute"),
      ),
  },
  {
    scenario: "queries-in-scope",
    how: "a session is looked up for anybody",
    fault: () => ({
      engine: (port) => ({
        ...port,
        query: (query, asking) => {
          const { scope: _scope, ...anybody } = asking;
          return port.query(query, anybody);
        },
      }),
    }),
  },
  {
    scenario: "completion",
    how: "a completion has no sessions",
    fault: () =>
      answerFault(
        ({ ok }, request) => ok && pathOf(request).endsWith("/complete"),
        (answer) =>
          withBody(answer, (body: { readonly items: readonly { readonly kind: string }[] }) => ({
            ...body,
            items: body.items.filter(({ kind }) => kind !== "session"),
          })),
      ),
  },
  {
    scenario: "completion",
    how: "a completion replaces everything that was typed",
    fault: () =>
      answerFault(
        ({ ok }, request) => ok && pathOf(request).endsWith("/complete"),
        (answer) => withBody(answer, (body: object) => ({ ...body, from: 0 })),
      ),
  },
  {
    scenario: "input-status",
    how: "a prompt is answered as if it were done",
    fault: () =>
      answerFault(
        ({ status }, request) => status === 202 && pathOf(request).endsWith("/input"),
        (answer) => new Response(answer.body, { status: 200, headers: answer.headers }),
      ),
  },
  {
    scenario: "plan-mode-route",
    how: "plan mode has no address",
    fault: () =>
      answerFault(
        (_answer, request) => pathOf(request).endsWith("/plan-mode"),
        () => jsonRefusal(404, "UnknownRoute"),
      ),
  },
  {
    scenario: "plan-mode-route",
    how: "who enters plan mode is not told that it holds",
    fault: () =>
      answerFault(
        ({ status }, request) => status === 200 && pathOf(request).endsWith("/plan-mode"),
        (answer) => withBody(answer, (body: object) => ({ ...body, result: undefined })),
      ),
  },
  {
    scenario: "wait-turn",
    how: "who waits for a turn is not told the answer",
    fault: () =>
      answerFault(
        ({ ok }, { url }) => ok && url.includes("wait=turn"),
        (answer) => withBody(answer, (body: object) => ({ ...body, text: "" })),
      ),
  },
  { scenario: "wait-left", how: "who stops waiting stops the turn", fault: cancelledByLeaving },
  {
    scenario: "sse-format",
    how: "a frame has another id than its event",
    fault: () => streamFault((text) => text.replace(/^id: \d+\n(?=event: TurnTiming\n)/m, "id: 1\n")),
  },
  {
    scenario: "sse-kinds",
    how: "frames have no name",
    fault: () => streamFault((text) => text.replaceAll(/^event: [A-Z]\w+\n(?=data: )/gm, "")),
  },
  {
    scenario: "minimal-blocks",
    how: "the end of a text is lost",
    fault: () => streamFault((text) => text.replace('"content":"1 2 3 "', '"content":"1 2 "')),
  },
  {
    scenario: "version-each-request",
    how: "a version counts in the handshake alone",
    fault: () =>
      requestFault((request) =>
        pathOf(request).startsWith("/v1/sessions")
          ? withHeaders(request, (headers) => headers.delete("x-harness-version"))
          : request,
      ),
  },
  {
    scenario: "sse-injection",
    how: "line breaks of an answer are line breaks of the stream",
    fault: () => streamFault((text) => (text.includes("TextDelta") ? text.replaceAll("\\n", "\n") : text)),
  },
  {
    scenario: "last-event-id",
    how: "Last-Event-ID is not looked at",
    fault: () =>
      requestFault((request) => withHeaders(request, (headers) => headers.delete("last-event-id"))),
  },
  {
    scenario: "permission-route",
    how: "whatever is no yes is a no",
    fault: () =>
      requestFault((request, text) =>
        text.includes("perhaps") ? withText(request, text.replace("perhaps", "deny")) : request,
      ),
  },
  { scenario: "slow-reader", how: "what a slow reader does not take is dropped", fault: dropping },
  {
    scenario: "unknown-fields",
    how: "a field that is not known is refused",
    fault: () => refusing((text) => text.includes("x_conformance")),
  },
  {
    scenario: "content-spellings",
    how: "a block without a type is refused",
    fault: () => refusing((text) => text.includes('"content":[{"text"')),
  },
  {
    scenario: "command-spelling",
    how: "a command has to be flat",
    fault: () => refusing((text) => text.includes('"body":{')),
  },
  {
    scenario: "unknown-command",
    how: "a command of any kind is taken",
    fault: () =>
      requestFault((request, text) =>
        text.includes("ConformanceCommand") ? new Response("{}", { status: 200 }) : request,
      ),
  },
  {
    scenario: "invalid-command",
    how: "a prompt without a content is swallowed",
    fault: () =>
      answerFault(
        ({ status }, request) => status === 400 && pathOf(request).endsWith("/input"),
        () => new Response("{}", { status: 202 }),
      ),
  },
  {
    scenario: "forged-session",
    how: "an id that is none is an internal error",
    fault: () =>
      answerFault(
        ({ status }, request) => status === 400 && pathOf(request).endsWith("/cancel"),
        () => jsonRefusal(500, "InternalError"),
      ),
  },
];

/** Servers with faults in WebSockets. */
export const BROKEN_SOCKETS: readonly Broken[] = [
  { scenario: "ws-token", how: "a socket opens for anybody", fault: () => lentToken("/v1/ws") },
  {
    scenario: "ws-news",
    how: "the news never say that every session was told",
    fault: () => newsFault(({ kind }) => kind !== "NewsReady"),
  },
  {
    scenario: "ws-attach",
    how: "another file is kept than the one that was sent",
    fault: () => connectionFault({ file: (file) => ({ ...file, bytes: new TextEncoder().encode("words") }) }),
  },
  {
    scenario: "ws-garbage",
    how: "a frame that is none ends the socket",
    fault: () => ({
      wire: {
        incoming(data, close) {
          const isGarbage = typeof data !== "string" || parseJson(data) === undefined;
          if (isGarbage) close();
          return isGarbage ? undefined : data;
        },
      },
    }),
  },
  {
    scenario: "ws-queries",
    how: "a query is answered as a command is",
    fault: () => ({
      wire: { outgoing: (text) => text.replace('{"frame":"result"', '{"frame":"accepted"') },
    }),
  },
  {
    scenario: "queries-alike",
    how: "a frame leaves a field of one answer out",
    fault: () => ({ wire: { outgoing: (text) => text.replace(/"rounds":\d+,?/, "") } }),
  },
  {
    scenario: "queries-alike",
    how: "one query is refused in frames",
    fault: () => ({
      wire: {
        incoming: (data) =>
          typeof data === "string" ? data.replace('"kind":"GetContext"', '"kind":"Get"') : data,
      },
    }),
  },
  {
    scenario: "ws-events",
    how: "an event is another one when it is sent again",
    fault() {
      const told = new Set<string>();
      return {
        wire: {
          outgoing(text) {
            const [session] = /sess_\w+/.exec(text) ?? [];
            if (session === undefined || !text.includes('"kind":"TurnEnded"')) return text;
            if (told.has(session)) return text.replace('"reason":"complete"', '"reason":"cancelled"');
            told.add(session);
            return text;
          },
        },
      };
    },
  },
  {
    scenario: "ws-ids",
    how: "an answer does not say what it answers",
    fault: () => ({ wire: { outgoing: (text) => text.replace(/("frame":"pong",)"id":\d+,/, "$1") } }),
  },
  {
    scenario: "ws-spellings",
    how: "a frame has to name its kind in one way",
    fault: () => ({
      wire: {
        incoming(data) {
          const value = typeof data === "string" ? parseJson(data)?.value : undefined;
          if (!isObject(value) || "frame" in value || !("kind" in value)) return data;
          return JSON.stringify({ frame: "command", id: value["id"], body: { kind: "(unread)" } });
        },
      },
    }),
  },
  {
    scenario: "ws-greeting",
    how: "a person is told that they are an agent",
    fault: () => ({
      wire: { outgoing: (text) => text.replace('"identityClass":"human"', '"identityClass":"agent"') },
    }),
  },
];

/** Faults of MCP at `/mcp`: in what it answers, as text. */
export const BROKEN_MCP: readonly Broken[] = [
  {
    scenario: "handshake-shape",
    how: "a version that MCP tells is a text",
    wires: MCP,
    fault: mcpText('"canonical_form_version":1', '"canonical_form_version":"1"'),
  },
  { scenario: "mcp-tools", how: "a tool has another name", fault: mcpText("harness.set_model", "set_model") },
  {
    scenario: "mcp-banner",
    how: "nobody is told what the tool can do",
    fault: mcpText(/"instructions":"[^"]*"/, '"instructions":"A server."'),
  },
  { scenario: "mcp-feature", how: "the wire is not named", fault: mcpText(/mcpserver_http/g, "mcp") },
  {
    scenario: "mcp-run-turn",
    how: "the last message of a turn is not in its answer",
    fault: mcpText('"type":"text","text":"called"', '"type":"text","text":"done"'),
  },
  {
    scenario: "mcp-agent",
    how: "clients of MCP are people",
    fault: () => connectionFault({ attach: (request) => ({ ...request, identityClass: "human" }) }),
  },
  {
    scenario: "mcp-resources",
    how: "a session has no last events",
    fault: mcpText(/\\"last_events\\":/, '\\"events\\":'),
  },
  {
    scenario: "resources-alike",
    how: "a resource leaves a field out",
    fault: mcpText(/\\"working_dir\\":\\"[^"]*\\",?/, ""),
  },
  {
    scenario: "mcp-log",
    how: "the log has one event too few",
    fault: () => ({
      engine: (port) => ({
        ...port,
        async *log(id, since, scope) {
          for await (const event of port.log(id, since, scope))
            if (event.kind !== "CostIncremented") yield event;
        },
      }),
    }),
  },
  {
    scenario: "mcp-invalid-call",
    how: "a number is a prompt",
    fault: () =>
      requestFault((request, text) =>
        text.includes('"prompt":7') ? withText(request, text.replace('"prompt":7', '"prompt":"7"')) : request,
      ),
  },
];

/** Answers of `/mcp` with another text in place of one. */
function mcpText(from: string | RegExp, to: string): () => Fault {
  return () =>
    answerFault(
      ({ ok }, request) => ok && pathOf(request) === "/mcp",
      (answer) => {
        if (answer.body === null) return answer;
        const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
        const changed = new TransformStream<Uint8Array, Uint8Array>({
          transform: (chunk, controller) =>
            controller.enqueue(encoder.encode(decoder.decode(chunk, { stream: true }).replace(from, to))),
        });
        return new Response(answer.body.pipeThrough(changed), answer);
      },
    );
}

/** Takes a token by what it says of itself. */
function unsigned(): Fault {
  return authorityFault((authority: Authority) => {
    let last: TokenGrant | undefined;
    return {
      async verify(text, wire) {
        try {
          last = await authority.verify(text, wire);
          return last;
        } catch (thrown) {
          const [payload = ""] = (text ?? "").split(".");
          const says = parseJson(Buffer.from(payload, "base64url").toString())?.value;
          if (last === undefined || !isObject(says) || says["ver"] !== 1) throw thrown;
          if (reasonOf(thrown) !== "TokenInvalid") throw thrown;
          return last;
        }
      },
    };
  });
}

/** Answers at one address with the token that somebody else came with before. */
function lentToken(path: string): Fault {
  let token: string | undefined;
  return requestFault((request) => {
    const own = request.headers.get("x-harness-token");
    const carried = request.headers.get("sec-websocket-protocol");
    token ??= own ?? carried?.match(/cinch\.token\.([^,\s]+)/)?.[1];
    if (own !== null || carried !== null || pathOf(request) !== path || token === undefined) return request;
    const lent = token;
    return withHeaders(request, (headers) => headers.set("x-harness-token", lent));
  });
}

function refusing(isMeant: (text: string) => boolean): Fault {
  return requestFault((request, text) => (isMeant(text) ? jsonRefusal(400, "InvalidBody") : request));
}

function withText(request: Request, body: string): Request {
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  return new Request(request.url, { method: request.method, headers, body });
}

function cancelledByLeaving(): Fault {
  let port: EnginePort | undefined;
  return {
    engine(inner) {
      port = inner;
      return inner;
    },
    wire: {
      request(request) {
        const [, sessionId] = /sessions\/(sess_\w+)\/input\?wait=turn/.exec(request.url) ?? [];
        if (sessionId === undefined) return request;
        request.signal.addEventListener("abort", () => {
          const by = port?.attach({ identityClass: "human", label: "the server" });
          void by
            ?.handshake(PROTOCOL_VERSION)
            .then(() => by.send({ kind: "CancelTurn", sessionId } as never))
            .catch(() => undefined); // the turn is over already
        });
        return request;
      },
    },
  };
}

/** Reads a stream to its end at once, and keeps the newest frames for whoever reads them at last. */
function dropping(): Fault {
  const KEPT = 256;
  return answerFault(isStream, (answer) => {
    if (answer.body === null) return answer;
    const reader = answer.body.getReader();
    const kept: Uint8Array[] = [];
    let isOver = false;
    let wake: () => void = () => undefined;
    const reading = (async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        kept.push(next.value);
        if (kept.length > KEPT) kept.shift();
        wake();
      }
    })()
      .catch(() => undefined) // it was left
      .finally(() => {
        isOver = true;
        wake();
      });
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          while (kept.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
          const piece = kept.shift();
          if (piece === undefined) return controller.close();
          controller.enqueue(piece);
        },
        async cancel() {
          await reader.cancel();
          await reading;
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, answer);
  });
}
