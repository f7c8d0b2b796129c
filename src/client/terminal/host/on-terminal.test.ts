import { expect, test } from "bun:test";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { LentTerminal } from "../lifecycle/lent-terminal.ts";
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
    removePrivate: async (path: string) => void happened.push(`remove ${path}`),
  };
  const lent = new LentTerminal(() => ({
    suspend: () => void happened.push("suspend"),
    resume: () => void happened.push("resume"),
  }));
  const screen = {
    ...services.screen,
    lend: <Result>(work: () => Promise<Result>) => lent.lend(work),
  };
  return { host, screen, happened };
}

test("[TUI-08] a program gets the terminal while it runs, and the file is removed afterwards", async () => {
  const at = machine(async () => 0);
  expect(await openOnTerminal(at, "vi", "draft.md", "text")).toBe("saved");
  expect(at.happened).toEqual(["suspend", "vi /private/draft.md", "remove /private/draft.md", "resume"]);
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
    expect(happened.slice(-2)).toEqual(["remove /private/a", "resume"]);
});

test("[TUI-01 TUI-10] a second program is refused while one has the terminal, and the first ends as it would", async () => {
  const end = Promise.withResolvers<number>();
  const at = machine(async () => await end.promise);
  const first = openOnTerminal(at, "vi", "draft.md", "text");
  await expect(openOnTerminal(at, "less", "block.md", "other")).rejects.toThrow("has the terminal");
  end.resolve(0);
  expect(await first).toBe("saved");
  expect(at.happened.filter((each) => each === "suspend")).toHaveLength(1);
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
  expect(await pagerOf(host({ LANG: "de_DE.UTF-8" }, true))).toBe("less -R");
  expect(await pagerOf(host({ LESSCHARSET: "latin1" }, true))).toBe("less -R");
  // Without a locale less would show the bytes of "●".
  expect(await pagerOf(host({}, true))).toBe("LESSCHARSET=utf-8 less -R");
  expect(await pagerOf(host({ LANG: "en_US.UTF-8", LC_ALL: "C" }, true))).toBe("LESSCHARSET=utf-8 less -R");
  expect(await pagerOf(host({}, false))).toBe("more");
});

test("[TUI-08] what an editor had saved stays where it is if a signal ends the editor", async () => {
  const killed = machine(async () => 137);
  await expect(openOnTerminal(killed, "vi", "draft.md", "text")).rejects.toThrow(
    "vi ended with exit code 137. What it saved is in /private/draft.md.",
  );
  expect(killed.happened).not.toContain("remove /private/draft.md");
  const unsaved = machine(async () => 137);
  await expect(openOnTerminal(unsaved, "vi", "draft.md", "saved")).rejects.toThrow("exit code 137.");
  expect(unsaved.happened).toContain("remove /private/draft.md");
});
