import type { CodeChannel } from "../../server/auth/code-channel.ts";
import { codeText } from "../../server/auth/code-text.ts";
import { CODE_MS_MAX } from "../../server/auth/token-minting.ts";
import type { People } from "../../session/questions/people.ts";

/** Shows codes in the attached clients of people, on any transport: as a question that can only be closed (AUTH-03). */
export function peopleChannel(people: Pick<People, "ask">): CodeChannel {
  return {
    name: "web",
    async show(code, claims, signal) {
      const text = codeText(code, claims);
      const choices = [{ value: "close", label: "close" }];
      return people.ask({ about: "token-code", text, choices, timeoutMs: CODE_MS_MAX }, signal);
    },
  };
}
