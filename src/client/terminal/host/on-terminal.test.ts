import { expect, test } from "bun:test";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { openOnTerminal } from "./on-terminal.ts";
import { editorOf, pagerOf } from "./programs.ts";

/** Services whose program ends as given; what happens is kept in order. */
function machine(run: (path: string) => Promise<number>) {
  const services = fakeServices();
  const happened: string[] = [];
  const host = {
    ...services.host,
    async runOnTerminal(command: string, path: string) {
      happened.push(`${command} ${path}`);
      return await run(path);
    },
    read: async () => new TextEncoder().encode("saved"),
    remove: async (path: string) => void happened.push(`remove ${path}`),
  };
  const screen = {
    ...services.screen,
    suspend: () => void happened.push("suspend"),
    resume: () => void happened.push("resume"),
  };
  return { host, screen, happened };
}

test("[TUI-08] a program gets the terminal while it runs, and the file is removed afterwards", async () => {
  const at = machine(async () => 0);
  expect(await openOnTerminal(at, "vi", "draft.md", "text")).toBe("saved");
  expect(at.happened).toEqual(["suspend", "vi /private/draft.md", "resume", "remove /private/draft.md"]);
});

test("[TUI-08] a program that fails, or cannot be started, leaves a screen and no file", async () => {
  const failing = machine(async () => 127);
  await expect(openOnTerminal(failing, "nano", "a", "text")).rejects.toThrow(
    "nano ended with exit code 127.",
  );
  const missing = machine(async () => {
    throw new Error("no shell");
  });
  await expect(openOnTerminal(missing, "vi", "a", "text")).rejects.toThrow("no shell");
  for (const { happened } of [failing, missing])
    expect(happened.slice(-2)).toEqual(["resume", "remove /private/a"]);
});

test("[TUI-01 bar Long output] the pager and the editor are those of the environment", async () => {
  const host = (environment: Record<string, string>, hasLess: boolean) => ({
    environment,
    output: async () => (hasLess ? new Uint8Array() : undefined),
  });
  expect(editorOf(host({ VISUAL: "code -w", EDITOR: "nano" }, true))).toBe("code -w");
  expect(editorOf(host({ VISUAL: " ", EDITOR: "nano" }, true))).toBe("nano");
  expect(editorOf(host({}, true))).toBe("vi");
  expect(await pagerOf(host({ PAGER: "most" }, true))).toBe("most");
  expect(await pagerOf(host({}, true))).toBe("less -R");
  expect(await pagerOf(host({}, false))).toBe("more");
});
