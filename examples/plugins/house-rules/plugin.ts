import type { Plugin } from "cinch";

/** Rules of a team for every session: no work on a frozen branch, and a count of the calls. */
export const plugin: Plugin = {
  name: "house-rules",
  apiVersion: 1,
  register(harness) {
    const calls = new Map<string, number>();

    // `guards`: where this function itself fails, the call does not run.
    harness.toolMiddleware(
      async (call, next) => {
        calls.set(call.tool, (calls.get(call.tool) ?? 0) + 1);
        if (call.tool === "Bash" && /\bgit\s+push\b.*\brelease\//.test(String(call.input["command"])))
          return {
            content: [{ type: "text", text: "Release branches are frozen: ask the release team." }],
            isError: true,
          };
        return await next();
      },
      { guards: true },
    );

    // Rules of the permission gate: they hold whatever the middleware does.
    harness.permission("deny", "Write:release-notes/**");

    harness.hook("Stop", (_, session) => {
      session.emit("Calls", Object.fromEntries(calls));
      calls.clear();
    });
  },
};
