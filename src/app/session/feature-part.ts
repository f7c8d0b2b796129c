import type { Around, OpenFeature, RequestPlace, ToolPlace } from "../../session/feature.ts";
import type { SessionPart } from "../../session/session-part.ts";

/** Puts the middleware of an open feature into the places of a session part. */
export function partOf(open: OpenFeature): SessionPart {
  const { around = [], rewind: _rewind, prepareSwitch: _switch, ready: _ready, ...rest } = open;
  const { onInput, onFollowed, onTurnEnd, onCompact, notices, running, settle } = open;
  return {
    ...rest,
    onInput: async (...args) => (await onInput?.call(open, ...args)) ?? [],
    onFollowed: () => onFollowed?.call(open),
    onTurnEnd: async (...args) => await onTurnEnd?.call(open, ...args),
    onCompact: async (...args) => await onCompact?.call(open, ...args),
    running: () => running?.call(open) ?? 0,
    settle: async () => await settle?.call(open),
    close: async () => await open[Symbol.asyncDispose]?.(),
    notices: notices?.call(open) ?? [],
    telemetry: toolsAt(around, "watch"),
    gate: [...toolsAt(around, "hooks"), ...toolsAt(around, "guard")],
    inner: toolsAt(around, "inner"),
    request: [...requestsAt(around, "watch"), ...requestsAt(around, "context")],
    attempt: requestsAt(around, "attempt"),
  };
}

function toolsAt(around: readonly Around[], place: ToolPlace) {
  return around.flatMap((each) => ("tool" in each && each.tool === place ? [each.run] : []));
}

function requestsAt(around: readonly Around[], place: RequestPlace) {
  return around.flatMap((each) => ("request" in each && each.request === place ? [each.run] : []));
}
