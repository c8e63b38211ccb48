# redis-py's Lock in a `with`. A section as section.php says.
import sys
import time

from redis import Redis
from redis.exceptions import LockNotOwnedError

STEP_MS = 50
AGAIN_MS = 100
address, key, lease, work_ms, wait, name, recorder = sys.argv[1:8]
pipe = open(recorder, 'wb', buffering=0)


def mark(what, text=''):
    line = ' '.join((name, what, str(time.monotonic_ns()), text.replace('\n', ' ')))
    pipe.write(line[:500].rstrip().encode() + b'\n')


def work():
    global is_in
    is_in = True
    mark('in')
    for _ in range(int(work_ms) // STEP_MS):
        mark('step')
        time.sleep(STEP_MS / 1000)
    mark('out')


def attempt():
    global is_in
    is_in = False
    try:
        with Redis(unix_socket_path=address).lock(key, timeout=int(lease) / 1000, blocking_timeout=int(wait)):
            work()
        mark('done')
    except LockNotOwnedError as lost:
        mark('told', 'LockNotOwnedError: %s' % lost)
    except Exception as error:
        mark('error' if is_in else 'failed', '%s: %s' % (type(error).__name__, error))
    return is_in


mark('ready')
if not sys.stdin.readline():
    sys.exit(1)
mark('asks')
while not attempt():
    time.sleep(AGAIN_MS / 1000)
