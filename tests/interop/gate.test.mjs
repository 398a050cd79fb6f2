// The gate's own reader and judge: what a line selects, and how TAP is read.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { judge, parseGate, parseTap, selects } from './gate.mjs';

const TAP = `TAP version 13
# a line that the tests printed
# Subtest: outer
    # Subtest: alpha \\# x \\\\ y
    ok 1 - alpha \\# x \\\\ y
      ---
      duration_ms: 1
      ...
    # Subtest: beta
    not ok 2 - beta
      ---
      duration_ms: 0.4
      failureType: 'testCodeFailure'
      error: |-
        it broke

        in two lines
      stack: |-
        ok 7 - not a result
      ...
    # Subtest: gamma
    ok 3 - gamma # SKIP because \\# hash
      ---
      duration_ms: 0.3
      ...
    1..3
not ok 1 - outer
  ---
  type: 'suite'
  failureType: 'subtestsFailed'
  ...
# Subtest: alone
not ok 2 - alone # TODO
  ---
  duration_ms: 0.3
  ...
# Subtest: hooks
    # Subtest: inner
    not ok 1 - inner
      ---
      failureType: 'cancelledByParent'
      ...
    1..1
not ok 3 - hooks
  ---
  type: 'suite'
  failureType: 'hookFailed'
  error: 'no server'
  ...
1..3
# tests 5
`;
const names = (list) => list.map((one) => one.name);
const line = (text) => parseGate(text)[0];

test('a gate line names a suite and what it judges', () => {
  const [smoke, processes] = parseGate('# head\n\nsmoke\n# the terminal comes later\nprocesses except ^terminals > |tty x\n');
  assert.deepEqual([smoke.suite, smoke.rule, smoke.reason], ['smoke', 'all', '']);
  assert.deepEqual([processes.suite, processes.rule, processes.reason], ['processes', 'except', 'the terminal comes later']);
  assert.equal(processes.pattern.source, '^terminals > |tty x');
  assert.equal(selects(processes, 'terminals > a'), false);
  assert.equal(selects(processes, 'process/start > a'), true);
});

test('a bad gate line is refused with its number', () => {
  assert.throws(() => parseGate('smoke\nprocesses without x'), /line 2/);
  assert.throws(() => parseGate('processes only'), /line 1/);
  assert.throws(() => parseGate('processes only ('), /line 1/);
});

test('TAP gives whole names, skips, errors and parents', () => {
  const results = parseTap(TAP);
  assert.deepEqual(names(results), ['outer > alpha # x \\ y', 'outer > beta', 'outer > gamma', 'outer', 'alone', 'hooks > inner', 'hooks']);
  assert.equal(results[1].error, 'it broke in two lines');
  assert.equal(results[6].error, 'no server');
  assert.equal(results[2].skip, 'because # hash');
  assert.deepEqual(results.map((one) => one.parent), [false, false, false, true, false, false, true]);
});

test('the level of the file, which some versions print, is no part of a name', () => {
  const tap = '# Subtest: /a/b.test.mjs\n    # Subtest: one\n    ok 1 - one\n    1..1\nok 1 - /a/b.test.mjs\n';
  assert.deepEqual(names(parseTap(tap)), ['one', '']);
  assert.deepEqual(names(judge(line('s'), parseTap(tap)).passed), ['one']);
});

test('a file that fails by itself fails every line of its suite', () => {
  const tap = "# Subtest: one\nok 1 - one\n# Subtest: /a/b.test.mjs\nnot ok 2 - /a/b.test.mjs\n  ---\n  failureType: 'testCodeFailure'\n  ...\n";
  for (const text of ['s', 's only one', 's except two']) assert.deepEqual(names(judge(line(text), parseTap(tap)).failed), ['']);
  const children = tap.replace('testCodeFailure', 'subtestsFailed');
  assert.deepEqual(judge(line('s'), parseTap(children)).failed, []);
});

test('a whole suite is judged with its failing hooks, and a parent not for its children', () => {
  const verdict = judge(line('s'), parseTap(TAP));
  assert.deepEqual(names(verdict.passed), ['outer > alpha # x \\ y']);
  assert.deepEqual(names(verdict.failed), ['outer > beta', 'hooks > inner', 'hooks']);
  assert.deepEqual(names(verdict.skipped), ['outer > gamma', 'alone']);
});

test('except leaves out what matches, and the parent that failed through it', () => {
  const verdict = judge(line('s except beta|^hooks'), parseTap(TAP));
  assert.deepEqual(names(verdict.failed), []);
  assert.deepEqual(names(verdict.leftOut), ['outer > beta', 'hooks > inner', 'hooks']);
});

test('only judges what matches', () => {
  const verdict = judge(line('s only alpha'), parseTap(TAP));
  assert.deepEqual(names(verdict.passed), ['outer > alpha # x \\ y']);
  assert.deepEqual(names(verdict.failed), []);
});

test('a failed hook counts where the line selects a test of its group', () => {
  assert.deepEqual(names(judge(line('s only > inner'), parseTap(TAP)).failed), ['hooks > inner', 'hooks']);
  assert.deepEqual(names(judge(line('s except hooks > |beta'), parseTap(TAP)).failed), ['hooks']);
  assert.deepEqual(names(judge(line('s except hooks|beta'), parseTap(TAP)).failed), []);
});

test('output that is cut off gives what was there', () => {
  assert.deepEqual(names(parseTap(TAP.slice(0, TAP.indexOf('# Subtest: gamma')))), ['outer > alpha # x \\ y', 'outer > beta']);
  assert.deepEqual(parseTap(''), []);
});
