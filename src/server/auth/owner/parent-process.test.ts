import { expect, test } from "bun:test";
import { SILENT_LOG } from "../../../base/log.ts";
import { hostWorld } from "../../../platform/host.ts";
import { readProcess } from "./parent-process.ts";

/** Files in which the command line of a process is another at its n-th reading. */
function filesWhere(commandLines: readonly (string | undefined)[]) {
  const { files } = hostWorld(SILENT_LOG);
  let readings = 0;
  return {
    ...files,
    read(path: string, bytesMax: number) {
      const text = path.endsWith("/cmdline") ? commandLines[readings++] : undefined;
      return text === undefined
        ? files.read(path, bytesMax)
        : Promise.resolve(new TextEncoder().encode(text));
    },
  };
}

test("[AUTH-09] a process that becomes another program while it is looked at is refused", async () => {
  if (process.platform !== "linux") return;
  const look = (...commandLines: readonly (string | undefined)[]) =>
    readProcess(filesWhere(commandLines), process.pid);
  expect(await look()).toMatchObject({ binary: process.execPath });
  const other = "sh\0-c\0true\0";
  for (const seen of [[""], [other], [undefined, other], ["", ""]])
    await expect(look(...seen)).rejects.toThrow("it became another program meanwhile");
});
