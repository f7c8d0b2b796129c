import { expect, test } from "bun:test";
import type { ComposeDependencies } from "./compose-session.ts";
import { composeSession } from "./compose-session.ts";

test("[PERM-01] a session that names no guard does not compile", () => {
  const unguarded = {} as Omit<ComposeDependencies, "guard">;
  const compositions = [
    // @ts-expect-error the guard is left out
    () => composeSession(unguarded),
    // @ts-expect-error the guard is undefined
    () => composeSession({ ...unguarded, guard: undefined }),
    // @ts-expect-error the guard does not confine
    () => composeSession({ ...unguarded, guard: { gate: (call, context, next) => next(call, context) } }),
    () => composeSession({ ...unguarded, guard: "vouched" }),
  ];
  expect(compositions).toHaveLength(4);
});
