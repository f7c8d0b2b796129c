import type { InputBlock } from "../../protocol/content.ts";
import type { SessionPart, SessionSurface } from "../../session/session-part.ts";
import type { SwitchSources } from "./succession.ts";

/**
 * What a session has to tell of its profile, and how it goes on under another one (PROF-02). What was imported from the
 * session before goes to the model with the first input.
 */
export function switching(sources: SwitchSources): SessionPart {
  const { session, log, defaults, succession } = sources;
  let surface: SessionSurface | undefined;
  // A log in which nothing was said may hold what was imported into it before its engine ended.
  const mayHold = log.resumed.lastTurn === 0 && (succession !== undefined || log.isOld);
  return {
    serve(given) {
      surface = given;
      defaults.switches.set(session, async (command, turn) => {
        const { prepareSwitch } = await import("./switch-profile.ts");
        return await prepareSwitch(sources, command, turn.history.messages);
      });
      for (const event of succession?.events ?? []) given.publish(event);
    },
    queries: {
      async GetSessionProfile() {
        const { sessionProfile } = await import("./profile-answers.ts");
        return sessionProfile(sources, surface?.tools() ?? []);
      },
      async CheckProfile(query) {
        const { checkedProfile } = await import("./profile-answers.ts");
        return await checkedProfile(sources, query);
      },
    },
    ...(mayHold ? importing(sources) : {}),
    close: async () => void defaults.switches.delete(session),
  };
}

function importing({ succession, logId, defaults }: SwitchSources): Pick<SessionPart, "onInput" | "request"> {
  let given: number | undefined;
  let isTold = false;
  let blocks: Promise<readonly InputBlock[]> | undefined;
  async function read(): Promise<readonly InputBlock[]> {
    if (succession !== undefined) return succession.imported ?? [];
    return (await import("./imported-turns.ts")).importedInto(defaults.store, logId);
  }
  return {
    async onInput(_content, at) {
      given ??= at.turn; // an input that was refused has left nothing, and the next one has the number of its turn
      if (isTold || at.turn !== given) return [];
      blocks ??= read();
      return await blocks;
    },
    request: [
      async function* importedTurns(request, context, next) {
        isTold = true;
        yield* next(request, context);
      },
    ],
  };
}
