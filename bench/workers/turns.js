/* Takes turns as turns.php says, for locks in JavaScript. */
'use strict';

const readline = require('node:readline');
const Redis = require('ioredis');

const [address, key, lease, ...options] = process.argv.slice(2);
const limit = Number(options.find((option) => option.startsWith('limit='))?.slice('limit='.length));
const cell = new Int32Array(new SharedArrayBuffer(4));
const now = () => process.hrtime.bigint();

function connect() {
	const redis = address.startsWith('/') ? new Redis(address) : new Redis(Number(address), '127.0.0.1');
	redis.on('error', (error) => { throw error; });
	return redis;
}

async function turns(take, give) {
	console.log('ready');
	for await (const order of readline.createInterface({ input: process.stdin })) {
		const [count, until, hold] = order.split(' ').map(BigInt);
		let lines = '';
		for (let left = count; left > 0n && (until === 0n || now() < until); left--) {
			const asked = now();
			const lock = await take();
			const granted = now();
			if (hold > 0n) {
				Atomics.wait(cell, 0, 0, Number(hold) / 1000); // a critical section that keeps its CPU from nobody
			}
			const releasing = now();
			await give(lock);
			lines += `${asked} ${granted} ${releasing} ${now()}\n`;
		}
		process.stdout.write(`${lines}end\n`);
	}
	process.exit(0);
}

module.exports = { connect, turns, key, lease: Number(lease), limit };
