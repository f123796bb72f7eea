// The table, the panels and the diagrams of a report, made from the data in the page.
//
// Elements and text are made, never markup, so that nothing in a log becomes a part of the page. Which group
// is open stands in the address (#case=ID), so that it can be linked to and the back button works.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const PAGE = 100; // groups on a page of the table
  const PRINTED = 500; // groups in print
  const VERDICTS = ['Fail', 'WeakFail', 'Inconclusive', 'WeakPass', 'Pass'];
  const GLYPHS = { Fail: '✗', WeakFail: '✗', Inconclusive: '?', WeakPass: '~', Pass: '✓' };
  const STATES = {
    accepted: 'observed and accepted',
    refused: 'observed, not accepted',
    expected: 'expected next, not observed',
    assumed: 'assumed, not observed',
  };

  const find = (id) => document.getElementById(id);
  const count = (number) => number.toLocaleString('en');
  const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`;

  // What cannot be seen, or turns text around, is shown as what it is.
  const visible = (text) => String(text)
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

  // Names that are written from right to left, so that they turn nothing around them.
  const isolated = (text) => String(text).split(/([\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]+)/)
    .map((part, at) => (at % 2 === 0 ? part : h('bdi', {}, part)));

  // An element; children that are text become text.
  const make = (space) => (tag, attributes, ...children) => {
    const element = space ? document.createElementNS(space, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? '' : value);
    }
    for (const child of children.flat()) {
      if (child instanceof Node) element.append(child);
      else if (child !== null && child !== undefined && child !== '') element.append(visible(child));
    }
    return element;
  };
  const h = make(null);
  const s = make('http://www.w3.org/2000/svg');

  const say = (text) => { find('said').textContent = visible(text); };
  const badge = (verdict) => h('span', { class: `badge v-${verdict}` },
    h('span', { 'aria-hidden': 'true' }, `${GLYPHS[verdict]} `), verdict);

  // ---- Theme ----

  function theme() {
    const button = find('theme');
    const choices = ['automatic', 'light', 'dark'];
    // A page from a file may have no storage.
    const stored = (value) => {
      try {
        if (value === undefined) return localStorage.getItem('otus-theme');
        localStorage.setItem('otus-theme', value);
      } catch { /* It is chosen anew next time. */ }
      return null;
    };
    const apply = (choice) => {
      if (choice === 'automatic') delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = choice;
      button.textContent = `Theme: ${choice}`;
    };
    let choice = choices.includes(stored()) ? stored() : 'automatic';
    apply(choice);
    button.hidden = false;
    button.addEventListener('click', () => {
      choice = choices[(choices.indexOf(choice) + 1) % choices.length];
      stored(choice);
      apply(choice);
    });
  }

  // ---- The table of groups ----

  const table = (() => {
    const cases = data.cases;
    const all = cases.map((_, index) => index);
    const words = cases.map((c) =>
      [c.id, c.verdict, c.headline, c.cause, c.log, c.specification].join('\n').toLowerCase());
    const present = VERDICTS.filter((verdict) => cases.some((c) => c.verdict === verdict));
    const causes = [...new Set(cases.map((c) => c.cause).filter(Boolean))].sort();
    const state = { verdicts: new Set(present), text: '', cause: '', key: 'verdict', down: false, page: 0 };
    let shown = all;
    let printing = false;

    const columns = [
      { key: 'verdict', name: 'Verdict', of: (c) => VERDICTS.indexOf(c.verdict) },
      { key: 'id', name: 'Group', of: (c) => c.id },
      { key: 'headline', name: 'What is wrong', of: (c) => c.headline ?? '' },
      { key: 'cause', name: 'Cause', of: (c) => c.cause ?? '' },
      { key: 'specification', name: 'Specification', of: (c) => c.specification ?? '' },
      { key: 'log', name: 'Log', of: (c) => c.log ?? '' },
      { key: 'events', name: 'Events', of: (c) => c.events, class: 'number' },
    ].filter(({ key, of }) => !['cause', 'specification', 'log'].includes(key) || cases.some((c) => of(c) !== ''));

    const collator = new Intl.Collator('en', { numeric: true });
    const compare = (a, b) => (typeof a === 'number' ? a - b : collator.compare(a, b));
    // What says nothing comes last, however it is sorted.
    const silent = (a, b) => (a === '') - (b === '');

    const body = h('tbody');
    const heads = columns.map((column) => {
      const button = h('button', { type: 'button', onclick: () => sort(column.key) }, column.name,
        h('span', { 'aria-hidden': 'true' }));
      // Browsers do not repeat buttons at the top of each sheet.
      return h('th', { scope: 'col', class: column.class }, button, h('span', { class: 'paper' }, column.name));
    });
    const status = h('p', { class: 'quiet', role: 'status' });
    const back = h('button', { type: 'button', onclick: () => turn(-1) }, 'Previous page');
    const forth = h('button', { type: 'button', onclick: () => turn(1) }, 'Next page');
    const search = h('input', { type: 'search', autocomplete: 'off', spellcheck: 'false', oninput: () => {
      state.text = search.value;
      apply();
    } });
    const select = h('select', { onchange: () => { state.cause = select.value; apply(); } },
      h('option', { value: '' }, 'any'), causes.map((cause) => h('option', { value: cause }, cause)));

    function chip(verdict) {
      const number = cases.filter((c) => c.verdict === verdict).length;
      const box = h('input', { type: 'checkbox', onchange: () => {
        if (box.checked) state.verdicts.add(verdict);
        else state.verdicts.delete(verdict);
        apply();
      } });
      box.checked = true;
      return h('label', { class: `v-${verdict}` }, box, `${verdict} (${count(number)})`);
    }

    function sort(key) {
      if (state.key === key) state.down = !state.down;
      else Object.assign(state, { key, down: false });
      apply();
    }

    function turn(by) {
      state.page += by;
      draw();
      find('groups').scrollIntoView({ block: 'start' });
      // A button that can no longer be pressed loses the keyboard.
      if (back.disabled) forth.focus();
      else if (forth.disabled) back.focus();
    }

    function apply() {
      const wanted = state.text.toLowerCase().split(/\s+/).filter(Boolean);
      shown = all.filter((index) => {
        const c = cases[index];
        return state.verdicts.has(c.verdict) && (state.cause === '' || c.cause === state.cause)
          && wanted.every((word) => words[index].includes(word));
      });
      const { of } = columns.find(({ key }) => key === state.key);
      const sign = state.down ? -1 : 1;
      const keys = cases.map(of);
      shown.sort((a, b) => silent(keys[a], keys[b]) || sign * compare(keys[a], keys[b]) || a - b);
      state.page = 0;
      draw();
    }

    function draw() {
      const first = printing ? 0 : state.page * PAGE;
      const rows = shown.slice(first, first + (printing ? PRINTED : PAGE));
      body.replaceChildren(...rows.map((index) => line(index)));
      if (rows.length === 0) {
        const why = cases.length === 0 ? 'There are no groups.' : 'No group is like this.';
        body.append(h('tr', {}, h('td', { colspan: columns.length }, why)));
      }
      columns.forEach(({ key }, at) => {
        const sorted = state.key === key;
        heads[at].setAttribute('aria-sort', sorted ? (state.down ? 'descending' : 'ascending') : 'none');
        heads[at].querySelector('button span').textContent = sorted ? (state.down ? ' ▼' : ' ▲') : '';
      });
      const range = rows.length === shown.length ? '' : `${count(first + 1)} to ${count(first + rows.length)} of `;
      const listed = shown.length === cases.length ? '' : ` of ${count(cases.length)}`;
      const more = data.checked > cases.length ? ` ${count(data.checked)} were checked.` : '';
      status.textContent = `Groups shown: ${range}${count(shown.length)}${listed}.${more}`;
      back.disabled = state.page === 0;
      forth.disabled = first + rows.length >= shown.length;
      back.hidden = forth.hidden = shown.length <= PAGE;
    }

    function line(index) {
      const c = cases[index];
      const cells = {
        verdict: () => h('td', { class: 'verdict' }, badge(c.verdict)),
        id: () => h('th', { scope: 'row' },
          c.detail ? h('a', { href: address(index), 'data-case': index }, h('bdi', {}, c.id)) : h('bdi', {}, c.id),
          c.known ? h('span', { class: 'tag' }, 'known') : ''),
        headline: () => h('td', { class: 'why' }, isolated(c.headline ?? '')),
        cause: () => h('td', { class: 'cause' }, c.cause),
        specification: () => h('td', { class: 'file' }, h('bdi', {}, c.specification)),
        log: () => h('td', { class: 'file' }, h('bdi', {}, c.log)),
        events: () => h('td', { class: 'number' }, count(c.events)),
      };
      const row = h('tr', {}, columns.map(({ key }) => cells[key]()));
      if (c.detail) {
        row.className = 'open';
        row.addEventListener('click', (event) => {
          if (!event.target.closest('a') && String(getSelection()) === '') location.hash = address(index);
        });
      }
      return row;
    }

    function build() {
      const tools = h('div', { class: 'tools', role: 'search' },
        h('label', { class: 'field' }, 'Search', search),
        present.length > 1 ? h('fieldset', {}, h('legend', {}, 'Verdicts'), h('div', { class: 'chips' }, present.map(chip))) : '',
        causes.length > 1 ? h('label', { class: 'field' }, 'Cause', select) : '');
      find('groups').append(h('section', { class: 'groups', 'aria-labelledby': 'groups-title' },
        h('h2', { id: 'groups-title' }, 'Groups'), cases.length > 1 ? tools : '',
        h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of groups' },
          h('table', {}, h('caption', { class: 'unseen' }, 'Groups with their verdicts'), h('thead', {}, h('tr', {}, heads)), body)),
        h('div', { class: 'pager' }, status, back, forth)));
      apply();
    }

    return {
      build,
      // The groups with a panel, as they are listed now.
      listed: () => shown.filter((index) => cases[index].detail),
      focus: (index) => {
        const at = shown.indexOf(index);
        if (at >= 0) {
          state.page = Math.floor(at / PAGE);
          draw();
        }
        (body.querySelector(`[data-case="${index}"]`) ?? find('groups').querySelector('input, button')).focus();
      },
      print: (on) => { printing = on; draw(); },
    };
  })();

  // ---- Coverage ----

  function coverage() {
    for (const { specification, parts } of data.coverage) {
      const kinds = [...new Set(parts.map((part) => part.kind))];
      const bars = kinds.map((kind) => {
        const own = parts.filter((part) => part.kind === kind);
        const seen = own.filter((part) => part.times > 0).length;
        return h('li', {}, h('span', { class: 'name' }, kind),
          h('span', { class: 'track', 'aria-hidden': 'true' }, h('span', { style: `width:${100 * seen / own.length}%` })),
          h('span', { class: 'number' }, `${count(seen)} of ${count(own.length)}`),
          h('span', { class: 'share' }, `${Math.floor(100 * seen / own.length)}%`));
      });
      const LISTED = 1000;
      const sorted = [...parts].sort((a, b) => (a.times > 0) - (b.times > 0)).slice(0, LISTED);
      const never = parts.filter((part) => part.times === 0).length;
      const row = (part) => h('tr', { class: part.times === 0 ? 'never' : undefined },
        h('td', {}, part.kind), h('td', {}, h('bdi', {}, part.label)), h('td', { class: 'file' }, h('bdi', {}, part.place)),
        h('td', { class: 'number' }, part.times === 0 ? 'never' : count(part.times)));
      find('coverage').append(h('section', { class: 'coverage' },
        h('h2', {}, 'Coverage of ', h('bdi', {}, specification)),
        h('div', { class: 'card' }, h('ul', { class: 'bars' }, bars),
          h('details', { open: never > 0 },
            h('summary', {}, never === 0 ? 'Every part was exercised' : `${plural(never, 'part')} never exercised, of ${count(parts.length)}`),
            parts.length > LISTED ? h('p', { class: 'quiet' }, `The first ${count(LISTED)} of ${count(parts.length)} parts are listed.`) : '',
            h('div', { class: 'scroll' }, h('table', {},
              h('thead', {}, h('tr', {}, ['Kind', 'Part', 'Place'].map((name) => h('th', { scope: 'col', class: 'plain' }, name)),
                h('th', { scope: 'col', class: 'plain number' }, 'Groups'))),
              h('tbody', {}, sorted.map(row))))))));
    }
  }

  // ---- A panel ----

  // Names are unique by rights; where they are not, the number tells them apart.
  const indices = new Map();
  data.cases.forEach((c, index) => { if (!indices.has(c.id)) indices.set(c.id, index); });
  const address = (index) => {
    const { id } = data.cases[index];
    return `#case=${encodeURIComponent(id)}${indices.get(id) === index ? '' : `&${index}`}`;
  };
  let open = null; // the group that is open: its index, and what redraws its diagram for print

  function panel(index) {
    const c = data.cases[index];
    const { ladder, diagram, specification, mermaid } = c.detail;
    const listed = table.listed();
    const at = listed.indexOf(index);
    const other = (by, name) => {
      const to = at < 0 ? undefined : listed[at + by];
      return h('button', { type: 'button', disabled: to === undefined, onclick: () => { location.hash = address(to); } }, name);
    };
    const facts = [c.cause, c.log, c.specification, plural(c.events, 'event'), c.known ? 'known failure' : ''].filter(Boolean);
    const title = h('h2', { tabindex: '-1' }, badge(c.verdict), h('bdi', {}, c.id));
    const shown = h('div', {}, h('p', { class: 'quiet' }, 'Choose an event of the diagram to see its lines here.'));
    const picture = draw(c.detail, (event) => shown.replaceChildren(...lines(event, diagram, specification)));
    const place = (name, ...children) => h('section', { class: 'card', 'aria-label': name }, h('h3', {}, name), children);
    const side = [
      picture ? place('Event', shown) : '',
      ladder.length > 0 ? place('Explanation', h('ol', { class: 'ladder' },
        ladder.map((rung) => h('li', {}, h('h4', {}, rung.title), h('pre', { tabindex: '0', 'aria-label': rung.title }, isolated(rung.text)))))) : '',
    ];
    const diagramText = mermaid === '' ? '' : copyable(mermaid, c.verdict.endsWith('Fail') ? 'Failing part as Mermaid' : 'As Mermaid');
    open = { index, print: picture?.print };
    find('case').replaceChildren(h('section', { class: 'case', 'aria-label': `Group ${c.id}` },
      h('nav', { 'aria-label': 'Groups' },
        h('button', { type: 'button', onclick: () => { location.hash = ''; } }, '← All groups'),
        other(-1, 'Previous'), other(1, 'Next'),
        at >= 0 && listed.length > 1 ? h('span', { class: 'quiet' }, `${count(at + 1)} of ${count(listed.length)} with details`) : ''),
      title,
      c.headline ? h('p', { class: 'headline' }, isolated(c.headline)) : '',
      h('p', { class: 'quiet' }, facts.flatMap((fact, at) => [at > 0 ? ' · ' : '', h('bdi', {}, fact)])),
      h('div', { class: 'panel' },
        h('div', { class: 'side' },
          picture?.element ?? h('p', { class: 'warning' }, diagram.note || 'There is nothing to draw.'), diagramText),
        h('div', { class: 'side' }, side))));
    picture?.start();
    return title;
  }

  // Log and specification of an event, beside each other.
  function lines(event, diagram, specification) {
    const excerpt = (name, { place, first, lines, marked, columns }) => h('figure', { class: 'excerpt' },
      h('figcaption', {}, `${name}: `, h('bdi', { class: 'code' }, place)),
      lines.length === 0 ? '' : h('pre', { tabindex: '0', 'aria-label': name, style: `--digits:${String(first + lines.length).length}` }, lines.map((text, at) => h('span', { class: at === marked ? 'line marked' : 'line' },
        h('span', {}, first + at), h('span', {}, at === marked && columns ? marking(text, columns) : isolated(text || ' '))))));
    const marking = (text, [from, to]) => {
      const letters = Array.from(text);
      const part = (a, b) => letters.slice(a, b).join('');
      return from < to && from < letters.length
        ? [isolated(part(0, from)), h('mark', {}, isolated(part(from, to))), isolated(part(to))].flat() : isolated(text);
    };
    const name = diagram.lifelines[event.lifeline].name;
    return [
      h('p', {}, h('strong', { class: 'code' }, h('bdi', {}, event.label))),
      h('p', { class: 'quiet' }, `${STATES[event.state]}${event.culprit ? '; it fails here' : ''}; lifeline `, h('bdi', {}, name)),
      event.log ? excerpt('Log', event.log) : h('p', { class: 'quiet excerpt' }, 'No log has it.'),
      event.specification !== undefined ? excerpt('Specification', specification[event.specification])
        : h('p', { class: 'quiet excerpt' }, 'No place of the specification is known for it.'),
    ];
  }

  function copyable(text, name) {
    const block = h('pre', { tabindex: '0', 'aria-label': 'Mermaid' }, text);
    const button = h('button', { type: 'button', onclick: async () => {
      let done = true;
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        // Where that is forbidden, what is selected can still be copied.
        getSelection().selectAllChildren(block);
        done = document.execCommand('copy');
      }
      button.textContent = done ? 'Copied' : 'Selected: press Ctrl+C';
      say(done ? 'Copied' : 'The text is selected');
      setTimeout(() => { button.textContent = 'Copy'; }, 2500);
    } }, 'Copy');
    return h('section', { class: 'card', 'aria-label': name },
      h('div', { class: 'row' }, h('h3', {}, name), button), block);
  }

  // ---- The space-time diagram ----

  const ROW = 34;
  const TOP = 20;
  const PAPER = 14; // rows of a diagram on paper
  const pen = document.createElement('canvas').getContext('2d');
  const width = (text, font = '12px "DejaVu Sans", Verdana, system-ui, sans-serif') => {
    if (!pen) return 7 * text.length;
    pen.font = font;
    return pen.measureText(text).width;
  };
  // The beginning of a text that has room.
  function fitted(text, room) {
    if (width(text) <= room) return text;
    const letters = Array.from(text);
    let [low, high] = [0, letters.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (width(`${letters.slice(0, middle).join('')}…`) <= room) low = middle;
      else high = middle - 1;
    }
    return `${letters.slice(0, low).join('')}…`;
  }

  // The sign of an event at (0, 0).
  function sign(state, culprit) {
    const size = culprit ? 7.5 : 5.5;
    const cross = () => s('path', { class: 'cross', d: 'M-3 -3L3 3M-3 3L3 -3' });
    if (state === 'refused') return [s('rect', { class: 'sign', x: -size, y: -size, width: 2 * size, height: 2 * size }), cross()];
    if (state === 'expected') return [s('path', { class: 'sign', d: 'M0 -7.5L7.5 0L0 7.5L-7.5 0Z' })];
    return [s('circle', { class: 'sign', r: size })];
  }

  function legend(events) {
    const used = Object.keys(STATES).filter((state) => events.some((event) => event.state === state && !event.culprit));
    const entry = (state, culprit, name) => h('li', {}, s('svg', { width: 20, height: 20, viewBox: '-10 -10 20 20', 'aria-hidden': 'true' },
      s('g', { class: `${state} done${culprit ? ' culprit' : ''}` }, sign(state, culprit))), name);
    const culprit = events.find((event) => event.culprit);
    return h('ul', { class: 'legend', 'aria-label': 'Legend' }, used.map((state) => entry(state, false, STATES[state])),
      culprit ? entry(culprit.state, true, 'it fails here') : '');
  }

  function draw({ diagram }, show) {
    const { lifelines, events, messages, halves, gaps, run, steps } = diagram;
    if (events.length === 0) return null;
    const fault = events.find((event) => event.culprit)?.lifeline;
    const isCore = lifelines.map((lifeline, at) => lifeline.core || at === fault);
    const cores = lifelines.some((lifeline) => lifeline.core) ? isCore.filter(Boolean).length : 0;
    const paper = h('p', { class: 'quiet paper' });
    const canvas = h('div', { class: 'canvas', role: 'region', 'aria-label': 'Diagram, can be scrolled', tabindex: '0' });
    const only = h('input', { type: 'checkbox', onchange: () => { paint(); reach(step); reveal(selected); } });
    const last = run.length;
    const range = h('input', { type: 'range', min: 0, max: last, step: 1, id: 'step', oninput: () => stepped(Number(range.value)) });
    const output = h('output', { for: 'step' });
    const buttons = [[-1, '‹', 'One step back'], [1, '›', 'One step on']].map(([by, text, name]) =>
      h('button', { type: 'button', 'aria-label': name, onclick: () => stepped(Math.min(last, Math.max(0, step + by))) }, text));
    let step = last;
    let selected = events.findIndex((event) => event.culprit);
    if (selected < 0) selected = events.findIndex((event) => event.state === 'refused' || event.state === 'expected');
    if (selected < 0) selected = events.findIndex((event) => event.state === 'assumed');
    if (selected < 0) selected = last > 0 ? run[last - 1][0] : 0;
    let drawn = []; // by event: its element, if it is drawn
    let past = []; // by lifeline: what has happened on it, if it is drawn
    let spots = []; // by event: its place

    function paint(isOnly = only.checked, isPaper = false) {
      const inside = lifelines.map((_, at) => !isOnly || isCore[at]);
      let used = [...new Set([...events, ...gaps].filter((item) => inside[item.lifeline]).map((item) => item.row))].sort((a, b) => a - b);
      const all = used.length;
      if (isPaper && all > PAPER) {
        const middle = Math.max(0, used.findIndex((row) => row >= events[selected].row));
        const first = Math.max(0, Math.min(middle - PAPER / 2, all - PAPER));
        used = used.slice(first, first + PAPER);
      }
      const rows = new Map(used.map((row, at) => [row, at]));
      const seen = (item) => inside[item.lifeline] && rows.has(item.row);
      const left = [used.length < all ? `${plural(used.length, 'row')} of ${count(all)}, those around the chosen event` : '',
        isOnly && isPaper ? `${plural(inside.filter(Boolean).length, 'lifeline')} of ${count(lifelines.length)}, those that suffice to fail` : ''];
      paper.textContent = left.some(Boolean) ? `On paper: ${left.filter(Boolean).join('; ')}.` : '';
      const texts = events.map((event) => caption(event));
      const room = lifelines.map((lifeline) => Math.max(78, Math.min(200, width(lifeline.name) + 4)));
      events.forEach((event, at) => { room[event.lifeline] = Math.max(room[event.lifeline], Math.min(200, width(texts[at]) * (event.culprit ? 1.1 : 1))); });
      // Where there is room, columns use it, up to a point.
      const taken = 24 + room.reduce((sum, own, at) => sum + (inside[at] ? own + 44 : 0), 0);
      const spare = (canvas.clientWidth - 4 - taken) / Math.max(1, inside.filter(Boolean).length);
      const between = 44 + Math.max(0, Math.min(90, spare));
      let x = 24;
      const xs = lifelines.map((_, at) => {
        const here = x;
        if (inside[at]) x += room[at] + between;
        return here;
      });
      const height = TOP + rows.size * ROW + 8;
      spots = events.map((event) => seen(event) ? { x: xs[event.lifeline], y: TOP + rows.get(event.row) * ROW } : null);
      drawn = events.map(() => null);
      const heads = s('svg', { width: x, height: 34, viewBox: `0 0 ${x} 34`, 'aria-hidden': 'true' });
      const body = s('svg', { width: x, height, viewBox: `0 0 ${x} ${height}`, role: 'group',
        'aria-label': 'Space-time diagram. Arrow keys move between events, Enter shows the lines of one.', onkeydown: key });
      past = lifelines.map((lifeline, at) => {
        if (!inside[at]) return null;
        const others = lifelines.filter((other) => other !== lifeline && other.component === lifeline.component);
        const shared = others.length > 0 ? `, in one log with ${others.map((other) => other.name).join(', ')}` : '';
        heads.append(s('g', {}, s('title', {}, `${lifeline.name}${shared}${lifeline.core ? ', needed to fail' : ''}`),
          s('rect', { class: lifeline.core ? 'head core' : 'head', x: xs[at] - 14, y: 4, width: room[at] + 26, height: 25, rx: 4 }),
          s('text', { x: xs[at] - 6, y: 21 }, fitted(visible(lifeline.name), room[at] + 12))));
        const line = s('line', { class: 'past', x1: xs[at], x2: xs[at], y1: 0, y2: 0 });
        body.append(s('line', { class: 'lifeline', x1: xs[at], x2: xs[at], y1: 0, y2: height }), line);
        return line;
      });
      // Where a message arrives from the right, the caption stands below it.
      const below = new Set();
      for (const [from, to] of messages) {
        if (!spots[from] || !spots[to]) continue;
        body.append(...arrow(spots[from], spots[to], kind(events[from], events[to])));
        if (spots[from].x > spots[to].x) below.add(to);
      }
      for (const [at, leaves] of halves) {
        if (!spots[at]) continue;
        const away = { x: spots[at].x + (leaves ? 26 : -26), y: spots[at].y + (leaves ? 13 : -13) };
        const ends = leaves ? [spots[at], away] : [away, spots[at]];
        body.append(...arrow(...ends, `half ${events[at].state}`));
      }
      for (const gap of gaps) {
        if (!seen(gap)) continue;
        body.append(s('text', { class: 'gap', x: xs[gap.lifeline] + 9, y: TOP + rows.get(gap.row) * ROW + 4 }, `⋮ ${plural(gap.events, 'event')} not drawn`));
      }
      events.forEach((event, at) => {
        if (!spots[at]) return;
        const spot = spots[at];
        const { name } = lifelines[event.lifeline];
        const short = fitted(visible(texts[at]), room[event.lifeline]);
        // What is said begins with what is seen, so that it can be called by voice.
        const said = `${short}${short.endsWith('…') ? ` ${event.label}` : ''} on ${name}, ${STATES[event.state]}`;
        drawn[at] = s('g', { class: `event ${event.state}${event.culprit ? ' culprit' : ''}`, transform: `translate(${spot.x} ${spot.y})`,
          role: 'button', tabindex: '-1', 'data-event': at,
          'aria-label': visible(`${said}${event.culprit ? ', it fails here' : ''}${event.log ? `, ${event.log.place}` : ''}`),
          onclick: () => select(at) },
        s('rect', { class: 'area', x: -12, y: -15, width: room[event.lifeline] + 26, height: 30, rx: 4 }),
        s('circle', { class: 'ring', r: 9.5 }), sign(event.state, event.culprit),
        s('text', { x: 11, y: below.has(at) ? 13 : -3 }, short));
        body.append(drawn[at]);
      });
      canvas.replaceChildren(h('div', { class: 'heads' }, heads), body);
      if (!drawn[selected]) selected = drawn.findIndex(Boolean);
      if (selected >= 0) mark();
    }

    function caption(event) {
      const { name } = lifelines[event.lifeline];
      // The column says who; so the caption says what.
      const text = event.label.startsWith(name) && event.label.length > name.length ? event.label.slice(name.length) : event.label;
      if (event.state === 'refused') return `✗ ${text}`;
      return event.state === 'accepted' ? text : `${event.state} ${text}`;
    }

    function kind(from, to) {
      const either = (state) => from.state === state || to.state === state;
      // In one log, one row is one moment.
      const isOne = lifelines[from.lifeline].component === lifelines[to.lifeline].component;
      if (isOne ? to.row < from.row : to.row <= from.row) return 'back';
      return ['expected', 'assumed', 'refused'].find(either) ?? '';
    }

    function arrow(from, to, kind) {
      if (from.x === to.x) {
        const path = `M${from.x - 7} ${from.y}C${from.x - 20} ${from.y} ${to.x - 20} ${to.y} ${to.x - 8} ${to.y}`;
        return [s('path', { class: `message ${kind}`, d: path }), s('path', { class: `point ${kind}`, d: point(to.x - 7, to.y, 1, 0) })];
      }
      const [dx, dy] = [to.x - from.x, to.y - from.y];
      const length = Math.hypot(dx, dy);
      const [ux, uy] = [dx / length, dy / length];
      const end = { x: to.x - 9 * ux, y: to.y - 9 * uy };
      return [
        s('line', { class: `message ${kind}`, x1: from.x + 7 * ux, y1: from.y + 7 * uy, x2: end.x - 5 * ux, y2: end.y - 5 * uy }),
        s('path', { class: `point ${kind}`, d: point(end.x, end.y, ux, uy) }),
      ];
    }

    const point = (x, y, ux, uy) =>
      `M${x} ${y}L${x - 9 * ux - 4 * uy} ${y - 9 * uy + 4 * ux}L${x - 9 * ux + 4 * uy} ${y - 9 * uy - 4 * ux}Z`;

    function mark() {
      drawn.forEach((element, at) => {
        element?.setAttribute('tabindex', at === selected ? '0' : '-1');
        element?.setAttribute('aria-pressed', at === selected ? 'true' : 'false');
      });
      show(events[selected]);
    }

    function select(at, quietly) {
      selected = at;
      mark();
      if (quietly) return;
      const { log, label } = events[at];
      say(log ? `${label}, ${log.place}: ${log.lines[log.marked] ?? ''}` : `${label}, no log has it`);
    }

    function reveal(at) {
      const spot = spots[at];
      if (!spot) return;
      const [left, top] = [spot.x - canvas.scrollLeft, spot.y + 34 - canvas.scrollTop];
      if (left < 30 || left > canvas.clientWidth - 160) canvas.scrollLeft = spot.x - canvas.clientWidth / 2;
      if (top < 60 || top > canvas.clientHeight - 30) canvas.scrollTop = spot.y + 34 - canvas.clientHeight / 2;
    }

    function stepped(to) {
      reach(to);
      if (to > 0) {
        select(run[to - 1][0], true);
        reveal(run[to - 1][0]);
      }
    }

    function reach(to) {
      step = to;
      const done = new Map(run.map(([event], at) => [event, at < to]));
      const current = to > 0 ? run[to - 1][0] : -1;
      const ends = lifelines.map(() => 0);
      drawn.forEach((element, at) => {
        element?.classList.toggle('done', done.get(at) === true);
        element?.classList.toggle('current', at === current);
        if (element && done.get(at)) ends[events[at].lifeline] = Math.max(ends[events[at].lifeline], spots[at].y);
      });
      past.forEach((line, at) => line?.setAttribute('y2', ends[at]));
      const event = events[current];
      const text = event
        ? `Step ${count(run[to - 1][1])} of ${count(steps)}: ${event.label}${event.log ? `, ${event.log.place}` : ', assumed'}`
        : `Before step ${count(last > 0 ? run[0][1] : 1)} of ${count(steps)}`;
      output.textContent = visible(text);
      range.value = to;
      range.setAttribute('aria-valuetext', visible(text));
      buttons[0].disabled = to === 0;
      buttons[1].disabled = to === last;
    }

    // The keyboard moves along a lifeline, and to what is nearest on others.
    function key(press) {
      const at = Number(document.activeElement?.dataset?.event ?? -1);
      if (at < 0) return;
      if (press.key === 'Enter' || press.key === ' ') {
        press.preventDefault();
        select(at);
        return;
      }
      const here = events[at];
      const own = events.map((_, other) => other)
        .filter((other) => drawn[other] && events[other].lifeline === here.lifeline)
        .sort((a, b) => events[a].row - events[b].row);
      const place = own.indexOf(at);
      const beside = (by) => {
        for (let lifeline = here.lifeline + by; lifelines[lifeline]; lifeline += by) {
          const there = events.map((_, other) => other).filter((other) => drawn[other] && events[other].lifeline === lifeline);
          if (there.length > 0) {
            const distance = (other) => Math.abs(events[other].row - here.row);
            return there.reduce((best, other) => (distance(other) < distance(best) ? other : best));
          }
        }
        return at;
      };
      const moves = {
        ArrowDown: () => own[Math.min(place + 1, own.length - 1)],
        ArrowUp: () => own[Math.max(place - 1, 0)],
        Home: () => own[0],
        End: () => own[own.length - 1],
        ArrowLeft: () => beside(-1),
        ArrowRight: () => beside(1),
      };
      const to = moves[press.key]?.();
      if (to === undefined) return;
      press.preventDefault();
      drawn[at].setAttribute('tabindex', '-1');
      drawn[to].setAttribute('tabindex', '0');
      drawn[to].focus({ preventScroll: true });
      reveal(to);
    }

    const element = h('section', { class: 'picture', 'aria-labelledby': 'picture-title' },
      h('h3', { id: 'picture-title' }, 'What happened'),
      diagram.note ? h('p', { class: 'warning' }, diagram.note) : '',
      legend(events),
      last > 0 ? h('div', { class: 'stepper' }, h('label', { for: 'step', class: 'quiet' }, 'Accepted run'), range, h('span', {}, buttons), output)
        : h('p', { class: 'quiet' }, events.some((event) => event.state === 'accepted') ? 'There is no run to step through.' : 'No event of it is accepted.'),
      cores > 0 && cores < lifelines.length
        ? h('label', { class: 'check hint' }, only, `Only what suffices to fail (${plural(cores, 'lifeline')} of ${count(lifelines.length)})`) : '',
      h('p', { class: 'quiet hint' }, 'Choose an event to see its lines: by mouse, or with the arrow keys and Enter.'),
      paper, canvas);
    return {
      element,
      start: () => { paint(); reach(last); reveal(selected); },
      // What does not fit on paper is left out there, if enough remains to see the failure.
      print: (on) => {
        const isWide = cores > 0 && canvas.lastChild.getBoundingClientRect().width > 1100;
        if (on) paint(only.checked || isWide, true);
        else paint();
        reach(step);
        reveal(selected);
      },
    };
  }

  // ---- Which part is seen ----

  function route(event) {
    const match = /^#case=([^&]*)(?:&(\d+))?$/.exec(location.hash);
    let index;
    try {
      index = match?.[2] ? Number(match[2]) : match ? indices.get(decodeURIComponent(match[1])) : undefined;
    } catch { /* Not one of our addresses. */ }
    const isOpen = data.cases[index]?.detail !== undefined;
    const before = open;
    find('overview').hidden = isOpen;
    find('case').hidden = !isOpen;
    if (isOpen) {
      const title = panel(index);
      if (event) {
        scrollTo({ top: 0, behavior: 'instant' });
        title.focus({ preventScroll: true });
      }
    } else {
      open = null;
      find('case').replaceChildren();
      if (before) table.focus(before.index);
    }
  }

  theme();
  table.build();
  coverage();
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    find('main').tabIndex = -1;
    find('main').focus();
  });
  addEventListener('hashchange', route);
  addEventListener('beforeprint', () => { table.print(true); open?.print?.(true); });
  addEventListener('afterprint', () => { table.print(false); open?.print?.(false); });
  // A report on one group is about that group.
  if (data.cases.length === 1 && data.cases[0].detail && location.hash === '') {
    try {
      history.replaceState(null, '', address(0));
    } catch { /* A page in a frame may not be allowed to; it is one click more. */ }
  }
  route();
})();
