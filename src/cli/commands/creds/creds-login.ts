import { deadline } from "../../../base/async/deadline.ts";
import type { Secret } from "../../../base/brand.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Fetch } from "../../../base/world.ts";
import { logInByDeviceFlow } from "../../../credentials/copilot/device-flow.ts";
import { exchangeCopilotToken } from "../../../credentials/copilot/exchange.ts";
import { EXCHANGE_MS_MAX } from "../../../credentials/token/cached-token.ts";
import { hostClock } from "../../../platform/clock.ts";
import { hostFetch } from "../../../platform/sockets/fetch.ts";
import type { CopilotSettings } from "../../../providers/vendor-settings.ts";
import { COPILOT_CLIENT_ID, COPILOT_EDITOR, copilotAddresses } from "../../../providers/vendor-settings.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { standardError } from "../../io/output.ts";

/**
 * Runs `cinch creds login copilot`: shows an address and a code, and waits until a person has entered it
 * there (PROV-06).
 *
 * @param keep stores the token. Called before its first use.
 * @throws HarnessError CopilotLoginFailed; signal.reason for Ctrl-C, and then nothing is stored.
 */
export async function loginToCopilot(
  settings: CopilotSettings,
  keep: (token: Secret) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const fetch = hostFetch();
  const { githubUrl } = copilotAddresses(settings);
  const token = await logInByDeviceFlow(
    {
      fetch,
      clock: hostClock,
      githubUrl,
      clientId: settings.clientId ?? COPILOT_CLIENT_ID,
      async show({ url, code, minutes }) {
        await standardError().write(
          `cinch: open ${neutraliseLine(url)} in a browser and enter the code ${code}, within ${minutes} min. Waiting (Ctrl-C to give up)…\n`,
        );
      },
    },
    signal,
  );
  await keep(token);
  await tellWhetherItIsGood(token, settings, fetch, signal);
}

/** Reports a missing subscription now, not with the first prompt. */
async function tellWhetherItIsGood(
  githubToken: Secret,
  settings: CopilotSettings,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<void> {
  using limit = deadline(hostClock, EXCHANGE_MS_MAX, signal);
  const { baseUrl: ownBaseUrl, editorVersion = COPILOT_EDITOR } = settings;
  const addresses = copilotAddresses(settings);
  const parts = { addresses, editorVersion, githubToken, fetch, clock: hostClock };
  let problem: string | undefined;
  try {
    const address = defined({ ownBaseUrl });
    const answer = await exchangeCopilotToken({ ...parts, ...address }, limit.signal);
    problem = answer.kind === "refused" ? answer.detail : undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    if (!limit.reached && !(thrown instanceof HarnessError)) throw thrown;
    problem = limit.reached ? "it did not answer in time" : String(thrown);
  }
  if (problem !== undefined)
    await standardError().write(`cinch: Copilot itself cannot be used yet: ${neutraliseLine(problem)}\n`);
}
