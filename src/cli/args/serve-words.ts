import { HarnessError } from "../../base/errors.ts";
import type { TokenCommand } from "../../server/auth/tokens/token-command.ts";
import type { ListenFlags } from "../../server/http/targets.ts";

/** Where codes are shown: clients of people that are attached, the engine's terminal, the desktop. */
export const AUTH_CHANNELS = ["web", "tty", "notify"] as const;
export type AuthChannel = (typeof AUTH_CHANNELS)[number];

/** Flags of `cinch serve` and `cinch token`. */
export const SERVE_FLAGS = [
  {
    name: "listen",
    value: "HOST:PORT",
    help: "With serve: listen at a port too; 0 takes a free one. Other than 127.0.0.1 only with TLS and a token file.",
    for: ["serve"],
  },
  {
    name: "until-idle",
    help: "With serve: open no session of its own, and end by itself soon after the last client has gone and nothing runs. One line of JSON on standard output tells that it serves.",
    for: ["serve"],
  },
  {
    name: "auth-token-file",
    value: "PATH",
    help: "With serve: accept the token of this file, of mode 0400, such as ci-token.json. With --connect: send it.",
    for: ["serve", "mcp", "conformance", "line"],
  },
  {
    name: "connect",
    value: "URL",
    help: "Work with the engine there: https://HOST:PORT, http://127.0.0.1:PORT or unix:///PATH. Its token: --auth-token-file, the variable CINCH_TOKEN, or typed when asked.",
    for: ["line"],
  },
  {
    name: "tls-ca",
    value: "PATH",
    help: "With --connect https://…: trust these certificates, as PEM, in the place of the system's.",
    for: ["line"],
  },
  {
    name: "auth-channel",
    value: "CHANNEL",
    help: "With serve: show codes for tokens only there: web (attached clients of a person), tty (the engine's terminal) or notify (the desktop). Without, the first of them that is there.",
    for: ["serve"],
  },
  {
    name: "allow-origin",
    value: "ORIGINS",
    help: "With serve: answer pages of these origins, such as https://tools.example:8443, separated by commas. Without, none.",
    for: ["serve"],
  },
  { name: "tls-cert", value: "PATH", help: "With serve --listen: the certificate, as PEM.", for: ["serve"] },
  { name: "tls-key", value: "PATH", help: "With serve --listen: its key, as PEM.", for: ["serve"] },
  {
    name: "identity-class",
    value: "CLASS",
    help: "With token: human, for a client that a person sits before, or agent, which can approve nothing.",
    for: ["token"],
  },
  {
    name: "commands",
    value: "A,B",
    help: "With token: the only commands that it may send; without, all.",
    for: ["token"],
  },
  {
    name: "expires",
    value: "TIME",
    help: "With token: how long it counts, such as 30m, 24h (default) or 7d.",
    for: ["token"],
  },
  { name: "can-mint", help: "With token: it may make narrower ones itself.", for: ["token"] },
] as const;

/** The value of a flag, where it was given. */
type TextOf = (name: (typeof SERVE_FLAGS)[number]["name"] | "session") => string | undefined;

export function listenFlags(text: TextOf): ListenFlags {
  const [listen, authTokenFile] = [text("listen"), text("auth-token-file")];
  const [tlsCert, tlsKey] = [text("tls-cert"), text("tls-key")];
  return {
    ...(listen === undefined ? {} : { listen }),
    ...(authTokenFile === undefined ? {} : { authTokenFile }),
    ...(tlsCert === undefined ? {} : { tlsCert }),
    ...(tlsKey === undefined ? {} : { tlsKey }),
  };
}

/**
 * The origins of pages that may call: each as a browser sends it, and none by a pattern (AUTH-06).
 * @throws HarnessError UsageInvalid.
 */
export function allowedOrigins(text: string): readonly string[] {
  const origins = text.split(",").map((each) => each.trim());
  const wrong = origins.find((each) => !/^https?:\/\/[a-z\d.:[\]-]+$/.test(each) || originOf(each) !== each);
  if (wrong === undefined) return origins;
  const problem = `--allow-origin: ${JSON.stringify(wrong)} is no origin; write SCHEME://HOST or SCHEME://HOST:PORT in lower case, with http or https and nothing behind`;
  throw new HarnessError("UsageInvalid", { problem });
}

function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

/** Undefined where the identity class is missing: who is meant to act is never guessed. */
export function tokenCommand(text: TextOf, canMint: boolean): TokenCommand | undefined {
  const identityClass = text("identity-class");
  if (identityClass === undefined) return undefined;
  const [session, commands, expires] = [text("session"), text("commands"), text("expires")];
  return {
    identityClass,
    sessions: session === undefined ? [] : session.split(",").map((each) => each.trim()),
    canMint,
    ...(commands === undefined ? {} : { commands }),
    ...(expires === undefined ? {} : { expires }),
  };
}
