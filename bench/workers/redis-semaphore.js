/* The Mutex of redis-semaphore on ioredis, with its own interval between tries and no refreshing. */
'use strict';

const { connect, turns, key, lease } = require('./turns.js');
const { Mutex } = require('redis-semaphore');

let redis;
turns(
	async () => {
		redis ??= connect();
		const mutex = new Mutex(redis, key, { lockTimeout: lease, acquireTimeout: 120000, refreshInterval: 0 });
		await mutex.acquire();
		return mutex;
	},
	(mutex) => mutex.release(),
);
