/** Characters of the name that a client gives itself. */
export const CLIENT_LABEL_CHARACTERS_MAX = 100;

/** Clients of one session that its `clients` lists: those that came first. */
export const CLIENTS_LISTED_MAX = 100;

/** Returns the client that the payload of an event names: the originator, else the one that acted. */
export function actingClient(payload: object): string | undefined {
  const id = "originator" in payload ? payload.originator : "by" in payload ? payload.by : undefined;
  return typeof id === "string" ? id : undefined;
}
