import { expect } from "bun:test";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { noneWith } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import { ROOT } from "../support/source.ts";

const TIMEOUT_MS = 300_000;
const [TSC = ""] = [...new Bun.Glob("node_modules/@typescript/typescript-*/lib/tsc").scanSync(ROOT)];

requireProgram("bwrap")(
  "[TOOL-11] after an edit the model gets the findings of the project's language server, also after a command, from inside the sandbox, and none of its processes remain",
  async () => {
    using home = cinchHome();
    const write = (content: string) => calls("Write", { file_path: "a.ts", content });
    await using provider = startMockProvider({
      script: [
        write('export const one: number = "1";\n'),
        write('import { two } from "./b";\nexport const one: number = two;\n'),
        calls("Bash", { command: "echo 'export const two = \"2\";' > b.ts" }),
        write('import { two } from "./b";\nexport const one: number = two;\n\n'),
        says("done"),
      ],
    });
    const config = join(home.path, "config/cinch");
    mkdirSync(config, { recursive: true });
    writeFileSync(
      join(config, "config.toml"),
      `[providers.mock]\nkind = "anthropic"\nbase_url = "${provider.url}"
[[diagnostics]]\nname = "typescript"\nfiles = ["*.ts"]\ncommand = ["${join(home.path, "work/node_modules/lib/tsc")}", "--lsp", "--stdio"]\n`,
    );
    const work = join(home.path, "work");
    // The sandbox shows the workspace and not the rest of /tmp, where this clone may lie.
    cpSync(join(ROOT, dirname(TSC)), join(work, "node_modules/lib"), { recursive: true });
    writeFileSync(join(work, "b.ts"), "export const two = 2;\n");
    const { code, stdout } = await runCinch(["--model", "mock:one", "--auto-approve", "-p", "go"], {
      home,
      cwd: work,
    });
    expect([code, stdout]).toEqual([0, "done\n"]);
    const [, second, third, , last] = provider.requests.map(({ body }) => JSON.stringify(body["messages"]));
    expect(second).toContain("[typescript: 1 error, 0 warnings]");
    expect(second).toContain("a.ts:1:14: error 2322: Type 'string' is not assignable to type 'number'.");
    expect(third).toContain("[typescript: no problems]");
    expect(last).toContain("a.ts:2:14: error 2322: Type 'string' is not assignable to type 'number'.");
    await noneWith(home.path);
  },
  TIMEOUT_MS,
);
