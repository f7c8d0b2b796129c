/** An event as a client of another language prints it. */
interface PrintedEvent {
  readonly id?: unknown;
  readonly kind?: unknown;
  readonly payload?: unknown;
}

/** Returns the ids that do not follow the one before: those of a kill are missing before their StreamGap. */
export function strayIds(events: readonly PrintedEvent[]): readonly unknown[] {
  let last = 0;
  return events.flatMap(({ id, kind }) => {
    const follows = id === last + 1 || (kind === "StreamGap" && Number(id) > last);
    last = Number(id);
    return follows ? [] : [id];
  });
}

/** Returns the events without the pieces that a kill took: not every client has seen them. */
export function keptEvents<Printed extends PrintedEvent>(events: readonly Printed[]): readonly Printed[] {
  const gaps = events.flatMap(({ kind, payload }) =>
    kind === "StreamGap" ? [payload as { readonly from: number; readonly to: number }] : [],
  );
  return events.filter(({ id }) => !gaps.some(({ from, to }) => Number(id) >= from && Number(id) < to));
}
