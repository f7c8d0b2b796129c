import type { History } from "../../src/providers/middleware.ts";

/** For middleware that does not touch the history. */
export const NO_HISTORY: History = {
  messages: [],
  replace: () => Promise.reject(new Error("this test has no history to replace")),
};
