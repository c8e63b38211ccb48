/* The Mutex of redis-semaphore on ioredis, or its Semaphore (`limit=N`), with its own interval between tries and no refreshing. */
'use strict';

const { connect, turns, key, lease, limit } = require('./turns.js');
const { Mutex, Semaphore } = require('redis-semaphore');

const options = { lockTimeout: lease, acquireTimeout: 120000, refreshInterval: 0 };

let redis;
turns(
	async () => {
		redis ??= connect();
		const lock = limit ? new Semaphore(redis, key, limit, options) : new Mutex(redis, key, options);
		await lock.acquire();
		return lock;
	},
	(lock) => lock.release(),
);
