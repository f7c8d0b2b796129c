import * as z from "zod";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import { isReaderName, READER_WHY } from "../../protocol/commands/run-limits.ts";
import { ReaderSchema } from "../../protocol/commands/session-commands.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { EnvelopeSchema } from "../../protocol/events/envelope.ts";
import { NewsItem } from "../../protocol/events/news.ts";
import { SessionIdSchema } from "../../protocol/ids.ts";
import { isOlderVersion } from "../../session/access/handshake.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import { tokenExpiringEvent, tokenExpiringPayload } from "../auth/token-expiring.ts";
import type { HttpRoute, RouteRequest } from "../http/route.ts";
import { eventStream, SSE_HEARTBEAT_MS, sseFrame } from "../http/sse.ts";
import { assertHappened } from "../hub/follow-request.ts";
import { NEWS_SESSIONS_MAX } from "../hub/news/news-reader.ts";
import { sessionInfo } from "../hub/queries/session-info.ts";
import { grantOfCall, readWord, SinceSchema, sessionOf, sinceOf, singleParameter } from "./parameters.ts";

export interface EventRoutesDependencies {
  readonly engine: EnginePort;
  readonly world: Pick<World, "clock">;
}

/** Routes of a session's events as they happen, and from the log before that (CTL-06, CTL-14). */
export function eventRoutes(parts: EventRoutesDependencies): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions/{id}/events",
      access: "token",
      doc: {
        summary:
          "Every event after the one that was seen last, in order, then those that happen. Each frame has the event's id, " +
          "its kind as `event`, and its envelope as data; a client that speaks 0.2 or older gets no `event`. A comment at " +
          "the start, and every 15 s where nothing happens. Ends after SessionEnded.",
        params: { id: SessionIdSchema },
        query: {
          since: {
            about:
              "The id of the last event that was seen; 0: from the beginning. Absent: what happens from now on. The header " +
              "Last-Event-ID goes before it.",
            schema: SinceSchema,
          },
          args: {
            about:
              "`true`: also ToolArgsDelta events, the arguments of calls while the model writes them. Since protocol 0.3.0.",
            schema: z.enum(["true", "false"]),
          },
        },
        answers: {
          200: { about: "The events", schema: EnvelopeSchema, type: "text/event-stream" },
        },
        refusals: [
          "InvalidSessionID",
          "InvalidHeader",
          "InvalidPath",
          "HandshakeRequired",
          "Forbidden",
          "UnknownSession",
        ],
      },
      handle: (call) => followed(call, parts),
    },
    {
      method: "GET",
      path: "/v1/news",
      access: "token",
      doc: {
        summary:
          "One stream about all sessions that the token names: a SessionChanged of each, NewsReady, then what changes, at " +
          "most four times in a second for one session. Each frame has the kind of its item as `event`. A slow reader " +
          "misses states, never the last one. Frames have no id: a new request begins with all sessions again. A comment " +
          "at the start, and every 15 s where nothing happens. Since protocol 0.3.0.",
        query: {
          past: {
            about: `\`true\`: stored sessions too. The newest ${NEWS_SESSIONS_MAX} in all.`,
            schema: z.enum(["true", "false"]),
          },
          reader: {
            about:
              "The name of a reader: `info.unread` counts the turns that ended after its mark, as in the list.",
            schema: ReaderSchema,
          },
        },
        answers: { 200: { about: "The news", schema: NewsItem, type: "text/event-stream" } },
        refusals: ["InvalidPath", "HandshakeRequired"],
      },
      handle: (call) => newsOf(call, parts),
    },
  ];
}

async function newsOf(call: RouteRequest, { world }: EventRoutesDependencies): Promise<Response> {
  const past = readWord(call, "past", ["true", "false"]) === "true";
  const reader = singleParameter(call.query, "reader");
  if (reader !== undefined && !isReaderName(reader))
    throw new HarnessError("InvalidPath", { why: `reader: ${READER_WHY}` });
  const connection = await call.connection();
  return call.stream((signal) =>
    eventStream(connection.newsInBatches({ past, signal, ...defined({ reader }) }), {
      clock: world.clock,
      signal,
      hello: ": ok\n\n",
      heartbeat: ": heartbeat\n\n",
      heartbeatMs: SSE_HEARTBEAT_MS,
      frame: (items) => items.map(newsFrame).join(""),
      onOpen(say) {
        const telling = call.onExpiring((expiresAt) => {
          const payload = tokenExpiringPayload({ grant: grantOfCall(call), expiresAt });
          say(sseFrame(payload, { event: "expiring" }));
        });
        signal.addEventListener("abort", () => telling[Symbol.dispose](), { once: true });
      },
    }),
  );
}

async function followed(call: RouteRequest, { engine, world }: EventRoutesDependencies): Promise<Response> {
  const [session, since] = [sessionOf(call), sinceOf(call)];
  const args = readWord(call, "args", ["true", "false"]) === "true";
  const connection = await call.connection();
  const info = await sessionInfo(engine, session, { ...grantOfCall(call), signal: call.signal });
  assertHappened(since, info, "since");
  let last = since ?? info.events;
  const isNamed = namesKinds(await call.clientVersion());
  return call.stream((signal) =>
    eventStream(connection.subscribe(session, { signal, args, ...defined({ since }) }), {
      clock: world.clock,
      signal,
      hello: ": ok\n\n",
      heartbeat: ": heartbeat\n\n",
      heartbeatMs: SSE_HEARTBEAT_MS,
      frame(event) {
        last = event.id;
        return framed(event, isNamed);
      },
      onOpen(say) {
        const telling = call.onExpiring((expiresAt) => {
          const { clock } = world;
          // Its frame has no id, which readers resume after.
          const event = tokenExpiringEvent({ grant: grantOfCall(call), expiresAt }, { session, last, clock });
          say(sseFrame(event, isNamed ? { event: event.kind } : {}));
        });
        signal.addEventListener("abort", () => telling[Symbol.dispose](), { once: true });
      },
    }),
  );
}

/** First protocol version whose frames name their kind ([A] § Canonical event envelope). */
const KINDS_NAMED_SINCE = { major: 0, minor: 3 };

/**
 * Clients of an older version would miss frames with a name: EventSource hands those to listeners for that name alone.
 */
function namesKinds(version: string | undefined): boolean {
  return version === undefined || !isOlderVersion(version, KINDS_NAMED_SINCE);
}

/** Each item is rendered once for all readers: they get the same objects. */
const NEWS_FRAMES = new WeakMap<NewsItem, string>();

function newsFrame(item: NewsItem): string {
  const known = NEWS_FRAMES.get(item);
  if (known !== undefined) return known;
  const frame = sseFrame(item, { event: item.kind });
  NEWS_FRAMES.set(item, frame);
  return frame;
}

/** Each event is rendered once for all subscribers of a session: they get the same objects. */
const [NAMED_FRAMES, BARE_FRAMES] = [new WeakMap<Envelope, string>(), new WeakMap<Envelope, string>()];

function framed(event: Envelope, isNamed: boolean): string {
  const frames = isNamed ? NAMED_FRAMES : BARE_FRAMES;
  const known = frames.get(event);
  if (known !== undefined) return known;
  const frame = sseFrame(event, { id: event.id, ...(isNamed ? { event: event.kind } : {}) });
  frames.set(event, frame);
  return frame;
}
