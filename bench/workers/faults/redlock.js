/* redlock on one ioredis, which asks for ever with its own delays, and extends after each step, with its own number of tries. */
'use strict';

const { connect, section, work, key, lease } = require('./section.js');
const Redlock = require('redlock');

section(async () => {
	const redlock = new Redlock([connect()]);
	const lock = await redlock.lockWithOptions(key, lease, { retryCount: -1 });
	try {
		await work(undefined, () => lock.extend(lease));
	} finally {
		await lock.unlock();
	}
}, (error) => error instanceof Redlock.LockError);
