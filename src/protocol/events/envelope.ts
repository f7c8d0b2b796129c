import * as z from "zod";
import type { CallId, ClientId, EventSeq, SessionId } from "../../base/ids.ts";
import { CallIdSchema, ClientIdSchema, EventSeqSchema, SessionIdSchema } from "../ids.ts";
import type { Event, EventKind } from "./events.ts";
import { PAYLOADS } from "./events.ts";

/** Fields around every payload, the same JSON on every transport ([A] § Canonical event envelope, BUS-02). */
const frame = {
  id: EventSeqSchema,
  /** The session. */
  session: SessionIdSchema,
  /** The client whose command caused it. Absent: the engine itself. */
  originator: ClientIdSchema.optional(),
  /** The call of the parent session that this event of a sub-agent belongs to. */
  parentCall: CallIdSchema.optional(),
  /** Time at which it was made, in UTC. */
  ts: z.iso.datetime(),
  /**
   * True for an event outside the log, sent once and only to its recipients: it has the id of the event before it.
   */
  aside: z.literal(true).optional(),
};

function envelopeOf(kind: EventKind) {
  return z.object({ ...frame, kind: z.literal(kind), payload: PAYLOADS[kind] });
}

const kinds = Object.keys(PAYLOADS) as EventKind[];
const [first, ...rest] = kinds.map(envelopeOf);
if (first === undefined) throw new Error("there are no event kinds");

/** One event of a session. A client ignores a kind that it does not know. */
export const EnvelopeSchema = z.discriminatedUnion("kind", [first, ...rest]);

export type Envelope = Event & {
  readonly id: EventSeq;
  readonly session: SessionId;
  readonly originator?: ClientId;
  readonly parentCall?: CallId;
  readonly ts: string;
  readonly aside?: true;
};

export type EnvelopeOf<Kind extends EventKind> = Extract<Envelope, { kind: Kind }>;
