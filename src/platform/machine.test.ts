import { expect, test } from "bun:test";
import { until } from "../../test/support/until.ts";
import { hostMachine } from "./machine.ts";

test("[SES-01 R37] a process is known again by its id and start, and not by its id alone", async () => {
  const machine = hostMachine();
  expect(machine.pid).toBe(process.pid);
  expect(machine.isAlive(machine.pid, machine.processStart)).toBe(true);
  if (process.platform === "linux") expect(machine.isAlive(machine.pid, "00000000:1")).toBe(false);

  const child = Bun.spawn(["sleep", "60"]);
  const start = machine.processStart;
  child.kill("SIGKILL");
  await child.exited;
  expect(machine.isAlive(child.pid, start)).toBe(false);
});

test("[SES-07 R37] a zombie, which still answers signals, holds nothing", async () => {
  if (process.platform !== "linux") return;
  // The shell starts a child that ends at once and turns into a sleep that never waits for it.
  const parent = Bun.spawn(["sh", "-c", "sh -c 'echo $$' & exec sleep 60"], { stdout: "pipe" });
  try {
    const reader = parent.stdout.getReader();
    const { value } = await reader.read();
    const zombie = Number(new TextDecoder().decode(value).trim());
    const stat = () => Bun.file(`/proc/${zombie}/stat`).text();
    await until("the child is a zombie", async () => (await stat()).includes(") Z "));
    const fields = (await stat()).split(") ")[1]?.split(" ") ?? [];
    const boot = (await Bun.file("/proc/sys/kernel/random/boot_id").text()).slice(0, 8);
    process.kill(zombie, 0);
    expect(hostMachine().isAlive(zombie, `${boot}:${fields[19]}`)).toBe(false);
  } finally {
    parent.kill("SIGKILL");
  }
});
