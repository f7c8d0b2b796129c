import type { CliFlag } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";
import { NO_LISTEN } from "../../args/settings-flags.ts";
import { AUTH_CHANNELS } from "../../io/auth-channels.ts";

export const SERVE_FLAGS = [
  {
    name: "listen",
    kind: "text",
    placeholder: "HOST:PORT",
    help: "Listen at a port too; 0 takes a free one. Other than 127.0.0.1 only with TLS and a token file.",
  },
  {
    name: "until-idle",
    kind: "switch",
    help: "Open no session, and end soon after the last client has gone. Prints one line of JSON when it serves.",
  },
  {
    name: "starter",
    kind: "text",
    placeholder: "PID:START",
    help: "The process that cinch starts it for: with --until-idle, end if that one has gone before any client came.",
    needs: ["until-idle"],
  },
  {
    name: "auth-token-file",
    kind: "text",
    placeholder: "PATH",
    help: "Accept the token of this file, of mode 0400, such as ci-token.json.",
  },
  {
    name: "auth-channel",
    kind: { oneOf: AUTH_CHANNELS },
    placeholder: "CHANNEL",
    help: "Show codes for tokens only there: web (attached clients), tty or notify (the desktop).",
  },
  {
    name: "allow-origin",
    kind: "texts",
    placeholder: "ORIGIN",
    help: "Answer pages of this origin, such as https://tools.example:8443 or tauri://localhost. Repeatable.",
  },
  { name: "tls-cert", kind: "text", placeholder: "PATH", help: "The certificate for --listen, as PEM." },
  { name: "tls-key", kind: "text", placeholder: "PATH", help: "Its key, as PEM." },
  NO_LISTEN,
] as const satisfies readonly CliFlag[];

export type ServeContext = CommandContext<typeof SERVE_FLAGS>;
