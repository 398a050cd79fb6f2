// Our client on the reference's server: `outpost run` through `codex exec-server`.
// $OUTPOST_BINARY is our program, $CODEX_BIN the Codex CLI.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const { OUTPOST_BINARY, CODEX_BIN } = process.env;
const home = mkdtempSync(path.join(tmpdir(), 'outpost-interop-'));
let server, url;

/** Runs `outpost run` and resolves with {status, stdout, stderr}; `input` is its stdin. */
function run(argv, { input = '', options = [], to = url } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(OUTPOST_BINARY, ['run', '--url', to, ...options, '--', ...argv], { stdio: 'pipe', timeout: 30000 });
    const out = [], err = [];
    child.stdout.on('data', (data) => out.push(data));
    child.stderr.on('data', (data) => err.push(data));
    child.stdin.on('error', () => {});  // a command may end before it has read everything
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status: status ?? signal, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() }));
    child.stdin.end(input);
  });
}

before(async () => {
  assert.ok(OUTPOST_BINARY && CODEX_BIN, 'set OUTPOST_BINARY and CODEX_BIN (make interop does)');
  server = spawn(CODEX_BIN, ['exec-server', '--listen', 'ws://127.0.0.1:0'], { env: { ...process.env, CODEX_HOME: home, HOME: home }, stdio: ['ignore', 'pipe', 'inherit'] });
  url = await new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (data) => { text += data; const found = text.match(/ws:\/\/\S+/); if (found) resolve(found[0]); });
    server.on('error', reject);
    server.on('exit', (status) => reject(new Error(`codex exec-server ended with ${status}`)));
  });
}, { timeout: 30000 });

after(() => {
  server?.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

test('output, errors and the exit status come back', async () => {
  const done = await run(['sh', '-c', 'echo out; echo err >&2; exit 7']);
  assert.deepEqual([done.status, done.stdout.toString(), done.stderr], [7, 'out\n', 'err\n']);
});

test('large output arrives whole and in order', async () => {
  const done = await run(['seq', '1', '500000']);
  const expected = createHash('sha256');
  for (let number = 1; number <= 500000; number += 1) expected.update(`${number}\n`);
  assert.equal(done.status, 0);
  assert.equal(createHash('sha256').update(done.stdout).digest('hex'), expected.digest('hex'));
});

test('stdin reaches the command', async () => {  // its end does not: the reference has no way to say it
  const input = Buffer.alloc(300000, 'abcdefghi\n');
  const done = await run(['sh', '-c', 'head -c 300000 | wc -c'], { input });
  assert.deepEqual([done.status, done.stdout.toString().trim()], [0, '300000']);
});

test('the environment is the far one and what --env gives', async () => {
  const done = await run(['sh', '-c', 'echo "$HOME $GIVEN"'], { options: ['--env', 'GIVEN=here'] });
  assert.equal(done.stdout.toString(), `${home} here\n`);
});

test('a program that is not there is told, with a status of its own', async () => {
  const done = await run(['/no/such/program']);
  assert.equal(done.status, 127);
  assert.match(done.stderr, /no\/such\/program/);
});

test('a server that is not there is told', async () => {
  const done = await run(['true'], { to: 'ws://127.0.0.1:1' });
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /127\.0\.0\.1:1/);
});
