/** Ways to show a code: attached clients of people, the engine's terminal, the desktop. */
export const AUTH_CHANNELS = ["web", "tty", "notify"] as const;
export type AuthChannel = (typeof AUTH_CHANNELS)[number];
