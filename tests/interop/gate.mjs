// The gate without its I/O: reads the lines of tests/gate.txt, reads TAP, and judges the one by the other.

/** Reads the text of a gate file: [{suite, rule: 'all' | 'only' | 'except', pattern, reason, line}]. Throws on a bad line. */
export function parseGate(text) {
  const lines = [];
  let comments = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line.startsWith('#')) { comments.push(line.replace(/^#\s?/, '')); continue; }
    if (!line) { comments = []; continue; }
    const found = line.match(/^(\S+)(?:\s+(only|except)\s+(.+))?$/);
    if (!found) throw new Error(`gate line ${index + 1}: "${line}" is not SUITE [only REGEX | except REGEX]`);
    const [, suite, rule = 'all', source] = found;
    let pattern;
    try { pattern = source && new RegExp(source); } catch (error) { throw new Error(`gate line ${index + 1}: ${error.message}`); }
    lines.push({ suite, rule, pattern, reason: comments.join(' '), line });
    comments = [];
  }
  return lines;
}

/** True when the gate line judges the test of this full name. */
export function selects({ rule, pattern }, name) {
  if (rule === 'all') return true;
  return pattern.test(name) === (rule === 'only');
}

const isFile = (name) => /^\.{0,2}\/.*\.m?js$/.test(name);
const unescape = (text) => text.replace(/\\([\\#])/g, '$1');

/** A result line without its indent: {ok, name, skip, todo}, or undefined for anything else. */
function parseResult(line) {
  const found = line.match(/^(not )?ok \d+(?: - (.*))?$/);
  if (!found) return undefined;
  const text = found[2] ?? '';
  // A "#" of the name itself is escaped, so the first bare one starts the directive.
  const [, name, directive = ''] = text.match(/^((?:\\.|[^\\#])*?)\s*(?:(?<!\\)# ?(.*))?$/) ?? [undefined, text];
  const [, kind, why] = directive.match(/^(SKIP|TODO)\b\s*(.*)$/i) ?? [];
  return {
    ok: !found[1], name: unescape(name),
    skip: kind?.toUpperCase() === 'SKIP' ? unescape(why) || 'skipped' : undefined,
    todo: kind?.toUpperCase() === 'TODO',
  };
}

/**
 * Reads the TAP output of `node --test`: [{name, ok, skip, todo, failureType, error, parent}] in the order of the results.
 * `name` is the whole name, levels joined by " > "; `parent` says that the test has subtests. A file's own level, which some
 * versions of Node print, is not part of a name; its own result has the name "".
 */
export function parseTap(tap) {
  const results = [];
  const open = [];  // the names of the levels around the current line
  let last;
  let block;  // the indent of the YAML block that is being read
  let text;  // its key whose lines are being read
  for (const raw of tap.split('\n')) {
    const indent = raw.length - raw.trimStart().length;
    const line = raw.trimStart();
    if (block !== undefined) {
      if (line === '...' && indent === block) { block = undefined; continue; }
      if (indent > block || !line) { if (text && line) last[text] += `${last[text] && ' '}${line}`; continue; }
      const [, key, value] = line.match(/^(failureType|error|type): (.*)$/) ?? [];
      text = value?.startsWith('|') ? key : undefined;  // its lines follow, indented
      if (key) last[key] = text ? '' : value.replace(/^'(.*)'$/, '$1');
      continue;
    }
    if (line === '---' && last && indent % 4 === 2) { block = indent; text = undefined; continue; }
    if (indent % 4) continue;
    const level = indent / 4;
    const subtest = line.match(/^# Subtest: (.*)$/);
    if (subtest) { open.length = level; open[level] = unescape(subtest[1]); continue; }
    const result = parseResult(line);
    if (!result || level > open.length) continue;
    const levels = [...open.slice(0, level), result.name].filter((name, at) => at > 0 || !isFile(name));
    const name = levels.join(' > ');
    last = { ...result, name, parent: !name || results.some((one) => one.name.startsWith(`${name} > `)) };
    results.push(last);
  }
  return results;
}

/**
 * Judges results by one line of the gate: {passed, failed, skipped, leftOut}, each a list of results. A parent is judged
 * only where it failed by itself (a hook, say), not through its subtests, and only if the line selects one of them or
 * itself. The file's own failure always counts. A TODO test counts as skipped.
 */
export function judge(line, results) {
  const verdict = { passed: [], failed: [], skipped: [], leftOut: [] };
  for (const result of results) {
    if (result.parent || result.type === 'suite') {
      if (result.ok || result.failureType === 'subtestsFailed') continue;
      const family = results.filter((one) => one === result || one.name.startsWith(`${result.name} > `));
      const counts = !result.name || family.some((one) => selects(line, one.name));
      verdict[counts ? 'failed' : 'leftOut'].push(result);
      continue;
    }
    if (!selects(line, result.name)) verdict.leftOut.push(result);
    else if (result.skip !== undefined || result.todo) verdict.skipped.push(result);
    else verdict[result.ok ? 'passed' : 'failed'].push(result);
  }
  return verdict;
}
