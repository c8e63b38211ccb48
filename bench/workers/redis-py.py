# redis-py's Lock, with its own interval between tries. Takes turns as turns.php says.
import sys
import time

from redis import Redis

address, key, lease = sys.argv[1:4]
redis = None


def take():
    global redis
    if redis is None:
        redis = Redis(unix_socket_path=address) if address.startswith('/') else Redis(port=int(address))
    lock = redis.lock(key, timeout=int(lease) / 1000)
    lock.acquire()
    return lock


print('ready', flush=True)
for order in sys.stdin:
    count, until, hold = map(int, order.split())
    turns = []
    while count > 0 and (until == 0 or time.monotonic_ns() < until):
        count -= 1
        asked = time.monotonic_ns()
        lock = take()
        granted = time.monotonic_ns()
        if hold > 0:
            time.sleep(hold / 1e6)
        releasing = time.monotonic_ns()
        lock.release()
        turns.append((asked, granted, releasing, time.monotonic_ns()))
    print(''.join('%d %d %d %d\n' % turn for turn in turns) + 'end', flush=True)
