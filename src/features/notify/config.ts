import { hintFor } from "../../base/text/near.ts";
import { isLoopback } from "../../safety/safe-url.ts";
import type { TableSection } from "../../session/config-section.ts";
import type { NotifiedEvent } from "../../view/notified-events.ts";
import { NOTIFIED_EVENTS } from "../../view/notified-events.ts";

const URL_CHARS_MAX = 2_048;

/** `[notify]`: where a person who looks elsewhere learns that a session needs them. */
export const notifySection = {
  shape: "table",
  name: "notify",
  in: "config",
  about: "Notices for you when a session waits or has ended a turn: [notifications.md](../notifications.md).",
  keys: {
    desktop: {
      kind: "boolean",
      key: "desktop",
      meaning: "Shows a notice on your desktop.",
      default: false,
      example: true,
    },
    bell: {
      kind: "boolean",
      key: "bell",
      meaning: "Rings the bell of the terminal in which you follow a session.",
      default: false,
      example: true,
    },
    url: {
      kind: "text",
      key: "url",
      fixedAtStart: true,
      meaning: "Posts to this address, of the public internet with https, or of this machine.",
      otherwise: "nothing is sent",
      example: "https://ntfy.sh/my-topic",
      check: urlProblem,
    },
    format: {
      kind: "word",
      key: "format",
      words: ["json", "ntfy"],
      fixedAtStart: true,
      meaning: "The form of what is posted: one JSON object, or a message for an ntfy server.",
      default: "json",
      example: "ntfy",
    },
    tokenEnv: {
      kind: "text",
      key: "token_env",
      fixedAtStart: true,
      meaning: "The variable of the engine's environment whose value is sent as `Authorization: Bearer`.",
      otherwise: "no token is sent",
      example: "NTFY_TOKEN",
      check: (name: string) =>
        /^[A-Za-z_]\w{0,127}$/.test(name)
          ? undefined
          : "must be the name of an environment variable, never the token itself",
    },
    host: {
      kind: "text",
      key: "host",
      fixedAtStart: true,
      meaning: "The name of this machine in what is posted, at most 64 printable ASCII characters.",
      default: "cinch",
      example: "build-box",
      check: (host: string) =>
        /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/.test(host)
          ? undefined
          : "must be 1 to 64 printable ASCII characters",
    },
    events: {
      kind: "texts",
      key: "events",
      meaning: "What you are notified of: a turn's end, a question that waits, a turn that failed.",
      default: NOTIFIED_EVENTS,
      example: ["question", "error"],
      check(events: readonly string[]) {
        const known: readonly string[] = NOTIFIED_EVENTS;
        if (events.length === 0) return `must name at least one of ${known.join(", ")}`;
        const wrong = events.find((each) => !known.includes(each));
        return wrong === undefined ? undefined : `"${wrong}" is not an event. ${hintFor(wrong, known)}`;
      },
      as: (events: readonly string[]) => events as readonly NotifiedEvent[],
    },
    content: {
      kind: "boolean",
      key: "content",
      meaning:
        "Also sends the folder, the tool's name, and the beginning of the question or answer, with secrets redacted.",
      default: false,
      example: true,
    },
  },
} as const satisfies TableSection;

/** Returns why nothing is posted to an address, as the end of a sentence. It is not repeated: it may be a secret. */
function urlProblem(text: string): string | undefined {
  const url = text.length > URL_CHARS_MAX ? null : URL.parse(text);
  if (url === null) return "is not an address: write a whole URL, such as https://ntfy.sh/my-topic";
  if (url.username !== "" || url.password !== "")
    return "holds a name or a password: name the variable of a token in token_env";
  if (url.hash !== "") return "has a # part, which is never sent: leave it out";
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return undefined;
  return "must begin with https://; http:// is for this machine alone (localhost, 127.0.0.1, [::1])";
}
