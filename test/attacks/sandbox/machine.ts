import { join } from "node:path";
import type { AttackTargets, Attempt, Control } from "./attempt.ts";

/** Attempts to read or reach other processes. One has the secret in its environment and arguments. */
export function processAttempts({ victim, root }: AttackTargets): readonly Attempt[] {
  const list: readonly (readonly [string, Control, string])[] = [
    ["environ:victim", "pid namespace", `cat /proc/${victim}/environ`],
    ["environ:all", "pid namespace", "cat /proc/[0-9]*/environ"],
    ["environ:parent", "pid namespace", "cat /proc/$PPID/environ"],
    ["environ:1", "pid namespace", "cat /proc/1/environ"],
    ["cmdline:all", "pid namespace", "cat /proc/[0-9]*/cmdline"],
    ["cmdline:ps", "pid namespace", "ps -eww -o args"],
    ["maps:victim", "pid namespace", `cat /proc/${victim}/maps && echo ESCAPED maps:victim`],
    ["mem:victim", "pid namespace", `exec 7</proc/${victim}/mem && echo ESCAPED mem:victim`],
    ["fd:victim", "pid namespace", `ls /proc/${victim}/fd && echo ESCAPED fd:victim`],
    ["cwd:victim", "pid namespace", `ls /proc/${victim}/cwd && echo ESCAPED cwd:victim`],
    ["root:victim", "pid namespace", `ls /proc/${victim}/root && echo ESCAPED root:victim`],
    ["root:task", "pid namespace", `ls /proc/self/task/../../${victim} && echo ESCAPED root:task`],
    ["signal:kill", "pid namespace", `kill -9 ${victim}; kill -9 -${victim}`],
    ["signal:stop", "pid namespace", `kill -STOP ${victim} && echo ESCAPED signal:stop`],
    ["signal:all", "pid namespace", "(trap '' TERM; kill -TERM -1)"],
    ["signal:probe", "pid namespace", `kill -0 ${victim} && echo ESCAPED signal:probe`],
    ["wait:namespace", "filter", `nsenter -t ${victim} -m -p true && echo ESCAPED wait:namespace`],
    ["oom:victim", "pid namespace", `echo 1000 >/proc/${victim}/oom_score_adj && echo ESCAPED oom:victim`],
    ["ipc:list", "several", "ipcs -m | grep -q 0x00c1c4 && echo ESCAPED ipc:list"],
    [
      "fd:inherited",
      "several",
      `for f in /proc/self/fd/*; do n=\${f##*/}; [ "$n" -gt 2 ] && [ "$n" -lt 200 ] && readlink $f | grep -v '^/proc' && echo ESCAPED fd:inherited; done`,
    ],
    ["fd:pid-1", "several", `ls -l /proc/1/fd | grep -F '${root}/..' && echo ESCAPED fd:pid-1`],
  ];
  return list.map(([name, stopped, script]) => ({ name, stopped, script }));
}

/** Devices and kernel interfaces. What could harm is opened and not written. */
export function kernelAttempts(): readonly Attempt[] {
  const open = (path: string, mode: "<" | ">" | ">>") => `exec 7${mode}${path} && echo "ESCAPED $NAME"`;
  const list: readonly (readonly [string, Control, string])[] = [
    ["device:mem", "own /dev", open("/dev/mem", "<")],
    ["device:kmsg", "own /dev", open("/dev/kmsg", "<")],
    ["device:port", "own /dev", open("/dev/port", "<")],
    ["device:kvm", "own /dev", open("/dev/kvm", "<")],
    ["device:fuse", "own /dev", open("/dev/fuse", "<")],
    ["device:tun", "own /dev", open("/dev/net/tun", "<")],
    [
      "device:disk",
      "own /dev",
      'for d in /dev/vd? /dev/sd? /dev/nvme?n? /dev/xvd?; do exec 7<$d && echo "ESCAPED $NAME"; done',
    ],
    ["device:console", "own /dev", open("/dev/console", "<")],
    ["device:terminal", "several", open("/dev/tty", "<")],
    ["device:host-pty", "own /dev", 'for d in /dev/pts/[0-9]*; do exec 7>>$d && echo "ESCAPED $NAME"; done'],
    ["mknod:disk", "capabilities", 'mknod ./disk b 254 0 && echo "ESCAPED $NAME"'],
    ["mknod:mem", "capabilities", 'mknod /tmp/mem c 1 1 && echo "ESCAPED $NAME"'],
    ["mknod:shm", "capabilities", 'mknod /dev/shm/m c 1 1 && echo "ESCAPED $NAME"'],
    ["sysctl:core-pattern", "read-only root", open("/proc/sys/kernel/core_pattern", ">>")],
    ["sysctl:modprobe", "read-only root", open("/proc/sys/kernel/modprobe", ">>")],
    ["sysctl:forward", "several", open("/proc/sys/vm/drop_caches", ">>")],
    ["sysrq", "read-only root", open("/proc/sysrq-trigger", ">>")],
    [
      "irq",
      "read-only root",
      'for f in /proc/irq/*/smp_affinity; do exec 7>>$f && echo "ESCAPED $NAME"; done',
    ],
    ["kcore", "capabilities", open("/proc/kcore", "<")],
    ["sys:uevent-helper", "read-only root", open("/sys/kernel/uevent_helper", ">>")],
    ["sys:power", "read-only root", open("/sys/power/state", ">>")],
    [
      "sys:block",
      "read-only root",
      'for f in /sys/block/*/uevent; do exec 7>>$f && echo "ESCAPED $NAME"; done',
    ],
    ["sys:debug", "read-only root", 'ls /sys/kernel/debug/tracing && echo "ESCAPED $NAME"'],
    [
      "cgroup:procs",
      "read-only root",
      'for f in $(find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs 2>/dev/null); do exec 7>>$f && echo "ESCAPED $NAME"; done',
    ],
    [
      "cgroup:release-agent",
      "read-only root",
      'for f in $(find /sys/fs/cgroup -maxdepth 2 -name release_agent 2>/dev/null); do exec 7>>$f && echo "ESCAPED $NAME"; done',
    ],
    ["setuid:su", "capabilities", 'echo | timeout 2 su -s /bin/sh nobody -c "echo ESCAPED $NAME"'],
    ["setuid:file", "capabilities", 'cp /bin/sh ./sh; chown nobody ./sh && echo "ESCAPED $NAME"'],
    [
      "priority",
      "capabilities",
      'nice -n -10 true 2>&1 | grep -q . || [ "$(nice -n -10 nice)" -ge 0 ] || echo "ESCAPED $NAME"',
    ],
    ["hostname", "filter", 'hostname evil && echo "ESCAPED $NAME"'],
    ["date", "capabilities", 'date -s "$(date)" && echo "ESCAPED $NAME"'],
    ["dmesg", "filter", 'dmesg && echo "ESCAPED $NAME"'],
  ];
  return list.map(([name, stopped, script]) => ({ name, stopped, script: `NAME='${name}'; ${script}` }));
}

/** Processes that mean to outlive their call. Each carries its name, by which the host finds it. */
export function survivors(token: string): readonly Attempt[] {
  const stay = (name: string) => `exec -a ${token}-${name} sleep 300`;
  const list: readonly (readonly [string, string])[] = [
    ["background", `(${stay("background")}) &`],
    ["nohup", `nohup bash -c '${stay("nohup")}' &`],
    ["setsid", `setsid bash -c '${stay("setsid")}' &`],
    ["double-fork", `( ( setsid env -i /bin/bash -c '${stay("double-fork")}' & ) & )`],
    ["deaf", `bash -c 'trap "" TERM HUP INT; ${stay("deaf")}' &`],
    ["disowned", `bash -c '${stay("disowned")}' & disown -a`],
  ];
  return list.map(([name, script]) => ({
    name: `survive:${name}`,
    stopped: "pid namespace",
    script: `{ ${script}\n} >/dev/null 2>&1 </dev/null`,
  }));
}

/** Sockets of the host, through what a program would use. `$CALLS` is a Bun program, see `calls.ts`. */
export function networkAttempts(places: AttackTargets): readonly Attempt[] {
  const { tcpPort, udpPort, outside, home, abstractName } = places;
  const connect = (name: string, what: string) => `"$BUN" $FLAGS "$CALLS" connect ${name} ${what}`;
  const list: readonly (readonly [string, Control, string])[] = [
    ["tcp4", "net namespace", `exec 7<>/dev/tcp/127.0.0.1/${tcpPort}`],
    ["tcp4-other", "net namespace", `exec 7<>/dev/tcp/127.1.2.3/${tcpPort}`],
    ["tcp-localhost", "net namespace", `exec 7<>/dev/tcp/localhost/${tcpPort}`],
    ["udp", "net namespace", `echo ESCAPED >/dev/udp/127.0.0.1/${udpPort}`],
    ["dns:getent", "net namespace", "timeout 3 getent hosts cinch-canary.example && echo ESCAPED dns:getent"],
    ["icmp", "several", "timeout 3 ping -c1 -W1 127.0.0.1 && ping -c1 -W1 10.0.2.2 && echo ESCAPED icmp"],
    ["unix:outside", "filter", connect("unix:outside", join(outside, "host.sock"))],
    ["unix:home", "filter", connect("unix:home", join(home, "host.sock"))],
    [
      "unix:own",
      "hidden places",
      connect("unix:own", join(home, ".local", "state", "cinch", "control.sock")),
    ],
    ["unix:proc-root", "filter", connect("unix:proc-root", `/proc/self/root${join(outside, "host.sock")}`)],
    ["unix:docker", "several", connect("unix:docker", "/var/run/docker.sock")],
    ["unix:dbus", "several", connect("unix:dbus", "/run/dbus/system_bus_socket")],
    ["unix:abstract", "filter", connect("unix:abstract", `@${abstractName}`)],
  ];
  return list.map(([name, stopped, script]) => ({ name: `connect-${name}`, stopped, script }));
}
