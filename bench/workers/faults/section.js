/* A section as section.php says, for locks in JavaScript. */
'use strict';

const fs = require('node:fs');
const readline = require('node:readline');
const Redis = require('ioredis');

const STEP_MS = 50;
const AGAIN_MS = 100;
const [address, key, lease, work_ms, wait, name, recorder] = process.argv.slice(2);
const pipe = fs.openSync(recorder, 'w');
const steps = Math.floor(work_ms / STEP_MS);
const now = () => process.hrtime.bigint();
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let is_in;

class Lost extends Error {}

function mark(what, text = '') {
	const line = `${name} ${what} ${now()} ${text.replaceAll('\n', ' ')}`;
	fs.writeSync(pipe, `${line.slice(0, 500).trimEnd()}\n`);
}

function connect() {
	const redis = new Redis(address);
	redis.on('error', () => {}); // it connects again by itself
	return redis;
}

async function work(before = () => {}, after = () => {}) {
	is_in = true;
	mark('in');
	for (let i = 0; i < steps; i++) {
		await before();
		mark('step');
		await sleep(STEP_MS);
		await after();
	}
	mark('out');
}

async function section(hold, is_lost) {
	mark('ready');
	for await (const _ of readline.createInterface({ input: process.stdin })) {
		break;
	}
	mark('asks');
	while (!await attempt(hold, is_lost)) {
		await sleep(AGAIN_MS);
	}
	process.exit(0);
}

async function attempt(hold, is_lost) {
	is_in = false;
	try {
		await hold();
		mark('done');
	} catch (error) {
		const what = error instanceof Lost || is_lost(error) ? 'told' : 'error';
		mark(is_in ? what : 'failed', `${error.name}: ${error.message}`);
	}
	return is_in;
}

module.exports = { connect, section, work, mark, Lost, key, lease: Number(lease), wait_ms: Number(wait) * 1000 };
