/** The supervisor for python3, for machines without perl. It follows the perl version step by step. */
export const pythonSupervisor = String.raw`
import ctypes, fcntl, os, signal, sys, termios, time
from signal import SIGCHLD, SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGSTOP, SIGTERM, SIGUSR1, SIGUSR2

parent, limit, lingers, reports = map(int, sys.argv[1:5])
kept = os.fsencode(sys.argv[5])
call = [os.fsencode(word) for word in sys.argv[6:]]
title = b"landline supervisor"
libc = ctypes.CDLL(None, use_errno=True)

def refuse(what):
    os.write(2, b"%s: %s\n" % (title, what.encode()))
    os._exit(125)

def prctl(option, value):
    return libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))

if prctl(36, 1) != 0:
    refuse("PR_SET_CHILD_SUBREAPER")
if prctl(1, SIGUSR2) != 0:
    refuse("PR_SET_PDEATHSIG")
if os.getppid() != parent:
    os._exit(125)
# Python adds to its own environment what its locale needs.
try:
    with open("/proc/self/environ", "rb") as file:
        environment = [entry for entry in file.read().split(b"\0") if b"=" in entry]
except OSError:
    refuse("/proc")

before = signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())

tty = os.isatty(0)
if tty:
    try:
        fcntl.ioctl(0, termios.TIOCNOTTY)
    except OSError:
        pass
    signal.sigtimedwait({SIGHUP}, 0)
if reports:
    os.set_inheritable(3, False)

def run():
    os.setsid()
    if tty:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    prctl(1, SIGKILL)
    if os.getppid() != supervisor:
        os._exit(125)
    for number in range(1, 65):
        try:
            if signal.getsignal(number) == signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        except (OSError, ValueError):
            pass
    os.environb.clear()
    for entry in environment:
        name, value = entry.split(b"=", 1)
        if name != b"PERL_BADLANG":
            os.environb[name[len(kept):] if name.startswith(kept) else name] = value
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    libc.execvp(call[0], (ctypes.c_char_p * (len(call) + 1))(*call, None))
    error = ctypes.get_errno()
    if reports:
        os.write(failing, b"%d" % error)
        os._exit(127)
    os.write(2, b"%s: %s\r\n" % (call[0], os.strerror(error).encode()))
    os._exit(1)

supervisor = os.getpid()
failure, failing = os.pipe()
try:
    pid = os.fork()
except OSError:
    refuse("fork")
if pid == 0:
    try:
        run()
    finally:
        os._exit(125)
os.close(failing)
null = os.open("/dev/null", os.O_RDWR)
for number in (0, 1, 2):
    os.dup2(null, number)
os.close(null)
os.chdir("/")

# Neither the mark in the environment nor the program's command line must lead to this process.
def blank():
    with open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b") ")[2].split()
    first, last = int(fields[45]), int(fields[48])
    if first > 0 and last - first > len(title):
        ctypes.memset(first, 0, last - first)
        ctypes.memmove(first, title, len(title))
blank()

errno = os.read(failure, 16)
os.close(failure)

def say(text):
    try:
        os.write(3, text)
    except OSError:
        pass

if reports:
    say(b"failed %s\n" % errno if errno else b"started\n")
    if not lingers:
        os.close(3)

status = None
ending = False
held = set()

def reap():
    global status
    while True:
        try:
            number, found = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if number == 0:
            return True
        held.discard(number)
        if number == pid:
            status = found
            if reports and lingers:
                say(b"exited %d %d\n" % (found >> 8, found & 127))

def row(number):
    try:
        with open("/proc/%d/stat" % number, "rb") as file:
            fields = file.read().rpartition(b") ")[2].split()
    except OSError:
        return None
    if len(fields) < 20 or fields[0] in b"ZX" and int(fields[17]) < 2:
        return None
    return int(fields[1]), int(fields[2]), fields[19]

def descendants():
    rows, children, found = {}, {}, {}
    for name in os.listdir("/proc"):
        one = row(int(name)) if name.isdigit() else None
        if one is not None:
            rows[int(name)] = one
            children.setdefault(one[0], []).append(int(name))
    parents = [supervisor]
    while parents:
        for number in children.pop(parents.pop(), []):
            found[number] = rows[number]
            parents.append(number)
    return found

# False when the system does not allow it, as for a program that runs as another user.
def signal_one(number, process, known):
    now = row(process)
    if now is None or now[2] != known[2]:
        return True
    try:
        os.kill(process, number)
    except PermissionError:
        return False
    except OSError:
        pass
    return True

def in_group():
    return {number: one for number, one in descendants().items() if one[1] == pid}

# Orphans become children of this process. Their list is read much faster than they can start others, and
# until they are reaped their numbers are theirs.
def hold_children():
    for _ in range(100):
        try:
            with open("/proc/%d/task/%d/children" % (supervisor, supervisor)) as file:
                fresh = [number for number in map(int, file.read().split()) if number not in held]
        except OSError:
            return
        if not fresh:
            return
        for number in fresh:
            held.add(number)
            try:
                os.kill(number, SIGSTOP)
            except OSError:
                pass

def end_all():
    until = time.monotonic() + limit / 1000
    stopped = set()
    while reap():
        hold_children()
        found = descendants()
        fresh = [number for number in found if (number, found[number][2]) not in stopped]
        late = time.monotonic() >= until
        for number in fresh:
            stopped.add((number, found[number][2]))
            signal_one(SIGSTOP, number, found[number])
        if fresh and not late:
            continue
        sent = sum([signal_one(SIGKILL, number, one) for number, one in found.items()])
        # One that was just born may be in no list while its parent is already gone from it: then look again.
        if late or found and sent == 0:
            reap()
            break
        signal.sigtimedwait({SIGCHLD}, 0.02)

awaited = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGCHLD}
while True:
    left = reap()
    if status is not None:
        if not left:
            break
        if not lingers or ending and not in_group():
            end_all()
            break
    number = signal.sigwait(awaited)
    if number == SIGCHLD:
        continue
    if number == SIGUSR2:
        end_all()
        break
    ending = ending or number == SIGTERM
    if status is None:
        try:
            os.killpg(pid, number)
        except OSError:
            pass
    else:
        for process, one in in_group().items():
            signal_one(number, process, one)

if status is None:
    status = int(SIGKILL)
number = status & 127
if number:
    prctl(4, 0)
    if number not in (SIGKILL, SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(supervisor, number)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
os._exit(status >> 8)
`;
