import { settingsOf } from "../../config/settings/settings.ts";
import { isPublicAddress } from "../../safety/public-address.ts";
import { bareHost } from "../../safety/public-host.ts";
import { isLoopback } from "../../safety/safe-url.ts";
import type { DoctorFinding, ExaminationInput } from "../../session/commands/doctor-check.ts";
import { notifySection } from "./config.ts";
import { tokenProblem } from "./open.ts";

/** Reports where notifications go, and why they would not arrive. Sends nothing, and shows no path of the address. */
export async function* examine({ config, options }: ExaminationInput): AsyncGenerator<DoctorFinding> {
  if (config === undefined) return;
  const { url: text, tokenEnv, events, content } = settingsOf(notifySection, { config });
  if (text === undefined) return;
  const url = new URL(text);
  const said = content ? "with content" : "without content";
  yield {
    weight: "note",
    text: `notifications of ${events.join(", ")} go to ${url.host}, ${said}.`,
    remedy: "An engine counts those that fail: /health in a session.",
  };
  const host = bareHost(url);
  if (/^[\d.]+$|:/.test(host) && !isLoopback(url) && !isPublicAddress(host))
    yield {
      weight: "damage",
      text: `url of [notify] names ${host}, which is not an address of the public internet.`,
      remedy: "Nothing is posted there. Name a public host, or a server of this machine.",
    };
  const problem =
    tokenEnv === undefined ? undefined : tokenProblem(tokenEnv, options.wishes.environment[tokenEnv]);
  if (problem !== undefined)
    yield { weight: "damage", text: problem, remedy: "Until then no notification is posted from here." };
}
