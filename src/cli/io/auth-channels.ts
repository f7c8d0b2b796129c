/** Ways to show a code: clients of people that are attached, the engine's terminal, the desktop. */
export const AUTH_CHANNELS = ["web", "tty", "notify"] as const;
export type AuthChannel = (typeof AUTH_CHANNELS)[number];
