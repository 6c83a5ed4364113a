// @ts-check
// Reports of users about others, users that are suspended, and applications that carry risks.

import {address, userLink} from '../shared/shell.js';
import {lower} from '../shared/contract.js';
import {buttons, element, formOf, labelled, replace, when} from '../shared/dom.js';
import {button, listed} from './rows.js';

/** @type {AppPart} */
export async function moderation(page, place) {
  const {app = {}} = await page.calls('AppService/GetApp', {appId: Number(page.app)});
  const marks = Boolean(app.settings?.marksRisks);
  replace(place, ...await Promise.all([reports(page), suspensions(page)]), element('section', {},
    element('h3', {}, 'Risks'), element('p', {}, marks
      ? ['Applications that carry a risk are marked: ', element('a',
        {href: address('events', {kind: 'RISK_MARKED'})}, 'see them as they come'), '.']
      : 'Applications that carry a risk are not marked.'),
    button(page, marks ? 'Mark no risks…' : 'Mark risks…', 'AppService/UpdateApp', {
      request: {settings: {marksRisks: !marks}, updateMask: 'marksRisks'},
      hides: ['name', 'settings', 'update_mask', 'expected_version'],
      say: `Applications will be ${marks ? 'marked no more' : 'marked from now on'}.`,
    })));
}

/**
 * The reports, of all users or of the one of the address, with a choice of both.
 *
 * @param {AppPage} page
 */
function reports(page) {
  const {of = '', closed} = page.parameters;
  const user = element('input', {value: of, placeholder: 'empty: all users'});
  const also = element('input', {type: 'checkbox', checked: Boolean(closed)});
  const filter = formOf(() => {
    location.hash = address('apps', {app: page.app, part: 'moderation', of: user.value.trim(),
      ...also.checked && {closed: '1'}});
  }, labelled('Reports about', user), labelled('Closed ones too', also),
  element('button', {}, 'Show'));
  return listed(page, {
    title: 'Reports', path: 'ModerationService/ListReports', field: 'reports',
    request: {reportedUserId: of, onlyOpen: !closed}, add: filter,
    empty: closed ? 'There is no report.' : 'There is no open report.',
    columns: ['Reported', 'By', 'Why', 'Text', 'About', 'Times', 'Last', 'Outcome', ''],
    row: ({reportId, reportedUserId = '', reporterUserId, category, text, reference, count = 0,
      reportTimeMs, outcome, note}) => [
      userLink(reportedUserId), reporterUserId ? userLink(reporterUserId) : 'no account any more',
      lower('ReportCategory', category), text || '–', reference || '–', count,
      when(reportTimeMs),
      outcome ? `${lower('ReportOutcome', outcome)}${note ? `: ${note}` : ''}`
        : 'open',
      element('span', {}, button(page, 'Close…', 'ModerationService/ResolveReports', {
        request: {items: [{reportId, outcome: outcome ?? 'REPORT_OUTCOME_DISMISSED', note}]},
        hides: ['items[0].report_id'], say: `Report ${reportId} about user ${reportedUserId}.`,
      }, `close report ${reportId}`), ' ', suspend(page, 'Suspend…', {userId: reportedUserId}))],
  });
}

/** @param {AppPage} page */
function suspensions(page) {
  return listed(page, {
    title: 'Suspended users', path: 'ModerationService/ListSuspensions', field: 'suspensions',
    empty: 'No user is suspended.', columns: ['User', 'Level', 'Text', 'Since', 'Until', ''],
    row: each => [userLink(each.userId ?? ''),
      lower('SuspensionLevel', each.level), each.reasonText || '–',
      when(each.startTimeMs), when(each.endTimeMs), element('span', {},
        suspend(page, 'Change…', each), ' ',
        button(page, 'Take back…', 'ModerationService/ReinstateAccounts', {
          request: {userIds: [each.userId]}, hides: ['user_ids'],
          say: `User ${each.userId} may act again.`,
        }, `take back ${each.userId}`))],
    add: buttons(suspend(page, 'Suspend a user…'),
      button(page, 'End the sessions of users…', 'AccountService/RevokeUserSessions', {
        request: {userIds: ['']},
        say: 'Signatures of these users from before now will be refused, and their streams end.',
      })),
  });
}

/**
 * A button that suspends a user, or changes its suspension.
 *
 * @param {AppPage} page
 * @param {string} text
 * @param {Relation.Suspension} [suspension]
 */
function suspend(page, text, suspension = {}) {
  const {userId = '', level = 'SUSPENSION_LEVEL_LIMITED', reasonText, endTimeMs} = suspension;
  return button(page, text, 'ModerationService/SuspendAccounts',
    {request: {items: [{userId, level, reasonText, endTimeMs}]}},
    userId && `${text.replace('…', '').toLowerCase()} ${userId}`);
}
