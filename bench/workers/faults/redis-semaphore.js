/* The Mutex of redis-semaphore on ioredis, which refreshes by itself, in its loop `while (mutex.isAcquired)`. */
'use strict';

const { connect, section, work, Lost, key, lease, wait_ms } = require('./section.js');
const { LostLockError, Mutex } = require('redis-semaphore');

section(async () => {
	let lost;
	const mutex = new Mutex(connect(), key, {
		lockTimeout: lease,
		acquireTimeout: wait_ms,
		onLockLost: (error) => { lost = error; },
	});
	await mutex.acquire();
	try {
		await work(() => {
			if (!mutex.isAcquired) {
				throw lost ?? new Lost('isAcquired is false');
			}
		});
	} finally {
		await mutex.release();
	}
}, (error) => error instanceof LostLockError);
