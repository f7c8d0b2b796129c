import type { InputBlock } from "../../protocol/content.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";

/**
 * Opens the profile of a session: the commands that show it, and SwitchProfile (PROF-02). Turns imported from the
 * previous session go to the model with the first input.
 */
export function openProfiles(host: SessionHost): OpenFeature {
  const { log, handover } = host;
  // A log without a turn may contain what was imported into it before its engine ended.
  const mayHold = log.resumed.lastTurn === 0 && (handover !== undefined || log.isOld);
  return {
    join: (features) => ({
      async prepareSwitch(command, turn, reopen) {
        const { prepareSwitch } = await import("./switch-profile.ts");
        const { messages } = turn.history;
        return await prepareSwitch(host, features, { command, messages, reopen });
      },
      queries: {
        async GetSessionProfile() {
          const { sessionProfile } = await import("./profile-answers.ts");
          return sessionProfile(host, features);
        },
      },
    }),
    queries: {
      async CheckProfile({ profile: wanted }) {
        const { profile } = await host.planUnder(wanted);
        return { profile: profile.name, path: profile.path };
      },
    },
    ...(mayHold ? importing(host) : {}),
  };
}

function importing({ handover, logId, store }: SessionHost): Pick<OpenFeature, "onInput" | "around"> {
  let reminderTurn: number | undefined;
  let isTold = false;
  let blocks: Promise<readonly InputBlock[]> | undefined;
  async function read(): Promise<readonly InputBlock[]> {
    if (handover !== undefined) return handover.imported ?? [];
    return (await import("./imported-turns.ts")).readImport(store, logId);
  }
  return {
    async onInput(_content, at) {
      reminderTurn ??= at.turn; // a refused input does not use up its turn number
      if (isTold || at.turn !== reminderTurn) return [];
      blocks ??= read();
      return await blocks;
    },
    around: [
      {
        request: "context",
        run(request, context, next) {
          isTold = true;
          return next(request, context);
        },
      },
    ],
  };
}
