// @ts-check
// The audit of an app: who wrote, and whether the chain of its records is whole.

import {userLink} from '../shared/shell.js';
import {pages} from '../shared/api.js';
import {element, formOf, labelled, note, number, on, replace, table, when} from '../shared/dom.js';
import {act, spoken} from '../shared/labels.js';
import {shortName} from '../shared/contract.js';
import {nameLinks} from '../user/people.js';

/** The records that are shown: the latest; and the most that a look at the chain reads. */
const [SHOWN, MOST_VERIFIED, PAGE] = [100, 200_000, 1_000];

/** @type {AppPart} */
export async function audit(page, place) {
  const of = element('input', {type: 'checkbox', checked: Boolean(page.parameters.server)});
  const list = element('div');
  const head = element('input', {maxlength: 64});
  const status = element('p', {role: 'status'});
  const verify = element('button', {}, 'Verify');
  const read = async () => {
    const {lastSequence = '0'} = await page.calls('MaintenanceService/ListAuditRecords',
      {pageSize: 1, ofServer: of.checked});
    /** @type {Relation.ListAuditRecordsResponse} */
    const {records = [], totalSize = 0, auditDays = 0, recordsEveryCall, lastHash} =
      await page.calls('MaintenanceService/ListAuditRecords', {pageSize: SHOWN,
        ofServer: of.checked, afterSequence: String(Math.max(0, Number(lastSequence) - SHOWN))});
    replace(list, auditDays ? note(`Each record is kept for ${
      number(auditDays)} days${recordsEveryCall ? ', also of reads' : ''}. There are ${
      number(totalSize)}; the latest come first.`)
      : note('The server keeps no audit: its operator starts it with ',
        element('code', {}, '--audit-days'), '.'), records.length > 0 && [table('Audit',
      ['Number', 'When', 'Kind', 'Call', 'By', 'For', 'Outcome', 'Calls'],
      records.reverse().map(each => [number(each.sequence ?? ''), when(each.timeMs),
        spoken(shortName('AuditKind', each.kind)), each.method
          ? element('span', {title: each.method}, act(each.method.split('/')[1])) : '–',
        [each.caller || '–', each.callerName && element('small', {}, ` ${each.callerName}`)],
        each.userId ? userLink(each.userId) : each.userDigest ? 'an erased user' : '–',
        each.reason ? spoken(each.reason) : each.code ? `code ${each.code}`
          : each.applied ? 'changed' : '–',
        number(each.count ?? 1)])),
    note('The hash of the newest record: ',
      element('code', {class: 'key'}, hexadecimal(bytesOf(lastHash))))]);
    await nameLinks(list, page.signal, page.app);
  };
  on(of, 'change', () => {
    replace(status);
    read();
  });
  replace(place, labelled('That of the server itself', of), list,
    formOf(async () => {
      verify.disabled = true;
      replace(status, 'Looking at the records.');
      const {error, said} = await look(page, of.checked, head.value.trim().toLowerCase())
        .finally(() => { verify.disabled = false; });
      replace(status, element('strong', {class: error ? 'bad' : 'good'},
        error ? 'Changed: ' : 'Whole: '), error || said);
    }, element('h3', {}, 'Is the chain whole?'),
    labelled('A hash that was kept elsewhere', head), verify), status);
  await read();
}

/** @param {string} [text] */
const bytesOf = (text = '') => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
/** @param {Uint8Array} bytes */
const hexadecimal = bytes => [...bytes].map(each => each.toString(16).padStart(2, '0')).join('');
/** @param {Uint8Array[]} parts */
const digest = async (...parts) => hexadecimal(new Uint8Array(
  await crypto.subtle.digest('SHA-256', await new Blob(/** @type {any} */ (parts)).arrayBuffer())));

/** @param {string | number | boolean | undefined} value */
function whole(value) {
  const made = new Uint8Array(8);
  new DataView(made.buffer).setBigInt64(0, BigInt(value ?? 0));
  return made;
}

/** @param {string | Uint8Array} [content] */
function long(content = '') {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return [whole(bytes.length), bytes];
}

/**
 * The hash that the fields of a record have behind the one before it.
 *
 * @param {Relation.AuditRecord} each
 * @param {number} kind
 */
const hashOf = (each, kind) => digest(bytesOf(each.previousHash), whole(each.sequence), whole(kind),
  whole(each.timeMs), ...long(each.method), ...long(each.caller), ...long(each.callerName),
  ...long(bytesOf(each.userDigest)), whole(each.code), ...long(each.reason),
  ...long(each.requestDigest ? '' : each.requestId), whole(each.requestBytes),
  whole(Boolean(each.applied)), ...long(each.address), whole(each.count), whole(each.subject),
  ...long(bytesOf(each.subjectHash)),
  ...(each.requestDigest ? long(bytesOf(each.requestDigest).slice(0, 32)) : []));

/**
 * Looks at each record, as `relationctl audit verify` does: the first that is not as it was made,
 * or what is whole.
 *
 * @param {AppPage} page
 * @param {boolean} ofServer
 * @param {string} head the hash that some record must have; none if it is empty
 * @returns {Promise<{error?: string, said?: string}>}
 */
async function look({all, app, signal}, ofServer, head) {
  const kinds = all.enums.get('AuditKind')?.values ?? [];
  let [count, last, hasHead, first, isTrimmed] = [0, '', !head, '', false];
  let [before, beginning, erased] = [0, '', 0];
  const asked = {pageSize: PAGE, ofServer};
  for await (const {rows} of pages(
    'MaintenanceService/ListAuditRecords', asked, 'records', signal, app)) {
    for (const each of rows) {
      const name = `record ${each.sequence}`;
      const [hash, previous] = [each.hash, each.previousHash]
        .map(text => hexadecimal(bytesOf(text)));
      const kind = Number(kinds.find(value => value.name === each.kind)?.number ?? 0);
      if (await hashOf(each, kind) !== hash) {
        return {error: `the hash of ${name} is not that of its fields.`};
      }
      const request = bytesOf(each.requestDigest);
      let isErased = false;
      for (const [text, salt, made, what] of /** @type {const} */ ([
        [each.userId, bytesOf(each.userSalt), bytesOf(each.userDigest), 'user'],
        [request.length > 0 && each.requestId, request.slice(32), request.slice(0, 32),
          'request id']])) {
        if (text) {
          if (salt.length !== 16 ||
            await digest(salt, new TextEncoder().encode(text)) !== hexadecimal(made)) {
            return {error: `${name} was made for another ${what}.`};
          }
        } else if (salt.length > 0) {
          // An erasure removes both.
          return {error: `the ${what} of ${name} was removed, but not by an erasure.`};
        } else isErased ||= made.length > 0;
      }
      erased += Number(isErased);
      const sequence = Number(each.sequence);
      if (!count) [first, beginning] = [String(sequence), previous];
      else if (sequence !== before + 1) return {error: `record ${before + 1} is missing.`};
      else if (previous !== last) {
        return {error: `${name} was made after another one than that before it.`};
      }
      isTrimmed ||= each.kind === 'AUDIT_KIND_TRIM' && Number(each.subject) === Number(first) - 1 &&
        hexadecimal(bytesOf(each.subjectHash)) === beginning;
      hasHead ||= hash === head;
      [before, last] = [sequence, hash];
      count += 1;
    }
    if (count >= MOST_VERIFIED) {
      return {said: `the first ${number(count)} records; relationctl looks at all.`};
    }
  }
  if (first === '1' && /[^0]/.test(beginning)) return {error: 'a record stood before 1.'};
  if (count && first !== '1' && !isTrimmed) return {error: `records before ${first} are missing.`};
  if (!hasHead) {
    return {error: 'no record has that hash: the last ones are missing, or all are new.'};
  }
  return {said: !count ? 'there is no record.' : `records ${first} to ${number(before)}${
    erased ? `; ${number(erased)} of them lost a name by an erasure` : ''}.`};
}
