import {element, replace} from './dom.js';

export const title = 'Graph';

export async function show(place, parameters, signal) {
  replace(place, element('p', {}, 'not written yet'));
}
