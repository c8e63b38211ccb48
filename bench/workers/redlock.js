/* redlock on ioredis, with its own delays between tries, for ever. */
'use strict';

const { connect, turns, key, lease } = require('./turns.js');
const Redlock = require('redlock');

let redlock;
turns(
	() => {
		redlock ??= new Redlock([connect()], { retryCount: -1 });
		return redlock.lock(key, lease);
	},
	(lock) => lock.unlock(),
);
