/** Characters of the name that a client gives itself. */
export const CLIENT_LABEL_CHARACTERS_MAX = 100;

/** Clients of one session that its `clients` lists: those that came first. */
export const CLIENTS_LISTED_MAX = 100;
