import type { World } from "../../base/world.ts";
import type { Envelope } from "../../protocol/envelope.ts";
import { EnvelopeSchema } from "../../protocol/envelope.ts";
import { SessionIdSchema } from "../../protocol/ids.ts";
import type { EnginePort } from "../engine-port.ts";
import { expiringEvent } from "../expiring.ts";
import { assertHappened } from "../follow-request.ts";
import { eventStream, HEARTBEAT_MS, sseFrame } from "../http/sse.ts";
import type { HttpCall, Route } from "../route.ts";
import { grantOf, SinceSchema, sessionOf, sinceOf } from "./parameters.ts";

export interface EventRoutesParts {
  readonly engine: EnginePort;
  readonly world: Pick<World, "clock">;
}

/** The events of a session as they happen, and from the log before that (CTL-06, CTL-14). */
export function eventRoutes(parts: EventRoutesParts): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions/{id}/events",
      access: "token",
      doc: {
        summary:
          "Every event after the one that was seen last, in order, then those that happen. Each frame has the event's id " +
          "and its envelope as data; a comment at the start, and every 15 s where nothing happens. Ends after SessionEnded.",
        params: { id: SessionIdSchema },
        query: {
          since: {
            about:
              "The id of the last event that was seen; 0: from the beginning. Absent: what happens from now on. The header " +
              "Last-Event-ID goes before it.",
            schema: SinceSchema,
          },
        },
        answers: {
          200: { about: "The events", schema: EnvelopeSchema, type: "text/event-stream" },
        },
        refusals: ["InvalidSessionID", "InvalidHeader", "HandshakeRequired", "Forbidden", "UnknownSession"],
      },
      handle: (call) => followed(call, parts),
    },
  ];
}

async function followed(call: HttpCall, { engine, world }: EventRoutesParts): Promise<Response> {
  const [session, since] = [sessionOf(call), sinceOf(call)];
  const connection = await call.connection();
  const { events } = await engine.catalogue.session(session, grantOf(call).scope);
  assertHappened(since, events, "since");
  let last = since ?? events;
  return call.stream((signal) =>
    eventStream(connection.subscribe(session, since === undefined ? { signal } : { since, signal }), {
      clock: world.clock,
      signal,
      hello: ": ok\n\n",
      heartbeat: ": heartbeat\n\n",
      heartbeatMs: HEARTBEAT_MS,
      frame(event) {
        last = event.id;
        return framed(event);
      },
      onOpen(say) {
        const telling = call.onExpiring((expiresAt) => {
          const { clock } = world;
          // Its frame has no id, which readers go on after.
          say(sseFrame(expiringEvent({ grant: grantOf(call), expiresAt }, { session, last, clock })));
        });
        signal.addEventListener("abort", () => telling[Symbol.dispose](), { once: true });
      },
    }),
  );
}

/** Of each event one text is made, however many follow: subscribers of a session are given the same objects. */
const FRAMES = new WeakMap<Envelope, string>();

function framed(event: Envelope): string {
  const known = FRAMES.get(event);
  if (known !== undefined) return known;
  const frame = sseFrame(event, { id: event.id });
  FRAMES.set(event, frame);
  return frame;
}
