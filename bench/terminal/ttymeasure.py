#!/usr/bin/env python3
"""Measures any terminal program through a pseudo-terminal. Standard library only, Linux. A tool of the project, under its licence.

  ttymeasure.py [options] -- CMD ARG...

 --cols 120 --rows 40       size of the terminal
 --settle 4 --idle 20       seconds to settle, then to watch it idle
 --fill TEXT --fill-marker M --fill-max 60   text typed + Enter to make a long transcript; done when M shows
 --stream TEXT --stream-s 10 --stream-lead 1 text typed + Enter that starts a paced stream; keys are typed while it runs
 --key-ms 100               one key per this many ms while streaming
 --quit "^C ^C ^D"          keys sent to quit, 400 ms apart, until it is gone
 --raw FILE                 save the terminal stream (json lines [t, phase, hex]); --out FILE the result
 --reply MODE               how queries are answered: xterm (default; DA1, CPR, OSC 10/11, 2026 supported), mute
 --cat-echo                 (control) CMD is a plain echo filter: use the kernel's ECHO off and no streaming

How: during start the screen is parsed live; while the stream runs the loop only reads, stamps and types,
and everything is parsed afterwards, so the parser's cost is not in the latency. Times are CLOCK_MONOTONIC.
 * first frame: spawn -> first moment the visible screen has a non-blank cell (a synchronized update counts when it ends)
 * first echo: spawn -> the first typed key is on the visible screen (keys are typed every 50 ms once the
   program has turned kernel echo off and drawn something)
 * key echo while streaming: write() of the key -> read() of the bytes after which the visible screen shows the
   4-gram that ends with that key
 * frame: a synchronized update (mode 2026), or outside one, a burst of output with no gap over 3 ms
 * flicker, sync ignored: frames in which a row that is the same before and after lost a glyph in between
   flicker, sync honoured: a painted row loses >=3 glyphs and the next paint of that row (within 0.5 s) brings the same row back
 * CPU: user+system of the whole tree (orphans included), and of the program itself (client); wakeups: voluntary context switches of all its threads
"""
import ctypes, errno, fcntl, json, os, pty, random, re, select, signal, struct, sys, termios, time, unicodedata

TCK = os.sysconf("SC_CLK_TCK"); now = time.monotonic
def args():
    a = sys.argv[1:]; i = a.index("--"); o, cmd = a[:i], a[i + 1:]
    d = dict(cols=120, rows=40, settle=4.0, idle=20.0, fill="", fill_marker="FILLDONE", fill_max=60.0, stream="", stream_s=10.0, stream_lead=1.0,
             key_ms=100, quit="^C ^C ^C ^D ^D", raw="", out="", reply="xterm", cat_echo=False, label="")
    j = 0
    while j < len(o):
        k = o[j].lstrip("-").replace("-", "_")
        if isinstance(d[k], bool): d[k] = True; j += 1; continue
        d[k] = type(d[k])(o[j + 1]); j += 2
    return d, cmd

# ---------------------------------------------------------------- a small VT
def cw(ch):
    o = ord(ch)
    if o < 0x300: return 1
    if unicodedata.combining(ch) or o in (0x200d, 0xfe0f, 0xfe0e, 0x200b): return 0
    return 2 if unicodedata.east_asian_width(ch) in "WF" else 1
TOK = re.compile(r"\x1b\[([\x30-\x3f]*)([\x20-\x2f]*)([\x40-\x7e])|\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)|\x1b([P_^X])((?:[^\x1b]|\x1b(?!\\))*)\x1b\\|\x1b([ -/]*)([0-OQ-WYZ`-~=>78])|([\x00-\x1a\x1c-\x1f\x7f])|([^\x00-\x1f\x7f\x1b]+)", re.S)
PART = re.compile(r"\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*|\][^\x07\x1b]*\x1b?|[P_^X](?:[^\x1b]|\x1b(?!\\))*\x1b?|[ -/]*)?$", re.S)
class VT:
    def __init__(s, cols, rows, reply=None):
        s.C, s.R, s.reply = cols, rows, reply
        s.main = [[" "] * cols for _ in range(rows)]; s.alt = [[" "] * cols for _ in range(rows)]
        s.g = s.main; s.inalt = False; s.x = s.y = 0; s.wrap = False; s.top, s.bot = 0, rows - 1; s.saved = (0, 0)
        s.modes = {}; s.sync = False; s.buf = ""; s.last = " "
        s.dec = __import__("codecs").getincrementaldecoder("utf-8")("replace")
        s.before, s.blanked = {}, {}; s.kitty = 0
        s.n = dict(ed2=0, ed3=0, frames=0, syncframes=0, flick=0, flick_cells=0, flick_rows=0, pflick=0, full=0, same_rows=0, touched_rows=0, scroll=0, bell=0, osc={}, lostscroll=0)
        s.lastch = {}; s.t = 0.0; s.sync_ended = False; s.pflick_at = []
    def touch(s, r):
        if r not in s.before: s.before[r] = list(s.g[r])
    def blank(s, r, a, b):
        s.touch(r); row = s.g[r]
        for c in range(max(0, a), min(s.C, b)):
            if row[c] != " ":
                s.blanked.setdefault(r, set()).add(c); row[c] = " "
    def scroll(s, n, top=None, bot=None):
        top = s.top if top is None else top; bot = s.bot if bot is None else bot
        if n == 0: return
        s.n["scroll"] += 1
        for r in range(top, bot + 1): s.touch(r)
        k = min(abs(n), bot - top + 1); new = [[" "] * s.C for _ in range(k)]
        reg = s.g[top:bot + 1]
        reg = reg[k:] + new if n > 0 else new + reg[:-k]
        s.g[top:bot + 1] = reg
        for r in (range(bot - k + 1, bot + 1) if n > 0 else range(top, top + k)):
            for c, ch in enumerate(s.before[r]):
                if ch != " ": s.blanked.setdefault(r, set()).add(c)
    def lf(s):
        if s.y == s.bot: s.scroll(1)
        elif s.y < s.R - 1: s.y += 1
    def text(s, t):
        s.last = t[-1]
        for ch in t:
            w = 1 if ch < "\u0300" else cw(ch)
            if w == 0: continue
            if s.wrap or s.x + w > s.C:
                s.x = 0; s.wrap = False; s.lf()
            r = s.y; row = s.g[r]
            if r not in s.before: s.before[r] = list(row)
            if ch == " " and row[s.x] != " ": s.blanked.setdefault(r, set()).add(s.x)
            row[s.x] = ch
            if w == 2 and s.x + 1 < s.C: row[s.x + 1] = ""
            if s.x + w >= s.C: s.x = s.C - 1; s.wrap = True
            else: s.x += w
    def frame(s, t):
        if not s.before: return
        s.n["frames"] += 1; fl = 0; rows = 0
        for r, old in s.before.items():
            new = s.g[r]; s.n["touched_rows"] += 1
            if new == old:
                s.n["same_rows"] += 1
                k = sum(1 for c in s.blanked.get(r, ()) if old[c] not in (" ", ""))
                if k: fl += k; rows += 1
                continue
            lc = s.lastch.get(r)
            if lc and t - lc[2] < 0.5 and new == lc[0] and sum(1 for a, b in zip(lc[0], lc[1]) if a != " " and b == " ") >= 3:
                s.n["pflick"] += 1; s.pflick_at.append(round(t, 3))
            s.lastch[r] = (old, list(new), t)
        if fl: s.n["flick"] += 1; s.n["flick_cells"] += fl; s.n["flick_rows"] += rows
        if len(s.before) >= s.R - 1: s.n["full"] += 1
        s.before, s.blanked = {}, {}
    def csi(s, p, i, f):
        if i: 
            if i == "$" and f == "p" and s.reply: 
                m = p.lstrip("?"); s.reply("\x1b[?%s;%d$y" % (m, 2 if m in ("2026", "1", "25", "1000", "1002", "1003", "1006", "1049", "2004", "1004") else 0))
            return
        pr = p[0] if p and p[0] in "?<=>" else ""; q = [int(v.split(":")[0]) if v.split(":")[0].isdigit() else 0 for v in p.lstrip("?<=>").split(";")]
        n = q[0]; d = n or 1; R, C = s.R, s.C
        if pr:
            if pr == "?" and f in "hl":
                on = f == "h"
                for m in q:
                    s.modes[m] = on
                    if m == 2026:
                        if on: s.frame(s.t); s.sync = True
                        elif s.sync: s.sync = False; s.n["syncframes"] += 1; s.frame(s.t); s.sync_ended = True
                    elif m in (1049, 47, 1047) and on != s.inalt:
                        s.inalt = on
                        for r in range(R): s.touch(r)
                        if on: s.alt = [[" "] * C for _ in range(R)]; s.saved = (s.x, s.y)
                        s.g = s.alt if on else s.main
                        if not on: s.x, s.y = s.saved
                        s.top, s.bot = 0, R - 1
            elif pr == "?" and f == "u" and s.reply: pass
            elif pr == ">" and f == "u": s.kitty += 1
            elif pr == "<" and f == "u": s.kitty -= max(1, n)
            elif pr == "?" and f == "J": pass
            return
        if f == "m": return
        s.wrap = False if f not in "cnhl" else s.wrap
        if f in "Hf": s.y = min(R, d) - 1; s.x = min(C, (q[1] if len(q) > 1 else 1) or 1) - 1
        elif f == "A": s.y = max(0, s.y - d)
        elif f in "Be": s.y = min(R - 1, s.y + d)
        elif f in "Ca": s.x = min(C - 1, s.x + d)
        elif f == "D": s.x = max(0, s.x - d)
        elif f == "E": s.y = min(R - 1, s.y + d); s.x = 0
        elif f == "F": s.y = max(0, s.y - d); s.x = 0
        elif f in "G`": s.x = min(C, d) - 1
        elif f == "d": s.y = min(R, d) - 1
        elif f == "J":
            if n == 0: s.blank(s.y, s.x, C); [s.blank(r, 0, C) for r in range(s.y + 1, R)]
            elif n == 1: s.blank(s.y, 0, s.x + 1); [s.blank(r, 0, C) for r in range(s.y)]
            elif n == 2: s.n["ed2"] += 1; [s.blank(r, 0, C) for r in range(R)]
            elif n == 3: s.n["ed3"] += 1
        elif f == "K": s.blank(s.y, *((s.x, C), (0, s.x + 1), (0, C))[min(n, 2)])
        elif f == "X": s.blank(s.y, s.x, s.x + d)
        elif f == "P": s.touch(s.y); row = s.g[s.y]; del row[s.x:s.x + d]; row.extend([" "] * (C - len(row)))
        elif f == "@": s.touch(s.y); row = s.g[s.y]; row[s.x:s.x] = [" "] * d; del row[C:]
        elif f == "L" and s.top <= s.y <= s.bot: s.scroll(-d, s.y, s.bot)
        elif f == "M" and s.top <= s.y <= s.bot: s.scroll(d, s.y, s.bot)
        elif f == "S": s.scroll(d)
        elif f == "T": s.scroll(-d)
        elif f == "r": s.top = d - 1; s.bot = min(R, (q[1] if len(q) > 1 else 0) or R) - 1; s.x = s.y = 0
        elif f == "s": s.saved = (s.x, s.y)
        elif f == "u": s.x, s.y = s.saved
        elif f == "b": s.text(s.last * d)
        elif f == "n" and s.reply:
            s.reply("\x1b[%d;%dR" % (s.y + 1, s.x + 1) if n == 6 else "\x1b[0n")
        elif f == "c" and s.reply: s.reply("\x1b[?62;22c")
    def feed(s, data, t):
        s.t = t; b = s.buf + s.dec.decode(data); m = PART.search(b); s.sync_ended = False
        if m and len(b) - m.start() < 200000: s.buf = b[m.start():]; b = b[:m.start()]
        else: s.buf = ""
        for m in TOK.finditer(b):
            p, i, f, osc, k, dcs, ei, ef, ctl, txt = m.groups()
            if txt is not None: s.text(txt)
            elif f is not None: s.csi(p, i, f)
            elif ctl is not None:
                if ctl == "\r": s.x = 0; s.wrap = False
                elif ctl in "\n\x0b\x0c": s.lf()
                elif ctl == "\b": s.x = max(0, s.x - 1); s.wrap = False
                elif ctl == "\t": s.x = min(s.C - 1, (s.x // 8 + 1) * 8)
                elif ctl == "\x07": s.n["bell"] += 1
            elif osc is not None:
                c = osc.split(";", 1)[0]; s.n["osc"][c] = s.n["osc"].get(c, 0) + 1
                if s.reply and osc in ("10;?", "11;?"): s.reply("\x1b]%s;rgb:%s\x1b\\" % (c, "d0d0/d0d0/d0d0" if c == "10" else "1010/1010/1010"))
            elif ef is not None and not ei:
                if ef == "7": s.saved = (s.x, s.y)
                elif ef == "8": s.x, s.y = s.saved
                elif ef == "M":
                    if s.y == s.top: s.scroll(-1)
                    else: s.y = max(0, s.y - 1)
                elif ef == "D": s.lf()
                elif ef == "E": s.x = 0; s.lf()
                elif ef == "c":
                    for r in range(s.R): s.blank(r, 0, s.C)
    def rows_text(s): return ["".join(r) for r in s.g]
    def nonblank(s): return any(ch not in (" ", "") for r in s.g for ch in r)

# ---------------------------------------------------------------- /proc
def tree(root):
    kids = {}
    for d in os.listdir("/proc"):
        if d.isdigit():
            try: st = open(f"/proc/{d}/stat", "rb").read()
            except OSError: continue
            r = st[st.rindex(b")") + 2:].split()
            kids.setdefault(int(r[1]), []).append(int(d))
    out, stack = [], list(kids.get(os.getpid(), []))
    while stack:
        p = stack.pop(); out.append(p); stack += kids.get(p, [])
    return out
def cpu(ps):
    t = 0
    for p in ps:
        try: st = open(f"/proc/{p}/stat", "rb").read()
        except OSError: continue
        r = st[st.rindex(b")") + 2:].split(); t += sum(int(v) for v in r[11:15])
    return t / TCK
def wake(ps):
    v = n = 0
    for p in ps:
        try: tids = os.listdir(f"/proc/{p}/task")
        except OSError: continue
        for tid in tids:
            try:
                for l in open(f"/proc/{p}/task/{tid}/status"):
                    if l.startswith("voluntary_ctxt"): v += int(l.split()[1])
                    elif l.startswith("nonvoluntary"): n += int(l.split()[1])
            except OSError: pass
    return v
def mem(ps):
    pss = rss = 0
    for p in ps:
        try:
            for l in open(f"/proc/{p}/smaps_rollup"):
                if l.startswith("Pss:"): pss += int(l.split()[1])
                elif l.startswith("Rss:"): rss += int(l.split()[1])
        except OSError: pass
    return round(pss / 1024, 1), round(rss / 1024, 1)
def load(): return float(open("/proc/loadavg").read().split()[0])
def q(a, p):
    a = sorted(a); return round(a[min(len(a) - 1, int(p * len(a)))] * 1000, 1) if a else None

def main():
    o, cmd = args(); C, R = o["cols"], o["rows"]
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # child subreaper
    m, sl = pty.openpty(); fcntl.ioctl(sl, termios.TIOCSWINSZ, struct.pack("HHHH", R, C, C * 8, R * 16))
    res = {"label": o["label"], "cols": C, "rows": R, "load0": load()}
    t0 = now(); pid = os.fork()
    if pid == 0:
        os.setsid(); fcntl.ioctl(sl, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2): os.dup2(sl, fd)
        os.closerange(3, 256)
        try: os.execvp(cmd[0], cmd)
        except OSError: os._exit(127)
    os.close(sl)
    def wr(bs):
        try: os.write(m, bs)
        except OSError: pass
    rep = (lambda sx: wr(sx.encode())) if o["reply"] == "xterm" else None
    vt = VT(C, R, rep); log = []; st = {"phase": "start", "live": True, "eof": False, "bytes": 0, "last": t0}
    QUERY = re.compile(rb"\x1b\[6n|\x1b\[0?c|\x1b\[\?2026\$p")
    checks = []
    def pump(until):
        """read until the time; returns early when a check says so"""
        while not st["eof"]:
            dt = until - now()
            if dt <= 0: return
            r, _, _ = select.select([m], [], [], min(dt, 0.05) if checks else dt)
            if not r:
                for c in checks:
                    if c(now()): return
                continue
            try: d = os.read(m, 65536)
            except OSError as e:
                if e.errno != errno.EIO: raise
                d = b""
            t = now()
            if not d: st["eof"] = True; return
            log.append((t, st["phase"], d)); st["bytes"] += len(d); st["last"] = t
            if st["live"]: vt.feed(d, t)
            elif rep and QUERY.search(d):
                for x in QUERY.findall(d): rep("\x1b[%d;%dR" % (vt.y + 1, vt.x + 1) if x.endswith(b"6n") else "\x1b[?62;22c" if x.endswith(b"c") else "\x1b[?2026;2$y")
            for c in checks:
                if c(t): return
    def typ(s, gap=0.03):
        if vt.modes.get(2004): wr(b"\x1b[200~" + s.encode() + b"\x1b[201~"); pump(now() + 0.3); return  # as a paste: no burst heuristics
        for ch in s: wr(ch.encode()); pump(now() + gap)
    def quiet(sec, mx):
        end = now() + mx
        while now() < end and not st["eof"]:
            pump(now() + 0.1)
            if now() - st["last"] >= sec: return True
        return False
    # ---- start
    echo_off = lambda: not (termios.tcgetattr(m)[3] & termios.ECHO)
    S = {"ff": None, "send": None, "echo": None, "base": 0, "i": 0, "next": 0}
    KEYS0 = "QZJXKVWYQZJXKVWY"
    def startcheck(t):
        if S["ff"] is None and not vt.sync and vt.nonblank(): S["ff"] = t
        if S["ff"] is None and not o["cat_echo"]: return False
        cnt = sum(r.count("Q") for r in vt.g)
        if S["send"] is None:
            if o["cat_echo"] or echo_off(): S["send"] = t; S["base"] = cnt; S["next"] = t
            else: return False
        if cnt > S["base"] and not vt.sync: S["echo"] = t; return True
        if t >= S["next"]: wr(KEYS0[S["i"] % 16].encode() if not o["cat_echo"] else b"Q\n"); S["i"] += 1; S["next"] = t + 0.05
        return False
    if o["cat_echo"]:
        a = termios.tcgetattr(m); a[3] &= ~termios.ECHO; termios.tcsetattr(m, termios.TCSANOW, a)
    checks.append(startcheck); pump(t0 + 40); checks.clear()
    ms = lambda t: None if t is None else round((t - t0) * 1000)
    res.update(first_byte_ms=ms(log[0][0]) if log else None, first_frame_ms=ms(S["ff"]), first_key_sent_ms=ms(S["send"]), first_echo_ms=ms(S["echo"]))
    if not o["cat_echo"]:
        pump(now() + 0.3); wr(b"\x7f" * (S["i"] + 4)); quiet(0.5, 5)
    res["start_screen"] = [r.rstrip() for r in vt.rows_text()]
    # ---- idle
    pump(now() + o["settle"])
    if o["idle"] > 0:
        ps = tree(pid); c0, w0, b0, ti = cpu(ps), wake(ps), st["bytes"], now(); pump(now() + o["idle"]); ps = tree(pid); dt = now() - ti
        pss, rss = mem(ps)
        res.update(idle_s=round(dt, 1), idle_cpu_ms_per_s=round((cpu(ps) - c0) / dt * 1000, 2), idle_wakeups_s=round((wake(ps) - w0) / dt, 1), idle_bytes=st["bytes"] - b0, idle_pss_mb=pss, idle_rss_mb=rss, idle_client_pss_mb=mem([pid])[0], procs=len(ps))
    keylog = []
    KEYCH = "QZJXKVWYRTPDGHB234567890"
    rnd = random.Random(7); seq = "".join(rnd.choice(KEYCH) for _ in range(4000)); ki = [0]
    if o["cat_echo"]:
        for _ in range(int(o["stream_s"] * 1000 / o["key_ms"])):
            k = seq[ki[0]]; ki[0] += 1; t = now(); n0 = st["bytes"]; wr((k + "\n").encode()); ok = [None]
            def ck(tt): 
                if st["bytes"] > n0: ok[0] = tt; return True
            checks.append(ck); pump(t + 1); checks.clear()
            if ok[0]: keylog.append(ok[0] - t)
            pump(t + o["key_ms"] / 1000)
        res.update(key_n=len(keylog), key_p50_ms=q(keylog, .5), key_p99_ms=q(keylog, .99), key_max_ms=q(keylog, 1))
    if o["fill"]:
        typ(o["fill"]); pump(now() + 0.4); st["phase"] = "fill"; mk2 = o["fill_marker"]
        ps = tree(pid); c0, b0, tf = cpu(ps), st["bytes"], now(); wr(b"\r"); mk = o["fill_marker"].encode(); tail = [b""]; seen = [None]
        def fc(t):
            if log and log[-1][1] == "fill":
                tail[0] = (tail[0] + log[-1][2])[-6000:]
                if mk in tail[0] or any(mk2 in "".join(r) for r in vt.g): seen[0] = seen[0] or t; return True
        checks.append(fc); pump(now() + o["fill_max"]); checks.clear(); quiet(1.5, 20)
        ps = tree(pid); res.update(fill_seen_s=None if not seen[0] else round(seen[0] - tf, 2), fill_cpu_s=round(cpu(ps) - c0, 2), fill_bytes=st["bytes"] - b0, fill_pss_mb=mem(ps)[0])
    if o["stream"]:
        st["live"] = False
        typ(o["stream"]); pump(now() + 0.4); wr(b"\r"); st["phase"] = "lead"; pump(now() + o["stream_lead"]); 
        st["phase"] = "stream"; ps = tree(pid); c0, o0, w0, b0, ts = cpu(ps), cpu([pid]), wake(ps), st["bytes"], now(); keys = []; draft = ""; nxt = ts
        end = ts + o["stream_s"] - o["stream_lead"]
        while now() < end and not st["eof"]:
            pump(nxt)
            if len(draft) >= 36:
                wr(b"\x7f" * 40); draft = ""; nxt += 3 * o["key_ms"] / 1000; continue
            k = seq[ki[0]]; ki[0] += 1; draft += k; t = now(); wr(k.encode()); keys.append((t, draft[-4:] if len(draft) >= 4 else None)); nxt = max(nxt + o["key_ms"] / 1000, t + o["key_ms"] / 2000)
        ps = tree(pid); dt = now() - ts
        res.update(stream_s=round(dt, 2), stream_cpu_ms_per_s=round((cpu(ps) - c0) / dt * 1000, 1), stream_client_cpu_ms_per_s=round((cpu([pid]) - o0) / dt * 1000, 1), stream_bytes_s=round((st["bytes"] - b0) / dt), stream_wakeups_s=round((wake(ps) - w0) / dt))
        st["phase"] = "after"; wr(b"\x7f" * 44); quiet(1.5, 12); pump(now() + 1)
        ps = tree(pid); pss, rss = mem(ps); res.update(after_pss_mb=pss, after_rss_mb=rss, after_client_pss_mb=mem([pid])[0])
    # ---- quit
    st["phase"] = "quit"; st["live"] = False; ctl = {"^C": b"\x03", "^D": b"\x04", "ESC": b"\x1b", "CR": b"\r"}
    tq = now(); gone = None
    for k in (o["quit"].split() or []) + ["", "", ""]:
        if k: wr(ctl.get(k, k.encode()))
        end = now() + 0.4 if k else now() + 2
        while now() < end:
            pump(min(end, now() + 0.1))
            try: w = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError: w = (pid, 0)
            if w[0]: gone = now(); res["rc"] = os.waitstatus_to_exitcode(w[1]) if w[1] is not None else None; break
        if gone: break
    if not gone: os.kill(pid, signal.SIGTERM); pump(now() + 4); res["rc"] = "SIGTERM"
    else: pump(now() + 0.2)
    res["quit_ms"] = None if not gone else round((gone - tq) * 1000)
    for p in tree(pid):
        if p != pid or not gone:
            try: os.kill(p, signal.SIGKILL)
            except OSError: pass
    res["load1"] = load()
    if o["raw"]:
        with open(o["raw"], "w") as f:
            for t, ph, d in log: f.write(json.dumps([round(t - t0, 4), ph, d.hex()]) + "\n")
    # ---- offline: parse everything again
    v = VT(C, R); cur = None; lat = []; pend = []
    if o["stream"]: pend = [(t, g) for t, g in keys if g]
    prev_t = None; mark = None; quitfrom = None
    for t, ph, d in log:
        if prev_t is not None and t - prev_t > 0.003 and not v.sync: v.frame(prev_t)
        if ph != cur:
            if ph == "stream": mark = json.loads(json.dumps(v.n))
            if cur == "stream": endn = json.loads(json.dumps(v.n)); res["stream_screen"] = [r.rstrip() for r in v.rows_text()]
            if ph == "quit": res["after_screen"] = [r.rstrip() for r in v.rows_text()]
            cur = ph
        v.feed(d, t); prev_t = t
        if ph in ("stream", "after") and pend and (not v.sync or v.sync_ended):
            j = "\n".join(v.rows_text())
            keep = []
            for p in pend:
                if p[0] < t and p[1] in j: lat.append(t - p[0])
                elif t - p[0] > 6: res["keys_lost"] = res.get("keys_lost", 0) + 1
                else: keep.append(p)
            pend = keep
    if o["stream"] and mark:
        if cur == "stream": endn = v.n
        dn = {k: endn[k] - mark[k] for k in endn if isinstance(endn[k], int)}
        res.update(key_n=len(lat), key_p50_ms=q(lat, .5), key_p99_ms=q(lat, .99), key_max_ms=q(lat, 1), keys_unseen=len(pend) + res.get("keys_lost", 0),
                   frames=dn["frames"], sync_frames=dn["syncframes"], fps=round(dn["frames"] / res["stream_s"], 1), flicker_ignored=dn["flick"], flicker_cells=dn["flick_cells"], flicker_honoured=dn["pflick"],
                   full_frames=dn["full"], same_rows=dn["same_rows"], touched_rows=dn["touched_rows"], ed2=dn["ed2"], ed3=dn["ed3"])
    res["total"] = {k: v.n[k] for k in ("frames", "syncframes", "flick", "pflick", "ed2", "ed3", "bell", "osc")}
    used = sorted(k for k in v.modes); res["modes_used"] = used; res["modes_left_on"] = [k for k in used if v.modes[k] and k not in (25, 7)]; res["cursor_hidden_at_exit"] = v.modes.get(25) is False
    res["kitty_left"] = v.kitty; res["in_alt_at_exit"] = v.inalt; res["exit_screen"] = [r.rstrip() for r in v.rows_text()]
    js = json.dumps(res)
    if o["out"]: open(o["out"], "a").write(js + "\n")
    else: print(json.dumps(res, indent=1))
    print({k: res[k] for k in res if not k.endswith("screen")}, file=sys.stderr)
main()
