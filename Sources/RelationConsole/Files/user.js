import {element, replace} from './dom.js';

export const title = 'User';

export async function show(place, parameters, signal) {
  replace(place, element('p', {}, 'not written yet'));
}
