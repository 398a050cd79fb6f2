#!/usr/bin/env node
// Runs the suites that tests/gate.txt names and judges them by test name. Needs nothing but Node; what the suites need
// (ws, the Codex CLI) they find in tests/node_modules.
//
//   run-gate.mjs [SUITE...]   all lines of the gate, or those of the named suites
//   run-gate.mjs --folder     prints the folder of the shared suites, or fails where there is none
//
// $EXEC_SERVER is the command under test (build/release/outpost serve), $OUTPOST_SHARED the folder of the suites,
// $GATE another gate file, $SUITE_SECONDS the time that one suite may take.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { judge, parseGate, parseTap } from './gate.mjs';

const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const tests = path.join(repo, 'tests');
const shared = path.resolve(process.env.OUTPOST_SHARED ?? path.join(repo, '../shared'));
const suiteSeconds = Number(process.env.SUITE_SECONDS ?? 900);

function suiteFile(suite) {
  const places = [`conformance/${suite}.test.mjs`, `interop/${suite}/run.test.mjs`, `interop/${suite}/run-reference.test.mjs`, `interop/${suite}.test.mjs`];
  const found = places.map((place) => path.join(shared, place)).find((place) => existsSync(place));
  if (!found) throw new Error(`no suite "${suite}" in ${shared}: looked for ${places.join(', ')}`);
  return found;
}

let killSuite = () => {};  // ends the suite that runs now
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => { killSuite(); process.exit(1); });

/** Runs one suite file; resolves with {tap, stderr, timedOut}. Its whole process group is gone afterwards. */
async function run(file) {
  const env = {
    ...process.env,
    EXEC_SERVER: process.env.EXEC_SERVER ?? `"${path.join(repo, 'build/release/outpost')}" serve`,
    WS_FROM: process.env.WS_FROM ?? tests, DEPS_FROM: process.env.DEPS_FROM ?? tests,
  };
  delete env.FUZZ_SECONDS;  // make's; a suite looks at what a child inherits, by patterns that it would match
  delete env.NODE_TEST_CONTEXT;  // else a runner inside a test would not print TAP
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', file], { cwd: tests, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  killSuite = () => { try { process.kill(-child.pid, 'SIGKILL'); } catch { /* it is gone */ } };
  let tap = '', stderr = '', timedOut = false;
  child.stdout.on('data', (data) => { tap += data; });
  child.stderr.on('data', (data) => { stderr += data; });
  const timer = setTimeout(() => { timedOut = true; killSuite(); }, suiteSeconds * 1000);
  await new Promise((resolve, reject) => { child.on('exit', resolve); child.on('error', reject); });
  clearTimeout(timer);
  killSuite();
  await Promise.all([child.stdout, child.stderr].map((stream) => stream.closed || new Promise((resolve) => {
    stream.on('close', resolve);
    setTimeout(() => stream.destroy(), 1000).unref();  // a stray holder of the pipe must not hold us
  })));
  return { tap, stderr, timedOut };
}

function report(line, { tap, stderr, timedOut }) {
  const results = parseTap(tap);
  const verdict = judge(line, results);
  for (const one of verdict.passed) console.log(`ok ${line.suite}: ${one.name}`);
  for (const one of verdict.skipped) console.log(`ok ${line.suite}: ${one.name} # SKIP ${one.skip ?? 'todo'}`);
  for (const one of verdict.failed) console.log(`not ok ${line.suite}: ${one.name || 'the suite itself'}\n  # ${(one.error ?? one.failureType ?? 'failed').slice(0, 400)}`);
  const rule = line.rule === 'all' ? '' : `${line.rule} ${line.pattern.source}`;
  for (const one of verdict.leftOut) console.log(`# left out, ${one.skip !== undefined ? 'skipped' : one.ok ? 'would pass' : 'would fail'}: ${line.suite}: ${one.name} (${line.reason || rule})`);
  const problems = [];
  if (timedOut) problems.push(`the suite did not end within ${suiteSeconds} s`);
  if (verdict.passed.length + verdict.failed.length === 0) problems.push('no selected test ran');
  for (const problem of problems) console.log(`not ok ${line.suite}: ${problem}`);
  if (timedOut || !results.length) console.log(`${tap.slice(-2000)}\n${stderr.slice(-2000)}`.replace(/^/gm, '  # '));
  const counts = { ok: verdict.passed.length, notOk: verdict.failed.length + problems.length, skipped: verdict.skipped.length, leftOut: verdict.leftOut.length };
  console.log(`# ${line.line}: ${counts.ok} ok, ${counts.notOk} not ok, ${counts.skipped} skipped, ${counts.leftOut} left out`);
  return counts;
}

async function main(words) {
  if (words[0] === '--folder') {
    if (!existsSync(shared)) throw new Error(`no folder of shared suites at ${shared}`);
    console.log(shared);
    return 0;
  }
  const lines = parseGate(readFileSync(process.env.GATE ?? path.join(tests, 'gate.txt'), 'utf8')).filter(({ suite }) => !words.length || words.includes(suite));
  if (!existsSync(shared)) {
    console.log(`# gate: not run, because there are no shared suites at ${shared}`);
    return 0;
  }
  if (!lines.length) throw new Error(`the gate has no line for ${words.join(', ') || 'anything'}`);
  const total = { ok: 0, notOk: 0 };
  for (const line of lines) {
    const counts = report(line, await run(suiteFile(line.suite)));
    total.ok += counts.ok;
    total.notOk += counts.notOk;
  }
  console.log(`gate: ${total.ok} ok, ${total.notOk} not ok`);
  return total.notOk || !total.ok ? 1 : 0;
}

main(process.argv.slice(2)).then((status) => { process.exitCode = status; }, (error) => {
  console.error(`run-gate: ${error.message}`);
  process.exitCode = 1;
});
